/* Learners and looks as texts: what comes back is the same for ever after, and what is
 * damaged is refused. */
#include "keep.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, OPEN = 3, AFTER = 60 };

static table data;
static scant_error error;

static scant_status tell(scant_learner *learner, const scant_look *look, size_t row) {
  return scant_learner_tell(learner, look, look->count, look->attributes, table_values(&data, row % N, look),
                            data.y[row % N], &error);
}

static void learn(scant_learner *learner, scant_look *look, size_t from, size_t count) {
  for (size_t row = from; row < from + count; row++) {
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    if (!CHECK(tell(learner, look, row) == SCANT_OK)) printf("#   %s\n", error.text);
  }
}

/* ---- the same bits ------------------------------------------------------------- */

static int same_reals(const double *a, const double *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bits_of(a[i]) != bits_of(b[i]) && !(isnan(a[i]) && isnan(b[i]))) return 0;
  return 1;
}

static int same_places(const uint32_t *a, const uint32_t *b, size_t count) {
  return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

/* Field by field, so that a field that is in no text is noticed. */
static int same_look(const scant_look *a, const scant_look *b) {
  size_t n = a->count;
  int calls = a->calls == b->calls;
  for (uint32_t c = 0; calls && c < a->calls; c++)
    calls = a->call[c].order == b->call[c].order && a->call[c].group == b->call[c].group;
  return calls && a->learner == b->learner && a->serial == b->serial && n == b->count && a->draws == b->draws &&
         a->gradient_total == b->gradient_total && a->residual_total == b->residual_total &&
         a->sequence_count == b->sequence_count && same_reals(&a->gradient_scale, &b->gradient_scale, 1) &&
         same_reals(&a->y_mean, &b->y_mean, 1) && same_reals(&a->intercept, &b->intercept, 1) &&
         same_places(a->attributes, b->attributes, n) && same_places(a->item, b->item, n) &&
         same_places(a->gradient_draws, b->gradient_draws, n) && same_places(a->residual_draws, b->residual_draws, n) &&
         same_reals(a->gradient_probability, b->gradient_probability, n) &&
         same_reals(a->residual_probability, b->residual_probability, n) && same_reals(a->weight, b->weight, n) &&
         same_reals(a->mean, b->mean, n) && same_places(a->sequence, b->sequence, a->sequence_count);
}

static scant_look *look_again(const scant_look *look) {
  size_t length;
  char *text = saved_look(look, &length);
  scant_look *again = loaded_look(text, length);
  CHECK(same_look(look, again));
  CHECK(same_text(text, saved_look(again, &length)));
  scant_text_free(text);
  return again;
}

/* Asks, tells and weights of two learners, whose open looks are told out of order. */
static void go_on_alike(scant_learner *one, scant_learner *two, scant_look *const *mine, scant_look *const *yours) {
  static const size_t order[OPEN] = {2, 0, 1};
  scant_look *look = look_for(one);
  scant_look *other = look_again(look); /* an empty one, without room: ask makes it */
  size_t length;
  for (size_t i = 0; i < AFTER; i++) {
    if (i % 20 == 7) {
      size_t late = order[i / 20];
      CHECK(tell(one, mine[late], i) == SCANT_OK && tell(two, yours[late], i) == SCANT_OK);
      CHECK(tell(two, yours[late], i) == SCANT_MISUSE);
      CHECK_SAYS(error.text, "not open");
    }
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK && scant_learner_ask(two, other, &error) == SCANT_OK);
    CHECK(same_look(look, other));
    CHECK(tell(one, look, i) == SCANT_OK && tell(two, other, i) == SCANT_OK);
  }
  double w[2][D], intercept[2];
  scant_learner_weights(one, w[0], &intercept[0]);
  scant_learner_weights(two, w[1], &intercept[1]);
  CHECK(memcmp(w[0], w[1], sizeof *w) == 0 && bits_of(intercept[0]) == bits_of(intercept[1]));
  char *text = saved_learner(one, &length);
  CHECK(same_text(text, saved_learner(two, &length)));
  scant_text_free(text);
  scant_look_free(look);
  scant_look_free(other);
}

