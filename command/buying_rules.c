/* Predictions from a few attributes, for predict, eval and next. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"

int few_buys(const arguments *a) {
  return a->own.k || a->own.spend_each > 0 || a->own.until_width > 0 || a->own.until_sure > 0;
}

int few_has_rules(const arguments *a) {
  return a->own.spend_each > 0 || a->own.until_width > 0 || a->own.until_sure > 0 || a->own.have || a->own.bought;
}

double few_level(const arguments *a) {
  return a->own.interval > 0 || !(a->own.until_width > 0) ? a->own.interval : 0.9;
}

int few_check_spend(const arguments *a) {
  double spend = a->own.spend_each;
  if (!(spend > 0) || spend == round(100 * spend) / 100) return EXIT_DONE;
  return print_usage_failure(a->command, "--spend must have at most two decimals, and it is %.15g", spend);
}

int few_check(const arguments *a) {
  const char *what = a->own.costs ? "costs" : a->own.have ? "have" : a->own.bought ? "bought" : NULL;
  if (what && !few_buys(a))
    return print_usage_failure(a->command, "--%s needs -k, --spend, --until-width or --until-sure", what);
  int code = few_check_spend(a);
  if (code == EXIT_DONE && a->own.bought && a->own.json)
    return print_usage_failure(a->command, "--json has what --bought prints");
  return code;
}

scant_status few_check_model(const arguments *a, const scant_model *model, scant_error *error) {
  int asked = few_buys(a) || a->own.interval > 0;
  if (!asked || scant_model_is_gaussian(model)) return SCANT_OK;
  const char *what = a->command->run == run_next ? "next needs"
                     : few_has_rules(a)          ? "buying attributes needs"
                                                 : "-k and --interval need";
  snprintf(
      error->text, sizeof error->text,
      "%s a joint Gaussian, which the algorithm gaussian learns from examples whose targets differ; this model, of "
      "%.64s, has none",
      what, scant_model_settings(model)->learning.algorithm);
  return SCANT_USAGE;
}

static scant_status find_prices(const arguments *a, const scant_model *model, const scant_source *source,
                                few_terms *terms, scant_error *error) {
  terms->prices = scant_model_prices(model);
  if (!a->own.costs) return SCANT_OK;
  SCANT_TRY(source ? scant_prices_load(&terms->own, a->own.costs, source, error)
                   : scant_model_load_prices(model, a->own.costs, &terms->own, error));
  terms->prices = terms->own;
  return SCANT_OK;
}

scant_status few_begin(const arguments *a, const scant_model *model, const scant_source *source, few_terms *terms,
                       scant_error *error) {
  const own_options *o = &a->own;
  scant_stop stop = {o->k, (uint64_t)round(100 * o->spend_each), o->until_width, o->until_sure};
  *terms = (few_terms){0};
  SCANT_TRY(find_prices(a, model, source, terms, error));
  if (stop.spend && !terms->prices) /* the library would say so without the dashes */
    return scant_fail(error, SCANT_USAGE, "--spend needs costs: give --costs FILE, or fit with it");
  if (o->have && !(terms->have = calloc(scant_model_dimension(model), 1))) return scant_fail_memory(error);
  terms->buying = (scant_buying){terms->prices, stop, few_level(a), terms->have};
  return terms->have ? scant_model_find_all(model, o->have, terms->have, error) : SCANT_OK;
}

void few_end(few_terms *terms) {
  free(terms->have);
  scant_prices_free(terms->own);
}

void few_put_ledger(scant_json_writer *out, const scant_ledger *ledger, int priced) {
  scant_json_count(out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  scant_json_count(out, "missing_cells", ledger->missing_cells);
  if (priced) scant_json_money(out, "money_spent", ledger->money_spent);
}

void few_print_ledger(FILE *out, const scant_ledger *l, size_t rows, size_t dimension, int priced) {
  if (!l->examples) { /* no purchase lowers the variance */
    fprintf(out, "nothing was bought: no attribute tells anything about the target\n");
    return;
  }
  fprintf(out, "%llu examples, %llu attributes bought (%.4g of %zu per example, at most %llu)",
          (unsigned long long)rows, (unsigned long long)l->attributes_bought,
          (double)l->attributes_bought / (double)rows, dimension, (unsigned long long)l->max_bought_per_example);
  if (l->missing_cells) fprintf(out, "; %llu had no value", (unsigned long long)l->missing_cells);
  if (priced) fprintf(out, "; %.2f spent", (double)l->money_spent / 100);
  fputc('\n', out);
}

void few_print_items(FILE *out, const few_bought *bought, size_t rows, size_t dimension) {
  if (bought->ledger.examples)
    few_print_ledger(out, &bought->ledger, rows, dimension, bought->priced);
  else
    fprintf(out, "nothing was bought\n");
}

void few_print_bought(FILE *out, const few_bought *bought, size_t dimension) {
  const char *before = "stopped by: ";
  size_t rows = 0;
  for (int v = 0; v < SCANT_VERDICTS; v++) rows += (size_t)bought->stopped[v];
  few_print_items(out, bought, rows, dimension);
  for (int v = 0; v < SCANT_VERDICTS; v++) {
    if (!bought->stopped[v]) continue;
    fprintf(out, "%s%s %llu", before, scant_verdict_name((scant_verdict)v), (unsigned long long)bought->stopped[v]);
    before = ", ";
  }
  if (*before == ',') fputc('\n', out);
}

const char *few_name(const scant_model *model, size_t attribute, char number[32]) {
  const char *name = scant_model_name(model, attribute);
  if (name) return name;
  snprintf(number, 32, "%zu", attribute + 1);
  return number;
}

int few_class(const scant_model *model, double value, char *label, size_t size) {
  const char *classes = scant_model_settings(model)->reading.classes, *comma = classes ? strchr(classes, ',') : NULL;
  if (!comma) return 0;
  const char *text = value > 0 ? comma + 1 : classes;
  size_t length = value > 0 ? strlen(text) : (size_t)(comma - classes);
  for (; length && *text == ' '; length--) text++;
  while (length && text[length - 1] == ' ') length--;
  snprintf(label, size, "%.*s", (int)length, text);
  return 1;
}
