/* The files of a study: where a new one can be made, how it gets there, and copies. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study.h"

char *study_join(const char *start, const char *end) {
  size_t length = strlen(start) + strlen(end) + 1;
  char *text = scant_array(length, 1);
  if (text) snprintf(text, length, "%s%s", start, end);
  return text;
}

scant_status study_find_real(const char *path, char **real, scant_error *error) {
  *real = realpath(path, NULL);
  int code = errno;
  if (*real) return SCANT_OK;
  if (code == ENOMEM) return scant_fail_memory(error);
  return scant_fail(error, SCANT_IO, "can't find '%.300s': %s", path, strerror(code));
}

scant_status study_refuse_new_path(const char *path, int code, scant_error *error) {
  if (code == EEXIST)
    return scant_fail(error, SCANT_IO, "'%.300s' is there already: a study is made in a new file", path);
  if (code == ENOENT) return scant_fail(error, SCANT_IO, "can't make '%.300s': there is no such folder", path);
  if (code == ENOSPC || code == EDQUOT)
    return scant_fail(error, SCANT_IO, "can't make '%.300s': the disk is full", path);
  return scant_fail(error, SCANT_IO, "can't make '%.300s': %s", path, strerror(code));
}

const char *const study_side_ends[STUDY_SIDES] = {"-wal", "-journal", "-shm", "-lock", "-queue"};

const char *scant_study_side_end(size_t index) {
  return index < STUDY_SIDES ? study_side_ends[index] : NULL;
}

/* If the file of another study was removed without its log or journal, SQLite would take that log for this study's. */
scant_status study_check_new_path(const char *path, scant_error *error) {
  static const study_side data[] = {STUDY_WAL, STUDY_JOURNAL};
  struct stat facts;
  if (lstat(path, &facts) == 0) return study_refuse_new_path(path, EEXIST, error);
  for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
    char *name = study_join(path, study_side_ends[data[i]]);
    if (!name) return scant_fail_memory(error);
    int found = lstat(name, &facts) == 0;
    if (found)
      scant_error_write(
          error, "'%.300s' is left of another study that was here: move it to where that one is, or remove it", name);
    free(name);
    if (found) return SCANT_IO;
  }
  return SCANT_OK;
}

scant_status study_make_temporary(const char *path, char **name, scant_error *error) {
  *name = study_join(path, "-new-XXXXXX");
  if (!*name) return scant_fail_memory(error);
  int file = mkstemp(*name);
  if (file >= 0) {
    close(file);
    return SCANT_OK;
  }
  scant_status status = study_refuse_new_path(path, errno, error);
  free(*name);
  *name = NULL;
  return status;
}

/* Makes the names in the folder of this file durable, where that can be done. */
static void sync_folder(const char *path) {
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

scant_status study_name_new_file(const char *from, const char *path, scant_error *error) {
  SCANT_TRY(study_check_new_path(path, error)); /* checked again, since making the study took a while */
  int code = link(from, path) == 0 ? 0 : errno;
  if (code == EPERM || code == EOPNOTSUPP || code == ENOSYS) { /* on file systems where a file has one name only */
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    code = file < 0 ? errno : 0;
    if (file >= 0) close(file);
    if (!code && rename(from, path) != 0) {
      code = errno;
      unlink(path);
    }
  }
  if (code) return study_refuse_new_path(path, code, error);
  sync_folder(path);
  return SCANT_OK;
}

void study_remove_files(char *name) {
  char other[4200];
  unlink(name);
  for (size_t i = 0; i < STUDY_OF_SQLITE; i++)
    if (snprintf(other, sizeof other, "%s%s", name, study_side_ends[i]) < (int)sizeof other) unlink(other);
}

static scant_status copy_pages(scant_study *s, sqlite3 *to, scant_error *error) {
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", s->db, "main");
  if (!backup) return study_refuse(to, sqlite3_errcode(to), "copying the study", error);
  int copied = sqlite3_backup_step(backup, -1), code = sqlite3_backup_finish(backup);
  if (code == SQLITE_OK && copied != SQLITE_DONE) code = copied; /* it was busy, which is no fault of a copy */
  return code == SQLITE_OK ? SCANT_OK : study_refuse(to, code, "copying the study", error);
}

scant_status study_copy(scant_study *study, const char *path, scant_error *error) {
  sqlite3 *to = NULL;
  int code = study_open_file(&to, path, SQLITE_OPEN_READWRITE);
  scant_status status =
      code == SQLITE_OK ? copy_pages(study, to, error) : study_refuse(to, code, "copying the study", error);
  sqlite3_close(to);
  return status;
}

scant_status scant_study_backup(scant_study *study, const char *path, scant_error *error) {
  SCANT_TRY(study_check_usable(study, error));
  SCANT_TRY(study_refuse_in_group(study, "a backup", error));
  SCANT_TRY(study_check_new_path(path, error));
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return study_refuse_new_path(path, errno, error);
  scant_status status =
      study_copy(study, path, error); /* SQLite closes it before the file is: that lets its locks go */
  if (status == SCANT_OK && fsync(file) != 0)
    status = scant_fail(error, SCANT_IO, "can't write '%.300s': %s", path, strerror(errno));
  close(file);
  if (status == SCANT_OK)
    sync_folder(path);
  else
    unlink(path);
  return status;
}
