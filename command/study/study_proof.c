/* scant study freeze, verify, replay, backup and ledger: the file as a whole. */
#include "front/interrupt.h"
#include "study_actions.h"

/* ---- freeze ---------------------------------------------------------------------- */

static void print_frozen(const scant_study_frozen *frozen) {
  printf("ledger  %016llx, of %llu events\n", (unsigned long long)frozen->checksum, (unsigned long long)frozen->events);
  printf("sha256  %s\n", frozen->sha256);
}

static scant_status print_json(const scant_study_frozen *frozen, scant_error *error) {
  scant_json_writer out = document_begin();
  scant_study_json_frozen(&out, frozen);
  return document_print(&out, SCANT_OK, error);
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
  print_frozen(&frozen);
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
  print_frozen(&frozen);
  return SCANT_OK;
}

/* ---- verify ---------------------------------------------------------------------- */

scant_status study_verify(arguments *a, scant_study *study, scant_error *error) {
  scant_study_proof p;
  scant_status status = scant_study_verify(study, &p, error);
  scant_study_frozen frozen;
  int is_frozen = status == SCANT_OK && scant_study_frozen_name(study);
  if (is_frozen) status = scant_study_describe_frozen(study, &frozen, error);
  if (status != SCANT_OK) return status;
  unsigned long long events = p.events, orders = p.orders;
  if (a->own.json) {
    scant_json_writer out = document_begin();
    scant_study_json_proof(&out, &p, is_frozen ? &frozen : NULL);
    return document_print(&out, SCANT_OK, error);
  }
  printf("verified: %llu event%s, %llu order%s\n", events, events == 1 ? "" : "s", orders, orders == 1 ? "" : "s");
  printf("replayed from the ledger, %s build, the learner is the same ", p.same_build ? "by the same" : "by another");
  if (p.same_bits)
    printf("bit for bit\n");
  else
    printf("to 1e-9: the largest relative difference of a weight is %.1e\n", p.difference);
  if (is_frozen) printf("frozen as '%s'\n", frozen.name);
  if (is_frozen) print_frozen(&frozen);
  return SCANT_OK;
}

/* ---- replay ---------------------------------------------------------------------- */

scant_status study_replay(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  scant_study_status t;
  scant_status status = scant_study_replay(study, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK)
    printf("%llu event%s replayed: orders, amounts and learner are made anew\n", (unsigned long long)t.events,
           t.events == 1 ? "" : "s");
  return status;
}

/* ---- backup ---------------------------------------------------------------------- */

scant_status study_backup(arguments *a, scant_study *study, scant_error *error) {
  scant_status status = scant_study_backup(study, a->operands[2], error);
  if (status == SCANT_OK) printf("%s: a copy of %s\n", a->operands[2], a->operands[1]);
  return status;
}

/* ---- ledger ---------------------------------------------------------------------- */

/* What can't be printed shows when the command ends. */
static scant_status print_piece(void *user, const char *bytes, size_t length, scant_error *error) {
  (void)error;
  fwrite(bytes, 1, length, user);
  return SCANT_OK;
}

static void put_local(const scant_study_event *event, char *text, size_t size) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, event->at);
  snprintf(text, size, "%s", local);
}

scant_status study_ledger(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_extra local = {"local", put_local};
  return scant_study_print_ledger(study, a->own.pseudonyms, &local, print_piece, stdout, error);
}
