/* Filling the caller's scant_error. */
#ifndef SCANT_CORE_ERROR_H
#define SCANT_CORE_ERROR_H

#include "scant.h"

/* Writes the sentence (if error is not NULL) and returns `status`, so that a
 * failure is one line: return scant_fail(error, SCANT_DATA, "...", ...); */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
scant_status scant_fail(scant_error *error, scant_status status, const char *format, ...);

/* Hands a failure on to the caller. */
#define SCANT_TRY(call)                              \
  do {                                               \
    scant_status scant_try_status = (call);          \
    if (scant_try_status != SCANT_OK) return scant_try_status; \
  } while (0)

/* The same for an allocation that failed. */
scant_status scant_fail_memory(scant_error *error);

#endif
