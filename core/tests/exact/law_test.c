/* The law of stopped looks from its definition: what is explored, what is followed,
 * what is bought for certain, and the probability of everything else, made once more
 * from all purchases so far.  See core/look/law.h for the letters. */
#include "problem.h"

enum { D = 12, ROWS = 60 };

typedef struct history {
  double value[D][ROWS];
  size_t n[D];
  double pool_sum, pool_count; /* of squared deviations, one from each purchase but the first */
} history;

static void note_purchase(history *h, uint32_t i, double x) {
  size_t n = h->n[i];
  double mean = 0;
  for (size_t r = 0; r < n; r++) mean += h->value[i][r] / (double)n;
  if (n) { /* unbiased: a deviation from a mean of n values has (n + 1)/n times the variance */
    h->pool_sum += (x - mean) * (x - mean) * (double)n / (double)(n + 1);
    h->pool_count++;
  }
  h->value[i][h->n[i]++] = x;
}

/* The sum of squared deviations from the mean. */
static double spread_of(const history *h, size_t i) {
  double mean = 0, sum = 0;
  for (size_t r = 0; r < h->n[i]; r++) mean += h->value[i][r];
  mean /= (double)(h->n[i] ? h->n[i] : 1); /* exact, where all values are 5 */
  for (size_t r = 0; r < h->n[i]; r++) sum += (h->value[i][r] - mean) * (h->value[i][r] - mean);
  return sum;
}

typedef struct law {
  double explore[D], follow[D], q[D]; /* q: of one draw */
  int certain[D];
} law;

/* Half exploration, half |w|, of what is not certain. */
static void mix(law *m, double share) {
  double e = 0, f = 0;
  for (size_t i = 0; i < D; i++)
    if (!m->certain[i]) e += m->explore[i], f += m->follow[i];
  for (size_t i = 0; i < D; i++) {
    m->q[i] = f > 0 ? (1 - share) * m->explore[i] / e + share * m->follow[i] / f : m->explore[i] / e;
    if (m->certain[i]) m->q[i] = 0;
  }
}

static law define_law(const history *h, const scant_learner *l, int by_deviation, unsigned k) {
  law m = {{0}, {0}, {0}, {0}};
  /* |w| has half in the end, and a quarter when every attribute was looked at once */
  double looks = (double)l->told * k / D, share = looks / (looks + 1) / 2;
  double pool = h->pool_count > 0 ? h->pool_sum / h->pool_count : 0;
  for (size_t i = 0; i < D; i++) {
    double n = (double)h->n[i], spread = spread_of(h, i), w = fabs(scant_iterate_weight(&l->w, i));
    /* the deviation, as if the pooled one had been seen twice more around the mean */
    double size = n >= 2 ? sqrt((spread + 2 * pool) / (n + 1)) : sqrt(pool);
    m.explore[i] = by_deviation ? size : n >= 2 && !(spread > 0) ? 2 / (2 + n) : 1;
    m.follow[i] = by_deviation ? w * size : w;
  }
  mix(&m, share);
  /* what K draws would meet once or more on average, the likeliest, at most K/2 */
  double first[D];
  memcpy(first, m.q, sizeof first);
  for (unsigned r = 0; k >= 4 && r < k / 2; r++) {
    size_t best = 0;
    for (size_t i = 1; i < D; i++)
      if (first[i] > first[best]) best = i;
    if (first[best] * k < 1) break;
    m.certain[best] = 1;
    first[best] = 0;
  }
  mix(&m, share);
  return m;
}

/* Learns, and compares the law after every few examples with its definition; how many
 * attributes were certain in all. */
