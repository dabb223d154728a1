#include "gaussian/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lapack.h"

/* Rows of a QR beside those of the one before it. */
enum { ROWS_MOST = 256 };

typedef struct {
  double *matrix, *tau; /* rows x size by columns: the root so far, then deviations */
} room;

static void find_mean(const scant_seen *s, const scant_batch *batch, size_t size, double *mean) {
  const uint32_t *examples = s->order + batch->start;
  for (uint32_t e = 0; e < batch->count; e++) {
    const double *z = s->value + s->first[examples[e]];
    for (size_t i = 0; i < size; i++) mean[i] += z[i];
  }
  for (size_t i = 0; i < size; i++) mean[i] /= batch->count;
}

/* The upper triangle R of the QR goes to the top; what is below it is done with. */
static void keep_root(size_t size, size_t rows, const double *matrix, double *root) {
  for (size_t k = 0; k < size; k++)
    for (size_t i = 0; i < size; i++) root[k * size + i] = i >= k && k < rows ? matrix[i * rows + k] : 0;
}

/* Deviations of a few. */
static void copy_deviations(const scant_seen *s, const scant_batch *batch, size_t size, const double *mean,
                            double *root) {
  const uint32_t *examples = s->order + batch->start;
  for (uint32_t e = 0; e < batch->count; e++) {
    const double *z = s->value + s->first[examples[e]];
    for (size_t i = 0; i < size; i++) root[e * size + i] = z[i] - mean[i];
  }
}

/* Takes in deviations, ROWS_MOST examples at a time.  root: L, which is 0 at first.  0: no memory. */
static int find_root(const scant_seen *s, const scant_batch *batch, size_t size, const double *mean, double *root,
                     const room *w) {
  const uint32_t *examples = s->order + batch->start;
  for (uint32_t done = 0; done < batch->count; done += ROWS_MOST) {
    size_t more = batch->count - done < ROWS_MOST ? batch->count - done : ROWS_MOST, top = done ? size : 0;
    size_t rows = top + more;
    for (size_t i = 0; i < size; i++)
      for (size_t k = 0; k < top; k++) w->matrix[i * rows + k] = root[k * size + i];
    for (size_t e = 0; e < more; e++) {
      const double *z = s->value + s->first[examples[done + e]];
      for (size_t i = 0; i < size; i++) w->matrix[i * rows + top + e] = z[i] - mean[i];
    }
    if (scant_lapack_qr(rows, size, w->matrix, w->tau)) return 0;
    keep_root(size, rows, w->matrix, root);
  }
  return 1;
}

static size_t size_of(const scant_seen *s, const scant_batch *batch) {
  return scant_seen_size(s, s->order[batch->start]);
}

static int reduce(const scant_seen *s, scant_batch *batch, double *sums, const room *w) {
  size_t size = size_of(s, batch);
  find_mean(s, batch, size, sums);
  if (batch->count <= size)
    copy_deviations(s, batch, size, sums, sums + size);
  else if (!find_root(s, batch, size, sums, sums + size, w))
    return 0;
  batch->sums = sums;
  return 1;
}

int scant_seen_reduce(scant_seen *seen) {
  scant_seen *s = seen;
  size_t numbers = 0, most = 0;
  for (size_t b = 0; b < s->batch_count; b++) {
    const scant_batch *batch = &s->batches[b];
    size_t size = size_of(s, batch);
    if (!batch->alike) continue;
    numbers += size * (1 + scant_batch_columns(batch, size));
    if (size > most) most = size;
  }
  if (!numbers) return 1;
  room w = {scant_array((most + ROWS_MOST) * most, sizeof *w.matrix), scant_array(most, sizeof *w.tau)};
  double *next = s->sums = scant_array(numbers, sizeof *s->sums);
  int good = w.matrix && w.tau && s->sums;
  for (size_t b = 0; good && b < s->batch_count; b++) {
    scant_batch *batch = &s->batches[b];
    size_t size = size_of(s, batch);
    if (!batch->alike) continue;
    good = reduce(s, batch, next, &w);
    next += size * (1 + scant_batch_columns(batch, size));
  }
  free(w.matrix);
  free(w.tau);
  return good;
}
