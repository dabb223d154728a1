/* Reading where nothing can be written, such as on a full disk.
 *
 * SQLite keeps an index of the log beside the database, in FILE-shm, and makes it anew when it opens a study
 * that nobody has open.  Where that file can't grow, nothing could be read.  But SQLite can also index the
 * log in memory, and does when the file system says that the index is there, can only be read, and was not
 * begun (SQLITE_READONLY_CANTINIT).  So this file system says that.  As soon as another process has made the
 * index, it is read.
 */
#include "base/error.h"
#include "store/new_file.h"
#include "study.h"

/* What sqlite3.h has of the methods of a file.  The SQLite that runs may be newer and have more, which a copy lacks: it
 * would read them behind its end. */
enum { METHODS_VERSION = 3 };

static const study_files *files_of(const sqlite3_file *file) {
  return (const study_files *)file->pMethods;
}

static int map_to_read(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  int code = files_of(file)->real->xShmMap(file, page, size, extend, out);
  return code == SQLITE_OK && *out ? SQLITE_READONLY : SQLITE_READONLY_CANTINIT; /* without *out it is too short */
}

/* Without the file no other process needs to be kept out. */
static int lock_what_is_there(sqlite3_file *file, int offset, int n, int flags) {
  int code = files_of(file)->real->xShmLock(file, offset, n, flags);
  return code == SQLITE_IOERR_SHMLOCK ? SQLITE_OK : code;
}

scant_status study_do_without_index(scant_study *study, scant_error *error) {
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(study->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || !file || !file->pMethods || file->pMethods->iVersion < 2)
    return study_refuse(study->db, SQLITE_CANTOPEN, "opening the study", error);
  study->files.real = file->pMethods;
  study->files.methods = *file->pMethods;
  if (study->files.methods.iVersion > METHODS_VERSION) study->files.methods.iVersion = METHODS_VERSION;
  study->files.methods.xShmMap = map_to_read;
  study->files.methods.xShmLock = lock_what_is_there;
  file->pMethods = &study->files.methods;
  return SCANT_OK;
}
