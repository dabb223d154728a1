/* From the values of a block to its record: two passes for means, then BLAS for the scatter. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "bytes.h"
#include "lapack.h"
#include "sums/record.h"

/* Rows whose deviations are in memory at a time. */
enum { CHUNK = 256 };

#define VALUE_MOST 1e140
/* As in a learner (learn/tell.c): beyond it, sums over blocks and what is made of them may overflow. */
#define TARGET_MOST 1e100

typedef struct {
  scant_arrays arrays;
  const scant_block_values *given;
  uint32_t *order;                               /* of each place: its index in `attributes`; ascending by attribute */
  uint32_t *holed;                               /* places with missing values */
  size_t holes;                                  /* how many of these */
  unsigned char *kind;                           /* of each row: its pattern; NULL: there is one */
  uint32_t *row;                                 /* rows by pattern; NULL: there is one */
  double *clean;                                 /* a column between its limits */
  double *deviations;                            /* (count + 1) columns of up to CHUNK rows */
  double *known;                                 /* the same shape: 1 or 0, for available cases */
  double *square, *ones, *mixed;                 /* (count + 1)^2 each; the last two for available cases */
  size_t pattern_first[SCANT_PATTERNS_MOST + 1]; /* in `row` */
  scant_record_shape shape;
} work;

static const double *column(const work *w, size_t place) {
  const scant_block_values *g = w->given;
  return place == g->count ? g->y : g->values + (size_t)w->order[place] * g->rows;
}

static uint32_t attribute(const work *w, size_t place) {
  return w->given->attributes[w->order[place]];
}

/* The limits of a place; the target has none.  Attributes count up to where products would overflow: a single wild
 * value must not make a block useless of which limits are to be made. */
static void limits_of(const work *w, size_t place, double *low, double *high) {
  const scant_block_values *g = w->given;
  int is_target = place == g->count;
  *low = is_target ? -INFINITY : -VALUE_MOST;
  *high = is_target ? INFINITY : VALUE_MOST;
  if (is_target || !g->low) return;
  *low = fmax(*low, g->low[attribute(w, place)]);
  *high = fmin(*high, g->high[attribute(w, place)]);
}

/* ---- what is wrong with it ------------------------------------------------------------- */

typedef struct {
  uint32_t attribute, index;
} named;

static int compare(const void *left, const void *right) {
  const named *a = left, *b = right;
  return a->attribute < b->attribute ? -1 : a->attribute > b->attribute;
}

static scant_status sort_attributes(work *w, scant_error *error) {
  const scant_block_values *g = w->given;
  named *names = scant_array(g->count, sizeof *names);
  w->order = scant_arrays_add(&w->arrays, g->count, sizeof *w->order);
  if (!names || !w->order) {
    free(names);
    return scant_fail_memory(error);
  }
  for (uint32_t c = 0; c < g->count; c++) names[c] = (named){g->attributes[c], c};
  qsort(names, g->count, sizeof *names, compare);
  scant_status status = SCANT_OK;
  for (size_t c = 0; status == SCANT_OK && c < g->count; c++) {
    uint32_t a = names[c].attribute;
    w->order[c] = names[c].index;
    if (a >= g->dimension)
      status =
          scant_fail(error, SCANT_MISUSE, "there is no attribute %lu: there are %zu", (unsigned long)a, g->dimension);
    else if (c && names[c - 1].attribute == a)
      status = scant_fail(error, SCANT_MISUSE, "attribute %lu is there twice", (unsigned long)a);
    else if (g->low && !(g->low[a] <= g->high[a]))
      status = scant_fail(error, SCANT_MISUSE, "the limits of attribute %lu are no limits: %g and %g", (unsigned long)a,
                          g->low[a], g->high[a]);
  }
  free(names);
  return status;
}

