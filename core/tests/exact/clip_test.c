/* Attributes between limits of past purchases: auto with clip, against its definition made anew from all
 * purchases; the gradient, enumerated; units; and what one wild value does. */
#include "problem.h"

enum { D = 6, MOST = 400 };

/* What was bought of an attribute, in order; core[t]: has value t joined the core, and as what? */
typedef struct {
  size_t n;
  double value[MOST];
  long double kept[MOST];
  int core[MOST];
} history;

typedef struct {
  long double count, mean, spread, largest, low, high;
  int known; /* has it varied? */
} summary;

/* The values that are not in the core, ascending. */
static size_t list_aside(const history *h, size_t *aside) {
  size_t count = 0;
  for (size_t t = 0; t < h->n; t++) {
    if (h->core[t]) continue;
    size_t place = count++;
    for (; place > 0 && h->value[aside[place - 1]] > h->value[t]; place--) aside[place] = aside[place - 1];
    aside[place] = t;
  }
  return count;
}

static long double between(long double x, long double low, long double high) {
  return fminl(fmaxl(x, low), high);
}

/* See estimate/running.h. */
static summary limits_of(const history *h, double clip) {
  size_t aside[5], count = list_aside(h, aside), core = 0;
  long double counts[5], mean = 0, squares = 0, low = INFINITY, high = -INFINITY;
  summary s = {.count = h->n};
  for (size_t t = 0; t < h->n; t++) {
    if (!h->core[t]) continue;
    core++;
    mean += h->value[t];
    low = fminl(low, h->value[t]);
    high = fmaxl(high, h->value[t]);
  }
  mean /= core ? core : 1;
  for (size_t t = 0; t < h->n; t++)
    if (h->core[t]) squares += (h->value[t] - mean) * (h->value[t] - mean);
  for (size_t i = 0; i < count; i++) counts[i] = h->value[aside[i]];
  if (low < high) { /* then there are four aside */
    long double most = 3 * sqrtl(squares / (core - 1));
    for (int side = -1; side <= 1; side += 2) {
      long double next = side > 0 ? high - mean : mean - low;
      for (int i = 0; i < 2; i++) {
        size_t place = side > 0 ? 2 + (size_t)i : 1 - (size_t)i;
        long double off = side * (counts[place] - mean), as = fmaxl(next, most);
        if (off <= most) continue;
        if (off > 1.5L * as) {
          as = most;
        } else {
          next = off;
        }
        counts[place] = mean + side * as;
      }
    }
  }
  long double all = core * mean, spread = 0;
  for (size_t i = 0; i < count; i++) all += counts[i];
  s.mean = h->n ? all / h->n : 0;
  for (size_t t = 0; t < h->n; t++)
    if (h->core[t]) spread += (h->value[t] - s.mean) * (h->value[t] - s.mean);
  for (size_t i = 0; i < count; i++) spread += (counts[i] - s.mean) * (counts[i] - s.mean);
  s.known = count && h->value[aside[0]] < h->value[aside[count - 1]];
  long double off = clip * sqrtl(spread / (h->n ? h->n : 1));
  s.low = s.known ? s.mean - off : count ? h->value[aside[0]] : 0;
  s.high = s.known ? s.mean + off : s.low;
  return s;
}

static void add_value(history *h, double x, double clip) {
  size_t aside[5];
  h->value[h->n] = x;
  h->core[h->n++] = 0;
  if (list_aside(h, aside) < 5) return;
  size_t joined = aside[2];
  h->core[joined] = 1;
  summary s = limits_of(h, clip);
  h->kept[joined] = between(h->value[joined], s.low, s.high);
}

/* The moments of the clipped values. */
static summary summarise(const history *h, double clip, int raw) {
  summary s = limits_of(h, clip);
  long double sum = 0, x[MOST];
  for (size_t t = 0; t < h->n; t++) sum += x[t] = h->core[t] ? h->kept[t] : between(h->value[t], s.low, s.high);
  s.mean = h->n ? sum / h->n : 0;
  long double from = raw ? 0 : s.mean;
  for (size_t t = 0; t < h->n; t++) s.spread += (x[t] - from) * (x[t] - from);
  for (size_t t = 0; t < h->n; t++)
    if (!h->core[t]) s.largest = fmaxl(s.largest, (x[t] - from) * (x[t] - from));
  return s;
}

