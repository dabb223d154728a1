/* Ask and tell: misuse changes nothing, looks may come late, states move
 * between learners to the bit.  Link with allocations.c (see there). */
#include "allocations.h"
#include "learners.h"

#include <pthread.h>

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data;

/* ---- misuse --------------------------------------------------------------------- */

static char *before;

/* The call failed as it should, and the learner's state is the one before. */
static void refused(const scant_learner *learner, scant_status wanted, const char *words, scant_status got, int line) {
  char *after = learner_text(learner);
  if (!check_that(got == wanted, "fails as it should", __FILE__, line)) printf("#   status %d: %s\n", got, error.text);
  check_says(error.text, words, __FILE__, line);
  check_that(strcmp(before, after) == 0, "the state is as before", __FILE__, line);
  free(before);
  free(after);
}

#define REFUSED(learner, wanted, words, call) \
  (before = learner_text(learner), error.text[0] = 0, refused(learner, wanted, words, call, __LINE__))

TEST(a_look_is_told_once) {
  scant_learner *learner = learner_from("k=4", D, 0);
  scant_look *look = look_for(learner);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  CHECK(tell(learner, look, table_values(&data, 0, look), 1) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "not open", tell(learner, look, table_values(&data, 0, look), 1));
  REFUSED(learner, SCANT_MISUSE, "not open", scant_learner_cancel(learner, look, &error));
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  CHECK(scant_learner_cancel(learner, look, &error) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "not open", tell(learner, look, table_values(&data, 0, look), 1));
  REFUSED(learner, SCANT_MISUSE, "not open", scant_learner_cancel(learner, look, &error));
  CHECK(scant_learner_tell(learner, look, look->count, NULL, table_values(&data, 0, look), 1, NULL) == SCANT_MISUSE);
  scant_look_free(look);
  look = look_for(learner); /* never asked for */
  REFUSED(learner, SCANT_MISUSE, "another learner", tell(learner, look, NULL, 1));
  scant_look_free(look);
  scant_learner_free(learner);
  scant_learner_free(NULL);
  scant_look_free(NULL);
}

/* Another seed, another step size or another ball: it is not the w that asked. */
TEST(a_look_of_another_learner_is_refused) {
  static const char *const others[] = {
      "k=4 seed=2", "k=6", "k=4 algorithm=aelr", "k=4 eta=0.5", "k=4 radius=3", "k=4 center=yes", "k=4 replacement=no"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    scant_learner *one = learner_from("k=4", D, 0), *two = learner_from(others[i], D, 0);
    scant_look *look = look_for(one), *own = look_for(two);
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && scant_learner_ask(two, own, &error) == SCANT_OK);
    REFUSED(two, SCANT_MISUSE, "another learner", tell(two, look, table_values(&data, 0, look), 1));
    REFUSED(two, SCANT_MISUSE, "another learner", scant_learner_cancel(two, look, &error));
    if (check_failures) printf("#   one with k=4, the other with %s\n", others[i]);
    scant_look_free(look);
    scant_look_free(own);
    scant_learner_free(one);
    scant_learner_free(two);
  }
}

TEST(an_answer_must_fit_the_look) {
  scant_learner *learner = learner_from("k=4 max-open=2 missing=error", D, 0);
  scant_look *look = look_for(learner);
  learn_rows(learner, look, &data, 0, 5);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK && look->count > 1);
  double values[D];
  uint32_t count = look->count, attributes[D];
  memcpy(values, table_values(&data, 0, look), sizeof values);
  memcpy(attributes, look->attributes, count * sizeof *attributes);
  REFUSED(learner, SCANT_MISUSE, "values were told",
          scant_learner_tell(learner, look, count - 1, attributes, values, 1, &error));
  REFUSED(learner, SCANT_MISUSE, "values were told",
          scant_learner_tell(learner, look, count + 1, attributes, values, 1, &error));
  REFUSED(learner, SCANT_MISUSE, "values were told", scant_learner_tell(learner, look, 0, NULL, NULL, 1, &error));
  attributes[1] = (attributes[1] + 1) % D;
  REFUSED(learner, SCANT_MISUSE, "value 2 is of attribute",
          scant_learner_tell(learner, look, count, attributes, values, 1, &error));
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    REFUSED(learner, SCANT_DATA, "target", tell(learner, look, values, bad[i]));
    double value = values[count - 1];
    values[count - 1] = bad[i];
    REFUSED(learner, SCANT_DATA, "attribute", tell(learner, look, values, 1));
    values[count - 1] = value;
  }
  uint32_t honest = look->attributes[0];
  look->attributes[0] = D; /* a look that was stored and damaged */
  REFUSED(learner, SCANT_MISUSE, "attribute 12", scant_learner_tell(learner, look, count, NULL, values, 1, &error));
  look->attributes[0] = honest;
  CHECK(tell(learner, look, values, 1) == SCANT_OK); /* it is still open */
  scant_look_free(look);
  scant_learner_free(learner);
}

