/* Files that were edited, damaged, or are none of ours. */
#include "study.h"
#include "study_whole.h"

/* Opens and verifies a copy on which this was done. */
static scant_status verify_edited(const char *sql) {
  scant_study *study = NULL;
  scant_study_proof proof;
  copy_file(whole, edited);
  if (sql) execute(edited, sql);
  said.text[0] = 0;
  scant_status status = scant_study_open(&study, edited, SCANT_STUDY_WRITE, NULL, &said);
  if (status == SCANT_OK) status = scant_study_verify(study, &proof, &said);
  if (study) study->kept = UINT64_MAX; /* as it is, no new snapshot */
  if (study) sqlite3_exec(study->db, "PRAGMA query_only = 1", NULL, NULL, NULL);
  scant_study_close(study);
  return status;
}

static void noticed(const char *sql) {
  scant_status status = verify_edited(sql);
  if (!CHECK(status == SCANT_DATA && said.text[0])) printf("#   %s: status %d, %s\n", sql, status, said.text);
}

static void noticed_so(const char *sql, const char *words) {
  noticed(sql);
  CHECK_SAYS(said.text, words);
}

typedef struct {
  const char *table, *key; /* how a row is found */
} target;

static const target targets[] = {{"ledger", "sequence"},
                                 {"told", "sequence * 100 + place"},
                                 {"orders", "number"},
                                 {"line", "number * 100 + place"},
                                 {"import", "example = example"},
                                 {"extra", "number"},
                                 {"attribute", "place"},
                                 {"setting", "name"},
                                 {"snapshot", "sequence"}};

static uint64_t checksum_of(const scant_study_event *event, uint64_t before) {
  scant_study_event e = *event;
  e.digest = study_digest(event);
  return study_checksum(&e, before);
}

/* The checksum of an event is of everything that it says, and of the one before it: who
 * changes one of them must change all that follow. */
TEST(the_chain) {
  scant_study_told told[2] = {{3, 1.5}, {-1, 2}}, other[2] = {{3, 1.5}, {-1, 2.25}}, moved[2] = {{4, 1.5}, {-1, 2}},
                   noted[2] = {{3, 1.5, "confirmed"}, {-1, 2}};
  scant_study_event e = {
      .sequence = 7, .at = "2024-01-01T00:00:00Z", .kind = SCANT_EVENT_TELL, .example = "a", .order = 3};
  e.attributes = 2, e.reserved = 100, e.spent = 50, e.look = "{}", e.reason = "r", e.learned = 1;
  e.by = "nurse", e.via = "command", e.change = "{}", e.salt = 77, e.count = 2, e.told = told;
  uint64_t is = checksum_of(&e, 5), seen[32];
  scant_study_event changed[20];
  size_t n = 0;
  for (size_t i = 0; i < 20; i++) changed[i] = e;
  changed[n++].sequence = 8;
  changed[n++].at = "2024-01-01T00:00:01Z";
  changed[n++].kind = SCANT_EVENT_CORRECT;
  changed[n++].example = "b";
  changed[n++].order = 4;
  changed[n++].attributes = 3;
  changed[n++].reserved = 101;
  changed[n++].spent = 51;
  changed[n++].look = NULL;
  changed[n++].reason = "";
  changed[n++].learned = 0;
  changed[n++].by = NULL;
  changed[n++].via = "python";
  changed[n++].change = NULL;
  changed[n++].salt = 78;
  changed[n++].count = 1;
  changed[n++].told = other;
  changed[n++].told = moved;
  changed[n++].told = noted;
  for (size_t i = 0; i < n; i++) {
    seen[i] = checksum_of(&changed[i], 5);
    if (!CHECK(seen[i] != is)) printf("#   change %zu\n", i);
    for (size_t j = 0; j < i; j++) CHECK(seen[i] != seen[j]);
  }
  CHECK(checksum_of(&e, 5) == is && checksum_of(&e, 6) != is);
  /* of an event that was erased the digest stays, and with it the chain */
  scant_study_event erased = e;
  erased.digest = study_digest(&e);
  erased.erased = 1, erased.salt = 0, erased.count = 0, erased.told = NULL;
  erased.example = erased.look = erased.reason = erased.change = NULL;
  CHECK(checksum_of(&erased, 5) == is);
}

/* Without the salt a digest says nothing: with random salts both names give any digest as often.  One bit of it is
 * looked at: a thousand salts each, five sigma. */
TEST(a_digest_hides) {
  scant_study_event e[2] = {study_event(SCANT_EVENT_TELL, "Anna", 1), study_event(SCANT_EVENT_TELL, "Berta", 1)};
  int ones[2] = {0, 0};
  for (uint64_t n = 0; n < 1000; n++)
    for (int i = 0; i < 2; i++) {
      e[i].salt = n * UINT64_C(0x9e3779b97f4a7c15);
      ones[i] += (int)(study_digest(&e[i]) >> 63);
    }
  for (int i = 0; i < 2; i++) CHECK(abs(ones[i] - 500) < 80);
  e[0].salt = e[1].salt = 7;
  CHECK(study_digest(&e[0]) != study_digest(&e[1]));
}

