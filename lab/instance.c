#include "theory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum { FACTORS = 4, OUTCOMES = 1 << FACTORS };
#define FLIPPED 0.2 /* how often y = -s */

scant_status instance_new(instance *i, instance_kind kind, size_t d, size_t size, double p, uint64_t seed) {
  uint64_t random = seed;
  *i = (instance){.kind = kind, .d = d, .size = size, .p = p};
  i->place = malloc(d * sizeof *i->place);
  i->sign = malloc(d * sizeof *i->sign);
  if (!i->place || !i->sign) {
    instance_free(i);
    return SCANT_MEMORY;
  }
  for (size_t n = 0; n < d; n++) i->place[n] = (uint32_t)n;
  for (size_t n = 0; n < d; n++) { /* the first |T| of a shuffle are T */
    size_t other = n + (size_t)random_below(&random, d - n);
    uint32_t kept = i->place[n];
    i->place[n] = i->place[other];
    i->place[other] = kept;
    i->sign[n] = random_sign(&random);
  }
  return SCANT_OK;
}

void instance_free(instance *i) {
  free(i->place);
  free(i->sign);
  i->place = NULL;
  i->sign = NULL;
}

/* ---- examples -------------------------------------------------------------- */

/* Attribute j of D H z/2: column c of H has the sign of bit c of j. */
static double dense_value(const instance *i, unsigned z, uint32_t j) {
  int sum = 0;
  for (unsigned c = 0; c < FACTORS; c++) sum += ((z ^ j) >> c & 1U) ? -1 : 1;
  return i->sign[j] * sum / (2 * sqrt((double)i->d));
}

/* The mean of z, one bit each. */
static double mean_of(unsigned z) {
  double sum = 0;
  for (unsigned c = 0; c < FACTORS; c++) sum += (z >> c & 1U) ? -1 : 1;
  return sum / FACTORS;
}

void instance_draw(const instance *i, uint64_t *random, const scant_look *look, double *values, double *y) {
  if (i->kind == INSTANCE_AXES) {
    size_t n = (size_t)random_below(random, i->size);
    for (uint32_t c = 0; c < look->count; c++) values[c] = look->attributes[c] == i->place[n] ? i->sign[n] : 0;
    *y = 1;
  } else if (i->kind ==
             INSTANCE_HIDDEN) { /* a look has each attribute once, so signs can be drawn when they are seen */
    double x = random_sign(random);
    *y = random_unit(random) < 0.5 + i->p ? x : -x;
    for (uint32_t c = 0; c < look->count; c++) values[c] = look->attributes[c] == i->place[0] ? x : random_sign(random);
  } else {
    unsigned z = (unsigned)random_below(random, OUTCOMES);
    for (uint32_t c = 0; c < look->count; c++) values[c] = dense_value(i, z, look->attributes[c]);
    *y = random_unit(random) < FLIPPED ? -mean_of(z) : mean_of(z);
  }
}

/* ---- risks ----------------------------------------------------------------- */

/* |x|, smoothed by e: within e/sqrt(pi) above it [HK12, sec. 4.2]. */
static double smooth(double x, double e) {
  double u = x / e;
  return e * (u * erf(u) + exp(-u * u) / sqrt(acos(-1)));
}

/* The squared loss, or the insensitive one [HK12, sec. 4.2, f_eps]. */
static double loss_of(const measure *m, double s, double y) {
  double r = s - y, t = m->tube, e = m->smoothing;
  if (m->loss != SCANT_LOSS_INSENSITIVE) return r * r / 2;
  return e > 0 ? smooth(r - t, e) / 2 + smooth(r + t, e) / 2 - t : fmax(0, fabs(r) - t);
}

/* The risk is convex and does not change when attributes in T are exchanged, so
 * the best w has the same w_i r_i everywhere in T; the loss falls with it up to
 * 1, so it is as large as the ball allows. */
static double axes_excess(const instance *i, const measure *m, const double *w) {
  double size = (double)i->size, best = m->norm == SCANT_NORM_2 ? 1 / sqrt(size) : 1 / size, sum = 0;
  for (size_t n = 0; n < i->size; n++) sum += loss_of(m, w ? w[i->place[n]] * i->sign[n] : 0, 1);
  return sum / size - loss_of(m, best, 1);
}

/* E (w.x - y)^2 = |w|^2 - 2 w_i E[x_i y] + 1 with E[x_i y] = 2p: smallest at
 * w = 2p e_i, which is in the ball.  Elsewhere it is |w - 2p e_i|^2 more, so 4p^2
 * at w = 0.  The loss of the theory is half of that. */
