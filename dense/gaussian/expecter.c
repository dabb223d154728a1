#include "gaussian/expecter.h"

static scant_status expect(void *user, const scant_normal *at, scant_em_sums *expected, scant_error *error) {
  scant_rows *rows = user;
  (void)error;
  expected->likelihood = scant_expect(rows->expectation, rows->seen, at);
  expected->m = scant_expectation_m(rows->expectation);
  expected->g = scant_expectation_g(rows->expectation);
  return SCANT_OK;
}

static scant_status own(void *user, const scant_normal *at, const double *factor, double penalty, scant_own *measured,
                        scant_error *error) {
  const scant_rows *rows = user;
  return scant_own_measure(rows->seen, at, factor, penalty, measured, error);
}

static int begin(void *user, unsigned threads) {
  scant_rows *rows = user;
  return scant_expectation_new(&rows->expectation, rows->seen, threads);
}

static void end(void *user) {
  scant_rows *rows = user;
  scant_expectation_free(rows->expectation);
  rows->expectation = NULL;
}

scant_expecter scant_rows_expecter(scant_rows *rows) {
  return (scant_expecter){rows->seen->variables, (double)rows->seen->examples, rows, expect, own, begin, end};
}
