/* Files that are open for the sake of a lock.  Locks of this kind belong to the open file, and a child that is forked
 * has it open, too: it would keep the lock when its parent is gone.  So children close these files as soon as they
 * are. */
#ifndef SCANT_STUDY_LOCK_FILES_H
#define SCANT_STUDY_LOCK_FILES_H

#include <stdint.h>

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

/* Locks of bytes, which may lie behind the end of the file.  They belong to the open file, and whether there is one can
 * be seen without taking it.  `type` is F_WRLCK or F_UNLCK; 0, or what errno would be (ENOSYS: there are none here). */
int study_lock_bytes(int file, int type, int64_t start, int64_t length);
/* The first byte of a lock of another one in this range (length 0: to the end); -1: there is none. */
int64_t study_find_locked(int file, int64_t start, int64_t length);

#endif
