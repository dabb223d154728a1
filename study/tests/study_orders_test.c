/* Orders: every state and every way from one to another, asking and telling again, and refusals that change nothing. */
#include "study_calls.h"

static scant_status tell(scant_study *study, const char *example, const char *name, double value) {
  scant_study_answer answer = {name, value, 0};
  return scant_study_tell(study, example, &answer, 1, &said);
}

static scant_status tell_missing(scant_study *study, const char *example, const char *name) {
  scant_study_answer answer = {name, 0, 1};
  return scant_study_tell(study, example, &answer, 1, &said);
}

TEST(every_state) {
  const char *path = study_path("states");
  scant_study *study = make_study(path, "algorithm=aerr k=3 seed=5", 6, PLAIN);
  const scant_study_order *o = ask(study, "p");
  CHECK(o->state == SCANT_ORDER_ISSUED && o->number == 1 && o->count >= 1 && !o->has_y && o->spent == 0);
  size_t count = o->count;
  char names[8][8];
  for (size_t i = 0; i < count; i++) snprintf(names[i], 8, "a%u", o->lines[i].attribute);
  GOOD(tell(study, "p", "y", 2)); /* the target first */
  CHECK(find(study, "p")->state == SCANT_ORDER_PARTLY);
  for (size_t i = 0; i < count; i++) {
    CHECK(find(study, "p")->state == SCANT_ORDER_PARTLY);
    GOOD(tell(study, "p", names[i], 0.5 * (double)i));
  }
  CHECK(find(study, "p")->state == SCANT_ORDER_LEARNED);
  o = ask(study, "q");
  CHECK(o->number == 2 && o->age == 0);
  count = o->count;
  for (size_t i = 0; i < count; i++) snprintf(names[i], 8, "a%u", o->lines[i].attribute);
  for (size_t i = 0; i < count; i++) GOOD(tell(study, "q", names[i], 1));
  CHECK(find(study, "q")->state == SCANT_ORDER_TOLD);
  GOOD(tell(study, "q", "y", -1));
  CHECK(find(study, "q")->state == SCANT_ORDER_LEARNED);
  scant_study_status s = status_of(study);
  CHECK(s.orders == 2 && s.learned == 2 && s.open == 0 && s.spent == 0 && s.reserved == 0);
  CHECK(s.attributes_reserved == s.attributes_bought && s.attributes_bought >= 2);
  REFUSED(study, scant_study_end_order(study, "q", SCANT_END_CANCEL, NULL, &said), SCANT_MISUSE, "has been learned");
  end(study, path);
}

TEST(ways_to_end) {
  const char *path = study_path("ends");
  scant_study *study = make_study(path, "algorithm=auto k=4 seed=5 budget-cost=1000", 10, PRICED);
  /* nothing measured: all is refunded, and it can be asked for again */
  uint64_t price = ask(study, "p")->price;
  CHECK(price > 0 && status_of(study).reserved == price);
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  CHECK(find(study, "p")->state == SCANT_ORDER_CANCELLED && status_of(study).reserved == 0 &&
        status_of(study).spent == 0 && status_of(study).attributes_reserved == 0);
  REFUSED(study, tell(study, "p", "y", 1), SCANT_MISUSE, "is cancelled");
  REFUSED(study, scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said), SCANT_MISUSE, "can't be ended");
  const scant_study_order *o = ask(study, "p");
  /* its own example and reason may be handed in */
  CHECK(o->number == 2 && o->state == SCANT_ORDER_ISSUED);
  GOOD(scant_study_end_order(study, o->example, SCANT_END_CANCEL, o->example, &said));
  const scant_study_order *again = NULL;
  GOOD(scant_study_find(study, "p", &o, &said));
  CHECK(o->state == SCANT_ORDER_CANCELLED && o->reason && !strcmp(o->reason, "p"));
  GOOD(scant_study_ask(study, o->example, &again, &said));
  CHECK(again->number == 3 && !strcmp(again->example, "p"));
  /* something measured: that stays spent */
  char paid[8] = "";
  uint64_t cost = 0;
  for (size_t i = 0; i < again->count; i++)
    if (again->lines[i].price) {
      snprintf(paid, sizeof paid, "a%u", again->lines[i].attribute);
      cost = again->lines[i].price;
    }
  GOOD(tell_missing(study, "p", paid)); /* measured in vain is paid, too */
  CHECK(status_of(study).spent == cost);
  GOOD(scant_study_end_order(study, "p", SCANT_END_FAIL, "moved away", &said));
  CHECK(find(study, "p")->state == SCANT_ORDER_FAILED && status_of(study).spent == cost &&
        status_of(study).reserved == 0 && status_of(study).attributes_reserved == 1);
  REFUSED(study, scant_study_ask(study, "p", &o, &said), SCANT_MISUSE, "has failed");
  REFUSED(study, scant_study_end_order(study, "nobody", SCANT_END_CANCEL, NULL, &said), SCANT_DATA,
          "nothing was ever asked");
  /* expired: spent until reconciled */
  price = ask(study, "q")->price;
  REFUSED(study, scant_study_end_order(study, "q", SCANT_END_FAIL, NULL, &said), SCANT_USAGE, "a reason");
  GOOD(scant_study_end_order(study, "q", SCANT_END_EXPIRE, NULL, &said));
  CHECK(find(study, "q")->state == SCANT_ORDER_EXPIRED && status_of(study).spent == cost + price);
  REFUSED(study, scant_study_ask(study, "q", &o, &said), SCANT_MISUSE, "has expired");
  REFUSED(study, scant_study_end_order(study, "q", SCANT_END_EXPIRE, NULL, &said), SCANT_MISUSE, "has expired already");
  GOOD(scant_study_end_order(study, "q", SCANT_END_CANCEL, "found in a drawer", &said));
  CHECK(find(study, "q")->state == SCANT_ORDER_CANCELLED && status_of(study).spent == cost);
  CHECK(ask(study, "q")->number == 5);
  end(study, path);
}