/* A learner that was told `told` examples and has looks open, and what comes back; then
 * without the first one and its prices. */
static void keep_and_go_on(const char *list, const scant_prices *prices, size_t told, uint64_t horizon) {
  scant_learner *one = learner_from(list, D, horizon);
  scant_look *mine[OPEN], *yours[OPEN], *look;
  size_t length;
  if (prices && !CHECK(scant_learner_price(one, prices, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  look = look_for(one);
  learn(one, look, 0, told);
  for (size_t i = 0; i < OPEN; i++) {
    mine[i] = look_for(one);
    CHECK(scant_learner_ask(one, mine[i], &error) == SCANT_OK);
    yours[i] = look_again(mine[i]);
  }
  char *text = saved_learner(one, &length);
  scant_learner *two = loaded_learner(text, length);
  CHECK(two && two->tag == one->tag && two->settings.learning.max_open == 4);
  CHECK(same_text(text, saved_learner(two, &length)));
  scant_text_free(text);
  go_on_alike(one, two, mine, yours);
  for (size_t i = 0; i < OPEN; i++) scant_look_free(mine[i]), scant_look_free(yours[i]);
  scant_look_free(look);
  scant_learner_free(one);
  scant_learner_free(two);
}

static void each_amount(const char *list) {
  for (uint64_t horizon = 0; horizon <= 600; horizon += 600) {
    if (!horizon && is_row(list, "ddaerr ddaelr aer")) continue; /* they need one */
    keep_and_go_on(list, NULL, 0, horizon);
    keep_and_go_on(list, NULL, 1, horizon);
    keep_and_go_on(list, NULL, 500, horizon);
  }
}

TEST(a_loaded_learner_goes_on_with_the_same_bits) {
  each_row("max-open=4", each_amount);
  each_amount("algorithm=aesvr k=8 max-open=4 norm=1 loss=hinge");
  each_amount("algorithm=aerr k=8 max-open=4 residual-looks=3 replacement=no x-bound=0.3 seed=18446744073709551615");
  each_amount("algorithm=aer k=8 max-open=4 penalty=0.3 average=late passes=2");
  each_amount("algorithm=svr k=9 max-open=4 loss=logistic like-units=yes");
}

static void each_priced(const char *list) {
  if (!is_row(list, PRICED_ROWS)) return;
  scant_prices *prices = some_prices();
  for (size_t told = 0; told <= 500; told = told ? 5 * told : 4) keep_and_go_on(list, prices, told, 600);
  keep_and_go_on(list, prices, 1, 0);
  scant_prices_free(prices);
}

TEST(a_loaded_learner_has_its_prices) {
  each_row("max-open=4", each_priced);
  each_row("max-open=4 spend=9", each_priced);
  each_row("max-open=4 spend=7.5 budget-cost=900", each_priced);
  each_row("max-open=4 budget-cost=900 thrift=no", each_priced);
}

/* They go with the first learner; the second has its own. */
TEST(a_loaded_learner_outlives_the_prices_it_was_saved_with) {
  scant_prices *prices = some_prices();
  scant_learner *one = learner_from("algorithm=auto k=8 spend=9", D, 0);
  CHECK(scant_learner_price(one, prices, &error) == SCANT_OK);
  scant_look *look = look_for(one);
  learn(one, look, 0, 100);
  size_t length;
  char *text = saved_learner(one, &length), *copy = bytes_copy(text, length);
  scant_prices_free(prices);
  scant_learner_free(one);
  scant_learner *two = loaded_learner(text, length);
  memset(text, 'x', length);
  scant_text_free(text);
  learn(two, look, 0, 200);
  prices = some_prices();
  scant_learner *three = loaded_learner(copy, length);
  learn(three, look, 0, 200);
  CHECK(same_state(two, three));
  CHECK(scant_learner_price(two, prices, &error) == SCANT_MISUSE);
  free(copy);
  scant_prices_free(prices);
  scant_look_free(look);
  scant_learner_free(two);
  scant_learner_free(three);
}

/* A loaded look has room for itself; of the learner that it is given to, ask makes room. */
TEST(a_loaded_look_can_be_asked_for_again) {
  scant_learner *small = learner_from("algorithm=aerr k=2", D, 0),
                *large = learner_from("algorithm=online-ridge", 500, 0);
  scant_look *look = look_for(small), *again;
  CHECK(scant_learner_ask(small, look, &error) == SCANT_OK);
  again = look_again(look);
  CHECK(scant_learner_ask(large, again, &error) == SCANT_OK);
  CHECK(again->count == 500 && again->capacity >= 500);
  scant_look_free(look);
  scant_look_free(again);
  scant_learner_free(small);
  scant_learner_free(large);
}

/* ---- what is refused -------------------------------------------------------------- */

static scant_status try_learner(const char *text, size_t length, scant_error *why) {
  scant_learner *learner = NULL;
  scant_status status = scant_learner_load(&learner, text, length, NULL, why);
  if (status != SCANT_OK) {
    CHECK(learner == NULL);
    return status;
  }
  scant_look *look = look_for(learner); /* whatever was let in must do no harm */
  for (size_t row = 0; row < 3; row++)
    if (scant_learner_ask(learner, look, NULL) == SCANT_OK) tell(learner, look, row);
  double w[D];
  if (learner->dimension == D) scant_learner_weights(learner, w, NULL);
  scant_look_free(look);
  scant_learner_free(learner);
  return SCANT_OK;
}

static scant_learner *asker; /* of the looks below */

static scant_status try_look(const char *text, size_t length, scant_error *why) {
  scant_look *look = NULL;
  scant_status status = scant_look_load(&look, text, length, why);
  if (status != SCANT_OK) {
    CHECK(look == NULL);
    return status;
  }
  double values[4 * D] = {0};
  size_t length_of_state;
  if (look->count < 4 * D) { /* told to a copy of its learner, it must do no harm */
    char *state = saved_learner(asker, &length_of_state);
    scant_learner *copy = loaded_learner(state, length_of_state);
    scant_learner_tell(copy, look, look->count, NULL, values, 1, NULL);
    scant_learner_free(copy);
    scant_text_free(state);
  }
  scant_look_free(look);
  return SCANT_OK;
}

/* A text of every kind of learner, with everything that it can hold. */
static char *text_of(const char *list, int priced, size_t told, size_t *length) {
  scant_learner *learner = learner_from(list, D, 600);
  scant_prices *prices = some_prices();
  if (priced) CHECK(scant_learner_price(learner, prices, &error) == SCANT_OK);
  scant_look *look = look_for(learner);
  learn(learner, look, 0, told);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  char *text = saved_learner(learner, length);
  scant_prices_free(prices);
  scant_look_free(look);
  scant_learner_free(learner);
  return text;
}

TEST(damaged_learners_are_refused) {
  size_t length;
  char *text = text_of("algorithm=auto k=4 spend=9 max-open=2", 1, 30, &length);
  check_damaged(text, length, try_learner);
  scant_text_free(text);
  text = text_of("algorithm=aelr k=3 max-open=2", 0, 30, &length);
  check_damaged(text, length, try_learner);
  scant_text_free(text);
}

static void damage_fields(const char *list) {
  size_t length;
  int priced = is_row(list, PRICED_ROWS);
  char *text = text_of(list, priced, 61, &length);
  scant_json json;
  CHECK(scant_json_parse(&json, text, length, NULL) == SCANT_OK);
  check_fields(text, 0, "costs panels", try_learner);
  check_fields(text, scant_json_member(&json, 0, "settings"), "", try_learner);
  check_fields(text, scant_json_member(&json, 0, "learner"), "", try_learner);
  scant_json_free(&json);
  scant_text_free(text);
}

TEST(fields_of_learners_are_checked) {
  each_row("max-open=2", damage_fields);
}

/* Other digits, with the checksum right: refused, or a learner like any other. */
static void damage_digits(const char *list) {
  size_t length;
  uint64_t random = 7;
  char *text = text_of(list, is_row(list, PRICED_ROWS), 61, &length);
  for (int trial = 0; trial < 300; trial++) {
    char *copy = bytes_copy(text, length);
    for (int changes = 0; changes < 3;) {
      size_t at = random_below(&random, length);
      if (copy[at] < '0' || copy[at] > '9') continue;
      copy[at] = (char)('0' + random_below(&random, 10));
      changes++;
    }
    reseal(copy);
    scant_error why = {""};
    scant_status status = try_learner(copy, length, &why);
    CHECK(status == SCANT_OK || (status == SCANT_DATA && why.text[0]));
    free(copy);
  }
  scant_text_free(text);
}

TEST(other_digits_do_no_harm) {
  each_row("max-open=2", damage_digits);
}

TEST(damaged_looks_are_refused) {
  static const char *const lists[] = {"algorithm=auto k=6 max-open=2", "algorithm=aesvr k=8 max-open=2",
                                      "algorithm=aer k=4 max-open=2", "algorithm=aerr k=4 center=yes max-open=2"};
  for (size_t i = 0; i < 4; i++) {
    asker = learner_from(lists[i], D, 600);
    scant_look *look = look_for(asker);
    size_t length;
    learn(asker, look, 0, 20);
    CHECK(scant_learner_ask(asker, look, &error) == SCANT_OK);
    char *text = saved_look(look, &length);
    if (!i) check_damaged(text, length, try_look);
    check_fields(text, 0, "", try_look);
    scant_text_free(text);
    scant_look_free(look);
    scant_learner_free(asker);
  }
}

/* The draws of the residual are places of the look. */
TEST(places_of_looks_are_checked) {
  scant_learner *learner = learner_from("algorithm=aerr k=4 residual-looks=2", D, 0);
  scant_look *look = look_for(learner), *again = NULL;
  size_t length;
  learn(learner, look, 0, 5);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK && look->sequence_count == 2);
  char *text = saved_look(look, &length), place[16];
  scant_json json;
  CHECK(scant_json_parse(&json, text, length, NULL) == SCANT_OK);
  for (uint32_t i = 0; i < 2; i++) { /* the last place, and the one after it */
    snprintf(place, sizeof place, "[0, %u]", look->count - 1 + i);
    char *other = with_value(&json, scant_json_member(&json, 0, "sequence"), place);
    CHECK(scant_look_load(&again, other, strlen(other), &error) == (i ? SCANT_DATA : SCANT_OK));
    if (i) CHECK_SAYS(error.text, "item 2 of 'sequence' is out of range");
    free(other);
  }
  scant_json_free(&json);
  scant_text_free(text);
  scant_look_free(look);
  scant_look_free(again);
  scant_learner_free(learner);
}

/* A look whose numbers no text could hold. */
TEST(damaged_looks_are_not_saved) {
  scant_learner *learner = learner_from("algorithm=aerr k=4", D, 0);
  scant_look *look = look_for(learner);
  char *text = NULL;
  size_t length;
  learn(learner, look, 0, 5);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  double weight = look->weight[0];
  look->weight[0] = INFINITY;
  CHECK(scant_look_save(look, &text, &length, &error) == SCANT_MISUSE && text == NULL);
  CHECK_SAYS(error.text, "can't save the look");
  look->weight[0] = weight;
  look->sequence[0] = look->count;
  CHECK(scant_look_save(look, &text, &length, &error) == SCANT_MISUSE && text == NULL);
  look->sequence[0] = 0;
  look->count = (uint32_t)look->capacity + 1;
  CHECK(scant_look_save(look, &text, &length, &error) == SCANT_MISUSE && text == NULL);
  scant_look_free(look);
  scant_learner_free(learner);
}

static void refused(const char *text, const char *from, const char *to, const char *words) {
  char *copy = malloc(strlen(text) + 64), *at;
  strcpy(copy, text);
  if (from && CHECK((at = strstr(copy, from)) != NULL)) {
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    reseal(copy);
  }
  CHECK(try_learner(copy, strlen(copy), &error) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  free(copy);
}

TEST(sentences_say_what_is_wrong) {
  size_t length;
  char *text = text_of("algorithm=auto k=4 max-open=2", 1, 30, &length);
  refused("", NULL, NULL, "can't load the learner: it is not a learner");
  refused("[]", NULL, NULL, "it is not a learner");
  refused("{\"format\": \"scant-model\", \"version\": 2}", NULL, NULL, "it is not a learner");
  refused(text, "\"version\": 1", "\"version\": 2", "it is of version 2, which this scant does not read");
  refused(text, "\"state\": 3", "\"state\": 4", "of version 4, and this scant reads version 3");
  refused(text, "\"dimension\": 12", "\"dimension\": 13", "not of 13 attributes");
  refused(text, "\"dimension\": 12", "\"dimension\": 1000000000000", "not of 1000000000000 attributes");
  refused(text, "\"k\": 4", "\"k\": 400", "k = 400 is more than");
  refused(text, "\"max_open\": 2", "\"max_open\": 0", "max-open must be at least 1");
  refused(text, "\"algorithm\": \"auto\"", "\"algorithm\": \"full-ridge\"", "");
  refused(text, "\"algorithm\": \"auto\"", "\"algorithm\": \"otto\"", "there is no algorithm 'otto'");
  refused(text, "\"costs\"", "\"coasts\"", "");
  refused(text, "\"average_risk\": [", "\"average_risk\": [0,", "average_risk");
  refused(text, "\"average_risk\": [", "\"average_risk\": [-", "field 'average_risk' is out of range");
  refused(text, "\"average_risk\"", "\"averaged_risk\"", "average_risk");
  char *damaged = bytes_copy(text, length);
  strstr(damaged, "\"told\": 30")[8] = '2';
  CHECK(try_learner(damaged, length, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "its checksum is wrong: the text was changed or damaged");
  free(damaged);
  /* a learner is no look and no model, nor the other way round */
  scant_look *look = NULL;
  scant_model *model = NULL;
  CHECK(scant_look_load(&look, text, length, &error) == SCANT_DATA && !look);
  CHECK_SAYS(error.text, "can't load the look: it is not a look");
  CHECK(scant_model_read(&model, text, length, &error) == SCANT_DATA && !model);
  CHECK_SAYS(error.text, "can't read the model: it is not a model");
  scant_text_free(text);
}

TEST(settings_can_be_had_without_knowing_the_struct) {
  scant_settings *settings = NULL, plain;
  scant_settings_init(&plain);
  CHECK(scant_settings_new(&settings, &error) == SCANT_OK);
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char one[256], two[256];
    scant_settings_get(settings, o, one, sizeof one);
    scant_settings_get(&plain, o, two, sizeof two);
    CHECK(strcmp(one, two) == 0 && !scant_settings_is_given(settings, o));
  }
  scant_settings_free(settings);
  scant_settings_free(NULL);
  scant_text_free(NULL);
}

int main(void) {
  table_fill(&data, 5);
  RUN(a_loaded_learner_goes_on_with_the_same_bits);
  RUN(a_loaded_learner_has_its_prices);
  RUN(a_loaded_learner_outlives_the_prices_it_was_saved_with);
  RUN(a_loaded_look_can_be_asked_for_again);
  RUN(damaged_learners_are_refused);
  RUN(fields_of_learners_are_checked);
  RUN(other_digits_do_no_harm);
  RUN(damaged_looks_are_refused);
  RUN(places_of_looks_are_checked);
  RUN(damaged_looks_are_not_saved);
  RUN(sentences_say_what_is_wrong);
  RUN(settings_can_be_had_without_knowing_the_struct);
  return check_done();
}
