/* scant study ledger */
#include "study_actions.h"

/* What can't be printed shows when the command ends. */
static scant_status print_piece(void *user, const char *bytes, size_t length, scant_error *error) {
  (void)error;
  fwrite(bytes, 1, length, user);
  return SCANT_OK;
}

static void put_local(const scant_study_event *event, char *text, size_t size) {
  char local[STUDY_TIME];
  study_format_local(local, event->at);
  snprintf(text, size, "%s", local);
}

scant_status study_ledger(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_extra local = {"local", put_local};
  return scant_study_print_ledger(study, a->own.pseudonyms, &local, print_piece, stdout, error);
}
