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

int main(void) {
  study_begin_tests();
  RUN(refused_asks_of_moments);
  RUN(refused_asks_of_gaussian);
  RUN(refused_asks_of_others);
  return study_end_tests();
}