TEST(groups_and_what_is_known) {
  const char *path = study_path("groups");
  scant_study *study = make_study(path, "algorithm=ridge k=5 seed=2", 10, PRICED);
  int met = 0;
  for (int n = 0; n < 40; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    const scant_study_order *o = ask(study, example);
    uint64_t price = 0, sum = 0;
    int known = 0, panel = 0, place = -1;
    for (size_t i = 0; i < o->count; i++) {
      const scant_study_attribute *a = scant_study_attribute_at(study, o->lines[i].attribute);
      price += o->lines[i].price;
      sum += a->cost;
      known += a->known;
      if (a->group && !strcmp(a->group, "panel")) {
        CHECK(panel == 0 ? o->lines[i].price == 100 * 3 + 37 * (3 + 6 + 7) : o->lines[i].price == 0);
        panel++;
        if (panel == 2) place = (int)i;
      }
    }
    CHECK(known == 1 && (panel == 0 || panel == 3) && price == sum && o->price == sum);
    if (panel && !met++) {
      /* one of it measured: all of it is paid, at its first */
      char name[8];
      uint64_t purchases[10], money[10], before = status_of(study).spent, all = 0;
      uint32_t attribute = o->lines[place].attribute;
      snprintf(name, sizeof name, "a%u", attribute);
      GOOD(tell(study, example, name, 1));
      CHECK(status_of(study).spent == before + 100 * 3 + 37 * (3 + 6 + 7));
      GOOD(scant_study_purchases(study, purchases, money, &said));
      for (int i = 0; i < 10; i++) all += money[i];
      CHECK(all == status_of(study).spent && purchases[attribute] > 0);
      GOOD(scant_study_end_order(study, example, SCANT_END_CANCEL, NULL, &said));
      CHECK(status_of(study).spent == before + 100 * 3 + 37 * (3 + 6 + 7));
      REFUSED(study, scant_study_ask(study, example, &o, &said), SCANT_MISUSE, "some of it was measured");
    } else {
      GOOD(tell_all(study, o));
    }
  }
  CHECK(met > 0);
  end(study, path);
}

/* Without costs every line is one purchase, but those known are none and a group is one; what is not known is not
 * free. */
TEST(nothing_costs_anything) {
  const char *path = study_path("free");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=2 budget=40", 10, FREE_GROUPS);
  uint64_t held = 0;
  const scant_study_order *o = NULL;
  for (int n = 0;; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    scant_status status = scant_study_ask(study, example, &o, &said);
    if (status != SCANT_OK) {
      CHECK(status == SCANT_SPENT && held > 40 - 3 && held <= 40);
      break;
    }
    uint64_t items = 0;
    for (size_t i = 0; i < o->count; i++) {
      const scant_study_attribute *a = scant_study_attribute_at(study, o->lines[i].attribute);
      int first = 1;
      for (size_t j = 0; j < i && a->group; j++) {
        const char *group = scant_study_attribute_at(study, o->lines[j].attribute)->group;
        first = first && !(group && !strcmp(group, a->group));
      }
      items += !a->known && first;
    }
    CHECK(items <= 3 && o->count < 10 && o->price == 0);
    held += items;
    CHECK(status_of(study).attributes_reserved == held);
    GOOD(tell_all(study, o));
  }
  scant_model *model = NULL;
  GOOD(scant_study_model(study, &model, &said));
  CHECK(model && scant_model_ledger(model)->attributes_bought == held);
  scant_model_free(model);
  end(study, path);
  scant_settings s = settings_of("algorithm=auto k=3 spend=4");
  CHECK(scant_study_create(path, &s, catalogue_of(10, FREE_GROUPS), 10, NULL, &said) == SCANT_USAGE);
  CHECK(!is_file(path, ""));
}

