/* Ways into a fit: from settings, from a model and its learner, and on to another source. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "learn/learner.h"
#include "learn/resolve.h"
#include "model/model.h"
#include "price/prices.h"

/* Passes take the random streams from 1 on, candidates of a tuning those from 2^40, looks by w 2^41.  The row order of
 * a later source follows from the seed and the number of examples so far alone, so it is the same whether the fit went
 * on or was kept and continued. */
#define STREAM_FEED (UINT64_C(1) << 42)

/* ---- the order of the rows --------------------------------------------------------- */

static void shuffle(uint64_t *rows, size_t count, uint64_t seed, uint64_t stream) {
  scant_rng rng;
  scant_rng_seed(&rng, seed, stream);
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)scant_rng_below64(&rng, i);
    uint64_t row = rows[i - 1];
    rows[i - 1] = rows[j];
    rows[j] = row;
  }
}

/* The rows in the order of the first pass; NULL: out of memory. */
static uint64_t *make_row_order(const scant_settings *settings, size_t count, uint64_t row_order) {
  uint64_t *rows = scant_array(count, sizeof *rows);
  if (!rows) return NULL;
  for (size_t i = 0; i < count; i++) rows[i] = i;
  if (settings->run.shuffle) shuffle(rows, count, settings->learning.seed, row_order + 1);
  return rows;
}

static void count_rows(scant_fit *f, const scant_settings *s) {
  size_t n = scant_source_rows(f->source);
  f->test_count = f->stream ? 0 : (size_t)floor(s->run.split * (double)n + 0.5);
  f->test_start = n - f->test_count;
  f->train_count = f->test_start;
  if (!f->stream && s->run.examples && s->run.examples < f->train_count) f->train_count = (size_t)s->run.examples;
}

static scant_status order_rows(scant_fit *f, scant_error *error) {
  const scant_settings *s = &f->terms.settings;
  size_t n = scant_source_rows(f->source);
  f->rows = make_row_order(s, n, f->row_order);
  if (!f->rows) return scant_fail_memory(error);
  if (!f->stream && s->run.split > 0 && !f->test_count)
    return scant_fail(error, SCANT_DATA, "split %g of %zu examples holds out none", s->run.split, n);
  if (!f->train_count) return scant_fail(error, SCANT_DATA, "there are no examples to learn from");
  return SCANT_OK;
}

/* Every pass has a row order of its own; streams 2, 3, ... follow the first. */
void scant_fit_start_pass(scant_fit *f, uint64_t pass) {
  f->pass = pass;
  f->position = 0;
  if (pass && f->terms.settings.run.shuffle)
    shuffle(f->rows, f->train_count, f->terms.settings.learning.seed, f->row_order + pass + 1);
}

/* ---- the start --------------------------------------------------------------------- */

/* The engines and the watcher stay until there is a learner. */
static scant_status keep_texts(scant_fit *f, scant_error *error) {
  const char *classes = f->terms.settings.reading.classes;
  scant_runtime runtime = f->terms.settings.runtime;
  scant_settings_own(&f->terms.settings);
  f->terms.settings.runtime = runtime;
  if (!classes) return SCANT_OK;
  f->terms.settings.reading.classes = f->classes = scant_copy_text(classes, strlen(classes));
  return f->classes ? SCANT_OK : scant_fail_memory(error);
}

/* Prices steer looks that can follow them, and are charged in any case.  A learner that goes on follows the
 * same prices already; from now on it uses the fit's copy. */
static scant_status start_prices(scant_fit *f, int goes_on, scant_error *error) {
  const scant_settings *s = &f->terms.settings;
  uint64_t spend = 0, budget_cost = 0;
  if (!f->prices) {
    if (s->learning.spend > 0 || s->run.budget_cost > 0 || !s->learning.thrift)
      return scant_fail(error, SCANT_USAGE, "spend, budget-cost and no-thrift need costs (option costs)");
    return SCANT_OK;
  }
  if (goes_on)
    scant_learner_move_prices(f->learner, f->prices);
  else if (scant_learner_follows_prices(f->learner))
    SCANT_TRY(scant_learner_price(f->learner, f->prices, error));
  scant_money_of(s->learning.spend, &spend);
  scant_money_of(s->run.budget_cost, &budget_cost);
  return scant_meter_price(f->meter, f->prices, spend, budget_cost, error);
}

