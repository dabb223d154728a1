/* Replacing a file whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/beside.h"
#include "core/error.h"
#include "core/memory.h"
#include "scant.h"

static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

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

/* Not strerror: its text depends on the locale. */
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
    case ELOOP:
      return "its links lead in a circle";
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

/* `mode` is that of the file that is replaced, 0 if there is none. Returns 0 on failure, and errno says why. */
static int write_and_rename(const char *path, mode_t mode, const char *bytes, size_t length) {
  char name[4096];
  int file = scant_beside_create(path, name, sizeof name);
  if (file < 0) return 0;
  /* the lock is held until the file has its last name */
  int good = (!mode || fchmod(file, mode) == 0) && write_all(file, bytes, length) && fsync(file) == 0 &&
             rename(name, path) == 0;
  int reason = errno;
  if (!good) unlink(name);
  close(file); /* a failure would have shown in fsync */
  errno = reason;
  return good;
}

static scant_status replace(const char *path, mode_t mode, const char *bytes, size_t length, scant_error *error) {
  scant_beside_clean(path);
  /* a signal that ends the process would leave the temporary file behind, so signals wait */
  sigset_t wait, before;
  sigemptyset(&wait);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) sigaddset(&wait, endings[i]);
  int held = pthread_sigmask(SIG_BLOCK, &wait, &before) == 0;
  int good = write_and_rename(path, mode, bytes, length), reason = errno;
  if (held) pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  if (!good) return fail_writing(error, path);
  sync_folder(path);
  return SCANT_OK;
}

/* ---- links --------------------------------------------------------------- */

enum { LINKS_MOST = 40 };

/* Where a link leads, seen from the folder that the link is in; to be freed.  NULL:
 * errno says why. */
static char *read_link(const char *path) {
  char to[4096];
  ssize_t length = readlink(path, to, sizeof to);
  if (length < 0) return NULL;
  if ((size_t)length == sizeof to) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
  char *whole = scant_array(folder + (size_t)length + 1, 1);
  if (!whole) return NULL;
  memcpy(whole, path, folder);
  memcpy(whole + folder, to, (size_t)length);
  return whole;
}

/* The name at the end of links that lead to nothing yet. */
static char *follow_links(const char *path) {
  char *name = scant_copy_text(path, strlen(path));
  struct stat facts;
  for (int i = 0; name && lstat(name, &facts) == 0 && S_ISLNK(facts.st_mode); i++) {
    char *next = i < LINKS_MOST ? read_link(name) : NULL;
    int reason = i < LINKS_MOST ? errno : ELOOP;
    free(name);
    name = next;
    errno = reason;
  }
  return name;
}

scant_status scant_file_replace(const char *path, const char *bytes, size_t length, scant_error *error) {
  struct stat facts;
  int there = stat(path, &facts) == 0;
  if (!there && errno == ELOOP) return fail_writing(error, path);
  if (there && S_ISDIR(facts.st_mode)) return scant_fail(error, SCANT_IO, "can't write '%s': it is a folder", path);
  /* A rename ignores the permissions of the file itself, so they are checked here. */
  if (there && S_ISREG(facts.st_mode) && !(facts.st_mode & 0222))
    return scant_fail(error, SCANT_IO, "can't write '%s': the file is read-only", path);
  if (there && !S_ISREG(facts.st_mode)) return write_directly(path, bytes, length, error);
  /* If the path is a link, the file that it leads to is replaced or made, and the link stays. */
  errno = ENOMEM;
  char *real = there ? realpath(path, NULL) : follow_links(path);
  if (!real) return errno == ENOMEM ? scant_fail_memory(error) : fail_writing(error, path);
  scant_status status = replace(real, there ? facts.st_mode & 07777 : 0, bytes, length, error);
  free(real);
  return status;
}
