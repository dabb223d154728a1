/* Replacing a file: in what order, through which links, and what is left behind. */
#define _DEFAULT_SOURCE
#include "files.h"
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static scant_error error;

/* ---- what the system is asked for --------------------------------------------- */

/* w: write to a regular file; f, d: fsync of a file, of a folder; r: rename. */
static char order[64];
static size_t asked;
static char fail_at; /* the kind that fails; 0: none */
static void (*at_write)(void), (*at_fsync)(void), (*at_rename)(void), (*at_flock)(void);

ssize_t __real_write(int file, const void *bytes, size_t length);
int __real_fsync(int file);
int __real_rename(const char *from, const char *to);
int __real_flock(int file, int operation);
ssize_t __wrap_write(int file, const void *bytes, size_t length);
int __wrap_fsync(int file);
int __wrap_rename(const char *from, const char *to);
int __wrap_flock(int file, int operation);

static int kind_of(int file) {
  struct stat facts;
  if (fstat(file, &facts) != 0) return 0;
  return S_ISREG(facts.st_mode) ? 'f' : S_ISDIR(facts.st_mode) ? 'd' : 0;
}

/* True if it is to fail. */
static int note(char kind, void (**then)(void)) {
  void (*now)(void) = then ? *then : NULL;
  if (asked + 1 < sizeof order && (kind != 'w' || !asked || order[asked - 1] != 'w')) order[asked++] = kind;
  order[asked] = 0;
  if (now) {
    *then = NULL;
    now();
  }
  if (fail_at != kind) return 0;
  errno = ENOSPC;
  return 1;
}

ssize_t __wrap_write(int file, const void *bytes, size_t length) {
  if (kind_of(file) != 'f') return __real_write(file, bytes, length);
  if (note('w', &at_write)) return -1;
  return __real_write(file, bytes, length > 5 ? 5 : length); /* bit by bit */
}

int __wrap_fsync(int file) {
  return note((char)kind_of(file), &at_fsync) ? -1 : __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to) {
  return note('r', &at_rename) ? -1 : __real_rename(from, to);
}

int __wrap_flock(int file, int operation) {
  if (at_flock) {
    void (*now)(void) = at_flock;
    at_flock = NULL;
    now();
  }
  return __real_flock(file, operation);
}

/* ---- a folder of our own -------------------------------------------------------- */

static char folder[450];

