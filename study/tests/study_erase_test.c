/* Forgetting: after an erasure no file of the study holds the name or a value of the example, and the ledger still
 * proves itself. */
#define _GNU_SOURCE /* memmem */
#include "study_erase.h"

/* ---- nothing is left ------------------------------------------------------------------------ */

/* The ledger after the erasure: events of the person are marks, and the others are as they were. */
static void check_marks(scant_study *study, uint64_t marks) {
  const scant_study_event *e;
  const scant_study_order *o;
  uint64_t erased = 0;
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) break;
    erased += (uint64_t)e->erased;
    if (e->erased) CHECK(!e->example && !e->look && !e->reason && !e->change && !e->count && !e->salt);
    if (e->kind == SCANT_EVENT_ERASE) CHECK(!e->erased && !e->example && e->change && !strcmp(e->reason, "withdrew"));
  }
  CHECK(erased == marks);
  CHECK(scant_study_find(study, NAME, &o, &said) == SCANT_DATA);
}

static void erase_at(const char *settings, stage s) {
  const char *path = study_path("erased");
  char what[200];
  size_t values, names;
  scant_study_traces t, seen;
  snprintf(what, sizeof what, "%s, stage %d", settings, s);
  scant_study *study = make_full(path, settings, s);
  search(&values, &names);
  if (!CHECK((values > 0 || s == OPEN) && names > 0))
    printf("#   %s: nothing to find\n", what); /* so that it can fail */
  check_verified(study);
  scant_study_status before = status_of(study), after;
  GOOD(scant_study_find_traces(study, NAME, &seen, &said));
  GOOD(scant_study_erase(study, NAME, "withdrew", &t, &said));
  CHECK(!t.unswept && t.events == seen.events && t.orders == seen.orders && t.refunded == seen.refunded);
  check_gone(what); /* while it is open */
  after = status_of(study);
  CHECK(after.orders == before.orders && after.erased == t.orders && !after.unswept);
  CHECK(after.spent == before.spent && after.reserved == before.reserved - t.refunded);
  CHECK(after.open == before.open - t.open && after.imported == before.imported - (uint64_t)t.imported);
  CHECK(t.open == (s == OPEN || s == HALF) && (t.refunded > 0) == (t.open > 0));
  CHECK(t.looks >= 4 && !t.mentions);
  check_marks(study, t.events);
  check_verified(study);
  check_money(study);
  learn_many(study, 100, 4); /* it goes on */
  check_verified(study);
  REFUSED(study, scant_study_erase(study, NAME, "withdrew", &t, &said), SCANT_DATA, "nothing is known of example");
  scant_study_close(study);
  check_gone(what);
  execute(path, "DELETE FROM snapshot"); /* then the learner follows the ledger from its start */
  study = open_dense(path, SCANT_STUDY_WRITE);
  check_verified(study);
  char *all = dump(study);
  GOOD(scant_study_replay(study, &said));
  check_unchanged(study, all, what, __LINE__);
  check_verified(study);
  scant_study_close(study);
  check_gone(what);
  study_remove(path);
}

TEST(nothing_is_left) {
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
    for (stage s = OPEN; s < STAGES; s++) erase_at(algorithms[i], s);
}

/* Free pages, and the rest of pages behind their rows, hold what was once there. */
TEST(free_pages_are_swept) {
  const char *path = study_path("free");
  size_t values = 0, names = 0;
  scant_study_close(make_full(path, algorithms[1], LEARNED));
  execute(path, "PRAGMA secure_delete = OFF; CREATE TABLE x(t TEXT); INSERT INTO x VALUES('" NAME
                "' || hex(zeroblob(9000))); DROP TABLE x;"
                "INSERT INTO snapshot VALUES(0, '" NAME "', ''); DELETE FROM snapshot WHERE sequence = 0");
  search(&values, &names);
  CHECK(values && names);
  scant_study *study = open_dense(path, SCANT_STUDY_WRITE);
  GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
  check_gone("on free pages");
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

/* The looks of others stay.  They must not hold means: those of one example alone are its values. */
TEST(the_first_of_all) {
  static const char *const all[] = {"algorithm=gaussian k=3 seed=5", "algorithm=moments k=3 seed=5",
                                    "algorithm=auto k=3 seed=5", "algorithm=ridge k=3 seed=5",
                                    "algorithm=lasso k=3 seed=5"};
  const char *path = study_path("first");
  for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
    test_state = 7;
    planted_count = 0;
    scant_study *study = make_dense(path, all[a], D, PLAIN);
    hurry(study);
    import_planted(study);
    learn_many(study, 0, 12);
    GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
    check_gone(all[a]);
    check_verified(study);
    scant_study_close(study);
    study_remove(path);
  }
}

