#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "study.h"

/* ---- announcements ----------------------------------------------------------------- */

/* Whoever is refused since a handle writes is told where to go instead.  The text is in the lock file, which outlives a
 * process that is killed.  So it counts only while a byte far behind it is locked, and whoever takes the lock cuts it.
 */

enum { WHERE = 500 };
#define MARK (INT64_C(1) << 62) /* the byte */

/* Is this a text to show to people? */
static int is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return 0;
  return length > 0 && scant_text_is_utf8(text, length);
}

static void cut_announcement(int file) {
  struct stat facts;
  /* what can't be cut is only words */
  if (fstat(file, &facts) == 0 && facts.st_size > 0 && ftruncate(file, 0) != 0) return;
}

static int open_lock(const char *lock) {
  return open(lock, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void read_from(int file, char where[WHERE]) {
  ssize_t length = pread(file, where, WHERE - 1, 0);
  where[length > 0 ? length : 0] = 0;
  if (!is_plain(where, strlen(where))) *where = 0;
}

static void read_announcement(const char *lock, char where[WHERE]) {
  int file = open_lock(lock);
  *where = 0;
  if (file < 0) return;
  read_from(file, where);
  close(file);
}

enum { TRIES_MOST = 1000 };

/* Seconds.  The first of the queue tries at least every LONGEST, so a lock that is free for GRACE will not be taken by
 * it: it is stopped, or its computer sleeps. */
#define SHORTEST .0005
#define LONGEST .05
#define GRACE .1
#define STUCK 1.0

/* The names of one study's files, and who wants to lock it. */
typedef struct {
  const char *path;
  char *lock, *queue;
  const scant_study_wait *wait; /* NULL: it does not wait */
  study_held *held;
  int made;
} client;

/* Is the file still the one of this name? */
static int is_named(int file, const char *name) {
  struct stat here, there;
  return fstat(file, &here) == 0 && stat(name, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

static scant_status refuse_file(const char *name, int code, scant_error *error) {
  if (code == ELOOP)
    return scant_fail(error, SCANT_IO, "'%.300s' is a link, and a lock must be a file: remove it", name);
  if (code == ENOSPC || code == EDQUOT)
    return scant_fail(error, SCANT_IO, "can't write '%.300s': the disk is full", name);
  return scant_fail(error, SCANT_IO, "can't write '%.300s': %s", name, strerror(code));
}

/* SCANT_BUSY, without a sentence: another one has it. */
static scant_status take(client *c, scant_error *error) {
  for (int tries = 0; tries < TRIES_MOST; tries++) {
    int code = study_hold(c->held, c->lock, O_RDWR | O_CREAT | O_EXCL);
    c->made |= code == 0;
    if (code == EEXIST) code = study_hold(c->held, c->lock, O_RDWR | O_NOFOLLOW);
    if (code == ENOENT) continue; /* it has just gone away */
    if (code == ENOMEM) return scant_fail_memory(error);
    if (code) return refuse_file(c->lock, code, error);
    code = flock(c->held->file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (!code && is_named(c->held->file, c->lock)) {
      cut_announcement(c->held->file); /* of one that was killed */
      return SCANT_OK;
    }
    study_let_go(c->held);
    if (code == EWOULDBLOCK) return SCANT_BUSY;
    if (code && code != EINTR) return scant_fail(error, SCANT_IO, "can't lock '%.300s': %s", c->lock, strerror(code));
  }
  return SCANT_BUSY;
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 1: a signal came. */
static int sleep_for(double seconds) {
  time_t whole = (time_t)seconds;
  struct timespec t = {whole, (long)(1e9 * (seconds - (double)whole))};
  return nanosleep(&t, NULL) != 0;
}

/* The lock for one that is not the first of the queue: only if the first does not take it though it is free. */
static scant_status overtake(client *c, scant_error *error) {
  scant_status status = take(c, error);
  if (status != SCANT_OK) return status;
  study_unlock(c->held);
  sleep_for(GRACE);
  return take(c, error);
}

static scant_status refuse(const client *c, double waited, const char *why, scant_error *error) {
  char where[WHERE], time[60] = "";
  read_announcement(c->lock, where);
  int waits = c->wait && c->wait->seconds > 0;
  if (waits) snprintf(time, sizeof time, " (waited %.3g seconds)", waited);
  if (*where)
    return scant_fail(error, SCANT_BUSY, "'%.200s' is being served at %.200s: use that address, or end the service%s",
                      c->path, where, time);
  if (!waits)
    return scant_fail(
        error, SCANT_BUSY,
        "'%.300s' is being written to by another one: try again later, or with option wait (nothing was done)",
        c->path);
  return scant_fail(error, SCANT_BUSY, "'%.300s' is being written to by another one: waited %.3g seconds%s", c->path,
                    waited, why);
}

/* How long to sleep: those far behind need not look often, and neither need the first if the lock is held for long. */
static double pause_for(int64_t behind, double since) {
  double pause = behind ? (double)behind * 2 * SHORTEST : since / 20;
  return pause < SHORTEST ? SHORTEST : pause > LONGEST ? LONGEST : pause;
}

/* Waits until it has the lock, the time is over, or it is told to stop. */
static scant_status wait_for(client *c, study_queue *queue, scant_error *error) {
  double start = seconds_now(), now = start, since = start, asked = start;
  int64_t behind, before = -1;
  int joined = 0, signal = 0;
  for (;;) {
    if (!joined) joined = study_queue_join(queue, c->queue);
    behind = joined ? study_queue_behind(queue) : 1;
    if (behind != before) since = now;
    before = behind;
    scant_status status = !behind ? take(c, error) : now - since > STUCK ? overtake(c, error) : SCANT_BUSY;
    if (status != SCANT_BUSY) return status;
    now = seconds_now();
    if (now - start >= c->wait->seconds) return refuse(c, now - start, "; try again later (nothing was done)", error);
    if (c->wait->stop && (signal || now - asked > GRACE)) {
      asked = now;
      if (c->wait->stop(c->wait->user)) return refuse(c, now - start, ", and was told to stop", error);
    }
    double left = c->wait->seconds - (now - start), pause = pause_for(behind, now - since);
    signal = sleep_for(pause < left ? pause : left);
    now = seconds_now();
  }
}

static scant_status lock(client *c, scant_error *error) {
  int queued = study_queue_is_waiting(c->queue), waits = c->wait && c->wait->seconds > 0;
  scant_status status = !queued ? take(c, error) : waits ? SCANT_BUSY : overtake(c, error);
  if (status != SCANT_BUSY) return status;
  if (!waits) return refuse(c, 0, "", error);
  study_queue queue = {.held = STUDY_HELD_NONE};
  status = wait_for(c, &queue, error);
  study_let_go(&queue.held);
  return status;
}

scant_status study_lock(study_held *held, char **made, const char *path, const scant_study_wait *wait,
                        scant_error *error) {
  char *real;
  *made = NULL;
  if (wait && !(wait->seconds >= 0)) return scant_fail(error, SCANT_USAGE, "wait is a number of seconds, 0 or more");
  SCANT_TRY(study_find_real(path, &real, error));
  client c = {
      path, study_join(real, study_side_ends[STUDY_LOCK]), study_join(real, study_side_ends[STUDY_QUEUE]), wait, held,
      0};
  free(real);
  scant_status status = c.lock && c.queue ? lock(&c, error) : scant_fail_memory(error);
  if (status == SCANT_OK && c.made) {
    *made = c.lock;
    c.lock = NULL;
  }
  free(c.lock);
  free(c.queue);
  return status;
}

void study_unlock(study_held *held) {
  if (held->file >= 0) cut_announcement(held->file);
  if (held->file >= 0) flock(held->file, LOCK_UN); /* a child that was not forked but cloned holds it open, too */
  study_let_go(held);
}

/* ---- announcing ---------------------------------------------------------------------- */
scant_status scant_study_find_service(const char *path, char *where, size_t size, scant_error *error) {
  char text[WHERE] = "", *real;
  if (size) *where = 0;
  SCANT_TRY(study_check_path(path, SCANT_STUDY_READ, error));
  SCANT_TRY(study_find_real(path, &real, error));
  char *lock = study_join(real, study_side_ends[STUDY_LOCK]);
  free(real);
  if (!lock) return scant_fail_memory(error);
  int file = open_lock(lock);
  free(lock);
  if (file < 0) return SCANT_OK; /* there is none, or it is somebody else's: then nothing is known of a service */
  read_from(file, text);
  /* Whether the lock of the file is held can only be known by taking it, which would keep others from writing.  So the
   * one that announces something locks a byte, too, and that can be seen. */
  if (study_find_locked(file, MARK, 1) < 0) *text = 0; /* it was left behind */
  close(file);
  if (strlen(text) >= size) return scant_fail(error, SCANT_USAGE, "the address of the service needs more room");
  memcpy(where, text, strlen(text) + 1);
  return SCANT_OK;
}

scant_status scant_study_announce(scant_study *s, const char *where, scant_error *error) {
  SCANT_TRY(study_check_process(s, error));
  if (where && (strlen(where) >= WHERE || !is_plain(where, strlen(where))))
    return scant_fail(error, SCANT_USAGE, "an announcement is 1 to %d bytes of UTF-8 without control characters",
                      WHERE - 1);
  if (s->mode != SCANT_STUDY_WRITE || s->lock.file < 0)
    return scant_fail(error, SCANT_MISUSE, "only a handle that keeps others from writing announces something");
  cut_announcement(s->lock.file);
  study_lock_bytes(s->lock.file, where ? F_WRLCK : F_UNLCK, MARK, 1); /* where there are none, nobody is told */
  if (!where) return SCANT_OK;
  ssize_t length = (ssize_t)strlen(where), written = pwrite(s->lock.file, where, (size_t)length, 0);
  if (written == length) return SCANT_OK;
  int code = written < 0 ? errno : ENOSPC;
  cut_announcement(s->lock.file);
  return scant_fail(error, SCANT_IO, "can't write to the lock file of '%.300s': %s", s->path, strerror(code));
}