TEST(no_more_looks_are_open_than_agreed) {
  scant_learner *learner = learner_from("k=4 max-open=3", D, 0);
  scant_look *looks[4];
  for (int i = 0; i < 4; i++) looks[i] = look_for(learner);
  for (int i = 0; i < 3; i++) CHECK(scant_learner_ask(learner, looks[i], &error) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "open already", scant_learner_ask(learner, looks[3], &error));
  CHECK(scant_learner_cancel(learner, looks[1], &error) == SCANT_OK);
  CHECK(scant_learner_ask(learner, looks[3], &error) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "open already", scant_learner_ask(learner, looks[1], &error));
  for (int i = 0; i < 4; i++) scant_look_free(looks[i]);
  scant_learner_free(learner);
}

/* Cancelled and reopened in any order, swept out meanwhile or not: the learner is as if nothing had been cancelled. */
TEST(a_cancelled_look_can_be_opened_again) {
  enum { MOST = 5 };
  scant_learner *learner = learner_from("k=4 max-open=5", D, 0), *other = learner_from("k=4 seed=2", D, 0);
  scant_look *looks[MOST], *more = look_for(learner), *foreign = look_for(other);
  for (int i = 0; i < MOST; i++) looks[i] = look_for(learner);
  for (int i = 0; i < MOST; i++) CHECK(scant_learner_ask(learner, looks[i], &error) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "is open", scant_learner_reopen(learner, looks[0], &error));
  static const int orders[][MOST] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}, {1, 0, 4, 2, 3}};
  for (size_t round = 0; round < sizeof orders / sizeof *orders; round++) {
    char *open = learner_text(learner);
    for (int i = 0; i < MOST; i++) CHECK(scant_learner_cancel(learner, looks[i], &error) == SCANT_OK);
    for (int i = 0; i < MOST; i++) CHECK(scant_learner_reopen(learner, looks[orders[round][i]], &error) == SCANT_OK);
    char *again = learner_text(learner);
    CHECK(strcmp(open, again) == 0);
    free(open);
    free(again);
  }
  CHECK(scant_learner_cancel(learner, looks[1], &error) == SCANT_OK);
  CHECK(scant_learner_cancel(learner, looks[3], &error) == SCANT_OK);
  for (int i = 0; i < 4 * MOST; i++) { /* so many that the closed ones are swept out */
    CHECK(scant_learner_ask(learner, more, &error) == SCANT_OK);
    CHECK(scant_learner_reopen(learner, looks[3], &error) == SCANT_OK);
    REFUSED(learner, SCANT_MISUSE, "open already", scant_learner_reopen(learner, looks[1], &error));
    CHECK(scant_learner_cancel(learner, looks[3], &error) == SCANT_OK);
    CHECK(tell(learner, more, table_values(&data, (size_t)i, more), 1) == SCANT_OK);
  }
  CHECK(scant_learner_reopen(learner, looks[1], &error) == SCANT_OK);
  CHECK(tell(learner, looks[1], table_values(&data, 0, looks[1]), 1) == SCANT_OK);
  REFUSED(learner, SCANT_MISUSE, "another learner", scant_learner_reopen(learner, foreign, &error));
  more->serial = 1000;
  REFUSED(learner, SCANT_MISUSE, "never asked for", scant_learner_reopen(learner, more, &error));
  for (int i = 0; i < MOST; i++) scant_look_free(looks[i]);
  scant_look_free(more);
  scant_look_free(foreign);
  scant_learner_free(learner);
  scant_learner_free(other);
}

TEST(the_hinge_takes_signs_alone) {
  static const double bad[] = {0.5, 0, -0.999, 2};
  scant_learner *learner = learner_from("algorithm=aesvr loss=hinge k=8", D, 0);
  scant_look *look = look_for(learner);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    REFUSED(learner, SCANT_DATA, "hinge", tell(learner, look, table_values(&data, 0, look), bad[i]));
  CHECK(tell(learner, look, table_values(&data, 0, look), -1) == SCANT_OK);
  scant_look_free(look);
  scant_learner_free(learner);
}

