/* The peer: another program that times itself and answers each line with a line. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "base/error.h"

/* Reads a line without its end; 0 and an empty line if the peer ended or its line is too long. */
static int read_line(const bench_peer *p, char *line, size_t size) {
  for (size_t length = 0; length < size && read(p->line, &line[length], 1) == 1; length++) {
    if (line[length] != '\n') continue;
    line[length] = 0;
    return 1;
  }
  line[0] = 0;
  return 0;
}

/* The process group of the peer, for the signal handler. */
static volatile sig_atomic_t running;

void bench_peer_kill(void) {
  if (running > 0) kill(-(pid_t)running, SIGKILL);
}

/* The peer has its own process group, so that everything it started ends with it.  Signals are blocked until `running`
 * is set. */
static pid_t start_group(const int ends[2], const char *command) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    dup2(ends[1], 0);
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  if (process > 0) {
    setpgid(process, process); /* the parent and the child both do this; either may be first */
    running = (sig_atomic_t)process;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return process;
}

/* A pair of sockets serves both directions.  Writing to a pipe whose reader has ended would raise a signal; a socket
 * can be told not to. */
static scant_status start_process(bench_peer *p, const char *command, scant_error *error) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return scant_fail(error, SCANT_IO, "can't open a pair of sockets for the peer");
  p->process = start_group(ends, command);
  close(ends[1]);
  p->line = ends[0];
  if (p->process > 0) return SCANT_OK;
  close(ends[0]);
  return scant_fail(error, SCANT_IO, "can't start the peer");
}

scant_status bench_peer_start(bench_peer *p, const char *command, scant_error *error) {
  *p = (bench_peer){0};
  SCANT_TRY(start_process(p, command, error));
  if (read_line(p, p->name, sizeof p->name) && p->name[0]) return SCANT_OK;
  int ended = bench_peer_stop(p);
  if (WIFEXITED(ended) && WEXITSTATUS(ended))
    return scant_fail(error, SCANT_DATA, "the peer '%.200s' ended at once, with exit code %d", command,
                      WEXITSTATUS(ended));
  return scant_fail(error, SCANT_DATA, "the peer '%.200s' did not say its name in a line of at most %d characters",
                    command, BENCH_NAME - 1);
}

scant_status bench_peer_ask(const bench_peer *p, size_t d, size_t examples, double *nanoseconds, scant_error *error) {
  char text[64], *end;
  int length = snprintf(text, sizeof text, "%zu %zu\n", d, examples);
  int asked = send(p->line, text, (size_t)length, MSG_NOSIGNAL) == length;
  if (!asked || !read_line(p, text, sizeof text))
    return scant_fail(error, SCANT_DATA, "the peer %s ended without an answer for %zu examples with %zu attributes",
                      p->name, examples, d);
  *nanoseconds = strtod(text, &end);
  if (end == text || *end || !isfinite(*nanoseconds) || !(*nanoseconds > 0))
    return scant_fail(error, SCANT_DATA, "the peer %s answered '%s', which is not a number of nanoseconds", p->name,
                      text);
  return SCANT_OK;
}

/* Closing its input tells the peer to end. */
int bench_peer_stop(bench_peer *p) {
  int ended = 0;
  if (p->process <= 0) return 0;
  close(p->line);
  waitpid(p->process, &ended, 0);
  running = 0;
  p->process = 0;
  return ended;
}
