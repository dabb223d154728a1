/* Out of memory: the 1st, 2nd, ... n-th allocation fails, once and from there
 * on.  Every call fails cleanly with SCANT_MEMORY or does its work all the same;
 * nothing leaks (as a sanitizer sees); a second try gives the same bits.  Link
 * with allocations.c (see there). */
#ifndef SCANT_TESTS_FAIL_EACH_H
#define SCANT_TESTS_FAIL_EACH_H

#include "allocations.h"
#include "base/text.h"
#include "files.h"
#include "support.h"

enum { MOST_ALLOCATIONS = 5000 };

static scant_error error;      /* where a run puts its sentence */
static unsigned long failures; /* that the run so far met */
static uint64_t outcome;       /* a digest of what it made */

/* To be called before a run looks at what it made. */
static inline void stop_failing(void) {
  failures += allocations_failed();
  allocations_reset();
}

static inline void note(const void *bytes, size_t length) {
  outcome = scant_hash(outcome, bytes, length);
}

static inline void note_text(char *text) {
  note(text, strlen(text));
  free(text);
}

/* Files of ours that are still open or mapped, where the system tells: leaks
 * that a sanitizer does not see. */
static inline int files_held(void) {
  char line[1024];
  int count = 0, next = dup(0);
  static int first = -1;
  if (next >= 0) close(next);
  if (first < 0) first = next; /* the lowest number that is free, as it was at first */
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) count += strstr(line, files_directory) != NULL;
  if (maps) fclose(maps);
  return count + (next - first);
}

typedef scant_status (*attempt)(void);

static inline scant_status run_once(attempt run, unsigned long n, int forever) {
  failures = 0;
  outcome = SCANT_HASH_START;
  error.text[0] = 0;
  allocations_fail(n, forever);
  scant_status status = run();
  stop_failing();
  CHECK(files_held() == 0);
  return status;
}

/* Runs with every single allocation failing, until none is left to fail. */
static inline void fail_each(const char *name, attempt run) {
  if (!CHECK(run_once(run, 0, 0) == SCANT_OK)) printf("#   %s: %s\n", name, error.text);
  uint64_t wanted = outcome;
  for (int forever = 0; forever < 2; forever++) {
    unsigned long n = 1;
    for (; n < MOST_ALLOCATIONS; n++) {
      scant_status status = run_once(run, n, forever);
      if (!failures) {
        CHECK(status == SCANT_OK && outcome == wanted);
        break;
      }
      /* Without some memory it may go on all the same; then it must be right. */
      int good = status == SCANT_MEMORY ? strstr(error.text, "out of memory") != NULL
                                        : status == SCANT_OK && outcome == wanted;
      if (!CHECK(good))
        printf("#   %s, allocation %lu%s: status %d: %s\n", name, n, forever ? " on" : "", status, error.text);
    }
    CHECK(n > 1 && n < MOST_ALLOCATIONS);
  }
}

#endif
