#include "scant.h"

const char *scant_version(void) {
  return SCANT_VERSION; /* from the build, which has it from meson.build */
}
