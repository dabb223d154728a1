/* Replacing a file whole or not at all. */
#define _DEFAULT_SOURCE /* flock, which belongs to the open file and not to the process */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scant_base.h"
#include "scant.h"

static scant_status fail_writing(scant_error *error, const char *path) {
  static const struct {
    int code;
    const char *text;
  } reasons[] = {/* not strerror: its text depends on the locale */
                 {ENOENT, "there is no such folder"},  {ENOTDIR, "there is no such folder"},
                 {EACCES, "permission denied"},        {EPERM, "permission denied"},
                 {ENOSPC, "the disk is full"},         {EDQUOT, "the disk is full"},
                 {EROFS, "the disk is read-only"},     {ENAMETOOLONG, "the name is too long"},
                 {ELOOP, "its links lead in a circle"}};
  int code = errno;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].code == code) return scant_fail(error, SCANT_IO, "can't write '%s': %s", path, reasons[i].text);
  return scant_fail(error, SCANT_IO, "can't write '%s' (system error %d)", path, code);
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The folder that a file is in; 0: its name is too long. */
static int folder_of(const char *path, char *folder, size_t size) {
  size_t length = (size_t)(last_part(path) - path);
  if (length + 2 > size) return 0;
  memcpy(folder, length ? path : ".", length ? length : 1);
  folder[length ? length : 1] = 0;
  return 1;
}

/* Without this the new name may be lost in a crash.  Where folders can't be synced the file is whole all the same. */
static void sync_folder(const char *path) {
  char folder[4096];
  if (!folder_of(path, folder, sizeof folder)) return;
  int file = open(folder, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)fsync(file);
  close(file);
}

/* ---- links --------------------------------------------------------------- */

enum { LINKS_MOST = 40 };

