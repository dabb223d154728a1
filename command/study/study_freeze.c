/* scant study freeze */
#include "front/interrupt.h"
#include "study_actions.h"

void study_print_frozen(const scant_study_frozen *frozen) {
  printf("ledger  %016llx, of %llu events\n", (unsigned long long)frozen->checksum, (unsigned long long)frozen->events);
  printf("sha256  %s\n", frozen->sha256);
}

static scant_status print_json(const scant_study_frozen *frozen, scant_error *error) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_study_json_frozen(&out, frozen);
  scant_json_close(&out);
  return print_document(&out, error);
}

/* The copy is compared with the text beside it, and replayed. */
static scant_status check(const arguments *a, scant_study *study, scant_error *error) {
  scant_study_frozen frozen;
  scant_study_proof proof;
  if (a->operand_count > 2)
    return scant_fail(error, SCANT_USAGE, "'%.200s' is one word too many: --check takes a frozen copy", a->operands[2]);
  if (a->own.output) return scant_fail(error, SCANT_USAGE, "--check writes nothing: leave out -o");
  SCANT_TRY(scant_study_check_frozen(study, &frozen, error));
  SCANT_TRY(scant_study_verify(study, &proof, error));
  if (a->own.json) return print_json(&frozen, error);
  printf("%s: frozen as '%s' at %s, and as it was\n", a->operands[1], frozen.name, frozen.at);
  study_print_frozen(&frozen);
  return SCANT_OK;
}

scant_status study_freeze(arguments *a, scant_study *study, scant_error *error) {
  scant_study_frozen frozen;
  if (a->own.check) return check(a, study, error);
  if (a->operand_count < 3) return scant_fail(error, SCANT_USAGE, "it takes: scant study freeze FILE NAME -o COPY");
  if (!a->own.output) return scant_fail(error, SCANT_USAGE, "-o COPY is missing: where to write the frozen copy");
  interrupt_waits();
  scant_status status = scant_study_freeze(study, a->operands[2], a->own.output, &frozen, error);
  interrupt_ends(a->command);
  if (status != SCANT_OK) return status;
  if (a->own.json) return print_json(&frozen, error);
  printf("%s: %s, frozen as '%s'; %s.txt says so\n", a->own.output, a->operands[1], frozen.name, a->own.output);
  study_print_frozen(&frozen);
  return SCANT_OK;
}
