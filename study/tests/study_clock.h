/* The clock that those who wait for a study look at, in place of the real one (clock_gettime and nanosleep are
 * wrapped). */
#ifndef SCANT_TESTS_STUDY_CLOCK_H
#define SCANT_TESTS_STUDY_CLOCK_H

#include <time.h>

static enum {
  CLOCK_REAL,
  CLOCK_STILL,  /* no time passes, so nobody waits for too long */
  CLOCK_SLEEPS, /* only sleeping takes time, and none of ours: a wait takes as long as it was told to */
} study_clock;
static struct timespec study_time;

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __real_nanosleep(const struct timespec *moment, struct timespec *left);
int __wrap_nanosleep(const struct timespec *moment, struct timespec *left);

int __wrap_clock_gettime(clockid_t id, struct timespec *time) {
  if (study_clock == CLOCK_REAL) return __real_clock_gettime(id, time);
  *time = study_time;
  return 0;
}

int __wrap_nanosleep(const struct timespec *moment, struct timespec *left) {
  if (study_clock != CLOCK_SLEEPS) return __real_nanosleep(moment, left);
  study_time.tv_sec += moment->tv_sec;
  study_time.tv_nsec += moment->tv_nsec ? moment->tv_nsec : 1;
  study_time.tv_sec += study_time.tv_nsec / 1000000000;
  study_time.tv_nsec %= 1000000000;
  return 0;
}

#endif
