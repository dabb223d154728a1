/* The results of a study: its status, risk, models and predictions. */
#include "study.h"

/* Learns everything anew for a new transcript, which the caller frees, whatever comes of it. */
static scant_status transcribe(scant_study *study, scant_transcript **transcript, scant_error *error) {
  SCANT_TRY(scant_transcript_new(transcript, study->settings.runtime.memory, error));
  const study_listener listener = {.transcript = *transcript};
  return study_relearn_for(study, &listener, error);
}

/* Everything that is read of the file comes first: to judge takes long, and nobody is to wait for it. */
scant_status scant_study_get_status(scant_study *s, scant_study_status *status, scant_error *error) {
  SCANT_TRY(scant_study_get_counts(s, status, error));
  if (s->judged_at != s->tip.sequence + 1) {
    scant_transcript *transcript = NULL;
    scant_status found = SCANT_OK;
    s->judged_at = 0;
    if (scant_learner_risk_needs_transcript(s->learner, s->settings.runtime.engines)) {
      SCANT_TRY(study_enter(s, error));
      found = study_leave(s, transcribe(s, &transcript, error));
    }
    uint64_t at = s->tip.sequence + 1;
    if (found == SCANT_OK)
      found = scant_learner_risk(s->learner, s->settings.runtime.engines, transcript, SIZE_MAX, &s->risk,
                                 &s->risk_error, error);
    scant_transcript_free(transcript);
    SCANT_TRY(found);
    s->judged_at = at;
  }
  status->risk = s->risk;
  status->risk_error = s->risk_error;
  return SCANT_OK;
}

/* Points at even numbers of examples, the last one included. */
typedef struct study_curve {
  scant_study_risk *points;
  size_t count, next;
} study_curve;

scant_status study_note_point(scant_study *study, study_curve *c, scant_error *error) {
  if (c->next == c->count || study_learner_told(study) != c->points[c->next].examples) return SCANT_OK;
  scant_study_risk *p = &c->points[c->next++];
  return scant_learner_risk(study->learner, NULL, NULL, 0, &p->risk, &p->risk_error, error);
}

/* Where it can't be judged by others, it judges itself while everything is told once more. */
static scant_status follow_curve(scant_study *s, study_curve *c, scant_error *error) {
  scant_learner_traits traits;
  SCANT_TRY(study_enter(s, error));
  uint64_t told = study_learner_told(s);
  if (told < c->count) c->count = (size_t)told;
  for (size_t i = 0; i < c->count; i++)
    c->points[i] = (scant_study_risk){
        .examples = (uint64_t)((double)told * (double)(i + 1) / (double)c->count), .risk = NAN, .risk_error = NAN};
  scant_learner_get_traits(s->learner, &traits);
  scant_transcript *transcript = NULL;
  const study_listener listener = {.curve = c};
  scant_status status = traits.retold ? transcribe(s, &transcript, error) : study_relearn_for(s, &listener, error);
  status = study_leave(s, status);
  if (status == SCANT_OK && !traits.retold) status = study_note_point(s, c, error);
  for (size_t i = 0; status == SCANT_OK && i < c->count && traits.retold; i++) {
    scant_study_risk *p = &c->points[i];
    status = scant_learner_risk(s->learner, s->settings.runtime.engines, transcript, (size_t)p->examples, &p->risk,
                                &p->risk_error, error);
  }
  scant_transcript_free(transcript);
  return status;
}

scant_status scant_study_get_risks(scant_study *study, size_t most, scant_study_risk *risks, size_t *count,
                                   scant_error *error) {
  study_curve curve = {.points = risks, .count = most};
  *count = 0;
  SCANT_TRY(follow_curve(study, &curve, error));
  *count = curve.count;
  return SCANT_OK;
}

/* ---- status ------------------------------------------------------------------------ */

