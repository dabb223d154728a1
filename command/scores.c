#include "scores.h"

#include <math.h>
#include <stdio.h>

void scores_put(json *out, const scant_scores *s, int with_r2, int log_target) {
  json_count(out, "examples", s->examples);
  if (log_target) json_flag(out, "log_target", 1);
  json_real(out, "squared_error", s->squared_error);
  json_real(out, "absolute_error", s->absolute_error);
  if (with_r2) json_real(out, "r2", s->r2);
  if (with_r2 || isfinite(s->accuracy)) json_real(out, "accuracy", s->accuracy);
}

void scores_print(const scant_scores *s, int log_target) {
  printf("examples        %llu\n", (unsigned long long)s->examples);
  if (log_target) printf("errors are of   log(1 + y)\n");
  printf("squared error   %.6g\n", s->squared_error);
  printf("absolute error  %.6g\n", s->absolute_error);
  if (isfinite(s->r2)) printf("R^2             %.4f\n", s->r2);
  if (isfinite(s->accuracy)) printf("accuracy        %.4f\n", s->accuracy);
}
