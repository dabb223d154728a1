/* What algorithms are compared with: the loops of the limit, AERR as a textbook would write it, and the peer, another
 * program that times itself and answers each line with a line. */
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
#include "numbers.h"
#include "scant_base.h"

double bench_loop(const bench_range *rows, size_t k, uint64_t *random) {
  uint64_t state = *random; /* in a register */
  uint32_t d = (uint32_t)rows->d;
  double sum = 0;
  for (size_t t = rows->first; t < rows->last; t++) {
    const double *x = rows->x + t * rows->d;
    for (size_t r = 0; r < k; r++) sum += x[random_draw(&state, d)];
  }
  *random = state;
  return sum;
}

static void draw_row(const double *x, size_t k, uint32_t d, uint64_t *state, uint32_t *index) {
  for (size_t r = 0; r < k; r++) {
    index[r] = random_draw(state, d);
    __builtin_prefetch(x + index[r]);
  }
}

/* The indices of rows that are being prefetched are in a ring: as many rows as
 * have BENCH_AHEAD looks together, and at least one. */
double bench_prefetch(const bench_range *rows, size_t k, uint64_t *random, uint32_t *ahead) {
  uint64_t state = *random;
  uint32_t d = (uint32_t)rows->d;
  size_t lead = k < BENCH_AHEAD ? BENCH_AHEAD / k : 1, count = rows->last - rows->first, place = 0;
  if (lead > count) lead = count;
  const double *x = rows->x + rows->first * rows->d;
  for (size_t t = 0; t < lead; t++) draw_row(x + t * rows->d, k, d, &state, ahead + t * k);
  double sum = 0;
  for (size_t t = 0; t < count; t++, x += rows->d) {
    uint32_t *index = ahead + place * k;
    for (size_t r = 0; r < k; r++) sum += x[index[r]];
    if (t + lead < count) draw_row(x + lead * rows->d, k, d, &state, index);
    if (++place == lead) place = 0;
  }
  *random = state;
  return sum;
}

static double norm_of(const double *w, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += w[i] * w[i];
  return sqrt(sum);
}

/* Draws an index with probability w^2 / square, where `square` is the sum of w^2. */
static size_t draw_by_weight(const double *w, size_t d, double square, uint64_t *random) {
  double u = random_unit(random) * square;
  size_t last = 0; /* rounding must not choose a weight of zero */
  for (size_t i = 0; i < d; i++) {
    if (w[i] == 0) continue;
    last = i;
    if (u < w[i] * w[i]) break;
    u -= w[i] * w[i];
  }
  return last;
}

void bench_dense_aerr(bench_dense *state, const bench_range *rows, size_t k, uint64_t *random) {
  double *w = state->w, *mean = state->mean, *g = state->g;
  size_t d = rows->d;
  for (size_t t = rows->first; t < rows->last; t++) {
    const double *x = rows->x + t * d;
    double norm = norm_of(w, d), square = norm * norm, phi = -rows->y[t], count = (double)++state->before;
    for (size_t i = 0; i < d; i++) mean[i] += (w[i] - mean[i]) / count;
    memset(g, 0, d * sizeof *g);
    for (size_t r = 0; r + 1 < k; r++) {
      uint32_t i = random_draw(random, (uint32_t)d);
      g[i] += (double)d / (double)(k - 1) * x[i];
    }
    if (square > 0) {
      size_t j = draw_by_weight(w, d, square, random);
      phi += square * x[j] / w[j];
    }
    for (size_t i = 0; i < d; i++) w[i] -= state->eta * phi * g[i];
    norm = norm_of(w, d);
    for (size_t i = 0; norm > state->radius && i < d; i++) w[i] *= state->radius / norm;
  }
}

/* ---- the peer ------------------------------------------------------------------ */

/* Reads a line without its end; 0 and an empty line if the peer ended or its line is too long. */
static int read_line(const bench_peer *p, char *text, size_t size) {
  for (size_t length = 0; length < size && read(p->line, &text[length], 1) == 1; length++) {
    if (text[length] != '\n') continue;
    text[length] = 0;
    return 1;
  }
  text[0] = 0;
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
