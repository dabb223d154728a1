#include "sample/alias.h"

#include <stdlib.h>

#include "core/memory.h"

#define COLUMN (UINT64_C(1) << 32) /* units of a column */

int scant_alias_new(scant_alias *alias, size_t most) {
  *alias = (scant_alias){0};
  alias->column = scant_array(most, sizeof *alias->column);
  alias->units = scant_array(most, sizeof *alias->units);
  alias->stack = scant_array(most, sizeof *alias->stack);
  if (alias->column && alias->units && alias->stack) return 1;
  scant_alias_free(alias);
  return 0;
}

void scant_alias_free(scant_alias *alias) {
  free(alias->column);
  free(alias->units);
  free(alias->stack);
  *alias = (scant_alias){0};
}

/* Units in proportion to the weights; the largest takes what rounding leaves. */
static void apportion(scant_alias *alias) {
  scant_column *column = alias->column;
  size_t n = alias->count, largest = 0;
  double sum = 0;
  for (size_t c = 0; c < n; c++) {
    sum += column[c].probability;
    if (column[c].probability > column[largest].probability) largest = c;
  }
  uint64_t all = n * COLUMN, given = 0;
  double tiny = sum < 1e-200 ? 0x1p600 : 1, scale = (double)all / (sum * tiny); /* within the range of a double */
  for (size_t c = 0; c < n; c++) {
    double weight = column[c].probability;
    uint64_t units = (uint64_t)(int64_t)(weight * tiny * scale);
    alias->units[c] = weight > 0 && !units ? 1 : units;
    given += alias->units[c];
  }
  alias->units[largest] += all - given; /* wraps around where too much was given */
  double share = 1 / (double)all;
  for (size_t c = 0; c < n; c++) column[c].probability = (double)alias->units[c] * share;
}

/* Vose's way: a column with room is filled up by an outcome that has too much.
 * In whole numbers none is left over. */
void scant_alias_build(scant_alias *alias, size_t count) {
  alias->count = count;
  apportion(alias);
  uint64_t *units = alias->units;
  size_t small = 0, large = count; /* the stack holds the small from below and the large from above */
  for (size_t c = 0; c < count; c++) alias->stack[units[c] < COLUMN ? small++ : --large] = (uint32_t)c;
  while (small) {
    uint32_t poor = alias->stack[--small], rich = alias->stack[large];
    alias->column[poor].limit = (uint32_t)units[poor];
    alias->column[poor].other = rich;
    units[rich] -= COLUMN - units[poor];
    if (units[rich] >= COLUMN) continue;
    large++;
    alias->stack[small++] = rich;
  }
  for (; large < count; large++) { /* full columns: 2^32 does not fit, so that both are the same */
    uint32_t c = alias->stack[large];
    alias->column[c].limit = 0;
    alias->column[c].other = c;
  }
}

enum { WORDS = 64 };

/* Which of the two outcomes of a column it is can't be foreseen, so there is no
 * branch on it.  0: one of the draws is uneven. */
static int fill(const scant_alias *alias, scant_rng *rng, size_t count, uint32_t *draws) {
  uint64_t words[WORDS];
  uint32_t n = (uint32_t)alias->count, lowest = UINT32_MAX;
  const scant_column *restrict column = alias->column;
  scant_rng_words(rng, count, words);
  for (size_t r = 0; r < count; r++) {
    uint64_t product = (words[r] >> 32) * n;
    uint32_t own = (uint32_t)(product >> 32), other = column[own].other;
    lowest = (uint32_t)product < lowest ? (uint32_t)product : lowest;
    draws[r] = own ^ ((own ^ other) & -(uint32_t)((uint32_t)words[r] >= column[own].limit));
  }
  return !scant_rng_is_uneven(lowest, n);
}

void scant_alias_fill(const scant_alias *alias, scant_rng *rng, size_t count, uint32_t *draws) {
  for (size_t done = 0; done < count;) {
    size_t part = count - done < WORDS ? count - done : WORDS;
    int even = rng->script == NULL && alias->count <= SCANT_RNG_EVEN && fill(alias, rng, part, draws + done);
    for (size_t r = 0; !even && r < part; r++) draws[done + r] = scant_alias_draw(alias, rng);
    done += part;
  }
}

size_t scant_alias_script(const scant_alias *alias, scant_rng *rng) {
  double *weights = scant_array(alias->count, sizeof *weights);
  if (!weights) abort(); /* in tests only */
  for (size_t c = 0; c < alias->count; c++) weights[c] = alias->column[c].probability;
  size_t outcome = rng->script->choose(rng->script, alias->count, weights);
  free(weights);
  return outcome;
}
