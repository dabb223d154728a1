/* What tests of studies share: files, catalogues, settings in one line, and a dump of all that a study is. */
#ifndef SCANT_TESTS_STUDY_SUPPORT_H
#define SCANT_TESTS_STUDY_SUPPORT_H

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "study.h"

static char study_folder[400];
static scant_error said; /* what the last call said */

/* Tests that let everything fail once take one in so many: make test is short that way.  With SCANT_THOROUGH=1 (make
 * test-studies) they take every one, unless sanitizers watch, which take their time. */
static inline unsigned long study_stride(void) {
  int thorough = getenv("SCANT_THOROUGH") != NULL;
#ifdef __SANITIZE_ADDRESS__
  return thorough ? 3 : 13;
#else
  return thorough ? 1 : 5;
#endif
}

static inline void study_begin_tests(void) {
  folder_new(study_folder, sizeof study_folder, "scant-study");
}

static inline const char *study_path(const char *name) {
  static char paths[8][500];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", study_folder, name);
  return path;
}

static inline int is_file(const char *path, const char *end) {
  char name[700];
  snprintf(name, sizeof name, "%s%s", path, end);
  return access(name, F_OK) == 0;
}

static inline void study_remove(const char *path) {
  static const char *const ends[] = {"", "-wal", "-shm", "-lock", "-queue", "-journal"};
  char name[700];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    unlink(name);
  }
}

static inline int study_end_tests(void) {
  int left = rmdir(study_folder) != 0; /* nothing may be left in it */
  if (left) {
    char command[1000];
    printf("# files are left in %s\n", study_folder);
    snprintf(command, sizeof command, "ls -A %s | sed 's/^/# /'; rm -rf %s", study_folder, study_folder);
    if (system(command)) printf("# and can't be removed\n");
  }
  return check_done() || left;
}

/* Settings from "name=value name=value". */
static inline scant_settings settings_of(const char *text) {
  static char kept[16][400];
  static int next;
  scant_settings settings;
  char *copy = kept[next++ % 16];
  scant_settings_init(&settings);
  snprintf(copy, sizeof kept[0], "%s", text);
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    *value++ = 0;
    if (scant_settings_set(&settings, word, value, &said) != SCANT_OK) printf("# %s: %s\n", word, said.text);
  }
  return settings;
}

enum { CATALOGUE_MOST = 64 };

/* a0, a1, ...: without costs, or with costs, groups (a2 a5, a3 a6 a7) and a0 always known. */
typedef enum { PLAIN, PRICED, FREE_GROUPS } catalogue_kind;

static inline const scant_study_attribute *catalogue_of(size_t d, catalogue_kind kind) {
  static char names[CATALOGUE_MOST][8];
  static scant_study_attribute rows[CATALOGUE_MOST];
  for (size_t i = 0; i < d; i++) {
    snprintf(names[i], sizeof names[i], "a%zu", i);
    rows[i] = (scant_study_attribute){.name = names[i], .unit = "mg", .low = -100, .high = NAN};
    if (kind == PLAIN) continue;
    rows[i].known = i == 0;
    rows[i].group = i == 2 || i == 5 ? "pair" : i == 3 || i == 6 || i == 7 ? "panel" : NULL;
    if (kind == PRICED && i) rows[i].cost = 100 + 37 * i;
  }
  return rows;
}

static inline scant_study *open_study(const char *path, scant_study_mode mode) {
  scant_study *study = NULL;
  scant_status status = scant_study_open(&study, path, mode, NULL, &said);
  if (!CHECK(status == SCANT_OK)) {
    printf("# %s\n", said.text);
    exit(1);
  }
  return study;
}

static inline scant_study *make_study(const char *path, const char *settings, size_t d, catalogue_kind kind) {
  scant_settings s = settings_of(settings);
  study_remove(path);
  scant_status status = scant_study_create(path, &s, catalogue_of(d, kind), d, NULL, &said);
  if (!CHECK(status == SCANT_OK)) {
    printf("# %s\n", said.text);
    exit(1);
  }
  return open_study(path, SCANT_STUDY_WRITE);
}

/* Does not wait for the disk: for tests that are about something else. */
static inline void hurry(scant_study *study) {
  CHECK(sqlite3_exec(study->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL) == SQLITE_OK);
}

/* ---- files that are edited ------------------------------------------------------ */

static inline void copy_file(const char *from, const char *to) {
  char bytes[65536];
  study_remove(to);
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (!CHECK(in && out)) exit(1);
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;) CHECK(fwrite(bytes, 1, n, out) == n);
  fclose(in);
  fclose(out);
}

/* Writes a text to the file of this name and end. */
static inline void touch(const char *path, const char *end, const char *text) {
  char name[700];
  snprintf(name, sizeof name, "%s%s", path, end);
  FILE *file = fopen(name, "w");
  if (!CHECK(file)) return;
  fputs(text, file);
  fclose(file);
}

static inline void execute(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  char *message = NULL;
  CHECK(sqlite3_open(path, &db) == SQLITE_OK);
  if (!CHECK(sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK)) printf("#   %s: %s\n", sql, message);
  sqlite3_free(message);
  sqlite3_close(db);
}

/* ---- a text of everything ------------------------------------------------------ */

typedef struct {
  char *text;
  size_t length, room;
} study_text;

static inline void put(study_text *t, const char *bytes, size_t length) {
  if (t->length + length + 1 > t->room) {
    t->room = 2 * (t->length + length + 1);
    t->text = realloc(t->text, t->room);
    if (!t->text) abort();
  }
  memcpy(t->text + t->length, bytes, length);
  t->length += length;
  t->text[t->length] = 0;
}

