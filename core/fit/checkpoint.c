/* Checkpoints: where a fit stands, as part of a model file; from there back to a fit; and one model from several. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "fit/fit.h"
#include "learn/learner.h"
#include "learn/resolve.h"
#include "model/model.h"

static void write_counts(scant_json_writer *out, const char *name, const uint64_t *counts, size_t count) {
  scant_json_open(out, name, '[');
  for (size_t i = 0; i < count; i++) scant_json_count(out, NULL, counts[i]);
  scant_json_close(out);
}

scant_status scant_fit_save_checkpoint(const scant_fit *f, scant_model *m, scant_error *error) {
  uint64_t digest;
  size_t rows = scant_source_rows(f->source);
  SCANT_TRY(scant_source_digest(f->source, &digest, error));
  scant_json_writer out = {.depth = 1, .lines = 1}; /* an object within that of the model */
  scant_json_open(&out, NULL, '{');
  scant_json_hex(&out, "data", digest);
  scant_json_count(&out, "pass", f->pass);
  scant_json_count(&out, "position", f->position);
  scant_json_flag(&out, "finished", f->finished);
  scant_json_flag(&out, "spent", f->spent);
  if (f->failed) scant_json_text(&out, "failed", f->failure.text);
  if (f->terms.settings.learning.passes > 1) { /* in one pass no example is met twice */
    scant_json_open(&out, "bought", '[');
    for (size_t i = 0; i < rows; i++) scant_json_count(&out, NULL, f->meter->bought[i]);
    scant_json_close(&out);
    if (f->meter->paid) write_counts(&out, "paid", f->meter->paid, rows);
  }
  if (f->meter->ledger.missing_cells) write_counts(&out, "unknown", f->meter->unknown, m->dimension);
  scant_json_open(&out, "learner", '{');
  scant_learner_write_state(f->learner, &out);
  scant_json_close(&out);
  scant_json_close(&out);
  if (out.failed) {
    scant_json_discard(&out);
    return scant_fail_memory(error);
  }
  m->checkpoint = out.text;
  return SCANT_OK;
}

/* ---- from a model to a fit ---------------------------------------------- */

static scant_status check_data(scant_source *source, const scant_model *m, const scant_json *json, scant_error *error) {
  uint64_t now, then;
  SCANT_TRY(scant_json_get_hex(json, 0, "data", &then, error));
  SCANT_TRY(scant_source_digest(source, &now, error));
  if (scant_source_dimension(source) != m->dimension || now != then)
    return scant_fail(error, SCANT_DATA, "these are not the data that the checkpoint was made from");
  return SCANT_OK;
}

static scant_status restore_bought(scant_fit *f, const scant_model *m, const scant_json *json, scant_error *error) {
  if (f->terms.settings.learning.passes < 2) return SCANT_OK;
  size_t n = scant_source_rows(f->source);
  uint64_t most = f->meter->k && f->meter->k < UINT32_MAX ? f->meter->k : UINT32_MAX - 1, met = 0;
  uint64_t left_over = m->ledger.attributes_bought, largest = 0;
  uint64_t *bought = scant_array(n, sizeof *bought);
  scant_status status = bought ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_json_get_counts(json, 0, "bought", bought, n, error);
  for (size_t i = 0; status == SCANT_OK && i < n; i++) {
    if (bought[i] > most + 1) status = scant_fail(error, SCANT_DATA, "item %zu of 'bought' is above k", i + 1);
    uint64_t of_row = bought[i] ? bought[i] - 1 : 0;
    if (status == SCANT_OK && of_row > left_over)
      status = scant_fail(error, SCANT_DATA, "item %zu of 'bought' is above what was bought", i + 1);
    f->meter->bought[i] = (uint32_t)bought[i];
    met += bought[i] > 0;
    left_over -= of_row;
    if (of_row > largest) largest = of_row;
  }
  free(bought);
  if (status == SCANT_OK &&
      (left_over || met != m->ledger.distinct_examples || largest != m->ledger.max_bought_per_example))
    status = scant_fail(error, SCANT_DATA, "'bought' does not agree with the ledger");
  if (status != SCANT_OK || !f->meter->paid) return status;
  SCANT_TRY(scant_json_get_counts(json, 0, "paid", f->meter->paid, n, error));
  uint64_t left = m->ledger.money_spent;
  for (size_t i = 0; i < n; left -= f->meter->paid[i++])
    if (f->meter->paid[i] > f->meter->spend || f->meter->paid[i] > left)
      return scant_fail(error, SCANT_DATA, "item %zu of 'paid' is above what was spent", i + 1);
  return left ? scant_fail(error, SCANT_DATA, "'paid' does not add up to the money spent") : SCANT_OK;
}

