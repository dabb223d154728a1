#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_ROW 16
#define STRIDE 256 /* examples between two readings of the clock */

double progress_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(progress *p, int quiet, int with_test) {
  *p = (progress){.quiet = quiet, .terminal = isatty(2), .with_test = with_test, .next = FIRST_ROW, .risk = NAN};
  p->started = p->shown = progress_clock();
}

uint64_t progress_stride(const progress *p, uint64_t examples) {
  if (p->quiet || p->terminal) return STRIDE;
  return p->next > examples ? p->next - examples : 1;
}

int progress_due(const progress *p, uint64_t examples, int done) {
  return !p->quiet && !p->terminal && (examples >= p->next || (done && examples != p->last));
}

void progress_clear(const progress *p) {
  if (!p->quiet && p->terminal) fputs("\r\033[K", stderr);
}

static void show_line(progress *p, const scant_ledger *ledger, const scant_learner_facts *facts, uint64_t horizon,
                      int done) {
  double now = progress_clock();
  if (!done && now - p->shown < 0.1) return;
  p->shown = now;
  double share = done || !horizon ? 1 : (double)ledger->examples / (double)horizon, spent = now - p->started;
  fprintf(stderr, "\r%3.0f%%  %llu examples  %llu attributes  ", fmin(100, 100 * share),
          (unsigned long long)ledger->examples, (unsigned long long)ledger->attributes_bought);
  if (isfinite(facts->risk)) fprintf(stderr, "risk %.4g ", facts->risk);
  if (isfinite(facts->risk_error)) fprintf(stderr, "+- %.2g ", facts->risk_error);
  if (isfinite(facts->risk)) fputc(' ', stderr);
  if (isfinite(facts->likelihood)) fprintf(stderr, "likelihood %.6g  ", facts->likelihood);
  if (!done && share > 0 && share < 1) fprintf(stderr, "%.0f s left ", ceil(spent * (1 - share) / share));
  fprintf(stderr, "\033[K");
  if (done) fputc('\n', stderr);
}

/* SCANT_TEST_STOP_AT=TEXT stops the process once, behind the first line with this text: tests send a signal there. */
static void stop_for_tests(const char *line) {
  static int stopped;
  const char *text = getenv("SCANT_TEST_STOP_AT");
  if (stopped || !text || !strstr(line, text)) return;
  stopped = 1;
  raise(SIGSTOP);
}

/* Whatever is new is shown at once, and steps ten times per second. */
void progress_think(progress *p, const scant_thought *thought) {
  const scant_thought *t = thought, *last = &p->thought;
  if (p->quiet || !p->terminal) return;
  double now = progress_clock();
  int anew = !last->algorithm || t->group != last->group || t->reading != last->reading || t->prior != last->prior ||
             t->steps < last->steps;
  if (!anew && now - p->shown < 0.1) return;
  p->shown = now;
  p->thought = *t;
  char line[200], work[100] = "fitting all examples";
  if (t->prior) snprintf(work, sizeof work, "weighing priors, %u of %u", t->prior, t->priors);
  if (t->group) snprintf(work, sizeof work, "errors, without group %u of %u", t->group, t->groups);
  int length = snprintf(line, sizeof line, "%s%s: %s", t->algorithm, t->reading ? "" : ", for its next looks", work);
  if (!t->group) snprintf(line + length, sizeof line - (size_t)length, ", step %llu", (unsigned long long)t->steps);
  fprintf(stderr, "\r%s \033[K", line);
  stop_for_tests(line);
}

void progress_show(progress *p, const scant_ledger *ledger, const scant_learner_facts *facts, uint64_t horizon,
                   double test_error, int done) {
  if (p->quiet) return;
  if (p->terminal) {
    show_line(p, ledger, facts, horizon, done);
    return;
  }
  /* an algorithm that learned it only at the end has its last row again */
  int renewed = done && isfinite(facts->risk) && facts->risk != p->risk;
  if (!renewed && !progress_due(p, ledger->examples, done)) return;
  p->risk = facts->risk;
  if (p->next == FIRST_ROW)
    fprintf(stderr, "%12s %16s %12s %10s%s\n", "examples", "attributes", "risk", "+-",
            p->with_test ? "   test_error" : "");
  p->last = ledger->examples;
  while (p->next <= ledger->examples) p->next *= 2;
  fprintf(stderr, "%12llu %16llu", (unsigned long long)ledger->examples, (unsigned long long)ledger->attributes_bought);
  /* an unknown risk is a dash; beside a risk without a standard error the column stays empty */
  if (isfinite(facts->risk_error))
    fprintf(stderr, " %12.6g %10.2g", facts->risk, facts->risk_error);
  else if (isfinite(facts->risk))
    fprintf(stderr, p->with_test ? " %12.6g %10s" : " %12.6g", facts->risk, "");
  else
    fprintf(stderr, " %12s %10s", "-", "-");
  if (p->with_test) fprintf(stderr, " %12.6g", test_error);
  fputc('\n', stderr);
}

/* ---- work that has many parts ---- */

bar bar_start(const arguments *a) {
  return (bar){progress_clock(), !a->own.quiet && isatty(2)};
}

void bar_show(void *user, double share) {
  const bar *b = user;
  if (!b->shown) return;
  double spent = progress_clock() - b->started;
  char full[41];
  int width = (int)(40 * share);
  memset(full, '#', (size_t)width);
  full[width] = 0;
  fprintf(stderr, "\r[%-40s] %3.0f%%  %.0f s left \033[K", full, 100 * share, ceil(spent * (1 - share) / share));
  if (share >= 1) fputc('\n', stderr);
}
