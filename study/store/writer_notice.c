/* Announcements: whoever is refused since a handle writes is told where to go instead.
 *
 * The text is in the lock file, which outlives a process that is killed.  So it counts only while a byte far behind it
 * is locked, and whoever takes the lock of the file cuts it to nothing (lock.c).
 */
#include "store/writer_notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "store/handle.h"
#include "store/lock.h"
#include "study.h"
#include "store/transaction.h"

#define MARK (INT64_C(1) << 62) /* the byte */

/* Is this a text to show to people? */
static int is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return 0;
  return length > 0 && scant_text_is_utf8(text, length);
}

void study_cut_announcement(int file) {
  struct stat facts;
  /* what can't be cut is only words */
  if (fstat(file, &facts) == 0 && facts.st_size > 0 && ftruncate(file, 0) != 0) return;
}

static int open_lock(const char *lock) {
  return open(lock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void read_from(int file, char where[STUDY_WHERE]) {
  ssize_t length = pread(file, where, STUDY_WHERE - 1, 0);
  where[length > 0 ? length : 0] = 0;
  if (!is_plain(where, strlen(where))) *where = 0;
}

void study_read_announcement(const char *lock, char where[STUDY_WHERE]) {
  int file = open_lock(lock);
  *where = 0;
  if (file < 0) return;
  read_from(file, where);
  close(file);
}

/* Whether the lock of the file is held can only be known by taking it, which would keep others from writing.  So the
 * one that announces something locks a byte, too, and that can be seen. */
static void read_living(int file, char where[STUDY_WHERE]) {
  read_from(file, where);
  if (study_find_locked(file, MARK, 1) < 0) *where = 0; /* it was left behind */
}

scant_status scant_study_find_service(const char *path, char *where, size_t size, scant_error *error) {
  char text[STUDY_WHERE] = "", *lock;
  if (size) *where = 0;
  SCANT_TRY(study_check_path(path, SCANT_STUDY_READ, error));
  SCANT_TRY(study_lock_name(path, &lock, error));
  int file = open_lock(lock);
  free(lock);
  if (file < 0) return SCANT_OK; /* there is none, or it is somebody else's: then nothing is known of a service */
  read_living(file, text);
  close(file);
  if (strlen(text) >= size) return scant_fail(error, SCANT_USAGE, "the address of the service needs more room");
  memcpy(where, text, strlen(text) + 1);
  return SCANT_OK;
}

static scant_status check_where(const char *where, scant_error *error) {
  size_t length = strlen(where);
  if (length < STUDY_WHERE && is_plain(where, length)) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "an announcement is 1 to %d bytes of UTF-8 without control characters",
                    STUDY_WHERE - 1);
}

scant_status scant_study_announce(scant_study *study, const char *where, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(study_check_process(s, error));
  if (where) SCANT_TRY(check_where(where, error));
  if (s->mode != SCANT_STUDY_WRITE || s->lock.file < 0)
    return scant_fail(error, SCANT_MISUSE, "only a handle that keeps others from writing announces something");
  study_cut_announcement(s->lock.file);
  study_lock_bytes(s->lock.file, where ? F_WRLCK : F_UNLCK, MARK, 1); /* where there are none, nobody is told */
  if (!where) return SCANT_OK;
  ssize_t length = (ssize_t)strlen(where), written = pwrite(s->lock.file, where, (size_t)length, 0);
  if (written == length) return SCANT_OK;
  int code = written < 0 ? errno : ENOSPC;
  study_cut_announcement(s->lock.file);
  return scant_fail(error, SCANT_IO, "can't write to the lock file of '%.300s': %s", s->path, strerror(code));
}