static int compare_law(const char *algorithm, int by_deviation, unsigned k) {
  static history h;
  char text[32];
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_error error;
  scant_rng rng;
  int certain = 0;
  h = (history){.pool_sum = 0};
  scant_rng_seed(&rng, 21, k);
  snprintf(text, sizeof text, "k=%u clip=none", k);
  scant_settings s = problem_settings(algorithm, text);
  CHECK(scant_learner_new(&l, &s, D, ROWS, &error) == SCANT_OK && scant_look_new(&look, l, &error) == SCANT_OK);
  for (int t = 0; t < ROWS; t++) {
    double values[D], x[D], y = 0;
    for (size_t i = 0; i < D; i++) x[i] = i == 3 ? 5 : (double)(i + 1) * (2 * scant_rng_unit(&rng) - 1);
    y = x[0] + x[5] / 3 + scant_rng_unit(&rng);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      values[i] = x[look->attributes[i]];
      note_purchase(&h, look->attributes[i], values[i]);
    }
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK);
    if (t % 7 < 6) continue;
    scant_looks_rebuild_law(&l->looks, l->told); /* it may be some examples old */
    law m = define_law(&h, l, by_deviation, k);
    for (int draw = 0; draw < 40; draw++) {
      int met[D] = {0};
      CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
      for (uint32_t i = 0; i < look->count; i++) {
        uint32_t a = look->attributes[i];
        met[a] = 1;
        if (!CHECK((look->gradient_draws[i] == 0) == m.certain[a])) printf("# %s k=%u attribute %u\n", algorithm, k, a);
        if (look->gradient_draws[i]) CHECK_NEAR(look->gradient_probability[i], m.q[a], 2e-9); /* see inverse.h */
      }
      for (size_t i = 0; i < D; i++) CHECK(met[i] || !m.certain[i]);
      CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
    }
    for (size_t i = 0; i < D; i++) certain += m.certain[i];
  }
  scant_look_free(look);
  scant_learner_free(l);
  return certain;
}

TEST(the_law_is_its_definition) {
  for (unsigned k = 2; k <= 8; k++) {
    int some = compare_law("auto", 0, k) + compare_law("ridge", 1, k);
    CHECK(k < 4 ? some == 0 : some > 0);
  }
}

/* ---- by the moments of the data [KS15] --------------------------------------------- */

/* After a tenth of the examples, gradient looks are drawn by the root of E x^2 (ridge) or
 * by E x^2 (lasso), of the purchases so far with the mean of all as one more; residual
 * looks by |w| times the root. */
static void compare_data_dependent(const char *algorithm, int lasso) {
  enum { M = 100, PHASE = M / 10 };
  double squares[D] = {0}, n[D] = {0}, moment[D], all = 0, count = 0;
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_error error;
  scant_rng rng;
  int residual_looks = 0;
  scant_rng_seed(&rng, 22, 0);
  scant_settings s = problem_settings(algorithm, "k=6");
  CHECK(scant_learner_new(&l, &s, D, M, &error) == SCANT_OK && scant_look_new(&look, l, &error) == SCANT_OK);
  for (int t = 0; t < M; t++) {
    double values[D], q = 0, p = 0;
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (size_t i = 0; t == PHASE && i < D; i++) all += squares[i], count += n[i];
    for (size_t i = 0; t == PHASE && i < D; i++) moment[i] = (squares[i] + all / count) / (n[i] + 1);
    for (size_t i = 0; t >= PHASE && i < D; i++) {
      q += lasso ? moment[i] : sqrt(moment[i]);
      p += fabs(scant_iterate_weight(&l->w, i)) * sqrt(moment[i]);
    }
    for (uint32_t i = 0; i < look->count; i++) {
      uint32_t a = look->attributes[i];
      values[i] = (double)(a + 1) / D * (2 * scant_rng_unit(&rng) - 1);
      squares[a] += values[i] * values[i];
      n[a]++;
      if (t < PHASE) continue;
      double wanted = (lasso ? moment[a] : sqrt(moment[a])) / q;
      if (look->gradient_draws[i]) CHECK_NEAR(look->gradient_probability[i], wanted, 1e-12);
      if (!look->residual_draws[i]) continue;
      CHECK_NEAR(look->residual_probability[i], fabs(scant_iterate_weight(&l->w, a)) * sqrt(moment[a]) / p, 1e-12);
      residual_looks++;
    }
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, 1 + values[0], &error) == SCANT_OK);
  }
  CHECK(residual_looks > M / 2);
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(data_dependent_laws_are_of_the_moments_of_the_first_tenth) {
  compare_data_dependent("ddaerr", 0);
  compare_data_dependent("ddaelr", 1);
}

int main(void) {
  RUN(the_law_is_its_definition);
  RUN(data_dependent_laws_are_of_the_moments_of_the_first_tenth);
  return check_done();
}
