#define _GNU_SOURCE /* F_OFD_SETLK: locks that belong to the open file, not to the process */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "study.h"

/* All that are open in this process.  The mutex is held while it forks, so that the child finds the list whole. */
static study_held *first;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int refused; /* by pthread_atfork: what errno would be */

static void before_fork(void) {
  pthread_mutex_lock(&mutex);
}

static void in_parent(void) {
  pthread_mutex_unlock(&mutex);
}

static void in_child(void) {
  for (study_held *held = first; held; held = held->next) {
    close(held->file);
    held->file = -1;
  }
  first = NULL;
  pthread_mutex_unlock(&mutex);
}

static void watch_forks(void) {
  refused = pthread_atfork(before_fork, in_parent, in_child);
}

int study_hold(study_held *held, const char *name, int flags) {
  held->file = -1;
  pthread_once(&once, watch_forks);
  if (refused) return refused;
  pthread_mutex_lock(&mutex); /* nobody forks between opening and noting it */
  held->file = open(name, flags | O_CLOEXEC, 0600);
  int code = held->file < 0 ? errno : 0;
  if (!code) {
    held->next = first;
    first = held;
  }
  pthread_mutex_unlock(&mutex);
  return code;
}

void study_let_go(study_held *held) {
  if (held->file < 0) return;
  pthread_mutex_lock(&mutex);
  for (study_held **at = &first; *at; at = &(*at)->next) {
    if (*at != held) continue;
    *at = held->next;
    break;
  }
  close(held->file);
  held->file = -1;
  pthread_mutex_unlock(&mutex);
}

#ifdef F_OFD_SETLK

int study_lock_bytes(int file, int type, int64_t start, int64_t length) {
  struct flock lock = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  return fcntl(file, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

int64_t study_find_locked(int file, int64_t start, int64_t length) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  if (fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return -1;
  return lock.l_start;
}

#else

int study_lock_bytes(int file, int type, int64_t start, int64_t length) {
  (void)file, (void)type, (void)start, (void)length;
  return ENOSYS;
}

int64_t study_find_locked(int file, int64_t start, int64_t length) {
  (void)file, (void)start, (void)length;
  return -1;
}

#endif

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
