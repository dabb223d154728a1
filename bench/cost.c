/* Runs a learner on values made on the fly, for counting instructions and
 * bytes: bench/cost ALGORITHM D EXAMPLES.  Prints the bytes allocated for each
 * attribute by the start. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "scant.h"

void learn_examples(scant_learner *learner, scant_look *look, long examples);

/* Not inlined: callgrind counts what happens below this name. */
__attribute__((noinline)) void learn_examples(scant_learner *learner, scant_look *look, long examples) {
  double values[64];
  uint64_t random = 1;
  for (long t = 0; t < examples; t++) {
    scant_learner_ask(learner, look, NULL);
    for (uint32_t i = 0; i < look->count; i++) {
      /* far outside the theorem's ||x|| <= 1 when d is large: the hard case */
      random = random * 6364136223846793005u + 1442695040888963407u;
      values[i] = (double)(random >> 11) * 0x1p-52 - 1;
    }
    scant_learner_tell(learner, look, look->count, NULL, values, (double)(t % 5) / 8 - 0.2, NULL);
  }
}

int main(int count, char **words) {
  scant_settings settings;
  scant_learner *learner;
  scant_look *look;
  scant_error error;
  if (count != 4) return 2;
  size_t d = strtoull(words[2], NULL, 10);
  long examples = atol(words[3]);
  scant_settings_init(&settings);
  scant_settings_set(&settings, "algorithm", words[1], &error);
  scant_settings_set(&settings, "k", "10", &error);
  if (scant_learner_new(&learner, &settings, d, (uint64_t)examples, &error) || scant_look_new(&look, learner, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  struct mallinfo2 used = mallinfo2();
  printf("%.1f\n", (double)(used.uordblks + used.hblkhd) / (double)d);
  learn_examples(learner, look, examples);
  scant_look_free(look);
  scant_learner_free(learner);
  return 0;
}
