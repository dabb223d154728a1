#include "store/lock_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TICKETS = sizeof(int64_t) }; /* where the bytes of the tickets begin; what is before them is the number */
#define TICKET_MOST (INT64_C(1) << 62)

static int is_taken(int code) {
  return code == EAGAIN || code == EACCES;
}

int study_queue_is_waiting(const char *name) {
  int file = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return 0;
  int64_t found = study_find_locked(file, TICKETS, 0);
  close(file);
  return found >= 0;
}

/* The number in the file becomes the ticket, and the next one the number. */
static int take_ticket(study_queue *queue) {
  int file = queue->held.file, code;
  int64_t ticket = 0, next;
  if (pread(file, &ticket, sizeof ticket, 0) != sizeof ticket || ticket < 0 || ticket > TICKET_MOST) ticket = 0;
  while (is_taken(code = study_lock_bytes(file, F_WRLCK, TICKETS + ticket, 1)))
    ticket++; /* the number was tampered with */
  next = ticket + 1;
  if (code || pwrite(file, &next, sizeof next, 0) != sizeof next) return -1;
  queue->ticket = ticket;
  return 1;
}

int study_queue_join(study_queue *queue, const char *name) {
  if (study_hold(&queue->held, name, O_RDWR | O_CREAT | O_NOFOLLOW) != 0) return -1;
  int code = study_lock_bytes(queue->held.file, F_WRLCK, 0, TICKETS);
  int joined = code ? (is_taken(code) ? 0 : -1) : take_ticket(queue);
  if (joined > 0)
    study_lock_bytes(queue->held.file, F_UNLCK, 0, TICKETS);
  else
    study_let_go(&queue->held);
  return joined;
}

int64_t study_queue_behind(const study_queue *queue) {
  if (queue->held.file < 0 || !queue->ticket) return 0; /* a length of 0 would mean: up to the end */
  int64_t found = study_find_locked(queue->held.file, TICKETS, queue->ticket);
  return found < 0 ? 0 : TICKETS + queue->ticket - found;
}

void study_queue_leave(study_queue *queue) {
  study_let_go(&queue->held);
}