TEST(an_overflow_is_refused) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    for (int center = 0; center < 2; center++) {
      char list[128];
      snprintf(list, sizeof list, "algorithm=%s k=8%s", scant_algorithm_at(row)->name,
               center ? other_center(scant_algorithm_at(row)) : "");
      scant_learner *learner = learner_from(list, D, N);
      scant_look *look = look_for(learner);
      learn_rows(learner, look, &data, 0, N / 2);
      double large[D];
      for (size_t i = 0; i < D; i++) large[i] = i % 2 ? -1e300 : 1e300;
      do CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      while (!look->count && scant_learner_cancel(learner, look, &error) == SCANT_OK);
      REFUSED(learner, SCANT_DATA, "overflow", tell(learner, look, large, 1e300));
      CHECK(tell(learner, look, table_values(&data, 0, look), 1) == SCANT_OK);
      scant_look_free(look);
      scant_learner_free(learner);
    }
  }
}

/* The first value of an attribute, and a target that comes with an empty look,
 * reach no gradient but do reach the running means. */
TEST(a_running_mean_stays_finite) {
  scant_learner *learner = learner_from("k=4 center=yes x-bound=1e-50", D, 0);
  scant_look *look = look_for(learner);
  double values[D];
  for (size_t i = 0; i < D; i++) values[i] = 1e300;
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  char words[64]; /* attributes are counted from 1 */
  snprintf(words, sizeof words, "the value of attribute %lu overflows", look->attributes[0] + 1ul);
  REFUSED(learner, SCANT_DATA, words, tell(learner, look, values, 1));
  scant_look_free(look);
  scant_learner_free(learner);
  learner = learner_from("algorithm=coinflip k=2 center=yes", D, 0);
  look = look_for(learner);
  for (int i = 0; i < 200; i++) { /* most looks are empty */
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    if (look->count || tell(learner, look, NULL, i % 2 ? -1.5e308 : 1.5e308) != SCANT_OK)
      CHECK(scant_learner_cancel(learner, look, &error) == SCANT_OK);
  }
  CHECK(isfinite(learner->y_moments.mean));
  scant_look_free(look);
  scant_learner_free(learner);
}

/* ---- looks that come late -------------------------------------------------------- */

TEST(looks_may_be_told_late_and_out_of_order) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    char list[128];
    snprintf(list, sizeof list, "algorithm=%s k=8 max-open=5", scant_algorithm_at(row)->name);
    scant_learner *one = learner_from(list, D, N), *two = learner_from(list, D, N);
    tell_late(one, two, &data);
    scant_learner_facts facts;
    scant_learner_get_facts(one, &facts);
    CHECK(facts.told == N && facts.dimension == D);
    CHECK(same_state(one, two));
    scant_learner_free(one);
    scant_learner_free(two);
  }
}

/* ---- the same bits ------------------------------------------------------------------ */

typedef struct worker {
  scant_learner *learner;
  scant_look *look;
  int good; /* the harness counts, and is not made for threads */
} worker;

static void *learn_long(void *user) {
  worker *w = user;
  w->good = 1;
  for (size_t i = 0; i < 50 * N; i++) {
    w->good = w->good && scant_learner_ask(w->learner, w->look, NULL) == SCANT_OK &&
              scant_learner_tell(w->learner, w->look, w->look->count, NULL, table_values(&data, i % N, w->look),
                                 data.y[i % N], NULL) == SCANT_OK;
  }
  return NULL;
}

TEST(two_threads_do_not_disturb_each_other) {
  static const char *const lists[] = {"algorithm=aelr k=4 seed=5", "algorithm=aesvr k=8 seed=6 center=yes"};
  worker alone[2], together[2];
  pthread_t threads[2];
  for (int i = 0; i < 4; i++) {
    worker *w = i < 2 ? &alone[i] : &together[i - 2];
    w->learner = learner_from(lists[i % 2], D, 50 * N);
    w->look = look_for(w->learner);
  }
  for (int i = 0; i < 2; i++) learn_long(&alone[i]);
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, learn_long, &together[i]) == 0);
  for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < 2; i++) CHECK(same_state(alone[i].learner, together[i].learner));
  for (int i = 0; i < 4; i++) {
    worker *w = i < 2 ? &alone[i] : &together[i - 2];
    CHECK(w->good);
    scant_look_free(w->look);
    scant_learner_free(w->learner);
  }
}

