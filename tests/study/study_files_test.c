/* Where studies are: names that SQLite reads otherwise, what is left of others, links, locks; and files that were made
 * to break the one that opens them. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "look/looks.h"
#include "study/ledger.h"
#include "study/place.h"
#include "study_support.h"

static const char *build = NULL; /* NULL: the real one */

const char *__real_study_build(void);
const char *__wrap_study_build(void);

const char *__wrap_study_build(void) {
  return build ? build : __real_study_build();
}

static void use(scant_study *study, const char *example) {
  const scant_study_order *o;
  GOOD(scant_study_ask(study, example, &o, &said));
  GOOD(tell_all(study, o));
}

/* ---- made to break ------------------------------------------------------------- */

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
  use(study, "e0");
  use(study, "e1");
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
  use(study, "e0");
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

/* ---- names ----------------------------------------------------------------------- */

/* In the folder of the tests, so that names can be as short as people type them. */
TEST(names_that_sqlite_reads) {
  char here[4000];
  if (!CHECK(getcwd(here, sizeof here) && chdir(study_folder) == 0)) return;
  scant_settings s = settings_of("algorithm=auto k=3");
  static const char *const names[] = {"file:v2", "file:v2?mode=memory", ":memory:", "file:"};
  scant_study *study = make_study("v2", "algorithm=auto k=3 seed=9", 8, PLAIN);
  use(study, "e0");
  char *v2 = dump(study);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    GOOD(scant_study_create(names[i], &s, catalogue_of(8, PLAIN), 8, NULL, &said));
    scant_study *other = open_study(names[i], SCANT_STUDY_WRITE);
    use(other, "another");
    check_verified(other);
    scant_study_close(other);
    other = open_study(names[i], SCANT_STUDY_READ);
    check_verified(other);
    CHECK(is_file(names[i], "") && is_file(names[i], "-lock"));
    GOOD(scant_study_backup(study, i == 1 ? "file:other" : "file:v3", &said));
    scant_study_close(other);
    other = open_study(i == 1 ? "file:other" : "file:v3", SCANT_STUDY_READ);
    char *copy = dump(other);
    CHECK(!strcmp(copy, v2));
    free(copy);
    scant_study_close(other);
    CHECK(!is_file("v3", "") && !is_file("other", ""));
    study_remove("file:other");
    study_remove("file:v3");
    study_remove(names[i]);
  }
  check_unchanged(study, v2, "a study of another name", __LINE__);
  scant_study_close(study);
  study_remove("v2");
  CHECK(chdir(here) == 0);
}

static void refused_name(const char *name, const char *words) {
  scant_settings s = settings_of("algorithm=auto k=3");
  scant_study_attribute rows[3] = {{.name = "age", .low = NAN, .high = NAN},
                                   {.name = name, .low = NAN, .high = NAN},
                                   {.name = "bmi", .low = NAN, .high = NAN}};
  const char *path = study_path("named");
  char as[400];
  said.text[0] = 0;
  CHECK(scant_study_create(path, &s, rows, 3, NULL, &said) == SCANT_DATA && !is_file(path, ""));
  snprintf(as, sizeof as, "the name of attribute 2 %s", words);
  CHECK_SAYS(said.text, as);
  rows[1].name = "other";
  if (name) {
    CHECK(scant_study_create(path, &s, rows, 3, name, &said) == SCANT_DATA && !is_file(path, ""));
    snprintf(as, sizeof as, "the name of the target %s", words);
    CHECK_SAYS(said.text, as);
  }
  if (name && strchr("-=e", name[0])) return;
  rows[1].unit = name ? name : "";
  CHECK(scant_study_create(path, &s, rows, 3, NULL, &said) == SCANT_DATA);
  snprintf(as, sizeof as, "the unit of attribute 'other' %s", words);
  CHECK_SAYS(said.text, as);
  rows[1].unit = NULL;
  rows[1].group = name ? name : "";
  CHECK(scant_study_create(path, &s, rows, 3, NULL, &said) == SCANT_DATA);
  snprintf(as, sizeof as, "the group of attribute 'other' %s", words);
  CHECK_SAYS(said.text, as);
}

