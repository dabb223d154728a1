/* Who guesses is slowed down: failures per address and minute. */
#ifndef SCANT_SERVE_THROTTLE_H
#define SCANT_SERVE_THROTTLE_H

#include <stdint.h>

enum { SERVE_FAILURES = 10, SERVE_THROTTLED = 60, SERVE_ADDRESSES = 1024 };

typedef struct serve_throttle {
  struct {
    uint64_t address; /* a hash of it; 0: free */
    double since;     /* seconds of any clock that goes on */
    unsigned failures;
  } places[SERVE_ADDRESSES];
} serve_throttle;

/* Has this address failed more than SERVE_FAILURES times in its minute? */
int serve_throttle_is_hot(const serve_throttle *throttle, const char *address, double now);
/* It has failed once more. */
void serve_throttle_fail(serve_throttle *throttle, const char *address, double now);

#endif
