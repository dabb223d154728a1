/* Fits whose examples come source by source. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "fit/transcript.h"
#include "learn/learner.h"
#include "price/prices.h"
#include "learn/resolve.h"
#include "model/model.h"

/* Passes take the streams from 1 on, candidates of a tuning those from 2^40, looks by w 2^41.  The row order
 * of a later source follows from the seed and the number of examples so far alone, so it is the same whether
 * the fit went on or was kept and continued. */
#define STREAM_FEED (UINT64_C(1) << 42)

/* ---- is it more of the same? ------------------------------------------------ */

static scant_status check_name(size_t i, const char *now, const char *before, scant_error *error) {
  if (!now || !before || !strcmp(now, before)) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "attribute %zu is '%.100s' in these data, and was '%.100s' before", i + 1, now,
                    before);
}

/* Can a source take the place of another one, apart from names? */
static scant_status check_source(const scant_settings *s, size_t dimension, const scant_source *source,
                                 scant_error *error) {
  if (!scant_source_has_target(source)) return scant_fail(error, SCANT_DATA, "the data have no target to learn");
  if (scant_source_dimension(source) != dimension)
    return scant_fail(error, SCANT_DATA, "these data have %zu attributes, and those before had %zu",
                      scant_source_dimension(source), dimension);
  if (!scant_source_rows(source)) return scant_fail(error, SCANT_DATA, "there are no examples to learn from");
  return scant_fit_check_log_target(s, source, error);
}

/* ---- another source ----------------------------------------------------------- */

scant_status scant_fit_feed(scant_fit *fit, scant_source *source, scant_error *error) {
  scant_fit *f = fit;
  if (f->failed) return scant_fail(error, f->failed, "%s", f->failure.text);
  size_t n = scant_source_rows(source), d = f->learner->dimension;
  SCANT_TRY(check_source(&f->terms.settings, d, source, error));
  for (size_t i = 0; i < d && scant_source_name(source, 0); i++)
    SCANT_TRY(check_name(i, scant_source_name(source, i), scant_source_name(f->source, i), error));
  uint64_t row_order = STREAM_FEED + f->meter->ledger.examples,
           *rows = scant_fit_make_row_order(&f->terms.settings, n, row_order);
  if (!rows) return scant_fail_memory(error);
  scant_status status = scant_meter_turn(f->meter, source, error);
  if (status != SCANT_OK) {
    free(rows);
    return status;
  }
  free(f->rows);
  f->rows = rows;
  f->row_order = row_order;
  f->source = source;
  f->stream = 1;
  f->terms.horizon = 0;
  f->train_count = f->test_start = n;
  f->test_count = 0;
  f->pass = 0;
  f->position = 0; /* nothing is drawn ahead between two calls of advance */
  f->finished = f->spent;
  return SCANT_OK;
}

/* ---- from a model and its learner ----------------------------------------------- */

static scant_status check_settings(const scant_model *m, const scant_learner *l, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char ours[256], theirs[256];
    int of_data = o->offset == offsetof(scant_settings, reading.classes); /* a learner does not hold them */
    if (!(o->scope & SCANT_SCOPE_MODEL) || of_data || !scant_settings_applies(&m->settings, o)) continue;
    scant_settings_get(&m->settings, o, ours, sizeof ours);
    scant_settings_get(&l->settings, o, theirs, sizeof theirs);
    int chosen = o->or_auto && !strcmp(theirs, "auto"); /* the model has what came of it */
    if (strcmp(ours, theirs) != 0 && !chosen)
      return scant_fail(error, SCANT_DATA, "the learner is not that of the model: its %s is %.100s, not %.100s",
                        o->name, theirs, ours);
  }
  return SCANT_OK;
}

static int same_prices(const scant_prices *a, const scant_prices *b) {
  if (!a || !b) return a == b;
  size_t d = a->dimension;
  return !memcmp(a->attribute_cost, b->attribute_cost, d * sizeof *a->attribute_cost) &&
         !memcmp(a->group, b->group, d * sizeof *a->group);
}

/* The regressor of a dense algorithm is that of its last finish, so it is not compared. */
static scant_status check_weights(const scant_model *m, const scant_learner *l, scant_error *error) {
  if (l->engine) return SCANT_OK;
  double intercept, *w = scant_array(m->dimension, sizeof *w);
  if (!w) return scant_fail_memory(error);
  scant_learner_weights(l, w, &intercept);
  int same = intercept == m->intercept && !memcmp(w, m->weights, m->dimension * sizeof *w);
  free(w);
  return same ? SCANT_OK : scant_fail(error, SCANT_DATA, "the learner is not that of the model: its weights differ");
}

static scant_status check_pair(const scant_model *m, const scant_learner *l, scant_error *error) {
  if (l->dimension != m->dimension)
    return scant_fail(error, SCANT_DATA, "the learner is not that of the model: it has %zu attributes, not %zu",
                      l->dimension, m->dimension);
  SCANT_TRY(check_settings(m, l, error));
  if (scant_learner_follows_prices(l) && !same_prices(scant_learner_prices(l), m->prices))
    return scant_fail(error, SCANT_DATA, "the learner is not that of the model: its prices differ");
  uint64_t learned = m->ledger.examples - m->ledger.skipped_examples - m->ledger.refused_examples;
  if (l->told != learned)
    return scant_fail(error, SCANT_DATA, "the learner is not that of the model: it was told %llu examples, not %llu",
                      (unsigned long long)l->told, (unsigned long long)learned);
  if (scant_learner_open_looks(l))
    return scant_fail(error, SCANT_DATA, "the learner has open looks, and that of a fit has none");
  return check_weights(m, l, error);
}

static scant_status check_all(const scant_model *m, const scant_learner *l, const scant_source *source,
                              scant_error *error) {
  SCANT_TRY(check_pair(m, l, error));
  SCANT_TRY(check_source(&m->settings, m->dimension, source, error));
  for (size_t i = 0; i < m->dimension && m->names; i++)
    SCANT_TRY(check_name(i, scant_source_name(source, i), m->names[i], error));
  return SCANT_OK;
}

scant_status scant_fit_continue(scant_fit **fit, const scant_model *model, scant_learner *learner, scant_source *source,
                                scant_error *error) {
  const scant_model *m = model;
  scant_prices *prices = NULL;
  scant_status status = check_all(m, learner, source, error);
  if (status == SCANT_OK && m->prices && !(prices = scant_prices_copy(m->prices))) status = scant_fail_memory(error);
  if (status != SCANT_OK) {
    scant_learner_free(learner);
    return status;
  }
  scant_fit_start start = {prices, learner, 1, STREAM_FEED + m->ledger.examples, 1};
  scant_fit *f;
  SCANT_TRY(scant_fit_begin(&f, &m->settings, &start, source, error));
  f->meter->ledger = m->ledger;
  memcpy(f->meter->purchases, m->purchases, m->dimension * sizeof *m->purchases);
  if (m->ledger.examples) { /* those purchases are gone, and errors of the others alone would be wrong */
    scant_transcript_free(f->transcript);
    f->transcript = NULL;
  }
  status = scant_fit_keep_unpenalised(f, m, error);
  if (status != SCANT_OK) {
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  return SCANT_OK;
}
