/* Makes one model from checkpoints that were written on several machines. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "learn/learner.h"
#include "learn/resolve.h"
#include "model/model.h"

/* A checkpoint with its learner. */
typedef struct {
  scant_model *model;
  scant_learner *learner;
  uint64_t data; /* digest of what it was made from */
} part;

static void close_part(part *p) {
  scant_learner_free(p->learner);
  scant_model_free(p->model);
  *p = (part){0};
}

static scant_status restore_learner(part *p, const scant_settings *given, scant_error *error) {
  const scant_model *m = p->model;
  scant_settings settings = m->settings;
  settings.runtime = given->runtime;
  SCANT_TRY(scant_learner_new(&p->learner, &settings, m->dimension, 0, error));
  scant_json json;
  SCANT_TRY(scant_json_parse(&json, m->checkpoint, strlen(m->checkpoint), error));
  size_t node;
  scant_status status = scant_json_get_hex(&json, 0, "data", &p->data, error);
  if (status == SCANT_OK) status = scant_json_get_object(&json, 0, "learner", &node, error);
  if (status == SCANT_OK) status = scant_learner_restore(p->learner, &json, node, error);
  scant_json_free(&json);
  if (status == SCANT_OK &&
      p->learner->told != m->ledger.examples - m->ledger.skipped_examples - m->ledger.refused_examples)
    return scant_fail(error, SCANT_DATA, "its learner does not agree with its ledger");
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
  scant_status status = restore_learner(p, given, &inner);
  if (status != SCANT_OK) return scant_fail(error, status, "can't merge '%.200s': %.250s", path, inner.text);
  free(m->checkpoint);
  m->checkpoint = NULL;
  return SCANT_OK;
}

/* ---- are two of one kind? --------------------------------------------------- */

static int same_text(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static int same_prices(const scant_prices *a, const scant_prices *b) {
  if (!a || !b) return a == b;
  size_t d = a->dimension;
  return !memcmp(a->attribute_cost, b->attribute_cost, d * sizeof *a->attribute_cost) &&
         !memcmp(a->group, b->group, d * sizeof *a->group);
}

/* Which examples were taken, and how many, may differ; how they were learned from
 * may not. */
static int may_differ(const scant_option *o) {
  return scant_list_has("seed examples shuffle split budget budget-cost", o->name);
}

static scant_status check_same(const part *a, const part *b, scant_error *error) {
  const scant_model *x = a->model, *y = b->model;
  const scant_option *o;
  if (x->dimension != y->dimension)
    return scant_fail(error, SCANT_DATA, "it has %zu attributes and the first has %zu", y->dimension, x->dimension);
  int names = !x->names == !y->names && same_text(x->target_name, y->target_name);
  for (size_t i = 0; names && x->names && i < x->dimension; i++) names = same_text(x->names[i], y->names[i]);
  if (!names) return scant_fail(error, SCANT_DATA, "its columns are not those of the first");
  if (!same_prices(x->prices, y->prices)) return scant_fail(error, SCANT_DATA, "its costs are not those of the first");
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char ours[256], theirs[256];
    if (!(o->scope & SCANT_SCOPE_MODEL) || !scant_settings_applies(&x->settings, o) || may_differ(o)) continue;
    scant_settings_get(&x->settings, o, ours, sizeof ours);
    scant_settings_get(&y->settings, o, theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0)
      return scant_fail(error, SCANT_DATA, "its %s is %s and that of the first is %s", o->name,
                        *theirs ? theirs : "not set", *ours ? ours : "not set");
  }
  return SCANT_OK;
}

/* ---- the whole ---------------------------------------------------------------- */

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

static scant_status finish(part *all, scant_learner_facts *facts, scant_error *error) {
  scant_model *m = all->model;
  SCANT_TRY(scant_learner_finish(all->learner, error));
  scant_learner_weights(all->learner, m->weights, &m->intercept);
  scant_learner_means(all->learner, m->means);
  scant_learner_get_facts(all->learner, facts);
  m->penalty = facts->penalty;
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
  if (status == SCANT_OK) status = finish(&all, facts, error);
  if (status == SCANT_OK) {
    *model = all.model;
    all.model = NULL;
  }
  close_part(&all);
  free(seen);
  return status;
}
