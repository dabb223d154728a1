/* What few learns and predicts, images of MNIST or a table, and its runs. */
#include "few.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_dense.h"
#include "scant_engine.h"
#include "scant_full.h"

static const few_curve few_table[FEW_CURVES] = {{"gaussian", FEW_FROM_LOOKS, 1},
                                                {"linear", FEW_FROM_LOOKS, 0},
                                                {"all", FEW_FROM_ALL, 1},
                                                {"fixed-two-valued", FEW_FROM_MOMENTS, 1},
                                                {"fixed", FEW_FROM_MOMENTS, 0}};
const char *const few_image_curves[] = {"gaussian", "linear", "fixed-two-valued", "fixed", NULL};
const char *const few_table_curves[] = {"gaussian", "all", "fixed", NULL};

/* ---- the data ---------------------------------------------------------------- */

enum { IMAGES_K = 56, ROWS_FEWEST = 20 };

static scant_status choose_k(few_data *data, uint64_t preset, scant_error *error) {
  size_t d = data->set.d;
  if (data->k > d)
    return scant_fail(error, SCANT_USAGE, "k = %llu is more than the %zu attributes of the data",
                      (unsigned long long)data->k, d);
  if (!data->k) data->k = preset < d ? preset : d;
  return SCANT_OK;
}

scant_status few_load_images(few_data *data, const char *folder, const char *pair, scant_error *error) {
  scant_status status = images_load(&data->set, folder, pair, error);
  if (status != SCANT_OK) return status;
  size_t comma = strcspn(pair, ","); /* there is one: classes were read by it */
  snprintf(data->title, sizeof data->title, "MNIST %.*s vs %.20s", (int)comma, pair, pair + comma + 1);
  if (!(data->held_out > 0)) data->held_out = 0.1;
  return choose_k(data, IMAGES_K, error);
}

/* ---- tables --------------------------------------------------------------------- */

static scant_status read_rows(few_data *data, scant_source *source, scant_error *error) {
  image_set *m = &data->set;
  m->n = scant_source_rows(source);
  m->d = scant_source_dimension(source);
  if (m->n < ROWS_FEWEST)
    return scant_fail(error, SCANT_DATA, "there are %zu examples, and at least %d are needed", m->n, ROWS_FEWEST);
  m->x = malloc(m->n * m->d * sizeof *m->x);
  m->y = malloc(m->n * sizeof *m->y);
  if (!m->x || !m->y) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; status == SCANT_OK && i < m->n; i++) {
    double *row = m->x + i * m->d;
    status = scant_source_row(source, i, row, error);
    m->y[i] = scant_source_target(source, i);
    low = fmin(low, m->y[i]);
    high = fmax(high, m->y[i]);
    for (size_t j = 0; status == SCANT_OK && j < m->d; j++) data->has_holes |= isnan(row[j]);
  }
  data->range = high - low;
  if (status != SCANT_OK || data->range > 0) return status;
  return scant_fail(error, SCANT_DATA, "the target is the same in all examples");
}

static void set_title(few_data *data, const char *path, int log_target) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  snprintf(data->title, sizeof data->title, "%.80s%s", name, log_target ? ", learned as log(1 + y)" : "");
}

scant_status few_load_table(few_data *data, const char *path, const scant_settings *settings, scant_error *error) {
  scant_settings reading = *settings;
  scant_source *source = NULL;
  data->log_target = settings->reading.log_target;
  reading.reading.log_target = 0; /* targets are compared as they are; a fit takes their logarithms itself */
  scant_status status = scant_source_open(&source, path, &reading, SCANT_TARGET_REQUIRED, error);
  if (status == SCANT_OK) status = read_rows(data, source, error);
  scant_source_free(source);
  if (status != SCANT_OK) return status;
  set_title(data, path, data->log_target);
  if (!(data->held_out > 0)) data->held_out = 0.3;
  return choose_k(data, (data->set.d + 2) / 3 < 2 ? 2 : (data->set.d + 2) / 3, error);
}

/* ---- the moments of all attributes ---------------------------------------------- */

