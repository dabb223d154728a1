#include "gaussian/block.h"

#include <math.h>
#include <stdlib.h>

void *scant_block_room(size_t count) {
  void *room = NULL;
  return posix_memalign(&room, sizeof(scant_lanes), (count ? count : 1) * sizeof(scant_lanes)) ? NULL : room;
}

#define ROW(i) (matrix + (i) * ((i) + 1) / 2)

/* The loops below work on up to four sums at once, so that what was loaded serves them all.  Every sum has the order
 * of its plain formula. */
enum { ABREAST = 4 };

/* Row i of L up to column `last`, from rows that are done: a_j = (a_j - sum of a_k b_k) / L_jj; two rows at once. */
SCANT_INLINE void eliminate(const scant_lanes *matrix, size_t last, scant_lanes *a, scant_lanes *c) {
  for (size_t j = 0; j < last; j++) {
    const scant_lanes *b = ROW(j);
    scant_lanes s = a[j], t = c[j];
    for (size_t k = 0; k < j; k++) {
      s -= a[k] * b[k];
      t -= c[k] * b[k];
    }
    a[j] = s * b[j];
    c[j] = t * b[j];
  }
}

/* The diagonal of row i, whose other numbers are done. */
SCANT_INLINE void take_root(size_t i, scant_lanes *a, double *log_diagonal) {
  scant_lanes s = a[i];
  for (size_t k = 0; k < i; k++) s -= a[k] * a[k];
  for (int lane = 0; lane < SCANT_LANES; lane++) {
    double pivot = s[lane];
    log_diagonal[lane] += 0.5 * log(pivot); /* NaN if it is negative */
    a[i][lane] = 1 / sqrt(pivot);
  }
}

/* The Cholesky factor L in place, 1/L_ii on its diagonal; the sum of log L_ii. */
SCANT_WIDEST static void factor(size_t n, scant_lanes *matrix, double *log_diagonal) {
  for (size_t i = 0; i < n; i += 2) {
    scant_lanes *a = ROW(i), *c = i + 1 < n ? ROW(i + 1) : NULL;
    if (!c) {
      for (size_t j = 0; j < i; j++) {
        scant_lanes s = a[j];
        for (size_t k = 0; k < j; k++) s -= a[k] * ROW(j)[k];
        a[j] = s * ROW(j)[j];
      }
      take_root(i, a, log_diagonal);
      break;
    }
    eliminate(matrix, i, a, c);
    take_root(i, a, log_diagonal);
    scant_lanes s = c[i];
    for (size_t k = 0; k < i; k++) s -= c[k] * a[k];
    c[i] = s * a[i];
    take_root(i + 1, c, log_diagonal);
  }
}

/* L becomes W = L^-1. */
SCANT_WIDEST static void invert(size_t n, scant_lanes *matrix, scant_lanes *row) {
  for (size_t i = 0; i < n; i++) {
    scant_lanes *a = ROW(i), d = a[i];
    for (size_t k = 0; k < i; k++) row[k] = a[k];
    size_t j = 0;
    for (; j + ABREAST <= i; j += ABREAST) {
      scant_lanes s[ABREAST] = {{0}};
      for (size_t k = j; k < j + ABREAST - 1; k++) /* a row has no numbers past its diagonal */
        for (size_t q = 0; j + q <= k; q++) s[q] += row[k] * ROW(k)[j + q];
      for (size_t k = j + ABREAST - 1; k < i; k++)
        for (size_t q = 0; q < ABREAST; q++) s[q] += row[k] * ROW(k)[j + q];
      for (size_t q = 0; q < ABREAST; q++) a[j + q] = -d * s[q];
    }
    for (; j < i; j++) {
      scant_lanes s = {0};
      for (size_t k = j; k < i; k++) s += row[k] * ROW(k)[j];
      a[j] = -d * s;
    }
  }
}

/* W becomes W'W, in place: row j needs the rows from j on alone. */
SCANT_WIDEST static void square(size_t n, scant_lanes *matrix, scant_lanes *row) {
  for (size_t j = 0; j < n; j++) {
    size_t k = 0;
    for (; k + ABREAST <= j + 1; k += ABREAST) {
      scant_lanes s[ABREAST] = {{0}};
      for (size_t i = j; i < n; i++) {
        scant_lanes w = ROW(i)[j];
        for (size_t q = 0; q < ABREAST; q++) s[q] += w * ROW(i)[k + q];
      }
      for (size_t q = 0; q < ABREAST; q++) row[k + q] = s[q];
    }
    for (; k <= j; k++) {
      scant_lanes s = {0};
      for (size_t i = j; i < n; i++) s += ROW(i)[j] * ROW(i)[k];
      row[k] = s;
    }
    for (k = 0; k <= j; k++) ROW(j)[k] = row[k];
  }
}

