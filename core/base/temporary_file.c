#define _DEFAULT_SOURCE /* flock, which belongs to the open file and not to the process */
#include "base/temporary_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char middle[] = ".scant-", end[] = ".tmp";

static int is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Locks a file that was just made.  Before the lock it looks like one that was left behind, so another writer
 * may have removed it: then it is of no use. */
static int lock_new(int file, const char *name) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return 0;
  /* without locks nobody removes anything */
  struct stat ours, named;
  return fstat(file, &ours) == 0 && lstat(name, &named) == 0 && is_same(&ours, &named);
}

int scant_temporary_file_create(const char *path, char *name, size_t size) {
  errno = EEXIST;
  for (unsigned i = 0; i < 1000; i++) {
    int length = snprintf(name, size, "%s%s%ld-%u%s", path, middle, (long)getpid(), i, end);
    if (length < 0 || (size_t)length >= size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) return -1;
    if (file < 0) continue;
    if (lock_new(file, name)) return file;
    close(file);
    errno = EEXIST;
  }
  return -1;
}

static const char *skip_digits(const char *text) {
  const char *at = text;
  while (*at >= '0' && *at <= '9') at++;
  return at > text ? at : NULL;
}

static int is_ours(const char *name, const char *base, size_t length) {
  if (strncmp(name, base, length) != 0 || strncmp(name + length, middle, sizeof middle - 1) != 0) return 0;
  const char *at = skip_digits(name + length + sizeof middle - 1);
  if (!at || *at != '-') return 0;
  at = skip_digits(at + 1);
  return at && strcmp(at, end) == 0;
}

/* Whoever holds the lock of a file that still has its name may remove it: its writer is gone, or it has no
 * lock yet and will make another file. */
static void remove_if_left(int folder, const char *name) {
  int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat held, named;
  if (fstat(file, &held) == 0 && S_ISREG(held.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
      fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&held, &named))
    (void)unlinkat(folder, name, 0);
  close(file);
}

void scant_temporary_file_clean(const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t length = (size_t)(base - path);
  if (length >= sizeof folder) return;
  memcpy(folder, path, length);
  folder[length] = 0;
  DIR *entries = opendir(length ? folder : ".");
  if (!entries) return;
  const struct dirent *entry;
  while ((entry = readdir(entries)))
    if (is_ours(entry->d_name, base, strlen(base))) remove_if_left(dirfd(entries), entry->d_name);
  closedir(entries);
}
