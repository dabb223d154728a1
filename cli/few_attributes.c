/* Predictions from a few attributes, for predict and eval. */
#include "command.h"

int few_check(const arguments *a) {
  if (a->own.costs && !a->own.k) return print_usage_failure(a->command, "--costs needs -k");
  return EXIT_DONE;
}

scant_status few_check_model(const arguments *a, const scant_model *model, scant_error *error) {
  int asked = a->own.k || a->own.interval > 0;
  if (!asked || scant_model_is_gaussian(model)) return SCANT_OK;
  snprintf(
      error->text, sizeof error->text,
      "-k and --interval need a joint Gaussian, which the algorithm gaussian learns from at least one example; this "
      "model, of %.64s, has none",
      scant_model_settings(model)->learning.algorithm);
  return SCANT_USAGE;
}

scant_status few_prices(const arguments *a, const scant_model *model, const scant_source *source, scant_prices **own,
                        const scant_prices **prices, scant_error *error) {
  *own = NULL;
  *prices = scant_model_prices(model);
  if (!a->own.costs) return SCANT_OK;
  scant_status status = scant_prices_load(own, a->own.costs, source, error);
  *prices = *own;
  return status;
}

void few_print_ledger(FILE *out, const scant_ledger *l, size_t dimension, int priced) {
  double examples = l->distinct_examples ? (double)l->distinct_examples : 1;
  if (!l->examples) { /* no purchase lowers the variance */
    fprintf(out, "nothing was bought: no attribute tells anything about the target\n");
    return;
  }
  fprintf(out, "%llu examples, %llu attributes bought (%.4g of %zu per example, at most %llu)",
          (unsigned long long)l->examples, (unsigned long long)l->attributes_bought,
          (double)l->attributes_bought / examples, dimension, (unsigned long long)l->max_bought_per_example);
  if (l->missing_cells) fprintf(out, "; %llu had no value", (unsigned long long)l->missing_cells);
  if (priced) fprintf(out, "; %.2f spent", (double)l->money_spent / 100);
  fputc('\n', out);
}
