/* scant study, where the command was built without SQLite. */
#include "../command.h"

const named *study_at(size_t index) {
  (void)index;
  return NULL;
}

int run_study(arguments *a) {
  scant_error error = {"this scant was built without SQLite, which studies need"};
  return print_failure(a->command, SCANT_MISUSE, &error);
}
