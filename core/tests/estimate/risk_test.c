/* The running estimate of the risk: of which examples it is, and its standard error.
 *
 * An algorithm that buys everything knows (w.x - y)^2 of each example exactly, and
 * with average=last its w is there to be read; so every estimate is known here. */
#include "support.h"

enum { D = 3, N = 2000 };

static double estimates[N];
static long double sums[N + 1]; /* of the first ones */

/* Is the mean of the last n estimates `risk`, and its standard error `error`? */
static int is_mean_of_last(size_t told, size_t n, double risk, double error) {
  long double mean = (sums[told] - sums[told - n]) / n, squares = 0;
  if (!(fabsl(mean - risk) <= 1e-12L * mean)) return 0;
  for (size_t t = told - n; t < told; t++) squares += (estimates[t] - mean) * (estimates[t] - mean);
  return n > 1 && fabsl(sqrtl(squares / (n - 1) / n) - error) <= 1e-10L * error;
}

/* Windows of 64, 128, 256, ... examples follow each other, and the last two count: at
 * least half of the examples, and at most 3/4 of them and of 64 more.  That bound is
 * reached just before a window ends. */
TEST(the_risk_is_of_the_last_half_to_three_quarters) {
  scant_learner *l = learner_from("algorithm=online-ridge average=last", D, 0);
  scant_look *look = look_for(l);
  uint64_t seed = 4;
  size_t at_most = 0, at_least = 0;
  for (size_t t = 0; t < N; t++) {
    double w[D], intercept, x[D], values[D], y = 1, s = 0;
    scant_error error;
    scant_learner_facts facts;
    scant_learner_weights(l, w, &intercept);
    for (size_t i = 0; i < D; i++) {
      x[i] = random_real(&seed);
      s += w[i] * x[i];
      y += x[i] / 2;
    }
    estimates[t] = (s + intercept - y) * (s + intercept - y);
    sums[t + 1] = sums[t] + estimates[t];
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == D);
    for (uint32_t i = 0; i < D; i++) values[i] = x[look->attributes[i]];
    CHECK(scant_learner_tell(l, look, D, NULL, values, y, &error) == SCANT_OK);
    scant_learner_get_facts(l, &facts);
    if (!t) { /* one estimate is of the weights before the first step, and has no error */
      CHECK(isnan(facts.risk) && isnan(facts.risk_error));
      continue;
    }
    size_t told = t + 1, found = 0, lowest = (told + 1) / 2, highest = 3 * (told + 64) / 4;
    if (highest > told) highest = told;
    for (size_t n = lowest; n <= highest && !found; n++)
      if (is_mean_of_last(told, n, facts.risk, facts.risk_error)) found = n;
    if (!CHECK(found > 0)) break;
    at_most += told > 192 && found + 1 == 3 * (told + 64 + 1) / 4;
    at_least += told > 192 && found <= lowest + 32;
  }
  CHECK(at_most > 0 && at_least > 0);
  scant_look_free(look);
  scant_learner_free(l);
}

int main(void) {
  RUN(the_risk_is_of_the_last_half_to_three_quarters);
  return check_done();
}