static const char *in_folder(const char *name) {
  static char paths[8][720];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void start(void) {
  snprintf(folder, sizeof folder, "%s/written-XXXXXX", files_directory);
  CHECK(mkdtemp(folder) != NULL);
  asked = 0;
  order[0] = 0;
  fail_at = 0;
}

static size_t count_entries(void) {
  size_t count = 0;
  DIR *entries = opendir(folder);
  const struct dirent *entry;
  while (entries && (entry = readdir(entries))) count += entry->d_name[0] != '.';
  if (entries) closedir(entries);
  return count;
}

static void stop(void) {
  DIR *entries = opendir(folder);
  const struct dirent *entry;
  while (entries && (entry = readdir(entries)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(in_folder(entry->d_name)) != 0)
      rmdir(in_folder(entry->d_name));
  if (entries) closedir(entries);
  CHECK(rmdir(folder) == 0);
}

static int holds(const char *name, const char *text) {
  char found[256] = "";
  FILE *file = fopen(in_folder(name), "rb");
  size_t length = file ? fread(found, 1, sizeof found - 1, file) : 0;
  if (file) fclose(file);
  return file && length == strlen(text) && strcmp(found, text) == 0;
}

static scant_status put(const char *name, const char *text) {
  error.text[0] = 0;
  return scant_file_replace(in_folder(name), text, strlen(text), &error);
}

static void make(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "wb");
  if (CHECK(file != NULL)) fputs(text, file);
  if (file) fclose(file);
}

/* ---- order ------------------------------------------------------------------------ */

/* The bytes are safe before the name leads to them, and then the name is. */
TEST(a_file_is_written_synced_renamed_and_its_folder_synced) {
  start();
  CHECK(put("new", "something longer than five") == SCANT_OK);
  CHECK(strcmp(order, "wfrd") == 0);
  asked = 0;
  CHECK(put("new", "something else") == SCANT_OK && holds("new", "something else"));
  CHECK(strcmp(order, "wfrd") == 0 && count_entries() == 1);
  stop();
}

TEST(a_failure_leaves_the_file_as_it_was) {
  start();
  make("old", "as it was");
  for (const char *kind = "wfr"; *kind; kind++) {
    fail_at = *kind;
    CHECK(put("old", "new") == SCANT_IO);
    CHECK_SAYS(error.text, "the disk is full");
    CHECK(put("none", "new") == SCANT_IO);
    CHECK(holds("old", "as it was") && count_entries() == 1);
  }
  fail_at = 'd'; /* some can't sync a folder, and the file is whole all the same */
  CHECK(put("old", "new") == SCANT_OK && holds("old", "new"));
  stop();
}

TEST(the_mode_of_a_file_stays) {
  start();
  make("secret", "a");
  CHECK(chmod(in_folder("secret"), 0640) == 0 && put("secret", "b") == SCANT_OK);
  struct stat facts;
  CHECK(stat(in_folder("secret"), &facts) == 0 && (facts.st_mode & 07777) == 0640);
  stop();
}

/* What root replaces is still that of its owner. */
TEST(the_owner_of_a_file_stays) {
  struct stat facts;
  if (geteuid() != 0) return; /* only root can give files away */
  start();
  make("secret", "old");
  CHECK(chown(in_folder("secret"), 12345, 12346) == 0 && chmod(in_folder("secret"), 0640) == 0);
  CHECK(put("secret", "new") == SCANT_OK && holds("secret", "new"));
  CHECK(stat(in_folder("secret"), &facts) == 0 && facts.st_uid == 12345 && facts.st_gid == 12346);
  CHECK((facts.st_mode & 07777) == 0640);
  stop();
}

/* ---- signals ------------------------------------------------------------------------ */

static size_t entries_at_signal;
static int signals;

static void handle(int number) {
  (void)number;
  signals++;
  entries_at_signal = count_entries();
}

static void raise_all(void) {
  raise(SIGTERM);
  raise(SIGINT);
  raise(SIGHUP);
}

/* Whoever ends the process in a handler leaves nothing behind. */
TEST(a_signal_waits_until_no_temporary_file_is_there) {
  start();
  const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < 3; i++) signal(numbers[i], handle);
  signals = 0;
  at_write = raise_all;
  CHECK(put("new", "text") == SCANT_OK && signals == 3 && entries_at_signal == 1 && holds("new", "text"));
  signals = 0;
  at_write = raise_all;
  fail_at = 'f';
  CHECK(put("new", "other") == SCANT_IO && signals == 3 && entries_at_signal == 1 && holds("new", "text"));
  fail_at = 0;
  CHECK(raise(SIGTERM) == 0 && signals == 4); /* and the mask is as it was */
  for (size_t i = 0; i < 3; i++) signal(numbers[i], SIG_DFL);
  stop();
}

/* ---- what is left behind -------------------------------------------------------------- */

static void die(void) {
  raise(SIGKILL);
}

