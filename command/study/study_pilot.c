/* A study as the pilot of a plan. */
#include <string.h>

#include "study_actions.h"

int study_is_one(const char *path) {
  static const char start[] = "SQLite format 3"; /* and a 0 */
  char bytes[sizeof start];
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return count == sizeof bytes && !memcmp(bytes, start, sizeof bytes);
}

scant_status study_pilot(const char *path, const scant_settings *settings, scant_source **source, scant_prices **prices,
                         scant_error *error) {
  scant_study *study = NULL;
  scant_status status = scant_study_open(&study, path, SCANT_STUDY_READ, settings, error);
  if (status == SCANT_OK) status = scant_study_examples(study, source, prices, error);
  scant_study_close(study);
  return status;
}
