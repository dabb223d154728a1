/* scant merge */
#include <math.h>

#include "front/command.h"
#include "scant_dense.h"

static scant_status print_json(const scant_model *model, const scant_learner_facts *facts, int count,
                               scant_error *error) {
  const scant_ledger *ledger = scant_model_ledger(model);
  scant_json_writer out = document_begin();
  scant_json_text(&out, "algorithm", scant_model_settings(model)->learning.algorithm);
  scant_json_count(&out, "checkpoints", (uint64_t)count);
  scant_json_count(&out, "dimension", scant_model_dimension(model));
  scant_json_count(&out, "examples", ledger->examples);
  scant_json_count(&out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(&out, "max_bought_per_example", ledger->max_bought_per_example);
  scant_json_real(&out, "penalty", facts->penalty);
  scant_json_real(&out, "risk", facts->risk);
  scant_json_real(&out, "risk_error", facts->risk_error);
  return document_print(&out, SCANT_OK, error);
}

static void print_summary(const arguments *a, const scant_model *model, const scant_learner_facts *facts) {
  const scant_ledger *ledger = scant_model_ledger(model);
  printf("%s: %d checkpoints, %llu examples, %llu attributes bought (at most %llu of %zu per example)\n",
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
  scant_status status = scant_model_merge(&model, &facts, paths, (size_t)a->operand_count, &a->settings, &error);
  if (status == SCANT_OK && a->own.output) status = scant_model_save(model, a->own.output, &error);
  if (status == SCANT_OK && a->own.json) status = print_json(model, &facts, a->operand_count, &error);
  if (status == SCANT_OK && !a->own.json) print_summary(a, model, &facts);
  code = status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
  scant_model_free(model);
  return code;
}
