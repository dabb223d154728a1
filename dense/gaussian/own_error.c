#include "gaussian/own_error.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "arrays.h"
#include "gaussian/block.h"

/* In place of an infinite factor. */
#define FACTOR_MOST 1e12

typedef struct {
  scant_arrays arrays;
  const scant_seen *seen;
  const scant_normal *at;
  double *factor;                         /* of all variables, with the penalty */
  scant_lanes *matrix, *r, *raised, *row; /* for a block */
  double *dense, *deviations;             /* for examples that are alike: one matrix, one vector */
  double *square;                         /* with blocks: of each example */
} room;

static int room_new(room *w) {
  size_t n = w->seen->variables, block, alike;
  scant_seen_largest(w->seen, &block, &alike);
  w->factor = scant_arrays_add(&w->arrays, n, sizeof *w->factor);
  w->matrix = scant_arrays_keep(&w->arrays, scant_block_room(block * (block + 1) / 2));
  w->r = scant_arrays_keep(&w->arrays, scant_block_room(block));
  w->raised = scant_arrays_keep(&w->arrays, scant_block_room(block));
  w->row = scant_arrays_keep(&w->arrays, scant_block_room(block));
  w->dense = scant_arrays_add(&w->arrays, alike * alike, sizeof *w->dense);
  w->deviations = scant_arrays_add(&w->arrays, alike, sizeof *w->deviations);
  if (w->seen->block) w->square = scant_arrays_add(&w->arrays, w->seen->examples, sizeof *w->square);
  return !w->arrays.failed;
}

static void add(const room *w, scant_own *own, uint32_t example, double error, double variance, double expected) {
  double square = error * error, examples = (double)w->seen->examples;
  if (w->square) w->square[example] = square;
  own->error += square / examples;
  own->variance += variance / examples;
  own->expected += expected / examples;
  own->spread += square * square / examples;
}

static void measure_block(const room *w, const scant_batch *batch, scant_own *own) {
  const uint32_t *examples = w->seen->order + batch->start;
  size_t n = scant_seen_size(w->seen, examples[batch->count - 1]), sizes[SCANT_LANES];
  scant_conditioned c;
  for (int lane = 0; lane < SCANT_LANES; lane++) { /* idle lanes do what the first does */
    uint32_t e = examples[(uint32_t)lane < batch->count ? lane : 0];
    sizes[lane] = scant_seen_size(w->seen, e);
    scant_block_gather(w->seen, e, w->at, w->factor, n, lane, w->matrix, w->r, w->raised);
  }
  scant_block_condition(n, sizes, w->matrix, w->r, w->raised, w->row, &c);
  for (uint32_t lane = 0; lane < batch->count; lane++)
    add(w, own, examples[lane], c.error[lane], c.variance[lane], c.expected[lane]);
}

/* What weights on what was seen leave of the target: a few sums for each example. */
static void measure_by_weights(const room *w, const scant_batch *batch, const double *a, double variance,
                               double expected, scant_own *own) {
  const uint32_t *examples = w->seen->order + batch->start;
  size_t y = scant_seen_size(w->seen, examples[0]) - 1;
  const uint32_t *v = w->seen->variable + w->seen->first[examples[0]];
  double offset = w->at->mean[v[y]];
  for (size_t i = 0; i < y; i++) offset -= a[i] * w->at->mean[v[i]];
  for (uint32_t k = 0; k < batch->count; k++) {
    const double *z = w->seen->value + w->seen->first[examples[k]];
    add(w, own, examples[k], z[y] - offset - scant_lanes_dot(y, a, z), variance, expected);
  }
}

/* With S_oo = U'U, the target last: U'^-1 times the deviations ends with its error over U's last number. */
static int measure_alike(const room *w, const scant_batch *batch, scant_own *own) {
  const uint32_t *examples = w->seen->order + batch->start;
  size_t n = scant_seen_size(w->seen, examples[0]);
  const uint32_t *v = w->seen->variable + w->seen->first[examples[0]];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) w->dense[i * n + j] = w->at->covariance[v[i] * w->at->n + v[j]];
    w->dense[i * n + i] *= w->factor[v[i]];
  }
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, w->dense, (lapack_int)n)) return 0;
  double root = w->dense[n * n - 1], expected = root * root, *a = w->deviations;
  for (size_t i = 0; i + 1 < n; i++) a[i] = w->dense[(n - 1) * n + i];
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)n - 1, w->dense, (int)n, a, 1);
  for (size_t i = 0; i + 1 < n; i++)
    expected -= a[i] * a[i] * (w->factor[v[i]] - 1) * w->at->covariance[v[i] * w->at->n + v[i]];
  if (w->seen->block) {
    measure_by_weights(w, batch, a, root * root, expected, own);
    return 1;
  }
  for (uint32_t k = 0; k < batch->count; k++) {
    const double *z = w->seen->value + w->seen->first[examples[k]];
    for (size_t i = 0; i < n; i++) w->deviations[i] = z[i] - w->at->mean[v[i]];
    cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)n, w->dense, (int)n, w->deviations, 1);
    add(w, own, examples[k], w->deviations[n - 1] * root, root * root, expected);
  }
  return 1;
}

static void add_blocks(const room *w, scant_own *own) {
  const scant_seen *s = w->seen;
  for (size_t e = 0, end; e < s->examples; e = end) {
    double sum = 0, n = 0;
    for (end = e; end < s->examples && s->block[end] == s->block[e]; end++) {
      sum += w->square[end];
      n++;
    }
    own->blocks++;
    own->examples += n;
    own->squares += n * n;
    own->weighted += n * sum;
    own->weighted_squares += sum * sum;
  }
}

static int measure_all(const room *w, scant_own *own) {
  *own = (scant_own){0};
  for (size_t b = 0; b < w->seen->batch_count; b++) {
    const scant_batch *batch = &w->seen->batches[b];
    if (!batch->alike)
      measure_block(w, batch, own);
    else if (!measure_alike(w, batch, own))
      return 0;
  }
  if (w->square) add_blocks(w, own);
  return isfinite(own->spread);
}

scant_status scant_own_measure(const scant_seen *seen, const scant_normal *at, const double *factor, double penalty,
                               scant_own *own, scant_error *error) {
  room w = {.seen = seen, .at = at};
  scant_status status = room_new(&w) ? SCANT_OK : scant_fail_memory(error);
  for (size_t j = 0; status == SCANT_OK && j < seen->variables; j++)
    w.factor[j] = j + 1 < seen->variables ? fmin((factor ? factor[j] : 1) + penalty, FACTOR_MOST) : 1;
  if (status == SCANT_OK && !measure_all(&w, own))
    status = scant_fail(error, SCANT_DATA, "the targets can't be predicted from the looks");
  scant_arrays_free(&w.arrays);
  return status;
}

double scant_own_variance_of_mean(const scant_own *own, size_t count) {
  double blocks = 0, examples = 0, sum = 0, squares = 0, weighted = 0, weighted_squares = 0;
  for (size_t i = 0; i < count; i++) {
    blocks += own[i].blocks;
    examples += own[i].examples;
    sum += own[i].examples * own[i].error;
    squares += own[i].squares;
    weighted += own[i].weighted;
    weighted_squares += own[i].weighted_squares;
  }
  if (!(blocks > 1)) return INFINITY;
  double mean = sum / examples, total = weighted_squares - 2 * mean * weighted + mean * mean * squares;
  return fmax(total, 0) / (examples * examples) * blocks / (blocks - 1);
}