TEST(names_of_attributes) {
  char name[203] = "";
  for (int i = 0; i < 101; i++) strcat(name, "\xc3\xa4"); /* 101 characters of two bytes */
  refused_name(NULL, "is empty");
  refused_name("", "is empty");
  refused_name(name, "is too long: 202 bytes, and at most 200 can be");
  refused_name("\xff", "is not UTF-8");
  refused_name(" a", "has blanks around it: ' a'");
  refused_name("a ", "has blanks around it: 'a '");
  refused_name("a\nb", "has control characters in it");
  refused_name("\x7f", "has control characters in it");
  refused_name("=3", "has a '=' in it: '=3'");
  refused_name("--k", "begins with '-', as options do: '--k'");
  refused_name("example", "is 'example', which is the column of examples");
  /* and these can be */
  name[200] = 0;
  scant_settings s = settings_of("algorithm=auto k=3");
  scant_study_attribute rows[3] = {{.name = "examples", .unit = "-", .low = NAN, .high = NAN},
                                   {.name = name, .unit = "=", .low = NAN, .high = NAN},
                                   {.name = "a-b", .unit = "example", .low = NAN, .high = NAN}};
  const char *path = study_path("named");
  GOOD(scant_study_create(path, &s, rows, 3, "Example", &said));
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  const scant_study_order *o;
  REFUSED(study, scant_study_ask(study, "", &o, &said), SCANT_DATA, "the example's name is empty");
  REFUSED(study, scant_study_ask(study, "\xff", &o, &said), SCANT_DATA, "the example's name is not UTF-8");
  scant_study_close(study);
  study_remove(path);
}

/* ---- what is there ----------------------------------------------------------------- */

static void touch(const char *path, const char *end, const char *text) {
  char name[700];
  snprintf(name, sizeof name, "%s%s", path, end);
  FILE *file = fopen(name, "w");
  if (!CHECK(file)) return;
  fputs(text, file);
  fclose(file);
}

/* One is killed, its file is removed and its log is not: SQLite would take that for the log of the next one. */
TEST(logs_of_others) {
  const char *path = study_path("left"), *copy = study_path("copy");
  scant_settings s = settings_of("algorithm=auto k=3");
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=3", 8, PLAIN);
  scant_study_close(study);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    const scant_study_order *o;
    if (scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, NULL) != SCANT_OK) _exit(1);
    if (scant_study_ask(study, "old", &o, NULL) != SCANT_OK) _exit(1);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0 && is_file(path, "-wal"));
  CHECK(unlink(path) == 0);
  CHECK(scant_study_create(path, &s, catalogue_of(8, PLAIN), 8, NULL, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "left-wal' is left of another study");
  CHECK(!is_file(path, "") && is_file(path, "-wal"));
  study_remove(path);
  touch(path, "-journal", "x");
  CHECK(scant_study_create(path, &s, catalogue_of(8, PLAIN), 8, NULL, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "left-journal' is left of another study");
  study_remove(path);
  study = make_study(path, "algorithm=auto k=3", 8, PLAIN);
  touch(copy, "-wal", "x");
  CHECK(scant_study_backup(study, copy, &said) == SCANT_IO && !is_file(copy, ""));
  CHECK_SAYS(said.text, "copy-wal' is left of another study");
  scant_study_close(study);
  study_remove(copy);
  study_remove(path);
}

TEST(no_files) {
  scant_study *study = NULL;
  const char *folder = study_path("folder"), *pipe = study_path("pipe");
  CHECK(mkdir(folder, 0700) == 0 && mkfifo(pipe, 0600) == 0);
  for (int mode = 0; mode < 2; mode++) {
    CHECK(scant_study_open(&study, folder, (scant_study_mode)mode, NULL, &said) == SCANT_DATA && !study);
    CHECK_SAYS(said.text, "folder' is a folder, not a study");
    CHECK(scant_study_open(&study, pipe, (scant_study_mode)mode, NULL, &said) == SCANT_DATA && !study);
    CHECK_SAYS(said.text, "pipe' is not a study");
  }
  CHECK(rmdir(folder) == 0 && unlink(pipe) == 0);
}

/* As nobody, since root may read and write everything: 0 if that can't be done. */
static int be_nobody(const char *path) {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 0;
  struct stat facts;
  return stat(path, &facts) == 0; /* else the folders above let nobody in */
}

static void check_child(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (!CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 0)))
    printf("#   it ended with %d\n", status);
  printf("# it ended with %d (9: done, 0: could not be tried)\n", WEXITSTATUS(status));
}

TEST(unreadable) {
  const char *path = study_path("secret");
  scant_study_close(make_study(path, "algorithm=auto k=3", 8, PLAIN));
  CHECK(chmod(path, 0) == 0 && chmod(study_folder, 0755) == 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    scant_study *study = NULL;
    if (!be_nobody(path)) _exit(0);
    for (int mode = 0; mode < 2; mode++) {
      if (scant_study_open(&study, path, (scant_study_mode)mode, NULL, &said) != SCANT_IO) _exit(1);
      if (!strstr(said.text, "secret' can't be read: ")) _exit(2);
    }
    _exit(9);
  }
  check_child(child);
  study_remove(path);
}

