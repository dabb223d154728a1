/* Where studies are: names that SQLite reads otherwise, what is left of others, what is no file, and what is kept in
 * one. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "study.h"
#include "study_calls.h"

/* ---- names ----------------------------------------------------------------------- */

/* In the folder of the tests, so that names can be as short as people type them. */
TEST(names_that_sqlite_reads) {
  char here[4000];
  if (!CHECK(getcwd(here, sizeof here) && chdir(study_folder) == 0)) return;
  scant_settings s = settings_of("algorithm=auto k=3");
  static const char *const names[] = {"file:v2", "file:v2?mode=memory", ":memory:", "file:"};
  scant_study *study = make_study("v2", "algorithm=auto k=3 seed=9", 8, PLAIN);
  learn(study, "e0");
  char *v2 = dump(study);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    GOOD(scant_study_create(names[i], &s, catalogue_of(8, PLAIN), 8, NULL, &said));
    scant_study *other = open_study(names[i], SCANT_STUDY_WRITE);
    learn(other, "another");
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
    learn(study, again ? "e1" : "e0");
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
  learn(study, "e0");
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
  RUN(names_that_sqlite_reads);
  RUN(names_of_attributes);
  RUN(logs_of_others);
  RUN(no_files);
  RUN(methods_of_another_sqlite);
  RUN(settings_that_are_kept);
  RUN(a_study_without_clip_goes_on_without_it);
  RUN(backups_that_are_busy);
  return study_end_tests();
}
