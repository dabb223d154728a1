/* From a source to a certified full-information model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "fit/fit.h"
#include "learn/resolve.h"
#include "model/model.h"
#include "scant_solve.h"
#include "dense/full/choose_radius.h"
#include "dense/full/solve.h"

/* What was bought, in learning units; means are 0 without centring. */
typedef struct {
  size_t n, d;
  double *x, *y, *x_mean, *x_scale;
  double y_mean;
} purchases;

static void release(purchases *p) {
  free(p->x);
  free(p->y);
  free(p->x_mean);
  free(p->x_scale);
  *p = (purchases){0};
}

/* A fit of the same examples, whose learner looks at everything: it brings the
 * order of the rows, the meter and the look. */
static scant_status open_carrier(scant_fit **fit, const scant_settings *settings, scant_source *source,
                                 scant_error *error) {
  scant_settings carrier = *settings;
  carrier.algorithm = "online-ridge";
  carrier.radius = 1;
  carrier.loss = SCANT_LOSS_SQUARED;
  carrier.average = SCANT_AVERAGE_LAST;
  carrier.given = 0;
  return scant_fit_new(fit, &carrier, source, error);
}

static int has_missing(const double *x, size_t d) {
  for (size_t j = 0; j < d; j++)
    if (isnan(x[j])) return 1;
  return 0;
}

/* p->n counts the examples to learn from: a skipped one is written over. */
static scant_status buy_all(scant_fit *f, purchases *p, scant_error *error) {
  size_t d = scant_source_dimension(f->source), most = f->train_count;
  if (most > SIZE_MAX / sizeof(double) / d) return scant_fail_memory(error);
  *p = (purchases){.d = d};
  p->x = scant_array(most * d, sizeof *p->x);
  p->y = scant_array(most, sizeof *p->y);
  p->x_mean = scant_array(d, sizeof *p->x_mean);
  p->x_scale = scant_array(d, sizeof *p->x_scale);
  if (!p->x || !p->y || !p->x_mean || !p->x_scale) return scant_fail_memory(error);
  SCANT_TRY(scant_learner_ask(f->learner, f->ahead.looks[0], error));
  for (size_t i = 0; i < most; i++) {
    double *x = p->x + p->n * d;
    scant_status status = scant_meter_buy(f->meter, (size_t)f->rows[i], f->ahead.looks[0], x, &p->y[p->n], error);
    if (status == SCANT_SPENT) {
      f->spent = 1;
      break;
    }
    if (status != SCANT_OK) return status;
    p->n += f->settings.missing != SCANT_MISSING_SKIP_EXAMPLE || !has_missing(x, d);
  }
  f->finished = 1;
  if (f->meter->ledger.examples && !p->n)
    return scant_fail(error, SCANT_DATA, "every example has a missing value, so none is left to learn from");
  if (!p->n) return scant_fail(error, SCANT_DATA, "the budget does not pay for one example of %zu attributes", d);
  return SCANT_OK;
}

/* x_scale: what an attribute is divided by; one that does not vary is left. */
static void standardise(purchases *p) {
  size_t n = p->n, d = p->d;
  for (size_t i = 0; i < n * d; i++) p->x_scale[i % d] += p->x[i] * p->x[i] / (double)n;
  for (size_t j = 0; j < d; j++) p->x_scale[j] = p->x_scale[j] > 0 ? sqrt(p->x_scale[j]) : 1;
  for (size_t i = 0; i < n * d; i++) p->x[i] /= p->x_scale[i % d];
}

static void to_learning_units(purchases *p, const scant_settings *s) {
  size_t n = p->n, d = p->d;
  for (size_t i = 0; i < n * d; i++) p->x[i] /= s->x_bound;
  if (s->center) scant_dense_center(n, d, p->x, p->y, p->x_mean, &p->y_mean);
  if (s->standardise) standardise(p);
  for (size_t j = 0; !s->standardise && j < d; j++) p->x_scale[j] = 1;
}

static scant_reference reference_of(const char *algorithm) {
  if (!strcmp(algorithm, "full-lasso")) return SCANT_FULL_LASSO;
  return !strcmp(algorithm, "full-svr") ? SCANT_FULL_SVR : SCANT_FULL_RIDGE;
}

static scant_status certify(const scant_dense *problem, scant_reference kind, const scant_settings *s, const double *w,
                            const double *beta, scant_certificate *certificate, scant_error *error) {
  certificate->kkt = certificate->gap = NAN;
  if (kind == SCANT_FULL_SVR) {
    scant_gap gap;
    SCANT_TRY(scant_svr_certificate(problem, s->tube, s->radius, w, beta, &gap, error));
    certificate->gap = gap.gap;
    certificate->constraint = gap.constraint;
    return SCANT_OK;
  }
  scant_kkt kkt = {0};
  SCANT_TRY((kind == SCANT_FULL_LASSO ? scant_lasso_certificate : scant_ridge_certificate)(
      problem, s->radius, w, certificate->lambda, &kkt, error));
  certificate->kkt = kkt.kkt;
  certificate->constraint = kkt.constraint;
  return SCANT_OK;
}

static scant_status solve(scant_fit *f, scant_settings *s, scant_model *m, scant_certificate *certificate, purchases *p,
                          scant_error *error) {
  SCANT_TRY(buy_all(f, p, error));
  scant_dense_impute(p->n, p->d, p->x, m->means);
  to_learning_units(p, s);
  scant_dense problem = {.n = p->n, .d = p->d, .x = p->x, .y = p->y};
  scant_reference kind = reference_of(s->algorithm);
  if (isnan(s->radius)) SCANT_TRY(scant_radius_choose(&problem, kind, s->tube, &s->radius, error));
  double *beta = scant_array(p->n, sizeof *beta);
  if (!beta) return scant_fail_memory(error);
  scant_status status =
      scant_reference_solve(&problem, kind, s->tube, s->radius, m->weights, beta, &certificate->lambda, error);
  if (status == SCANT_OK) status = certify(&problem, kind, s, m->weights, beta, certificate, error);
  free(beta);
  if (status != SCANT_OK) return status;
  m->intercept = p->y_mean;
  for (size_t j = 0; j < p->d; j++) {
    m->weights[j] /= p->x_scale[j];
    m->intercept -= m->weights[j] * p->x_mean[j];
    m->weights[j] /= s->x_bound;
  }
  return SCANT_OK;
}

scant_status scant_solve_fit(scant_fit **fit, scant_model **model, scant_certificate *certificate,
                             const scant_settings *settings, scant_source *source, scant_error *error) {
  scant_settings s = *settings;
  SCANT_TRY(scant_settings_resolve(&s, error));
  SCANT_TRY(scant_settings_fit_k(&s, scant_source_dimension(source), error));
  scant_fit *f = NULL;
  scant_model *m = NULL;
  purchases p = {0};
  scant_status status = open_carrier(&f, &s, source, error);
  /* the carrier's model brings ledger, names and target; weights and settings are ours */
  if (status == SCANT_OK) status = scant_fit_model(f, 0, &m, error);
  if (status == SCANT_OK) status = solve(f, &s, m, certificate, &p, error);
  release(&p);
  if (status == SCANT_OK) {
    m->ledger = f->meter->ledger;
    memcpy(m->purchases, f->meter->purchases, m->dimension * sizeof *m->purchases);
    m->eta = m->penalty = NAN;
    status = scant_model_set_settings(m, &s, error);
  }
  if (status != SCANT_OK) {
    scant_model_free(m);
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  *model = m;
  return SCANT_OK;
}