/* A process that ends without closing: its event is in the log alone. */
static void ask_and_die(const char *path) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    const scant_study_order *o;
    scant_study *study = NULL;
    if (scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, NULL) != SCANT_OK) _exit(1);
    _exit(scant_study_ask(study, "late", &o, NULL) == SCANT_OK ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0 && is_file(path, "-wal"));
}

/* Where nothing can be written, a study that was not closed is read with its log, by a link from elsewhere too; where
 * the log can't be read, nothing is. */
TEST(log_beside_the_file) {
  enum { CLOSED, UNCLOSED, UNREADABLE, CASES };
  char folder[500], path[600], log[620], index[620], alias[500];
  snprintf(folder, sizeof folder, "%s", study_path("shelf"));
  snprintf(path, sizeof path, "%s/study", folder);
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(alias, sizeof alias, "%s", study_path("alias"));
  CHECK(mkdir(folder, 0755) == 0 && symlink(path, alias) == 0);
  scant_study_close(make_study(path, "algorithm=auto k=3", 8, PLAIN));
  for (int left = CLOSED; left < CASES; left++) {
    CHECK(chmod(folder, 0755) == 0);
    if (left == UNCLOSED) CHECK(chmod(path, 0644) == 0);
    if (left == UNCLOSED) ask_and_die(path);
    snprintf(index, sizeof index, "%s-shm", path);
    unlink(index);
    if (left) CHECK(chmod(log, left == UNCLOSED ? 0444 : 0) == 0);
    CHECK(chmod(path, 0444) == 0 && chmod(folder, 0555) == 0 && chmod(study_folder, 0755) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      scant_study *study = NULL;
      if (!be_nobody(path)) _exit(0);
      scant_status status = scant_study_open(&study, alias, SCANT_STUDY_READ, NULL, &said);
      if (status != (left == UNREADABLE ? SCANT_IO : SCANT_OK)) _exit(1);
      if (left == UNREADABLE && !strstr(said.text, "was not closed")) _exit(2);
      scant_study_status t;
      if (study && scant_study_get_status(study, &t, &said) != SCANT_OK) _exit(3);
      if (study && t.events != (left == UNCLOSED ? 2 : 1)) _exit(4);
      scant_study_close(study);
      _exit(9);
    }
    check_child(child);
  }
  CHECK(chmod(folder, 0755) == 0);
  study_remove(path);
  unlink(alias);
  rmdir(folder);
}