/* What the end of the ledger says. */
static scant_status get_totals(scant_study *s, scant_study_status *status, scant_error *error) {
  *status = (scant_study_status){.events = s->tip.sequence,
                                 .open = s->tip.open,
                                 .spent = s->tip.totals.spent,
                                 .reserved = s->tip.totals.reserved,
                                 .budget_cost = (uint64_t)llround(100 * s->settings.run.budget_cost),
                                 .budget = s->settings.run.budget,
                                 .attributes_reserved = s->tip.totals.attributes,
                                 .risk = NAN,
                                 .risk_error = NAN};
  uint64_t counts[STUDY_STATES];
  if (study_is_shared_now(s))
    SCANT_TRY(study_count_orders(s, counts, &status->open, error)); /* others change it, too */
  return study_is_unswept(s, &status->unswept, error);
}

scant_status scant_study_get_totals(scant_study *study, scant_study_status *status, scant_error *error) {
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, get_totals(study, status, error));
}

static scant_status get_counts(scant_study *s, scant_study_status *status, scant_error *error) {
  uint64_t counts[STUDY_STATES];
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(get_totals(s, status, error));
  SCANT_TRY(study_count_orders(s, counts, &status->open, error));
  for (int i = 0; i < STUDY_STATES; i++) status->orders += counts[i];
  status->learned = counts[SCANT_ORDER_LEARNED];
  status->cancelled = counts[SCANT_ORDER_CANCELLED];
  status->expired = counts[SCANT_ORDER_EXPIRED];
  status->failed = counts[SCANT_ORDER_FAILED];
  status->erased = counts[SCANT_ORDER_ERASED];
  const sql_value learned = sql_count(SCANT_ORDER_LEARNED), differs = sql_count(SCANT_SECOND_DIFFERS);
  SCANT_TRY(study_read_single(
      s, "SELECT sum(l.attributes) FROM orders o JOIN ledger l ON l.sequence = o.asked WHERE o.state = ?1", &learned,
      &status->attributes_bought, error));
  SCANT_TRY(study_query_row(s,
                            "SELECT total(age), max(age), count(*) FROM (SELECT max(learned_told - asked_told, 0) AS "
                            "age FROM orders WHERE learned_told IS NOT NULL)",
                            NULL, &statement, &row, error));
  double ages = row ? sqlite3_column_double(statement, 0) : 0, count = row ? sqlite3_column_double(statement, 2) : 0;
  status->mean_age = count > 0 ? ages / count : 0;
  status->most_age = row ? study_column_count(statement, 1) : 0;
  sqlite3_reset(statement);
  SCANT_TRY(study_read_single(
      s, "SELECT (SELECT count(*) FROM line WHERE second = ?1) + (SELECT count(*) FROM orders WHERE second = ?1)",
      &differs, &status->differ, error));
  return study_read_single(s, "SELECT count(*) FROM import", NULL, &status->imported, error);
}

scant_status scant_study_get_counts(scant_study *study, scant_study_status *status, scant_error *error) {
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, get_counts(study, status, error));
}

/* The first `count` attributes. */
static scant_status count_purchases(scant_study *s, size_t count, uint64_t *purchases, uint64_t *money,
                                    scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  /* a group is paid at its first member when any of it is measured */
  static const char sql[] =
      "SELECT l.attribute, sum(l.state > 0), sum(CASE WHEN l.state > 0 OR (l.price > 0 AND "
      "EXISTS(SELECT 1 FROM line m WHERE m.number = l.number AND m.item = l.item AND m.state > 0)) "
      "THEN l.price ELSE 0 END) FROM line l GROUP BY l.attribute";
  SCANT_TRY(study_query(s, sql, NULL, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    int64_t attribute = sqlite3_column_int64(statement, 0);
    if (attribute < 0 || attribute >= (int64_t)s->dimension)
      return scant_fail(error, SCANT_DATA, "a line of the study is of an attribute that is not in the catalogue");
    if (attribute >= (int64_t)count) continue;
    purchases[attribute] = study_column_count(statement, 1);
    money[attribute] = study_column_count(statement, 2);
  }
}

scant_status scant_study_purchases(scant_study *study, uint64_t *purchases, uint64_t *money, scant_error *error) {
  size_t count = study->dimension; /* the caller knows of no more */
  memset(purchases, 0, count * sizeof *purchases);
  memset(money, 0, count * sizeof *money);
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, count_purchases(study, count, purchases, money, error));
}