/* A process that is killed at one of these points. */
static void be_killed(const char *name, void (**point)(void)) {
  fflush(stdout);
  pid_t process = fork();
  if (process == 0) {
    *point = die;
    put(name, "never");
    _exit(1);
  }
  int ended;
  CHECK(waitpid(process, &ended, 0) == process && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
}

TEST(the_next_writer_of_a_file_removes_what_a_killed_one_left) {
  start();
  void (**points[])(void) = {&at_write, &at_fsync, &at_rename, &at_flock};
  make("model", "old");
  make("other", "old");
  for (size_t i = 0; i < 4; i++) {
    be_killed("model", points[i]);
    CHECK(count_entries() == 3 && holds("model", "old")); /* each removes what the one before it left */
  }
  CHECK(put("other", "new") == SCANT_OK && count_entries() == 3); /* that of another file is another's */
  CHECK(put("model", "new") == SCANT_OK && count_entries() == 2 && holds("model", "new") && holds("other", "new"));
  stop();
}

/* Like ours, but not ours: what a user or another program may have. */
TEST(nothing_else_is_removed) {
  start();
  const char *const names[] = {"m.scant-12-x.tmp",  "m.scant-12.tmp", "m.scant--0.tmp",     "m.scant-12-0.tmp.bak",
                               "m.scant-12-0.tmpx", "m.tmp",          "m.12-0.tmp",         "mm.scant-12-0.tmp",
                               "xm.scant-12-0.tmp", "m.scant-12-0",   "m.scant-12-0x1.tmp", "m.Scant-12-0.tmp",
                               "m.scant-+12-0.tmp", ".scant-12-0.tmp"};
  size_t count = sizeof names / sizeof *names;
  for (size_t i = 0; i < count; i++) make(names[i], "mine");
  CHECK(mkdir(in_folder("m.scant-13-0.tmp"), 0700) == 0 && symlink("m.tmp", in_folder("m.scant-14-0.tmp")) == 0);
  CHECK(mkfifo(in_folder("m.scant-15-0.tmp"), 0600) == 0);
  CHECK(put("m", "text") == SCANT_OK);
  for (size_t i = 0; i < count; i++) CHECK(holds(names[i], "mine"));
  CHECK(count_entries() == count + 4 - 1); /* one begins with a dot */
  stop();
}

static int to_child[2], to_parent[2];

/* The other writer is in the middle of it, and waits. */
static void tell_and_wait(void) {
  char c = 'x';
  if (__real_write(to_parent[1], &c, 1) != 1 || read(to_child[0], &c, 1) != 1) _exit(3);
}

TEST(two_live_writers_do_not_disturb_each_other) {
  void (**points[])(void) = {&at_write, &at_fsync, &at_rename};
  for (size_t i = 0; i < 3; i++) {
    start();
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
      *points[i] = tell_and_wait;
      _exit(put("model", "the child's") == SCANT_OK ? 0 : 1);
    }
    char c = 0;
    int ended;
    CHECK(read(to_parent[0], &c, 1) == 1 && count_entries() == 1);
    for (int n = 0; n < 3; n++) CHECK(put("model", "the parent's") == SCANT_OK && count_entries() == 2);
    CHECK(holds("model", "the parent's") && write(to_child[1], &c, 1) == 1);
    CHECK(waitpid(process, &ended, 0) == process && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK(holds("model", "the child's") && count_entries() == 1);
    for (int n = 0; n < 2; n++) close(to_child[n]), close(to_parent[n]);
    stop();
  }
}

static void write_in_between(void) {
  CHECK(put("model", "the second") == SCANT_OK);
}

/* Between making a file and locking it, it looks like one that was left behind. */
TEST(a_file_that_is_removed_before_it_is_locked_is_made_again) {
  start();
  make("model", "old");
  at_flock = write_in_between;
  CHECK(put("model", "the first") == SCANT_OK && holds("model", "the first") && count_entries() == 1);
  stop();
}

/* ---- links -------------------------------------------------------------------------- */

static int is_link(const char *name) {
  struct stat facts;
  return lstat(in_folder(name), &facts) == 0 && S_ISLNK(facts.st_mode);
}

TEST(a_link_stays_and_its_target_is_written) {
  start();
  CHECK(mkdir(in_folder("sub"), 0700) == 0);
  const struct {
    const char *to, *target;
  } links[] = {{"target", "target"}, {"sub/target", "sub/target"}, {"./sub/../target", "target"}, {"", "target"}};
  for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
    char whole[720];
    snprintf(whole, sizeof whole, "%s", *links[i].to ? links[i].to : in_folder("target"));
    CHECK(symlink(whole, in_folder("link")) == 0 && symlink("link", in_folder("longer")) == 0);
    CHECK(symlink("../longer", in_folder("sub/longest")) == 0);
    for (int there = 0; there < 2; there++) { /* dangling first */
      CHECK(put("sub/longest", there ? "again" : "text") == SCANT_OK);
      CHECK(is_link("link") && is_link("longer") && is_link("sub/longest"));
      CHECK(holds(links[i].target, there ? "again" : "text"));
    }
    unlink(in_folder(links[i].target));
    unlink(in_folder("link"));
    unlink(in_folder("longer"));
    unlink(in_folder("sub/longest"));
  }
  stop();
}

TEST(links_that_lead_nowhere_are_refused) {
  start();
  CHECK(symlink("b", in_folder("a")) == 0 && symlink("a", in_folder("b")) == 0);
  CHECK(put("a", "text") == SCANT_IO);
  CHECK_SAYS(error.text, "its links lead in a circle");
  CHECK(symlink("none/target", in_folder("c")) == 0);
  CHECK(put("c", "text") == SCANT_IO);
  CHECK_SAYS(error.text, "there is no such folder");
  CHECK(is_link("a") && is_link("b") && is_link("c") && count_entries() == 3);
  stop();
}

int main(void) {
  files_begin();
  RUN(a_file_is_written_synced_renamed_and_its_folder_synced);
  RUN(a_failure_leaves_the_file_as_it_was);
  RUN(the_mode_of_a_file_stays);
  RUN(the_owner_of_a_file_stays);
  RUN(a_signal_waits_until_no_temporary_file_is_there);
  RUN(the_next_writer_of_a_file_removes_what_a_killed_one_left);
  RUN(nothing_else_is_removed);
  RUN(two_live_writers_do_not_disturb_each_other);
  RUN(a_file_that_is_removed_before_it_is_locked_is_made_again);
  RUN(a_link_stays_and_its_target_is_written);
  RUN(links_that_lead_nowhere_are_refused);
  files_end();
  return check_done();
}
