/* scant study of a command that was built without SQLite. */
#include "../command.h"

const named *study_at(size_t index) {
  (void)index;
  return NULL;
}

int run_study(arguments *a) {
  scant_error error = {"this scant was built without SQLite, which studies are kept in"};
  return print_failure(a->command, SCANT_MISUSE, &error);
}