TEST(asking_and_telling_allocate_nothing) {
  static const char *const rows[] = {"aerr", "aelr", "aer"};
  static const char *const more[] = {"", " center=yes", " average=last", " max-open=4"};
  for (size_t i = 0; i < 3 * 4; i++) {
    char list[128];
    snprintf(list, sizeof list, "algorithm=%s k=8%s", rows[i / 4], more[i % 4]);
    scant_learner *learner = learner_from(list, D, N);
    scant_look *look = look_for(learner);
    double w[D], intercept;
    allocations_reset();
    learn_rows(learner, look, &data, 0, N);
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    CHECK(scant_learner_cancel(learner, look, &error) == SCANT_OK);
    scant_learner_weights(learner, w, &intercept);
    CHECK(allocations_count() == 0);
    scant_look_free(look);
    scant_learner_free(learner);
  }
  allocations_reset();
  void *volatile kept[] = {malloc(1), calloc(1, 1), realloc(NULL, 1)};
  CHECK(allocations_count() == 3); /* they are counted */
  for (int i = 0; i < 3; i++) free(kept[i]);
}

/* A second learner with the state of the first. */
static scant_learner *twin_of(const scant_learner *learner, const char *list) {
  scant_learner *twin = learner_from(list, D, N);
  char *text = learner_text(learner);
  scant_json json;
  CHECK(scant_json_parse(&json, text, strlen(text), &error) == SCANT_OK);
  if (!CHECK(scant_learner_restore(twin, &json, 0, &error) == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
  scant_json_free(&json);
  free(text);
  CHECK(same_state(learner, twin));
  return twin;
}

static void save_and_go_on(const char *list) {
  scant_learner *one = learner_from(list, D, N);
  scant_look *look = look_for(one), *late = look_for(one);
  for (size_t cut = 0; cut < N; cut += 7) { /* from a fresh learner to one that averages */
    learn_rows(one, look, &data, cut, cut + 3);
    CHECK(scant_learner_ask(one, late, &error) == SCANT_OK); /* open while it is saved */
    scant_learner *two = twin_of(one, list);
    for (int i = 0; i < 2; i++) {
      scant_learner *learner = i ? two : one;
      learn_rows(learner, look, &data, cut, cut + 4);
      CHECK(tell(learner, late, table_values(&data, cut, late), data.y[cut]) == SCANT_OK);
      REFUSED(learner, SCANT_MISUSE, "not open", tell(learner, late, table_values(&data, cut, late), data.y[cut]));
    }
    double w[2][D], intercept[2];
    scant_learner_weights(one, w[0], &intercept[0]);
    scant_learner_weights(two, w[1], &intercept[1]);
    CHECK(same_state(one, two));
    CHECK(memcmp(w[0], w[1], sizeof *w) == 0 && bits_of(intercept[0]) == bits_of(intercept[1]));
    scant_learner_free(two);
  }
  scant_look_free(look);
  scant_look_free(late);
  scant_learner_free(one);
}

TEST(a_saved_learner_goes_on_with_the_same_bits) {
  static const char *const averages[] = {"all", "half", "last", "late"};
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    for (size_t i = 0; i < 8; i++) {
      char list[128];
      snprintf(list, sizeof list, "algorithm=%s k=8 max-open=2 average=%s%s", scant_algorithm_at(row)->name,
               averages[i / 2], i % 2 ? other_center(scant_algorithm_at(row)) : "");
      save_and_go_on(list);
    }
  }
  save_and_go_on("algorithm=aesvr k=8 max-open=2 norm=1");
  save_and_go_on("algorithm=coinflip k=8 max-open=2 norm=1 loss=hinge center=yes");
  save_and_go_on("algorithm=aelr k=8 max-open=2 eta=1e90"); /* every step is clipped */
}

/* Large targets drive w into its ball's border, step for step. */
static void drive(scant_learner *learner, scant_look *look, int steps) {
  double ones[D];
  for (size_t i = 0; i < D; i++) ones[i] = 1;
  for (int i = 0; i < steps; i++) {
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    CHECK(tell(learner, look, ones, i % 5 ? 1e6 : 1) == SCANT_OK);
  }
}

/* Scales that shrink and are folded away, exponents past the range of exp. */
TEST(a_learner_saved_far_out_goes_on_with_the_same_bits) {
  static const char *const lists[] = {"algorithm=aelr k=8 max-open=2 eta=1", "algorithm=aerr k=8 max-open=2 eta=1",
                                      "algorithm=aer k=8 max-open=2 penalty=0.1"};
  for (size_t i = 0; i < 3; i++) {
    scant_learner *one = learner_from(lists[i], D, N);
    scant_look *look = look_for(one);
    drive(one, look, 4000);
    CHECK(i != 0 || one->w.exponent > 0);
    for (int cut = 0; cut < 20; cut++) {
      drive(one, look, 1);
      scant_learner *two = twin_of(one, lists[i]);
      drive(one, look, 13);
      drive(two, look, 13);
      CHECK(same_state(one, two));
      scant_learner_free(two);
    }
    scant_look_free(look);
    scant_learner_free(one);
  }
}

TEST(a_state_of_another_version_is_refused) {
  scant_learner *learner = learner_from("algorithm=auto k=4", TABLE_DIMENSION, 0);
  char *text = learner_text(learner), *field = strstr(text, "\"state\": 3");
  static const char *const words[] = {"of version 2, and this scant reads version 3", "of version 4"};
  for (int i = 0; i < 2 && CHECK(field != NULL); i++) {
    scant_json json;
    field[strlen("\"state\": ")] = i ? '4' : '2';
    CHECK(scant_json_parse(&json, text, strlen(text), &error) == SCANT_OK);
    CHECK(scant_learner_restore(learner, &json, 0, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, words[i]);
    scant_json_free(&json);
  }
  free(text);
  scant_learner_free(learner);
}

/* Values in units that are 4 times as small, and an x-bound of 4: the same steps to the
 * bit, and weights of a fourth. */
TEST(values_are_counted_in_units_of_x_bound) {
  int met = 0;
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    const scant_algorithm *a = scant_algorithm_at(row);
    if (!scant_list_has(a->options, "x-bound") || a->dense) continue; /* those need engines: see engine_test.c */
    char list[2][64];
    double w[2][D], intercept[2];
    met++;
    for (int i = 0; i < 2; i++) {
      snprintf(list[i], sizeof list[i], "algorithm=%s k=8%s", a->name, i ? " x-bound=4" : "");
      scant_learner *learner = learner_from(list[i], D, N);
      scant_look *look = look_for(learner);
      for (size_t r = 0; r < N; r++) {
        double values[D];
        CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
        for (uint32_t j = 0; j < look->count; j++) values[j] = (i ? 4 : 1) * data.x[r][look->attributes[j]];
        CHECK(tell(learner, look, values, data.y[r]) == SCANT_OK);
      }
      scant_learner_weights(learner, w[i], &intercept[i]);
      scant_look_free(look);
      scant_learner_free(learner);
    }
    for (size_t j = 0; j < D; j++)
      if (!CHECK(bits_of(4 * w[1][j]) == bits_of(w[0][j]))) printf("#   %s\n", list[1]);
    CHECK(bits_of(intercept[0]) == bits_of(intercept[1]));
  }
  CHECK(met > 5);
}

/* A target in units that are 4 times as small: the same steps to the bit, where targets
 * are standardised, and all risks 16 times as large. */
TEST(risks_are_in_units_of_the_target) {
  scant_learner *one = learner_from("algorithm=auto k=8", D, N), *four = learner_from("algorithm=auto k=8", D, N);
  scant_look *look = look_for(one), *other = look_for(four);
  scant_learner_facts facts[2];
  int judged = 0;
  for (size_t r = 0; r < N; r++) {
    double risk[2] = {0, 0}, y = data.y[r] + data.x[r][0];
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && scant_learner_ask(four, other, &error) == SCANT_OK);
    CHECK(look->count == other->count && !memcmp(look->attributes, other->attributes, look->count * 4));
    const double *values = table_values(&data, r, look);
    CHECK(scant_learner_judge(one, look, values, y, &risk[0], &error) == SCANT_OK);
    CHECK(scant_learner_judge(four, other, values, 4 * y, &risk[1], &error) == SCANT_OK);
    CHECK(bits_of(16 * risk[0]) == bits_of(risk[1]));
    judged += risk[0] != 0;
    CHECK(tell(one, look, values, y) == SCANT_OK && tell(four, other, values, 4 * y) == SCANT_OK);
  }
  scant_learner_get_facts(one, &facts[0]);
  scant_learner_get_facts(four, &facts[1]);
  CHECK(judged > N / 2 && facts[0].risk != 0 && bits_of(16 * facts[0].risk) == bits_of(facts[1].risk));
  scant_look_free(look);
  scant_look_free(other);
  scant_learner_free(one);
  scant_learner_free(four);
}

