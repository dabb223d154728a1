/* Tables in memory of any shape beside the same cells as doubles: values, digest
 * and fits must not differ in a bit. */
#ifndef SCANT_TESTS_TABLES_H
#define SCANT_TESTS_TABLES_H

#include "data/source.h"
#include "fits.h"

/* The largest table here; rows follow each other in `dense`. */
enum { TABLES_MOST = 64 };

static inline int same_value(double a, double b) {
  return (isnan(a) && isnan(b)) || bits_of(a) == bits_of(b);
}

/* Reads random attributes of random rows, some of them twice, and every row. */
static inline void check_reads(scant_source *source, const double *dense, uint64_t seed) {
  size_t rows = scant_source_rows(source), d = scant_source_dimension(source), differ = 0;
  uint32_t attributes[TABLES_MOST];
  double values[TABLES_MOST];
  scant_error failure = {""};
  CHECK(d <= TABLES_MOST);
  for (int turn = 0; turn < 500; turn++) {
    size_t row = random_below(&seed, rows), count = random_below(&seed, d + 1);
    for (size_t i = 0; i < count; i++) attributes[i] = (uint32_t)random_below(&seed, d);
    scant_source_expect(source, row, count, attributes);
    if (!CHECK(scant_source_read(source, row, count, attributes, values, &failure) == SCANT_OK))
      printf("#   %s\n", failure.text);
    for (size_t i = 0; i < count; i++) differ += !same_value(values[i], dense[row * d + attributes[i]]);
  }
  for (size_t row = 0; row < rows; row++) {
    CHECK(scant_source_row(source, row, values, &failure) == SCANT_OK);
    for (size_t i = 0; i < d; i++) differ += !same_value(values[i], dense[row * d + i]);
  }
  CHECK(differ == 0);
}

/* The file of the model that a fit makes; the caller frees it. */
static inline char *listed_text(scant_source *source, const char *list) {
  scant_settings settings = settings_from(list);
  return fitted_text(&settings, source);
}

static inline void check_same_fit(scant_source *a, scant_source *b, const char *list) {
  char *one = listed_text(a, list), *two = listed_text(b, list);
  CHECK(one && two && !strcmp(one, two));
  free(one);
  free(two);
}

/* The same cells as doubles, with the same names. */
static inline scant_source *dense_source(const scant_source *source, const double *dense, const double *y) {
  size_t rows = scant_source_rows(source), d = scant_source_dimension(source);
  const char *names[TABLES_MOST];
  scant_source *plain = NULL;
  for (size_t i = 0; i < d; i++) names[i] = scant_source_name(source, i);
  CHECK(scant_source_wrap(&plain, SCANT_FLOAT64, dense, rows, d, (ptrdiff_t)(d * sizeof *dense), sizeof *dense, y,
                          NULL) == SCANT_OK);
  if (names[0]) CHECK(scant_source_set_names(plain, names, scant_source_target_name(source), NULL) == SCANT_OK);
  return plain;
}

static inline void check_same_table(scant_source *source, const double *dense, const double *y) {
  uint64_t one = 0, two = 1;
  scant_source *plain = dense_source(source, dense, y);
  check_reads(source, dense, 7);
  check_reads(plain, dense, 7);
  CHECK(scant_source_digest(source, &one, NULL) == SCANT_OK && scant_source_digest(plain, &two, NULL) == SCANT_OK);
  CHECK(one == two);
  CHECK(scant_source_bytes_read(source) == 0);
  check_same_fit(source, plain, "algorithm=auto k=4 seed=5");
  check_same_fit(source, plain, "algorithm=aerr k=6 passes=2 seed=9 missing=skip-cell x-bound=300");
  scant_source_free(plain);
}

/* A source must not be made, with this status and these words. */
#define NOT_MADE(call, wanted, words)                               \
  do {                                                              \
    scant_source *const untouched = (scant_source *)(void *)&error; \
    scant_source *made = untouched;                                 \
    error.text[0] = 0;                                              \
    CHECK((call) == (wanted) && made == untouched);                 \
    CHECK_SAYS(error.text, words);                                  \
  } while (0)

#endif
