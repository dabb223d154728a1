/* The risk that the row moments tells, against the error of its regressor, which is
 * known exactly here: attributes are mixtures of independent variables. */
#include "dense/moments/moments.h"

#include "engine.h"

enum { MOST = 20 };

typedef struct {
  size_t d;
  double mix[MOST][MOST], offset[MOST], w[MOST], noise;
  int rare; /* mixed are not normal variables, but such as are mostly 0 */
} family;

static scant_error error;

/* Variance 1, mean 0. */
static double draw(const family *f, uint64_t *seed) {
  if (f->rare) return random_below(seed, 10) ? -1.0 / 3 : 3;
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += random_real(seed) / 2;
  return sum;
}

static double make_row(const family *f, uint64_t *seed, double *x) {
  double z[MOST], y = f->noise * draw(f, seed);
  for (size_t i = 0; i < f->d; i++) z[i] = draw(f, seed);
  for (size_t i = 0; i < f->d; i++) {
    x[i] = f->offset[i];
    for (size_t j = 0; j < f->d; j++) x[i] += f->mix[i][j] * z[j];
    y += f->w[i] * x[i];
  }
  return y;
}

static double true_error(const family *f, const double *w, double intercept) {
  double shift = intercept, sum = f->noise * f->noise;
  for (size_t i = 0; i < f->d; i++) shift += (w[i] - f->w[i]) * f->offset[i];
  for (size_t j = 0; j < f->d; j++) {
    double c = 0;
    for (size_t i = 0; i < f->d; i++) c += (w[i] - f->w[i]) * f->mix[i][j];
    sum += c * c;
  }
  return sum + shift * shift;
}

/* kind 0: unrelated; 1: a common factor; 2: neighbours alike; 3: rare; 4: nearly the same twice. */
static family make_family(int kind, size_t d) {
  family f = {.d = d, .noise = 0.6, .rare = kind == 3};
  for (size_t i = 0; i < d; i++) {
    f.mix[i][i] = kind == 1 ? 0.5 : kind == 4 ? 0.2 : 1;
    if (kind == 1) f.mix[i][0] += 1;
    if (kind == 2 && i) f.mix[i][i - 1] = 0.8;
    if (kind == 4) f.mix[i][i / 2 * 2] += 1;
    f.offset[i] = (double)i / 3 - 1;
    f.w[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? -0.5 : 0;
  }
  return f;
}

static void run(const family *f, const char *list, size_t n, uint64_t seed, double *truth, double *risk, double *bar, double *w) {
  scant_settings s = engine_settings("algorithm=moments threads=1", list);
  s.seed = seed;
  scant_learner *l = engine_learner(s, f->d);
  scant_look *look = NULL;
  double x[MOST], values[MOST], intercept;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = 0; row < n; row++) {
    double y = make_row(f, &seed, x);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    CHECK(scant_learner_tell(l, look, look->count, look->attributes, values, y, &error) == SCANT_OK);
  }
  scant_learner_facts facts;
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_weights(l, w, &intercept);
  scant_learner_get_facts(l, &facts);
  *truth = true_error(f, w, intercept);
  *risk = facts.risk;
  *bar = facts.risk_error;
  scant_look_free(look);
  scant_learner_free(l);
}

int main(int argc, char **argv) {
  int seeds = argc > 1 ? atoi(argv[1]) : 40;
  static const size_t ns[] = {100, 400, 2000};
  static const int cases[][2] = {{2, 2}, {3, 2}, {4, 3}, {12, 2}, {12, 3}, {12, 6}, {12, 11}, {12, 12}, {20, 4}};
  for (int kind = 0; kind < 5; kind++)
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
      for (size_t m = 0; m < 3; m++) {
        family f = make_family(kind, (size_t)cases[c][0]);
        char list[64];
        snprintf(list, sizeof list, "k=%d", cases[c][1]);
        double t = 0, r = 0, b = 0, w[MOST], z = 0;
        int out3 = 0, out5 = 0;
        for (int s = 0; s < seeds; s++) {
          double truth, risk, bar;
          run(&f, list, ns[m], (uint64_t)s + 1, &truth, &risk, &bar, w);
          t += truth / seeds, r += risk / seeds, b += bar / seeds;
          double q = (risk - truth) / bar;
          z += q / seeds;
          out3 += fabs(q) > 3;
          out5 += fabs(q) > 5;
        }
        printf("kind %d d %2d K %2d n %4zu: truth %8.3f risk %8.3f +- %7.3f  z %6.2f  >3: %.2f >5: %.2f\n", kind, cases[c][0], cases[c][1], ns[m], t, r, b, z, (double)out3 / seeds, (double)out5 / seeds);
      }
  return 0;
}
