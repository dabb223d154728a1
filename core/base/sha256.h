/* SHA-256 [FIPS 180-4], so that anybody can compute what `sha256sum` computes. */
#ifndef SCANT_CORE_SHA256_H
#define SCANT_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"

typedef struct scant_sha256 {
  uint32_t state[8];
  uint64_t length; /* in bytes, so far */
  unsigned char block[64];
} scant_sha256;

#define SCANT_SHA256_TEXT 65 /* 64 hexadecimal digits and the 0 at the end */

SCANT_SHARED void scant_sha256_begin(scant_sha256 *sum);
SCANT_SHARED void scant_sha256_add(scant_sha256 *sum, const void *bytes, size_t length);
/* Writes the digits of the sum.  It must be begun anew after that. */
SCANT_SHARED void scant_sha256_end(scant_sha256 *sum, char text[SCANT_SHA256_TEXT]);

/* The first 64 bits of the sum, likewise. */
SCANT_SHARED uint64_t scant_sha256_first(scant_sha256 *sum);

#endif
