/* What a study is made of: settings, catalogue, and their amendments. */
#include <stdio.h>
#include <string.h>

#include "scant_study_json.h"

int scant_study_is_priced(const scant_study *study) {
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    if (scant_study_attribute_at(study, i)->cost) return 1;
  return 0;
}

/* Null where there is no limit. */
static void put_limit(scant_json_writer *out, const char *key, double limit) {
  if (limit > 0)
    scant_json_real(out, key, limit);
  else
    scant_json_null(out, key);
}

static void put_settings(scant_json_writer *out, const scant_study *study) {
  const scant_settings *s = scant_study_settings(study);
  scant_json_open(out, "settings", '{');
  scant_json_text(out, "algorithm", s->learning.algorithm);
  scant_json_count(out, "k", s->learning.k);
  put_limit(out, "spend", s->learning.spend);
  if (s->run.budget)
    scant_json_count(out, "budget", s->run.budget);
  else
    scant_json_null(out, "budget");
  put_limit(out, "budget_cost", s->run.budget_cost);
  scant_json_count(out, "max_open", s->learning.max_open);
  scant_json_count(out, "seed", s->learning.seed);
  scant_json_close(out);
}

static void put_attribute(scant_json_writer *out, const scant_study_attribute *at) {
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "name", at->name);
  scant_json_text(out, "unit", at->unit);
  scant_json_money(out, "cost", at->cost);
  scant_json_real(out, "low", at->low);
  scant_json_real(out, "high", at->high);
  scant_json_real(out, "usual_low", at->usual_low);
  scant_json_real(out, "usual_high", at->usual_high);
  scant_json_text(out, "group", at->group);
  scant_json_flag(out, "known", at->known);
  scant_json_flag(out, "retired", at->retired);
  scant_json_close(out);
}

static void put_catalogue(scant_json_writer *out, const scant_study *study) {
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) put_attribute(out, scant_study_attribute_at(study, i));
  scant_json_close(out);
}

/* The study has the reasons in one text, separated by ", ". */
static void put_reasons(scant_json_writer *out, const char *reasons) {
  scant_json_open(out, "missing_reasons", '[');
  while (*reasons) {
    size_t length = strcspn(reasons, ",");
    scant_json_text_part(out, NULL, reasons, length);
    reasons += length;
    reasons += strspn(reasons, ", ");
  }
  scant_json_close(out);
}

void scant_study_json_terms(scant_json_writer *out, const scant_study *study) {
  scant_json_text(out, "target", scant_study_target(study));
  put_settings(out, study);
  put_reasons(out, scant_study_missing_reasons(study));
  scant_json_flag(out, "second_entry", scant_study_second_entry(study));
  scant_json_flag(out, "priced", scant_study_is_priced(study));
  put_catalogue(out, study);
}

scant_status scant_study_json_change(scant_json_writer *out, const char *change, scant_error *error) {
  char *words = NULL;
  scant_status status = change ? scant_study_describe_change(change, &words, error) : SCANT_OK;
  scant_json_raw(out, "change", change);
  scant_json_text(out, "words", words);
  scant_text_free(words);
  return status;
}
