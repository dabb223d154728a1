/* Tags (ETag): what changes when something does. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "http/server.h"

scant_status serve_tag_example(scant_study *study, const char *example, char tag[SERVE_TAG_LENGTH],
                               scant_error *error) {
  uint64_t last = 0;
  SCANT_TRY(scant_study_last_event(study, example, &last, error));
  tag[0] = 0;
  if (last) snprintf(tag, SERVE_TAG_LENGTH, "\"e%" PRIu64 "\"", last);
  return SCANT_OK;
}

scant_status serve_tag_study(scant_study *study, scant_role role, char tag[SERVE_TAG_LENGTH], scant_error *error) {
  scant_study_status status;
  SCANT_TRY(scant_study_get_totals(study, &status, error));
  snprintf(tag, SERVE_TAG_LENGTH, "\"s%" PRIu64 "%c\"", status.events, scant_role_name(role)[0]);
  return SCANT_OK;
}

static uint64_t add_text(uint64_t hash, const char *text) {
  const char *present = text ? text : "\1";
  return scant_hash(hash, present, strlen(present) + 1);
}

/* Of everything that an amendment can change. */
scant_status serve_tag_terms(const scant_study *study, char tag[SERVE_TAG_LENGTH], scant_error *error) {
  (void)error;
  uint64_t hash = SCANT_HASH_START;
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    const scant_study_attribute *a = scant_study_attribute_at(study, i);
    hash = add_text(add_text(add_text(hash, a->name), a->unit), a->group);
    double bounds[4] = {a->low, a->high, a->usual_low, a->usual_high};
    for (size_t j = 0; j < 4; j++) {
      char number[SCANT_NUMBER_LENGTH];
      scant_format_real(number, sizeof number, bounds[j]);
      hash = add_text(hash, number);
    }
    uint64_t rest[3] = {a->cost, (uint64_t)a->known, (uint64_t)a->retired};
    hash = scant_hash(hash, rest, sizeof rest);
  }
  const scant_settings *settings = scant_study_settings(study);
  static const char *const amended[] = {"k", "spend", "budget", "budget-cost", "max-open"};
  for (size_t i = 0; i < sizeof amended / sizeof *amended; i++) {
    char value[64] = "";
    scant_settings_get(settings, scant_option_find(amended[i]), value, sizeof value);
    hash = add_text(hash, value);
  }
  snprintf(tag, SERVE_TAG_LENGTH, "\"t%016" PRIx64 "\"", hash);
  return SCANT_OK;
}