/* ---- the learner never knew it ---------------------------------------------------------------- */

/* The learner after an erasure is that of a study to which everything but the person's values was told: here the
 * person's order was cancelled at once, and the looks of the others are the same until then. */
TEST(the_learner_is_made_anew) {
  const char *path = study_path("anew"), *other = study_path("never");
  const scant_study_order *o;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=9", D, PLAIN);
  hurry(study);
  test_state = 3;
  learn_many(study, 0, 5);
  planted_count = 0;
  add_person(study, LEARNED);
  GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
  scant_study *never = make_dense(other, "algorithm=auto k=3 seed=9", D, PLAIN);
  hurry(never);
  test_state = 3;
  learn_many(never, 0, 5);
  GOOD(scant_study_ask(never, NAME, &o, &said));
  GOOD(scant_study_end_order(never, NAME, SCANT_END_CANCEL, NULL, &said));
  learn_many(never, 60, 1);
  CHECK(status_of(study).learned == status_of(never).learned);
  double w[2][D], b[2];
  scant_learner_weights(study->learner, w[0], &b[0]);
  scant_learner_weights(never->learner, w[1], &b[1]);
  int same_look = 1; /* e60 may have another look: it was drawn by a learner that knew the person */
  GOOD(scant_study_find(study, "e60", &o, &said));
  uint32_t attributes[D];
  size_t count = o->count;
  for (size_t i = 0; i < count; i++) attributes[i] = o->lines[i].attribute;
  GOOD(scant_study_find(never, "e60", &o, &said));
  same_look = o->count == count;
  for (size_t i = 0; i < count && same_look; i++) same_look = attributes[i] == o->lines[i].attribute;
  printf("# the look behind it is %s\n", same_look ? "the same" : "another");
  if (CHECK(same_look))
    for (int i = 0; i < D; i++) CHECK(fabs(w[0][i] - w[1][i]) <= 1e-12 * (1 + fabs(w[1][i])));
  scant_study_close(study);
  scant_study_close(never);
  study_remove(path);
  study_remove(other);
}

/* ---- several, one after the other ---------------------------------------------------------------- */

/* Every second example goes, in an order of its own, with work in between; each time the study proves itself. */
TEST(one_after_the_other) {
  static const char *const all[] = {"algorithm=auto k=3 seed=6 max-open=2", "algorithm=gaussian k=3 seed=6 max-open=2"};
  const char *path = study_path("several");
  for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
    test_state = 11;
    scant_study *study = make_dense(path, all[a], D, PRICED);
    hurry(study);
    learn_many(study, 0, 16);
    static const int order[] = {8, 2, 14, 0, 100, 4};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
      char example[20];
      snprintf(example, sizeof example, "e%d", order[i]);
      GOOD(scant_study_erase(study, example, "their wish", NULL, &said));
      check_verified(study);
      learn_many(study, 100 + (int)i, 1);
      scant_study_answer y = {.name = "y", .value = 0.5 * (double)i};
      GOOD(scant_study_correct(study, "e5", &y, 1, "again", &said));
      check_verified(study);
    }
    CHECK(status_of(study).erased == 6 && status_of(study).learned == 16);
    scant_study_close(study);
    study = open_dense(path, SCANT_STUDY_READ);
    check_verified(study);
    scant_study_close(study);
    study_remove(path);
  }
}

