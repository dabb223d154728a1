/* How the parts of an event go into a checksum. */
#ifndef SCANT_STUDY_HASH_H
#define SCANT_STUDY_HASH_H

#include <math.h>
#include <string.h>

#include "core/text.h"

static inline uint64_t study_hash_number(uint64_t state, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i & 0xff);
  return scant_hash(state, bytes, sizeof bytes);
}

static inline uint64_t study_hash_real(uint64_t state, double x) {
  uint64_t bits = UINT64_MAX; /* all NaNs are alike, and SQLite keeps no -0 */
  if (x == 0) x = 0;
  if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
  return study_hash_number(state, bits);
}

static inline uint64_t study_hash_text(uint64_t state, const char *text) {
  size_t length = text ? strlen(text) : 0;
  state = study_hash_number(state, text ? length + 1 : 0);
  return length ? scant_hash(state, text, length) : state;
}

#endif
