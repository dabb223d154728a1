/* scant eval with rules that stop the buying: scores, and what stopped the examples. */
#include <stdlib.h>

#include "front/command.h"
#include "base/json_document.h"
#include "scores.h"

typedef struct {
  const scant_bought_scores *scores;
  const few_bought *bought;
  double level;
  size_t dimension;
  int log_target;
} report;

static void put_verdicts(json *out, const report *r) {
  json_open(out, "stopped", '[');
  for (int v = 0; v < SCANT_VERDICTS; v++) {
    const scant_verdict_scores *s = &r->scores->by[v];
    double n = (double)s->examples;
    if (!s->examples) continue;
    json_open(out, NULL, '{');
    json_text(out, "by", scant_verdict_name((scant_verdict)v));
    json_count(out, "examples", s->examples);
    json_real(out, "share", n / (double)r->scores->all.scores.examples);
    json_real(out, "bought", (double)s->items / n);
    if (r->bought->priced) json_real(out, "money", (double)s->money / 100 / n);
    if (r->level > 0) json_real(out, "coverage", (double)s->covered / n);
    if (r->scores->two_valued) json_real(out, "right", (double)s->right / n);
    json_close(out);
  }
  json_close(out);
}

static scant_status print_json(const report *r, scant_error *error) {
  const scant_bought_scores *s = r->scores;
  const scant_ledger *l = &r->bought->ledger;
  json out = {0};
  json_open(&out, NULL, '{');
  scores_put(&out, &s->all.scores, 1, r->log_target);
  if (r->level > 0) json_real(&out, "interval", r->level);
  json_real(&out, "variance", s->all.variance);
  if (r->level > 0) json_real(&out, "coverage", s->all.coverage);
  if (r->level > 0) json_real(&out, "width", s->all.width);
  if (s->two_valued) json_real(&out, "right", s->right);
  if (s->two_valued) json_real(&out, "probability", s->sure);
  json_real(&out, "bought", s->all.bought);
  if (r->bought->priced) json_real(&out, "money", s->all.money / 100);
  json_count(&out, "attributes_bought", l->attributes_bought);
  json_count(&out, "max_bought_per_example", l->max_bought_per_example);
  json_count(&out, "missing_cells", l->missing_cells);
  if (r->bought->priced) json_money(&out, "money_spent", l->money_spent);
  put_verdicts(&out, r);
  json_close(&out);
  return json_print(&out, error);
}

static void print_line(const report *r, const char *name, const scant_verdict_scores *s) {
  double n = (double)s->examples;
  printf("%-10s %9llu %8.4f %8.4g", name, (unsigned long long)s->examples, n / (double)r->scores->all.scores.examples,
         (double)s->items / n);
  if (r->bought->priced) printf(" %10.2f", (double)s->money / 100 / n);
  if (r->level > 0) printf(" %9.4f", (double)s->covered / n);
  if (r->scores->two_valued) printf(" %8.4f", (double)s->right / n);
  printf("\n");
}

static void print_report(const report *r) {
  const scant_bought_scores *s = r->scores;
  scant_verdict_scores all = {0};
  scores_print(&s->all.scores, r->log_target);
  printf("variance        %.6g\n", s->all.variance);
  if (r->level > 0) {
    printf("coverage        %.4f of the intervals of %.6g\n", s->all.coverage, r->level);
    printf("mean width      %.6g\n", s->all.width);
  }
  if (s->two_valued) printf("right           %.4f, and %.4f expected\n", s->right, s->sure);
  printf("\n");
  if (r->bought->ledger.examples)
    few_print_ledger(stdout, &r->bought->ledger, (size_t)s->all.scores.examples, r->dimension, r->bought->priced);
  else
    printf("nothing was bought\n");
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

scant_status evaluate_bought(const arguments *a, const scant_model *model, scant_source *source, few_bought *bought,
                             scant_error *error) {
  scant_prices *own = NULL;
  const scant_prices *prices = NULL;
  unsigned char *have = NULL;
  scant_buying buying = {0};
  scant_bought_scores scores;
  scant_status status = few_prices(a, model, source, &own, &prices, error);
  bought->priced = prices != NULL;
  if (status == SCANT_OK) status = few_buying(a, model, prices, &buying, &have, error);
  if (status == SCANT_OK) status = scant_model_evaluate_bought(model, source, &buying, &scores, &bought->ledger, error);
  if (status == SCANT_OK) {
    report r = {&scores, bought, buying.level, scant_model_dimension(model), a->settings.reading.log_target};
    if (a->own.json)
      status = print_json(&r, error);
    else
      print_report(&r);
  }
  free(have);
  scant_prices_free(own);
  return status;
}
