/* kill -9 at random moments while a file of version 1 is taken over: the study is of one version or of the other, doing
 * it again makes up for what was not done, and the old file is kept.  SCANT_STUDY_KILLS says how often (30). */
#include "study_killing.h"
#include "study_support.h"

#ifdef SCANT_HAVE_ZLIB
#include <zlib.h>

static char path[500];
static int kills;

static char *original; /* the file as it was */
static size_t original_length;
static char *rows; /* what is in it */

static void read_original(const char *name) {
  char packed[700];
  snprintf(packed, sizeof packed, "%s/%s.study.gz", VERSION_1, name);
  gzFile in = gzopen(packed, "rb");
  original_length = 0;
  free(original);
  original = malloc(1 << 22);
  if (!CHECK(in && original)) exit(1);
  for (int got; (got = gzread(in, original + original_length, 65536)) > 0;) original_length += (size_t)got;
  CHECK(original_length > 4096 && original_length < (1 << 22) - 65536);
  gzclose(in);
}

static void write_original(void) {
  FILE *out = fopen(path, "wb");
  if (!CHECK(out && fwrite(original, 1, original_length, out) == original_length && fclose(out) == 0)) exit(1);
}

/* Everything that is in a file of version 1. */
static char *read_rows(const char *file) {
  static const char *const tables[] = {"setting", "attribute", "ledger", "told",
                                       "orders",  "line",      "import", "snapshot"};
  sqlite3 *db = NULL;
  study_text t = {0};
  CHECK(sqlite3_open(file, &db) == SQLITE_OK);
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", tables[i]);
    put_rows(&t, db, sql);
  }
  sqlite3_close(db);
  return t.text;
}

static void ignore(const ack *message) {
  (void)message;
}

static void upgrade(int to) {
  scant_study_terms terms = {.by = "Ada", .via = "test"};
  if (scant_study_upgrade(path, NULL, &terms, &said) != SCANT_OK) _exit(4);
  acknowledge(to, 0, 0);
  sleep(10);
}

/* What was acknowledged is done; else doing it again makes up for it.  The old file is kept. */
static void check_upgraded(int acknowledged) {
  char kept[520];
  scant_study *study = NULL;
  scant_study_terms terms = {.by = "Ada", .via = "test"};
  snprintf(kept, sizeof kept, "%s.v1", path);
  scant_status status = scant_study_open(&study, path, SCANT_STUDY_READ, NULL, &said);
  CHECK(status == SCANT_OK || (status == SCANT_DATA && !acknowledged)); /* all of it, or nothing */
  scant_study_close(study);
  GOOD(scant_study_upgrade(path, NULL, &terms, &said));
  study = open_study(path, SCANT_STUDY_WRITE);
  scant_study_proof proof;
  GOOD(scant_study_verify(study, &proof, &said));
  CHECK(proof.same_bits);
  unsigned upgrades = 0;
  const scant_study_event *e;
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) break;
    upgrades += e->kind == SCANT_EVENT_UPGRADE;
  }
  CHECK(upgrades == 1);
  check_money(study);
  scant_study_close(study);
  char *text = read_rows(kept);
  CHECK(strcmp(text, rows) == 0);
  free(text);
}

TEST(killed_while_taking_over) {
  static const char *const names[] = {"auto", "aerr"};
  int acknowledged = 0, code = 0;
  char kept[520], made[540];
  snprintf(kept, sizeof kept, "%s.v1", path);
  for (int i = 0; i < kills; i++) {
    if (i < 2 || i % 10 == 0) read_original(names[i % 2]);
    study_remove(path);
    study_remove(kept);
    write_original();
    free(rows);
    rows = read_rows(path);
    int got = kill_once(upgrade, ignore, i % 5 == 4, 25000000, &code);
    acknowledged += got;
    CHECK(code == -1);
    check_upgraded(got);
    if (check_failures) break;
  }
  printf("# %d kills, %d times it was done by then\n", kills, acknowledged);
  snprintf(made, sizeof made, "%s-new", kept);
  study_remove(path);
  study_remove(kept);
  study_remove(made);
  free(original);
  free(rows);
}

int main(void) {
  study_begin_tests();
  kills = begin_killing(30);
  snprintf(path, sizeof path, "%s", study_path("old"));
  RUN(killed_while_taking_over);
  return study_end_tests();
}
#else
int main(void) {
  return check_done();
}
#endif
