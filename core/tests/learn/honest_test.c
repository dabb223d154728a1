/* The risk that a learner reports is that of the regressor that it gives, on made data whose risks are known exactly:
 * y = 3 x_1 - 2 x_2 + x_3 + noise, with attributes that are independent and uniform, in units of their own. */
#include <math.h>

#include "support.h"

enum { D = 24, SEEDS = 40, OPEN_MOST = 60 };

static const double RIGHT[D] = {3, -2, 1};

typedef struct made {
  double noise, outliers; /* standard deviation of the noise; every 97th target is so far out */
} made;

static double unit_of(size_t i) {
  return pow(4, (double)(i % 5) - 2);
}

/* Uniform in [-1, 1) has the variance 1/3. */
static double risk_of(const double *w, double intercept, const made *data) {
  double mean = intercept - 7, risk = data->noise * data->noise / 3;
  for (size_t i = 0; i < D; i++) {
    double off = w[i] * unit_of(i) - RIGHT[i];
    risk += off * off / 3;
    mean += w[i] * unit_of(i) * 0.5;
  }
  return risk + mean * mean;
}

typedef struct fitted {
  double risk, error, scale; /* as reported */
  double constant;           /* the risk of the mean by the same estimate */
  double real;
} fitted;

/* `open` looks are asked for at a time, then told. */
static fitted fit(const char *list, const made *data, int examples, unsigned open, uint64_t seed) {
  char text[128];
  scant_error error;
  scant_look *look[OPEN_MOST];
  snprintf(text, sizeof text, "%s max-open=%u seed=%u", list, open, (unsigned)seed);
  scant_learner *l = learner_from(text, D, 0);
  for (unsigned o = 0; o < open; o++) look[o] = look_for(l);
  for (int t = 0; t < examples; t += (int)open) {
    for (unsigned o = 0; o < open; o++) CHECK(scant_learner_ask(l, look[o], &error) == SCANT_OK);
    for (unsigned o = 0; o < open; o++) {
      double x[D], values[D], y = 7 + data->noise * random_real(&seed);
      for (size_t i = 0; i < D; i++) {
        double z = random_real(&seed);
        x[i] = unit_of(i) * (z + 0.5);
        y += RIGHT[i] * z;
      }
      if (data->outliers > 0 && random_below(&seed, 97) == 0) y += data->outliers;
      for (uint32_t i = 0; i < look[o]->count; i++) values[i] = x[look[o]->attributes[i]];
      CHECK(scant_learner_tell(l, look[o], look[o]->count, NULL, values, y, &error) == SCANT_OK);
    }
  }
  double w[D], intercept;
  scant_learner_facts facts;
  scant_learner_weights(l, w, &intercept);
  scant_learner_get_facts(l, &facts);
  fitted f = {facts.risk, facts.risk_error, facts.scale, l->parabola.mean.target, risk_of(w, intercept, data)};
  for (unsigned o = 0; o < open; o++) scant_look_free(look[o]);
  scant_learner_free(l);
  return f;
}

/* The errors of SEEDS fits in units of their standard errors: no bias by 5 sigma, and within two in 9 of 10. */
static void check_honest(const char *list, int examples, unsigned open, double most_error) {
  const made data = {.noise = 2};
  double sum = 0, squares = 0, share = 0;
  int within = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    fitted f = fit(list, &data, examples, open, seed);
    double z = (f.risk - f.real) / f.error;
    sum += z;
    squares += z * z;
    within += fabs(z) <= 2;
    share += f.error / f.real;
  }
  double mean = sum / SEEDS, root = sqrt(squares / SEEDS);
  printf("# %s, %d examples, %u at a time: z %.2f, rms %.2f, within two %d of %d, error %.3f of the risk\n", list,
         examples, open, mean, root, within, SEEDS, share / SEEDS);
  CHECK(fabs(mean) < 5 * root / sqrt(SEEDS));
  CHECK(within >= SEEDS * 9 / 10);
  CHECK(share / SEEDS < most_error);
}

TEST(the_risk_is_that_of_the_regressor) {
  check_honest("algorithm=auto k=4", 3000, 1, 0.15);
  check_honest("algorithm=auto k=24", 600, 1, 0.15);
  check_honest("algorithm=lasso k=4", 3000, 1, 0.15);
  check_honest("algorithm=lasso k=4 radius=1", 3000, 1, 0.15);
  check_honest("algorithm=ridge k=4 radius=4", 3000, 1, 0.15);
  check_honest("algorithm=svr k=4 loss=huber tube=2", 3000, 1, 0.15);
  check_honest("algorithm=auto k=4 average=all", 3000, 1, 0.15);
}

TEST(told_late_it_is_too) {
  check_honest("algorithm=auto k=4", 3000, 20, 0.15);
  check_honest("algorithm=auto k=4", 3000, OPEN_MOST, 0.15);
  check_honest("algorithm=ridge k=4 radius=4", 3000, 20, 0.15);
}

/* With few looks the weights point the right way before they have their size. */
TEST(few_looks_stretch) {
  const made data = {.noise = 0.5};
  int stretched = 0, better = 0, wild = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    fitted f = fit("algorithm=auto k=4", &data, 200, 1, seed), many = fit("algorithm=auto k=4", &data, 4000, 1, seed);
    stretched += f.scale > 1;
    better += f.real < 0.9 * (14.0 / 3 + 0.25 / 3); /* than the mean */
    wild += f.real > 1.1 * (14.0 / 3 + 0.25 / 3);
    CHECK(many.scale < 1.5 && many.real < 1);
    /* a ball is never left */
    CHECK(fit("algorithm=lasso k=4 radius=0.1", &data, 200, 1, seed).scale <= 1);
  }
  printf("# stretched %d, better than the mean by a tenth %d, worse by a tenth %d of %d\n", stretched, better, wild,
         SEEDS);
  CHECK(stretched >= SEEDS / 2 && better > SEEDS * 3 / 4 && wild == 0);
}

/* Nothing is to be learned, and outliers in the target throw the weights about. */
TEST(no_fit_is_worse_than_the_mean_by_its_own_estimate) {
  const made data = {.noise = 30, .outliers = 900};
  int shrunk = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    static const char *const lists[] = {"algorithm=auto k=4", "algorithm=lasso k=4 eta=4",
                                        "algorithm=ridge k=4 radius=90"};
    for (size_t i = 0; i < 3; i++) {
      fitted f = fit(lists[i], &data, 150, 1, seed);
      shrunk += f.scale < 1;
      CHECK(f.scale >= 0 && f.risk <= f.constant * (1 + 1e-12));
    }
  }
  printf("# shrunk %d of %d\n", shrunk, 3 * SEEDS);
  CHECK(shrunk > SEEDS / 4);
}

int main(void) {
  RUN(the_risk_is_that_of_the_regressor);
  RUN(told_late_it_is_too);
  RUN(few_looks_stretch);
  RUN(no_fit_is_worse_than_the_mean_by_its_own_estimate);
  return check_done();
}
