/* What a study is made of: settings, catalogue, and their amendments. */
#include <stdio.h>
#include <string.h>

#include "json/study_json.h"

int study_is_priced(const scant_study *study) {
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    if (scant_study_attribute_at(study, i)->cost) return 1;
  return 0;
}

/* Null where there is no limit. */
static void put_limit(json *out, const char *key, double limit) {
  if (limit > 0)
    json_real(out, key, limit);
  else
    json_null(out, key);
}

void study_json_settings(json *out, const char *key, const scant_study *study) {
  const scant_settings *s = scant_study_settings(study);
  json_open(out, key, '{');
  json_text(out, "algorithm", s->learning.algorithm);
  json_count(out, "k", s->learning.k);
  put_limit(out, "spend", s->learning.spend);
  if (s->run.budget)
    json_count(out, "budget", s->run.budget);
  else
    json_null(out, "budget");
  put_limit(out, "budget_cost", s->run.budget_cost);
  json_count(out, "max_open", s->learning.max_open);
  json_count(out, "seed", s->learning.seed);
  json_close(out);
}

static void put_attribute(json *out, const scant_study_attribute *at) {
  json_open(out, NULL, '{');
  json_text(out, "name", at->name);
  json_text(out, "unit", at->unit);
  json_money(out, "cost", at->cost);
  json_real(out, "low", at->low);
  json_real(out, "high", at->high);
  json_real(out, "usual_low", at->usual_low);
  json_real(out, "usual_high", at->usual_high);
  json_text(out, "group", at->group);
  json_flag(out, "known", at->known);
  json_flag(out, "retired", at->retired);
  json_close(out);
}

void study_json_catalogue(json *out, const char *key, const scant_study *study) {
  json_open(out, key, '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) put_attribute(out, scant_study_attribute_at(study, i));
  json_close(out);
}

/* The study has the reasons in one text, separated by ", ". */
static void put_reasons(json *out, const char *reasons) {
  json_open(out, "missing_reasons", '[');
  while (*reasons) {
    size_t length = strcspn(reasons, ",");
    json_text_part(out, NULL, reasons, length);
    reasons += length;
    reasons += strspn(reasons, ", ");
  }
  json_close(out);
}

void study_json_terms(json *out, const scant_study *study) {
  json_text(out, "target", scant_study_target(study));
  study_json_settings(out, "settings", study);
  put_reasons(out, scant_study_missing_reasons(study));
  json_flag(out, "second_entry", scant_study_second_entry(study));
  json_flag(out, "priced", study_is_priced(study));
  study_json_catalogue(out, "attributes", study);
}

scant_status study_json_change(json *out, const char *change, scant_error *error) {
  char *words = NULL;
  scant_status status = change ? scant_study_describe_change(change, &words, error) : SCANT_OK;
  json_whole(out, "change", change);
  json_text(out, "words", words);
  scant_text_free(words);
  return status;
}
