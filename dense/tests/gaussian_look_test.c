/* The looks of the row gaussian: K, its law, and what must not change them. */
#include "sample.h"

/* ---- looks --------------------------------------------------------------------------- */

TEST(a_look_has_k_distinct_attributes) {
  static const char *const lists[] = {"k=2", "k=3", "k=5", "k=13", "k=14"};
  static const uint32_t ks[] = {2, 3, 5, 13, 14};
  sample s = sample_new(200, D, 1);
  for (size_t r = 0; r < 5; r++) {
    scant_learner *l = open_learner(lists[r], D);
    scant_look *look = look_for(l);
    for (size_t row = 0; row < 120; row++) {
      unsigned met = 0;
      CHECK(learn_row(l, look, &s, row) == SCANT_OK && look->count == ks[r]);
      for (uint32_t i = 0; i < look->count; i++) {
        CHECK(look->attributes[i] < D && !(met >> look->attributes[i] & 1));
        met |= 1u << look->attributes[i];
      }
    }
    CHECK(scant_gaussian_of(l)->chosen_at > 0 && scant_gaussian_of(l)->renew_at > 120);
    scant_look_free(look);
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* Between two renewals, what is told does not change what is asked: one learner is
 * told at once, the other at the end, in another order, with looks that are cancelled. */
TEST(the_law_of_a_batch_is_fixed) {
  enum { WAITING = 10 };
  sample s = sample_new(N, D, 2);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4 max-open=64", D);
  scant_look *look[2] = {look_for(a), look_for(b)}, *kept[WAITING];
  size_t row = 0;
  while (scant_gaussian_of(a)->renew_at < 90 || a->told + 2 * WAITING > scant_gaussian_of(a)->renew_at) {
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
    row++;
  }
  CHECK(scant_gaussian_of(a)->chosen_at > 0 && row < N - 2 * WAITING);
  double follow[D], explore[D];
  memcpy(follow, scant_gaussian_of(b)->follow, sizeof follow);
  memcpy(explore, scant_gaussian_of(b)->explore, sizeof explore);
  for (size_t i = 0; i < WAITING; i++) {
    CHECK(learn_row(a, look[0], &s, row + i) == SCANT_OK && scant_learner_ask(b, look[1], &error) == SCANT_OK);
    CHECK(look[0]->count == 4 && !memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
    kept[i] = look_copy(look[1]);
  }
  for (size_t i = WAITING; i-- > 1;) CHECK(tell_row(b, kept[i], &s, row + i) == SCANT_OK);
  CHECK(scant_learner_cancel(b, kept[0], &error) == SCANT_OK);
  CHECK(tell_row(b, kept[0], &s, row) == SCANT_MISUSE && tell_row(b, kept[1], &s, row) == SCANT_MISUSE);
  CHECK(!memcmp(follow, scant_gaussian_of(b)->follow, sizeof follow));
  CHECK(!memcmp(explore, scant_gaussian_of(b)->explore, sizeof explore));
  CHECK(b->told == row + WAITING - 1 && scant_gaussian_of(b)->looks.examples == b->told);
  teach(b, &s, row + WAITING, N); /* and it goes on */
  CHECK(scant_learner_finish(b, &error) == SCANT_OK);
  CHECK(memcmp(follow, scant_gaussian_of(b)->follow, sizeof follow) != 0); /* renewed since */
  for (size_t i = 0; i < WAITING; i++) scant_look_free(kept[i]);
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

/* Of looks by a law that is set by hand. */
static void count_looks(scant_learner *l, size_t looks, double *count) {
  scant_look *look = look_for(l);
  memset(count, 0, l->dimension * sizeof *count);
  for (size_t r = 0; r < looks; r++) {
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == l->settings.learning.k);
    for (uint32_t i = 0; i < look->count; i++) count[look->attributes[i]]++;
    CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  }
  scant_look_free(look);
}

/* A share of the looks, but not most, goes to what explains nothing; by the law of
 * exploring, and of following, in proportion. */
TEST(looks_follow_and_explore) {
  enum { LOOKS = 6000, WIDE = 30, FOLLOWED = 12 };
  static const char *const lists[] = {"k=2", "k=5"};
  for (size_t r = 0; r < 2; r++) {
    scant_learner *l = open_learner(lists[r], WIDE);
    scant_gaussian_state *s = scant_gaussian_of(l);
    double count[WIDE], k = r ? 5 : 2, outside = 0;
    count_looks(l, LOOKS, count); /* at first evenly */
    for (size_t j = 0; j < WIDE; j++) CHECK_NEAR(count[j], LOOKS * k / WIDE, 5 * sqrt(LOOKS * k / WIDE));
    s->chosen_at = 1;
    s->renew_at = 1 << 20;
    for (size_t j = 0; j < FOLLOWED; j++) s->follow[j] = j ? 0.01 : 0.03;
    s->explore[WIDE - 1] = 0.25;
    count_looks(l, LOOKS, count);
    for (size_t j = FOLLOWED; j < WIDE; j++) outside += count[j] / (LOOKS * k);
    CHECK(outside > 0.05 && outside < 0.4);
    double even = LOOKS * k * outside / (WIDE - FOLLOWED - 1 + 0.25);
    for (size_t j = FOLLOWED; j < WIDE; j++) {
      double wanted = j == WIDE - 1 ? 0.25 * even : even;
      CHECK_NEAR(count[j], wanted, 5 * sqrt(wanted) + 0.06 * wanted); /* without replacement, so about */
    }
    for (size_t j = 2; j < FOLLOWED; j++) CHECK_NEAR(count[j], count[1], 7 * sqrt(count[1]));
    CHECK(count[0] > (r ? 1.5 : 2) * count[1]);
    for (size_t j = 0; j < WIDE; j++) s->follow[j] = j == 3; /* fewer than there are looks */
    count_looks(l, LOOKS, count);
    CHECK(count[3] > 0.5 * LOOKS && count[3] <= LOOKS);
    scant_learner_free(l);
  }
}

/* What explains the target is looked at most, what never varied least, and nothing is
 * given up. */
TEST(the_law_goes_where_it_helps) {
  enum { WIDE = 40, ROWS = 1400, VARY = 36, EVEN = ROWS * 4 / WIDE, SEEDS = 4 };
  sample s = {ROWS, WIDE, calloc(ROWS * WIDE, sizeof(double)), calloc(ROWS, sizeof(double))};
  uint64_t seed = 4;
  for (size_t row = 0; row < ROWS; row++) {
    double *x = s.x + row * WIDE;
    for (size_t j = 0; j < WIDE; j++) x[j] = j >= VARY ? 7 : random_normal(&seed);
    s.y[row] = x[0] + x[1] - x[2] + random_normal(&seed) / 2;
  }
  double useful = 0, useless = 0; /* over several seeds: when the law finds them is chance */
  for (int k = 1; k <= SEEDS; k++) {
    char list[32];
    snprintf(list, sizeof list, "k=4 seed=%d", k);
    scant_learner *l = learned(list, &s, ROWS);
    const scant_gaussian_state *state = scant_gaussian_of(l);
    double w[WIDE], intercept, law[2] = {0};
    scant_learner_weights(l, w, &intercept);
    for (size_t j = 0; j < WIDE; j++) {
      double count = (double)l->moments[j].count;
      CHECK(count > 3 && state->explore[j] > 0 && state->follow[j] >= 0);
      if (j < VARY) law[j < 3] += state->follow[j] / (j < 3 ? 3 : VARY - 3);
      if (j < 3)
        useful += count / 3 / SEEDS;
      else if (j < VARY)
        useless += count / (VARY - 3) / SEEDS;
      if (j < VARY)
        CHECK(state->explore[j] == 1 && (fabs(w[j]) > 0.3) == (j < 3));
      else
        CHECK(count < EVEN / 2 && w[j] == 0 && state->explore[j] < 0.5);
    }
    CHECK(law[1] > 2 * law[0]);
    CHECK(state->renew_at > ROWS && state->chosen_at > ROWS / 4 && state->chosen_at <= ROWS);
    scant_learner_free(l);
  }
  CHECK(useful > 1.7 * EVEN && useful > 1.7 * useless);
  sample_free(&s);
}

TEST(looks_are_checked_and_told_once) {
  scant_learner *l = open_learner("k=3", D);
  scant_look *look = look_for(l);
  double values[D] = {1, 2, 3};
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
  uint32_t kept = look->attributes[1];
  look->attributes[1] = look->attributes[0];
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  look->attributes[1] = kept;
  values[2] = INFINITY;
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_DATA);
  CHECK(scant_gaussian_of(l)->looks.examples == 0);
  values[2] = NAN; /* skip-cell: no part of it */
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_OK);
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  CHECK(scant_gaussian_of(l)->looks.examples == 1 && scant_gaussian_of(l)->looks.size[0] == 2);
  CHECK(scant_learner_share(l, look, look, &error) == SCANT_USAGE);
  scant_look_free(look);
  scant_learner_free(l);
}

/* ---- the same bits ---------------------------------------------------------------------- */

TEST(reading_the_regressor_changes_nothing_that_follows) {
  sample s = sample_new(N, D, 3);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4", D);
  scant_look *look[2] = {look_for(a), look_for(b)};
  double w[2][D], c[2];
  for (size_t row = 0; row < 150; row++) {
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
    CHECK(!memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
    if (row % 7 == 0) {
      CHECK(scant_learner_finish(b, &error) == SCANT_OK && scant_learner_finish(b, &error) == SCANT_OK);
      scant_learner_weights(b, w[1], &c[1]);
    }
    CHECK(same_state(a, b));
  }
  CHECK(scant_learner_finish(a, &error) == SCANT_OK && scant_learner_finish(b, &error) == SCANT_OK);
  scant_learner_weights(a, w[0], &c[0]);
  scant_learner_weights(b, w[1], &c[1]);
  CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1] && w[0][0] != 0);
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

/* The regressor is a function of what was told.  Just before the law is due to be renewed, one learner is read at
 * once, and the other after an ask that renews it (and keeps or makes its choice), which is then cancelled. */
TEST(an_ask_before_reading_changes_nothing) {
  sample s = sample_new(N, D, 6);
  scant_learner *grown = open_learner("k=4", D);
  int renewals = 0, learned_any = 0;
  for (size_t row = 0; row < 200; row++) {
    if (scant_gaussian_of(grown)->renew_at == row) {
      scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4", D);
      teach(a, &s, 0, row);
      teach(b, &s, 0, row);
      scant_look *look = look_for(b);
      uint64_t before = scant_gaussian_of(b)->renew_at;
      CHECK(scant_learner_ask(b, look, &error) == SCANT_OK && scant_gaussian_of(b)->renew_at > before);
      CHECK(scant_learner_cancel(b, look, &error) == SCANT_OK);
      double w[2][D], c[2];
      scant_learner_facts facts[2];
      CHECK(scant_learner_finish(a, &error) == SCANT_OK && scant_learner_finish(b, &error) == SCANT_OK);
      scant_learner_weights(a, w[0], &c[0]);
      scant_learner_weights(b, w[1], &c[1]);
      scant_learner_get_facts(a, &facts[0]);
      scant_learner_get_facts(b, &facts[1]);
      CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
      CHECK(facts[0].likelihood == facts[1].likelihood && facts[0].penalty == facts[1].penalty);
      CHECK(isfinite(facts[0].risk) && facts[0].risk == facts[1].risk && isfinite(facts[0].risk_error));
      renewals++, learned_any += w[0][0] != 0;
      scant_look_free(look);
      scant_learner_free(a);
      scant_learner_free(b);
    }
    teach(grown, &s, row, row + 1);
  }
  CHECK(renewals >= 5 && learned_any >= 4); /* of which some choose anew and some do not */
  scant_learner_free(grown);
  sample_free(&s);
}

TEST(threads_do_not_change_a_bit) {
  sample s = sample_new(N, D, 3);
  double w[3][D], c[3];
  for (size_t t = 0; t < 3; t++) {
    static const char *const lists[] = {"k=4 threads=1", "k=4 threads=2", "k=4 threads=7"};
    scant_learner *l = learned(lists[t], &s, 130);
    scant_learner_weights(l, w[t], &c[t]);
    CHECK(!memcmp(w[0], w[t], sizeof w[0]) && c[0] == c[t]);
    scant_learner_free(l);
  }
  sample_free(&s);
}

int main(void) {
  RUN(a_look_has_k_distinct_attributes);
  RUN(the_law_of_a_batch_is_fixed);
  RUN(looks_follow_and_explore);
  RUN(the_law_goes_where_it_helps);
  RUN(looks_are_checked_and_told_once);
  RUN(reading_the_regressor_changes_nothing_that_follows);
  RUN(an_ask_before_reading_changes_nothing);
  RUN(threads_do_not_change_a_bit);
  return check_done();
}
