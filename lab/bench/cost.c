/* Runs a learner for counting instructions and bytes:
 *   cost ask ALGORITHM D K EXAMPLES   ask and tell, on values made on the fly; prints the bytes
 *                                     allocated for each attribute by the start
 *   cost fit ALGORITHM D K EXAMPLES   whole fits of a table in memory, as a user gets them; half
 *                                     of the examples come before those that are counted */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant.h"

void learn_examples(scant_learner *learner, scant_look *look, long examples);
void learn_fit(scant_fit *fit, uint64_t examples);

static inline double next_value(uint64_t *random) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return (double)(*random >> 11) * 0x1p-52 - 1;
}

_Noreturn static void fail(const scant_error *error) {
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

/* Not inlined: callgrind counts what happens below this name. */
__attribute__((noinline)) void learn_examples(scant_learner *learner, scant_look *look, long examples) {
  double values[64];
  uint64_t random = 1;
  for (long t = 0; t < examples; t++) {
    scant_learner_ask(learner, look, NULL);
    /* far outside the theorem's ||x|| <= 1 when d is large: the hard case */
    for (uint32_t i = 0; i < look->count; i++) values[i] = next_value(&random);
    scant_learner_tell(learner, look, look->count, NULL, values, (double)(t % 5) / 8 - 0.2, NULL);
  }
}

static void count_ask(const scant_settings *settings, size_t d, long examples) {
  scant_learner *learner;
  scant_look *look;
  scant_error error;
  if (scant_learner_new(&learner, settings, d, (uint64_t)examples, &error) || scant_look_new(&look, learner, &error))
    fail(&error);
  struct mallinfo2 used = mallinfo2();
  printf("%.1f\n", (double)(used.uordblks + used.hblkhd) / (double)d);
  learn_examples(learner, look, examples);
  scant_look_free(look);
  scant_learner_free(learner);
}

/* Not inlined, as above. */
__attribute__((noinline)) void learn_fit(scant_fit *fit, uint64_t examples) {
  scant_error error;
  int done;
  if (scant_fit_advance(fit, examples, &done, &error)) fail(&error);
}

/* Each row of the table begins one element after the row before it: where values
 * are makes no difference to the count, and a table of its own for each would not
 * fit into memory. */
static void count_fit(const scant_settings *settings, size_t d, long examples) {
  size_t rows = 2 * (size_t)examples, cells = d + rows;
  uint64_t random = 1;
  double *x = malloc(cells * sizeof *x), *y = malloc(rows * sizeof *y), bound = 1 / sqrt((double)d);
  scant_source *source;
  scant_fit *fit;
  scant_error error;
  int done;
  if (!x || !y) exit(1);
  for (size_t i = 0; i < cells; i++) x[i] = bound * next_value(&random);
  for (size_t t = 0; t < rows; t++) y[t] = 0.8 * x[t] / bound + 0.2 * next_value(&random);
  if (scant_source_wrap(&source, SCANT_FLOAT64, x, rows, d, sizeof *x, sizeof *x, y, &error) ||
      scant_fit_new(&fit, settings, source, &error) || scant_fit_advance(fit, (uint64_t)examples, &done, &error))
    fail(&error);
  learn_fit(fit, (uint64_t)examples);
  if (scant_fit_say(fit, NULL, SCANT_FIT_THEOREM, &error)) fprintf(stderr, "%s\n", error.text);
  scant_fit_free(fit);
  scant_source_free(source);
  free(x);
  free(y);
}

int main(int count, char **words) {
  scant_settings settings;
  scant_error error;
  if (count != 6) return 2;
  size_t d = strtoull(words[3], NULL, 10);
  long examples = atol(words[5]);
  scant_settings_init(&settings);
  if (scant_settings_set(&settings, "algorithm", words[2], &error) ||
      scant_settings_set(&settings, "k", words[4], &error) || scant_settings_set(&settings, "shuffle", "no", &error))
    fail(&error);
  if (!strcmp(words[1], "fit"))
    count_fit(&settings, d, examples);
  else
    count_ask(&settings, d, examples);
  return 0;
}
