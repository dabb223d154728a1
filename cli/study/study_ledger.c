/* scant study ledger */
#include "study_actions.h"

/* What can't be printed shows when the command ends. */
static scant_status print_piece(void *user, const char *bytes, size_t length, scant_error *error) {
  (void)error;
  fwrite(bytes, 1, length, user);
  return SCANT_OK;
}

scant_status study_ledger(arguments *a, scant_study *study, scant_error *error) {
  return scant_study_print_ledger(study, a->own.pseudonyms, print_piece, stdout, error);
}