/* Which purchases had no value, if any: their sum is in the ledger. */
static scant_status restore_unknown(scant_fit *f, const scant_model *m, const scant_json *json, scant_error *error) {
  uint64_t left = m->ledger.missing_cells;
  if (!left) return SCANT_OK;
  SCANT_TRY(scant_json_get_counts(json, 0, "unknown", f->meter->unknown, m->dimension, error));
  for (size_t i = 0; i < m->dimension; i++) {
    if (f->meter->unknown[i] > m->purchases[i] || f->meter->unknown[i] > left)
      return scant_fail(error, SCANT_DATA, "item %zu of 'unknown' does not agree with the ledger", i + 1);
    left -= f->meter->unknown[i];
  }
  return left ? scant_fail(error, SCANT_DATA, "'unknown' does not add up to the missing cells") : SCANT_OK;
}

/* A fit that met an example it can't learn from is over: going on would buy that example again. */
static scant_status check_not_failed(const scant_json *json, scant_error *error) {
  char *why = NULL;
  if (scant_json_member(json, 0, "failed") == SCANT_JSON_NONE) return SCANT_OK;
  SCANT_TRY(scant_json_get_text(json, 0, "failed", &why, error));
  scant_status status = scant_fail(error, SCANT_DATA, "the fit ended there: %.300s", why ? why : "it failed");
  free(why);
  return status;
}

/* Where the fit stood: it must agree with the examples in the ledger. */
static scant_status restore_position(scant_fit *f, const scant_model *m, const scant_json *json, scant_error *error) {
  uint64_t pass, position, n = f->train_count;
  SCANT_TRY(scant_json_get_count(json, 0, "pass", &pass, error));
  SCANT_TRY(scant_json_get_count(json, 0, "position", &position, error));
  SCANT_TRY(scant_json_get_flag(json, 0, "finished", &f->finished, error));
  SCANT_TRY(scant_json_get_flag(json, 0, "spent", &f->spent, error));
  int at_end = pass + 1 == f->terms.settings.learning.passes && position == n;
  const scant_ledger *l = &m->ledger;
  int good = pass < f->terms.settings.learning.passes && position <= n && pass <= l->examples / n &&
             pass * n + position == l->examples && l->distinct_examples == (l->examples < n ? l->examples : n) &&
             f->finished == (at_end || f->spent) &&
             (!f->spent || f->terms.settings.run.budget || f->terms.settings.run.budget_cost > 0) &&
             (at_end || position < n || (f->spent && l->refused_examples));
  if (!good) return scant_fail(error, SCANT_DATA, "the checkpoint does not stand where its ledger says");
  for (uint64_t p = 1; p <= pass; p++) scant_fit_start_pass(f, p);
  f->position = (size_t)position;
  return SCANT_OK;
}

/* `whose` begins the sentence of a failure. */
static scant_status restore_learner(scant_learner *l, const scant_model *m, const scant_json *json, const char *whose,
                                    scant_error *error) {
  size_t node;
  const scant_ledger *ledger = &m->ledger;
  SCANT_TRY(scant_json_get_object(json, 0, "learner", &node, error));
  SCANT_TRY(scant_learner_restore(l, json, node, error));
  if (l->told == ledger->examples - ledger->skipped_examples - ledger->refused_examples && !scant_learner_open_looks(l))
    return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s does not agree with its ledger", whose);
}

