#include "gaussian/expect.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "arrays.h"
#include "gaussian/block.h"
#include "blas.h"

/* The batches are always shared out in the same way, so that sums do not depend on the number of threads. */
enum { PARTS = 4, CHUNK = 64 };

typedef struct {
  scant_arrays arrays;
  double *m, *g;
  double likelihood;
  scant_lanes *matrix, *r, *row;                   /* for a block */
  double *dense, *squares, *deviations, *weighted; /* for examples that are alike, CHUNK at a time */
} part;

struct scant_expectation {
  size_t n;
  unsigned threads;
  part parts[PARTS];
};

/* ---- the room ------------------------------------------------------------------- */

double scant_expectation_bytes(double n, double most) {
  double block = fmin(most, 96), alike = 2 * most * most + CHUNK * most + fmax(CHUNK, most) * most;
  return PARTS * 8 * (n * n + n + 8 * (block * block / 2 + 2 * block) + alike);
}

int scant_expectation_new(scant_expectation **expectation, const scant_seen *seen, unsigned threads) {
  scant_expectation *x = scant_array(1, sizeof *x);
  if (!x) return 0;
  size_t n = x->n = seen->variables, block, alike;
  x->threads = threads;
  scant_seen_largest(seen, &block, &alike);
  int good = 1;
  for (size_t p = 0; p < PARTS && good; p++) {
    part *t = &x->parts[p];
    t->m = scant_arrays_add(&t->arrays, n * n, sizeof *t->m);
    t->g = scant_arrays_add(&t->arrays, n, sizeof *t->g);
    t->matrix = scant_arrays_keep(&t->arrays, scant_block_room(block * (block + 1) / 2));
    t->r = scant_arrays_keep(&t->arrays, scant_block_room(block));
    t->row = scant_arrays_keep(&t->arrays, scant_block_room(block));
    t->dense = scant_arrays_add(&t->arrays, alike * alike, sizeof *t->dense);
    t->squares = scant_arrays_add(&t->arrays, alike * alike, sizeof *t->squares);
    t->deviations = scant_arrays_add(&t->arrays, alike * CHUNK, sizeof *t->deviations);
    t->weighted = scant_arrays_add(&t->arrays, alike * (alike > CHUNK ? alike : CHUNK), sizeof *t->weighted);
    good = !t->arrays.failed;
  }
  if (!good) {
    scant_expectation_free(x);
    return 0;
  }
  *expectation = x;
  return 1;
}

void scant_expectation_free(scant_expectation *expectation) {
  if (!expectation) return;
  for (size_t p = 0; p < PARTS; p++) scant_arrays_free(&expectation->parts[p].arrays);
  free(expectation);
}

/* ---- up to eight examples, each with its own matrix -------------------------------- */

static void scatter(part *t, const scant_seen *seen, size_t example, int lane) {
  size_t size = scant_seen_size(seen, example), n = seen->variables;
  const uint32_t *v = seen->variable + seen->first[example];
  const scant_lanes *from = t->matrix;
  for (size_t i = 0; i < size; i++) {
    double a = t->r[i][lane], *row = t->m + v[i] * n;
    for (size_t j = 0; j <= i; j++) row[v[j]] += from[j][lane] - a * t->r[j][lane];
    t->g[v[i]] += a;
    from += i + 1;
  }
}

static void work_block(part *t, const scant_seen *seen, const scant_normal *at, const scant_batch *batch) {
  const uint32_t *examples = seen->order + batch->start;
  size_t n = scant_seen_size(seen, examples[batch->count - 1]);
  for (int lane = 0; lane < SCANT_LANES; lane++) /* idle lanes do what the first does */
    scant_block_gather(seen, examples[(uint32_t)lane < batch->count ? lane : 0], at, NULL, n, lane, t->matrix, t->r,
                       NULL);
  scant_lanes likelihood;
  scant_block_solve(n, t->matrix, t->r, t->row, &likelihood);
  for (uint32_t lane = 0; lane < batch->count; lane++) {
    t->likelihood += likelihood[lane] - 0.5 * SCANT_LOG_TWO_PI * (double)scant_seen_size(seen, examples[lane]);
    scatter(t, seen, examples[lane], (int)lane);
  }
}

/* ---- examples of which the same was seen --------------------------------------------- */

