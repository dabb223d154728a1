/* What is said beside values: unusual ones are confirmed, and missing ones have reasons. */
#include "study_entries.h"

/* ---- unusual values --------------------------------------------------------------------- */

TEST(unusual_values) {
  const char *path = study_path("unusual");
  scant_study *study = make(path, plain_settings, NULL);
  ask(study, "p");
  REFUSED(study, tell(study, "p", "a0", 1.5, 0), SCANT_DATA, "'a0' is 1.5, and usually it is from -1 to 1");
  CHECK_SAYS(said.text, "option confirm, or as 1.5! in its place");
  REFUSED(study, tell(study, "p", "a1", -3, 0), SCANT_DATA, "'a1' is -3, and usually it is from -2 on");
  REFUSED(study, tell(study, "p", "a2", 2.5, 0), SCANT_DATA, "'a2' is 2.5, and usually it is up to 2");
  REFUSED(study, tell(study, "p", "a0", -101, 1), SCANT_DATA, "below its range"); /* nobody can confirm that */
  GOOD(tell(study, "p", "a0", 1.5, 1));
  scant_study_event e = last_event(study);
  CHECK(e.kind == SCANT_EVENT_TELL && e.count == 1 && e.told[0].note && !strcmp(e.told[0].note, "confirmed"));
  CHECK(!strcmp(line_of(study, "p", "a0").note, "confirmed"));
  char *before = dump(study);
  GOOD(tell(study, "p", "a0", 1.5, 0)); /* the same again needs no confirmation: it has it */
  check_unchanged(study, before, "again", __LINE__);
  GOOD(tell(study, "p", "a1", -2, 1)); /* on the edge: confirmed for nothing, and so not noted */
  GOOD(tell(study, "p", "a2", -50, 0));
  CHECK(!last_event(study).told[0].note && !line_of(study, "p", "a1").note && !line_of(study, "p", "a2").note);
  /* one of several that nobody confirmed: none is taken */
  scant_study_answer rest[4] = {
      {.name = "a3", .value = 1}, {.name = "a4", .value = 1}, {.name = "a5", .value = 1}, {.name = "y", .value = 500}};
  GOOD(scant_study_tell(study, "p", rest, 4, &said));
  CHECK(find(study, "p")->state == SCANT_ORDER_LEARNED);
  REFUSED(study, correct(study, "p", "a1", -2.5, 0), SCANT_DATA, "usually it is from -2 on");
  GOOD(correct(study, "p", "a1", -2.5, 1));
  CHECK(!strcmp(line_of(study, "p", "a1").note, "confirmed"));
  GOOD(correct(study, "p", "a0", 1, 1)); /* the note goes with the value */
  CHECK(!line_of(study, "p", "a0").note);
  scant_study_answer past[2] = {{.name = "a0", .value = 4}, {.name = "y", .value = 1}};
  REFUSED(study, scant_study_import(study, "old", past, 2, &said), SCANT_DATA, "example 'old': 'a0' is 4, and usually");
  past[0].confirmed = 1;
  GOOD(scant_study_import(study, "old", past, 2, &said));
  CHECK(!strcmp(last_event(study).told[0].note, "confirmed"));
  past[0].confirmed = 0;
  before = dump(study);
  GOOD(scant_study_import(study, "old", past, 2, &said));
  check_unchanged(study, before, "import again", __LINE__);
  past[0].note = "refused";
  REFUSED(study, scant_study_import(study, "other", past, 2, &said), SCANT_USAGE, "'a0' has a value, so there is no");
  end(study, path);
}

