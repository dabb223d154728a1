/* Looking before leaping: several examples at once, what the next orders may cost, names that are nearly the same, and
 * what waits. */
#include "study_calls.h"

/* The texts of the looks in the ledger. */
static char *looks_of(scant_study *study) {
  study_text t = {0};
  put(&t, "", 0);
  put_rows(&t, study->db, "SELECT example, look, reserved FROM ledger WHERE kind = 'ask' ORDER BY sequence");
  return t.text;
}

static const char *const five[] = {"a", "b", "c", "d", "e"};

TEST(all_at_once_is_as_one_by_one) {
  char paths[2][300];
  char *looks[2];
  scant_study *both[2];
  for (int i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s", study_path(i ? "many" : "single"));
    both[i] = make_study(paths[i], "algorithm=auto k=3 seed=4 budget-cost=2000", 9, PRICED);
    const scant_study_order *o;
    for (int n = 0; n < 5 && !i; n++) GOOD(scant_study_ask(both[i], five[n], &o, &said));
    if (i) GOOD(scant_study_ask_all(both[i], five, 5, &said));
    looks[i] = looks_of(both[i]);
    CHECK(status_of(both[i]).open == 5);
  }
  CHECK(strcmp(looks[0], looks[1]) == 0);
  free(looks[0]);
  free(looks[1]);
  /* again: nothing new; with others: only those */
  char *before = dump(both[1]);
  GOOD(scant_study_ask_all(both[1], five, 5, &said));
  check_unchanged(both[1], before, "asked for again", __LINE__);
  const char *const more[] = {"f", "b", "f", "g"};
  size_t fresh;
  GOOD(scant_study_check_ask(both[1], more, 4, &fresh, &said));
  CHECK(fresh == 3); /* f is counted twice, and ordered once */
  GOOD(scant_study_ask_all(both[1], more, 4, &said));
  CHECK(find(both[1], "f")->number == 6 && find(both[1], "g")->number == 7 && find(both[1], "b")->number == 2);
  end(both[0], paths[0]);
  end(both[1], paths[1]);
}

TEST(all_or_none) {
  const char *path = study_path("none");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=45 max-open=4", 9, PRICED);
  const char *const bad[] = {"a", "b", " c"}, *const near[] = {"a", "B", "b"};
  scant_study_answer past[2] = {{"a1", 1, 0}, {"y", 2, 0}};
  size_t fresh;
  REFUSED(study, scant_study_ask_all(study, five, 0, &said), SCANT_USAGE, "no example");
  REFUSED(study, scant_study_ask_all(study, bad, 3, &said), SCANT_DATA, "none of the 3 examples");
  REFUSED(study, scant_study_ask_all(study, near, 3, &said), SCANT_MISUSE, "differs from it only in case");
  REFUSED(study, scant_study_ask_all(study, five, 5, &said), SCANT_MISUSE, "max-open, 4");
  REFUSED(study, scant_study_check_ask(study, five, 5, &fresh, &said), SCANT_MISUSE, "max-open, 4");
  REFUSED(study, scant_study_ask_all(study, five, 4, &said), SCANT_SPENT, "example '"); /* not all are paid for */
  CHECK_SAYS(said.text, "none of the 4 examples was ordered");
  GOOD(scant_study_check_ask(study, five, 4, &fresh, &said));
  CHECK(fresh == 4);
  GOOD(scant_study_ask_all(study, five, 2, &said)); /* the same draws come as if nothing had been tried */
  char *looks = looks_of(study);
  GOOD(scant_study_import(study, "past", past, 2, &said));
  const char *const imported[] = {"a", "past"};
  REFUSED(study, scant_study_ask_all(study, imported, 2, &said), SCANT_MISUSE, "was imported");
  GOOD(scant_study_end_order(study, "a", SCANT_END_FAIL, "gone", &said));
  REFUSED(study, scant_study_ask_all(study, five, 2, &said), SCANT_MISUSE, "has failed");
  scant_study *reader = open_study(path, SCANT_STUDY_READ);
  CHECK(scant_study_ask_all(reader, five, 2, &said) == SCANT_MISUSE);
  CHECK_SAYS(said.text, "for reading");
  CHECK(scant_study_check_ask(reader, five, 2, &fresh, &said) == SCANT_MISUSE);
  CHECK_SAYS(said.text, "has failed");
  scant_study_close(reader);
  end(study, path);
  study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=45 max-open=4", 9, PRICED);
  GOOD(scant_study_ask_all(study, five, 2, &said));
  char *plain = looks_of(study);
  CHECK(strcmp(looks, plain) == 0);
  free(looks);
  free(plain);
  end(study, path);
}