/* deviations: one example a column, as BLAS counts. */
static void work_chunk(part *t, const scant_seen *seen, const scant_normal *at, const uint32_t *examples, size_t count,
                       size_t size) {
  int n = (int)size, c = (int)count;
  for (size_t e = 0; e < count; e++) {
    size_t first = seen->first[examples[e]];
    for (size_t i = 0; i < size; i++)
      t->deviations[e * size + i] = seen->value[first + i] - at->mean[seen->variable[first + i]];
  }
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, n, c, 1, t->dense, n, t->deviations, n, 0, t->weighted, n);
  t->likelihood -= 0.5 * cblas_ddot(n * c, t->deviations, 1, t->weighted, 1);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, n, c, 1, t->weighted, n, 1, t->squares, n);
  const uint32_t *v = seen->variable + seen->first[examples[0]];
  for (size_t e = 0; e < count; e++)
    for (size_t i = 0; i < size; i++) t->g[v[i]] += t->weighted[e * size + i];
}

/* For reduced examples: columns of the root as if they were examples about their mean, and the mean. */
static void work_sums(part *t, const scant_normal *at, const scant_batch *batch, const uint32_t *v, size_t size) {
  int n = (int)size;
  double count = batch->count;
  const double *mean = scant_batch_mean(batch), *root = scant_batch_root(batch, size);
  size_t all = scant_batch_columns(batch, size);
  for (size_t done = 0; done < all; done += CHUNK) {
    int c = (int)(all - done < CHUNK ? all - done : CHUNK);
    const double *columns = root + done * size;
    cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, n, c, 1, t->dense, n, columns, n, 0, t->weighted, n);
    t->likelihood -= 0.5 * cblas_ddot(n * c, columns, 1, t->weighted, 1);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, n, c, 1, t->weighted, n, 1, t->squares, n);
  }
  for (size_t i = 0; i < size; i++) t->deviations[i] = mean[i] - at->mean[v[i]];
  cblas_dsymv(CblasColMajor, CblasUpper, n, 1, t->dense, n, t->deviations, 1, 0, t->weighted, 1);
  t->likelihood -= 0.5 * count * cblas_ddot(n, t->deviations, 1, t->weighted, 1);
  cblas_dsyr(CblasColMajor, CblasUpper, n, count, t->weighted, 1, t->squares, n);
  for (size_t i = 0; i < size; i++) t->g[v[i]] += count * t->weighted[i];
}

static void work_alike(part *t, const scant_seen *seen, const scant_normal *at, const scant_batch *batch) {
  const uint32_t *examples = seen->order + batch->start;
  size_t size = scant_seen_size(seen, examples[0]);
  const uint32_t *v = seen->variable + seen->first[examples[0]];
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i; j++) t->dense[i * size + j] = at->covariance[v[i] * at->n + v[j]];
  /* rows of the lower triangle are columns of the upper one to LAPACK */
  lapack_int bad = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)size, t->dense, (lapack_int)size);
  double log_diagonal = 0;
  for (size_t i = 0; i < size; i++) log_diagonal += log(t->dense[i * size + i]);
  t->likelihood -= (double)batch->count * (log_diagonal + 0.5 * SCANT_LOG_TWO_PI * (double)size);
  if (!bad) bad = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)size, t->dense, (lapack_int)size);
  if (bad) t->likelihood = NAN;
  memset(t->squares, 0, size * size * sizeof *t->squares);
  if (batch->sums && !bad) work_sums(t, at, batch, v, size);
  for (uint32_t i = 0; !batch->sums && i < batch->count && !bad; i += CHUNK)
    work_chunk(t, seen, at, examples + i, batch->count - i < CHUNK ? batch->count - i : CHUNK, size);
  for (size_t i = 0; i < size; i++) {
    double *row = t->m + v[i] * seen->variables;
    for (size_t j = 0; j <= i; j++)
      row[v[j]] += (double)batch->count * t->dense[i * size + j] - t->squares[i * size + j];
  }
}

/* ---- up to eight batches that were reduced, each with its own matrix ------------------------ */

/* Batches of one size that wait for others. */
typedef struct {
  const scant_batch *batch[SCANT_LANES];
  size_t count, size;
} waiting;

