#include "access/throttle.h"

#include <string.h>

#include "base/text.h"

/* An address is in one of so many places. */
enum { PROBES = 8 };

static uint64_t hash_of(const char *address) {
  uint64_t hash = scant_hash(SCANT_HASH_START, address, strlen(address));
  return hash ? hash : 1;
}

static size_t place_of(uint64_t hash, size_t probe) {
  return (size_t)((hash >> 7) + probe) % SERVE_ADDRESSES;
}

int serve_throttle_is_hot(const serve_throttle *throttle, const char *address, double now) {
  uint64_t hash = hash_of(address);
  for (size_t i = 0; i < PROBES; i++) {
    size_t at = place_of(hash, i);
    if (throttle->places[at].address == hash)
      return now - throttle->places[at].since < SERVE_THROTTLED && throttle->places[at].failures > SERVE_FAILURES;
  }
  return 0;
}

void serve_throttle_fail(serve_throttle *throttle, const char *address, double now) {
  uint64_t hash = hash_of(address);
  size_t oldest = place_of(hash, 0);
  for (size_t i = 0; i < PROBES; i++) {
    size_t at = place_of(hash, i);
    if (throttle->places[at].address == hash) {
      oldest = at;
      break;
    }
    if (!throttle->places[oldest].address) continue; /* a free one is as good as any */
    if (!throttle->places[at].address || throttle->places[at].since < throttle->places[oldest].since) oldest = at;
  }
  int is_same = throttle->places[oldest].address == hash && now - throttle->places[oldest].since < SERVE_THROTTLED;
  if (!is_same) {
    throttle->places[oldest].address = hash;
    throttle->places[oldest].since = now;
    throttle->places[oldest].failures = 0;
  }
  throttle->places[oldest].failures++;
}
