/* SipHash-2-4 [Aumasson and Bernstein, 2012]: a hash that nobody can compute, or test a guess against, without its key.
 */
#ifndef SCANT_CORE_SIPHASH_H
#define SCANT_CORE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"

enum { SCANT_SIPHASH_KEY = 16 };

SCANT_SHARED uint64_t scant_siphash(const unsigned char key[SCANT_SIPHASH_KEY], const void *bytes, size_t length);

#endif