/* Counts the current learned order as a fit would. */
static void count_order(const scant_study *s, scant_ledger *ledger, uint64_t *purchases) {
  study_totals price = study_price(s, STUDY_ALL);
  uint64_t missing = 0;
  for (size_t i = 0; i < s->order.count; i++) {
    purchases[s->lines[i].attribute]++;
    missing += s->lines[i].state == SCANT_LINE_MISSING;
  }
  ledger->examples++;
  ledger->distinct_examples++;
  ledger->looks_drawn += s->order.count;
  ledger->attributes_bought += price.attributes;
  ledger->money_spent += s->unpriced && s->prices ? price.attributes : price.spent; /* one hundredth each */
  ledger->missing_cells += missing;
  ledger->skipped_examples += missing && s->settings.learning.missing == SCANT_MISSING_SKIP_EXAMPLE;
  if (price.attributes > ledger->max_bought_per_example) ledger->max_bought_per_example = price.attributes;
}

/* The names of the attributes, for the caller to free (not the texts); NULL: out of memory. */
static const char **make_names(const scant_study *s) {
  const char **names = scant_array(s->dimension, sizeof *names);
  for (size_t i = 0; names && i < s->dimension; i++) names[i] = s->catalogue[i].name;
  return names;
}

static scant_status make_model(scant_study *s, scant_model **model, scant_error *error) {
  uint64_t *purchases = scant_array(s->dimension, sizeof *purchases), number = 0, imported = 0;
  const char **names = make_names(s);
  scant_ledger ledger = {0};
  sqlite3_stmt *walk = NULL;
  scant_status status = purchases && names ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = study_walk_learned(s, &walk, error);
  for (int more = 1; status == SCANT_OK && more;) {
    status = study_next_learned(s, walk, &number, &more, error);
    if (status == SCANT_OK && more) count_order(s, &ledger, purchases);
  }
  if (status == SCANT_OK) status = study_read_single(s, "SELECT count(*) FROM import", NULL, &imported, error);
  ledger.examples += imported; /* they were learned from, and nothing was bought for that */
  ledger.distinct_examples += imported;
  if (status == SCANT_OK)
    status = scant_learner_model(s->learner, names, s->target, s->prices, &ledger, purchases, model, error);
  if (status == SCANT_OK && s->amended) scant_model_set_amended(*model); /* bought at the terms of the day */
  free(names);
  free(purchases);
  return status;
}

/* Brings learner and regressor up to date, outside of every transaction: a dense algorithm may think for long. */
static scant_status finish(scant_study *s, scant_error *error) {
  SCANT_TRY(study_enter(s, error));
  SCANT_TRY(study_leave(s, SCANT_OK));
  return scant_learner_finish(s->learner, error);
}

scant_status scant_study_model(scant_study *study, scant_model **model, scant_error *error) {
  SCANT_TRY(finish(study, error));
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, make_model(study, model, error));
}

static scant_status make_errors(scant_study *s, const char *errors_of, scant_transcript **transcript,
                                scant_model **model, scant_error *error) {
  scant_learner_traits traits;
  SCANT_TRY(scant_learner_check_errors(s->learner, error));
  if (errors_of) SCANT_TRY(scant_learner_unpenalise_named(s->learner, errors_of, study_name_at, s, error));
  scant_learner_get_traits(s->learner, &traits);
  if (!traits.own_errors) SCANT_TRY(transcribe(s, transcript, error));
  SCANT_TRY(make_model(s, model, error));
  return scant_learner_errors(s->learner, *transcript, *model, error);
}

scant_status scant_study_model_errors(scant_study *study, const char *errors_of, scant_model **model,
                                      scant_error *error) {
  scant_transcript *transcript = NULL;
  scant_model *made = NULL;
  SCANT_TRY(study_enter(study, error));
  scant_status status = study_leave(study, make_errors(study, errors_of, &transcript, &made, error));
  if (errors_of) scant_learner_unpenalise(study->learner, NULL, 0, NULL);
  scant_transcript_free(transcript);
  if (status != SCANT_OK) {
    scant_model_free(made);
    return status;
  }
  *model = made;
  return SCANT_OK;
}