static double hidden_excess(const instance *i, const double *w) {
  double sum = 0;
  for (size_t j = 0; j < i->d; j++) {
    double away = (w ? w[j] : 0) - (j == i->place[0] ? 2 * i->p : 0);
    sum += away * away / 2;
  }
  return sum;
}

/* Expected loss when w.x is s[z]. */
static double dense_risk(const measure *m, const double *s) {
  double sum = 0;
  for (unsigned z = 0; z < OUTCOMES; z++)
    sum += ((1 - FLIPPED) * loss_of(m, s[z], mean_of(z)) + FLIPPED * loss_of(m, s[z], -mean_of(z))) / OUTCOMES;
  return sum;
}

/* By symmetry and convexity the best w is c times DH(1,1,1,1)/2, for which w.x
 * is c times the mean of z.  The risk is convex and piecewise linear in c, with
 * corners where |c -+ 1||s| = tube: the best is at a corner or an end. */
static double dense_best(const measure *m) {
  double best = INFINITY;
  for (unsigned corner = 0; corner <= OUTCOMES; corner++) {
    double size = corner < OUTCOMES ? fabs(mean_of(corner)) : 0;
    double c = size > 0 ? fmax(-1, 1 - m->tube / size) : 1, s[OUTCOMES];
    for (unsigned z = 0; z < OUTCOMES; z++) s[z] = c * mean_of(z);
    best = fmin(best, dense_risk(m, s));
  }
  return best;
}

static double dense_excess(const instance *i, const measure *m, const double *w) {
  double s[OUTCOMES] = {0};
  for (unsigned z = 0; w && z < OUTCOMES; z++)
    for (uint32_t j = 0; j < i->d; j++) s[z] += w[j] * dense_value(i, z, j);
  return dense_risk(m, s) - dense_best(m);
}

double instance_excess(const instance *i, const measure *m, const double *w) {
  if (i->kind == INSTANCE_AXES) return axes_excess(i, m, w);
  return i->kind == INSTANCE_HIDDEN ? hidden_excess(i, w) : dense_excess(i, m, w);
}

double instance_zero_excess(const instance *i, const measure *m) {
  return instance_excess(i, m, NULL);
}

/* ---- a run ----------------------------------------------------------------- */

static scant_status open_learner(scant_learner **learner, const lesson *l, size_t d, scant_error *error) {
  scant_settings s;
  char text[32];
  scant_status status = SCANT_OK;
  scant_settings_init(&s);
  s.learning.algorithm = l->algorithm;
  s.learning.seed = l->seed;
  if (l->k) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)l->k);
    status = scant_settings_set(&s, "k", text, error);
  }
  if (status == SCANT_OK && l->smoothing > 0) {
    snprintf(text, sizeof text, "%.17g", l->smoothing);
    status = scant_settings_set(&s, "loss", "insensitive", error);
    if (status == SCANT_OK) status = scant_settings_set(&s, "smoothing", text, error);
  }
  return status == SCANT_OK ? scant_learner_new(learner, &s, d, l->examples, error) : status;
}

scant_status lesson_run(const lesson *l, const instance *i, double *w, uint64_t *bought, scant_error *error) {
  scant_learner *learner = NULL;
  scant_look *look = NULL;
  uint64_t random = ~l->seed; /* the instance was drawn from the seed itself */
  double *values = malloc(i->d * sizeof *values), y;
  scant_status status = values ? open_learner(&learner, l, i->d, error) : SCANT_MEMORY;
  if (status == SCANT_OK) status = scant_look_new(&look, learner, error);
  *bought = 0;
  for (uint64_t t = 0; status == SCANT_OK && t < l->examples; t++) {
    status = scant_learner_ask(learner, look, error);
    if (status != SCANT_OK) break;
    instance_draw(i, &random, look, values, &y);
    status = scant_learner_tell(learner, look, look->count, NULL, values, y, error);
    *bought += look->count;
  }
  if (status == SCANT_OK) scant_learner_weights(learner, w, NULL);
  scant_look_free(look);
  scant_learner_free(learner);
  free(values);
  return status;
}

/* ---- requests ---------------------------------------------------------------- */

int theory_wants(const theory_request *request, const char *algorithm) {
  for (size_t i = 0; i < request->algorithm_count; i++)
    if (!strcmp(request->algorithms[i], algorithm)) return 1;
  return 0;
}

uint64_t theory_seed(const theory_request *request, size_t part, size_t run) {
  uint64_t state = request->seed;
  state = random_next(&state) + part;
  state = random_next(&state) + run;
  return random_next(&state);
}
