#define _DEFAULT_SOURCE /* flock */
#include "study/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"

enum { TRIES_MOST = 1000 };

/* Is the file still the one of this name? */
static int is_named(int file, const char *name) {
  struct stat here, there;
  return fstat(file, &here) == 0 && stat(name, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

static scant_status take(int *lock, int *made, const char *name, const char *path, scant_error *error) {
  for (int tries = 0; tries < TRIES_MOST; tries++) {
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    *made = file >= 0;
    if (file < 0 && errno == EEXIST) file = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 && errno == ENOENT) continue; /* it has just gone away */
    if (file < 0 && errno == ELOOP)
      return scant_fail(error, SCANT_IO, "'%.300s' is a link, and a lock must be a file: remove it", name);
    if (file < 0 && (errno == ENOSPC || errno == EDQUOT))
      return scant_fail(error, SCANT_IO, "can't write '%.300s': the disk is full", name);
    if (file < 0) return scant_fail(error, SCANT_IO, "can't write '%.300s': %s", name, strerror(errno));
    int code = flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (!code && is_named(file, name)) {
      *lock = file;
      return SCANT_OK;
    }
    close(file);
    if (code == EWOULDBLOCK)
      return scant_fail(error, SCANT_BUSY, "'%.300s' is being written to by another one: try again later", path);
    if (code && code != EINTR) return scant_fail(error, SCANT_IO, "can't lock '%.300s': %s", name, strerror(code));
  }
  return scant_fail(error, SCANT_BUSY, "'%.300s' is made and removed all the time: try again later", name);
}

scant_status study_lock(int *lock, long *owner, char **made, const char *path, scant_error *error) {
  char *real = realpath(path, NULL); /* SQLite's own files are beside it, too */
  int code = errno;
  *made = NULL;
  if (!real && code == ENOMEM) return scant_fail_memory(error);
  if (!real) return scant_fail(error, SCANT_IO, "can't find '%.300s': %s", path, strerror(code));
  size_t length = strlen(real) + sizeof "-lock";
  char *name = scant_array(length, 1);
  if (name) snprintf(name, length, "%s-lock", real);
  free(real);
  if (!name) return scant_fail_memory(error);
  int is_new = 0;
  *owner = (long)getpid();
  scant_status status = take(lock, &is_new, name, path, error);
  if (status == SCANT_OK && is_new)
    *made = name;
  else
    free(name);
  return status;
}

void study_unlock(int lock, long owner) {
  if (lock < 0) return;
  if (owner == (long)getpid()) flock(lock, LOCK_UN); /* children that were forked meanwhile hold it open, too */
  close(lock);
}

void study_sync_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = slash ? scant_copy_text(path, (size_t)(slash - path) + 1) : NULL;
  if (slash && !name) return;
  int folder = open(name ? name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder); /* some file systems can't */
    close(folder);
  }
  free(name);
}
