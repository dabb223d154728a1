/* Out of memory in engines: every run to which an allocation fails says so.  Link with allocations.c (see there). */
#ifndef SCANT_TESTS_FAIL_H
#define SCANT_TESTS_FAIL_H

#include "allocations.h"
#include "engine.h"

static scant_error error; /* where a run puts its sentence */
static uint64_t digest;   /* of what it made */

enum { FAIL_MOST = 50000 };

/* Runs with the n-th allocation failing for n = 1, 2, ... until none is left to fail; n grows by 1 + n / part, and
 * every fourth time all that follow fail, too.  Returns how many runs failed. */
static inline unsigned long fail_until_none(scant_status (*run)(void), unsigned long part) {
  CHECK(run() == SCANT_OK);
  uint64_t wanted = digest;
  unsigned long n = 1, tried = 0;
  for (; n < FAIL_MOST; n += 1 + n / part, tried++) {
    error.text[0] = 0;
    allocations_fail(n, tried % 4 == 3);
    scant_status status = run();
    unsigned long failed = allocations_failed();
    allocations_reset();
    if (!failed) break;
    CHECK(status == SCANT_MEMORY && strstr(error.text, "out of memory"));
  }
  CHECK(n < FAIL_MOST);
  CHECK(run() == SCANT_OK && digest == wanted);
  return tried;
}

#endif
