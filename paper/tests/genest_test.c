/* The fast GenEst against Procedure 3: the same orders and the same draws, in both branches and both balls. */
#include "estimate/gradient.h"
#include "replay.h"

enum { D = 9, CALLS = 3000 };

/* Coefficients of f', for the oracle and for the fast learner. */
static scalar line(size_t n) {
  return n == 0 ? 0.3L : n == 1 ? -1.5L : 0;
}
static scalar square(size_t n) {
  return n == 0 ? 0.5L : n == 2 ? 2 : 0;
}
static scalar odd(size_t n) {
  return n == 1 ? 1 : n == 3 ? -0.25L : n == 9 ? 0.125L : 0;
}

static scant_series fast_series(paper_series *a) {
  scant_series series = {.count = 12};
  if (a == paper_erf) return scant_series_erf();
  for (size_t n = 0; n < series.count; n++) series.a[n] = (double)a(n);
  return series;
}

/* Orders go on with probability 3/4, not 1/4, so that products are long; other choices are as they would be. */
typedef struct long_orders {
  scant_script script;
  uint64_t random;
} long_orders;

static size_t choose(scant_script *script, size_t count, const double *weights) {
  long_orders *o = (long_orders *)script;
  double u = (random_real(&o->random) + 1) / 2, sum = 0;
  size_t last = 0;
  if (!weights) return count == 4 ? (u > 0.75) : (size_t)(u * (double)count);
  for (size_t i = 0; i < count; i++) sum += weights[i];
  u *= sum;
  for (size_t i = 0; i < count; i++) {
    if (!(weights[i] > 0)) continue;
    last = i;
    if (u < weights[i]) break;
    u -= weights[i];
  }
  return last;
}

typedef struct tally {
  uint32_t singles, grouped, longest;
  double worst;
} tally;

static double relative(double a, scalar b) {
  double off = (double)(fabsl((scalar)a - b) / fmaxl(fabsl(b), 0x1p-40L));
  return isnan(off) ? INFINITY : off;
}

/* Random w; phi~ of the fast learner and of the oracle for one look. */
static void call_once(pair *p, paper_series *a, const scant_series *series, uint64_t *random, tally *count) {
  scant_error error;
  scalar x[D];
  double values[D], y = 20 + random_real(random); /* beyond w.x, so that no factor is near 0 */
  paper_state *s = &p->oracle;
  for (size_t i = 0; i < D; i++) {
    double u = random_real(random) / 3, w = i == 4 ? 0 : u + copysign(0.2, u);
    if (p->fast->w.theta)
      p->fast->w.theta[i] = w;
    else
      p->fast->w.at[i].shape = w;
    x[i] = NAN;
  }
  p->fast->update->refresh(&p->fast->w);
  for (size_t i = 0; i < D; i++) s->w[i] = scant_iterate_weight(&p->fast->w, i);
  if (!CHECK(scant_learner_ask(p->fast, p->look, &error) == SCANT_OK)) return;
  for (uint32_t i = 0; i < p->look->count; i++) x[p->look->attributes[i]] = values[i] = random_real(random);
  replay_begin(&p->replay, p->look);
  for (size_t r = 0; r < s->k; r++) replay_pick(s->draws, D, NULL);
  scalar phi = paper_genest(s, x, y, a);
  CHECK(replay_is_over(&p->replay));
  double fast = scant_estimate_genest(p->look, values, y, &(scant_loss_form){.loss = SCANT_LOSS_SQUARED}, series);
  const scant_look_call *call = p->look->call;
  count->worst = fmax(count->worst, relative(fast, phi));
  *(call->group > 1 ? &count->grouped : &count->singles) += 1;
  if (call->order > count->longest) count->longest = call->order;
  CHECK(scant_learner_cancel(p->fast, p->look, &error) == SCANT_OK);
}

static tally compare_calls(paper_series *a, int norm, const char *smoothing, int is_long) {
  char list[96];
  tally count = {0};
  pair p;
  uint64_t random = 3;
  long_orders orders = {.script = {choose}, .random = 5};
  snprintf(list, sizeof list, "algorithm=aesvr k=9 loss=absolute norm=%d smoothing=%s", norm, smoothing);
  pair_open(&p, &(match){.list = list, .d = D, .steps = CALLS});
  p.oracle.k = p.fast->looks.k_gradient;
  p.fast->looks.series = fast_series(a);
  if (is_long) p.fast->looks.rng_by_w.script = &orders.script;
  for (int c = 0; c < CALLS; c++) call_once(&p, a, &p.fast->looks.series, &random, &count);
  if (!CHECK_AT_MOST(count.worst, 1e-12)) printf("# %s\n", list);
  CHECK_AT_MOST(p.replay.worst_probability, 1e-12);
  pair_close(&p);
  return count;
}

TEST(polynomials_are_estimated_as_printed) {
  paper_series *const series[] = {line, square, odd};
  for (int norm = 1; norm <= 2; norm++)
    for (size_t i = 0; i < 3; i++) {
      tally few = compare_calls(series[i], norm, "3", 0), many = compare_calls(series[i], norm, "0.3", 0);
      CHECK(few.singles > 100 && many.singles > 100);
      CHECK(i < 2 || few.grouped > 100); /* N = 2: from n = 3 on */
    }
}

TEST(erf_is_estimated_as_printed) {
  for (int norm = 1; norm <= 2; norm++) {
    tally usual = compare_calls(paper_erf, norm, "2", 0), longer = compare_calls(paper_erf, norm, "1", 1);
    CHECK(usual.singles > 2000 && usual.grouped > 100);
    CHECK(longer.singles > 500 && longer.grouped > 500 && longer.longest > 40);
  }
}

/* Orders are drawn where a_n is not 0, with probabilities 2^-(n+1) over their sum. */
TEST(orders_have_the_probabilities_of_the_oracle) {
  paper_series *const series[] = {line, square, odd, paper_erf};
  for (size_t i = 0; i < 4; i++) {
    scant_series fast = fast_series(series[i]);
    for (uint32_t n = 0; n < 60; n++)
      CHECK_NEAR(scant_genest_probability(&fast, n), (double)paper_genest_probability(series[i], n), 1e-16);
  }
}

int main(void) {
  RUN(polynomials_are_estimated_as_printed);
  RUN(erf_is_estimated_as_printed);
  RUN(orders_have_the_probabilities_of_the_oracle);
  return check_done();
}