/* Adds what a lane gave.  A comes by rows of its lower triangle, and both triangles of it are needed. */
static void scatter_sums(part *t, const scant_seen *seen, const scant_batch *batch, size_t size, int lane) {
  int n = (int)size, c = (int)scant_batch_columns(batch, size);
  double count = batch->count;
  const uint32_t *v = seen->variable + seen->first[seen->order[batch->start]];
  const scant_lanes *from = t->matrix;
  const double *root = scant_batch_root(batch, size);
  for (size_t i = 0; i < size; from += ++i)
    for (size_t j = 0; j <= i; j++) t->dense[i * size + j] = t->dense[j * size + i] = from[j][lane];
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, c, n, 1, t->dense, n, root, n, 0, t->weighted, n);
  t->likelihood -= 0.5 * cblas_ddot(n * c, root, 1, t->weighted, 1);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, n, c, 1, t->weighted, n, 0, t->squares, n);
  for (size_t i = 0; i < size; i++) {
    double a = count * t->r[i][lane], *row = t->m + v[i] * seen->variables;
    const double *own = t->dense + i * size, *square = t->squares + i * size;
    for (size_t j = 0; j <= i; j++) row[v[j]] += count * own[j] - square[j] - a * t->r[j][lane];
    t->g[v[i]] += a;
  }
}

/* Idle lanes do what the first does. */
static void work_waiting(part *t, const scant_seen *seen, const scant_normal *at, waiting *w) {
  if (!w->count) return;
  for (size_t lane = 0; lane < SCANT_LANES; lane++) {
    const scant_batch *batch = w->batch[lane < w->count ? lane : 0];
    size_t example = seen->order[batch->start];
    const uint32_t *v = seen->variable + seen->first[example];
    const double *mean = scant_batch_mean(batch);
    scant_block_gather(seen, example, at, NULL, w->size, (int)lane, t->matrix, t->r, NULL);
    for (size_t i = 0; i < w->size; i++) t->r[i][lane] = mean[i] - at->mean[v[i]];
  }
  scant_lanes likelihood;
  scant_block_solve(w->size, t->matrix, t->r, t->row, &likelihood);
  for (size_t lane = 0; lane < w->count; lane++) {
    t->likelihood += w->batch[lane]->count * (likelihood[lane] - 0.5 * SCANT_LOG_TWO_PI * (double)w->size);
    scatter_sums(t, seen, w->batch[lane], w->size, (int)lane);
  }
  w->count = 0;
}

/* Small ones wait until there are eight of a size. */
static void work_reduced(part *t, const scant_seen *seen, const scant_normal *at, const scant_batch *batch,
                         waiting *w) {
  size_t size = scant_seen_size(seen, seen->order[batch->start]);
  if (size > SCANT_SIDE_LARGEST) {
    work_alike(t, seen, at, batch);
    return;
  }
  if (w->count == SCANT_LANES || (w->count && w->size != size)) work_waiting(t, seen, at, w);
  w->size = size;
  w->batch[w->count++] = batch;
}

/* ---- all of them ----------------------------------------------------------------------- */

typedef struct {
  scant_expectation *x;
  const scant_seen *seen;
  const scant_normal *at;
} task;

static scant_status work(void *user, size_t job, scant_error *error) {
  const task *k = user;
  const scant_seen *seen = k->seen;
  size_t n = seen->variables;
  part *t = &k->x->parts[job];
  (void)error;
  memset(t->m, 0, n * n * sizeof *t->m);
  memset(t->g, 0, n * sizeof *t->g);
  t->likelihood = 0;
  waiting w = {.count = 0};
  for (size_t b = job; b < seen->batch_count; b += PARTS) {
    const scant_batch *batch = &seen->batches[b];
    if (batch->sums)
      work_reduced(t, seen, k->at, batch, &w);
    else
      (batch->alike ? work_alike : work_block)(t, seen, k->at, batch);
  }
  work_waiting(t, seen, k->at, &w);
  return SCANT_OK;
}

static void add_parts(scant_expectation *x) {
  size_t n = x->n;
  double *m = x->parts[0].m, *g = x->parts[0].g;
  for (size_t p = 1; p < PARTS; p++) {
    const part *t = &x->parts[p];
    for (size_t i = 0; i < n; i++) {
      g[i] += t->g[i];
      for (size_t j = 0; j <= i; j++) m[i * n + j] += t->m[i * n + j];
    }
    x->parts[0].likelihood += t->likelihood;
  }
}

void scant_expect(scant_expectation *expectation, const scant_seen *seen, const scant_normal *at, scant_em_sums *sums) {
  task k = {expectation, seen, at};
  scant_blas_jobs(PARTS, expectation->threads, work, &k, NULL); /* the jobs can't fail */
  add_parts(expectation);
  const part *all = &expectation->parts[0];
  *sums = (scant_em_sums){all->m, all->g, all->likelihood / (double)seen->examples};
}
