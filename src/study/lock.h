/* One writer at a time: a lock on a file beside the study, held as long as a handle writes.  SQLite has locks
 * of its own, but two writers in WAL mode must not even have the file open at once: versions before 3.51.3
 * can damage it then. */
#ifndef SCANT_STUDY_LOCK_H
#define SCANT_STUDY_LOCK_H

#include "scant.h"

/* Locks a study by a file beside it, whose name does not depend on links that lead to the study; it goes away with
 * the process, which is *owner.  *made is the name of that file if it was made now, for the caller to free, else NULL.
 * SCANT_BUSY: it is locked, also by this process. */
scant_status study_lock(int *lock, long *owner, char **made, const char *path, scant_error *error);
/* -1: nothing.  A child that the owner forked closes it for itself alone. */
void study_unlock(int lock, long owner);

/* Makes the names in the folder of this file durable, where that can be done. */
void study_sync_folder(const char *path);

#endif
