/* One writer at a time: a lock on a file beside the study, held as long as a handle writes, or for a call.  SQLite has
 * locks of its own, but two handles in WAL mode must not write or copy the log back at the same moment: versions before
 * 3.51.3 can damage the file then. */
#ifndef SCANT_STUDY_LOCK_H
#define SCANT_STUDY_LOCK_H

#include "scant_study.h"
#include "store/lock_files.h"

/* Locks a study by a file beside it, whose name does not depend on links that lead to the study; the lock goes away
 * with the process, and children do not keep it.  Those that wait (NULL: this one does not) get it in the order in
 * which they came.  *made is the name of that file if it was made now, for the caller to free, else NULL.  SCANT_BUSY:
 * it is locked, also by this process, or others wait for it. */
scant_status study_lock(study_held *lock, char **made, const char *path, const scant_study_wait *wait,
                        scant_error *error);
void study_unlock(study_held *lock);
/* The name of that file, for the caller to free. */
scant_status study_lock_name(const char *path, char **name, scant_error *error);

/* Makes the names in the folder of this file durable, where that can be done. */
void study_sync_folder(const char *path);

#endif
