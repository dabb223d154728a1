#include "model_report.h"

#include <math.h>
#include <stdio.h>

int errors_is_away(const scant_model *model, size_t attribute, double level) {
  const double *errors = scant_model_errors(model);
  double reach = errors ? scant_model_error_quantile(model, level) * errors[attribute] : NAN;
  return fabs(scant_model_weights(model)[attribute]) > reach;
}

/* Which weights are penalised, so that their bias is not in their errors? */
typedef enum { NONE, SOME, ALL } shrunk;

static shrunk find_shrunk(const scant_model *model) {
  int penalised = 0, plain = 0;
  for (size_t i = 0; i < scant_model_dimension(model); i++) {
    plain |= scant_model_is_unpenalised(model, i);
    penalised |= !scant_model_is_unpenalised(model, i) && scant_model_weights(model)[i] != 0;
  }
  return !penalised ? NONE : plain ? SOME : ALL;
}

/* How weights are not shrunk. */
static const char *remedy(const scant_model *model) {
  int can = find_shrunk(model) == ALL && scant_model_is_gaussian(model);
  return can ? " (--errors-of leaves weights as they are)" : "";
}

static void print_notes(const scant_model *model, const char *before) {
  scant_error sentence;
  for (int note = 0; note < SCANT_MODEL_NOTES; note++)
    if (scant_model_say(model, (scant_model_note)note, &sentence))
      printf("%snote: %s%s\n", before, sentence.text, note == SCANT_MODEL_SHRUNK ? remedy(model) : "");
}

void errors_print(const scant_model *model) {
  size_t d = scant_model_dimension(model), away = 0;
  if (!scant_model_errors(model)) return;
  for (size_t i = 0; i < d; i++) away += (size_t)errors_is_away(model, i, ERRORS_LEVEL);
  printf("errors: %zu of %zu weights have a 90%% interval without 0\n", away, d);
  print_notes(model, "");
}

void errors_print_title(const scant_model *model, double level) {
  char from[24];
  snprintf(from, sizeof from, "%.6g%% from", 100 * level);
  if (scant_model_errors(model)) printf(" %12s %12s %12s   ", "error", from, "to");
}

void errors_print_weight(const scant_model *model, size_t attribute, double level) {
  const double *errors = scant_model_errors(model);
  if (!errors) return;
  double w = scant_model_weights(model)[attribute], e = errors[attribute];
  double reach = scant_model_error_quantile(model, level) * e;
  char mark = scant_model_is_unpenalised(model, attribute) && find_shrunk(model) == SOME ? 'u' : ' ';
  if (isnan(e))
    printf(" %12s %12s %12s 0%c", "-", "-", "-", mark);
  else
    printf(" %12.5g %12.5g %12.5g %c%c", e, w - reach, w + reach, errors_is_away(model, attribute, level) ? ' ' : '0',
           mark);
}

void errors_print_notes(const scant_model *model) {
  if (!scant_model_errors(model)) return;
  printf("  0: the interval holds 0%s\n", find_shrunk(model) == SOME ? "; u: the weight is unpenalised" : "");
  if (isfinite(scant_model_risk(model))) {
    printf("  risk %.5g", scant_model_risk(model));
    if (isfinite(scant_model_risk_error(model))) printf(" +- %.3g", scant_model_risk_error(model));
    printf("\n");
  }
  print_notes(model, "  ");
}

void errors_put(scant_json_writer *out, const scant_model *model) {
  scant_error sentence;
  uint64_t pairs, rare;
  if (!scant_model_errors(model)) return;
  scant_model_pairs(model, &pairs, &rare);
  scant_json_open(out, "errors", '{');
  scant_json_count(out, "groups", SCANT_ERROR_GROUPS);
  scant_json_real(out, "quantile_90", scant_model_error_quantile(model, ERRORS_LEVEL));
  scant_json_count(out, "pairs", pairs);
  scant_json_count(out, "rare_pairs", rare);
  scant_json_text(out, "bias", scant_model_say(model, SCANT_MODEL_SHRUNK, &sentence) ? sentence.text : NULL);
  scant_json_text(out, "warning", scant_model_say(model, SCANT_MODEL_RARE_PAIRS, &sentence) ? sentence.text : NULL);
  scant_json_close(out);
}

/* ---- scores ------------------------------------------------------------------- */

void scores_put(scant_json_writer *out, const scant_scores *s, int with_r2, int log_target) {
  scant_json_count(out, "examples", s->examples);
  if (log_target) scant_json_flag(out, "log_target", 1);
  scant_json_real(out, "squared_error", s->squared_error);
  scant_json_real(out, "absolute_error", s->absolute_error);
  if (with_r2) scant_json_real(out, "r2", s->r2);
  if (with_r2 || isfinite(s->accuracy)) scant_json_real(out, "accuracy", s->accuracy);
}

void scores_print(const scant_scores *s, int log_target) {
  printf("examples        %llu\n", (unsigned long long)s->examples);
  if (log_target) printf("errors are of   log(1 + y)\n");
  printf("squared error   %.6g\n", s->squared_error);
  printf("absolute error  %.6g\n", s->absolute_error);
  if (isfinite(s->r2)) printf("R^2             %.4f\n", s->r2);
  if (isfinite(s->accuracy)) printf("accuracy        %.4f\n", s->accuracy);
}
