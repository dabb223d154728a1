/* Prints the bits of every row's result, to be compared between compilers and
 * optimisation levels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "scant.h"

enum { D = 50, M = 3000 };

static void run(const char *algorithm, const char *name, const char *value) {
  scant_settings s;
  scant_learner *learner;
  scant_look *look;
  scant_error error;
  scant_rng rng;
  double values[D], w[D], intercept;
  scant_settings_init(&s);
  scant_settings_set(&s, "algorithm", algorithm, NULL);
  if (!scant_algorithm_find(algorithm)->whole) scant_settings_set(&s, "k", "10", NULL);
  if (name) scant_settings_set(&s, name, value, NULL);
  if (scant_learner_new(&learner, &s, D, M, &error) || scant_look_new(&look, learner, &error)) {
    printf("%s: %s\n", algorithm, error.text);
    exit(1);
  }
  scant_rng_seed(&rng, 5, 5);
  for (int t = 0; t < M; t++) {
    double x[D], y = 0.1;
    for (int i = 0; i < D; i++) {
      x[i] = 2 * scant_rng_unit(&rng) - 1;
      y += x[i] / (i + 2);
    }
    y = s.learning.loss == SCANT_LOSS_HINGE ? (y > 0 ? 1 : -1) : y;
    scant_learner_ask(learner, look, NULL);
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    if (scant_learner_tell(learner, look, look->count, NULL, values, y, &error)) {
      printf("%s: %s\n", algorithm, error.text);
      exit(1);
    }
  }
  scant_learner_weights(learner, w, &intercept);
  uint64_t hash = scant_hash(scant_hash(SCANT_HASH_START, w, sizeof w), &intercept, sizeof intercept);
  printf("%s %s %s %016llx\n", algorithm, name ? name : "-", value ? value : "-", (unsigned long long)hash);
  scant_look_free(look);
  scant_learner_free(learner);
}

int main(void) {
  const scant_algorithm *row;
  for (size_t i = 0; (row = scant_algorithm_at(i)); i++) {
    if (row->dense) continue; /* by LAPACK, whose bits are its own */
    run(row->name, NULL, NULL);
    int centers = strstr(row->options, "center") != NULL; /* else it does by itself */
    run(row->name, centers ? "center" : "intercept", centers ? "yes" : "no");
    run(row->name, "average", "half");
  }
  run("aerr", "eta", "3");
  run("aelr", "eta", "3");
  run("aer", "penalty", "0.01"); /* at the border of its ball */
  run("aesvr", "norm", "1");
  run("coinflip", "norm", "1");
  run("coinflip", "loss", "hinge");
  run("coinflip", "loss", "insensitive");
  return 0;
}
