/* Plans change: prices, attributes, K and budgets are amended while a study runs; what was not ordered is told; and
 * what was imported is corrected.  After each of these the replay must come out bit for bit. */
#include "learn/learner.h"
#include "study.h"
#include "study_calls.h"
#include "study_dense.h"

enum { D = 8 };

static int examples;

/* Asks for some, and tells all but the last of them; the last stays open. */
static void go_on(scant_study *study, int count) {
  char last[20];
  learn_many(study, examples, count - 1);
  examples += count;
  snprintf(last, sizeof last, "e%d", examples - 1);
  ask(study, last);
}

/* Everything follows from the ledger: in the replay, and in a handle that has no snapshot to begin with. */
static scant_study *check_exact(scant_study *study, const char *path) {
  check_verified(study);
  check_money(study);
  char *before = dump(study);
  scant_study_close(study);
  execute(path, "DELETE FROM snapshot");
  study = open_dense(path, SCANT_STUDY_WRITE);
  hurry(study);
  check_unchanged(study, before, "made anew from the ledger", __LINE__);
  check_verified(study);
  return study;
}

static scant_status amend_settings(scant_study *study, const char *text) {
  scant_settings s = settings_of(text);
  return scant_study_amend(study, NULL, 0, &s, "the board agreed", 0, NULL, &said);
}

static int has(const scant_study_order *o, uint32_t place) {
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) return 1;
  return 0;
}

static void finish(scant_study *study, const char *path) {
  scant_study_close(study);
  study_remove(path);
}

/* ---- each kind of amendment, for each algorithm ----------------------------------------------- */

static const char *const steered[] = {"algorithm=auto k=4 seed=2 budget-cost=9000",
                                      "algorithm=gaussian k=3 seed=2 spend=12 budget-cost=9000",
                                      "algorithm=ridge k=4 seed=2",
                                      "algorithm=svr k=4 seed=2 missing=skip-example",
                                      "algorithm=gaussian k=3 seed=2",
                                      "algorithm=lasso k=3 seed=2 clip=3",
                                      NULL};

static scant_study *amend_all(const char *path, const char *settings, catalogue_kind kind) {
  const scant_study_order *o;
  examples = 0;
  test_state = 5;
  scant_study *study = make_dense_hurried(path, settings, D, kind);
  go_on(study, 30);
  scant_study_answer past[4] = {{"a1", 1, 0}, {"a4", 0.5, 0}, {"a6", -2, 0}, {"y", -1, 0}};
  GOOD(scant_study_import(study, "old", past, 4, &said));
  /* an open order keeps its price */
  GOOD(scant_study_find(study, "e29", &o, &said));
  uint64_t price = o->price;
  if (kind == PRICED) GOOD(amend_one(study, "a1", "cost", "9.5"));
  GOOD(amend_one(study, "a3", "high", "1000"));
  GOOD(scant_study_find(study, "e29", &o, &said));
  CHECK(o->price == price);
  GOOD(tell_all(study, o));
  study = check_exact(study, path);
  go_on(study, 6);
  study = check_exact(study, path);
  /* retired: never again, but what is open goes on */
  GOOD(amend_one(study, "a6", "retired", "yes"));
  GOOD(amend_one(study, "a1", "retired", "yes"));
  for (int i = 0; i < 12; i++) {
    char example[20];
    snprintf(example, sizeof example, "r%d", i);
    GOOD(scant_study_ask(study, example, &o, &said));
    CHECK(!has(o, 6) && !has(o, 1));
    if (i < 10) GOOD(tell_all(study, o));
  }
  GOOD(scant_study_find(study, "e35", &o, &said));
  GOOD(tell_all(study, o));
  double w[CATALOGUE_MOST], b;
  GOOD(scant_learner_finish(study->learner, &said));
  scant_learner_weights(study->learner, w, &b);
  if (!study->learner->engine) CHECK(w[6] == 0 && w[1] == 0);
  study = check_exact(study, path);
  /* taken back, and a new one, and another K */
  GOOD(amend_one(study, "a6", "retired", "no"));
  GOOD(amend_one(study, "b1", "cost", kind == PRICED ? "3" : "0"));
  CHECK(scant_study_dimension(study) == D + 1);
  go_on(study, 10);
  GOOD(scant_study_export_looks(study, study_path("looks.csv"), NULL, 0, &said));
  unlink(study_path("looks.csv"));
  GOOD(scant_study_find(study, "r11", &o, &said)); /* asked for while a6 and b1 could not be */
  GOOD(tell_all(study, o));
  study = check_exact(study, path);
  GOOD(amend_settings(study, "k=3 max-open=3"));
  go_on(study, 6);
  GOOD(amend_settings(study, "k=5 max-open=40 budget=4000"));
  go_on(study, 6);
  if (kind == PRICED) GOOD(amend_one(study, "b1", "group", "pair"));
  go_on(study, 12);
  return check_exact(study, path);
}

