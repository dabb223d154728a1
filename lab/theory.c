#include "theory.h"

#include <string.h>

#include "random.h"

int theory_wants(const theory_request *request, const char *algorithm) {
  for (size_t i = 0; i < request->algorithm_count; i++)
    if (!strcmp(request->algorithms[i], algorithm)) return 1;
  return 0;
}

uint64_t theory_seed(const theory_request *request, size_t part, size_t run) {
  uint64_t state = request->seed;
  state = random_next(&state) + part;
  state = random_next(&state) + run;
  return random_next(&state);
}