/* ---- predictions from what is known --------------------------------------------------------- */

/* Fits the algorithm gaussian with the option observed to all that was told. */
static scant_status fit_gaussian(scant_study *s, const study_table *t, scant_model **model, scant_error *error) {
  scant_settings settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  int done = 0;
  scant_settings_init(&settings);
  settings.runtime.engines = s->settings.runtime.engines;
  settings.runtime.threads = s->settings.runtime.threads;
  settings.runtime.memory = s->settings.runtime.memory;
  scant_status status = scant_settings_set(&settings, "algorithm", "gaussian", error);
  if (status == SCANT_OK) status = scant_settings_set(&settings, "observed", "yes", error);
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, t->x, t->rows, s->dimension,
                               (ptrdiff_t)(s->dimension * sizeof *t->x), sizeof *t->x, t->y, error);
  const char **names = status == SCANT_OK ? make_names(s) : NULL;
  if (status == SCANT_OK)
    status = names ? scant_source_set_names(source, names, s->target, error) : scant_fail_memory(error);
  free(names);
  if (status == SCANT_OK && s->prices) status = scant_source_set_prices(source, s->prices, error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &settings, source, error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, UINT64_MAX, &done, error);
  if (status == SCANT_OK) status = scant_fit_model(fit, 0, model, error);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* Renews the model for predictions: the study's own, if that is a joint Gaussian; else one of all that was told. */
static scant_status renew_gaussian(scant_study *s, scant_error *error) {
  study_table t = {0};
  scant_model *model = NULL;
  SCANT_TRY(study_enter(s, error));
  uint64_t at = s->tip.sequence;
  int done = s->gaussian && s->gaussian_at == at;
  scant_status status = study_leave(s, done ? SCANT_OK : study_gather(s, &t, error));
  if (status == SCANT_OK && !done && t.rows < 2)
    status = scant_fail(error, SCANT_DATA, "predictions need at least two examples that are learned, and there are %zu",
                        t.rows);
  if (status == SCANT_OK && !done)
    status = study_algorithm(s)->joint ? scant_study_model(s, &model, error) : fit_gaussian(s, &t, &model, error);
  free(t.x);
  free(t.y);
  if (status != SCANT_OK || done) return status;
  scant_model_free(s->gaussian);
  s->gaussian = model;
  s->gaussian_at = at;
  return SCANT_OK;
}

scant_status scant_study_gaussian(scant_study *study, scant_model **model, scant_error *error) {
  SCANT_TRY(renew_gaussian(study, error));
  *model = study->gaussian;
  study->gaussian = NULL;
  return SCANT_OK;
}

scant_status scant_study_predict(scant_study *s, const scant_study_answer *answers, size_t count, double level,
                                 scant_prediction *prediction, scant_error *error) {
  scant_source *source;
  if (!(level > 0 && level < 1))
    return scant_fail(error, SCANT_USAGE, "level is a probability between 0 and 1, not %.15g", level);
  SCANT_TRY(study_check_answers(s, answers, count, error));
  for (size_t i = 0; i < count; i++)
    if (s->told[i].attribute < 0)
      return scant_fail(error, SCANT_DATA, "'%s' is what is predicted: it can't be given", s->target);
  SCANT_TRY(renew_gaussian(s, error));
  for (size_t i = 0; i < s->dimension; i++) s->values[i] = NAN;
  SCANT_TRY(study_check_answers(s, answers, count, error)); /* fitting has overwritten the place where they were */
  for (size_t i = 0; i < count; i++) s->values[s->told[i].attribute] = s->told[i].value;
  SCANT_TRY(scant_source_wrap(&source, SCANT_FLOAT64, s->values, 1, s->dimension,
                              (ptrdiff_t)(s->dimension * sizeof *s->values), sizeof *s->values, NULL, error));
  scant_status status = scant_model_predict_known(s->gaussian, source, level, prediction, error);
  scant_source_free(source);
  return status;
}