TEST(usual_ranges) {
  scant_settings s = settings_of(plain_settings);
  static const struct {
    double low, high, usual_low, usual_high;
    const char *words;
  } bad[] = {
      {0, 10, -1, 5, "its usual range reaches below 0, where its range begins"},
      {0, 10, 1, 11, "its usual range reaches above 10, where its range ends"},
      {0, 10, 11, 12, "its usual range reaches above 10"},
      {NAN, 10, NAN, 11, "reaches above 10"},
      {0, NAN, NAN, -1, "reaches below 0"},
      {0, NAN, -1, NAN, "reaches below 0"},
      {0, 10, 6, 5, "holds nothing"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *path = study_path("bad");
    scant_study_attribute rows[2] = {{.name = "a"}, {.name = "b", .low = NAN, .high = NAN}};
    rows[0].low = bad[i].low, rows[0].high = bad[i].high;
    rows[0].usual_low = bad[i].usual_low, rows[0].usual_high = bad[i].usual_high;
    CHECK(scant_study_create(path, &s, rows, 2, NULL, &said) == SCANT_DATA && !is_file(path, ""));
    CHECK_SAYS(said.text, bad[i].words);
  }
}

/* ---- reasons ------------------------------------------------------------------------------ */

TEST(reasons) {
  const char *path = study_path("reasons");
  scant_study *study = make(path, plain_settings, NULL);
  CHECK(!strcmp(scant_study_missing_reasons(study), "not done, refused, broken, lost"));
  ask(study, "p");
  REFUSED(study, tell_missing(study, "p", "a0", "shy"), SCANT_DATA,
          "'a0' is missing for the reason 'shy', and the study knows: not done, refused, broken, lost");
  REFUSED(study, tell_missing(study, "p", "a0", ""), SCANT_DATA, "the study knows");
  REFUSED(study, tell_missing(study, "p", "a0", "confirmed"), SCANT_DATA, "the study knows");
  REFUSED(study, tell_missing(study, "p", "a0", "not"), SCANT_DATA, "the study knows");
  GOOD(tell_missing(study, "p", "a0", "not done"));
  GOOD(tell_missing(study, "p", "a1", NULL));
  CHECK(!strcmp(line_of(study, "p", "a0").note, "not done") && !line_of(study, "p", "a1").note);
  CHECK(line_of(study, "p", "a0").state == SCANT_LINE_MISSING);
  char *before = dump(study);
  GOOD(tell_missing(study, "p", "a0", "not done"));
  GOOD(tell_missing(study, "p", "a0", NULL));
  check_unchanged(study, before, "again", __LINE__);
  REFUSED(study, tell_missing(study, "p", "a0", "lost"), SCANT_DATA, "'a0' of example 'p' is missing:not done already");
  REFUSED(study, tell_missing(study, "p", "a1", "lost"), SCANT_DATA, "'a1' of example 'p' is missing already");
  scant_study_answer lost = {.name = "a1", .missing = 1, .note = "lost"};
  GOOD(scant_study_correct(study, "p", &lost, 1, "it turned up missing", &said));
  CHECK(!strcmp(line_of(study, "p", "a1").note, "lost"));
  before = dump(study);
  GOOD(scant_study_correct(study, "p", &lost, 1, "again", &said));
  check_unchanged(study, before, "again", __LINE__);
  GOOD(correct(study, "p", "a1", 1, 0)); /* it was found: it has a value, and no reason */
  CHECK(!line_of(study, "p", "a1").note && line_of(study, "p", "a1").value == 1);
  end(study, path);
}

TEST(own_reasons) {
  const char *path = study_path("own-reasons");
  scant_study_terms terms = {.missing_reasons = "  the dog,lost , not \"done\""};
  scant_study *study = make(path, plain_settings, &terms);
  CHECK(!strcmp(scant_study_missing_reasons(study), "the dog, lost, not \"done\""));
  ask(study, "p");
  GOOD(tell_missing(study, "p", "a0", "the dog"));
  GOOD(tell_missing(study, "p", "a1", "not \"done\""));
  REFUSED(study, tell_missing(study, "p", "a2", "refused"), SCANT_DATA, "the study knows: the dog, lost, not \"done\"");
  end(study, path);
  static const char *const bad[][2] = {
      {"", "a reason for missing values is empty"},  {"lost,,found", "is empty"},
      {"lost, lost", "'lost' is twice in the list"}, {"lost, confirmed", "'confirmed' is what is noted"},
      {"lost, fo\tund", "has control characters"},   {"lost\xff", "is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    scant_settings s = settings_of(plain_settings);
    scant_study_terms wrong = {.missing_reasons = bad[i][0]};
    CHECK(scant_study_create_with(path, &s, catalogue_of(D, PLAIN), D, &wrong, &said) == SCANT_DATA);
    CHECK_SAYS(said.text, bad[i][1]);
    CHECK(!is_file(path, ""));
  }
}

int main(void) {
  study_begin_tests();
  RUN(unusual_values);
  RUN(usual_ranges);
  RUN(reasons);
  RUN(own_reasons);
  return study_end_tests();
}