static inline void put_rows(study_text *t, sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      char number[40] = "";
      int type = sqlite3_column_type(statement, i);
      if (type == SQLITE_FLOAT) snprintf(number, sizeof number, "%a", sqlite3_column_double(statement, i));
      const char *text = type == SQLITE_NULL    ? "null"
                         : type == SQLITE_FLOAT ? number
                                                : (const char *)sqlite3_column_text(statement, i);
      put(t, text, strlen(text));
      put(t, "|", 1);
    }
    put(t, "\n", 1);
  }
  sqlite3_finalize(statement);
}

/* The learner, as it is. */
static inline void put_learner(study_text *t, const scant_study *study) {
  char *text = NULL;
  size_t length = 0;
  CHECK(scant_learner_save(study->learner, &text, &length, &said) == SCANT_OK);
  put(t, text, length);
  scant_text_free(text);
}

/* All tables but the snapshots, and the learner; the caller frees it. */
static inline char *dump(scant_study *study) {
  static const char *const tables[] = {
      "SELECT * FROM setting ORDER BY name",    "SELECT * FROM attribute ORDER BY place",
      "SELECT * FROM ledger ORDER BY sequence", "SELECT * FROM told ORDER BY sequence, place",
      "SELECT * FROM orders ORDER BY number",   "SELECT * FROM line ORDER BY number, place",
      "SELECT * FROM import ORDER BY example",  "SELECT * FROM extra ORDER BY number, attribute",
      "SELECT * FROM request ORDER BY number",  "SELECT * FROM request_example ORDER BY request, example"};
  study_text t = {0};
  scant_study_status status;
  CHECK(scant_study_get_counts(study, &status, &said) == SCANT_OK); /* the learner is up to date */
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) put_rows(&t, study->db, tables[i]);
  put_learner(&t, study);
  return t.text;
}

/* Nothing is other than `before`, which is freed. */
static inline int check_unchanged(scant_study *study, char *before, const char *what, int line) {
  char *after = dump(study);
  int same = strcmp(before, after) == 0;
  if (!check_that(same, "nothing was changed", what, line)) {
    size_t i = 0;
    while (before[i] == after[i]) i++;
    printf("#   from %.100s\n#   to %.100s\n", before + (i > 40 ? i - 40 : 0), after + (i > 40 ? i - 40 : 0));
  }
  free(before);
  free(after);
  return same;
}

/* The call is refused with this status and these words, and nothing is changed. */
#define REFUSED(study, call, status, words)                                                    \
  do {                                                                                         \
    char *refused_before = dump(study);                                                        \
    said.text[0] = 0;                                                                          \
    scant_status refused_status = (call);                                                      \
    if (!CHECK(refused_status == (status))) printf("#   %d: %s\n", refused_status, said.text); \
    CHECK_SAYS(said.text, words);                                                              \
    check_unchanged(study, refused_before, #call, __LINE__);                                   \
  } while (0)

#define GOOD(call)                                                       \
  do {                                                                   \
    said.text[0] = 0;                                                    \
    if (!CHECK((call) == SCANT_OK)) printf("#   said: %s\n", said.text); \
  } while (0)

/* Sums of the ledger are what the status says, and no budget is exceeded. */
static inline void check_money(scant_study *study) {
  const scant_study_event *e;
  int64_t attributes = 0, reserved = 0, spent = 0;
  uint64_t after = 0, budget;
  scant_study_status status;
  GOOD(scant_study_get_counts(study, &status, &said));
  budget = status.budget_cost;
  for (;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) break;
    attributes += e->attributes;
    reserved += e->reserved;
    spent += e->spent;
    CHECK(attributes >= 0 && reserved >= 0 && spent >= 0);
    CHECK(!budget || (uint64_t)(reserved + spent) <= budget);
    CHECK(!status.budget || (uint64_t)attributes <= status.budget);
  }
  CHECK(status.events == after);
  CHECK(status.spent == (uint64_t)spent && status.reserved == (uint64_t)reserved &&
        status.attributes_reserved == (uint64_t)attributes);
}

static inline void check_verified(scant_study *study) {
  scant_study_proof proof;
  GOOD(scant_study_verify(study, &proof, &said));
  CHECK(proof.same_bits && proof.same_build);
}

/* ---- numbers for tests ------------------------------------------------------------ */

static uint64_t test_state = 1;

static inline uint64_t test_random(void) {
  test_state ^= test_state << 13;
  test_state ^= test_state >> 7;
  test_state ^= test_state << 17;
  return test_state;
}

static inline size_t test_below(size_t n) {
  return (size_t)((test_random() >> 11) % n);
}

/* Of few digits, some of them 0. */
static inline double test_value(void) {
  return (double)((int64_t)test_below(401) - 200) / 64;
}

/* Tells all of an order, the target too. */
static inline scant_status tell_all(scant_study *study, const scant_study_order *order) {
  scant_study_answer answers[CATALOGUE_MOST + 1];
  size_t count = 0;
  char example[300];
  snprintf(example, sizeof example, "%s", order->example);
  for (; count < order->count; count++)
    answers[count] = (scant_study_answer){study->catalogue[order->lines[count].attribute].name, test_value(), 0};
  answers[count++] = (scant_study_answer){"y", test_value(), 0};
  return scant_study_tell(study, example, answers, count, &said);
}

#endif