/* Every column of every table, in some of its rows. */
TEST(every_cell) {
  sqlite3 *db;
  char sql[400];
  int edits = 0;
  CHECK(verify_edited(NULL) == SCANT_OK);
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
    CHECK(sqlite3_open(whole, &db) == SQLITE_OK);
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql,
             "SELECT rowid_, c.name, c.type FROM (SELECT %s AS rowid_ FROM %s), pragma_table_info('%s') c",
             targets[t].key, targets[t].table, targets[t].table);
    if (!CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK)) printf("#  %s\n", sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const char *row = (const char *)sqlite3_column_text(statement, 0);
      const char *column = (const char *)sqlite3_column_text(statement, 1);
      const char *type = (const char *)sqlite3_column_text(statement, 2);
      if (strcmp(targets[t].table, "snapshot") == 0 && strcmp(column, "learner") != 0) continue;
      if (test_below(strcmp(targets[t].table, "ledger") == 0 ? 3 : 12)) continue;
      const char *as = strcmp(type, "TEXT") == 0   ? "coalesce(%s || 'x', 'x')"
                       : strcmp(type, "REAL") == 0 ? "coalesce(%s + 0.5, 1.5)"
                                                   : "coalesce(%s, 0) + 100000";
      char value[100];
      snprintf(value, sizeof value, as, column);
      snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE %s = '%s'", targets[t].table, column, value,
               targets[t].key, row);
      if (strchr(row, ' ') == NULL) edits++;
      if (strcmp(targets[t].table, "setting") != 0)
        snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE %s = %s", targets[t].table, column, value,
                 targets[t].key, row);
      noticed(sql);
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
  }
  printf("# %d edits\n", edits);
  CHECK(edits > 100);
}

TEST(rows_gone_or_added) {
  sqlite3 *db;
  sqlite3_stmt *statement = NULL;
  char sql[300];
  CHECK(sqlite3_open(whole, &db) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "SELECT max(sequence) FROM ledger", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  int last = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  for (int i = 1; i <= last; i++) {
    snprintf(sql, sizeof sql, "DELETE FROM ledger WHERE sequence = %d", i);
    noticed(sql);
    snprintf(sql, sizeof sql, "DELETE FROM ledger WHERE sequence >= %d", i);
    noticed(sql);
    snprintf(sql, sizeof sql, "DELETE FROM ledger WHERE sequence >= %d; DELETE FROM told WHERE sequence >= %d", i, i);
    noticed(sql);
    /* the snapshot too: orders and lines know more than the ledger */
    snprintf(sql, sizeof sql,
             "DELETE FROM ledger WHERE sequence >= %d; DELETE FROM told WHERE sequence >= %d; DELETE FROM snapshot", i,
             i);
    noticed(sql);
  }
  noticed("DELETE FROM told WHERE sequence = (SELECT max(sequence) FROM told) AND place = 0");
  noticed("DELETE FROM orders WHERE number = 3");
  noticed("DELETE FROM line WHERE number = 3 AND place = 0");
  noticed("DELETE FROM import");
  noticed("DELETE FROM setting WHERE name = 'seed'");
  noticed("DELETE FROM attribute WHERE place = 8");
  noticed("INSERT INTO told VALUES(9999, 0, 1, 2.0, NULL)");
  noticed("INSERT INTO import VALUES('never', 3, 0)");
  noticed("INSERT INTO setting VALUES('radius', '2')");
  noticed(
      "INSERT INTO line SELECT number, 50, attribute, price, probability, weight, mean, state, value, note, "
      "second, second_value, second_note, item, counted FROM line WHERE number = 1 AND place = 0");
  noticed(
      "INSERT INTO orders SELECT 77, 'extra', state, spent, y, asked, asked_told, learned_told, reason, second, "
      "second_y, learned_by FROM orders WHERE number = 1");
  noticed(
      "INSERT INTO ledger SELECT (SELECT max(sequence) + 1 FROM ledger), at, kind, by, via, number, attributes, "
      "reserved, spent, learned, example, look, reason, change, salt, digest, checksum FROM ledger WHERE sequence = 5");
  noticed("UPDATE ledger SET learned = learned + 4294967296 WHERE sequence = 4");
  noticed("UPDATE ledger SET kind = CAST(CAST(kind AS BLOB) || x'0041' AS TEXT) WHERE sequence = 4");
  noticed_so("UPDATE attribute SET unit = 'kg' WHERE place = 2", "table attribute: its unit");
  noticed_so("UPDATE setting SET value = '9999' WHERE name = 'budget-cost'", "table setting: its value");
  noticed_so("UPDATE ledger SET spent = spent + 1 WHERE sequence = 5", "event 5 of the ledger");
  noticed_so("DELETE FROM ledger WHERE sequence = 5", "event 5");
  noticed_so("UPDATE line SET value = 99.5 WHERE number = 2 AND place = 1", "table line");
  /* one value in place of another, orders and learner as if nothing was */
  noticed("UPDATE told SET value = value + 1 WHERE sequence = (SELECT max(sequence) FROM told) AND attribute = -1");
}

/* What follows from the ledger can be made anew. */
TEST(replay_mends) {
  static const char *const damages[] = {
      "UPDATE orders SET state = 3 WHERE number = 9",
      "UPDATE orders SET state = 900",
      "UPDATE orders SET spent = spent + 1",
      "UPDATE line SET value = value + 1",
      "UPDATE line SET attribute = 4000",
      "DELETE FROM line",
      "DELETE FROM orders; DELETE FROM line; DELETE FROM import; DELETE FROM snapshot",
      "UPDATE snapshot SET learner = substr(learner, 1, 500)",
      "UPDATE snapshot SET learner = replace(learner, '1', '2')",
      "UPDATE snapshot SET learner = ''",
      "DELETE FROM snapshot; DELETE FROM line WHERE number = 2"};
  scant_study *study = open_study(whole, SCANT_STUDY_WRITE);
  char *wanted = dump(study);
  scant_study_close(study);
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    noticed(damages[i]);
    copy_file(whole, edited);
    execute(edited, damages[i]);
    study = open_study(edited, SCANT_STUDY_WRITE);
    GOOD(scant_study_replay(study, &said));
    check_verified(study);
    char *got = dump(study);
    CHECK(strcmp(got, wanted) == 0);
    free(got);
    scant_study_close(study);
  }
  /* a snapshot that is damaged is not trusted: the ledger is followed instead */
  copy_file(whole, edited);
  execute(edited, "UPDATE snapshot SET learner = replace(learner, '1', '2')");
  study = open_study(edited, SCANT_STUDY_READ);
  char *got = dump(study);
  CHECK(strcmp(got, wanted) == 0);
  free(got);
  free(wanted);
  scant_study_close(study);
}