TEST(a_forecast_has_the_law_and_not_the_draws) {
  const char *path = study_path("forecast");
  enum { D = 9, DRAWS = 4000 };
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=90000 max-open=2000", D, PRICED);
  scant_study_forecast f, again;
  double chance[D], other[D], real[D] = {0};
  char *before = dump(study);
  GOOD(scant_study_preview(study, DRAWS, &f, chance, &said));
  GOOD(scant_study_preview(study, DRAWS, &again, other, &said));
  check_unchanged(study, before, "a forecast", __LINE__);
  CHECK(!memcmp(&f, &again, sizeof f) && !memcmp(chance, other, sizeof chance));
  CHECK(f.draws == DRAWS && f.least <= f.mean && f.mean <= (double)f.most && f.left == 9000000);
  CHECK(f.attributes_left == UINT64_MAX && f.attributes_most == 3 && chance[0] == 1);
  REFUSED(study, scant_study_preview(study, 0, &again, NULL, &said), SCANT_USAGE, "from 1 to");
  REFUSED(study, scant_study_preview(study, 1000001, &again, NULL, &said), SCANT_USAGE, "from 1 to");
  /* 500 orders have the same law: nothing is learned, so the law stays.  5 sigma. */
  enum { N = 500 };
  double sum = 0, squares = 0;
  int same = 1;
  hurry(study);
  GOOD(scant_study_preview(study, 1, &again, other, &said));
  for (int i = 0; i < N; i++) {
    const scant_study_order *o;
    char name[16];
    snprintf(name, sizeof name, "e%d", i);
    GOOD(scant_study_ask(study, name, &o, &said));
    CHECK(o->price >= f.least && o->price <= f.most);
    sum += (double)o->price;
    squares += (double)o->price * (double)o->price;
    for (size_t j = 0; j < o->count; j++) real[o->lines[j].attribute] += 1.0 / N;
    for (size_t j = 0; j < o->count; j++) same &= other[o->lines[j].attribute] == 1;
    GOOD(scant_study_preview(study, 1, &again, other, &said)); /* of the next one */
  }
  CHECK(!same); /* the next order was not shown */
  double sigma = sqrt((squares / N - sum / N * (sum / N)) * (1.0 / N + 1.0 / DRAWS));
  CHECK_NEAR(sum / N, f.mean, 5 * sigma);
  for (int i = 0; i < D; i++)
    CHECK_NEAR(real[i], chance[i], 5 * sqrt(chance[i] * (1 - chance[i]) * (1.0 / N + 1.0 / DRAWS)) + 1e-12);
  scant_study *reader = open_study(path, SCANT_STUDY_READ);
  GOOD(scant_study_preview(reader, 10, &again, NULL, &said));
  CHECK(again.left < 9000000);
  scant_study_close(reader);
  end(study, path);
}

TEST(names_that_are_nearly_the_same_are_questioned) {
  static const char *const nearly[] = {"p-001", "P- 001",
                                       "P\xe2\x80\x93"
                                       "001",
                                       "P\xc2\xa0-001", "p\xe2\x88\x92 001"};
  const char *path = study_path("names");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 9, PLAIN);
  const scant_study_order *o;
  scant_study_answer past[2] = {{"a1", 1, 0}, {"y", 2, 0}};
  GOOD(scant_study_ask(study, "P-001", &o, &said));
  GOOD(scant_study_import(study, "Old:2", past, 2, &said));
  for (size_t i = 0; i < sizeof nearly / sizeof *nearly; i++) {
    REFUSED(study, scant_study_ask(study, nearly[i], &o, &said), SCANT_MISUSE, "there is an example 'P-001', and");
    REFUSED(study, scant_study_import(study, nearly[i], past, 2, &said), SCANT_MISUSE, "option new-name");
  }
  REFUSED(study, scant_study_ask(study, "old:2", &o, &said), SCANT_MISUSE, "there is an example 'Old:2'");
  REFUSED(study, scant_study_import(study, "OLD:2", past, 2, &said), SCANT_MISUSE, "there is an example 'Old:2'");
  REFUSED(study, scant_study_find(study, "p-001", &o, &said), SCANT_DATA, "nothing was ever asked");
  GOOD(scant_study_ask(study, "P-0001", &o, &said)); /* that is another one */
  GOOD(scant_study_erase(study, "P-0001", "a wish", NULL, &said));
  GOOD(scant_study_ask(study, "erased 2", &o, &said)); /* as erased orders are called, but for a blank */
  GOOD(scant_study_end_order(study, "erased 2", SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_ask(study, "P-001", &o, &said));
  CHECK(o->number == 1);
  scant_study_take_new_names(study, 1);
  GOOD(scant_study_ask(study, "p-001", &o, &said));
  CHECK(o->number == 4 && !strcmp(o->example, "p-001") && find(study, "P-001")->number == 1);
  GOOD(scant_study_import(study, "old:2", past, 2, &said));
  scant_study_take_new_names(study, 0);
  GOOD(scant_study_ask(study, "p-001", &o, &said)); /* it is an old one now */
  CHECK(o->number == 4);
  REFUSED(study, scant_study_ask(study, "P - 001", &o, &said), SCANT_MISUSE, "'P - 001' differs");
  end(study, path);
}

