/* Opening a study, and refusing files that are none. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study.h"

/* ---- where nothing can be written -------------------------------------------------------- */

/* Such as on a full disk.  SQLite keeps an index of the log beside the database, in FILE-shm, and makes it anew when it
 * opens a study that nobody has open.  Where that file can't grow, nothing could be read.  But SQLite can also index
 * the log in memory, and does when the file system says that the index is there, can only be read, and was not begun
 * (SQLITE_READONLY_CANTINIT).  So this file system says that, until another process has made the index. */

/* What sqlite3.h has of the methods of a file.  The SQLite that runs may be newer and read more, which a copy lacks. */
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

/* How many things in the file the schema did not make; -1: something is missing. */
static scant_status count_foreign(scant_study *s, int64_t *foreign, scant_error *error) {
  sqlite3_stmt *statement;
  int row,
      code = sqlite3_prepare_v2(s->db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status;
  int64_t ours = 0, all = 0;
  for (const char *c = study_schema; (c = strstr(c, "CREATE ")); c++) all++;
  *foreign = 0;
  while ((status = study_step(s->db, statement, &row, error)) == SCANT_OK && row) {
    const char *sql = (const char *)sqlite3_column_text(statement, 0);
    const char *found = sql ? strstr(study_schema, sql) : NULL;
    if (!sql) status = scant_fail_memory(error);
    if (!sql) break;
    if (found && found[strlen(sql)] == ';' && !strncmp(sql, "CREATE ", 7))
      ours++;
    else
      ++*foreign;
  }
  sqlite3_finalize(statement);
  if (status == SCANT_OK && !*foreign && ours != all) *foreign = -1;
  return status;
}

/* Is it a study of this version, and nothing more? */
static scant_status check_file(scant_study *s, scant_error *error) {
  int64_t application = -1, found = -1, foreign = 0;
  const char *path = s->path ? s->path : "it";
  scant_status status = study_read_number(s, "PRAGMA application_id", &application, error);
  if (status == SCANT_DATA || (status == SCANT_OK && application != STUDY_APPLICATION))
    return scant_fail(error, SCANT_DATA, "'%.300s' is not a study", path);
  SCANT_TRY(status);
  SCANT_TRY(study_read_number(s, "PRAGMA user_version", &found, error));
  if (found != STUDY_VERSION)
    return scant_fail(error, SCANT_DATA, "'%.300s' is a study of version %lld, and this scant knows version %d", path,
                      (long long)found, STUDY_VERSION);
  SCANT_TRY(count_foreign(s, &foreign, error));
  if (foreign)
    return scant_fail(error, SCANT_DATA, "'%.300s' has triggers, views or tables that are not a study's", path);
  return SCANT_OK;
}

scant_status study_check_path(const char *path, scant_study_mode mode, scant_error *error) {
  struct stat facts;
  int code = stat(path, &facts) == 0 ? 0 : errno;
  if (code == ENOENT || code == ENOTDIR) return scant_fail(error, SCANT_NO_INPUT, "there is no study '%.300s'", path);
  if (!code && S_ISDIR(facts.st_mode)) return scant_fail(error, SCANT_DATA, "'%.300s' is a folder, not a study", path);
  if (!code && !S_ISREG(facts.st_mode)) return scant_fail(error, SCANT_DATA, "'%.300s' is not a study", path);
  if (!code && access(path, R_OK) != 0) code = errno;
  if (code) return scant_fail(error, SCANT_IO, "'%.300s' can't be read: %s", path, strerror(code));
  if (mode != SCANT_STUDY_READ && access(path, W_OK) != 0)
    return scant_fail(error, SCANT_IO, "'%.300s' can't be written to: %s", path, strerror(errno));
  return SCANT_OK;
}

/* The learner.  A study whose orders are damaged can be opened all the same, so that it can be verified and made anew
 * from its ledger: every other function says what is wrong. */
static scant_status open_learner(scant_study *s, scant_error *error) {
  scant_status status = study_load_learner(s, error);
  return status == SCANT_DATA && s->learner ? study_leave(s, SCANT_OK) : status;
}

/* Frozen copies are only read. */
static scant_status refuse_frozen(scant_study *s, scant_error *error) {
  SCANT_TRY(study_read_setting(s, STUDY_FROZEN, &s->frozen, error));
  if (!s->frozen) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "'%.250s' is frozen, as '%.200s': it is never written to again", s->path,
                    s->frozen);
}

/* An erasure may have been interrupted before its bytes were gone.  While others read it waits on, and so it does if
 * the disk is full: that keeps nobody from writing. */
static scant_status finish_erasures(scant_study *s, scant_error *error) {
  scant_status status = study_sweep_if_due(s, 0, error);
  return status == SCANT_BUSY || status == SCANT_IO ? study_leave(s, SCANT_OK) : status;
}

scant_status study_reread(scant_study *study, scant_error *error) {
  study->stale = 1; /* until it is done */
  SCANT_TRY(study_read_terms(study, error));
  study->renewals++;
  return study_load_learner(study, error);
}

static scant_status open_to_write(scant_study *s, scant_error *error) {
  char *made = NULL;
  SCANT_TRY(study_lock(&s->lock, &made, s->path, &s->wait, error));
  scant_status status = study_open_database(s, s->path, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK) status = check_file(s, error);
  if (status == SCANT_OK) status = refuse_frozen(s, error);
  if (status == SCANT_OK) status = study_log_ahead(s, error);
  /* what is deleted is overwritten with zeros: some builds of SQLite do that anyway */
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON", error);
  if (status == SCANT_OK) status = finish_erasures(s, error);
  if (status == SCANT_OK) status = study_read_terms(s, error);
  if (status == SCANT_OK) status = open_learner(s, error);
  if (status != SCANT_OK && made) unlink(made); /* no lock file is left beside a file that is no study */
  free(made);
  return status;
}

