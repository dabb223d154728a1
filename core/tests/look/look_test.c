/* Looks are kept outside of the learner and may come back damaged; many may be
 * open at once. */
#include "support.h"

static scant_error error;

/* ---- damage --------------------------------------------------------------- */

enum { D = 20 };
static const double values[D] = {0.1, 0.2, -0.1, 0.3, 0.05};

/* Each is a way in which a stored look can be wrong. */
static void item_past_the_end(scant_look *look) {
  look->item[0] = D;
}
static void attribute_past_the_end(scant_look *look) {
  look->attributes[0] = D;
}
static void probability_zero(scant_look *look) {
  look->gradient_probability[0] = look->residual_probability[0] = 0;
}
static void probability_nan(scant_look *look) {
  look->gradient_probability[0] = look->residual_probability[0] = NAN;
}
static void weight_infinite(scant_look *look) {
  look->weight[0] = INFINITY;
}
static void draws_missing(scant_look *look) {
  look->residual_total++;
}
static void gradient_missing(scant_look *look) {
  look->gradient_total = 0;
}
static void scale_nan(scant_look *look) {
  look->gradient_scale = NAN;
}
static void order_huge(scant_look *look) {
  look->call[0].order = 100000;
}
static void group_zero(scant_look *look) {
  look->call[0].group = 0;
}
static void calls_too_many(scant_look *look) {
  look->calls = 3;
}
static void sequence_past_the_end(scant_look *look) {
  look->sequence[0] = look->count;
}
static void sequence_short(scant_look *look) {
  look->sequence_count--;
}
static void larger_than_its_room(scant_look *look) {
  look->count = (uint32_t)look->capacity + 1;
}

TEST(damaged_looks_are_refused) {
  void (*const damages[])(scant_look *) = {
      item_past_the_end, attribute_past_the_end, probability_zero, probability_nan,     weight_infinite,
      draws_missing,     gradient_missing,       scale_nan,        order_huge,          group_zero,
      calls_too_many,    sequence_past_the_end,  sequence_short,   larger_than_its_room};
  scant_learner *learner = learner_from("algorithm=aesvr k=15 smoothing=2", D, 100);
  scant_look *look = look_for(learner);
  for (int t = 0; t < 3; t++) { /* so that w is not 0 and GenEst draws */
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    CHECK(scant_learner_tell(learner, look, look->count, NULL, values, 1, &error) == SCANT_OK);
  }
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    CHECK(look->calls == 2 && look->sequence_count > 0);
    char *before = learner_text(learner);
    scant_look kept = *look, *copy = look_copy(look);
    damages[i](look);
    size_t count = look->count;
    if (!CHECK(scant_learner_tell(learner, look, count, NULL, values, 1, &error) == SCANT_MISUSE))
      printf("#   damage %zu was taken\n", i);
    CHECK_SAYS(error.text, "look");
    char *after = learner_text(learner);
    CHECK(strcmp(before, after) == 0);
    free(before);
    free(after);
    *look = kept; /* mended, it is taken */
    look->attributes[0] = copy->attributes[0];
    look->item[0] = copy->item[0];
    look->gradient_probability[0] = copy->gradient_probability[0];
    look->residual_probability[0] = copy->residual_probability[0];
    look->weight[0] = copy->weight[0];
    look->sequence[0] = copy->sequence[0];
    scant_look_free(copy);
    CHECK(scant_learner_tell(learner, look, look->count, NULL, values, 1, &error) == SCANT_OK);
  }
  scant_look_free(look);
  scant_learner_free(learner);
}

/* ---- many at once ----------------------------------------------------------- */

/* Told in any order, each is open until it is told and not after. */
TEST(many_looks_are_open_at_once) {
  enum { MOST = 300 };
  scant_learner *learner = learner_from("k=4 max-open=300", D, 0);
  static scant_look *looks[MOST];
  static int told[MOST];
  uint64_t random = 1;
  for (size_t i = 0; i < MOST; i++) {
    looks[i] = look_for(learner);
    CHECK(scant_learner_ask(learner, looks[i], &error) == SCANT_OK);
  }
  CHECK(learner->open.count == MOST);
  for (int t = 0; t < 5000; t++) {
    size_t i = random_below(&random, MOST);
    scant_status status = scant_learner_tell(learner, looks[i], looks[i]->count, NULL, values, 0.5, &error);
    CHECK(status == (told[i] ? SCANT_MISUSE : SCANT_OK));
    told[i] = 1;
    if (random_below(&random, 3) == 0) {
      CHECK(scant_learner_ask(learner, looks[i], &error) == SCANT_OK);
      told[i] = 0;
    }
  }
  size_t open = 0;
  for (size_t i = 0; i < MOST; i++) {
    open += !told[i];
    scant_look_free(looks[i]);
  }
  CHECK(learner->open.count == open);
  scant_learner_free(learner);
}

/* Of the rows without GenEst too: what is told back must not lead out of its arrays,
 * nor spoil the looks that follow. */
static void draws_out_of_sequence(scant_look *look) {
  look->sequence_count = 0;
  look->residual_total = look->residual_draws[0] = 1000000;
}
static void attribute_twice(scant_look *look) {
  look->attributes[look->count - 1] = look->count > 1 ? look->attributes[0] : 99;
}
static void longer_than_the_row(scant_look *look) {
  for (uint32_t i = 0; i < look->capacity; i++) {
    look->attributes[i] = look->item[i] = i % 5;
    look->gradient_draws[i] = look->residual_draws[i] = 0;
    look->gradient_probability[i] = look->residual_probability[i] = 1;
    look->weight[i] = look->mean[i] = 0;
  }
  look->count = (uint32_t)look->capacity;
}
static void drawn_too_often(scant_look *look) {
  look->gradient_draws[0] = UINT32_MAX;
}

TEST(damage_is_refused_and_leaves_nothing_behind) {
  static const char *const lists[] = {"algorithm=aerr k=4", "algorithm=auto k=4", "algorithm=svr k=4"};
  static void (*const damages[])(scant_look *) = {draws_out_of_sequence, attribute_twice, longer_than_the_row,
                                                  drawn_too_often};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (size_t j = 0; j < sizeof damages / sizeof *damages; j++) {
      scant_learner *one = learner_from(lists[i], 5, 100), *two = learner_from(lists[i], 5, 100);
      scant_look *look = look_for(one), *other = look_for(two), *bad = NULL;
      for (int t = 0; t < 40; t++) {
        CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && scant_learner_ask(two, other, &error) == SCANT_OK);
        CHECK(look->count == other->count);
        CHECK(memcmp(look->attributes, other->attributes, look->count * sizeof *look->attributes) == 0);
        bad = look_copy(look);
        scant_look_reserve(bad, 16, 1);
        damages[j](bad);
        if (!CHECK(scant_learner_tell(one, bad, bad->count, NULL, values, 1, &error) == SCANT_MISUSE))
          printf("#   %s, damage %zu\n", lists[i], j);
        scant_look_free(bad);
        CHECK(scant_learner_tell(one, look, look->count, NULL, values, 1, &error) == SCANT_OK);
        CHECK(scant_learner_tell(two, other, other->count, NULL, values, 1, &error) == SCANT_OK);
      }
      scant_look_free(look);
      scant_look_free(other);
      scant_learner_free(one);
      scant_learner_free(two);
    }
}

int main(void) {
  RUN(damaged_looks_are_refused);
  RUN(many_looks_are_open_at_once);
  RUN(damage_is_refused_and_leaves_nothing_behind);
  return check_done();
}
