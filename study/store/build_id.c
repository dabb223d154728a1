/* Which build this is. */
#include "store/build_id.h"

#include "scant_replay.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* What a learner draws depends on its generation; its last bits may depend on the rest. */
const char *study_build(void) {
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif
#if defined(__GLIBC__)
#define LIBRARY ", glibc " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)
#else
#define LIBRARY ""
#endif
  return "scant " SCANT_VERSION ", learners " TEXT(SCANT_LEARNER_GENERATION) ", " COMPILER LIBRARY;
}
