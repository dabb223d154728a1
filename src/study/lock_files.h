/* Files that are open for the sake of a lock.  Locks of this kind belong to the open file, and a child that is forked
 * has it open, too: it would keep the lock when its parent is gone.  So children close these files as soon as they
 * are. */
#ifndef SCANT_STUDY_LOCK_FILES_H
#define SCANT_STUDY_LOCK_FILES_H

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

#endif