/* a = A r into row, and r'a. */
SCANT_WIDEST static void multiply(size_t n, const scant_lanes *matrix, const scant_lanes *r, scant_lanes *row,
                                  scant_lanes *product) {
  *product = (scant_lanes){0};
  for (size_t i = 0; i < n; i++) {
    scant_lanes s = ROW(i)[i] * r[i];
    for (size_t j = 0; j < i; j++) s += ROW(i)[j] * r[j];
    for (size_t j = i + 1; j < n; j++) s += ROW(j)[i] * r[j];
    row[i] = s;
    *product += s * r[i];
  }
}

void scant_block_solve(size_t n, scant_lanes *matrix, scant_lanes *r, scant_lanes *row, scant_lanes *likelihood) {
  double log_diagonal[SCANT_LANES] = {0};
  factor(n, matrix, log_diagonal);
  invert(n, matrix, row);
  square(n, matrix, row);
  scant_lanes product;
  multiply(n, matrix, r, row, &product);
  for (size_t i = 0; i < n; i++) r[i] = row[i];
  for (int lane = 0; lane < SCANT_LANES; lane++) (*likelihood)[lane] = -0.5 * product[lane] - log_diagonal[lane];
}

void scant_block_gather(const scant_seen *seen, size_t example, const scant_normal *at, const double *factor, size_t n,
                        int lane, scant_lanes *to, scant_lanes *r, scant_lanes *raised) {
  size_t size = scant_seen_size(seen, example);
  const uint32_t *v = seen->variable + seen->first[example];
  const double *z = seen->value + seen->first[example];
  for (size_t i = 0; i < n; i++) {
    if (i < size) {
      const double *row = at->covariance + v[i] * at->n;
      for (size_t j = 0; j <= i; j++) to[j][lane] = row[v[j]];
      if (factor) {
        raised[i][lane] = to[i][lane] * (factor[v[i]] - 1);
        to[i][lane] *= factor[v[i]];
      }
      r[i][lane] = z[i] - at->mean[v[i]];
    } else { /* a lane with fewer */
      for (size_t j = 0; j < i; j++) to[j][lane] = 0;
      to[i][lane] = 1;
      r[i][lane] = 0;
      if (factor) raised[i][lane] = 0;
    }
    to += i + 1;
  }
}

/* r becomes L^-1 r. */
SCANT_WIDEST static void substitute(size_t n, const scant_lanes *matrix, scant_lanes *r) {
  for (size_t i = 0; i < n; i++) {
    scant_lanes s = r[i];
    for (size_t k = 0; k < i; k++) s -= ROW(i)[k] * r[k];
    r[i] = s * ROW(i)[i];
  }
}

/* row becomes L'^-1 row. */
SCANT_WIDEST static void substitute_back(size_t n, const scant_lanes *matrix, scant_lanes *row) {
  for (size_t i = n; i-- > 0;) {
    row[i] *= ROW(i)[i];
    for (size_t k = 0; k < i; k++) row[k] -= ROW(i)[k] * row[i];
  }
}

void scant_block_condition(size_t n, const size_t *sizes, scant_lanes *matrix, scant_lanes *r,
                           const scant_lanes *raised, scant_lanes *row, scant_conditioned *conditioned) {
  double log_diagonal[SCANT_LANES] = {0};
  factor(n, matrix, log_diagonal);
  substitute(n, matrix, r);
  for (int lane = 0; lane < SCANT_LANES; lane++) /* the last row of L gives the weights of those before */
    for (size_t k = 0; k < n; k++) row[k][lane] = k + 1 < sizes[lane] ? ROW(sizes[lane] - 1)[k][lane] : 0;
  substitute_back(n, matrix, row);
  for (int lane = 0; lane < SCANT_LANES; lane++) {
    size_t last = sizes[lane] - 1;
    double scale = ROW(last)[last][lane], said = 1 / (scale * scale); /* 1/L_ii is in its place */
    conditioned->variance[lane] = said;
    conditioned->error[lane] = r[last][lane] / scale;
    for (size_t k = 0; k < last; k++) said -= row[k][lane] * row[k][lane] * raised[k][lane];
    conditioned->expected[lane] = said;
  }
}
