/* One writer at a time: a lock on a file beside the study, held as long as a handle writes, or for a call.  SQLite has
 * locks of its own, but two handles in WAL mode must not write or copy the log back at the same moment: versions before
 * 3.51.3 can damage the file then. */
#ifndef SCANT_STUDY_LOCK_H
#define SCANT_STUDY_LOCK_H

#include "scant_study.h"

/* ---- lock_files.c: open files whose locks belong to them ---------------------------- */

/* A forked child has such a file open, too, and would keep the lock when its parent is gone: it closes it at once. */
typedef struct study_held {
  int file; /* -1: none, also in a child that was forked meanwhile */
  struct study_held *next;
} study_held;

#define STUDY_HELD_NONE \
  { .file = -1 }

/* Opens a file (with the mode 0600 if it is made), so that children do not keep it.  0, or what errno would be.  *held
 * must stay where it is until study_let_go. */
int study_hold(study_held *held, const char *name, int flags);
/* Closes it, if there is one. */
void study_let_go(study_held *held);

/* Locks of bytes, which may lie behind the end of the file; whether there is one can be seen without taking it.
 * `type` is F_WRLCK or F_UNLCK; 0, or what errno would be (ENOSYS: there are none here). */
int study_lock_bytes(int file, int type, int64_t start, int64_t length);
/* The first byte that another one has locked in this range (length 0: to the end); -1: there is none. */
int64_t study_find_locked(int file, int64_t start, int64_t length);

/* The queue of those that wait for the lock of a study: first come, first served.  It is a file beside the study with
 * the number of the next ticket in its first eight bytes.  A waiting handle holds a lock on the byte of its ticket, and
 * is first when no byte before that is locked.  The kernel drops such a lock when a process ends, however it ends, so
 * nobody waits for one that is gone.  The queue makes waiting fair and nothing more: where there can be none, everybody
 * tries for the lock itself. */
typedef struct study_queue {
  study_held held;
  int64_t ticket;
} study_queue;

/* Does anybody wait? */
int study_queue_is_waiting(const char *name);
/* Takes a ticket: 1.  0: not at the moment, since another one is just taking one.  -1: there is no queue here. */
int study_queue_join(study_queue *queue, const char *name);
/* How many places this one is behind the first, as far as that is known; 0: it is the first, or has no ticket. */
int64_t study_queue_behind(const study_queue *queue);

/* ---- lock.c ------------------------------------------------------------------------- */

/* Locks a study by a file beside it, whose name does not depend on links that lead to the study; the lock goes away
 * with the process, and children do not keep it.  Those that wait (NULL: this one does not) get it in the order in
 * which they came.  *made is the name of that file if it was made now, for the caller to free, else NULL.  SCANT_BUSY:
 * it is locked, also by this process, or others wait for it. */
scant_status study_lock(study_held *lock, char **made, const char *path, const scant_study_wait *wait,
                        scant_error *error);
void study_unlock(study_held *lock);

#endif