/* So many attributes that the law lists only those that were bought: what the others
 * are worth is kept too. */
TEST(a_wide_learner_goes_on_with_the_same_bits) {
  enum { WIDE = 3000 };
  static const char *const lists[] = {"algorithm=ridge k=8", "algorithm=auto k=8",
                                      "algorithm=lasso k=8 like-units=yes"};
  for (size_t i = 0; i < 3; i++) {
    scant_learner *one = learner_from(lists[i], WIDE, 200), *two = NULL;
    scant_look *look = look_for(one), *other = look_for(one);
    uint64_t seed = 3;
    for (int t = 0; t < 100; t++) {
      double values[16], y = random_real(&seed);
      CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && look->count <= 16);
      for (uint32_t j = 0; j < look->count; j++) values[j] = 7 * random_real(&seed);
      CHECK(tell(one, look, values, y) == SCANT_OK);
    }
    char *text = NULL;
    size_t length;
    CHECK(scant_learner_save(one, &text, &length, &error) == SCANT_OK);
    CHECK(scant_learner_load(&two, text, length, NULL, &error) == SCANT_OK);
    scant_text_free(text);
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && scant_learner_ask(two, other, &error) == SCANT_OK);
    CHECK(look->count == other->count && !memcmp(look->attributes, other->attributes, look->count * 4));
    for (uint32_t j = 0; j < look->count; j++)
      CHECK(bits_of(look->gradient_probability[j]) == bits_of(other->gradient_probability[j]));
    scant_look_free(look);
    scant_look_free(other);
    scant_learner_free(one);
    scant_learner_free(two);
  }
}