/* Where a link leads, seen from the folder that the link is in; the caller frees it.  NULL: errno says why. */
static char *read_link(const char *path) {
  char to[4096];
  ssize_t length = readlink(path, to, sizeof to);
  if ((size_t)length == sizeof to) errno = ENAMETOOLONG;
  if (length < 0 || (size_t)length == sizeof to) return NULL;
  size_t folder = to[0] == '/' ? 0 : (size_t)(last_part(path) - path);
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

/* ---- the temporary file beside the one that is replaced ----------------------- */

/* Its name is that of the file, ".scant-", the writer's process, "-", a number and ".tmp".  The writer holds a lock on
 * it until the rename, and the system releases that lock however the writer ends.  So a file with such a name and a
 * free lock was left behind. */

static int is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Locks a new file; 0: another writer took it for one that was left behind, and has removed it. */
static int lock_new(int file, const char *name) {
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return 0;
  /* other errors: a file system without locks, where no writer removes anything */
  struct stat ours, named;
  return fstat(file, &ours) == 0 && lstat(name, &named) == 0 && is_same(&ours, &named);
}

/* A new one, locked, open for writing; `name` gets its name.  -1: errno says why. */
static int create_temporary(const char *path, char *name, size_t size) {
  errno = EEXIST;
  for (unsigned i = 0; i < 1000; i++) {
    int length = snprintf(name, size, "%s.scant-%ld-%u.tmp", path, (long)getpid(), i);
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

static int is_temporary(const char *name, const char *base) {
  size_t length = strlen(base);
  int end = 0;
  if (strncmp(name, base, length) != 0) return 0;
  (void)sscanf(name + length, ".scant-%*[0-9]-%*[0-9].tmp%n", &end);
  return end > 0 && !name[length + (size_t)end];
}

/* Under its lock: the writer is gone, or has no lock yet and will make another file. */
static void remove_if_left(int folder, const char *name) {
  int file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat held, named;
  if (fstat(file, &held) == 0 && S_ISREG(held.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
      fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&held, &named))
    (void)unlinkat(folder, name, 0);
  close(file);
}

/* Removes temporary files that were left behind, as far as it can. */
static void clean_temporary(const char *path) {
  char folder[4096];
  const char *base = last_part(path);
  DIR *entries = folder_of(path, folder, sizeof folder) ? opendir(folder) : NULL;
  if (!entries) return;
  const struct dirent *entry;
  while ((entry = readdir(entries)))
    if (is_temporary(entry->d_name, base)) remove_if_left(dirfd(entries), entry->d_name);
  closedir(entries);
}

/* ---- writing ----------------------------------------------------------------- */

struct scant_replacing {
  int file;
  char *path; /* as the caller wrote it, for sentences */
  char *real; /* the file that is replaced or made; NULL: the path is no regular file and is written to directly */
  char name[4096];
};

static scant_status check_target(const char *path, const struct stat *facts, scant_error *error) {
  if (S_ISDIR(facts->st_mode)) return scant_fail(error, SCANT_IO, "can't write '%s': it is a folder", path);
  /* a rename ignores the permissions of the file itself */
  if (S_ISREG(facts->st_mode) && !(facts->st_mode & 0222))
    return scant_fail(error, SCANT_IO, "can't write '%s': the file is read-only", path);
  return SCANT_OK;
}

/* `there`: the file that it replaces; NULL: none. */
static scant_status open_beside(scant_replacing *r, const struct stat *there, scant_error *error) {
  clean_temporary(r->real);
  r->file = create_temporary(r->real, r->name, sizeof r->name);
  if (r->file < 0) return fail_writing(error, r->path);
  if (!there) return SCANT_OK;
  /* a file that root replaces keeps its owner, who could not read it otherwise; other users can't give files away */
  if (geteuid() == 0 && fchown(r->file, there->st_uid, there->st_gid) != 0) return fail_writing(error, r->path);
  return fchmod(r->file, there->st_mode & 07777) == 0 ? SCANT_OK : fail_writing(error, r->path);
}

static scant_status open_target(scant_replacing *r, scant_error *error) {
  struct stat facts;
  int there = stat(r->path, &facts) == 0;
  if (!there && errno == ELOOP) return fail_writing(error, r->path);
  if (there) SCANT_TRY(check_target(r->path, &facts, error));
  if (there && !S_ISREG(facts.st_mode)) {
    r->file = open(r->path, O_WRONLY | O_CLOEXEC);
    return r->file < 0 ? fail_writing(error, r->path) : SCANT_OK;
  }
  /* If the path is a link, the file that it leads to is replaced or made, and the link stays. */
  errno = ENOMEM;
  r->real = there ? realpath(r->path, NULL) : follow_links(r->path);
  if (!r->real) return errno == ENOMEM ? scant_fail_memory(error) : fail_writing(error, r->path);
  return open_beside(r, there ? &facts : NULL, error);
}

scant_status scant_replacing_begin(scant_replacing **replacing, const char *path, scant_error *error) {
  scant_replacing *r = scant_array(1, sizeof *r);
  if (!r) return scant_fail_memory(error);
  r->file = -1;
  r->path = scant_copy_text(path, strlen(path));
  scant_status status = r->path ? open_target(r, error) : scant_fail_memory(error);
  if (status == SCANT_OK)
    *replacing = r;
  else
    scant_replacing_abandon(r);
  return status;
}

const char *scant_replacing_name(const scant_replacing *replacing) {
  return replacing->real ? replacing->name : NULL;
}

int scant_replacing_is_same(const scant_replacing *a, const scant_replacing *b) {
  char folder[4096];
  struct stat x, y;
  if (!a->real || !b->real || strcmp(last_part(a->real), last_part(b->real)) != 0) return 0;
  if (!folder_of(a->real, folder, sizeof folder) || stat(folder, &x) != 0) return 0;
  if (!folder_of(b->real, folder, sizeof folder) || stat(folder, &y) != 0) return 0;
  return is_same(&x, &y);
}

scant_status scant_replacing_add(scant_replacing *replacing, const char *bytes, size_t length, scant_error *error) {
  while (length) {
    ssize_t n = write(replacing->file, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail_writing(error, replacing->path);
    bytes += n;
    length -= (size_t)n;
  }
  return SCANT_OK;
}

scant_status scant_replacing_rewind(scant_replacing *replacing, scant_error *error) {
  return lseek(replacing->file, 0, SEEK_SET) == 0 ? SCANT_OK : fail_writing(error, replacing->path);
}

/* Gives it its last name; 0: errno says why. */
static int name_whole(scant_replacing *r) {
  if (!r->real) {
    int file = r->file;
    r->file = -1;
    return close(file) == 0;
  }
  if (fsync(r->file) != 0 || rename(r->name, r->real) != 0) return 0;
  r->name[0] = 0;
  return 1;
}

scant_status scant_replacing_end(scant_replacing *replacing, scant_error *error) {
  scant_replacing *r = replacing;
  scant_status status = name_whole(r) ? SCANT_OK : fail_writing(error, r->path);
  if (status == SCANT_OK && r->real) sync_folder(r->real);
  scant_replacing_abandon(r);
  return status;
}

void scant_replacing_abandon(scant_replacing *replacing) {
  if (!replacing) return;
  if (replacing->name[0] && replacing->file >= 0) unlink(replacing->name);
  if (replacing->file >= 0) close(replacing->file); /* a failure would have shown in fsync */
  free(replacing->real);
  free(replacing->path);
  free(replacing);
}

scant_status scant_file_replace(const char *path, const char *bytes, size_t length, scant_error *error) {
  /* a signal that ends the process would leave the temporary file behind, so signals wait */
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t wait, before;
  sigemptyset(&wait);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) sigaddset(&wait, endings[i]);
  int held = pthread_sigmask(SIG_BLOCK, &wait, &before) == 0;
  scant_replacing *r = NULL;
  scant_status status = scant_replacing_begin(&r, path, error);
  if (status == SCANT_OK) status = scant_replacing_add(r, bytes, length, error);
  if (status == SCANT_OK)
    status = scant_replacing_end(r, error);
  else
    scant_replacing_abandon(r);
  if (held) pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}
