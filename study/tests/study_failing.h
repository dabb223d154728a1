/* A file system for SQLite on which the n-th write, sync, truncation, opening ... fails, once or ever after. */
#ifndef SCANT_TESTS_STUDY_FAILING_H
#define SCANT_TESTS_STUDY_FAILING_H

#include "study_support.h"

typedef enum { WRITE, SHORT_WRITE, FULL, SYNC, TRUNCATE, OPEN, DELETE, MAP, READ, FAULTS } fault;
static const char *const fault_names[] = {"write", "short write", "full disk", "sync", "truncate",
                                          "open",  "delete",      "map",       "read"};

static fault failing;
static unsigned long fail_at, met; /* fail_at 0: none */
static int for_ever, failed;

typedef struct {
  sqlite3_file base;
  sqlite3_file *real; /* behind it in memory */
  int lasts;          /* the study itself, or its log: what is in it must outlive a crash */
  int unsynced;       /* it was written to since its last sync */
} shim_file;

/* Files that last and hold what a crash would lose; syncs of such files; how many were closed like that. */
static int unsynced, closed_unsynced;
static unsigned long sync_count;

static void set_unsynced(sqlite3_file *file, int now) {
  shim_file *f = (shim_file *)file;
  if (!f->lasts) return;
  unsynced += now - f->unsynced;
  f->unsynced = now;
}

static sqlite3_vfs *real_vfs, shim_vfs;

static int fails(fault kind) {
  if (kind != failing || !fail_at) return 0;
  met++;
  if (met != fail_at && !(for_ever && met > fail_at)) return 0;
  failed++;
  return 1;
}

#define REAL(file) (((shim_file *)(file))->real)

static int shim_close(sqlite3_file *file) {
  closed_unsynced += ((shim_file *)file)->unsynced;
  set_unsynced(file, 0);
  return REAL(file)->pMethods ? REAL(file)->pMethods->xClose(REAL(file)) : SQLITE_OK;
}

static int shim_read(sqlite3_file *file, void *to, int length, sqlite3_int64 offset) {
  if (fails(READ)) return SQLITE_IOERR_READ;
  return REAL(file)->pMethods->xRead(REAL(file), to, length, offset);
}

static int shim_write(sqlite3_file *file, const void *from, int length, sqlite3_int64 offset) {
  set_unsynced(file, 1);
  if (fails(WRITE)) return SQLITE_IOERR_WRITE;
  if (fails(FULL)) return SQLITE_FULL;
  if (fails(SHORT_WRITE)) {
    REAL(file)->pMethods->xWrite(REAL(file), from, length / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  return REAL(file)->pMethods->xWrite(REAL(file), from, length, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return fails(TRUNCATE) ? SQLITE_IOERR_TRUNCATE : REAL(file)->pMethods->xTruncate(REAL(file), size);
}

/* The real one would only take time: nothing is switched off here. */
static int shim_sync(sqlite3_file *file, int flags) {
  (void)flags;
  if (!fail_at || failing != SYNC) set_unsynced(file, 0);
  sync_count += (unsigned long)((shim_file *)file)->lasts;
  return fails(SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int shim_lock(sqlite3_file *file, int lock) {
  return REAL(file)->pMethods->xLock(REAL(file), lock);
}

static int shim_unlock(sqlite3_file *file, int lock) {
  return REAL(file)->pMethods->xUnlock(REAL(file), lock);
}

static int shim_reserved(sqlite3_file *file, int *out) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), out);
}

static int shim_control(sqlite3_file *file, int op, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), op, argument);
}

static int shim_sector(sqlite3_file *file) {
  return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int shim_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int shim_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  if (fails(MAP)) return SQLITE_IOERR_SHMMAP;
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, out);
}

static int shim_map_lock(sqlite3_file *file, int offset, int n, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
}

static void shim_barrier(sqlite3_file *file) {
  REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int shim_unmap(sqlite3_file *file, int delete) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

static const sqlite3_io_methods shim_methods = {
    2,           shim_close,    shim_read,    shim_write,  shim_truncate,        shim_sync, shim_size,     shim_lock,
    shim_unlock, shim_reserved, shim_control, shim_sector, shim_characteristics, shim_map,  shim_map_lock, shim_barrier,
    shim_unmap,  NULL,          NULL};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  file->pMethods = NULL;
  ((shim_file *)file)->lasts = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
  ((shim_file *)file)->unsynced = 0;
  REAL(file) = (sqlite3_file *)((shim_file *)file + 1);
  if (fails(OPEN)) return SQLITE_CANTOPEN;
  int code = real_vfs->xOpen(real_vfs, name, REAL(file), flags, out);
  if (code == SQLITE_OK) file->pMethods = &shim_methods;
  return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  return fails(DELETE) ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync);
}

static void use_shim(void) {
  real_vfs = sqlite3_vfs_find(NULL);
  shim_vfs = *real_vfs;
  shim_vfs.zName = "failing";
  shim_vfs.szOsFile = (int)sizeof(shim_file) + real_vfs->szOsFile;
  shim_vfs.xOpen = shim_open;
  shim_vfs.xDelete = shim_delete;
  shim_vfs.pNext = NULL;
  CHECK(sqlite3_vfs_register(&shim_vfs, 1) == SQLITE_OK);
}

#endif