static scant_status restore(scant_fit *f, const scant_model *m, const scant_json *json, scant_error *error) {
  SCANT_TRY(check_not_failed(json, error));
  SCANT_TRY(restore_position(f, m, json, error));
  SCANT_TRY(restore_bought(f, m, json, error));
  SCANT_TRY(restore_unknown(f, m, json, error));
  return restore_learner(f->learner, m, json, "the learner in the checkpoint", error);
}

scant_status scant_fit_resume(scant_fit **fit, const scant_model *m, const scant_settings *given, scant_source *source,
                              scant_error *error) {
  if (!m->checkpoint) return scant_fail(error, SCANT_DATA, "this is a finished model, not a checkpoint");
  if (given) SCANT_TRY(scant_model_check_settings(m, given, error));
  scant_json json;
  SCANT_TRY(scant_json_parse(&json, m->checkpoint, strlen(m->checkpoint), error));
  scant_fit *f = NULL;
  scant_status status = check_data(source, m, &json, error);
  scant_settings settings = m->settings;
  if (given) { /* not in a model file */
    settings.runtime = given->runtime;
    settings.run.errors = given->run.errors;
    settings.learning.errors_of = given->learning.errors_of;
  }
  if (status == SCANT_OK) status = scant_fit_begin(&f, &settings, source, m, NULL, 0, error);
  if (status == SCANT_OK && f->transcript)
    status = scant_fail(error, SCANT_USAGE,
                        "errors of %s need all purchases, and a checkpoint holds none: fit without errors, or anew",
                        m->settings.learning.algorithm);
  if (status == SCANT_OK) status = restore(f, m, &json, error);
  scant_json_free(&json);
  if (status != SCANT_OK) {
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  return SCANT_OK;
}

/* ---- several into one model ------------------------------------------------ */

/* A checkpoint with its learner. */
typedef struct {
  scant_model *model;
  scant_learner *learner;
  uint64_t data; /* digest of what it was made from */
} part;

static void close_part(part *p) {
  scant_learner_free(p->learner);
  scant_model_free(p->model);
}

static scant_status restore_part(part *p, const scant_settings *given, scant_error *error) {
  const scant_model *m = p->model;
  scant_settings settings = m->settings;
  scant_json json;
  settings.runtime = given->runtime;
  SCANT_TRY(scant_learner_new(&p->learner, &settings, m->dimension, 0, error));
  SCANT_TRY(scant_json_parse(&json, m->checkpoint, strlen(m->checkpoint), error));
  scant_status status = scant_json_get_hex(&json, 0, "data", &p->data, error);
  if (status == SCANT_OK) status = restore_learner(p->learner, m, &json, "its learner", error);
  scant_json_free(&json);
  return status;
}

/* The algorithm of an engine that merges, for a sentence. */
static const char *mergeable(const scant_engine *const *engines) {
  for (; engines && *engines; engines++)
    if ((*engines)->merge) return (*engines)->algorithm;
  return "an algorithm whose engine adds them up";
}

static scant_status open_part(part *p, const char *path, const scant_settings *given, scant_error *error) {
  scant_error inner;
  *p = (part){0};
  SCANT_TRY(scant_model_load(&p->model, path, error));
  scant_model *m = p->model;
  const scant_engine *engine = scant_engine_find(given->runtime.engines, m->algorithm);
  if (!engine || !engine->merge)
    return scant_fail(error, SCANT_DATA, "'%.300s' is of %s, and only checkpoints of %s can be merged", path,
                      m->algorithm, mergeable(given->runtime.engines));
  if (!m->checkpoint)
    return scant_fail(error, SCANT_DATA, "'%.300s' is a finished model, not a checkpoint: it holds no sums", path);
  scant_status status = restore_part(p, given, &inner);
  if (status != SCANT_OK) return scant_fail(error, status, "can't merge '%.200s': %.250s", path, inner.text);
  free(m->checkpoint);
  m->checkpoint = NULL;
  return SCANT_OK;
}

static int same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

/* Which examples were taken, and how many, may differ; how they were learned from may not. */
#define MAY_DIFFER "seed examples shuffle split budget budget-cost"

static scant_status check_same(const part *a, const part *b, scant_error *error) {
  const scant_model *x = a->model, *y = b->model;
  const scant_option *o;
  if (x->dimension != y->dimension)
    return scant_fail(error, SCANT_DATA, "it has %zu attributes and the first has %zu", y->dimension, x->dimension);
  int names = !x->names == !y->names && same_text(x->target_name, y->target_name);
  for (size_t i = 0; names && x->names && i < x->dimension; i++) names = same_text(x->names[i], y->names[i]);
  if (!names) return scant_fail(error, SCANT_DATA, "its columns are not those of the first");
  if (!scant_fit_prices_are_same(x->prices, y->prices))
    return scant_fail(error, SCANT_DATA, "its costs are not those of the first");
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char ours[256], theirs[256];
    if (!(o->scope & SCANT_SCOPE_MODEL) || !scant_settings_applies(&x->settings, o)) continue;
    if (scant_list_has(MAY_DIFFER, o->name)) continue;
    scant_settings_get(&x->settings, o, ours, sizeof ours);
    scant_settings_get(&y->settings, o, theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0)
      return scant_fail(error, SCANT_DATA, "its %s is %s and that of the first is %s", o->name,
                        *theirs ? theirs : "not set", *ours ? ours : "not set");
  }
  return SCANT_OK;
}