/* Counts missing values; one that is infinite is refused, in the target also one that is missing or overflows. */
static scant_status check_values(work *w, scant_error *error) {
  const scant_block_values *g = w->given;
  for (size_t r = 0; r < g->rows; r++)
    if (!(fabs(g->y[r]) <= TARGET_MOST))
      return isfinite(g->y[r]) ? scant_fail(error, SCANT_DATA, "the target of row %zu overflows: %g", r + 1, g->y[r])
                               : scant_fail(error, SCANT_DATA, "the target of row %zu is not finite", r + 1);
  for (size_t c = 0; c < g->count; c++) {
    const double *x = column(w, c);
    size_t missing, infinite;
    scant_column_count(x, g->rows, &missing, &infinite);
    if (missing) w->holed[w->holes++] = (uint32_t)c;
    for (size_t r = 0; infinite && r < g->rows; r++)
      if (isinf(x[r]))
        return scant_fail(error, SCANT_DATA, "attribute %lu of row %zu is infinite", (unsigned long)attribute(w, c),
                          r + 1);
  }
  return SCANT_OK;
}

/* ---- patterns of missing values -------------------------------------------------------- */

static int same_holes(const work *w, size_t a, size_t b) {
  for (size_t h = 0; h < w->holes; h++) {
    const double *x = column(w, w->holed[h]);
    if (isnan(x[a]) != isnan(x[b])) return 0;
  }
  return 1;
}

/* Patterns come in the order of their first rows.  0: there are too many. */
static int sort_rows(work *w) {
  size_t rows = w->given->rows, first[SCANT_PATTERNS_MOST], *start = w->pattern_first;
  uint32_t found = 0;
  for (size_t r = 0; r < rows; r++) {
    uint32_t i = 0;
    while (i < found && !same_holes(w, first[i], r)) i++;
    if (i == SCANT_PATTERNS_MOST) return 0;
    if (i == found) first[found++] = r;
    w->kind[r] = (unsigned char)i;
    start[i + 1]++;
  }
  for (uint32_t i = 0; i < found; i++) {
    start[i + 1] += start[i];
    w->shape.seen[i] = (uint32_t)w->given->count;
    for (size_t h = 0; h < w->holes; h++) w->shape.seen[i] -= isnan(column(w, w->holed[h])[first[i]]) ? 1 : 0;
  }
  size_t next[SCANT_PATTERNS_MOST];
  memcpy(next, start, sizeof next);
  for (size_t r = 0; r < rows; r++) w->row[next[w->kind[r]]++] = (uint32_t)r;
  w->shape.patterns = found;
  return 1;
}

/* Which rows make which pattern, and so the shape of the record.  0: out of memory. */
static int find_patterns(work *w) {
  const scant_block_values *g = w->given;
  w->shape = (scant_record_shape){.count = (uint32_t)g->count, .patterns = 1, .limited = g->low != NULL};
  w->shape.seen[0] = (uint32_t)g->count;
  w->pattern_first[1] = g->rows;
  if (!w->holes) return 1;
  w->kind = scant_arrays_add(&w->arrays, g->rows, sizeof *w->kind);
  w->row = scant_arrays_add(&w->arrays, g->rows, sizeof *w->row);
  if (!w->kind || !w->row) return 0;
  memset(w->pattern_first, 0, sizeof w->pattern_first);
  if (sort_rows(w)) return 1;
  w->shape.available = 1;
  w->shape.patterns = 1;
  w->shape.seen[0] = (uint32_t)g->count;
  for (size_t h = 0; h < w->holes; h++) { /* what is missing everywhere was not seen */
    const double *x = column(w, w->holed[h]);
    size_t r = 0;
    while (r < g->rows && isnan(x[r])) r++;
    w->shape.seen[0] -= r == g->rows;
  }
  return 1;
}

/* ---- one attribute --------------------------------------------------------------------- */

SCANT_WIDEST static void clean_column(const work *w, size_t place) {
  const double *x = column(w, place);
  double low, high;
  limits_of(w, place, &low, &high);
  for (size_t r = 0; r < w->given->rows; r++) w->clean[r] = scant_limits_clip(x[r], low, high);
}