/* z of a value: how an example enters the gradient. */
static long double unit_of(const history *h, double x, double mean, double clip, int raw) {
  static history with;
  with = *h;
  add_value(&with, x, clip);
  summary before = limits_of(h, clip), after = summarise(&with, clip, raw);
  long double inside = before.known ? between(x, before.low, before.high) : x, squares = after.spread + after.largest;
  inside = between(inside, after.low, after.high);
  if (!raw && !h->n) return 0;
  if (!raw) inside -= between(mean, after.low, after.high);
  return squares > 0 ? inside / sqrtl(squares / after.count) : 0;
}

/* A table's values: a tail, a rare attribute, a constant, one of two values, and now and then a wild value. */
static double value_of(size_t i, scant_rng *rng) {
  double u = scant_rng_unit(rng), v = scant_rng_unit(rng);
  switch (i) {
    case 0:
      return u;
    case 1:
      return 50 - log(u + 1e-9) * 3;
    case 2:
      return u < .9 ? 0 : v * v * 10;
    case 3:
      return -7;
    case 4:
      return u < .3 ? 2 : 1;
    default:
      return v < .97 ? u - 5 : u * 1e5;
  }
}

static scant_learner *open_clipped(const char *algorithm, const char *more, unsigned k, scant_look **look) {
  char text[64];
  scant_learner *l = NULL;
  scant_error error;
  snprintf(text, sizeof text, "k=%u%s", k, more);
  scant_settings s = problem_settings(algorithm, text);
  CHECK(scant_learner_new(&l, &s, D, 0, &error) == SCANT_OK);
  for (int o = 0; o < 2; o++) CHECK(scant_look_new(&look[o], l, &error) == SCANT_OK);
  return l;
}

/* Tells two looks at a time, the later one first, and compares every value in learning units, the moments and
 * the limits. */
static void compare_units(const char *more, unsigned k, double clip, int raw) {
  static history h[D];
  scant_look *look[2];
  scant_learner *l = open_clipped("auto", more, k, look);
  scant_error error;
  scant_rng rng;
  double worst_unit = 0, worst_moments = 0;
  int clipped = 0;
  memset(h, 0, sizeof h);
  scant_rng_seed(&rng, 41, k);
  for (int t = 0; t < 90; t++) {
    for (int o = 0; o < 2; o++) CHECK(scant_learner_ask(l, look[o], &error) == SCANT_OK);
    for (int o = 2; o-- > 0;) {
      double values[D], x[D], y = scant_rng_unit(&rng);
      for (uint32_t i = 0; i < look[o]->count; i++) values[i] = value_of(look[o]->attributes[i], &rng);
      scant_learner_units(l, look[o], values, x);
      for (uint32_t i = 0; i < look[o]->count; i++) {
        history *a = &h[look[o]->attributes[i]];
        double mean = look[o]->mean[i];
        long double z = isnan(mean) && !raw ? 0 : unit_of(a, values[i], mean, clip, raw);
        worst_unit = fmax(worst_unit, fabs(x[i] - (double)z) / (1 + fabs((double)z)));
        add_value(a, values[i], clip);
      }
      CHECK(scant_learner_tell(l, look[o], look[o]->count, NULL, values, y, &error) == SCANT_OK);
      for (uint32_t i = 0; i < look[o]->count; i++) {
        uint32_t a = look[o]->attributes[i];
        summary s = summarise(&h[a], clip, raw);
        const scant_moments *m = &l->moments[a];
        double low, high, size = (double)(s.high - s.low) + 1e-9;
        CHECK(m->count == h[a].n);
        scant_limits_of(&l->clipped[a].met, clip, &low, &high);
        worst_moments = fmax(worst_moments, fabs(m->mean - (double)s.mean) / size);
        worst_moments = fmax(worst_moments, fabs(m->spread - (double)s.spread) / (size * size + fabs(m->spread)));
        worst_moments = fmax(worst_moments, fabs(m->largest - (double)s.largest) / (size * size + m->largest));
        worst_moments = fmax(worst_moments, fabs(low - (double)s.low) / size);
        worst_moments = fmax(worst_moments, fabs(high - (double)s.high) / size);
        clipped += values[i] < (double)s.low || values[i] > (double)s.high;
      }
    }
  }
  CHECK_AT_MOST(worst_unit, 1e-6); /* the constant's spread is exactly 0 in both; others have wild values in them */
  CHECK_AT_MOST(worst_moments, 1e-9);
  CHECK(clipped > 0);
  for (int o = 0; o < 2; o++) scant_look_free(look[o]);
  scant_learner_free(l);
}

TEST(units_are_those_of_the_definition) {
  for (unsigned k = 2; k <= D; k += 2) {
    compare_units(" max-open=2", k, 3, 0);
    compare_units(" max-open=2 clip=1.5", k, 1.5, 0);
    compare_units(" max-open=2 intercept=no", k, 3, 1);
  }
}