static void add_ledger(scant_model *to, const scant_model *from) {
  scant_ledger *a = &to->ledger;
  const scant_ledger *b = &from->ledger;
  a->examples += b->examples;
  a->distinct_examples += b->distinct_examples;
  a->looks_drawn += b->looks_drawn;
  a->attributes_bought += b->attributes_bought;
  if (b->max_bought_per_example > a->max_bought_per_example) a->max_bought_per_example = b->max_bought_per_example;
  a->money_spent += b->money_spent;
  a->missing_cells += b->missing_cells;
  a->skipped_examples += b->skipped_examples;
  a->refused_examples += b->refused_examples;
  for (size_t i = 0; i < to->dimension; i++) to->purchases[i] += from->purchases[i];
  /* limits add up where each had one */
  scant_settings *s = &to->settings;
  const scant_settings *t = &from->settings;
  s->run.examples = s->run.examples && t->run.examples ? s->run.examples + t->run.examples : 0;
  s->run.budget = s->run.budget && t->run.budget ? s->run.budget + t->run.budget : 0;
  s->run.budget_cost = s->run.budget_cost > 0 && t->run.budget_cost > 0 ? s->run.budget_cost + t->run.budget_cost : 0;
}

static scant_status add_part(part *all, const part *other, const uint64_t *seen, size_t count, scant_error *error) {
  SCANT_TRY(check_same(all, other, error));
  for (size_t i = 0; i < count; i++)
    if (seen[i] == other->data)
      return scant_fail(error, SCANT_DATA, "it was made from the same data as another: they would count twice");
  SCANT_TRY(scant_engine_merge(all->learner, other->learner, error));
  add_ledger(all->model, other->model);
  return SCANT_OK;
}

scant_status scant_model_merge(scant_model **model, scant_learner_facts *facts, const char *const *paths, size_t count,
                               const scant_settings *given, scant_error *error) {
  part all = {0};
  uint64_t *seen = scant_array(count, sizeof *seen);
  scant_status status = seen ? open_part(&all, paths[0], given, error) : scant_fail_memory(error);
  if (status == SCANT_OK) seen[0] = all.data;
  for (size_t i = 1; status == SCANT_OK && i < count; i++) {
    part other;
    scant_error inner;
    status = open_part(&other, paths[i], given, error);
    if (status == SCANT_OK) {
      status = add_part(&all, &other, seen, i, &inner);
      if (status != SCANT_OK) scant_fail(error, status, "can't merge '%.200s': %.250s", paths[i], inner.text);
      seen[i] = other.data;
    }
    close_part(&other);
  }
  if (status == SCANT_OK) status = scant_learner_finish(all.learner, error);
  if (status == SCANT_OK) {
    scant_model *m = *model = all.model;
    all.model = NULL;
    scant_learner_weights(all.learner, m->weights, &m->intercept);
    scant_learner_means(all.learner, m->means);
    scant_learner_get_facts(all.learner, facts);
    m->penalty = facts->penalty;
  }
  close_part(&all);
  free(seen);
  return status;
}