/* Where nothing can be written, SQLite reads a file in WAL mode only if it is told that the file does not
 * change.  It is told so if there is no log. */
static scant_status open_unchanging(scant_study *s, scant_error *error) {
  char *real;
  SCANT_TRY(study_find_real(s->path, &real, error));
  size_t size = 3 * strlen(real) + 32;
  char *name = scant_array(size, 1), *end = name;
  if (!name) {
    free(real);
    return scant_fail_memory(error);
  }
  snprintf(name, size, "%s%s", real, study_side_ends[STUDY_WAL]);
  struct stat log;
  scant_status status = SCANT_OK;
  if (stat(name, &log) == 0 && log.st_size > 0)
    status = scant_fail(error, SCANT_IO, "'%.300s' was not closed, and where nothing can be written it can't be read",
                        s->path);
  end += sprintf(end, "file:");
  for (const char *c = real; *c; c++) end += sprintf(end, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
  sprintf(end, "?immutable=1");
  sqlite3_close(s->db);
  s->db = NULL;
  if (status == SCANT_OK) status = study_open_database(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
  free(name);
  free(real);
  return status == SCANT_OK ? check_file(s, error) : status;
}

/* Did opening for reading fail because SQLite would have to write? */
static int wants_to_write(const scant_study *s) {
  int code = sqlite3_extended_errcode(s->db), kind = code & 0xff;
  return kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY || kind == SQLITE_FULL || code == SQLITE_IOERR_SHMOPEN ||
         code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_SHMLOCK ||
         code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE;
}

static scant_status open_without_index(scant_study *s, scant_error *error) {
  sqlite3_close(s->db);
  s->db = NULL;
  SCANT_TRY(study_open_database(s, s->path, SQLITE_OPEN_READONLY, error));
  SCANT_TRY(study_do_without_index(s, error));
  return check_file(s, error);
}

static scant_status open_to_read(scant_study *s, scant_error *error) {
  SCANT_TRY(study_open_database(s, s->path, SQLITE_OPEN_READONLY, error));
  scant_status status = check_file(s, error);
  if (status == SCANT_IO && wants_to_write(s)) status = open_without_index(s, error);
  /* SQLite drops what a reader has cached whenever another one writes, so a large cache is memory for nothing. */
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA cache_size = -400", error);
  if (status == SCANT_IO && wants_to_write(s)) status = open_unchanging(s, error);
  SCANT_TRY(status);
  SCANT_TRY(study_execute(s->db, "BEGIN", error)); /* of one moment, while others write */
  SCANT_TRY(study_read_setting(s, STUDY_FROZEN, &s->frozen, error));
  SCANT_TRY(study_read_terms(s, error));
  return study_leave(s, open_learner(s, error));
}

/* Why a file can't be written to: it may be a frozen copy. */
static scant_status check_unfrozen(const char *path, const scant_settings *given, scant_error *error) {
  scant_study *s = NULL;
  scant_status status = SCANT_OK;
  if (access(path, W_OK) == 0) return SCANT_OK;
  if (scant_study_open(&s, path, SCANT_STUDY_READ, given, NULL) == SCANT_OK) status = refuse_frozen(s, error);
  scant_study_close(s);
  return status;
}

scant_status scant_study_open(scant_study **study, const char *path, scant_study_mode mode, const scant_settings *given,
                              scant_error *error) {
  return scant_study_open_waiting(study, path, mode, NULL, given, error);
}

scant_status scant_study_open_waiting(scant_study **study, const char *path, scant_study_mode mode,
                                      const scant_study_wait *wait, const scant_settings *given, scant_error *error) {
  if (mode != SCANT_STUDY_READ) SCANT_TRY(check_unfrozen(path, given, error));
  SCANT_TRY(study_check_path(path, mode, error));
  scant_study *s = study_new(given);
  if (!s) return scant_fail_memory(error);
  s->mode = mode;
  if (wait) s->wait = *wait;
  s->path = scant_copy_text(path, strlen(path));
  scant_status status = s->path ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_study_sign(s, NULL, NULL, error);
  if (status == SCANT_OK) status = mode == SCANT_STUDY_READ ? open_to_read(s, error) : open_to_write(s, error);
  if (status != SCANT_OK) {
    study_free(s);
    return status;
  }
  if (mode == SCANT_STUDY_SHARE) study_unlock(&s->lock);
  *study = s;
  return SCANT_OK;
}

/* Keeps the learner if that is worth it. */
static void keep(scant_study *s) {
  if (s->stale || s->kept >= s->tip.sequence || study_check_end(s, NULL) != SCANT_OK) return;
  if (study_begin(s, NULL) == SCANT_OK) study_end(s, study_keep_learner(s, NULL), 0, NULL);
}

/* While another one writes, nothing is kept, and the log is left to it. */
static void close_shared(scant_study *s) {
  s->wait.seconds = 0;
  if (study_seize(s, NULL) != SCANT_OK) {
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return;
  }
  if (study_catch_up(s, NULL) == SCANT_OK) keep(s);
}

void scant_study_close(scant_study *s) {
  if (!s) return;
  int own = s->owner == (long)getpid(); /* else it is a child's copy */
  while (own && s->groups) scant_study_roll_back(s);
  if (own && s->mode == SCANT_STUDY_WRITE && s->path) keep(s);
  if (own && s->mode == SCANT_STUDY_SHARE) close_shared(s);
  if (!own && s->db) sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  study_free(s);
}
