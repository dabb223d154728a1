/* One writer at a time: a lock on a file beside the study, held as long as a handle
 * writes.  SQLite has locks of its own, but two writers in WAL mode must not even
 * meet: versions before 3.51.3 can damage the file then. */
#ifndef SCANT_STUDY_LOCK_H
#define SCANT_STUDY_LOCK_H

#include "scant.h"

/* Takes the lock of the study at `path`; SCANT_BUSY if another one has it. */
scant_status study_lock(int *lock, const char *path, scant_error *error);
void study_unlock(int lock); /* -1: nothing */

#endif
