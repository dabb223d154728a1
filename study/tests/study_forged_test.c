/* Files that were made to break the one that opens them: the chain of checksums fits, and what it holds does not. */
#include "look/looks.h"
#include "study.h"
#include "study_calls.h"
#include "study_other_build.h"

/* The look of the second event, with this done to it. */
typedef enum { ATTRIBUTE, LARGEST, TWICE, PROBABILITY, ITEM, LONG } damage;

static void damage_look(const char *path, damage what) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  scant_look *look = NULL;
  char *text = NULL;
  size_t length;
  CHECK(sqlite3_open(path, &db) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "SELECT look FROM ledger WHERE sequence = 2", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  GOOD(scant_look_load(&look, (const char *)sqlite3_column_text(statement, 0),
                       (size_t)sqlite3_column_bytes(statement, 0), &said));
  sqlite3_finalize(statement);
  CHECK(look->count >= 2);
  if (what == ATTRIBUTE) look->attributes[0] = 8; /* the first that is not there */
  if (what == LARGEST) look->attributes[look->count - 1] = UINT32_MAX;
  if (what == TWICE) look->attributes[0] = look->attributes[1];
  if (what == PROBABILITY) look->gradient_probability[1] = 0;
  if (what == ITEM) look->item[0] = 100;
  if (what == LONG) {
    uint32_t count = 5000;
    CHECK(scant_look_reserve(look, count, 0));
    for (uint32_t i = 1; i < count; i++) {
      look->attributes[i] = look->attributes[0];
      look->item[i] = look->item[0];
      look->gradient_draws[i] = look->residual_draws[i] = 0;
      look->gradient_probability[i] = look->residual_probability[i] = 1;
      look->weight[i] = look->mean[i] = 0;
    }
    look->count = count;
  }
  GOOD(scant_look_save(look, &text, &length, &said));
  CHECK(sqlite3_prepare_v2(db, "UPDATE ledger SET look = ? WHERE sequence = 2", -1, &statement, NULL) == SQLITE_OK);
  sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
  CHECK(sqlite3_step(statement) == SQLITE_DONE);
  sqlite3_finalize(statement);
  scant_text_free(text);
  scant_look_free(look);
  sqlite3_close(db);
}

/* Who makes such a file makes the chain of checksums anew, too. */
static void chain_anew(const char *path) {
  scant_study *study = open_study(path, SCANT_STUDY_READ);
  const scant_study_event *e;
  uint64_t sums[100], digests[100], before = 0, count = 0;
  for (; count < 100; count++) {
    GOOD(scant_study_event_after(study, count, &e, &said));
    if (!e) break;
    scant_study_event now = *e;
    digests[count] = now.digest = study_digest(e);
    before = sums[count] = study_checksum(&now, before);
  }
  scant_study_close(study);
  for (uint64_t i = 0; i < count; i++) {
    char sql[160];
    snprintf(sql, sizeof sql,
             "UPDATE ledger SET checksum = %" PRId64 ", digest = %" PRId64 " WHERE sequence = %" PRIu64,
             (int64_t)sums[i], (int64_t)digests[i], i + 1);
    execute(path, sql);
  }
}

/* A study of another build, with two examples and no snapshot. */
static void make_foreign(const char *path) {
  build = "scant 0.0.9, another compiler";
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 8, PRICED);
  learn(study, "e0");
  learn(study, "e1");
  scant_study_close(study);
  build = NULL;
  execute(path, "DELETE FROM snapshot");
}

TEST(looks_of_another_build) {
  const char *path = study_path("looks"), *copy = study_path("edited");
  make_foreign(path);
  for (damage what = ATTRIBUTE; what <= LONG; what++) {
    copy_file(path, copy);
    damage_look(copy, what);
    chain_anew(copy);
    scant_study *study = open_study(copy, SCANT_STUDY_WRITE);
    scant_study_proof proof;
    CHECK(scant_study_verify(study, &proof, &said) == SCANT_DATA);
    CHECK_SAYS(said.text, "event 2 of the ledger (ask): the look in the ledger is damaged");
    CHECK(scant_study_replay(study, &said) == SCANT_DATA);
    CHECK_SAYS(said.text, "the look in the ledger is damaged");
    scant_study_close(study);
  }
  copy_file(path, copy); /* as it is, it is good */
  chain_anew(copy);
  scant_study *study = open_study(copy, SCANT_STUDY_WRITE);
  scant_study_proof proof;
  GOOD(scant_study_verify(study, &proof, &said));
  CHECK(!proof.same_build && proof.same_bits);
  scant_study_close(study);
  study_remove(copy);
  study_remove(path);
}

/* Bits of another build need not be ours, but what an event bought, cost and did must be: a
 * forged one is noticed, even if its checksum fits. */
TEST(forged_events_of_another_build) {
  static const char *const edits[] = {"UPDATE ledger SET spent = spent + 1, reserved = reserved - 1 WHERE sequence = 3",
                                      "UPDATE ledger SET attributes = attributes + 1 WHERE sequence = 2",
                                      "UPDATE ledger SET learned = 0 WHERE sequence = 3"};
  const char *path = study_path("forged"), *copy = study_path("edited");
  make_foreign(path);
  for (size_t i = 0; i < 3; i++) {
    copy_file(path, copy);
    execute(copy, edits[i]);
    chain_anew(copy);
    scant_study *study = NULL;
    said.text[0] = 0;
    scant_study_proof proof;
    scant_status status = scant_study_open(&study, copy, SCANT_STUDY_WRITE, NULL, &said);
    if (status == SCANT_OK) status = scant_study_verify(study, &proof, &said);
    CHECK(status == SCANT_DATA);
    CHECK_SAYS(said.text, "done again, it comes out otherwise");
    scant_study_close(study);
  }
  study_remove(copy);
  study_remove(path);
}

TEST(long_orders) {
  const char *path = study_path("long"), *copy = study_path("edited");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 8, PLAIN);
  learn(study, "e0");
  scant_study_close(study);
  execute(path, "DELETE FROM snapshot");
  for (int lines = 0; lines < 2; lines++) {
    copy_file(path, copy);
    damage_look(copy, LONG);
    execute(copy, "DELETE FROM line WHERE number = 1");
    char sql[300];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < %d) INSERT INTO line "
             "SELECT 1, i, 0, 1, 0.5, 0, 0, 1, 1.5, NULL, 0, NULL, NULL, 0, 0 FROM c",
             lines ? 5000 : 8);
    execute(copy, sql);
    for (int mode = 0; mode < 2; mode++) {
      const scant_study_order *o;
      scant_study_status status;
      study = open_study(copy, (scant_study_mode)mode); /* so that it can be verified */
      CHECK(scant_study_get_status(study, &status, &said) == SCANT_DATA);
      CHECK_SAYS(said.text, lines ? "order 1 has too many lines" : "it is not that of its lines");
      CHECK(scant_study_find(study, "e0", &o, &said) == SCANT_DATA);
      scant_study_close(study);
    }
  }
  study_remove(copy);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  RUN(looks_of_another_build);
  RUN(forged_events_of_another_build);
  RUN(long_orders);
  return study_end_tests();
}
