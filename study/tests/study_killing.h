/* A child that says what it has done, and is killed at a random moment. */
#ifndef SCANT_TESTS_STUDY_KILLING_H
#define SCANT_TESTS_STUDY_KILLING_H

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "study_support.h"

typedef struct {
  uint32_t example, stage;
} ack;

static inline void acknowledge(int to, uint32_t example, unsigned stage) {
  ack message = {example, stage};
  if (write(to, &message, sizeof message) != (ssize_t)sizeof message) _exit(3);
}

/* How often: as SCANT_STUDY_KILLS says. */
static inline int begin_killing(int often) {
  const char *wanted = getenv("SCANT_STUDY_KILLS");
  test_state = (uint64_t)getpid() * 0x9e3779b97f4a7c15u | 1; /* another time, other moments */
  return wanted ? atoi(wanted) : often;
}

/* Runs `child` until it has acknowledged so many steps and a moment more; the rest of what it wrote is read when it is
 * dead.  Gives how many it acknowledged; *code is -1 if it was killed. */
static inline int kill_once(void (*child)(int to), void (*note)(const ack *message), int wait_for, long most,
                            int *code) {
  int ends[2], got = 0;
  ack message;
  if (!CHECK(pipe(ends) == 0)) return 0;
  fflush(stdout);
  pid_t id = fork();
  if (id == 0) {
    close(ends[0]);
    child(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  while (got < wait_for && read(ends[0], &message, sizeof message) == (ssize_t)sizeof message) note(&message), got++;
  struct timespec moment = {0, (long)test_below((size_t)most)};
  nanosleep(&moment, NULL);
  kill(id, SIGKILL);
  int status = 0;
  waitpid(id, &status, 0);
  while (read(ends[0], &message, sizeof message) == (ssize_t)sizeof message) note(&message), got++;
  close(ends[0]);
  *code = WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
  return got;
}

#endif
