/* How studies are made and opened: one writes while others read, and who may do neither. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "study_whole.h"

TEST(making) {
  scant_settings s = settings_of("algorithm=auto k=3"), none = settings_of("algorithm=aerr k=1");
  const scant_study_attribute *c = catalogue_of(9, PLAIN);
  struct stat before, after;
  copy_file(whole, edited);
  CHECK(stat(edited, &before) == 0);
  CHECK(scant_study_create(edited, &s, c, 9, NULL, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "is there already: a study is made in a new file");
  CHECK(stat(edited, &after) == 0 && before.st_ino == after.st_ino && before.st_mtime == after.st_mtime &&
        before.st_size == after.st_size);
  study_remove(edited);
  CHECK(scant_study_create(edited, &none, c, 9, NULL, &said) != SCANT_OK && !is_file(edited, ""));
  CHECK(scant_study_create(edited, &s, c, 1, NULL, &said) == SCANT_DATA && !is_file(edited, ""));
  CHECK(scant_study_create(edited, &s, c, 9, "a3", &said) == SCANT_DATA && !is_file(edited, ""));
  CHECK(scant_study_create("/nowhere/at/all", &s, c, 9, NULL, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "can't make '/nowhere/at/all': there is no such folder");
  GOOD(scant_study_create(edited, &s, c, 9, "outcome of 'x'; --", &said));
  CHECK(stat(edited, &after) == 0 && (after.st_mode & 0777) == 0600);
  CHECK(!is_file(edited, "-wal") && !is_file(edited, "-shm") && !is_file(edited, "-lock"));
  scant_study *study = open_study(edited, SCANT_STUDY_WRITE);
  CHECK(strcmp(scant_study_target(study), "outcome of 'x'; --") == 0);
  check_verified(study);
  char copy[500];
  snprintf(copy, sizeof copy, "%s", study_path("copy"));
  GOOD(scant_study_backup(study, copy, &said));
  CHECK(scant_study_backup(study, copy, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "copy' is there already: a study is made in a new file");
  CHECK(scant_study_backup(study, "/nowhere/at/all", &said) == SCANT_IO);
  CHECK_SAYS(said.text, "there is no such folder");
  CHECK(stat(copy, &after) == 0 && (after.st_mode & 0777) == 0600);
  scant_study *other = open_study(copy, SCANT_STUDY_WRITE);
  char *a = dump(study), *b = dump(other);
  CHECK(strcmp(a, b) == 0);
  free(a);
  free(b);
  check_verified(other);
  scant_study_close(other);
  scant_study_close(study);
  study_remove(copy);
  study_remove(edited);
}

/* One who reads is refused whatever writes. */
static void check_reads_only(scant_study *reader) {
  const scant_study_order *o;
  scant_study_answer y = {"y", 1, 0};
  REFUSED(reader, scant_study_ask(reader, "new", &o, &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_ask(reader, "e1", &o, &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_tell(reader, "e1", &y, 1, &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_correct(reader, "e1", &y, 1, "r", &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_import(reader, "x", &y, 1, &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_end_order(reader, "e8", SCANT_END_CANCEL, NULL, &said), SCANT_MISUSE, "for reading");
  REFUSED(reader, scant_study_replay(reader, &said), SCANT_MISUSE, "for reading");
}

/* One who reads sees what is written meanwhile, corrections too. */
static void check_sees_what_is_written(scant_study *reader, scant_study *writer) {
  for (int i = 0; i < 5; i++) {
    char name[20];
    const scant_study_order *o;
    scant_study_answer y = {"y", i, 0};
    snprintf(name, sizeof name, "meanwhile %d", i);
    GOOD(scant_study_ask(writer, name, &o, &said));
    GOOD(tell_all(writer, o));
    if (i == 3) GOOD(scant_study_correct(writer, "meanwhile 1", &y, 1, "a slip", &said));
    char *a = dump(writer), *b = dump(reader);
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
  }
  check_verified(reader);
}

TEST(one_writer) {
  scant_study *study, *other = NULL;
  char alias[500];
  copy_file(whole, edited);
  snprintf(alias, sizeof alias, "%s", study_path("alias"));
  CHECK(symlink(edited, alias) == 0);
  study = open_study(edited, SCANT_STUDY_WRITE);
  CHECK(scant_study_open(&other, edited, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY && !other);
  CHECK_SAYS(said.text, "by another one");
  CHECK(scant_study_open(&other, alias, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY && !other);
  other = open_study(alias, SCANT_STUDY_READ);
  check_reads_only(other);
  check_sees_what_is_written(other, study);
  scant_study_close(study);
  study = open_study(alias, SCANT_STUDY_WRITE);
  scant_study_close(other);
  scant_study_close(study);
  unlink(alias);
  study_remove(edited);
}

TEST(a_process_that_is_killed_holds_no_lock) {
  scant_study *study, *other = NULL;
  int ready[2];
  char byte;
  copy_file(whole, edited);
  CHECK(pipe(ready) == 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (scant_study_open(&study, edited, SCANT_STUDY_WRITE, NULL, NULL) != SCANT_OK || write(ready[1], "x", 1) != 1)
      _exit(1);
    for (;;) pause();
  }
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(scant_study_open(&other, edited, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  study = open_study(edited, SCANT_STUDY_WRITE);
  check_verified(study);
  scant_study_close(study);
  close(ready[0]);
  close(ready[1]);
  study_remove(edited);
}

/* ---- who may read and write ---------------------------------------------------------- */

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

/* Where nothing can be written: a folder and a file that are read-only, for one who is not root. */
TEST(read_only) {
  char folder[500], path[600];
  snprintf(folder, sizeof folder, "%s", study_path("folder?#%"));
  snprintf(path, sizeof path, "%s/study", folder);
  CHECK(mkdir(folder, 0755) == 0);
  copy_file(whole, path);
  CHECK(chmod(path, 0444) == 0 && chmod(folder, 0555) == 0 && chmod(study_folder, 0755) == 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    scant_study *study = NULL;
    scant_study_proof proof;
    if (!be_nobody(path)) _exit(0);
    if (scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) != SCANT_IO) _exit(1);
    if (!strstr(said.text, "can't be written to")) _exit(2);
    if (scant_study_open(&study, path, SCANT_STUDY_READ, NULL, &said) != SCANT_OK) _exit(3);
    if (scant_study_verify(study, &proof, &said) != SCANT_OK) _exit(4);
    scant_study_close(study);
    _exit(9);
  }
  check_child(child);
  CHECK(chmod(folder, 0755) == 0);
  study_remove(path);
  rmdir(folder);
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

int main(void) {
  study_begin_tests();
  make_whole();
  RUN(making);
  RUN(one_writer);
  RUN(a_process_that_is_killed_holds_no_lock);
  RUN(read_only);
  RUN(unreadable);
  RUN(log_beside_the_file);
  RUN(locks_and_links);
  RUN(locks_and_children);
  remove_whole();
  return study_end_tests();
}