/* A newer SQLite may have more methods than the copy has room for, so the copy never says that it has them. */
TEST(methods_of_another_sqlite) {
  const char *path = study_path("methods");
  scant_study *study = make_study(path, "algorithm=auto k=3", 8, PLAIN);
  sqlite3_file *file = NULL;
  CHECK(sqlite3_file_control(study->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK);
  const sqlite3_io_methods *real = file->pMethods;
  for (int version = 1; version < 6; version++) {
    sqlite3_io_methods methods = *real;
    methods.iVersion = version;
    file->pMethods = &methods;
    CHECK(study_do_without_index(study, &said) == (version < 2 ? SCANT_IO : SCANT_OK));
    if (version >= 2) CHECK(study->files.real == &methods && file->pMethods == &study->files.methods);
    CHECK(file->pMethods->iVersion == (version < 3 ? version : 3));
    file->pMethods = real;
  }
  scant_study_close(study);
  study_remove(path);
}

/* ---- the lock ----------------------------------------------------------------------- */

TEST(locks_and_links) {
  const char *path = study_path("locked"), *lock = study_path("locked-lock"), *victim = study_path("victim");
  scant_study *study = NULL;
  scant_study_close(make_study(path, "algorithm=auto k=3", 8, PLAIN));
  for (int dangling = 0; dangling < 2; dangling++) {
    unlink(lock);
    if (!dangling) touch(victim, "", "x");
    CHECK(symlink(victim, lock) == 0);
    alarm(60); /* it went on for ever */
    CHECK(scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_IO && !study);
    alarm(0);
    CHECK_SAYS(said.text, "locked-lock' is a link, and a lock must be a file");
    unlink(victim);
  }
  study_remove(path);
}

/* A child that was forked while it was open holds the file of the lock open: closing lets go of it all the same, and
 * what the child closes is its own. */
TEST(locks_and_children) {
  const char *path = study_path("forked");
  scant_study *study = make_study(path, "algorithm=auto k=3", 8, PLAIN), *other = NULL;
  int go[2];
  char byte;
  CHECK(pipe(go) == 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(go[1]); /* it ends with its parent at the latest */
    _exit(read(go[0], &byte, 1) != 1);
  }
  pid_t closing = fork();
  if (closing == 0) {
    study->stale = 1; /* nothing is kept */
    scant_study_close(study);
    _exit(0);
  }
  waitpid(closing, NULL, 0);
  CHECK(scant_study_open(&other, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY && !other);
  scant_study_close(study);
  study = open_study(path, SCANT_STUDY_WRITE);
  scant_study_close(study);
  CHECK(write(go[1], "x", 1) == 1);
  waitpid(child, NULL, 0);
  close(go[0]);
  close(go[1]);
  study_remove(path);
}

/* ---- settings ---------------------------------------------------------------------------- */

/* A study that was made before there was a setting clip goes on without it, and so does one made with none. */
TEST(a_study_without_clip_goes_on_without_it) {
  const char *path = study_path("unclipped");
  scant_settings s = settings_of("k=3 clip=none");
  GOOD(scant_study_create(path, &s, catalogue_of(8, PLAIN), 8, NULL, &said));
  for (int again = 0; again < 2; again++) {
    scant_study *study = open_study(path, SCANT_STUDY_WRITE);
    study_text t = {0};
    put_rows(&t, study->db, "SELECT name, value FROM setting ORDER BY name");
    CHECK(!strstr(t.text, "clip"));
    free(t.text);
    CHECK(scant_study_settings(study)->learning.clip == 0);
    use(study, again ? "e1" : "e0");
    check_verified(study);
    scant_study_close(study);
  }
  study_remove(path);
}

TEST(settings_that_are_kept) {
  const char *path = study_path("kept");
  scant_settings s = settings_of("k=3");
  GOOD(scant_study_create(path, &s, catalogue_of(8, PLAIN), 8, NULL, &said));
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  study_text t = {0};
  put_rows(&t, study->db, "SELECT name, value FROM setting WHERE name <> 'pseudonym-key' ORDER BY name");
  CHECK_SAYS(t.text,
             "algorithm|auto|\nclip|3|\nk|3|\nmax-open|1000|\nmissing|skip-cell|\n"
             "missing-reasons|not done, refused, broken, lost|\nseed|1|\ntarget-name|y|\n");
  free(t.text);
  use(study, "e0");
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

/* A frozen copy keeps no log, so somebody who writes to it all the same keeps others from reading: a backup of it then
 * fails, and no half of one is left. */
TEST(backups_that_are_busy) {
  const char *path = study_path("busy");
  char frozen[500], copy[500], text[520];
  scant_study_frozen facts;
  sqlite3 *db = NULL;
  snprintf(frozen, sizeof frozen, "%s", study_path("busy-frozen"));
  snprintf(copy, sizeof copy, "%s", study_path("busy-copy"));
  snprintf(text, sizeof text, "%s.txt", frozen);
  scant_study *study = make_study(path, "algorithm=auto k=3", 5, PLAIN);
  GOOD(scant_study_freeze(study, "paper", frozen, &facts, &said));
  scant_study_close(study);
  study = open_study(frozen, SCANT_STUDY_READ);
  sqlite3_busy_timeout(study->db, 1);
  CHECK(chmod(frozen, 0600) == 0 && sqlite3_open(frozen, &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(scant_study_backup(study, copy, &said) == SCANT_BUSY && !is_file(copy, ""));
  CHECK(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
  sqlite3_close(db);
  GOOD(scant_study_backup(study, copy, &said));
  scant_study_close(study);
  study_remove(copy);
  study_remove(frozen);
  study_remove(path);
  unlink(text);
}

int main(void) {
  study_begin_tests();
  RUN(looks_of_another_build);
  RUN(forged_events_of_another_build);
  RUN(long_orders);
  RUN(names_that_sqlite_reads);
  RUN(names_of_attributes);
  RUN(logs_of_others);
  RUN(no_files);
  RUN(unreadable);
  RUN(log_beside_the_file);
  RUN(methods_of_another_sqlite);
  RUN(locks_and_links);
  RUN(locks_and_children);
  RUN(settings_that_are_kept);
  RUN(a_study_without_clip_goes_on_without_it);
  RUN(backups_that_are_busy);
  return study_end_tests();
}