/* The rows with the target as the last column, about their means. */
static double *take_centred(const view *v, double *mean) {
  size_t d = v->d, n = v->n;
  double *x = malloc(n * (d + 1) * sizeof *x), *y = calloc(n, sizeof *y), unused;
  for (size_t i = 0; x && y && i < n; i++) {
    memcpy(x + i * (d + 1), v->x + v->rows[i] * d, d * sizeof *x);
    x[i * (d + 1) + d] = v->y[v->rows[i]];
  }
  if (x && y) scant_dense_center(n, d + 1, x, y, mean, &unused);
  free(y);
  return x;
}

static scant_status note_values(scant_gaussian *g, const view *v, scant_error *error) {
  double *y = malloc(v->n * sizeof *y);
  if (!y) return scant_fail_memory(error);
  for (size_t i = 0; i < v->n; i++) y[i] = v->y[v->rows[i]];
  scant_gaussian_note_values(g, y, v->n, 1);
  free(y);
  return SCANT_OK;
}

static scant_status fill_moments(scant_gaussian *g, const view *v, scant_error *error) {
  size_t n = g->count + 1;
  double *x = take_centred(v, g->mean), *square = malloc(n * n * sizeof *square);
  if (x && square) {
    /* by rows x is v->n x n, so its transpose times itself is the sum over the rows */
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)v->n, 1 / (double)v->n, x, (int)n, 0, square,
                (int)n);
    for (size_t i = 0; i < n; i++) memcpy(g->covariance + i * (i + 1) / 2, square + i * n, (i + 1) * sizeof *square);
  }
  scant_status status = x && square ? SCANT_OK : scant_fail_memory(error);
  free(x);
  free(square);
  return status;
}

scant_status few_full_model(scant_model **model, const view *train, scant_error *error) {
  scant_gaussian *g = NULL;
  scant_status status = scant_gaussian_new(&g, train->d, 0, error);
  if (status == SCANT_OK) status = fill_moments(g, train, error);
  if (status == SCANT_OK) status = note_values(g, train, error);
  if (status != SCANT_OK) {
    scant_gaussian_free(g);
    return status;
  }
  for (size_t j = 0; j < train->d; j++) g->attributes[j] = (uint32_t)j;
  return scant_model_make(model, &(scant_model_parts){.dimension = train->d, .penalty = NAN, .gaussian = g}, error);
}

/* ---- the runs -------------------------------------------------------------------- */

/* A source of a view of the data, whose targets are logarithms where that is learned. */
static scant_status open_part(scant_source **source, const few_data *data, view *part, scant_error *error) {
  scant_status status = open_view(source, part, error);
  return status == SCANT_OK && data->log_target ? scant_source_log_target(*source, error) : status;
}