/* SCANT_USAGE if targets are logarithms on one side only. */
static scant_status check_log_target(const scant_settings *s, const scant_source *source, scant_error *error) {
  if (!s->reading.log_target == !source->log_target) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "log-target is %s in the settings, but %s in the data",
                    s->reading.log_target ? "yes" : "no", source->log_target ? "yes" : "no");
}

const char *scant_fit_name_at(const void *source, size_t attribute) {
  return scant_source_name(source, attribute);
}

static scant_status start_fit(scant_fit *f, const scant_settings *settings, int resolved, scant_error *error) {
  int goes_on = f->learner != NULL;
  count_rows(f, settings);
  const scant_extent extent = {.dimension = scant_source_dimension(f->source),
                               .examples = f->stream ? 0 : (uint64_t)f->train_count * settings->learning.passes,
                               .prices = f->prices,
                               .limited = 1};
  SCANT_TRY(resolved ? scant_terms_recall(&f->terms, settings, &extent, error)
                     : scant_terms_make(&f->terms, settings, &extent, error));
  SCANT_TRY(keep_texts(f, error));
  SCANT_TRY(check_log_target(&f->terms.settings, f->source, error));
  if (!f->stream)
    SCANT_TRY(scant_source_check_columns(f->source, error)); /* a batch may lack every value of a column */
  SCANT_TRY(order_rows(f, error));
  if (!goes_on) SCANT_TRY(scant_learner_of_terms(&f->learner, &f->terms, error));
  SCANT_TRY(scant_fit_start_errors(f, error));
  if (settings->learning.errors_of)
    SCANT_TRY(
        scant_learner_unpenalise_named(f->learner, settings->learning.errors_of, scant_fit_name_at, f->source, error));
  SCANT_TRY(scant_ahead_new(&f->ahead, f->learner, error));
  f->terms.settings.runtime.engines = NULL; /* the list may not outlive the fit */
  f->terms.settings.runtime.watch = NULL;
  f->terms.settings.runtime.watcher = NULL;
  scant_fit_note_settings(f);
  SCANT_TRY(scant_meter_new(&f->meter, f->source, f->terms.parts->words.strict ? f->terms.settings.learning.k : 0,
                            f->terms.settings.run.budget, error));
  SCANT_TRY(start_prices(f, goes_on, error));
  scant_meter_set_missing(f->meter, (scant_missing)f->terms.settings.learning.missing);
  scant_meter_set_observed(f->meter, f->terms.settings.learning.observed);
  return SCANT_OK;
}

/* From the file that the settings name, else from the source, or from a model; NULL: there are none. */
static scant_status find_prices(scant_fit *f, const scant_settings *settings, const scant_model *from,
                                scant_error *error) {
  if (!from && settings->run.costs) return scant_prices_load(&f->prices, settings->run.costs, f->source, error);
  if (!from) return scant_source_copy_prices(f->source, &f->prices, error);
  if (from->prices) f->prices = scant_prices_copy(from->prices);
  return from->prices && !f->prices ? scant_fail_memory(error) : SCANT_OK;
}

/* Ledger, purchases and unpenalised attributes of a model. */
static scant_status recall(scant_fit *f, const scant_settings *settings, const scant_model *from, scant_error *error) {
  f->meter->ledger = from->ledger;
  memcpy(f->meter->purchases, from->purchases, from->dimension * sizeof *from->purchases);
  if (!from->unpenalised || settings->learning.errors_of) return SCANT_OK;
  f->terms.settings.run.errors = 1; /* looks and weights depend on it */
  return scant_unpenalised_set(f->learner, from->unpenalised, error);
}

