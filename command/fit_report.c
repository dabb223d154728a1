/* What `scant fit` prints when it is done. */
#include <math.h>

#include "fit_session.h"
#include "model_report.h"

static double mean_bought(const scant_ledger *ledger) {
  return ledger->distinct_examples ? (double)ledger->attributes_bought / (double)ledger->distinct_examples : 0;
}

static scant_learner_facts facts_of(const fit_session *s) {
  scant_learner_facts facts;
  scant_fit_get_facts(s->fit, &facts);
  return facts;
}

/* Of a model with errors it is the one that the model keeps. */
static double risk_error(const fit_session *s, const scant_learner_facts *facts) {
  return scant_model_errors(s->model) ? scant_model_risk_error(s->model) : facts->risk_error;
}

static void put_ledger(scant_json_writer *out, const fit_session *s) {
  const scant_ledger *ledger = scant_model_ledger(s->model);
  scant_json_count(out, "looks_drawn", ledger->looks_drawn);
  scant_json_count(out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  scant_json_count(out, "missing_cells", ledger->missing_cells);
  scant_json_count(out, "skipped_examples", ledger->skipped_examples);
  scant_json_real(out, "mean_bought_per_example", mean_bought(ledger));
  if (scant_model_prices(s->model)) scant_json_money(out, "money_spent", ledger->money_spent);
  scant_json_flag(out, "budget_spent", scant_fit_budget_spent(s->fit));
}

static void put_learner(scant_json_writer *out, const fit_session *s) {
  const scant_settings *settings = scant_model_settings(s->model);
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  const scant_learner_facts facts = facts_of(s);
  /* an algorithm without a ball has no radius */
  scant_json_real(out, "radius", scant_algorithm_takes(algorithm, "radius") ? settings->learning.radius : NAN);
  scant_json_real(out, "eta", scant_model_eta(s->model));
  scant_json_real(out, "penalty", scant_model_penalty(s->model));
  const scant_certificate *certificate = &facts.certificate;
  int has_gap = isfinite(certificate->gap), has_kkt = isfinite(certificate->kkt);
  if (has_gap || has_kkt) {
    scant_json_real(out, has_gap ? "gap" : "kkt", has_gap ? certificate->gap : certificate->kkt);
    scant_json_real(out, "lambda", certificate->lambda);
  }
  scant_json_real(out, "risk", facts.risk);
  scant_json_real(out, "risk_error", risk_error(s, &facts));
  scant_json_real(out, "scale", facts.scale);
}

scant_status fit_print_json(const fit_session *s, scant_error *error) {
  const scant_settings *settings = scant_model_settings(s->model);
  scant_json_writer out = document_begin();
  scant_json_text(&out, "algorithm", settings->learning.algorithm);
  scant_json_text(&out, "algorithm_why", scant_fit_choice(s->fit));
  scant_json_count(&out, "dimension", scant_model_dimension(s->model));
  scant_json_count(&out, "examples", scant_model_ledger(s->model)->examples);
  scant_json_count(&out, "k", settings->learning.k);
  put_ledger(&out, s);
  put_learner(&out, s);
  errors_put(&out, s->model);
  scant_json_count(&out, "seed", settings->learning.seed);
  scant_json_count(&out, "bytes_read", scant_source_bytes_read(s->train));
  scant_json_fixed(&out, "seconds", s->seconds, 6);
  if (s->tested) {
    scant_json_open(&out, "test", '{');
    scores_put(&out, &s->scores, 0, settings->reading.log_target);
    scant_json_close(&out);
  }
  return document_print(&out, SCANT_OK, error);
}

static void print_certificate(const fit_session *s, double radius) {
  const scant_learner_facts facts = facts_of(s);
  if (isfinite(facts.certificate.gap))
    printf("certificate: duality gap %.2g at radius %g\n", facts.certificate.gap, radius);
  else if (isfinite(facts.certificate.kkt))
    printf("certificate: KKT violation %.2g at radius %g\n", facts.certificate.kkt, radius);
}

static void print_risk(const fit_session *s) {
  const scant_learner_facts facts = facts_of(s);
  uint64_t examples = scant_model_ledger(s->model)->examples;
  if (!isfinite(facts.risk)) {
    if (examples && examples <= scant_model_settings(s->model)->learning.block)
      printf("risk: not known after one %s\n", examples > 1 ? "block" : "example");
    return;
  }
  printf("risk: %.5g", facts.risk);
  double error = risk_error(s, &facts);
  if (isfinite(error)) printf(" +- %.3g", error);
  printf(" by its own looks\n");
}

void fit_print(const fit_session *s) {
  const scant_ledger *ledger = scant_model_ledger(s->model);
  const scant_settings *settings = scant_model_settings(s->model);
  double mean = mean_bought(ledger);
  char blocks[64] = "";
  if (settings->learning.block > 1)
    snprintf(blocks, sizeof blocks, " in blocks of %llu", (unsigned long long)settings->learning.block);
  printf("%s: %llu examples%s, %llu looks, %llu attributes bought (%.4g of %zu per example, at most %llu)%s\n",
         settings->learning.algorithm, (unsigned long long)ledger->examples, blocks,
         (unsigned long long)ledger->looks_drawn, (unsigned long long)ledger->attributes_bought, mean,
         scant_model_dimension(s->model), (unsigned long long)ledger->max_bought_per_example,
         scant_fit_budget_spent(s->fit) ? "; the budget is spent" : "");
  if (scant_fit_choice(s->fit))
    printf("default: %s, since %s\n", settings->learning.algorithm, scant_fit_choice(s->fit));
  if (scant_model_prices(s->model)) printf("money: %.2f spent\n", (double)ledger->money_spent / 100);
  if (ledger->missing_cells) printf("missing: %llu cells", (unsigned long long)ledger->missing_cells);
  if (ledger->skipped_examples) printf(", so %llu examples were skipped", (unsigned long long)ledger->skipped_examples);
  if (ledger->missing_cells) printf("\n");
  if (ledger->refused_examples)
    printf(
        "the budget ended within %llu example%s: the last purchases are charged, but nothing was learned from them\n",
        (unsigned long long)ledger->refused_examples, ledger->refused_examples > 1 ? "s" : "");
  print_certificate(s, settings->learning.radius);
  print_risk(s);
  scant_error sentence; /* of weights that would not have been surely better than the mean */
  if (scant_fit_say(s->fit, s->model, SCANT_FIT_SHRUNK, &sentence)) printf("note: %s\n", sentence.text);
  errors_print(s->model);
  if (s->tested) {
    printf("test: squared error %.6g, absolute error %.6g", s->scores.squared_error, s->scores.absolute_error);
    if (isfinite(s->scores.r2)) printf(", R^2 %.4f", s->scores.r2);
    if (isfinite(s->scores.accuracy)) printf(", accuracy %.4f", s->scores.accuracy);
    printf(" on %llu examples%s\n", (unsigned long long)s->scores.examples,
           settings->reading.log_target ? ", of log(1 + y)" : "");
  }
  looks_print(s->a);
  if (s->a->own.output)
    printf("model: %s\n", s->a->own.output);
  else
    printf("the model was not kept: give -o MODEL to keep it\n");
}

void fit_warn(const fit_session *s) {
  scant_error warning;
  print_note(s->train, SCANT_NOTE_UNLISTED);
  print_note(s->test, SCANT_NOTE_UNLISTED);
  for (int note = SCANT_FIT_THEOREM + 1; note < SCANT_FIT_SHRUNK; note++)
    if (scant_fit_say(s->fit, s->model, (scant_fit_note)note, &warning)) print_warning("%s", warning.text);
}
