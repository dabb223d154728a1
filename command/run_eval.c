/* scant eval */
#include <stdlib.h>

#include "front/command.h"
#include "model_report.h"

/* ---- what all predictions from some attributes have ---- */

static void put_known(scant_json_writer *out, double level, const scant_known_scores *s) {
  scant_json_real(out, "variance", s->variance);
  if (level > 0) scant_json_real(out, "coverage", s->coverage);
  if (level > 0) scant_json_real(out, "width", s->width);
}

static void print_known(double level, const scant_known_scores *s) {
  printf("variance        %.6g\n", s->variance);
  if (!(level > 0)) return;
  printf("coverage        %.4f of the intervals of %.6g\n", s->coverage, level);
  printf("mean width      %.6g\n", s->width);
}

/* ---- with rules that stop the buying: scores, and what stopped the examples  */

typedef struct {
  const scant_bought_scores *scores;
  const few_bought *bought;
  double level;
  size_t dimension;
  int log_target;
} bought_report;

static void put_verdicts(scant_json_writer *out, const bought_report *r) {
  scant_json_open(out, "stopped", '[');
  for (int v = 0; v < SCANT_VERDICTS; v++) {
    const scant_verdict_scores *s = &r->scores->by[v];
    double n = (double)s->examples;
    if (!s->examples) continue;
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "by", scant_verdict_name((scant_verdict)v));
    scant_json_count(out, "examples", s->examples);
    scant_json_real(out, "share", n / (double)r->scores->all.scores.examples);
    scant_json_real(out, "bought", (double)s->items / n);
    if (r->bought->priced) scant_json_real(out, "money", (double)s->money / 100 / n);
    if (r->level > 0) scant_json_real(out, "coverage", (double)s->covered / n);
    if (r->scores->two_valued) scant_json_real(out, "right", (double)s->right / n);
    scant_json_close(out);
  }
  scant_json_close(out);
}

static scant_status print_bought_json(const bought_report *r, scant_error *error) {
  const scant_bought_scores *s = r->scores;
  scant_json_writer out = document_begin();
  scores_put(&out, &s->all.scores, 1, r->log_target);
  if (r->level > 0) scant_json_real(&out, "interval", r->level);
  put_known(&out, r->level, &s->all);
  if (s->two_valued) scant_json_real(&out, "right", s->right);
  if (s->two_valued) scant_json_real(&out, "probability", s->sure);
  scant_json_real(&out, "bought", s->all.bought);
  if (r->bought->priced) scant_json_real(&out, "money", s->all.money / 100);
  few_put_ledger(&out, &r->bought->ledger, r->bought->priced);
  put_verdicts(&out, r);
  return document_print(&out, SCANT_OK, error);
}

static void print_line(const bought_report *r, const char *name, const scant_verdict_scores *s) {
  double n = (double)s->examples;
  printf("%-10s %9llu %8.4f %8.4g", name, (unsigned long long)s->examples, n / (double)r->scores->all.scores.examples,
         (double)s->items / n);
  if (r->bought->priced) printf(" %10.2f", (double)s->money / 100 / n);
  if (r->level > 0) printf(" %9.4f", (double)s->covered / n);
  if (r->scores->two_valued) printf(" %8.4f", (double)s->right / n);
  printf("\n");
}

static void print_bought_table(const bought_report *r) {
  const scant_bought_scores *s = r->scores;
  scant_verdict_scores all = {0};
  scores_print(&s->all.scores, r->log_target);
  print_known(r->level, &s->all);
  if (s->two_valued) printf("right           %.4f, and %.4f expected\n", s->right, s->sure);
  printf("\n");
  few_print_items(stdout, r->bought, (size_t)s->all.scores.examples, r->dimension);
  printf("\n%-10s %9s %8s %8s", "stopped by", "examples", "share", "bought");
  if (r->bought->priced) printf(" %10s", "money");
  if (r->level > 0) printf(" %9s", "coverage");
  if (s->two_valued) printf(" %8s", "right");
  printf("\n");
  for (int v = 0; v < SCANT_VERDICTS; v++) {
    const scant_verdict_scores *by = &s->by[v];
    if (by->examples) print_line(r, scant_verdict_name((scant_verdict)v), by);
    all.examples += by->examples;
    all.covered += by->covered;
    all.right += by->right;
    all.items += by->items;
    all.money += by->money;
  }
  print_line(r, "all", &all);
}

