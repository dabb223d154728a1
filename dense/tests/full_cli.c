/* Solves one problem for sklearn_check.py:
 *   full_cli ridge|lasso|svr FILE N D RADIUS [TUBE [REPEAT]]
 * FILE holds n * d doubles of x by rows, then n of y.  Prints one line of
 * "lambda value certificate constraint prepare_and_solve_seconds", then w, one
 * weight a line.  With REPEAT it solves anew for every line of its input and
 * answers each with that first line, so that timings can be interleaved. */
#include "full/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct answer {
  double lambda, value, certificate, constraint, seconds;
} answer;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scant_status certify(const char *kind, const scant_dense *p, double radius, double tube, const double *w,
                            const double *beta, answer *a, scant_error *error) {
  scant_kkt kkt = {0};
  scant_gap gap = {0};
  scant_status status;
  if (strcmp(kind, "svr") == 0) {
    status = scant_svr_certificate(p, tube, radius, w, beta, &gap, error);
    a->value = gap.primal;
    a->certificate = gap.gap;
    a->constraint = gap.constraint;
    return status;
  }
  status = kind[0] == 'r' ? scant_ridge_certificate(p, radius, w, a->lambda, &kkt, error)
                          : scant_lasso_certificate(p, radius, w, a->lambda, &kkt, error);
  a->value = kkt.value;
  a->certificate = kkt.kkt;
  a->constraint = kkt.constraint;
  return status;
}

static scant_status solve(const char *kind, const scant_dense *p, double radius, double tube, double *w, double *beta,
                          answer *a, scant_error *error) {
  double start = now();
  scant_status status;
  if (strcmp(kind, "ridge") == 0) {
    scant_ridge *ridge;
    status = scant_ridge_new(&ridge, p, error);
    if (status == SCANT_OK) status = scant_ridge_solve(ridge, radius, w, &a->lambda, error);
    scant_ridge_free(ridge);
  } else if (strcmp(kind, "lasso") == 0) {
    scant_lasso *lasso;
    status = scant_lasso_new(&lasso, p, error);
    if (status == SCANT_OK) status = scant_lasso_solve(lasso, radius, w, &a->lambda, error);
    scant_lasso_free(lasso);
  } else {
    status = scant_svr_solve(p, tube, radius, w, beta, &a->lambda, error);
  }
  a->seconds = now() - start;
  return status == SCANT_OK ? certify(kind, p, radius, tube, w, beta, a, error) : status;
}

static int answer_print(const char *kind, const scant_dense *p, double radius, double tube, double *w, double *beta) {
  scant_error error;
  answer a = {0};
  if (solve(kind, p, radius, tube, w, beta, &a, &error) != SCANT_OK) {
    fprintf(stderr, "full_cli: %s\n", error.text);
    return 1;
  }
  printf("%.17g %.17g %.17g %.17g %.6f\n", a.lambda, a.value, a.certificate, a.constraint, a.seconds);
  return fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc < 6) return 64;
  scant_dense p = {.n = strtoul(argv[3], NULL, 10), .d = strtoul(argv[4], NULL, 10)};
  double radius = strtod(argv[5], NULL), tube = argc > 6 ? strtod(argv[6], NULL) : 0;
  size_t count = p.n * p.d + p.n;
  double *data = malloc(count * sizeof *data), *w = malloc((p.d + p.n) * sizeof *w);
  FILE *file = fopen(argv[2], "rb");
  int failed = !data || !w || !file || fread(data, sizeof *data, count, file) != count;
  if (file) fclose(file);
  if (!failed) {
    p.x = data;
    p.y = data + p.n * p.d;
    char line[16];
    if (argc > 7)
      while (!failed && fgets(line, sizeof line, stdin)) failed = answer_print(argv[1], &p, radius, tube, w, w + p.d);
    else
      failed = answer_print(argv[1], &p, radius, tube, w, w + p.d);
    for (size_t j = 0; !failed && argc <= 7 && j < p.d; j++) printf("%.17g\n", w[j]);
  }
  free(data);
  free(w);
  return failed ? 1 : 0;
}