/* Fits the algorithm gaussian, through the meter. */
static scant_status fit_model(scant_model **model, const few_data *data, few_training training, view *train,
                              uint64_t seed, scant_error *error) {
  scant_settings settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_settings_init(&settings);
  settings.runtime.threads = 1; /* the runs are the threads */
  settings.learning.algorithm = "gaussian";
  settings.learning.k = training == FEW_FROM_ALL ? train->d : data->k;
  settings.learning.missing = SCANT_MISSING_SKIP_CELL;
  settings.reading.log_target = data->log_target;
  settings.run.shuffle = 0; /* the rows are in random order already */
  settings.learning.seed = seed;
  scant_status status = open_part(&source, data, train, error);
  if (status == SCANT_OK) status = fit_whole(&fit, model, &settings, source, error);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* Squared errors of 0 to `most` purchases, in the target's own units. */
static scant_status measure_errors(const few_results *r, const scant_model *model, view *test, double *errors,
                                   scant_error *error) {
  scant_known_scores *scores = malloc((r->most + 1) * sizeof *scores);
  scant_prediction *predictions = malloc(test->n * sizeof *predictions);
  scant_source *source = NULL;
  int log_target = r->data->log_target;
  scant_status status = scores && predictions ? open_view(&source, test, error) : scant_fail_memory(error);
  if (status == SCANT_OK && !log_target)
    status = scant_model_evaluate_few(model, source, r->most, NULL, 0, scores, NULL, error);
  for (size_t k = 0; status == SCANT_OK && k <= r->most; k++) {
    errors[k] = log_target ? 0 : scores[k].scores.squared_error;
    if (log_target) status = scant_model_predict_few(model, source, k, NULL, 0, predictions, NULL, error);
    for (size_t i = 0; status == SCANT_OK && log_target && i < test->n; i++) {
      double away = predictions[i].mean - test->y[test->rows[i]];
      errors[k] += away * away / (double)test->n;
    }
  }
  scant_source_free(source);
  free(predictions);
  free(scores);
  return status;
}

/* Fills the curves of one Gaussian on one split. */
static scant_status score(const few_results *r, size_t run, few_training training, scant_model *model, view *test,
                          scant_error *error) {
  scant_status status = SCANT_OK;
  scant_gaussian *gaussian = scant_model_gaussian(model);
  int two_valued = gaussian ? gaussian->two_valued : 0;
  for (size_t c = 0; status == SCANT_OK && c < r->curve_count; c++) {
    double *errors = few_at(r, c, run);
    if (r->curves[c]->training != training) continue;
    if (gaussian) gaussian->two_valued = two_valued && r->curves[c]->two_valued;
    status = measure_errors(r, model, test, errors, error);
    for (size_t k = 0; r->data->range > 0 && k <= r->most; k++) errors[k] = sqrt(errors[k]) / r->data->range;
  }
  return status;
}

typedef struct {
  const few_results *results;
  uint64_t seed;
  few_training trainings[FEW_TRAININGS]; /* those that are asked for */
  size_t kinds;
} plan;

static scant_status run_job(void *user, size_t job, scant_error *error) {
  const plan *p = user;
  const few_data *data = p->results->data;
  size_t run = job / p->kinds;
  few_training training = p->trainings[job % p->kinds];
  view train, test;
  scant_model *model = NULL;
  uint32_t *rows = split_images(&data->set, data->held_out, p->seed, run, &train, &test);
  if (!rows) return scant_fail_memory(error);
  scant_status status = training == FEW_FROM_MOMENTS
                            ? few_full_model(&model, &train, error)
                            : fit_model(&model, data, training, &train, split_seed(p->seed, run), error);
  if (status == SCANT_OK) status = score(p->results, run, training, model, &test, error);
  scant_model_free(model);
  free(rows);
  return status;
}

static void choose_curves(few_results *r, plan *p, const theory_request *request) {
  int wanted[FEW_TRAININGS] = {0};
  for (size_t i = 0; i < request->algorithm_count; i++)
    for (size_t c = 0; c < FEW_CURVES; c++)
      if (!strcmp(few_table[c].name, request->algorithms[i])) {
        r->curves[r->curve_count++] = &few_table[c];
        wanted[few_table[c].training] = 1;
      }
  for (int t = 0; t < FEW_TRAININGS; t++)
    if (wanted[t]) p->trainings[p->kinds++] = (few_training)t;
}

/* The moments of all attributes are plain sums, which holes and logarithms do not fit. */
static scant_status check_curves(const few_results *r, scant_error *error) {
  const few_data *data = r->data;
  for (size_t c = 0; c < r->curve_count; c++) {
    if (r->curves[c]->training != FEW_FROM_MOMENTS || !(data->has_holes || data->log_target)) continue;
    snprintf(error->text, sizeof error->text, "the curve %s takes neither empty cells nor --log-target: leave it out",
             r->curves[c]->name);
    return SCANT_USAGE;
  }
  return SCANT_OK;
}

scant_status few_run(const theory_request *request, const few_data *data, svg_text *words, scant_error *error) {
  few_results r = {.data = data, .runs = request->runs};
  plan p = {.results = &r, .seed = request->seed};
  r.most = data->set.d < FEW_MOST ? data->set.d : FEW_MOST;
  choose_curves(&r, &p, request);
  scant_status status = check_curves(&r, error);
  if (status != SCANT_OK) return status;
  r.errors = calloc(FEW_CURVES * r.runs * (r.most + 1), sizeof *r.errors);
  if (!r.errors) return scant_fail_memory(error);
  status = pool_run(p.kinds * r.runs, run_job, &p, &request->pool, error);
  if (status == SCANT_OK) status = few_write(&r, request->folder, words, error);
  free(r.errors);
  return status;
}
