/* The queue of those that wait for the lock of a study: who came first is first.
 *
 * It is a file beside the study with the number of the next ticket in its first eight bytes.  Who waits holds a lock on
 * the byte of its ticket, and is first when no byte before that is locked.  The kernel lets such a lock go when a
 * process ends, however it ends, so nobody waits for one that is gone.  The queue makes waiting fair and nothing more:
 * where it can't be had, everybody tries for the lock itself. */
#ifndef SCANT_STUDY_QUEUE_H
#define SCANT_STUDY_QUEUE_H

#include <stdint.h>

#include "store/lock_files.h"

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
void study_queue_leave(study_queue *queue);

#endif
