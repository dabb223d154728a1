/* A program with an engine of its own, in place of that of moments: the slope of the target by each attribute alone. */
#include <scant_engine.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 400, D = 4 };

typedef struct {
  scant_sumtree law;
  double *xy, *xx;
} slopes;

static void slopes_free(void *state) {
  slopes *s = state;
  if (!s) return;
  scant_sumtree_free(&s->law);
  free(s->xy);
  free(s->xx);
  free(s);
}

static scant_status slopes_open(scant_engine_view *l, scant_error *error) {
  SCANT_TRY(scant_engine_check_memory(l, 3 * sizeof(double) * (double)l->dimension, error));
  slopes *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  l->state = s;
  s->xy = scant_array(l->dimension, sizeof *s->xy);
  s->xx = scant_array(l->dimension, sizeof *s->xx);
  return s->xy && s->xx && scant_sumtree_new(&s->law, l->dimension) ? SCANT_OK : scant_fail_memory(error);
}

static scant_status slopes_look(scant_engine_view *l, scant_look *look, scant_error *error) {
  slopes *s = l->state;
  (void)error;
  for (size_t j = 0; j < l->dimension; j++) scant_sumtree_leaves(&s->law)[j] = 1;
  scant_sumtree_rebuild(&s->law);
  for (uint32_t r = 0; r < l->k; r++) {
    uint32_t j = scant_sumtree_draw(&s->law, l->rng);
    scant_look_take(look, j, j);
    scant_sumtree_set(&s->law, j, 0);
  }
  return SCANT_OK;
}

static scant_status slopes_tell(scant_engine_view *l, const scant_look *look, const double *values, double y,
                                scant_error *error) {
  slopes *s = l->state;
  (void)error;
  for (uint32_t r = 0; r < look->count; r++) {
    s->xy[look->attributes[r]] += values[r] * y;
    s->xx[look->attributes[r]] += values[r] * values[r];
  }
  return SCANT_OK;
}

static scant_status slopes_finish(scant_engine_view *l, scant_error *error) {
  (void)l;
  (void)error;
  return SCANT_OK;
}

static void slopes_weights(const scant_engine_view *l, double *w, double *intercept) {
  const slopes *s = l->state;
  for (size_t j = 0; j < l->dimension; j++) w[j] = s->xx[j] > 0 ? s->xy[j] / s->xx[j] : 0;
  *intercept = l->target->mean;
}

static void slopes_facts(const scant_engine_view *l, scant_learner_facts *facts) {
  (void)l;
  (void)facts;
}

static const scant_engine engine = {.algorithm = "moments",
                                    .open = slopes_open,
                                    .free = slopes_free,
                                    .look = slopes_look,
                                    .tell = slopes_tell,
                                    .finish = slopes_finish,
                                    .weights = slopes_weights,
                                    .facts = slopes_facts};

int main(void) {
  static double x[ROWS * D], y[ROWS];
  const scant_engine *engines[] = {&engine, NULL};
  scant_settings settings;
  scant_error error = {""};
  scant_source *source;
  scant_fit *fit;
  scant_model *model;
  int done;
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < D; j++) x[i * D + j] = i >> j & 1 ? 1 : -1;
    y[i] = 2 * x[i * D] - x[i * D + 2];
  }
  scant_settings_init(&settings);
  settings.runtime.engines = engines;
  scant_settings_set(&settings, "algorithm", "moments", &error);
  scant_settings_set(&settings, "k", "2", &error);
  scant_settings_set(&settings, "clip", "none", &error);
  if (scant_source_wrap(&source, SCANT_FLOAT64, x, ROWS, D, D * sizeof *x, sizeof *x, y, &error) != SCANT_OK ||
      scant_fit_new(&fit, &settings, source, &error) != SCANT_OK ||
      scant_fit_advance(fit, ROWS, &done, &error) != SCANT_OK || scant_fit_model(fit, 0, &model, &error) != SCANT_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  const double *w = scant_model_weights(model);
  for (int j = 0; j < D; j++) printf("%.0f%c", fabs(w[j]) < 0.5 ? 0 : w[j], j + 1 < D ? ' ' : '\n');
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  return 0;
}
