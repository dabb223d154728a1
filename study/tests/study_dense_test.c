/* Studies of dense algorithms, which renew the law of their looks now and then while they are asked. */
#include "learn/learner.h"
#include "study_dense.h"

enum { D = 8, TOLD = 30 };

/* Reserves the whole budget, then tells orders with an ask that is refused after each: the ledger has no word of those,
 * and so they may not matter. */
static void ask_in_vain(const char *settings) {
  const char *path = study_path("dense.study");
  scant_study *study = make_dense_hurried(path, settings, D, PLAIN);
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

/* Several at once, refused as a whole and then ordered, ended and reopened, with forecasts between: none of that may
 * matter to what is learned, though asking renews the law. */
static void ask_together(const char *settings, catalogue_kind kind) {
  char paths[2][300];
  char *looks[2], *learners[2];
  for (int way = 0; way < 2; way++) {
    snprintf(paths[way], sizeof paths[way], "%s", study_path(way ? "together" : "single"));
    scant_study *study = make_dense_hurried(paths[way], settings, D, kind);
    test_state = 5;
    for (int batch = 0; batch < 8; batch++) {
      char names[5][20];
      const char *list[200];
      const scant_study_order *o;
      scant_study_forecast f;
      for (int i = 0; i < 5; i++) snprintf(names[i], sizeof names[i], "e%d", 5 * batch + i);
      for (int i = 0; i < 200; i++) list[i] = i < 5 ? names[i] : "no such";
      for (int i = 0; i < 5 && !way; i++) GOOD(scant_study_ask(study, list[i], &o, &said));
      if (way) {
        char bad[200][20];
        for (int i = 5; i < 200; i++) {
          snprintf(bad[i], sizeof bad[i], "x%d", i);
          list[i] = bad[i];
        }
        if (batch == 6) REFUSED(study, scant_study_ask_all(study, list, 200, &said), SCANT_SPENT, "none of the 200");
        GOOD(scant_study_preview(study, 20, &f, NULL, &said));
        CHECK(f.draws == 20 && f.attributes_most == 3 && (f.least > 0) == (kind == PRICED));
        GOOD(scant_study_ask_all(study, list, 5, &said));
        GOOD(scant_study_end_order(study, names[3], (scant_study_end)(batch % 3), "a slip", &said));
        GOOD(scant_study_reopen(study, names[3], "it was one", &said));
      }
      for (int i = 4; i >= 0; i--) {
        GOOD(scant_study_find(study, names[i], &o, &said));
        GOOD(tell_all(study, o));
      }
    }
    study_text t = {0};
    size_t length;
    put_rows(&t, study->db, "SELECT example, look FROM ledger WHERE kind = 'ask' ORDER BY sequence");
    looks[way] = t.text;
    GOOD(scant_learner_save(study->learner, &learners[way], &length, &said));
    check_verified(study);
    scant_study_close(study);
    study_remove(paths[way]);
  }
  CHECK(strcmp(looks[0], looks[1]) == 0 && strcmp(learners[0], learners[1]) == 0);
  for (int way = 0; way < 2; way++) {
    free(looks[way]);
    scant_text_free(learners[way]);
  }
}

TEST(together_and_reopened) {
  ask_together("algorithm=gaussian k=3 seed=1 budget-cost=600", PRICED);
  ask_together("algorithm=moments k=3 seed=1 budget=400", PLAIN);
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

static scant_study *open_priced(const char *path) {
  scant_settings s = settings_of("algorithm=gaussian k=3 seed=2");
  scant_study_attribute rows[D];
  scant_study *study = NULL;
  s.runtime.engines = scant_dense_engines();
  memcpy(rows, catalogue_of(D, PLAIN), sizeof rows);
  for (size_t i = 0; i < D; i++) rows[i].cost = 100 + 37 * i;
  study_remove(path);
  GOOD(scant_study_create(path, &s, rows, D, NULL, &said));
  GOOD(scant_study_open(&study, path, SCANT_STUDY_WRITE, &s, &said));
  hurry(study);
  return study;
}

/* The risk that a study shows is of what was told, whenever it was opened. */
TEST(the_status_of_gaussian_is_of_what_was_told) {
  const char *path = study_path("status.study");
  scant_study *study = open_priced(path);
  const scant_study_order *o;
  scant_study_status status, again;
  scant_settings s = settings_of("");
  char example[20];
  s.runtime.engines = scant_dense_engines();
  test_state = 1;
  for (int e = 0; e < TOLD; e++) {
    snprintf(example, sizeof example, "e%d", e);
    GOOD(scant_study_ask(study, example, &o, &said));
    GOOD(tell_all(study, o));
  }
  GOOD(scant_study_get_status(study, &status, &said));
  scant_study_close(study);
  GOOD(scant_study_open(&study, path, SCANT_STUDY_READ, &s, &said));
  GOOD(scant_study_get_status(study, &again, &said));
  CHECK(isfinite(status.risk) && status.risk == again.risk && status.risk_error == again.risk_error);
  scant_study_close(study);
  study_remove(path);
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

/* Attribute 0 is known, 2 and 5 are a group, and so are 3, 6 and 7: each is in an order whole, or not at all. */
static void check_items(const scant_study_order *o) {
  unsigned there = 0;
  for (size_t i = 0; i < o->count; i++) there |= 1u << o->lines[i].attribute;
  CHECK(there & 1);
  CHECK((there & 0x24) == 0 || (there & 0x24) == 0x24);
  CHECK((there & 0xc8) == 0 || (there & 0xc8) == 0xc8);
}

/* A study with what is known, groups and prices, of which the ledger tells the same again. */
static void ask_and_tell(const char *settings, catalogue_kind kind, uint64_t spend) {
  const char *path = study_path("dense.study");
  scant_study *study = make_dense_hurried(path, settings, D, kind);
  const scant_study_order *o;
  char example[20];
  test_state = 1;
  for (int i = 0; i < 70; i++) {
    snprintf(example, sizeof example, "e%d", i);
    GOOD(scant_study_ask(study, example, &o, &said));
    check_items(o);
    CHECK(!spend || o->price <= spend);
    GOOD(tell_all(study, o));
  }
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

TEST(gaussian_knows_groups_and_prices) {
  ask_and_tell("algorithm=gaussian k=2 seed=1", FREE_GROUPS, 0);
  ask_and_tell("algorithm=gaussian k=2 seed=1", PRICED, 0);
  ask_and_tell("algorithm=gaussian spend=15 seed=2", PRICED, 1500);
  ask_and_tell("algorithm=gaussian k=3 spend=14 thrift=no seed=3", PRICED, 1400);
}

/* The Gaussian knows the catalogue's prices and groups, and the table holds what was told, and no more.  It is that of
 * the learner or, with auto, made of the table. */
static void check_prices(const char *settings) {
  static const catalogue_kind kinds[] = {PLAIN, PRICED, FREE_GROUPS};
  const char *path = study_path("dense.study");
  for (size_t c = 0; c < 3; c++) {
    const scant_study_attribute *rows = catalogue_of(D, kinds[c]);
    scant_study *study = make_dense_hurried(path, settings, D, kinds[c]);
    const scant_study_order *o;
    scant_model *model = NULL;
    scant_source *source = NULL;
    scant_prices *prices = NULL;
    double x[D], told[20][D], y[20];
    CHECK(scant_study_examples(study, &source, &prices, &said) == SCANT_DATA && !source && !prices);
    test_state = 1;
    for (size_t i = 0; i < 20; i++) {
      char example[20];
      snprintf(example, sizeof example, "e%zu", i);
      GOOD(scant_study_ask(study, example, &o, &said));
      GOOD(tell_all(study, o));
      GOOD(scant_study_find(study, example, &o, &said));
      for (size_t j = 0; j < D; j++) told[i][j] = NAN;
      for (size_t j = 0; j < o->count; j++) told[i][o->lines[j].attribute] = o->lines[j].value;
      y[i] = o->y;
    }
    GOOD(scant_study_gaussian(study, &model, &said));
    GOOD(scant_study_examples(study, &source, &prices, &said));
    scant_study_close(study); /* they need it no more */
    const scant_prices *own = scant_model_prices(model);
    CHECK(!own == (c == 0) && !prices == (c == 0) && scant_source_rows(source) == 20);
    for (size_t j = 0; own && j < D; j++) {
      if (c == 1) CHECK(scant_prices_cost(own, j) == rows[j].cost && scant_prices_cost(prices, j) == rows[j].cost);
      CHECK(!scant_prices_group(own, j) == !rows[j].group && !scant_prices_group(prices, j) == !rows[j].group);
    }
    if (c == 2) CHECK(scant_prices_cost(prices, 0) == 0 && scant_prices_cost(prices, 1) == 100);
    CHECK(!strcmp(scant_source_name(source, 3), rows[3].name));
    for (size_t i = 0; i < 20; i++) {
      GOOD(scant_source_row(source, i, x, &said));
      CHECK(scant_source_target(source, i) == y[i]);
      for (size_t j = 0; j < D; j++) CHECK(isnan(told[i][j]) ? isnan(x[j]) : x[j] == told[i][j]);
    }
    scant_source_free(source);
    scant_prices_free(prices);
    scant_model_free(model);
    study_remove(path);
  }
}

TEST(all_that_was_told_has_prices) {
  check_prices("algorithm=gaussian k=3 seed=1");
  check_prices("algorithm=auto k=3 seed=1");
}

int main(void) {
  study_begin_tests();
  RUN(refused_asks_of_moments);
  RUN(refused_asks_of_gaussian);
  RUN(refused_asks_of_others);
  RUN(together_and_reopened);
  RUN(the_default_is_chosen_once);
  RUN(the_status_of_gaussian_is_of_what_was_told);
  RUN(a_file_with_the_default_is_refused);
  RUN(gaussian_knows_groups_and_prices);
  RUN(all_that_was_told_has_prices);
  return study_end_tests();
}
