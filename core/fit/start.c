/* The start of a fit: its row order, its learner, its meter, its prices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "fit/looks_file.h"
#include "learn/learner.h"
#include "fit/transcript.h"
#include "learn/resolve.h"
#include "price/prices.h"

/* The engines, and who watches, stay until there is a learner. */
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
static scant_status price_learner(scant_fit *f, int goes_on, scant_error *error) {
  if (goes_on) scant_learner_move_prices(f->learner, f->prices);
  if (goes_on || !scant_learner_follows_prices(f->learner)) return SCANT_OK;
  return scant_learner_price(f->learner, f->prices, error);
}

static scant_status start_prices(scant_fit *f, int goes_on, scant_error *error) {
  const scant_settings *s = &f->terms.settings;
  uint64_t spend = 0, budget_cost = 0;
  if (!f->prices) {
    if (s->learning.spend > 0 || s->run.budget_cost > 0 || !s->learning.thrift)
      return scant_fail(error, SCANT_USAGE, "spend, budget-cost and no-thrift need costs (option costs)");
    return SCANT_OK;
  }
  SCANT_TRY(price_learner(f, goes_on, error));
  scant_money_of(s->learning.spend, &spend);
  scant_money_of(s->run.budget_cost, &budget_cost);
  return scant_meter_price(f->meter, f->prices, spend, budget_cost, error);
}

scant_status scant_fit_check_log_target(const scant_settings *s, const scant_source *source, scant_error *error) {
  if (!s->reading.log_target == !source->log_target) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "log-target is %s in the settings, but %s in the data",
                    s->reading.log_target ? "yes" : "no", source->log_target ? "yes" : "no");
}

static const char *name_of(const void *source, size_t attribute) {
  return scant_source_name(source, attribute);
}

/* Which attributes errors-of names, as long as its text is there. */
static scant_status find_unpenalised(scant_fit *f, scant_error *error) {
  const char *list = f->terms.settings.learning.errors_of;
  size_t d = scant_source_dimension(f->source);
  if (!list) return SCANT_OK;
  f->unpenalised = scant_array(d, 1);
  if (!f->unpenalised) return scant_fail_memory(error);
  return scant_unpenalised_parse(list, d, name_of, f->source, f->unpenalised, error);
}

/* A batch may lack every value of a column. */
static scant_status check_columns(const scant_fit *f, scant_error *error) {
  return f->stream ? SCANT_OK : scant_source_check_columns(f->source, error);
}

static scant_status make_terms(scant_fit *f, const scant_settings *settings, int resolved, scant_error *error) {
  scant_fit_count_rows(f, settings);
  const scant_extent extent = {.dimension = scant_source_dimension(f->source),
                               .examples = f->stream ? 0 : (uint64_t)f->train_count * settings->learning.passes,
                               .prices = f->prices,
                               .limited = 1};
  return resolved ? scant_terms_recall(&f->terms, settings, &extent, error)
                  : scant_terms_make(&f->terms, settings, &extent, error);
}

static scant_status start_fit(scant_fit *f, const scant_settings *settings, int resolved, scant_error *error) {
  int goes_on = f->learner != NULL;
  SCANT_TRY(make_terms(f, settings, resolved, error));
  SCANT_TRY(find_unpenalised(f, error));
  SCANT_TRY(keep_texts(f, error));
  SCANT_TRY(scant_fit_check_log_target(&f->terms.settings, f->source, error));
  SCANT_TRY(check_columns(f, error));
  SCANT_TRY(scant_fit_order_rows(f, error));
  if (!goes_on) SCANT_TRY(scant_learner_of_terms(&f->learner, &f->terms, error));
  SCANT_TRY(scant_fit_start_errors(f, error));
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

scant_status scant_fit_begin(scant_fit **fit, const scant_settings *settings, const scant_fit_start *start,
                             scant_source *source, scant_error *error) {
  scant_fit *f = scant_array(1, sizeof *f);
  if (!f) {
    scant_prices_free(start->prices);
    scant_learner_free(start->learner);
    return scant_fail_memory(error);
  }
  f->source = source;
  f->prices = start->prices;
  f->learner = start->learner;
  f->stream = start->stream;
  f->row_order = start->row_order;
  scant_status status = scant_source_has_target(source)
                            ? start_fit(f, settings, start->resolved, error)
                            : scant_fail(error, SCANT_DATA, "the data have no target to learn");
  if (status != SCANT_OK) {
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  return SCANT_OK;
}

scant_status scant_fit_find_prices(scant_prices **prices, const scant_settings *settings, const scant_source *source,
                                   scant_error *error) {
  if (settings->run.costs) return scant_prices_load(prices, settings->run.costs, source, error);
  return scant_source_copy_prices(source, prices, error);
}

scant_status scant_fit_new(scant_fit **fit, const scant_settings *settings, scant_source *source, scant_error *error) {
  scant_fit_start start = {0};
  SCANT_TRY(scant_fit_find_prices(&start.prices, settings, source, error));
  return scant_fit_begin(fit, settings, &start, source, error);
}

scant_status scant_fit_stream(scant_fit **fit, const scant_settings *settings, scant_source *source,
                              scant_error *error) {
  const scant_settings *s = settings;
  const char *wrong = s->run.split > 0         ? "split"
                      : s->run.examples        ? "examples"
                      : s->learning.passes > 1 ? "more than one pass"
                                               : NULL;
  if (wrong)
    return scant_fail(error, SCANT_USAGE, "%s can't be had of examples that come source by source, each once", wrong);
  scant_fit_start start = {.stream = 1};
  SCANT_TRY(scant_fit_find_prices(&start.prices, settings, source, error));
  return scant_fit_begin(fit, settings, &start, source, error);
}

void scant_fit_free(scant_fit *fit) {
  if (!fit) return;
  scant_looks_file_free(fit->looks);
  scant_learner_free(fit->learner);
  scant_ahead_free(&fit->ahead);
  scant_meter_free(fit->meter);
  scant_prices_free(fit->prices);
  free(fit->rows);
  free(fit->values);
  free(fit->targets);
  free(fit->classes);
  scant_transcript_free(fit->transcript);
  free(fit->row_group);
  free(fit->unpenalised);
  free(fit);
}
