/* scant study, where the command was built without SQLite. */
#include "front/command.h"
#include "front/subcommand_options.h"

const named *study_at(size_t index) {
  (void)index;
  return NULL;
}

const named *study_action_name(size_t index) {
  (void)index;
  return NULL;
}

int study_help_action(FILE *out, const command *c, const char *action) {
  (void)out;
  (void)c;
  (void)action;
  return 0;
}

const scant_option *study_options_of_all_actions(void) {
  return study_options;
}

int study_is_one(const char *path) {
  (void)path;
  return 0;
}

scant_status study_pilot(const char *path, const scant_settings *settings, scant_source **source, scant_prices **prices,
                         scant_error *error) {
  (void)path;
  (void)settings;
  (void)source;
  (void)prices;
  return scant_fail(error, SCANT_MISUSE, "this scant was built without SQLite, which studies need");
}

int run_study(arguments *a) {
  scant_error error = {"this scant was built without SQLite, which studies need"};
  return print_failure(a->command, SCANT_MISUSE, &error);
}
