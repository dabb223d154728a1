/* Studies of dense algorithms, which renew the law of their looks now and then while they are asked. */
#include "scant_dense.h"
#include "study_support.h"

enum { D = 8, TOLD = 30 };

static scant_study *open_dense(const char *path, const char *settings) {
  scant_settings s = settings_of(settings);
  scant_study *study = NULL;
  s.runtime.engines = scant_dense_engines();
  study_remove(path);
  GOOD(scant_study_create(path, &s, catalogue_of(D, PLAIN), D, NULL, &said));
  GOOD(scant_study_open(&study, path, SCANT_STUDY_WRITE, &s, &said));
  hurry(study);
  return study;
}

/* Reserves the whole budget, then tells orders with an ask that is refused after each: the ledger has no word of those,
 * and so they may not matter. */
static void ask_in_vain(const char *settings) {
  const char *path = study_path("dense.study");
  scant_study *study = open_dense(path, settings);
  const scant_study_order *o;
  char example[20];
  int asked = 0, told = 0;
  test_state = 1;
  for (;; asked++) {
    snprintf(example, sizeof example, "e%d", asked);
    if (scant_study_ask(study, example, &o, &said) != SCANT_OK) break;
  }
  CHECK_SAYS(said.text, "budget");
  CHECK(asked > TOLD + 1);
  for (; told < TOLD; told++) {
    snprintf(example, sizeof example, "e%d", told);
    GOOD(scant_study_find(study, example, &o, &said));
    GOOD(tell_all(study, o));
    REFUSED(study, scant_study_ask(study, "wish", &o, &said), SCANT_SPENT, "budget");
  }
  snprintf(example, sizeof example, "e%d", asked - 1);
  GOOD(scant_study_end_order(study, example, SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_ask(study, "last", &o, &said));
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

TEST(refused_asks_of_moments) {
  ask_in_vain("algorithm=moments k=3 budget=200 seed=1");
}

TEST(refused_asks_of_gaussian) {
  ask_in_vain("algorithm=gaussian k=3 budget=200 seed=1");
}

TEST(refused_asks_of_others) {
  ask_in_vain("algorithm=auto k=3 budget=200 seed=1");
  ask_in_vain("algorithm=ridge k=3 budget=200 seed=1");
}

/* The file names what was taken for `default`, and nothing is chosen anew when it is opened. */
TEST(the_default_is_chosen_once) {
  static const struct {
    catalogue_kind kind;
    const char *settings;
  } cases[] = {{PLAIN, "k=3"}, {PRICED, "k=3"}, {FREE_GROUPS, "k=3"}, {PLAIN, "k=3 like-units=yes"}};
  const char *path = study_path("default.study");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scant_settings s = settings_of(cases[i].settings), taken, none;
    scant_error why = {""};
    scant_study *study = NULL;
    const scant_study_order *o;
    s.runtime.engines = scant_dense_engines();
    taken = s;
    study_remove(path);
    GOOD(scant_study_choose(&taken, catalogue_of(D, cases[i].kind), D, NULL, &why, &said));
    CHECK(*why.text);
    if (!i) CHECK(!strcmp(taken.learning.algorithm, "gaussian"));
    if (i == 3) CHECK(!strcmp(taken.learning.algorithm, "auto"));
    GOOD(scant_study_create(path, &s, catalogue_of(D, cases[i].kind), D, NULL, &said));
    GOOD(scant_study_open(&study, path, SCANT_STUDY_WRITE, &s, &said));
    hurry(study);
    CHECK(!strcmp(scant_study_settings(study)->learning.algorithm, taken.learning.algorithm));
    test_state = 1;
    for (int e = 0; e < TOLD; e++) {
      char example[20];
      snprintf(example, sizeof example, "e%d", e);
      GOOD(scant_study_ask(study, example, &o, &said));
      GOOD(tell_all(study, o));
    }
    check_verified(study);
    scant_study_close(study);
    scant_settings_init(&none); /* without engines gaussian can't go on, and auto does not take its place */
    scant_status status = scant_study_open(&study, path, SCANT_STUDY_READ, &none, &said);
    CHECK((status == SCANT_OK) == !strcmp(taken.learning.algorithm, "auto"));
    if (status == SCANT_OK) scant_study_close(study);
    study_remove(path);
  }
  scant_settings named = settings_of("algorithm=ridge k=3");
  scant_error why = {"before"};
  GOOD(scant_study_choose(&named, catalogue_of(D, PLAIN), D, NULL, &why, &said));
  CHECK(!strcmp(named.learning.algorithm, "ridge") && !*why.text);
}

/* No study has it as its algorithm, so a file that says so was changed by other hands. */
TEST(a_file_with_the_default_is_refused) {
  const char *path = study_path("edited.study");
  scant_study *study = make_study(path, "algorithm=auto k=3", D, PLAIN);
  scant_study_close(study);
  execute(path, "UPDATE setting SET value = 'default' WHERE name = 'algorithm'");
  study = NULL;
  CHECK(scant_study_open(&study, path, SCANT_STUDY_READ, NULL, &said) == SCANT_DATA);
  CHECK_SAYS(said.text, "default");
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  RUN(refused_asks_of_moments);
  RUN(refused_asks_of_gaussian);
  RUN(refused_asks_of_others);
  RUN(the_default_is_chosen_once);
  RUN(a_file_with_the_default_is_refused);
  return study_end_tests();
}