scant_status scant_fit_begin(scant_fit **fit, const scant_settings *settings, scant_source *source,
                             const scant_model *from, scant_learner *learner, int stream, scant_error *error) {
  scant_fit *f = scant_array(1, sizeof *f);
  if (!f) {
    scant_learner_free(learner);
    return scant_fail_memory(error);
  }
  f->source = source;
  f->learner = learner;
  f->stream = stream;
  if (learner) f->row_order = STREAM_FEED + from->ledger.examples;
  scant_status status = find_prices(f, settings, from, error);
  if (status == SCANT_OK && !scant_source_has_target(source))
    status = scant_fail(error, SCANT_DATA, "the data have no target to learn");
  if (status == SCANT_OK) status = start_fit(f, settings, from != NULL, error);
  if (status == SCANT_OK && from) status = recall(f, settings, from, error);
  if (status != SCANT_OK) {
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  return SCANT_OK;
}

scant_status scant_fit_new(scant_fit **fit, const scant_settings *settings, scant_source *source, scant_error *error) {
  return scant_fit_begin(fit, settings, source, NULL, NULL, 0, error);
}

scant_status scant_fit_stream(scant_fit **fit, const scant_settings *s, scant_source *source, scant_error *error) {
  const char *wrong = s->run.split > 0         ? "split"
                      : s->run.examples        ? "examples"
                      : s->learning.passes > 1 ? "more than one pass"
                                               : NULL;
  if (wrong)
    return scant_fail(error, SCANT_USAGE, "%s can't be had of examples that come source by source, each once", wrong);
  return scant_fit_begin(fit, s, source, NULL, NULL, 1, error);
}

void scant_fit_free(scant_fit *fit) {
  if (!fit) return;
  scant_looks_file_free(fit->looks);
  scant_learner_free(fit->learner);
  scant_ahead_free(&fit->ahead);
  scant_meter_free(fit->meter);
  scant_prices_free(fit->prices);
  free(fit->rows);
  scant_fit_rows_free(&fit->bought);
  free(fit->classes);
  scant_transcript_free(fit->transcript);
  free(fit->row_group);
  free(fit);
}

/* ---- another source ----------------------------------------------------------- */

/* Can a source take the place of those of a model, or of the one before it? */
static scant_status check_source(const scant_settings *s, size_t dimension, const scant_model *model,
                                 const scant_source *before, const scant_source *source, scant_error *error) {
  if (!scant_source_has_target(source)) return scant_fail(error, SCANT_DATA, "the data have no target to learn");
  if (scant_source_dimension(source) != dimension)
    return scant_fail(error, SCANT_DATA, "these data have %zu attributes, and those before had %zu",
                      scant_source_dimension(source), dimension);
  if (!scant_source_rows(source)) return scant_fail(error, SCANT_DATA, "there are no examples to learn from");
  SCANT_TRY(check_log_target(s, source, error));
  for (size_t i = 0; i < dimension; i++) {
    const char *now = scant_source_name(source, i),
               *then = model ? scant_model_name(model, i) : scant_source_name(before, i);
    if (now && then && strcmp(now, then) != 0)
      return scant_fail(error, SCANT_DATA, "attribute %zu is '%.100s' in these data, and was '%.100s' before", i + 1,
                        now, then);
  }
  return SCANT_OK;
}

scant_status scant_fit_feed(scant_fit *f, scant_source *source, scant_error *error) {
  if (f->failed) return scant_fail(error, f->failed, "%s", f->failure.text);
  size_t n = scant_source_rows(source), d = f->learner->dimension;
  SCANT_TRY(check_source(&f->terms.settings, d, NULL, f->source, source, error));
  uint64_t row_order = STREAM_FEED + f->meter->ledger.examples,
           *rows = make_row_order(&f->terms.settings, n, row_order);
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
  count_rows(f, &f->terms.settings);
  scant_fit_start_pass(f, 0); /* nothing is drawn ahead between two calls of advance */
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

int scant_fit_prices_are_same(const scant_prices *a, const scant_prices *b) {
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
  if (scant_learner_follows_prices(l) && !scant_fit_prices_are_same(scant_learner_prices(l), m->prices))
    return scant_fail(error, SCANT_DATA, "the learner is not that of the model: its prices differ");
  uint64_t learned = m->ledger.examples - m->ledger.skipped_examples - m->ledger.refused_examples;
  if (l->told != learned)
    return scant_fail(error, SCANT_DATA, "the learner is not that of the model: it was told %llu examples, not %llu",
                      (unsigned long long)l->told, (unsigned long long)learned);
  if (scant_learner_open_looks(l))
    return scant_fail(error, SCANT_DATA, "the learner has open looks, and that of a fit has none");
  return check_weights(m, l, error);
}

scant_status scant_fit_continue(scant_fit **fit, const scant_model *m, scant_learner *learner, scant_source *source,
                                scant_error *error) {
  scant_fit *f;
  scant_status status = check_pair(m, learner, error);
  if (status == SCANT_OK) status = check_source(&m->settings, m->dimension, m, NULL, source, error);
  if (status != SCANT_OK) {
    scant_learner_free(learner);
    return status;
  }
  SCANT_TRY(scant_fit_begin(&f, &m->settings, source, m, learner, 1, error));
  if (m->ledger.examples) { /* those purchases are gone, and errors of the others alone would be wrong */
    scant_transcript_free(f->transcript);
    f->transcript = NULL;
  }
  *fit = f;
  return SCANT_OK;
}