/* Everything of a column but products: what it shows, limits, means of the patterns that saw it. */
static void take_column(const work *w, scant_record *r, size_t place, uint32_t *at) {
  size_t rows = w->given->rows;
  double joined;
  clean_column(w, place);
  scant_column_show(w->clean, rows, &r->values[place]);
  for (size_t i = 0; r->limits && place < r->count && i < rows; i++) /* between +-VALUE_MOST: squares stay finite */
    if (!isnan(w->clean[i])) scant_limits_add(&r->limits[place], w->clean[i], &joined);
  if (w->shape.available) {
    if (!r->values[place].known) return;
    if (place < r->count) r->pattern[0].place[at[0]] = (uint32_t)place;
    r->pattern[0].mean[at[0]++] = scant_column_mean_known(w->clean, rows, r->values[place].known);
    return;
  }
  for (uint32_t i = 0; i < r->patterns; i++) {
    const uint32_t *row = w->row ? w->row + w->pattern_first[i] : NULL;
    if (isnan(w->clean[row ? row[0] : 0])) continue;
    if (place < r->count) r->pattern[i].place[at[i]] = (uint32_t)place;
    r->pattern[i].mean[at[i]++] = scant_column_mean(w->clean, row, w->pattern_first[i + 1] - w->pattern_first[i]);
  }
}

/* ---- products -------------------------------------------------------------------------- */

static size_t place_at(const work *w, const scant_pattern *t, size_t c) {
  return c < t->seen ? t->place[c] : w->given->count;
}

/* The deviations of n rows from the mean of the pattern, a column for each of `size`; missing ones are 0. */
SCANT_WIDEST static void deviate(const work *w, const scant_pattern *t, const uint32_t *row, size_t first, size_t n) {
  for (size_t c = 0; c <= t->seen; c++) {
    size_t place = place_at(w, t, c);
    const double *x = column(w, place);
    double low, high, mean = t->mean[c], *to = w->deviations + c * n;
    limits_of(w, place, &low, &high);
    if (w->known)
      for (size_t k = 0; k < n; k++) {
        double value = scant_limits_clip(x[first + k], low, high) - mean;
        w->known[c * n + k] = isnan(value) ? 0 : 1;
        to[k] = isnan(value) ? 0 : value;
      }
    else if (row)
      for (size_t k = 0; k < n; k++) to[k] = scant_limits_clip(x[row[k]], low, high) - mean;
    else
      for (size_t k = 0; k < n; k++) to[k] = scant_limits_clip(x[first + k], low, high) - mean;
  }
}

static void multiply(const work *w, scant_pattern *t, size_t start, size_t rows) {
  size_t p = (size_t)t->seen + 1;
  for (size_t done = 0; done < rows; done += CHUNK) {
    size_t n = rows - done < CHUNK ? rows - done : CHUNK;
    double before = done ? 1 : 0;
    deviate(w, t, w->row && !w->known ? w->row + start + done : NULL, done, n);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)p, (int)n, 1, w->deviations, (int)n, before, w->square,
                (int)p);
    if (!w->known) continue;
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, (int)p, (int)n, 1, w->known, (int)n, before, w->ones, (int)p);
    /* row i of `mixed`, by rows: sums of i where j is known */
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)p, (int)n, 1, w->known, (int)n, w->deviations,
                (int)n, before, w->mixed, (int)p);
  }
  /* columns of the upper triangle are rows of the lower one */
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++) t->scatter[scant_pairs_at(i, j)] = w->square[i * p + j];
}

/* ---- available cases ------------------------------------------------------------------- */

static void keep_pairs(const work *w, scant_record *r) {
  scant_pattern *t = &r->pattern[0];
  size_t q = (size_t)t->seen + 1, p = (size_t)r->count + 1;
  for (size_t i = 0; i < q; i++)
    for (size_t j = 0; j < q; j++) {
      size_t a = place_at(w, t, i), b = place_at(w, t, j);
      r->sum[a * p + b] = w->mixed[i * q + j];
      if (j > i) continue;
      size_t to = scant_pairs_at(a, b), from = scant_pairs_at(i, j);
      r->together[to] = (uint32_t)w->ones[i * q + j];
      r->product[to] = t->scatter[from];
      t->scatter[from] *= r->together[to] ? (double)r->rows / r->together[to] : 0;
    }
}

