#include "gaussian/seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "lapack.h"

/* ---- what was seen of the variables ------------------------------------------ */

void scant_seen_free(scant_seen *seen) {
  scant_arrays_free(&seen->arrays);
  *seen = (scant_seen){0};
}

/* Insertion: looks come nearly sorted, or are few. */
static void sort_entries(uint32_t *variable, double *value, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint32_t v = variable[i];
    double x = value[i];
    size_t at = i;
    for (; at > 0 && variable[at - 1] > v; at--) {
      variable[at] = variable[at - 1];
      value[at] = value[at - 1];
    }
    variable[at] = v;
    value[at] = x;
  }
}

static void fill_example(scant_seen *s, const scant_answers *l, const scant_frame *f, size_t e) {
  size_t start = s->first[s->examples], end = start;
  for (size_t i = l->first[e]; i < l->first[e + 1]; i++) {
    uint32_t v = f->variable[l->attribute[i]];
    if (v == SCANT_NO_VARIABLE) continue;
    s->variable[end] = v;
    s->value[end++] = (scant_frame_clip(f, l->attribute[i], l->value[i]) - f->center[v]) / f->unit[v];
  }
  sort_entries(s->variable + start, s->value + start, end - start);
  uint32_t target = (uint32_t)(f->variables - 1);
  s->variable[end] = target;
  s->value[end++] = (l->y[e] - f->center[target]) / f->unit[target];
  if (s->block) {
    uint32_t own = l->block[e];
    s->blocks += !s->examples || s->block[s->examples - 1] != own;
    s->block[s->examples] = own;
  }
  s->first[++s->examples] = end;
}

/* ---- what to work on together --------------------------------------------------- */

typedef struct {
  size_t size;
  uint64_t pattern;
  uint32_t example;
} sortable;

static int compare(const void *left, const void *right) {
  const sortable *a = left, *b = right;
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  if (a->pattern != b->pattern) return a->pattern < b->pattern ? -1 : 1;
  return a->example < b->example ? -1 : a->example > b->example;
}

static int same_pattern(const scant_seen *s, uint32_t a, uint32_t b) {
  size_t n = scant_seen_size(s, a);
  return scant_seen_size(s, b) == n &&
         !memcmp(s->variable + s->first[a], s->variable + s->first[b], n * sizeof *s->variable);
}

/* A few that are alike are better off in a block, unless their matrices are large. */
enum { ALIKE_FEWEST = 6 };

static void batch(scant_seen *s) {
  size_t n = s->examples;
  for (size_t i = 0, end; i < n; i = end) {
    size_t size = scant_seen_size(s, s->order[i]);
    for (end = i + 1; end < n && same_pattern(s, s->order[i], s->order[end]);) end++;
    int alike = end - i >= ALIKE_FEWEST || size > SCANT_SIDE_LARGEST;
    scant_batch *last = s->batch_count ? &s->batches[s->batch_count - 1] : NULL;
    if (!alike) end = i + 1;
    if (!alike && last && !last->alike && last->count < SCANT_LANES) {
      last->count++;
      continue;
    }
    s->batches[s->batch_count++] = (scant_batch){(uint32_t)i, (uint32_t)(end - i), alike, NULL};
  }
}

static int sort_examples(scant_seen *s) {
  sortable *keys = scant_array(s->examples, sizeof *keys);
  if (!keys) return 0;
  for (size_t e = 0; e < s->examples; e++) {
    size_t size = scant_seen_size(s, e);
    if (size > s->most) s->most = size;
    keys[e] = (sortable){size, scant_hash(SCANT_HASH_START, s->variable + s->first[e], size * sizeof *s->variable),
                         (uint32_t)e};
  }
  qsort(keys, s->examples, sizeof *keys, compare);
  for (size_t i = 0; i < s->examples; i++) s->order[i] = keys[i].example;
  free(keys);
  batch(s);
  return 1;
}

/* ---- examples that are alike, reduced ------------------------------------------------ */

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

/* Gives sums to the batches of examples that are alike.  0: out of memory. */
static int reduce_all(scant_seen *s) {
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
  double *next = s->sums = scant_arrays_add(&s->arrays, numbers, sizeof *s->sums);
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

/* ---- all of it ---------------------------------------------------------------------- */

/* How often examples count: those of one part of several, and the others. */
typedef struct {
  size_t parts, part; /* parts 0: there are none, and the others are all */
  size_t of_part, others;
} choice;

static size_t times(const choice *c, const scant_answers *looks, size_t example) {
  return c->parts && scant_answers_block(looks, example) % c->parts == c->part ? c->of_part : c->others;
}

static int fill(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, const choice *c) {
  scant_seen s = {.variables = frame->variables};
  size_t entries = 0, examples = 0;
  for (size_t e = 0; e < looks->examples; e++) {
    entries += times(c, looks, e) * (looks->first[e + 1] - looks->first[e] + 1);
    examples += times(c, looks, e);
  }
  s.first = scant_arrays_add(&s.arrays, examples + 1, sizeof *s.first);
  s.order = scant_arrays_add(&s.arrays, examples, sizeof *s.order);
  s.batches = scant_arrays_add(&s.arrays, examples, sizeof *s.batches);
  s.variable = scant_arrays_add(&s.arrays, entries, sizeof *s.variable);
  s.value = scant_arrays_add(&s.arrays, entries, sizeof *s.value);
  if (looks->block) s.block = scant_arrays_add(&s.arrays, examples, sizeof *s.block);
  int good = !s.arrays.failed;
  for (size_t e = 0; good && e < looks->examples; e++)
    for (size_t t = times(c, looks, e); t > 0; t--) fill_example(&s, looks, frame, e);
  if (!good || !sort_examples(&s) || (s.block && !reduce_all(&s))) {
    scant_seen_free(&s);
    return 0;
  }
  if (!s.block) s.blocks = s.examples;
  *seen = s;
  return 1;
}

int scant_seen_new(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part) {
  return fill(seen, looks, frame, &(choice){parts, part, 1, parts == 0});
}

int scant_seen_times(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part,
                     size_t of_part) {
  return fill(seen, looks, frame, &(choice){parts, part, of_part, 1});
}

double scant_seen_sums_bytes(double examples, double rows_per_block, double variables) {
  return rows_per_block > 1 ? 8 * variables * (1 + fmin(variables, rows_per_block)) * examples / rows_per_block : 0;
}

void scant_seen_largest(const scant_seen *seen, size_t *beside, size_t *alike) {
  *beside = *alike = 0;
  for (size_t b = 0; b < seen->batch_count; b++) {
    const scant_batch *batch = &seen->batches[b];
    size_t size = scant_seen_size(seen, seen->order[batch->start + batch->count - 1]);
    if (batch->alike && size > *alike) *alike = size;
    if ((!batch->alike || batch->sums) && size <= SCANT_SIDE_LARGEST && size > *beside) *beside = size;
  }
}
