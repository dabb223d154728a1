/* Which build this is. */
#include "study/study.h"

/* The last bits of a learner may depend on these. */
const char *study_build(void) {
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif
#if defined(__GLIBC__)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define LIBRARY ", glibc " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)
#else
#define LIBRARY ""
#endif
  return "scant " SCANT_VERSION ", " COMPILER LIBRARY;
}
