/* A table with common factors, cut into blocks: its rows, and sums of what is bought of them. */
#ifndef SCANT_TESTS_TABLE_OF_BLOCKS_H
#define SCANT_TESTS_TABLE_OF_BLOCKS_H

#include "gaussians.h"
#include "scant_sums.h"
#include "support.h"

enum { TABLE_MOST = 64, TABLE_FACTORS = 3 };

typedef struct {
  size_t d, rows; /* rows of a block */
  double load[TABLE_MOST][TABLE_FACTORS], own[TABLE_MOST], w[TABLE_MOST];
  double unit[TABLE_MOST], center[TABLE_MOST]; /* of x as it comes */
  double noise;                                /* its standard deviation; the rest of y has about 1 */
  uint64_t seed;
} blocks_table;

/* A fifth of the attributes has weights. */
static inline blocks_table table_new(size_t d, size_t rows, double noise, uint64_t seed) {
  blocks_table t = {.d = d, .rows = rows, .noise = noise, .seed = seed};
  uint64_t state = 1000 + seed;
  for (size_t j = 0; j < d; j++) {
    double share = 0.3 + 0.3 * random_real(&state), norm = 0;
    for (size_t k = 0; k < TABLE_FACTORS; k++) t.load[j][k] = random_normal(&state);
    for (size_t k = 0; k < TABLE_FACTORS; k++) norm += t.load[j][k] * t.load[j][k];
    for (size_t k = 0; k < TABLE_FACTORS; k++) t.load[j][k] *= sqrt(share / norm);
    t.own[j] = sqrt(1 - share);
    t.unit[j] = exp(2 * random_real(&state));
    t.center[j] = 5 * random_normal(&state);
    t.w[j] = j % 5 ? 0 : random_normal(&state) / sqrt((double)d / 5);
  }
  return t;
}

/* Row r of a block: its attributes as they come, and the target. */
static inline double table_row(const blocks_table *t, uint64_t block, size_t r, double *x) {
  uint64_t state = (t->seed * 4099 + block) * 65537 + r;
  double f[TABLE_FACTORS], y = 3;
  for (int i = 0; i < 4; i++) random_real(&state);
  for (size_t k = 0; k < TABLE_FACTORS; k++) f[k] = random_normal(&state);
  y += t->noise * random_normal(&state);
  for (size_t j = 0; j < t->d; j++) {
    double z = t->own[j] * random_normal(&state);
    for (size_t k = 0; k < TABLE_FACTORS; k++) z += t->load[j][k] * f[k];
    y += t->w[j] * z;
    x[j] = t->center[j] + t->unit[j] * z;
  }
  return y;
}

/* The mean squared error of a regressor, exactly. */
static inline double table_risk(const blocks_table *t, const double *w, double intercept) {
  double sum[TABLE_FACTORS] = {0}, risk = t->noise * t->noise, mean = intercept - 3;
  for (size_t j = 0; j < t->d; j++) {
    double a = w[j] * t->unit[j] - t->w[j];
    for (size_t k = 0; k < TABLE_FACTORS; k++) sum[k] += a * t->load[j][k];
    risk += a * a * t->own[j] * t->own[j];
    mean += w[j] * t->center[j];
  }
  for (size_t k = 0; k < TABLE_FACTORS; k++) risk += sum[k] * sum[k];
  return risk + mean * mean;
}

static inline double table_variance(const blocks_table *t) {
  double zero[TABLE_MOST] = {0};
  return table_risk(t, zero, 3);
}

/* Buys k attributes of a block by a law. */
static inline void table_buy(const blocks_table *t, scant_sums *sums, uint64_t block, uint64_t k, const double *follow,
                             const double *explore) {
  uint32_t look[TABLE_MOST];
  size_t count;
  double *values = malloc((k + 1) * t->rows * sizeof *values), *y = values + k * t->rows, x[TABLE_MOST];
  CHECK(scant_block_look(t->d, k, t->seed, block, follow, explore, look, &count, NULL) == SCANT_OK);
  for (size_t r = 0; r < t->rows; r++) {
    y[r] = table_row(t, block, r, x);
    for (size_t c = 0; c < count; c++) values[c * t->rows + r] = x[look[c]];
  }
  CHECK(scant_sums_add(sums, block, t->rows, count, look, values, y, NULL, NULL, NULL) == SCANT_OK);
  free(values);
}

/* Sums of blocks first .. after - 1. */
static inline scant_sums *table_sums(const blocks_table *t, uint64_t first, uint64_t after, uint64_t k) {
  scant_sums *sums = NULL;
  CHECK(scant_sums_new(&sums, t->d, NULL) == SCANT_OK);
  for (uint64_t b = first; b < after; b++) table_buy(t, sums, b, k, NULL, NULL);
  return sums;
}

#endif
