/* Reopening: an end that is taken back leaves the study as if it had never been, and what forbids it. */
#include "study_calls.h"

/* Tells attributes of the order from place `from` on, `count` of them at most; with the target if `target`. */
static void tell_some(scant_study *study, const char *example, size_t from, size_t count, int target) {
  scant_study_answer answers[CATALOGUE_MOST + 1];
  const scant_study_order *o = find(study, example);
  size_t n = 0;
  for (size_t i = from; i < o->count && n < count; i++)
    answers[n++] = (scant_study_answer){study->catalogue[o->lines[i].attribute].name, 0.25 * (double)i - 0.5, 0};
  if (target) answers[n++] = (scant_study_answer){"y", 1.5, 0};
  GOOD(scant_study_tell(study, example, answers, n, &said));
}

/* The learner as a text, and everything of the orders that is not in the ledger. */
static char *state_text(scant_study *study) {
  study_text t = {0};
  status_of(study);
  put_rows(&t, study->db, "SELECT number, example, state, spent, y, asked_told, learned_told, reason FROM orders");
  put_rows(&t, study->db, "SELECT * FROM line ORDER BY number, place");
  put_rows(&t, study->db, "SELECT sum(attributes), sum(reserved), sum(spent) FROM ledger");
  put_learner(&t, study);
  return t.text;
}

/* Two studies with the same answers; in one of them orders are ended and reopened.  What follows from the ledger is the
 * same to the bit, and so is everything after. */
static void as_if_never_ended(const char *settings, catalogue_kind kind) {
  static const scant_study_end ways[] = {SCANT_END_CANCEL, SCANT_END_EXPIRE, SCANT_END_FAIL};
  char paths[2][300];
  scant_study *both[2];
  for (int i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s", study_path(i ? "reopened" : "plain"));
    test_state = 77;
    both[i] = make_study(paths[i], settings, 9, kind);
    hurry(both[i]);
    for (int n = 0; n < 12; n++) {
      char name[16];
      snprintf(name, sizeof name, "e%d", n);
      ask(both[i], name);
    }
    for (int n = 0; n < 12; n += 2) {
      char name[16];
      snprintf(name, sizeof name, "e%d", n);
      if (n % 4)
        tell_some(both[i], name, 0, find(both[i], name)->count > 1, n % 8 == 2 || find(both[i], name)->count == 1);
      if (i) GOOD(scant_study_end_order(both[i], name, ways[n / 2 % 3], "it went wrong", &said));
    }
    learn(both[i], "between");
    GOOD(tell_all(both[i], find(both[i], "e1")));
    for (int n = 10; i && n >= 0; n -= 2) { /* in another order than they were ended in */
      char name[16];
      snprintf(name, sizeof name, "e%d", n);
      GOOD(scant_study_reopen(both[i], name, "it had not", &said));
    }
  }
  for (int round = 0; round < 2; round++) {
    char *a = state_text(both[0]), *b = state_text(both[1]);
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
    for (int i = 0; i < 2 && !round; i++) { /* what was reopened is told, and more is asked for */
      for (int n = 0; n < 12; n += 2) {
        char name[16];
        snprintf(name, sizeof name, "e%d", n);
        tell_some(both[i], name, 0, CATALOGUE_MOST, 1); /* what was told before is the same */
        CHECK(find(both[i], name)->state == SCANT_ORDER_LEARNED);
      }
      test_state = 78;
      learn(both[i], "after");
    }
  }
  scant_study_close(both[0]);
  study_remove(paths[0]);
  end(both[1], paths[1]);
}

TEST(a_reopened_order_is_as_if_it_had_never_ended) {
  as_if_never_ended("algorithm=auto k=3 seed=4", PLAIN);
  as_if_never_ended("algorithm=auto k=3 seed=4 budget-cost=2000 budget=200", PRICED);
  as_if_never_ended("algorithm=aerr k=4 seed=5", PLAIN);
  as_if_never_ended("algorithm=ridge k=3 seed=4 missing=skip-example", FREE_GROUPS);
}

TEST(expired_orders_that_were_told_meanwhile_are_learned_from) {
  const char *path = study_path("expired");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=2000", 9, PRICED);
  uint64_t price = ask(study, "p")->price;
  learn(study, "q");
  uint64_t learned = status_of(study).learned, spent = status_of(study).spent;
  GOOD(scant_study_end_order(study, "p", SCANT_END_EXPIRE, NULL, &said));
  tell_some(study, "p", 0, CATALOGUE_MOST, 1);
  CHECK(find(study, "p")->state == SCANT_ORDER_EXPIRED && status_of(study).learned == learned);
  GOOD(scant_study_reopen(study, "p", "it came after all", &said));
  CHECK(find(study, "p")->state == SCANT_ORDER_LEARNED && status_of(study).learned == learned + 1);
  CHECK(status_of(study).spent == spent + price && status_of(study).reserved == 0 && status_of(study).open == 0);
  scant_study_answer y = {"y", 3, 0};
  GOOD(scant_study_correct(study, "p", &y, 1, "a slip", &said)); /* learns all anew, through the reopening */
  CHECK(find(study, "p")->state == SCANT_ORDER_LEARNED);
  /* reconciled, then reopened: what was refunded is reserved again */
  price = ask(study, "r")->price;
  GOOD(scant_study_end_order(study, "r", SCANT_END_EXPIRE, NULL, &said));
  GOOD(scant_study_end_order(study, "r", SCANT_END_CANCEL, NULL, &said));
  uint64_t reserved = status_of(study).reserved, attributes = status_of(study).attributes_reserved;
  GOOD(scant_study_reopen(study, "r", "the wrong one was cancelled", &said));
  CHECK(status_of(study).reserved == reserved + price && status_of(study).attributes_reserved > attributes);
  end(study, path);
}