/* No scan of all orders: the questions are answered from indices. */
TEST(names_are_found_by_an_index) {
  static const struct {
    const char *index, *plan;
    int count; /* of statements that ask for the index */
  } questions[] = {{"INDEXED BY orders_of_example", "INDEX orders_of_example (<expr>=?", 3},
                   {"INDEXED BY import_of_example", "INDEX import_of_example (<expr>=?", 1}};
  const char *path = study_path("index");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 9, PLAIN);
  const scant_study_order *o;
  scant_study_traces traces;
  GOOD(scant_study_ask(study, "a name", &o, &said));
  GOOD(scant_study_find_traces(study, "a name", &traces, &said));
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    int count = 0;
    for (sqlite3_stmt *at = sqlite3_next_stmt(study->db, NULL); at; at = sqlite3_next_stmt(study->db, at)) {
      char sql[1000];
      study_text t = {0};
      if (!strstr(sqlite3_sql(at), questions[i].index)) continue;
      snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", sqlite3_sql(at));
      put_rows(&t, study->db, sql);
      CHECK_SAYS(t.text, questions[i].plan);
      CHECK(!strstr(t.text, "SCAN") && !strstr(t.text, "TEMP"));
      free(t.text);
      count++;
    }
    CHECK(count == questions[i].count);
  }
  end(study, path);
}

TEST(what_waits_and_what_happened) {
  const char *path = study_path("waits");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 9, PLAIN);
  GOOD(scant_study_ask_all(study, five, 5, &said));
  GOOD(tell_all(study, find(study, "b")));
  GOOD(scant_study_end_order(study, "d", SCANT_END_CANCEL, "gone", &said));
  scant_study *reader = open_study(path, SCANT_STUDY_READ);
  scant_study *both[] = {study, reader};
  for (int i = 0; i < 2; i++) {
    const scant_study_order *o;
    const scant_study_event *e;
    char names[16] = "", kinds[64] = "";
    for (uint64_t after = 0;; after = o->number) {
      GOOD(scant_study_open_after(both[i], after, &o, &said));
      if (!o) break;
      strcat(names, o->example);
    }
    CHECK(!strcmp(names, "ace"));
    GOOD(scant_study_open_after(both[i], UINT64_MAX, &o, &said));
    CHECK(!o);
    for (uint64_t after = 0;; after = e->sequence) {
      GOOD(scant_study_event_of(both[i], "d", after, &e, &said));
      if (!e) break;
      strcat(strcat(kinds, scant_event_kind_name(e->kind)), " ");
    }
    CHECK(!strcmp(kinds, "ask cancel "));
    GOOD(scant_study_event_of(both[i], "nobody", 0, &e, &said));
    CHECK(!e);
    CHECK(scant_study_event_of(both[i], "", 0, &e, &said) == SCANT_DATA);
  }
  scant_study_close(reader);
  end(study, path);
}

int main(void) {
  study_begin_tests();
  RUN(all_at_once_is_as_one_by_one);
  RUN(all_or_none);
  RUN(a_forecast_has_the_law_and_not_the_draws);
  RUN(names_that_are_nearly_the_same_are_questioned);
  RUN(names_are_found_by_an_index);
  RUN(what_waits_and_what_happened);
  return study_end_tests();
}
