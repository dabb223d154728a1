/* Replacing a file whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "scant.h"

static int write_all(int file, const char *bytes, size_t length) {
  while (length) {
    ssize_t n = write(file, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    bytes += n;
    length -= (size_t)n;
  }
  return 1;
}

/* Not strerror, which speaks the language of the locale. */
static const char *reason_of(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return "there is no such folder";
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOSPC:
    case EDQUOT:
      return "the disk is full";
    case EROFS:
      return "the disk is read-only";
    case ENAMETOOLONG:
      return "the name is too long";
    default:
      return NULL;
  }
}

static scant_status fail_writing(scant_error *error, const char *path) {
  int code = errno;
  if (reason_of(code)) return scant_fail(error, SCANT_IO, "can't write '%s': %s", path, reason_of(code));
  return scant_fail(error, SCANT_IO, "can't write '%s' (system error %d)", path, code);
}

static scant_status write_directly(const char *path, const char *bytes, size_t length, scant_error *error) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return fail_writing(error, path);
  int good = write_all(file, bytes, length);
  if (close(file) != 0) good = 0;
  return good ? SCANT_OK : fail_writing(error, path);
}

/* A name of our own beside the file, so that renaming stays on one disk. */
static int create_beside(const char *path, char *name, size_t size) {
  for (unsigned i = 0; i < 1000; i++) {
    int length = snprintf(name, size, "%s.%ld-%u.tmp", path, (long)getpid(), i);
    if (length < 0 || (size_t)length >= size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/* Without this the new name itself may be lost in a crash.  Some file systems
 * can't sync a directory; the file is whole all the same. */
static void sync_folder(const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder) return;
  memcpy(folder, path, length);
  folder[length] = 0;
  int file = open(length ? folder : ".", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file);
  close(file);
}

/* `mode`: of the file that is replaced; 0: there is none. */
static scant_status replace(const char *path, mode_t mode, const char *bytes, size_t length, scant_error *error) {
  char name[4096];
  int file = create_beside(path, name, sizeof name);
  if (file < 0) return fail_writing(error, path);
  int good = (!mode || fchmod(file, mode) == 0) && write_all(file, bytes, length) && fsync(file) == 0;
  int reason = errno;
  if (close(file) != 0 && good) {
    good = 0;
    reason = errno;
  }
  if (good && rename(name, path) != 0) {
    good = 0;
    reason = errno;
  }
  if (!good) {
    unlink(name);
    errno = reason;
    return fail_writing(error, path);
  }
  sync_folder(path);
  return SCANT_OK;
}

scant_status scant_file_replace(const char *path, const char *bytes, size_t length, scant_error *error) {
  struct stat facts;
  if (stat(path, &facts) != 0) return replace(path, 0, bytes, length, error);
  if (S_ISDIR(facts.st_mode)) return scant_fail(error, SCANT_IO, "can't write '%s': it is a folder", path);
  /* A rename does not ask the file itself, so we do. */
  if (S_ISREG(facts.st_mode) && !(facts.st_mode & 0222))
    return scant_fail(error, SCANT_IO, "can't write '%s': the file is read-only", path);
  if (!S_ISREG(facts.st_mode)) return write_directly(path, bytes, length, error);
  /* Through a link: the file it leads to is replaced, not the link. */
  char *real = realpath(path, NULL);
  if (!real) return fail_writing(error, path);
  scant_status status = replace(real, facts.st_mode & 07777, bytes, length, error);
  free(real);
  return status;
}