static scant_status evaluate_bought(const arguments *a, const scant_model *model, scant_source *source,
                                    few_bought *bought, scant_error *error) {
  few_terms terms;
  scant_bought_scores scores;
  scant_status status = few_begin(a, model, source, &terms, error);
  bought->priced = terms.prices != NULL;
  if (status == SCANT_OK)
    status = scant_model_evaluate_bought(model, source, &terms.buying, &scores, &bought->ledger, error);
  if (status == SCANT_OK) {
    bought_report r = {&scores, bought, terms.buying.level, scant_model_dimension(model),
                       a->settings.reading.log_target};
    if (a->own.json)
      status = print_bought_json(&r, error);
    else
      print_bought_table(&r);
  }
  few_end(&terms);
  return status;
}

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

/* The scores after k purchases. */
static void put_point(scant_json_writer *out, const report *r, uint64_t k) {
  const scant_known_scores *s = &r->curve[k];
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "k", k);
  scant_json_real(out, "bought", s->bought);
  if (r->priced) scant_json_real(out, "money", s->money / 100);
  scant_json_real(out, "squared_error", s->scores.squared_error);
  scant_json_real(out, "absolute_error", s->scores.absolute_error);
  scant_json_real(out, "r2", s->scores.r2);
  scant_json_real(out, "accuracy", s->scores.accuracy);
  put_known(out, r->interval, s);
  scant_json_close(out);
}

static void put_curve(scant_json_writer *out, const report *r) {
  scant_json_count(out, "k", r->k);
  few_put_ledger(out, r->ledger, r->priced);
  scant_json_open(out, "curve", '[');
  for (uint64_t k = 0; k <= r->k; k++) put_point(out, r, k);
  scant_json_close(out);
}

static scant_status print_report_json(const report *r, scant_error *error) {
  scant_json_writer out = document_begin();
  scores_put(&out, &r->curve[r->k].scores, 1, r->log_target);
  if (r->interval > 0) scant_json_real(&out, "interval", r->interval);
  put_known(&out, r->interval, &r->curve[r->k]);
  if (r->k) put_curve(&out, r);
  return document_print(&out, SCANT_OK, error);
}

/* The table has a line for each k up to 16, then for the powers of two, and for the last k. */
static int is_printed(uint64_t k, uint64_t last) {
  return k <= 16 || k == last || (k & (k - 1)) == 0;
}

static void print_report(const report *r) {
  const scant_known_scores *s = &r->curve[r->k];
  scores_print(&s->scores, r->log_target);
  print_known(r->interval, s);
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
  few_terms terms = {0};
  scant_status status = curve ? few_begin(a, model, source, &terms, error) : scant_fail_memory(error);
  if (status == SCANT_OK)
    status = a->own.k ? scant_model_evaluate_few(model, source, a->own.k, terms.prices, a->own.interval, curve, ledger,
                                                 error)
                      : scant_model_evaluate_known(model, source, a->own.interval, curve, error);
  if (status == SCANT_OK) {
    report r = {curve,
                k,
                a->own.interval,
                ledger,
                scant_model_dimension(model),
                terms.prices != NULL,
                a->settings.reading.log_target};
    if (a->own.json)
      status = print_report_json(&r, error);
    else
      print_report(&r);
  }
  few_end(&terms);
  free(curve);
  return status;
}

/* ---- predictions from all attributes ----------------------------------------- */

static scant_status evaluate(const arguments *a, const scant_model *model, scant_source *source, scant_error *error) {
  scant_scores scores;
  SCANT_TRY(scant_model_evaluate(model, source, NULL, 0, &scores, error));
  if (!a->own.json) {
    scores_print(&scores, a->settings.reading.log_target);
    return SCANT_OK;
  }
  scant_json_writer out = document_begin();
  scores_put(&out, &scores, 1, a->settings.reading.log_target);
  return document_print(&out, SCANT_OK, error);
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
