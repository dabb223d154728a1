/* scant merge */
#include <math.h>

#include "command.h"
#include "scant_dense.h"

static void print_json(const scant_model *model, const scant_learner_facts *facts, int count) {
  const scant_ledger *ledger = scant_model_ledger(model);
  printf("{\"algorithm\": \"%s\", \"checkpoints\": %d, \"dimension\": %zu, \"examples\": %llu, ",
         scant_model_settings(model)->learning.algorithm, count, scant_model_dimension(model),
         (unsigned long long)ledger->examples);
  printf("\"attributes_bought\": %llu, \"max_bought_per_example\": %llu, ",
         (unsigned long long)ledger->attributes_bought, (unsigned long long)ledger->max_bought_per_example);
  print_json_real("penalty", facts->penalty);
  printf(", ");
  print_json_real("risk", facts->risk);
  printf(", ");
  print_json_real("risk_error", facts->risk_error);
  printf("}\n");
}

static void print_summary(const arguments *a, const scant_model *model, const scant_learner_facts *facts) {
  const scant_ledger *ledger = scant_model_ledger(model);
  printf("%s: %d checkpoints, %llu examples, %llu attributes bought (at most %llu of %zu an example)\n",
         scant_model_settings(model)->learning.algorithm, a->operand_count, (unsigned long long)ledger->examples,
         (unsigned long long)ledger->attributes_bought, (unsigned long long)ledger->max_bought_per_example,
         scant_model_dimension(model));
  if (isfinite(facts->risk)) printf("risk: %.6g +- %.2g\n", facts->risk, facts->risk_error);
  if (a->own.output)
    printf("model: %s\n", a->own.output);
  else
    printf("the model was not kept: give -o MODEL to keep it\n");
}

int run_merge(arguments *a) {
  const char *const *paths = a->operands;
  int code = files_check_output(a->command, a->own.output, paths, (size_t)a->operand_count);
  if (code != EXIT_DONE) return code;
  scant_error error;
  scant_model *model = NULL;
  scant_learner_facts facts;
  scant_status status = scant_dense_merge(&model, &facts, paths, (size_t)a->operand_count, &a->settings, &error);
  if (status == SCANT_OK && a->own.output) status = scant_model_save(model, a->own.output, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else {
    if (a->own.json)
      print_json(model, &facts, a->operand_count);
    else
      print_summary(a, model, &facts);
    code = print_end(a->command);
  }
  scant_model_free(model);
  return code;
}