static void foreign(const char *sql, const char *words) {
  scant_study *study = NULL;
  copy_file(whole, edited);
  execute(edited, sql);
  for (int mode = 0; mode < 2; mode++) {
    said.text[0] = 0;
    CHECK(scant_study_open(&study, edited, (scant_study_mode)mode, NULL, &said) == SCANT_DATA && !study);
    CHECK_SAYS(said.text, words);
    CHECK(!is_file(edited, "-lock"));
  }
}

TEST(foreign_files) {
  foreign("CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM ledger; END", "triggers, views or tables");
  foreign("CREATE VIEW v AS SELECT 1", "triggers, views or tables");
  foreign("CREATE TABLE more(x)", "triggers, views or tables");
  foreign("CREATE INDEX more ON ledger(abs(number))", "triggers, views or tables");
  foreign("ALTER TABLE orders ADD COLUMN more TEXT", "triggers, views or tables");
  foreign("ALTER TABLE line RENAME TO lines", "triggers, views or tables");
  foreign("DROP TABLE snapshot", "triggers, views or tables");
  foreign("PRAGMA user_version = 3", "version 3");
  foreign("PRAGMA application_id = 5", "is not a study");
  study_remove(edited);
  execute(edited, "CREATE TABLE t(x)");
  scant_study *study = NULL;
  for (int mode = 0; mode < 2; mode++)
    CHECK(scant_study_open(&study, edited, (scant_study_mode)mode, NULL, &said) == SCANT_DATA);
  CHECK_SAYS(said.text, "is not a study");
  FILE *file = fopen(edited, "w");
  fprintf(file, "name,unit\nage,years\nand more of the same, so that it is longer than the header of a database is\n");
  fclose(file);
  for (int mode = 0; mode < 2; mode++)
    CHECK(scant_study_open(&study, edited, (scant_study_mode)mode, NULL, &said) == SCANT_DATA);
  CHECK_SAYS(said.text, "is not a study");
  CHECK(truncate(edited, 0) == 0);
  CHECK(scant_study_open(&study, edited, SCANT_STUDY_WRITE, NULL, &said) == SCANT_DATA);
  study_remove(edited);
  CHECK(scant_study_open(&study, edited, SCANT_STUDY_READ, NULL, &said) == SCANT_NO_INPUT);
  CHECK(!is_file(edited, "") && !is_file(edited, "-lock"));
}

int main(void) {
  study_begin_tests();
  RUN(make_whole);
  RUN(the_chain);
  RUN(a_digest_hides);
  RUN(every_cell);
  RUN(rows_gone_or_added);
  RUN(replay_mends);
  RUN(foreign_files);
  remove_whole();
  return study_end_tests();
}
