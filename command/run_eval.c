/* scant eval */
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "scores.h"

/* ---- predictions from a few attributes ------------------------------------ */

/* What -k and --interval print. */
typedef struct {
  const scant_known_scores *curve; /* k + 1 of them */
  uint64_t k;                      /* 0: all known values were used */
  double interval;                 /* 0: not asked for */
  const scant_ledger *ledger;
  size_t dimension;
  int priced, log_target;
} report;

static void put_known(json *out, const report *r, const scant_known_scores *s) {
  json_real(out, "variance", s->variance);
  if (!(r->interval > 0)) return;
  json_real(out, "coverage", s->coverage);
  json_real(out, "width", s->width);
}

/* The scores after k purchases. */
static void put_point(json *out, const report *r, uint64_t k) {
  const scant_known_scores *s = &r->curve[k];
  json_open(out, NULL, '{');
  json_count(out, "k", k);
  json_real(out, "bought", s->bought);
  if (r->priced) json_real(out, "money", s->money / 100);
  json_real(out, "squared_error", s->scores.squared_error);
  json_real(out, "absolute_error", s->scores.absolute_error);
  json_real(out, "r2", s->scores.r2);
  json_real(out, "accuracy", s->scores.accuracy);
  put_known(out, r, s);
  json_close(out);
}

static void put_curve(json *out, const report *r) {
  const scant_ledger *l = r->ledger;
  json_count(out, "k", r->k);
  json_count(out, "attributes_bought", l->attributes_bought);
  json_count(out, "max_bought_per_example", l->max_bought_per_example);
  json_count(out, "missing_cells", l->missing_cells);
  if (r->priced) json_money(out, "money_spent", l->money_spent);
  json_open(out, "curve", '[');
  for (uint64_t k = 0; k <= r->k; k++) put_point(out, r, k);
  json_close(out);
}

static scant_status print_report_json(const report *r, scant_error *error) {
  json out = {0};
  json_open(&out, NULL, '{');
  scores_put(&out, &r->curve[r->k].scores, 1, r->log_target);
  if (r->interval > 0) json_real(&out, "interval", r->interval);
  put_known(&out, r, &r->curve[r->k]);
  if (r->k) put_curve(&out, r);
  json_close(&out);
  return json_print(&out, error);
}

/* The table has a line for each k up to 16, then for the powers of two, and for the last k. */
static int is_printed(uint64_t k, uint64_t last) {
  return k <= 16 || k == last || (k & (k - 1)) == 0;
}

static void print_report(const report *r) {
  const scant_known_scores *s = &r->curve[r->k];
  scores_print(&s->scores, r->log_target);
  printf("variance        %.6g\n", s->variance);
  if (r->interval > 0) {
    printf("coverage        %.4f of the intervals of %.6g\n", s->coverage, r->interval);
    printf("mean width      %.6g\n", s->width);
  }
  if (!r->k) return;
  printf("\n");
  few_print_ledger(stdout, r->ledger, (size_t)s->scores.examples, r->dimension, r->priced);
  printf("\n%8s %14s %14s", "k", "squared error", "variance");
  if (r->interval > 0) printf(" %10s %14s", "coverage", "mean width");
  if (r->priced) printf(" %12s", "money");
  printf("\n");
  for (uint64_t k = 0; k <= r->k; k++) {
    s = &r->curve[k];
    if (!is_printed(k, r->k)) continue;
    printf("%8llu %14.6g %14.6g", (unsigned long long)k, s->scores.squared_error, s->variance);
    if (r->interval > 0) printf(" %10.4f %14.6g", s->coverage, s->width);
    if (r->priced) printf(" %12.2f", s->money / 100);
    printf("\n");
  }
}

static scant_status evaluate_known(const arguments *a, const scant_model *model, scant_source *source,
                                   scant_ledger *ledger, scant_error *error) {
  uint64_t k = a->own.k <= scant_model_dimension(model) ? a->own.k : 0; /* a larger k is refused below */
  scant_known_scores *curve = malloc((size_t)(k + 1) * sizeof *curve);
  scant_prices *own = NULL;
  const scant_prices *prices = NULL;
  scant_status status = SCANT_MEMORY;
  if (curve)
    status = few_prices(a, model, source, &own, &prices, error);
  else
    strcpy(error->text, "out of memory");
  if (status == SCANT_OK)
    status = a->own.k ? scant_model_evaluate_few(model, source, a->own.k, prices, a->own.interval, curve, ledger, error)
                      : scant_model_evaluate_known(model, source, a->own.interval, curve, error);
  if (status == SCANT_OK) {
    report r = {curve,
                k,
                a->own.interval,
                ledger,
                scant_model_dimension(model),
                prices != NULL,
                a->settings.reading.log_target};
    if (a->own.json)
      status = print_report_json(&r, error);
    else
      print_report(&r);
  }
  scant_prices_free(own);
  free(curve);
  return status;
}

/* ---- predictions from all attributes ----------------------------------------- */

static scant_status evaluate(const arguments *a, const scant_model *model, scant_source *source, scant_error *error) {
  scant_scores scores;
  scant_status status = scant_model_evaluate(model, source, NULL, 0, &scores, error);
  if (status != SCANT_OK) return status;
  if (!a->own.json) {
    scores_print(&scores, a->settings.reading.log_target);
    return SCANT_OK;
  }
  json out = {0};
  json_open(&out, NULL, '{');
  scores_put(&out, &scores, 1, a->settings.reading.log_target);
  json_close(&out);
  return json_print(&out, error);
}

int run_eval(arguments *a) {
  scant_error error;
  scant_model *model = NULL;
  scant_source *source = NULL;
  few_bought bought = {0};
  int code = few_check(a);
  if (code != EXIT_DONE) return code;
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = check_log_target(&a->settings, model, &error);
  if (status == SCANT_OK) status = few_check_model(a, model, &error);
  if (status == SCANT_OK) {
    data_settings_for(&a->settings, model);
    status = scant_source_open(&source, a->operands[1], &a->settings, SCANT_TARGET_REQUIRED, &error);
  }
  if (status == SCANT_OK) status = scant_model_bind(model, source, &error);
  if (status == SCANT_OK) print_note(source, SCANT_NOTE_ABSENT);
  if (status == SCANT_OK && few_has_rules(a))
    status = evaluate_bought(a, model, source, &bought, &error);
  else if (status == SCANT_OK)
    status = a->own.k || a->own.interval > 0 ? evaluate_known(a, model, source, &bought.ledger, &error)
                                             : evaluate(a, model, source, &error);
  if (status == SCANT_OK) print_note(source, SCANT_NOTE_UNLISTED);
  code = status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
  if (status != SCANT_OK) print_bought(&bought.ledger);
  scant_source_free(source);
  scant_model_free(model);
  return code;
}
