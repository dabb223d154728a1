/* The filter of worklists, and local times. */
#include "scant_study_json.h"

#include <time.h>

#include "scant_study_json.h"
#include "study_support.h"

static scant_study *study;

/* The examples that pass, each with a blank behind it. */
static const char *listed(const scant_study_filter_words *words) {
  static char names[400];
  scant_study_filter filter;
  const scant_study_order *o;
  names[0] = 0;
  GOOD(scant_study_filter_read(&filter, study, words, "", &said));
  for (uint64_t after = 0;; after = o->number) {
    GOOD(scant_study_filter_next(&filter, study, after, &o, &said));
    if (!o) return names;
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s ", o->example);
  }
}

#define LISTED(wanted, ...)                                               \
  do {                                                                    \
    const char *names = listed(&(scant_study_filter_words){__VA_ARGS__}); \
    if (!CHECK(!strcmp(names, wanted))) printf("#   %s\n", names);        \
  } while (0)

TEST(words_choose_orders) {
  LISTED("issued partly ", .by = NULL);
  LISTED("issued partly ", .open = 1);
  LISTED("learned issued partly cancelled failed ", .all = 1);
  LISTED("learned failed ", .state = "failed,learned");
  LISTED("partly ", .state = "partly");
  LISTED("partly ", .state = "partly told");
  LISTED("partly ", .state = "partly", .all = 1);
  LISTED("issued partly ", .due = "y");
  LISTED("issued ", .due = "a0");
  LISTED("", .due = "a0", .state = "cancelled");
  LISTED("learned ", .by = "ann", .all = 1);
  LISTED("", .by = "ann");
  LISTED("issued partly ", .since = "2020-01-01");
  LISTED("", .before = "2020-01-01");
  LISTED("", .since = "9990-01-01T00:00:00Z", .all = 1);
  LISTED("learned ", .differs = 1);
  LISTED("", .differs = 1, .open = 1);
  LISTED("", .differs = 1, .state = "issued");
}

TEST(times_begin_with_since_and_end_before_before) {
  char at[40];
  const scant_study_order *o;
  GOOD(scant_study_find(study, "issued", &o, &said));
  snprintf(at, sizeof at, "%s", o->asked_at);
  CHECK_SAYS(listed(&(scant_study_filter_words){.since = at}), "issued ");
  CHECK(!strstr(listed(&(scant_study_filter_words){.before = at}), "issued "));
}

static void refused(const char *dashes, const scant_study_filter_words *words, scant_status wanted,
                    const char *sentence) {
  scant_study_filter filter = {.states = 77}, before = filter;
  CHECK(scant_study_filter_read(&filter, study, words, dashes, &said) == wanted);
  if (!CHECK(!strcmp(said.text, sentence))) printf("#   %s\n", said.text);
  CHECK(!memcmp(&filter, &before, sizeof filter));
}

TEST(sentences_name_the_option_as_the_caller_does) {
#define STATES "issued, partly told, told, learned, cancelled, expired, failed, erased"
  refused("--", &(scant_study_filter_words){.state = "told,x"}, SCANT_USAGE,
          "--state: there is no state 'x'; there are " STATES);
  refused("", &(scant_study_filter_words){.state = ""}, SCANT_USAGE, "state: there is no state ''; there are " STATES);
  refused("", &(scant_study_filter_words){.due = "b"}, SCANT_DATA, "due: there is no attribute 'b' in this study");
  refused("--", &(scant_study_filter_words){.since = "2026-02-29"}, SCANT_USAGE,
          "--since: '2026-02-29' is no date such as 2026-11-15 or 2026-11-15T09:30");
  refused("", &(scant_study_filter_words){.before = "soon"}, SCANT_USAGE,
          "before: 'soon' is no date such as 2026-11-15 or 2026-11-15T09:30");
}

TEST(times_are_read_and_written) {
  static const struct {
    const char *text;
    int64_t seconds; /* -1: it is none */
  } cases[] = {{"1970-01-02", 86400 - 3600},
               {"1970-01-02T00:00", 86400 - 3600},
               {"1970-01-02 00:00:01", 86401 - 3600},
               {"1970-01-02T00:00:01Z", 86401},
               {"2000-03-01T00:00:00Z", 951868800},
               {"2024-02-29T12:00Z", 1709208000},
               {"2023-02-29", -1},
               {"2023-1-01", -1},
               {"2023-01-01T24:00", -1},
               {"2023-01-01x", -1},
               {"", -1}};
  char text[SCANT_STUDY_TIME];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t seconds = -1;
    int read = scant_study_read_time(cases[i].text, &seconds);
    if (!CHECK(read == (cases[i].seconds >= 0) && (!read || seconds == cases[i].seconds)))
      printf("#   %s: %" PRId64 "\n", cases[i].text, seconds);
  }
  scant_study_format_local(text, "1999-12-31T23:30:00Z");
  CHECK(!strcmp(text, "2000-01-01T00:30:00+01:00"));
  scant_study_format_local(text, "yesterday"); /* of a file that was edited */
  CHECK(!strcmp(text, "yesterday"));
  scant_study_format_local(text, NULL);
  CHECK(!*text);
  CHECK(scant_study_days_since("9990-01-01T00:00:00Z") == 0);
  CHECK(scant_study_days_since("2020-01-01T00:00:00Z") > 2000);
}

static const scant_study_order *ask(const char *example) {
  const scant_study_order *o = NULL;
  GOOD(scant_study_ask(study, example, &o, &said));
  return o;
}

/* An order of each state but a few, named after it; the second entry of a value of the one that was learned differs. */
static void fill(void) {
  const scant_study_answer known = {.name = "a0", .value = 2};
  scant_study_answer second = {.name = "a0", .value = 77};
  scant_study_comparison c;
  GOOD(scant_study_sign(study, "ann", "library", &said));
  GOOD(tell_all(study, ask("learned")));
  GOOD(scant_study_tell_second(study, "learned", &second, 1, &c, &said));
  CHECK(c.differ == 1);
  GOOD(scant_study_sign(study, "bob", "library", &said));
  ask("issued");
  ask("partly");
  GOOD(scant_study_tell(study, "partly", &known, 1, &said));
  ask("cancelled");
  GOOD(scant_study_end_order(study, "cancelled", SCANT_END_CANCEL, NULL, &said));
  ask("failed");
  GOOD(scant_study_end_order(study, "failed", SCANT_END_FAIL, "moved", &said));
}

int main(void) {
  setenv("TZ", "XYZ-1", 1); /* an hour before UTC, in summer too */
  tzset();
  study_begin_tests();
  const char *path = study_path("a.study");
  study = make_study(path, "algorithm=auto k=3", 8, PRICED);
  fill();
  RUN(words_choose_orders);
  RUN(times_begin_with_since_and_end_before_before);
  RUN(sentences_name_the_option_as_the_caller_does);
  RUN(times_are_read_and_written);
  scant_study_close(study);
  study_remove(path);
  return study_end_tests();
}
