/* Blocks of made-up examples, and sums of them. */
#ifndef SCANT_TESTS_BLOCKS_H
#define SCANT_TESTS_BLOCKS_H

#include "sums/sums.h"
#include "gaussians.h"
#include "support.h"

enum { BLOCKS_D = 9 }; /* attributes */

typedef enum { WHOLE, FEW_HOLES, MANY_HOLES } holes;

typedef struct {
  uint64_t number;
  size_t rows, count;
  uint32_t attributes[BLOCKS_D]; /* in any order */
  double *values, *y;
} made_block;

static inline double block_value(const made_block *b, size_t c, size_t r) {
  return b->values[c * b->rows + r];
}

/* Attributes are far from 0, in units of their own, and follow one hidden cause; attribute 4 is rarely active, and 7
 * never. */
static inline double made_up(uint32_t attribute, double cause, uint64_t *seed) {
  double noise = random_normal(seed);
  if (attribute == 4) return random_real(seed) < -0.8 ? 3 + noise : 0;
  if (attribute == 7) return 0.1;
  return 100 * (double)attribute + pow(2, (double)attribute - 3) * ((attribute % 2 ? 1 : -0.5) * cause + noise);
}

static inline made_block block_new(uint64_t number, size_t rows, size_t count, holes kind, uint64_t seed) {
  made_block b = {.number = number, .rows = rows, .count = count};
  b.values = calloc(rows * count + 1, sizeof *b.values);
  b.y = calloc(rows + 1, sizeof *b.y);
  for (uint32_t c = 0; c < BLOCKS_D; c++) b.attributes[c] = c;
  for (size_t c = BLOCKS_D; c-- > 1;) {
    size_t other = random_below(&seed, c + 1);
    uint32_t kept = b.attributes[c];
    b.attributes[c] = b.attributes[other];
    b.attributes[other] = kept;
  }
  for (size_t r = 0; r < rows; r++) {
    double cause = random_normal(&seed);
    b.y[r] = -5 + 2 * cause + random_normal(&seed);
    for (size_t c = 0; c < count; c++) {
      b.values[c * rows + r] = made_up(b.attributes[c], cause, &seed);
      int hole =
          kind == FEW_HOLES ? c < 2 && random_below(&seed, 3) == 0 : kind == MANY_HOLES && random_below(&seed, 4) == 0;
      if (hole) b.values[c * rows + r] = NAN;
    }
  }
  return b;
}

static inline void block_free(made_block *b) {
  free(b->values);
  free(b->y);
}

static inline scant_sums *sums_new(void) {
  scant_sums *s = NULL;
  CHECK(scant_sums_new(&s, BLOCKS_D, NULL) == SCANT_OK);
  return s;
}

static inline scant_status sums_add(scant_sums *s, const made_block *b, const double *low, const double *high,
                                    scant_error *e) {
  return scant_sums_add(s, b->number, b->rows, b->count, b->attributes, b->values, b->y, low, high, e);
}

/* Sums of these blocks. */
static inline scant_sums *sums_of(const made_block *blocks, size_t count, const double *low, const double *high) {
  scant_sums *s = sums_new();
  scant_error e;
  for (size_t i = 0; i < count; i++)
    if (!CHECK(sums_add(s, &blocks[i], low, high, &e) == SCANT_OK)) printf("#   %s\n", e.text);
  return s;
}

/* Blocks with numbers 3, 6, 9, ... of several shapes; every third has holes. */
static inline void blocks_new(made_block *blocks, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++) {
    size_t rows = 1 + random_below(&seed, 40), bought = random_below(&seed, BLOCKS_D + 1);
    holes kind = i % 3 == 0 ? FEW_HOLES : i % 3 == 1 ? MANY_HOLES : WHOLE;
    blocks[i] = block_new(3 * (i + 1), rows, bought, kind, seed + i);
  }
}

static inline void blocks_free(made_block *blocks, size_t count) {
  for (size_t i = 0; i < count; i++) block_free(&blocks[i]);
}

static inline int same_bytes(const scant_sums *a, const scant_sums *b) {
  unsigned char *x = NULL, *y = NULL;
  size_t m = 0, n = 0;
  CHECK(scant_sums_save(a, &x, &m, NULL) == SCANT_OK && scant_sums_save(b, &y, &n, NULL) == SCANT_OK);
  int same = m == n && !memcmp(x, y, m);
  scant_bytes_free(x);
  scant_bytes_free(y);
  return same;
}

#endif