/* The nearest correlations without negative eigenvalues, made correlations again; spreads stay. */
static scant_status mend(work *w, scant_pattern *t, scant_error *error) {
  size_t q = (size_t)t->seen + 1;
  double *values = w->deviations, *root = values + q, *scaled = w->ones, *matrix = w->square;
  for (size_t i = 0; i < q; i++) root[i] = sqrt(t->scatter[scant_pairs_at(i, i)]);
  for (size_t i = 0; i < q; i++)
    for (size_t j = 0; j <= i; j++) {
      double unit = root[i] * root[j];
      matrix[i * q + j] = unit > 0 ? t->scatter[scant_pairs_at(i, j)] / unit : i == j;
    }
  lapack_int bad = scant_lapack_eigen('U', q, matrix, values);
  if (bad == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (bad) return scant_fail(error, SCANT_DATA, "products of these values and targets are not finite");
  if (values[0] >= 0) return SCANT_OK;
  for (size_t k = 0; k < q; k++)
    for (size_t i = 0; i < q; i++) scaled[k * q + i] = matrix[k * q + i] * sqrt(values[k] > 0 ? values[k] : 0);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)q, (int)q, 1, scaled, (int)q, 0, w->mixed, (int)q);
  for (size_t i = 0; i < q; i++)
    for (size_t j = 0; j < i; j++) {
      double unit = sqrt(w->mixed[i * q + i] * w->mixed[j * q + j]);
      t->scatter[scant_pairs_at(i, j)] = unit > 0 ? w->mixed[i * q + j] / unit * root[i] * root[j] : 0;
    }
  return SCANT_OK;
}

/* ---- all of it ------------------------------------------------------------------------- */

static int make_room(work *w) {
  size_t rows = w->given->rows, p = w->given->count + 1, chunk = rows < CHUNK ? rows : CHUNK;
  int available = w->shape.available != 0;
  w->clean = scant_arrays_add(&w->arrays, rows, sizeof *w->clean);
  w->deviations = scant_arrays_add(&w->arrays, p * (chunk > 2 ? chunk : 2), sizeof *w->deviations);
  w->square = scant_arrays_add(&w->arrays, p * p, sizeof *w->square);
  if (available) {
    w->known = scant_arrays_add(&w->arrays, p * chunk, sizeof *w->known);
    w->ones = scant_arrays_add(&w->arrays, p * p, sizeof *w->ones);
    w->mixed = scant_arrays_add(&w->arrays, p * p, sizeof *w->mixed);
  }
  return !w->arrays.failed;
}

static int is_finite(const scant_record *r) {
  for (uint32_t i = 0; i < r->patterns; i++) {
    const scant_pattern *t = &r->pattern[i];
    size_t q = (size_t)t->seen + 1;
    if (!scant_all_finite(t->mean, q) || !scant_all_finite(t->scatter, scant_pairs_triangle(q))) return 0;
  }
  for (size_t c = 0; r->limits && c < r->count; c++)
    if (!isfinite(r->limits[c].mean) || !isfinite(r->limits[c].spread)) return 0;
  return 1;
}

static scant_status fill(work *w, scant_record *r, scant_error *error) {
  uint32_t at[SCANT_PATTERNS_MOST] = {0};
  r->rows = w->given->rows;
  for (size_t c = 0; c < w->given->count; c++) r->attributes[c] = attribute(w, c);
  for (size_t c = 0; c <= w->given->count; c++) take_column(w, r, c, at);
  for (uint32_t i = 0; i < r->patterns; i++) {
    size_t start = w->pattern_first[i], rows = w->shape.available ? r->rows : w->pattern_first[i + 1] - start;
    r->pattern[i].rows = rows;
    multiply(w, &r->pattern[i], start, rows);
  }
  if (w->shape.available) keep_pairs(w, r);
  if (!is_finite(r)) return scant_fail(error, SCANT_DATA, "products of these values and targets are not finite");
  return w->shape.available ? mend(w, &r->pattern[0], error) : SCANT_OK;
}

scant_status scant_record_make(scant_record **record, uint64_t block, const scant_block_values *given,
                               scant_error *error) {
  work w = {.given = given};
  scant_record *r = NULL;
  scant_status status = sort_attributes(&w, error);
  if (status == SCANT_OK && !(w.holed = scant_arrays_add(&w.arrays, given->count, sizeof *w.holed)))
    status = scant_fail_memory(error);
  if (status == SCANT_OK) status = check_values(&w, error);
  if (status == SCANT_OK && (!find_patterns(&w) || !make_room(&w) || !(r = scant_record_new(&w.shape))))
    status = scant_fail_memory(error);
  if (status == SCANT_OK) {
    r->block = block;
    status = fill(&w, r, error);
  }
  scant_arrays_free(&w.arrays);
  if (status == SCANT_OK)
    *record = r;
  else
    scant_record_free(r);
  return status;
}
