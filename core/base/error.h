/* Filling the caller's scant_error. */
#ifndef SCANT_CORE_ERROR_H
#define SCANT_CORE_ERROR_H

#include "base/shared.h"
#include "scant.h"

/* Writes the sentence, if error is not NULL. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
SCANT_SHARED void
scant_error_write(scant_error *error, const char *format, ...);

/* Writes the sentence and has the value `status`, so that a failure is one line:
 *   return scant_fail(error, SCANT_DATA, "...", ...);
 * A macro, so that compilers and analysers see which status comes back. */
#define scant_fail(error, status, ...) (scant_error_write((error), __VA_ARGS__), (scant_status)(status))

/* Hands a failure on to the caller. */
#define SCANT_TRY(call)                                        \
  do {                                                         \
    scant_status scant_try_status = (call);                    \
    if (scant_try_status != SCANT_OK) return scant_try_status; \
  } while (0)

/* The same for an allocation that failed. */
#define scant_fail_memory(error) scant_fail((error), SCANT_MEMORY, "out of memory")

#endif