/* A reader that was open before goes on with the learner of after. */
TEST(readers_follow) {
  const char *path = study_path("followed");
  scant_study *study = make_full(path, algorithms[0], LEARNED), *reader = open_dense(path, SCANT_STUDY_READ);
  CHECK(status_of(reader).erased == 0);
  GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
  CHECK(status_of(reader).erased == 1);
  double w[2][D], b[2];
  scant_learner_weights(study->learner, w[0], &b[0]);
  CHECK(status_of(study).learned == status_of(reader).learned);
  scant_learner_weights(study->learner, w[0], &b[0]);
  scant_learner_weights(reader->learner, w[1], &b[1]);
  for (int i = 0; i < D; i++) CHECK(w[0][i] == w[1][i]);
  CHECK(b[0] == b[1]);
  scant_study_close(reader);
  scant_study_close(study);
  study_remove(path);
}

/* ---- bad input --------------------------------------------------------------------------------- */

TEST(bad_input) {
  const char *path = study_path("bad");
  scant_study_traces t;
  scant_study *study = make_full(path, algorithms[0], LEARNED);
  REFUSED(study, scant_study_erase(study, "nobody", "withdrew", &t, &said), SCANT_DATA,
          "nothing is known of example 'nobody'");
  REFUSED(study, scant_study_find_traces(study, "nobody", &t, &said), SCANT_DATA, "nothing is known of example");
  REFUSED(study, scant_study_erase(study, NAME, NULL, &t, &said), SCANT_USAGE, "for a reason");
  REFUSED(study, scant_study_erase(study, NAME, "", &t, &said), SCANT_USAGE, "for a reason");
  REFUSED(study, scant_study_erase(study, NAME, "wish of " NAME, &t, &said), SCANT_USAGE, "must not hold the name");
  REFUSED(study, scant_study_erase(study, NAME, "zacharias-QUUX-person", &t, &said), SCANT_USAGE,
          "must not hold the name");
  REFUSED(study, scant_study_erase(study, "", "withdrew", &t, &said), SCANT_DATA, "is empty");
  GOOD(scant_study_sweep(study, &said)); /* nothing is due */
  scant_study *reader = open_dense(path, SCANT_STUDY_READ);
  REFUSED(reader, scant_study_erase(reader, NAME, "withdrew", &t, &said), SCANT_MISUSE, "open for reading");
  REFUSED(reader, scant_study_sweep(reader, &said), SCANT_MISUSE, "open for reading");
  GOOD(scant_study_find_traces(reader, NAME, &t, &said));
  CHECK(t.events == 3 && t.orders == 1 && t.order == OTHERS + 1);
  scant_study_close(reader);
  GOOD(scant_study_erase(study, NAME, "withdrew", &t, &said));
  const scant_study_order *o; /* who comes back is somebody new */
  GOOD(scant_study_ask(study, NAME, &o, &said));
  CHECK(o->state == SCANT_ORDER_ISSUED);
  GOOD(scant_study_ask(study, "erased 15", &o, &said)); /* a name like any other */
  CHECK(o->state == SCANT_ORDER_ISSUED && o->number > OTHERS + 1);
  GOOD(scant_study_order_at(study, OTHERS + 1, &o, &said));
  CHECK(o->state == SCANT_ORDER_ERASED && !strcmp(o->example, "erased 15") && !o->count && !o->has_y && o->spent > 0);
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

/* Reasons of others that hold the name stay; whoever erases is told. */
TEST(mentions_are_counted) {
  const char *path = study_path("mentioned");
  scant_study_traces t;
  scant_study *study = make_full(path, algorithms[0], LEARNED);
  scant_study_answer y = {.name = "y", .value = 2};
  GOOD(scant_study_correct(study, "e3", &y, 1, "mixed up with zacharias-quux-person", &said));
  GOOD(scant_study_find_traces(study, NAME, &t, &said));
  CHECK(t.mentions == 1);
  scant_study_close(study);
  study_remove(path);
}

/* ---- edited files ---------------------------------------------------------------------------------- */

/* The proof notices a file in which somebody played the eraser by hand. */
static void check_found(const char *path, const char *copy, const char *sql, const char *words) {
  scant_study_proof proof;
  copy_file(path, copy);
  execute(copy, sql);
  scant_study *study = open_dense(copy, SCANT_STUDY_READ);
  said.text[0] = 0;
  scant_status status = scant_study_verify(study, &proof, &said);
  if (!CHECK(status == SCANT_DATA && strstr(said.text, words))) printf("#   %s\n#   %d: %s\n", sql, status, said.text);
  scant_study_close(study);
  study_remove(copy);
}

#define GOES \
  "UPDATE ledger SET example = NULL, look = NULL, reason = NULL, change = NULL, salt = NULL WHERE sequence = "
TEST(erasing_by_hand_is_found) {
  const char *path = study_path("honest"), *copy = study_path("edited");
  scant_study *study = make_full(path, algorithms[0], LEARNED);
  GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
  scant_study_close(study);
  check_found(path, copy, GOES "4; DELETE FROM told WHERE sequence = 4", "event 4 of the ledger is gone, and nobody");
  check_found(path, copy, GOES "1", "event 1 of the ledger is gone, and nobody");
  check_found(path, copy, "UPDATE ledger SET salt = 1 WHERE sequence = 30", "event 30 of the ledger was to be erased");
  check_found(path, copy, "UPDATE ledger SET example = 'somebody' WHERE sequence = 30", "not all of it is gone");
  check_found(path, copy, "UPDATE ledger SET digest = digest + 1 WHERE sequence = 30", "is not as it was written");
  check_found(path, copy, "INSERT INTO told VALUES(30, 0, 1, 2.5, NULL)", "not all of it is gone");
  check_found(path, copy, "UPDATE ledger SET change = '{\"events\":[30]}' WHERE kind = 'erase'",
              "is gone, and nobody has erased it");
  check_found(path, copy, "UPDATE ledger SET change = replace(change, '30', '29') WHERE kind = 'erase'", "event 29");
  check_found(path, copy, "UPDATE ledger SET change = NULL WHERE kind = 'erase'", "does not say what it erased");
  check_found(path, copy, "UPDATE ledger SET change = '{\"events\":[90]}' WHERE kind = 'erase'", "what came after it");
  check_found(path, copy, "UPDATE orders SET example = 'e99' WHERE state = 7", "its example is not what follows");
  check_found(path, copy, "UPDATE orders SET spent = spent + 1 WHERE state = 7", "its spent is not what follows");
  study_remove(path);
}

/* ---- while others read ------------------------------------------------------------------ */

TEST(a_reader_holds_it_back) {
  const char *path = study_path("held");
  scant_study_traces t;
  size_t values, names;
  scant_study *study = make_full(path, algorithms[0], LEARNED);
  sqlite3 *reader = NULL;
  CHECK(sqlite3_open(path, &reader) == SQLITE_OK);
  CHECK(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM ledger", NULL, NULL, NULL) == SQLITE_OK);
  GOOD(scant_study_erase(study, NAME, "withdrew", &t, &said));
  CHECK(t.unswept && status_of(study).unswept);
  search(&values, &names);
  CHECK(values && names); /* it does not pretend */
  CHECK(scant_study_sweep(study, &said) == SCANT_BUSY);
  CHECK_SAYS(said.text, "somebody reads the study");
  check_verified(study);
  learn_many(study, 200, 1);
  scant_study_close(study);
  study = open_dense(path, SCANT_STUDY_WRITE); /* opening tries, and goes on */
  CHECK(status_of(study).unswept);
  learn_many(study, 201, 1);
  sqlite3_close(reader);
  GOOD(scant_study_sweep(study, &said));
  CHECK(!status_of(study).unswept);
  check_gone("the reader has ended");
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  RUN(nothing_is_left);
  RUN(free_pages_are_swept);
  RUN(the_first_of_all);
  RUN(the_learner_is_made_anew);
  RUN(one_after_the_other);
  RUN(readers_follow);
  RUN(bad_input);
  RUN(mentions_are_counted);
  RUN(erasing_by_hand_is_found);
  RUN(a_reader_holds_it_back);
  return study_end_tests();
}