/* Squares of such values are next to nothing, but it is deviations that count. */
TEST(tiny_units_are_units) {
  scant_learner *plain = learner_from("algorithm=auto k=4", TABLE_DIMENSION, 0);
  scant_learner *tiny = learner_from("algorithm=auto k=4", TABLE_DIMENSION, 0);
  scant_look *look = look_for(plain), *other = look_for(tiny);
  double w[TABLE_DIMENSION], small[TABLE_DIMENSION], values[TABLE_DIMENSION];
  for (size_t row = 0; row < TABLE_ROWS; row++) {
    CHECK(scant_learner_ask(plain, look, &error) == SCANT_OK && scant_learner_ask(tiny, other, &error) == SCANT_OK);
    const double *x = table_values(&data, row, look);
    for (uint32_t i = 0; i < look->count; i++) values[i] = look->attributes[i] == 2 ? x[i] * 0x1p-518 : x[i];
    CHECK(scant_learner_tell(plain, look, look->count, look->attributes, x, data.y[row], &error) == SCANT_OK);
    CHECK(scant_learner_tell(tiny, other, other->count, look->attributes, values, data.y[row], &error) == SCANT_OK);
  }
  scant_learner_weights(plain, w, NULL);
  scant_learner_weights(tiny, small, NULL);
  for (size_t i = 0; i < TABLE_DIMENSION; i++)
    CHECK_NEAR(i == 2 ? small[i] * 0x1p-518 : small[i], w[i], 1e-6 * fabs(w[i]) + 1e-12);
  scant_look_free(look);
  scant_look_free(other);
  scant_learner_free(plain);
  scant_learner_free(tiny);
}

int main(void) {
  table_fill(&data, 1);
  RUN(a_look_is_told_once);
  RUN(a_look_of_another_learner_is_refused);
  RUN(an_answer_must_fit_the_look);
  RUN(no_more_looks_are_open_than_agreed);
  RUN(a_cancelled_look_can_be_opened_again);
  RUN(the_hinge_takes_signs_alone);
  RUN(an_overflow_is_refused);
  RUN(a_running_mean_stays_finite);
  RUN(looks_may_be_told_late_and_out_of_order);
  RUN(two_threads_do_not_disturb_each_other);
  RUN(asking_and_telling_allocate_nothing);
  RUN(a_saved_learner_goes_on_with_the_same_bits);
  RUN(a_learner_saved_far_out_goes_on_with_the_same_bits);
  RUN(a_state_of_another_version_is_refused);
  RUN(values_are_counted_in_units_of_x_bound);
  RUN(risks_are_in_units_of_the_target);
  RUN(a_wide_learner_goes_on_with_the_same_bits);
  RUN(tiny_units_are_units);
  return check_done();
}