/* Learns some rows; then, for one more example with values beyond the limits, the expectation over all looks
 * is the gradient that all clipped attributes would give. */
static void check_unbiased(const char *algorithm, unsigned k, int rows) {
  static history h[D];
  scant_look *looks[2], *look;
  scant_learner *l = open_clipped(algorithm, "", k, looks);
  scant_error error;
  scant_rng rng;
  look = looks[0];
  memset(h, 0, sizeof h);
  scant_rng_seed(&rng, 43, k);
  for (int t = 0; t < rows; t++) {
    double values[D], y = scant_rng_unit(&rng);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      values[i] = value_of(look->attributes[i], &rng);
      if (look->attributes[i] == 1) y += values[i] / 5;
      add_value(&h[look->attributes[i]], values[i], 3);
    }
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK);
  }
  const double x[D] = {.7, 90, 4, -7, 2, 3e4}, y = 1.3;
  long double z[D], s = 0, gradient[D] = {0}, risk = 0;
  double unit = 1, target = 0;
  int standardised = l->parts->standardised;
  for (size_t i = 0; i < D; i++) {
    summary before = limits_of(&h[i], 3);
    double mean = l->moments[i].mean;
    z[i] = standardised   ? unit_of(&h[i], x[i], mean, 3, 0)
           : !h[i].n      ? 0
           : before.known ? between(x[i], before.low, before.high) - mean
                          : 0;
    if (!standardised && h[i].n && !before.known) { /* it is between those with it */
      static history with;
      with = h[i];
      add_value(&with, x[i], 3);
      summary after = limits_of(&with, 3);
      z[i] = between(x[i], after.low, after.high) - between(mean, after.low, after.high);
    }
    s += scant_iterate_weight(&l->w, i) * z[i];
  }
  enumeration e;
  enumerate_start(&e, l);
  do {
    double values[D];
    scant_step step;
    enumerate_begin_run(&e);
    if (!CHECK(scant_learner_ask(l, look, &error) == SCANT_OK)) break;
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    target = scant_learner_target(l, look, y, &unit);
    CHECK(scant_learner_prepare_block(l, look, 1, values, &y, &step, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) gradient[look->attributes[i]] += (long double)e.probability * l->g[i];
    risk += (long double)e.probability * step.risk;
    scant_learner_cancel(l, look, &error);
  } while (enumerate_next(&e));
  enumerate_stop(l);
  CHECK_NEAR(e.total, 1, 1e-12);
  long double residual = s - target;
  CHECK_NEAR((double)risk, (double)(residual * residual) * unit * unit, 1e-6 * (double)(residual * residual));
  for (size_t i = 0; i < D; i++)
    CHECK_NEAR((double)gradient[i], (double)(residual * z[i]), 1e-7 * (1 + (double)fabsl(residual * z[i])));
  CHECK(fabsl(z[5]) < 10); /* 3e4 was clipped */
  for (int o = 0; o < 2; o++) scant_look_free(looks[o]);
  scant_learner_free(l);
}

TEST(the_gradient_of_clipped_attributes_is_unbiased) {
  for (unsigned k = 2; k <= 3; k++)
    for (int rows = 24; rows <= 60; rows += 36) {
      check_unbiased("auto", k, rows);
      check_unbiased("lasso", k, rows);
      check_unbiased("ridge", k, rows);
    }
}

/* ---- units ------------------------------------------------------------------------------ */

/* Fits `rows` made with this seed, each attribute in a unit of its own; row `wild` has a wild value. */
static void fit_rows(const char *more, const double *units, int rows, int wild, double *w, double *intercept,
                     double *low, double *high) {
  scant_look *looks[2];
  scant_learner *l = open_clipped("auto", more, 3, looks);
  scant_error error;
  scant_rng rng;
  scant_rng_seed(&rng, 47, 0);
  for (int t = 0; t < rows; t++) {
    double x[D], values[D], y = 0;
    CHECK(scant_learner_ask(l, looks[0], &error) == SCANT_OK);
    for (size_t i = 0; i < D; i++) {
      x[i] = scant_rng_unit(&rng) + scant_rng_unit(&rng) - 1;
      y += (double)(i + 1) * x[i];
    }
    for (uint32_t i = 0; i < looks[0]->count; i++) {
      uint32_t a = looks[0]->attributes[i];
      values[i] = units[a] * (t == wild ? 1e6 : x[a]);
    }
    CHECK(scant_learner_tell(l, looks[0], looks[0]->count, NULL, values, y, &error) == SCANT_OK);
  }
  scant_learner_weights(l, w, intercept);
  if (l->clipped) scant_learner_limits(l, low, high);
  for (int o = 0; o < 2; o++) scant_look_free(looks[o]);
  scant_learner_free(l);
}

