/* Studies that another build writes: the linker gives this function in place of the library's (`wrapped` in
 * core/tests/meson.build). */
#ifndef SCANT_TESTS_STUDY_OTHER_BUILD_H
#define SCANT_TESTS_STUDY_OTHER_BUILD_H

#include <stddef.h>

static const char *build = NULL; /* NULL: the real one */

const char *__real_study_build(void);
const char *__wrap_study_build(void);

const char *__wrap_study_build(void) {
  return build ? build : __real_study_build();
}

#endif
