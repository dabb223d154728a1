/* An erasure that goes wrong at any of its changes of a file: it was made, or nothing was, and what was left to do is
 * done when the study is opened again. */
#define _GNU_SOURCE /* memmem */
#include <sys/wait.h>

#include "study_erase.h"

/* A file system on which the n-th change is the last thing that the process does, or fails. */
static sqlite3_vfs *real_vfs, dying_vfs;
/* SQLite has several tables of methods, by how a file is locked; they all write alike. */
static sqlite3_io_methods dying_methods[4];
static const sqlite3_io_methods *real_methods[4];
static unsigned long die_at, changes;
enum { DIED = 77 };

static int fault; /* of the n-th change, as a code of SQLite's; SQLITE_OK: the process dies there */

/* Other than SQLITE_OK: the change fails. */
static int live_on(void) {
  if (!die_at || ++changes != die_at) return SQLITE_OK;
  if (fault == SQLITE_OK) _exit(DIED);
  return fault;
}

static int dying_write(sqlite3_file *file, const void *from, int length, sqlite3_int64 offset) {
  int code = live_on();
  return code ? code : real_methods[0]->xWrite(file, from, length, offset);
}

static int dying_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = live_on();
  return code ? code : real_methods[0]->xTruncate(file, size);
}

static int dying_sync(sqlite3_file *file, int flags) {
  (void)file;
  (void)flags;
  return live_on(); /* the process dies here, not the machine */
}

static int dying_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  int code = real_vfs->xOpen(real_vfs, name, file, flags, out);
  if (code != SQLITE_OK || !file->pMethods) return code;
  size_t i = 0;
  while (i < 3 && real_methods[i] && real_methods[i] != file->pMethods) i++;
  real_methods[i] = file->pMethods;
  dying_methods[i] = *file->pMethods;
  dying_methods[i].xWrite = dying_write;
  dying_methods[i].xTruncate = dying_truncate;
  dying_methods[i].xSync = dying_sync;
  file->pMethods = &dying_methods[i];
  return code;
}

static int dying_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  int code = live_on();
  return code ? code : real_vfs->xDelete(real_vfs, name, sync);
}

/* What a child does: it dies, or hears of the fault and tries again. */
static void erase_with(scant_study *study) {
  scant_study_traces t;
  scant_status status = scant_study_erase(study, NAME, "withdrew", &t, &said);
  unsigned long met = changes >= die_at;
  if (status != SCANT_OK && (!met || status != SCANT_IO || !said.text[0])) _exit(3);
  if (status != SCANT_OK && scant_study_erase(study, NAME, "withdrew", &t, &said) != SCANT_OK) _exit(4);
  if (t.unswept && !met) _exit(5);
  if (t.unswept && scant_study_sweep(study, &said) != SCANT_OK) _exit(6);
  scant_study_close(study);
  _exit(met ? DIED : 0);
}

/* A child erases, and its n-th change of a file goes wrong.  0: there are not so many. */
static int die_erasing(const char *path, unsigned long n) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    real_vfs = sqlite3_vfs_find(NULL);
    dying_vfs = *real_vfs;
    dying_vfs.zName = "dying";
    dying_vfs.xOpen = dying_open;
    dying_vfs.xDelete = dying_delete;
    dying_vfs.pNext = NULL;
    sqlite3_vfs_register(&dying_vfs, 1);
    scant_settings s = dense_settings("");
    scant_study *study;
    if (scant_study_open(&study, path, SCANT_STUDY_WRITE, &s, &said) != SCANT_OK) _exit(2);
    die_at = n;
    erase_with(study);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == DIED || WEXITSTATUS(status) == 0)))
    printf("#   change %lu, code %d\n", n, WEXITSTATUS(status));
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Nothing of the person is in the study of this path. */
static void check_gone_from(const char *path, unsigned long n) {
  static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  size_t values = 0, names = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char part[600];
    snprintf(part, sizeof part, "%s%s", path, ends[i]);
    search_file(part, &values, &names);
  }
  if (!CHECK(!values && !names)) printf("#   change %lu: %zu values, %zu names\n", n, values, names);
}

static void go_wrong_everywhere(int code, unsigned long *before, unsigned long *after) {
  const char *path = study_path("whole"), *copy = study_path("crashed");
  fault = code;
  *before = *after = 0;
  scant_study_close(make_full(path, algorithms[0], CORRECTED));
  for (unsigned long n = 1;; n += study_stride()) {
    copy_file(path, copy);
    int met = die_erasing(copy, n);
    scant_study *study = open_dense(copy, SCANT_STUDY_WRITE);
    scant_study_status status = status_of(study);
    CHECK(!status.unswept);
    check_verified(study);
    check_money(study);
    ++*(status.erased ? after : before);
    scant_study_traces t;
    CHECK(scant_study_find_traces(study, NAME, &t, &said) == (status.erased ? SCANT_DATA : SCANT_OK));
    if (status.erased) check_gone_from(copy, n);
    scant_study_close(study);
    study_remove(copy);
    if (!met || check_failures > 5) break;
  }
  study_remove(path);
}

TEST(a_crash_at_every_change) {
  unsigned long before, after;
  go_wrong_everywhere(SQLITE_OK, &before, &after);
  printf("# %lu crashes: %lu before the erasure, %lu after\n", before + after - 1, before, after - 1);
  CHECK(before && after > 3);
}

TEST(a_fault_at_every_change) {
  static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL};
  for (size_t i = 0; i < 2; i++) {
    unsigned long before, after;
    go_wrong_everywhere(codes[i], &before, &after);
    printf("# %lu faults\n", after - 1);
    CHECK(!before && after * study_stride() > 30);
  }
}

int main(void) {
  study_begin_tests();
  RUN(a_crash_at_every_change);
  RUN(a_fault_at_every_change);
  return study_end_tests();
}