TEST(units_do_not_matter) {
  static const double one[D] = {1, 1, 1, 1, 1, 1}, others[D] = {0x1p20, 0x1p-9, -1, 0x1p3, -0x1p-30, 0x1p60};
  double w[2][D], intercept[2], low[2][D], high[2][D];
  fit_rows("", one, 500, -1, w[0], &intercept[0], low[0], high[0]);
  fit_rows("", others, 500, -1, w[1], &intercept[1], low[1], high[1]);
  CHECK_NEAR(intercept[0], intercept[1], 1e-9);
  for (size_t i = 0; i < D; i++) {
    CHECK_NEAR(w[1][i] * others[i], w[0][i], 1e-9 * fabs(w[0][i]));
    if (others[i] > 0) CHECK(low[1][i] == low[0][i] * others[i] && high[1][i] == high[0][i] * others[i]);
    if (others[i] < 0) CHECK_NEAR(low[1][i] / others[i], high[0][i], 1e-9);
  }
}

/* ---- a wild value --------------------------------------------------------------------------- */

/* A row of wild values, whenever it comes, hardly changes what is learned; without clip it ruins it. */
TEST(a_wild_row_does_little) {
  static const double one[D] = {1, 1, 1, 1, 1, 1};
  double clean[D], w[D], intercept, low[D], high[D], wild_low[D], wild_high[D];
  fit_rows("", one, 2000, -1, clean, &intercept, low, high);
  int at[] = {0, 1, 2, 3, 5, 8, 100, 1999};
  for (size_t t = 0; t < sizeof at / sizeof *at; t++) {
    double gap = 0, size = 0;
    fit_rows("", one, 2000, at[t], w, &intercept, wild_low, wild_high);
    for (size_t i = 0; i < D; i++) {
      gap += (w[i] - clean[i]) * (w[i] - clean[i]);
      size += clean[i] * clean[i];
      CHECK_NEAR(wild_low[i], low[i], .05);
      CHECK_NEAR(wild_high[i], high[i], .05);
    }
    if (!CHECK_AT_MOST(gap, .01 * size)) printf("#   at %d\n", at[t]);
    CHECK_NEAR(intercept, 0, 1);
  }
  double gap = 0, size = 0;
  fit_rows(" clip=none", one, 2000, 8, w, &intercept, low, high);
  for (size_t i = 0; i < D; i++) gap += (w[i] - clean[i]) * (w[i] - clean[i]), size += clean[i] * clean[i];
  CHECK(gap > .1 * size);
}

/* Limits are wide while all but one value were alike, and narrow as soon as the core has varied by a little.  A value
 * must not count in the unit of the narrow ones while it stands within the wide ones. */
TEST(no_value_is_many_units_away) {
  double furthest = 0;
  for (unsigned seed = 1; seed <= 200; seed++) {
    scant_look *look[2];
    scant_learner *l = open_clipped("auto", "", 3, look);
    scant_error error;
    scant_rng rng;
    scant_rng_seed(&rng, 43, seed);
    for (int t = 0; t < 40; t++) {
      double values[D], x[D];
      CHECK(scant_learner_ask(l, look[0], &error) == SCANT_OK);
      for (uint32_t i = 0; i < look[0]->count; i++) { /* mostly 0, at times next to nothing, at times 1 */
        double u = scant_rng_unit(&rng);
        values[i] = u < 0.7 ? 0 : u < 0.85 ? 0.004 : 1;
      }
      scant_learner_units(l, look[0], values, x);
      for (uint32_t i = 0; i < look[0]->count; i++) furthest = fmax(furthest, fabs(x[i]));
      CHECK(scant_learner_tell(l, look[0], look[0]->count, NULL, values, scant_rng_unit(&rng), &error) == SCANT_OK);
    }
    for (int o = 0; o < 2; o++) scant_look_free(look[o]);
    scant_learner_free(l);
  }
  CHECK_AT_MOST(furthest, 6);
  printf("# furthest %.2f\n", furthest);
}

int main(void) {
  RUN(units_are_those_of_the_definition);
  RUN(no_value_is_many_units_away);
  RUN(the_gradient_of_clipped_attributes_is_unbiased);
  RUN(units_do_not_matter);
  RUN(a_wild_row_does_little);
  return check_done();
}