TEST(reopened_orders_can_be_erased) {
  const char *path = study_path("erased");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=2000", 9, PRICED);
  static const char *const names[] = {"learned", "open", "ended"};
  for (int i = 0; i < 3; i++) {
    ask(study, names[i]);
    GOOD(scant_study_end_order(study, names[i], SCANT_END_EXPIRE, NULL, &said));
    tell_some(study, names[i], 0, i ? 1 : CATALOGUE_MOST, !i);
    GOOD(scant_study_reopen(study, names[i], "it came", &said));
    learn(study, i == 0 ? "x" : i == 1 ? "y" : "z");
  }
  GOOD(scant_study_end_order(study, "ended", SCANT_END_CANCEL, NULL, &said));
  for (int i = 0; i < 3; i++) {
    GOOD(scant_study_erase(study, names[i], "a wish", NULL, &said));
    check_money(study);
    check_verified(study);
  }
  learn(study, "after");
  end(study, path);
}

/* Asks for one example after the other until the budget is spent; each expires at once, and so is paid. */
static void spend_all(scant_study *study, int most) {
  for (int i = 0;; i++) {
    const scant_study_order *o;
    char name[16];
    snprintf(name, sizeof name, "u%d", i);
    scant_status status = scant_study_ask(study, name, &o, &said);
    if (status == SCANT_SPENT) return;
    CHECK(status == SCANT_OK && i < most);
    GOOD(scant_study_end_order(study, name, SCANT_END_EXPIRE, NULL, &said));
  }
}

TEST(what_forbids_it) {
  const char *path = study_path("forbidden");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=90 max-open=3", 9, PRICED);
  REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_DATA, "nothing was ever asked");
  uint64_t price = ask(study, "p")->price;
  REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_MISUSE, "no end to take back");
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  REFUSED(study, scant_study_reopen(study, "p", NULL, &said), SCANT_USAGE, "a reason");
  REFUSED(study, scant_study_reopen(study, "p", "", &said), SCANT_USAGE, "a reason");
  REFUSED(study, scant_study_reopen(study, " p", "r", &said), SCANT_DATA, "blank");
  /* a newer order */
  ask(study, "p");
  REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_MISUSE, "no end to take back");
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_reopen(study, "p", "the newer one", &said));
  CHECK(find(study, "p")->number == 2 && find(study, "p")->state == SCANT_ORDER_ISSUED && !find(study, "p")->reason);
  GOOD(scant_study_end_order(study, "p", SCANT_END_FAIL, "gone", &said));
  /* max-open */
  learn(study, "q");
  for (int i = 0; i < 3; i++) ask(study, i == 0 ? "r" : i == 1 ? "s" : "t");
  REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_MISUSE, "max-open");
  GOOD(scant_study_end_order(study, "r", SCANT_END_EXPIRE, NULL, &said));
  GOOD(scant_study_reopen(study, "p", "there is room now", &said));
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  /* the budget; an expired order has its money already */
  uint64_t number = find(study, "p")->number;
  price = find(study, "p")->price;
  GOOD(scant_study_end_order(study, "s", SCANT_END_EXPIRE, NULL, &said));
  GOOD(scant_study_end_order(study, "t", SCANT_END_EXPIRE, NULL, &said));
  spend_all(study, 100);
  scant_study_status s = status_of(study);
  if (CHECK(s.budget_cost - s.spent - s.reserved < price))
    REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_SPENT, "of the budget are left");
  CHECK(find(study, "p")->number == number && find(study, "p")->state == SCANT_ORDER_CANCELLED);
  GOOD(scant_study_reopen(study, "s", "an expired one", &said));
  scant_study *reader = open_study(path, SCANT_STUDY_READ);
  CHECK(scant_study_reopen(reader, "t", "r", &said) == SCANT_MISUSE);
  CHECK_SAYS(said.text, "for reading");
  CHECK(find(reader, "s")->state == SCANT_ORDER_ISSUED); /* it follows reopened orders */
  scant_study_close(reader);
  end(study, path);
}

TEST(the_budget_of_attributes_counts_too) {
  const char *path = study_path("attributes");
  scant_study *study = make_study(path, "algorithm=aerr k=2 seed=4 budget=4 replacement=no", 6, PLAIN);
  size_t first = ask(study, "p")->count;
  GOOD(scant_study_end_order(study, "p", SCANT_END_CANCEL, NULL, &said));
  spend_all(study, 10);
  scant_study_status s = status_of(study);
  if (CHECK(s.budget - s.attributes_reserved < first))
    REFUSED(study, scant_study_reopen(study, "p", "r", &said), SCANT_SPENT, "of the budget of attributes are left");
  end(study, path);
}

int main(void) {
  study_begin_tests();
  RUN(a_reopened_order_is_as_if_it_had_never_ended);
  RUN(expired_orders_that_were_told_meanwhile_are_learned_from);
  RUN(reopened_orders_can_be_erased);
  RUN(what_forbids_it);
  RUN(the_budget_of_attributes_counts_too);
  return study_end_tests();
}
