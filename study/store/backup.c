/* A copy of the whole study in a new file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scant_base.h"
#include "store/handle.h"
#include "store/lock.h"
#include "store/new_file.h"
#include "study.h"
#include "store/transaction.h"

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
    study_sync_folder(path);
  else
    unlink(path);
  return status;
}