TEST(each_kind_of_amendment) {
  for (int i = 0; steered[i]; i++) {
    const char *path = study_path("amend");
    printf("# %s\n", steered[i]);
    finish(amend_all(path, steered[i], PRICED), path);
  }
  const char *path = study_path("plain");
  finish(amend_all(path, "algorithm=auto k=3 seed=2", PLAIN), path);
  finish(amend_all(path, "algorithm=gaussian k=3 seed=2", PLAIN), path);
  finish(amend_all(path, "algorithm=auto k=3 seed=2", FREE_GROUPS), path);
}

TEST(the_papers_algorithms) {
  static const char *const papers[] = {"algorithm=aerr k=4 seed=2 budget=900",
                                       "algorithm=moments k=4 seed=2 budget=900"};
  for (int i = 0; i < 2; i++) {
    const char *path = study_path("aerr");
    examples = 0;
    scant_study *study = make_dense_hurried(path, papers[i], D, PLAIN);
    go_on(study, 12);
    GOOD(amend_one(study, "a1", "unit", "g"));
    GOOD(amend_settings(study, "budget=1000"));
    go_on(study, 12);
    study = check_exact(study, path);
    REFUSED(study, amend_one(study, "a1", "retired", "yes"), SCANT_USAGE, "can't leave a retired attribute out");
    REFUSED(study, amend_one(study, "b1", "unit", "g"), SCANT_USAGE, "attributes can't be added: the estimates of");
    REFUSED(study, amend_settings(study, "k=5"), SCANT_USAGE, "k can't be amended: the estimates of");
    REFUSED(study, amend_one(study, "a1", "group", "g"), SCANT_USAGE, "need an algorithm whose looks follow prices");
    finish(study, path);
  }
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(refused) {
  const char *path = study_path("refused");
  examples = 0;
  scant_study *study = make_dense_hurried(path, "algorithm=auto k=3 seed=2 budget-cost=300 budget=200", D, PRICED);
  go_on(study, 12);
  scant_study_attribute a = attribute_of(study, "a1"), two[2] = {a, a}, rest = a;
  scant_settings s = settings_of("seed=4");
  char *change = NULL;
  REFUSED(study, scant_study_amend(study, &a, 1, NULL, "", 0, NULL, &said), SCANT_USAGE, "an amendment has a reason");
  REFUSED(study, scant_study_amend(study, NULL, 0, &s, "r", 0, NULL, &said), SCANT_USAGE, "seed can't be amended");
  REFUSED(study, scant_study_amend(study, two, 2, NULL, "r", 0, NULL, &said), SCANT_USAGE, "amended twice");
  a.known = 1;
  REFUSED(study, scant_study_amend(study, &a, 1, NULL, "r", 0, NULL, &said), SCANT_USAGE, "not always known");
  REFUSED(study, amend_one(study, "a1", "colour", "red"), SCANT_USAGE, "an attribute has unit, cost, low");
  REFUSED(study, amend_one(study, "a1", "cost", "much"), SCANT_USAGE, "a cost is an amount");
  REFUSED(study, amend_one(study, "a1", "retired", "perhaps"), SCANT_USAGE, "retired is yes or no");
  REFUSED(study, amend_one(study, "a1", "low", "x"), SCANT_USAGE, "a bound is a number");
  REFUSED(study, amend_one(study, "a0", "cost", "4"), SCANT_DATA, "always known, so it has no cost");
  REFUSED(study, amend_one(study, "a1", "high", "-200"), SCANT_DATA, "holds nothing");
  REFUSED(study, amend_one(study, "y", "cost", "1"), SCANT_DATA, "has the name of the target");
  REFUSED(study, amend_one(study, "b=1", "cost", "1"), SCANT_DATA, "has a '=' in it");
  REFUSED(study, amend_one(study, "b\xff", "cost", "1"), SCANT_DATA, "the name of attribute 9 is not UTF-8");
  REFUSED(study, amend_one(study, "a1", "unit", "\xff"), SCANT_DATA, "the unit of attribute 'a1' is not UTF-8");
  REFUSED(study, scant_study_amend(study, &rest, 1, NULL, "\xff", 0, NULL, &said), SCANT_USAGE,
          "the reason is not UTF-8");
  char longest[1002];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  REFUSED(study, scant_study_amend(study, &rest, 1, NULL, longest, 0, NULL, &said), SCANT_USAGE,
          "the reason is too long: 1001 bytes, and at most 1000 can be");
  REFUSED(study, amend_settings(study, "budget-cost=5"), SCANT_USAGE, "budget-cost 5.00 ");
  REFUSED(study, amend_settings(study, "budget-cost=20"), SCANT_USAGE, "below what is spent or reserved already");
  REFUSED(study, amend_settings(study, "budget=3"), SCANT_USAGE, "below the attributes that are spent");
  REFUSED(study, amend_settings(study, "spend=0.5"), SCANT_DATA, "spend");
  const char *names[7] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7"};
  scant_study_attribute rows[7];
  for (int i = 0; i < 7; i++) rows[i] = attribute_of(study, names[i]), rows[i].retired = 1;
  REFUSED(study, scant_study_amend(study, rows, 7, NULL, "r", 0, NULL, &said), SCANT_DATA,
          "at least two attributes must not be retired");
  GOOD(scant_study_amend(study, rows, 6, NULL, "r", 1, &change, &said)); /* a trial: two are left */
  scant_text_free(change);
  /* nothing to change is no event, and a trial changes nothing */
  a = attribute_of(study, "a1");
  char *before = dump(study);
  GOOD(scant_study_amend(study, &a, 1, NULL, "r", 0, &change, &said));
  CHECK(!change);
  check_unchanged(study, before, "the same again", __LINE__);
  before = dump(study);
  a.cost = 400;
  GOOD(scant_study_amend(study, &a, 1, NULL, "r", 1, &change, &said));
  CHECK(change && study->catalogue[1].cost == 137);
  check_unchanged(study, before, "a trial", __LINE__);
  char *words = NULL;
  GOOD(scant_study_describe_change(change, &words, &said));
  CHECK_SAYS(words, "a1: cost 1.37 -> 4");
  scant_text_free(words);
  scant_text_free(change);
  a = (scant_study_attribute){.name = "b1", .unit = "mg", .cost = 250, .low = 0, .high = NAN};
  s = settings_of("budget-cost=900");
  GOOD(scant_study_amend(study, &a, 1, &s, "r", 0, &change, &said));
  GOOD(scant_study_describe_change(change, &words, &said));
  CHECK_SAYS(words, "new b1: unit mg, cost 2.5, low 0; budget-cost 300 -> 900");
  scant_text_free(words);
  scant_text_free(change);
  finish(check_exact(study, path), path);
}

/* ---- handles beside it -------------------------------------------------------------------------- */

TEST(readers_notice) {
  const char *path = study_path("readers");
  examples = 0;
  scant_study *study = make_dense_hurried(path, "algorithm=auto k=3 seed=2", D, PRICED);
  go_on(study, 12);
  scant_study *reader = open_dense(path, SCANT_STUDY_READ), *late = open_dense(path, SCANT_STUDY_READ);
  const scant_study_order *o;
  const scant_study_event *e;
  scant_study_status status;
  GOOD(amend_one(study, "b1", "cost", "0.2"));
  GOOD(amend_one(study, "a1", "retired", "yes"));
  go_on(study, 12);
  GOOD(scant_study_get_status(reader, &status, &said));
  CHECK(scant_study_dimension(reader) == D + 1 && reader->catalogue[1].retired);
  GOOD(scant_study_find(reader, "e23", &o, &said));
  CHECK(reader->learner->dimension == D + 1);
  char *now = dump(study);
  check_unchanged(reader, now, "the reader", __LINE__);
  check_verified(reader);
  for (uint64_t after = 0;; after = e->sequence) { /* which brings no learner up to date */
    GOOD(scant_study_event_after(late, after, &e, &said));
    if (!e) break;
  }
  GOOD(scant_study_get_status(late, &status, &said));
  check_unchanged(late, dump(study), "the late reader", __LINE__);
  scant_study_close(late);
  scant_study_close(reader);
  finish(study, path);
}

/* What is told before and after an amendment is found at once, by handles that knew nothing of either. */
TEST(an_extra_of_a_new_attribute) {
  const char *path = study_path("behind");
  scant_study *study = make_dense_hurried(path, "algorithm=auto k=3 seed=2", D, PLAIN);
  scant_study_close(study);
  study = open_dense(path, SCANT_STUDY_SHARE);
  scant_study *others[] = {open_dense(path, SCANT_STUDY_SHARE), open_dense(path, SCANT_STUDY_READ)};
  const scant_study_order *o;
  uint64_t purchases[D + 1], money[D + 1], sum = 0;
  purchases[D] = money[D] = 77; /* nothing is written behind what the caller knows of */
  GOOD(scant_study_ask(study, "e0", &o, &said));
  GOOD(tell_all(study, o));
  GOOD(amend_one(study, "b1", "cost", "0"));
  GOOD(scant_study_tell_extra(study, "e0", &(scant_study_answer){.name = "b1", .value = 3}, 1, "it was there", NULL,
                              &said));
  for (size_t i = 0; i < 2; i++) {
    CHECK(scant_study_dimension(others[i]) == D);
    GOOD(scant_study_purchases(others[i], purchases, money, &said));
    CHECK(scant_study_dimension(others[i]) == D + 1 && purchases[D] == 77 && money[D] == 77);
    for (size_t j = 0; j < D; j++) sum += purchases[j];
    GOOD(scant_study_find(others[i], "e0", &o, &said));
    CHECK(o && o->extra_count == 1 && sum == (i + 1) * o->count);
    check_unchanged(others[i], dump(study), "the other", __LINE__);
    scant_study_close(others[i]);
  }
  finish(study, path);
}

/* Where nothing was asked for in between, to take back what was retired changes nothing that was learned. */
TEST(retired_by_mistake) {
  const char *path = study_path("mistake");
  examples = 0;
  double w[2][D], b[2];
  scant_study *study = make_dense_hurried(path, "algorithm=ridge k=4 seed=2", D, PRICED);
  go_on(study, 40);
  scant_learner_weights(study->learner, w[0], &b[0]);
  CHECK(w[0][4] != 0);
  GOOD(amend_one(study, "a4", "retired", "yes"));
  scant_learner_weights(study->learner, w[1], &b[1]);
  CHECK(w[1][4] == 0);
  GOOD(amend_one(study, "a4", "retired", "no"));
  scant_learner_weights(study->learner, w[1], &b[1]);
  CHECK(!memcmp(w[0], w[1], sizeof w[0]) && b[0] == b[1]);
  finish(check_exact(study, path), path);
}

/* ---- what was not ordered ---------------------------------------------------------------------------- */

static uint32_t not_ordered(const scant_study_order *o, uint32_t from) {
  while (has(o, from)) from++;
  return from;
}

static void tell_extras(const char *settings, int learns) {
  const char *path = study_path("extra");
  const scant_study_order *o;
  char name[8], other[8];
  int learned = -1;
  examples = 0;
  scant_study *study = make_dense_hurried(path, settings, D, PRICED);
  go_on(study, 30);
  GOOD(scant_study_find(study, "e29", &o, &said));
  snprintf(name, sizeof name, "a%u", not_ordered(o, 1));
  scant_study_answer x = {name, 1.5, 0}, y = {"y", 1, 0}, wrong = {name, -1000, 0};
  REFUSED(study, scant_study_tell(study, "e29", &x, 1, &said), SCANT_DATA, "told as extra");
  REFUSED(study, scant_study_tell_extra(study, "e29", &x, 1, NULL, NULL, &said), SCANT_USAGE, "has a reason");
  REFUSED(study, scant_study_tell_extra(study, "e29", &y, 1, "r", NULL, &said), SCANT_DATA, "is the target");
  REFUSED(study, scant_study_tell_extra(study, "e29", &wrong, 1, "r", NULL, &said), SCANT_DATA, "below its range");
  REFUSED(study, scant_study_tell_extra(study, "nobody", &x, 1, "r", NULL, &said), SCANT_DATA, "was ever asked");
  GOOD(scant_study_find(study, "e29", &o, &said));
  snprintf(other, sizeof other, "a%u", o->lines[1].attribute);
  x.name = other;
  REFUSED(study, scant_study_tell_extra(study, "e29", &x, 1, "r", NULL, &said), SCANT_DATA, "it is no extra");
  x.name = name;
  uint64_t spent = study->tip.totals.spent;
  GOOD(scant_study_tell_extra(study, "e29", &x, 1, "the ward did it anyway", &learned, &said));
  CHECK(learned == learns && study->tip.totals.spent == spent);
  char *before = dump(study);
  GOOD(scant_study_tell_extra(study, "e29", &x, 1, "again", NULL, &said));
  check_unchanged(study, before, "told again", __LINE__);
  x.value = 2;
  REFUSED(study, scant_study_tell_extra(study, "e29", &x, 1, "r", NULL, &said), SCANT_DATA, "is 1.5 already");
  GOOD(scant_study_find(study, "e29", &o, &said));
  CHECK(o->extra_count == 1 && o->extras[0].value == 1.5 && o->state == SCANT_ORDER_ISSUED);
  GOOD(tell_all(study, o));
  check_verified(study);
  /* late: what was learned is learned anew */
  GOOD(scant_study_find(study, "e3", &o, &said));
  snprintf(name, sizeof name, "a%u", not_ordered(o, 1));
  uint64_t entries = study->learner->moments[not_ordered(o, 1)].count;
  GOOD(scant_study_tell_extra(study, "e3", &x, 1, "found in the files", NULL, &said));
  GOOD(scant_study_find(study, "e3", &o, &said));
  CHECK(study->learner->moments[not_ordered(o, 1)].count == entries + (uint64_t)learns);
  study = check_exact(study, path);
  /* corrected, and seen by predictions */
  x.value = 7.25;
  GOOD(scant_study_correct(study, "e3", &x, 1, "a slip", &said));
  study = check_exact(study, path);
  scant_source *source;
  scant_prices *prices;
  GOOD(scant_study_examples(study, &source, &prices, &said));
  study_table t = {0};
  GOOD(study_gather(study, &t, &said));
  int found = 0;
  for (size_t i = 0; i < t.rows * D; i++) found += t.x[i] == 7.25;
  CHECK(found == 1);
  free(t.x);
  free(t.y);
  scant_source_free(source);
  scant_prices_free(prices);
  go_on(study, 4);
  GOOD(scant_study_end_order(study, "e33", SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_find(study, "e33", &o, &said));
  snprintf(name, sizeof name, "a%u", not_ordered(o, 1));
  REFUSED(study, scant_study_tell_extra(study, "e33", &x, 1, "r", NULL, &said), SCANT_MISUSE, "is cancelled");
  finish(check_exact(study, path), path);
}

TEST(what_was_not_ordered) {
  tell_extras("algorithm=gaussian k=3 seed=2", 1);
  tell_extras("algorithm=auto k=3 seed=2", 0);
}

/* ---- imports ------------------------------------------------------------------------------------------ */

TEST(imports_are_corrected) {
  static const char *const both[] = {"algorithm=auto k=3 seed=2", "algorithm=gaussian k=3 seed=2", NULL};
  for (int i = 0; both[i]; i++) {
    const char *path = study_path("imports");
    examples = 0;
    scant_study *study = make_dense_hurried(path, both[i], D, PRICED), *right;
    scant_study_answer past[4] = {{"a1", 1, 0}, {"a4", 0.5, 0}, {"a6", 0, 1}, {"y", -1, 0}};
    scant_study_answer x = {"a4", 2.5, 0}, y = {"y", 3, 0}, never = {"a2", 1, 0}, found = {"a6", 4, 0};
    GOOD(scant_study_import(study, "old", past, 4, &said));
    GOOD(scant_study_import(study, "older", past, 4, &said));
    go_on(study, 20);
    REFUSED(study, scant_study_correct(study, "old", &never, 1, "r", &said), SCANT_DATA, "was never told");
    GOOD(scant_study_correct(study, "old", &x, 1, "a slip", &said));
    GOOD(scant_study_correct(study, "old", &y, 1, "another", &said));
    x.value = 2.75;
    GOOD(scant_study_correct(study, "old", &x, 1, "a slip in the slip", &said));
    GOOD(scant_study_correct(study, "old", &found, 1, "found", &said));
    char *before = dump(study);
    GOOD(scant_study_correct(study, "old", &found, 1, "found", &said));
    GOOD(scant_study_import(study, "old", past, 4, &said)); /* as it was imported */
    check_unchanged(study, before, "the same again", __LINE__);
    study = check_exact(study, path);
    /* as if it had been imported so */
    study_table t = {0};
    GOOD(study_gather(study, &t, &said));
    size_t rows = t.rows;
    CHECK(t.x[(rows - 2) * D + 4] == 2.75 && t.x[(rows - 2) * D + 6] == 4 && t.y[rows - 2] == 3);
    free(t.x);
    free(t.y);
    scant_study_answer better[4] = {{"a1", 1, 0}, {"a4", 2.75, 0}, {"a6", 4, 0}, {"y", 3, 0}};
    right = make_dense_hurried(study_path("right"), both[i], D, PRICED);
    GOOD(scant_study_import(right, "old", better, 4, &said));
    CHECK(right->learner->moments[6].count == 1 && study->learner->moments[4].count >= 2);
    finish(right, study_path("right"));
    finish(study, path);
  }
}

int main(void) {
  study_begin_tests();
  RUN(each_kind_of_amendment);
  RUN(the_papers_algorithms);
  RUN(refused);
  RUN(readers_notice);
  RUN(retired_by_mistake);
  RUN(what_was_not_ordered);
  RUN(imports_are_corrected);
  RUN(an_extra_of_a_new_attribute);
  return study_end_tests();
}
