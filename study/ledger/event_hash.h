/* How the parts of an event go into a checksum. */
#ifndef SCANT_STUDY_HASH_H
#define SCANT_STUDY_HASH_H

#include <math.h>
#include <string.h>

#include "base/sha256.h"

static inline void study_add_number(scant_sha256 *sum, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i & 0xff);
  scant_sha256_add(sum, bytes, sizeof bytes);
}

static inline void study_add_real(scant_sha256 *sum, double x) {
  uint64_t bits = UINT64_MAX; /* all NaNs are alike, and SQLite keeps no -0 */
  if (x == 0) x = 0;
  if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
  study_add_number(sum, bits);
}

static inline void study_add_text(scant_sha256 *sum, const char *text) {
  size_t length = text ? strlen(text) : 0;
  study_add_number(sum, text ? length + 1 : 0);
  scant_sha256_add(sum, text ? text : "", length);
}

#endif