TEST(again_and_refused) {
  const char *path = study_path("refused");
  scant_study *study = make_study(path, "algorithm=auto k=4 seed=9 max-open=3 budget-cost=60", 10, PRICED);
  const scant_study_order *o = ask(study, "p"), *same;
  uint64_t number = o->number;
  char ordered[8], other[8] = "";
  snprintf(ordered, sizeof ordered, "a%u", o->lines[0].attribute);
  for (unsigned i = 0; i < 10; i++) {
    int there = 0;
    for (size_t j = 0; j < o->count; j++) there = there || o->lines[j].attribute == i;
    if (!there) snprintf(other, sizeof other, "a%u", i);
  }
  char *before = dump(study);
  GOOD(scant_study_ask(study, "p", &same, &said));
  CHECK(same->number == number);
  check_unchanged(study, before, "asked again", __LINE__);
  GOOD(tell(study, "p", ordered, 3));
  before = dump(study);
  GOOD(tell(study, "p", ordered, 3));
  check_unchanged(study, before, "told again", __LINE__);
  REFUSED(study, tell(study, "p", ordered, 4), SCANT_DATA, "is 3 already");
  REFUSED(study, tell_missing(study, "p", ordered), SCANT_DATA, "is 3 already");
  REFUSED(study, tell(study, "p", other, 4), SCANT_DATA, "was not ordered");
  REFUSED(study, tell(study, "p", "nonsense", 4), SCANT_DATA, "no attribute 'nonsense'");
  REFUSED(study, tell(study, "p", "a1'; DROP TABLE ledger; --", 4), SCANT_DATA, "no attribute");
  REFUSED(study, tell(study, "nobody", "a1", 4), SCANT_DATA, "nothing was ever asked");
  REFUSED(study, tell(study, "p", "a1", NAN), SCANT_DATA, "NaN");
  REFUSED(study, tell(study, "p", "a1", INFINITY), SCANT_DATA, "infinite");
  REFUSED(study, tell(study, "p", "a1", -100.5), SCANT_DATA, "below its range");
  REFUSED(study, tell_missing(study, "p", "y"), SCANT_DATA, "can't be missing");
  REFUSED(study, scant_study_tell(study, "p", NULL, 0, &said), SCANT_USAGE, "nothing to tell");
  scant_study_answer twice[2] = {{"y", 1, 0}, {"y", 2, 0}}, half[2] = {{"y", 1, 0}, {other, 2, 0}};
  REFUSED(study, scant_study_tell(study, "p", twice, 2, &said), SCANT_DATA, "told twice");
  REFUSED(study, scant_study_tell(study, "p", half, 2, &said), SCANT_DATA, "was not ordered"); /* all or none */
  REFUSED(study, scant_study_ask(study, "", &same, &said), SCANT_DATA, "name");
  REFUSED(study, scant_study_ask(study, " p", &same, &said), SCANT_DATA, "name");
  REFUSED(study, scant_study_ask(study, "a\nb", &same, &said), SCANT_DATA, "name");
  REFUSED(study, scant_study_ask(study, "\xff", &same, &said), SCANT_DATA, "name");
  REFUSED(study, scant_study_correct(study, "p", twice, 1, "typing error", &said), SCANT_DATA, "never told");
  REFUSED(study, scant_study_correct(study, "p", twice, 1, "", &said), SCANT_USAGE, "a reason");
  REFUSED(study, scant_study_correct(study, "p", twice, 1, "\xff", &said), SCANT_USAGE, "the reason is not UTF-8");
  REFUSED(study, tell(study, "p", "y", 1e308), SCANT_DATA, "too large"); /* what the learner can't bear */
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  ask(study, "x1");
  ask(study, "x2");
  scant_status third = scant_study_ask(study, "x3", &same, &said);
  CHECK(third == SCANT_OK || third == SCANT_SPENT);
  if (third == SCANT_OK)
    REFUSED(study, scant_study_ask(study, "x4", &same, &said), SCANT_MISUSE, "open");
  else
    REFUSED(study, scant_study_ask(study, "x4", &same, &said), SCANT_SPENT, "budget");
  check_money(study);
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

TEST(most_open_and_budgets) {
  const char *path = study_path("budget");
  scant_study *study = make_study(path, "algorithm=aerr k=3 seed=9 max-open=2 budget=17", 8, PLAIN);
  const scant_study_order *o;
  ask(study, "p");
  ask(study, "q");
  REFUSED(study, scant_study_ask(study, "r", &o, &said), SCANT_MISUSE, "open");
  GOOD(scant_study_end_order(study, "q", SCANT_END_EXPIRE, NULL, &said)); /* no longer open */
  ask(study, "r");
  GOOD(scant_study_end_order(study, "r", SCANT_END_CANCEL, NULL, &said));
  for (int n = 0; n < 20; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    scant_status status = scant_study_ask(study, example, &o, &said);
    if (status == SCANT_SPENT) {
      REFUSED(study, scant_study_ask(study, example, &o, &said), SCANT_SPENT, "of the budget of 17 attributes");
      break;
    }
    CHECK(status == SCANT_OK && n < 10);
    GOOD(tell_all(study, o));
  }
  end(study, path);
}

TEST(corrections_and_imports) {
  const char *path = study_path("correct");
  scant_study *study = make_study(path, "algorithm=auto k=4 seed=4 missing=skip-example", 8, PRICED);
  const scant_study_order *o;
  char first[8] = "";
  for (int n = 0; n < 12; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    o = ask(study, example);
    if (n == 3) snprintf(first, sizeof first, "a%u", o->lines[0].attribute);
    GOOD(tell_all(study, o));
  }
  ask(study, "open");
  uint64_t events = status_of(study).events;
  scant_study_answer y = {"y", 1.25, 0}, x = {first, 2.5, 0}, none = {first, 0, 1};
  GOOD(scant_study_correct(study, "e3", &y, 1, "typing error", &said));
  CHECK(status_of(study).events == events + 1);
  char *before = dump(study);
  GOOD(scant_study_correct(study, "e3", &y, 1, "typing error", &said)); /* it is so already */
  check_unchanged(study, before, "corrected again", __LINE__);
  check_verified(study);
  GOOD(scant_study_correct(study, "e3", &x, 1, "typing error", &said));
  GOOD(scant_study_correct(study, "e3", &none, 1, "it was another's", &said)); /* unlearned: the example is skipped */
  GOOD(scant_study_find(study, "open", &o, &said));
  CHECK(o->age == 0); /* though fewer are learned now than when it was asked for */
  check_verified(study);
  GOOD(scant_study_find(study, "e3", &o, &said));
  CHECK(o->state == SCANT_ORDER_LEARNED && o->y == 1.25 && o->lines[0].state == SCANT_LINE_MISSING);
  scant_study_answer past[3] = {{"a1", 1, 0}, {"a4", -0.0, 0}, {"y", -0.0, 0}};
  GOOD(scant_study_import(study, "old", past, 3, &said));
  CHECK(status_of(study).imported == 1);
  GOOD(scant_study_import(study, "old", past, 3, &said)); /* the same again */
  CHECK(status_of(study).imported == 1);
  scant_study_answer other[3] = {{"y", 0.0, 0}, {"a1", 2, 0}, {"a4", 0.0, 0}};
  REFUSED(study, scant_study_import(study, "old", other, 3, &said), SCANT_MISUSE, "imported before with other values");
  REFUSED(study, scant_study_import(study, "old", other, 2, &said), SCANT_MISUSE, "imported before with other values");
  other[1].value = 1; /* in another order, and 0 is 0 */
  GOOD(scant_study_import(study, "old", other, 3, &said));
  CHECK(status_of(study).imported == 1);
  REFUSED(study, scant_study_import(study, "e3", past, 3, &said), SCANT_MISUSE, "has an order");
  REFUSED(study, scant_study_import(study, "older", past, 2, &said), SCANT_DATA, "has no 'y'");
  REFUSED(study, scant_study_import(study, "older", past + 2, 1, &said), SCANT_DATA, "nothing is known");
  REFUSED(study, scant_study_ask(study, "old", &o, &said), SCANT_MISUSE, "was imported");
  end(study, path);
  study = make_study(path, "algorithm=aerr k=4 seed=4", 8, PLAIN);
  REFUSED(study, scant_study_import(study, "old", past, 3, &said), SCANT_USAGE, "");
  /* -0 is 0 in the file, so it is in the learner, too */
  o = ask(study, "zero");
  char names[8][8];
  size_t count = o->count;
  for (size_t i = 0; i < count; i++) snprintf(names[i], 8, "a%u", o->lines[i].attribute);
  for (size_t i = 0; i < count; i++) GOOD(tell(study, "zero", names[i], -0.0));
  GOOD(tell(study, "zero", "y", -0.0));
  end(study, path);
}

/* What comes after an order has expired is kept; cancelling then refunds what never came. */
TEST(late_for_an_order_that_expired) {
  const char *path = study_path("late");
  scant_study *study = make_study(path, "algorithm=auto k=4 seed=5", 10, PRICED);
  const scant_study_order *o = ask(study, "p");
  uint64_t price = o->price, first = 0;
  char name[8] = "";
  for (size_t i = 0; i < o->count && !first; i++) {
    first = o->lines[i].price;
    snprintf(name, sizeof name, "a%u", o->lines[i].attribute);
  }
  GOOD(scant_study_end_order(study, "p", SCANT_END_EXPIRE, NULL, &said));
  CHECK(status_of(study).spent == price);
  GOOD(tell(study, "p", name, 1));
  CHECK(find(study, "p")->state == SCANT_ORDER_EXPIRED && status_of(study).spent == price);
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  CHECK(status_of(study).spent == first && status_of(study).reserved == 0);
  REFUSED(study, tell(study, "p", "y", 1), SCANT_MISUSE, "is cancelled");
  end(study, path);
}

TEST(values_that_could_never_be_learned_from) {
  const char *path = study_path("classes");
  scant_study *study = make_study(path, "algorithm=svr loss=logistic k=3 seed=5", 6, PLAIN);
  ask(study, "p");
  REFUSED(study, tell(study, "p", "y", 3), SCANT_DATA, "takes -1 and 1");
  GOOD(tell(study, "p", "y", -1));
  REFUSED(study, tell(study, "p", "a0", 1e200), SCANT_DATA, "too large");
  end(study, path);
}

/* A model file can be read again, whatever was free and grouped. */
TEST(models_load) {
  static const catalogue_kind kinds[] = {PLAIN, PRICED, FREE_GROUPS};
  for (size_t k = 0; k < 3; k++) {
    const char *path = study_path("model");
    scant_study *study = make_study(path, "algorithm=auto k=3 seed=5", 10, kinds[k]);
    scant_model *model = NULL, *again = NULL;
    char *text = NULL;
    size_t length;
    for (int i = 0; i < 5; i++) {
      char example[8];
      snprintf(example, sizeof example, "e%d", i);
      GOOD(tell_all(study, ask(study, example)));
    }
    GOOD(scant_study_model(study, &model, &said));
    GOOD(scant_model_write(model, &text, &length, &said));
    GOOD(scant_model_read(&again, text, length, &said));
    CHECK(again && scant_model_ledger(again)->examples == 5);
    scant_text_free(text);
    scant_model_free(model);
    scant_model_free(again);
    end(study, path);
  }
}

/* What is drawn after a correction is drawn anew: not the numbers that drew the looks before it. */
TEST(looks_after_a_correction) {
  const char *path = study_path("anew");
  scant_study *study = make_study(path, "algorithm=aerr k=3 seed=5", 6, PLAIN);
  for (int i = 0; i < 20; i++) {
    char example[8];
    snprintf(example, sizeof example, "e%d", i);
    GOOD(tell_all(study, ask(study, example)));
  }
  scant_study_answer answer = {"y", 0.25, 0};
  GOOD(scant_study_correct(study, "e3", &answer, 1, "a slip", &said));
  scant_learner_reseed(study->learner, study->tip.sequence);
  char *before = dump(study);
  study->stale = 1; /* made anew from the file, it stands where it stood */
  check_unchanged(study, before, "reseeded", __LINE__);
  end(study, path);
}

TEST(snapshots_now_and_then) {
  const char *path = study_path("kept");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 8, PLAIN);
  study->keep_every = 7;
  const scant_study_order *o;
  for (int n = 0; n < 20; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    o = ask(study, example);
    GOOD(tell_all(study, o));
    CHECK(study->tip.sequence - study->kept < 7);
  }
  CHECK(study->kept > 30);
  end(study, path);
}

int main(void) {
  study_begin_tests();
  RUN(every_state);
  RUN(ways_to_end);
  RUN(groups_and_what_is_known);
  RUN(nothing_costs_anything);
  RUN(again_and_refused);
  RUN(most_open_and_budgets);
  RUN(corrections_and_imports);
  RUN(late_for_an_order_that_expired);
  RUN(values_that_could_never_be_learned_from);
  RUN(models_load);
  RUN(looks_after_a_correction);
  RUN(snapshots_now_and_then);
  return study_end_tests();
}
