/* Running the curves: two fits of a learner (where does each step end, and what
 * is known there), or one fit for each point of a row that looks at everything. */
#include "curve.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_dense.h"
#include "whole.h"

enum { FEWEST_FOR_RADIUS = 4 };

/* ---- the data --------------------------------------------------------------- */

/* Sources are for one thread at a time, so every thread opens its own. */
typedef struct tables {
  scant_source *train, *test;
  struct tables *next;
} tables;

static void close_tables(tables *t) {
  if (!t) return;
  scant_source_free(t->test);
  scant_source_free(t->train);
  free(t);
}

/* The test file is read like the training file, its target by name. */
static scant_status open_test(const curve_request *r, tables *t, scant_error *error) {
  scant_settings settings = r->settings;
  settings.labels = r->test_labels;
  settings.given = 0; /* options that fit the training file need not fit this one */
  int nameless = settings.header == SCANT_HEADER_NO && scant_source_name(t->train, 0);
  if (!settings.target && !nameless) settings.target = scant_source_target_name(t->train);
  scant_status status = scant_source_open(&t->test, r->test, &settings, SCANT_TARGET_REQUIRED, error);
  if (status == SCANT_USAGE && !r->test_labels && strstr(error->text, "--labels"))
    snprintf(error->text, sizeof error->text, "'%.300s' holds no targets: it needs --test-labels FILE", r->test);
  return status;
}

static scant_status open_tables(const curve_request *r, tables **opened, scant_error *error) {
  tables *t = calloc(1, sizeof *t);
  if (!t) return SCANT_MEMORY;
  scant_status status = scant_source_open(&t->train, r->data, &r->settings, SCANT_TARGET_REQUIRED, error);
  if (status == SCANT_OK && r->test) status = open_test(r, t, error);
  if (status == SCANT_OK) {
    *opened = t;
  } else {
    close_tables(t);
  }
  return status;
}

/* ---- what all share ----------------------------------------------------------- */

/* What a row that looks at everything buys, bought by a learner. */
static scant_settings buyer_of(const curve_entry *e, const scant_settings *settings) {
  scant_settings s = *settings;
  if (!e->row->whole) return s;
  s.algorithm = "online-ridge";
  s.loss = SCANT_LOSS_SQUARED;
  s.average = SCANT_AVERAGE_LAST;
  s.radius = 1;
  s.given = 0;
  return s;
}

/* Checks an entry against the data; the examples that are there to learn from. */
static scant_status check_entry(const curve_entry *e, scant_source *train, uint64_t *examples, scant_error *error) {
  scant_settings s = buyer_of(e, &e->settings);
  scant_fit *fit = NULL;
  scant_error inner = {"out of memory"};
  s.budget = 0; /* it shortens the horizon */
  scant_status status = scant_fit_new(&fit, &s, train, &inner);
  if (status == SCANT_OK)
    *examples = scant_fit_horizon(fit);
  else
    snprintf(error->text, sizeof error->text, "%s: %.340s", e->label, inner.text);
  scant_fit_free(fit);
  return status;
}

scant_status curve_prepare(curve_request *request, scant_error *error) {
  curve_request *r = request;
  tables *t = NULL;
  uint64_t examples = 0;
  scant_status status = open_tables(r, &t, error);
  for (size_t i = 0; status == SCANT_OK && i < r->entry_count; i++)
    status = check_entry(&r->entries[i], t->train, &examples, error);
  if (status == SCANT_OK) {
    uint64_t k = r->settings.k;
    r->dimension = scant_source_dimension(t->train);
    r->money = r->settings.budget_cost > 0;
    r->budget = r->settings.budget ? r->settings.budget : (k ? k : r->dimension) * examples;
    if (r->money) r->budget = (uint64_t)llround(100 * r->settings.budget_cost);
    for (size_t i = 0; !r->money && i < r->entry_count; i++) r->entries[i].settings.budget = r->budget;
  }
  close_tables(t);
  return status;
}

static uint64_t step_at(const curve_request *r, size_t point) {
  uint64_t steps = r->points, done = point + 1;
  return r->budget / steps * done + r->budget % steps * done / steps;
}

/* One curve of one run. */
typedef struct {
  const curve_request *request;
  const curve_entry *entry;
  scant_settings settings;
  tables *tables;
  uint64_t *marks;    /* rows taken at each point; learned from are out[point].examples of them */
  curve_outcome *out; /* of each point */
} task;

static scant_status score(const task *t, const scant_fit *fit, const scant_model *model, curve_outcome *out,
                          scant_error *error) {
  size_t count = 0;
  const uint64_t *rows = NULL;
  scant_source *source = t->tables->test;
  const scant_ledger *ledger = scant_model_ledger(model);
  scant_status status = SCANT_OK;
  if (source) {
    status = scant_model_bind(model, source, error);
  } else {
    source = t->tables->train;
    rows = scant_fit_held_out(fit, &count);
  }
  if (status == SCANT_OK) status = scant_model_evaluate(model, source, rows, count, &out->scores, error);
  out->attributes = ledger->attributes_bought;
  out->examples = ledger->examples;
  out->money = ledger->money_spent;
  out->reached = 1;
  return status;
}

/* ---- where the steps end --------------------------------------------------------- */

static void set_mark(const task *t, size_t point, uint64_t taken, uint64_t told) {
  t->marks[point] = taken;
  t->out[point].examples = told;
}

/* Buys all that the budget allows, to know how many examples fit into each step:
 * what a look costs is known only when it has been drawn. */
static scant_status find_marks(const task *t, scant_error *error) {
  const curve_request *r = t->request;
  scant_settings s = buyer_of(t->entry, &t->settings);
  scant_fit *fit = NULL;
  scant_status status = scant_fit_new(&fit, &s, t->tables->train, error);
  uint64_t taken = 0, told = 0;
  size_t p = 0;
  for (int done = 0; status == SCANT_OK && !done;) {
    status = scant_fit_advance(fit, 1, &done, error);
    if (status != SCANT_OK || scant_fit_budget_spent(fit)) break;
    const scant_ledger *ledger = scant_fit_ledger(fit);
    uint64_t bought = r->money ? ledger->money_spent : ledger->attributes_bought;
    for (; p < r->points && bought > step_at(r, p); p++) set_mark(t, p, taken, told);
    taken++;
    scant_learner_facts facts;
    scant_fit_get_facts(fit, &facts);
    told = facts.told; /* the ledger may count more: what was bought and not learned from */
  }
  for (; status == SCANT_OK && p < r->points; p++) set_mark(t, p, taken, told);
  for (p = 1; status == SCANT_OK && p < r->points; p++)
    t->out[p].over = !scant_fit_budget_spent(fit) && t->marks[p - 1] == taken;
  scant_fit_free(fit);
  return status;
}

/* ---- one fit for all points --------------------------------------------------------- */

static scant_status run_learner(const task *t, scant_error *error) {
  scant_fit *fit = NULL;
  scant_status status = scant_fit_new(&fit, &t->settings, t->tables->train, error);
  uint64_t taken = 0;
  for (size_t p = 0; status == SCANT_OK && p < t->request->points; p++) {
    int done, over = t->out[p].over;
    scant_model *model = NULL;
    if (!t->out[p].examples) continue;
    if (p && t->marks[p] == taken) {
      t->out[p] = t->out[p - 1];
      t->out[p].over = over;
      continue;
    }
    status = scant_fit_advance(fit, t->marks[p] - taken, &done, error);
    taken = t->marks[p];
    if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, error);
    if (status == SCANT_OK) status = score(t, fit, model, &t->out[p], error);
    scant_model_free(model);
  }
  scant_fit_free(fit);
  return status;
}

/* ---- a fit for each point ------------------------------------------------------------ */

/* The radius of online-* is that of the row full-* on the same examples. */
static scant_status choose_radius(const task *t, scant_settings *s, scant_error *error) {
  char name[64];
  scant_settings solved = *s;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  snprintf(name, sizeof name, "full-%s", s->algorithm + strcspn(s->algorithm, "-") + 1);
  solved.algorithm = name;
  solved.given = 0;
  scant_status status = fit_whole(&fit, &model, &solved, t->tables->train, error);
  if (status == SCANT_OK) s->radius = scant_model_settings(model)->radius;
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

static scant_status run_prefix(const task *t, uint64_t examples, curve_outcome *out, scant_error *error) {
  scant_settings s = t->settings;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  scant_status status = SCANT_OK;
  int done;
  s.examples = examples;
  s.budget = 0;
  s.budget_cost = 0;
  if (t->entry->row->whole && t->entry->row->dense) {
    status = fit_whole(&fit, &model, &s, t->tables->train, error);
  } else {
    if (isnan(s.radius)) status = choose_radius(t, &s, error);
    if (status == SCANT_OK) status = scant_fit_new(&fit, &s, t->tables->train, error);
    if (status == SCANT_OK) status = scant_fit_advance(fit, examples, &done, error);
    if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, error);
  }
  if (status == SCANT_OK) status = score(t, fit, model, out, error);
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

static scant_status run_prefixes(const task *t, scant_error *error) {
  scant_status status = SCANT_OK;
  uint64_t least = isnan(t->settings.radius) ? FEWEST_FOR_RADIUS : 1;
  for (size_t p = 0; status == SCANT_OK && p < t->request->points; p++) {
    int over = t->out[p].over;
    if (t->out[p].examples < least) continue;
    if (p && t->marks[p] == t->marks[p - 1])
      t->out[p] = t->out[p - 1];
    else
      status = run_prefix(t, t->marks[p], &t->out[p], error);
    t->out[p].over = over;
  }
  return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

typedef struct {
  const curve_results *results;
  size_t *order; /* the jobs */
  pthread_mutex_t lock;
  tables *idle; /* opened, and in use by no thread */
} plan;

static scant_status take_tables(plan *p, tables **taken, scant_error *error) {
  pthread_mutex_lock(&p->lock);
  *taken = p->idle;
  if (p->idle) p->idle = p->idle->next;
  pthread_mutex_unlock(&p->lock);
  return *taken ? SCANT_OK : open_tables(p->results->request, taken, error);
}

static void return_tables(plan *p, tables *t) {
  pthread_mutex_lock(&p->lock);
  t->next = p->idle;
  p->idle = t;
  pthread_mutex_unlock(&p->lock);
}

/* How long a curve takes, roughly: with d^2, with a fit for each point, or less. */
static int length_of(const scant_algorithm *row) {
  return row->dense ? 2 : row->whole ? 1 : 0;
}

/* All runs of a curve on all points: the longest first, that nothing waits for them in
 * the end. */
static void sort_jobs(const curve_request *r, size_t *order) {
  size_t count = 0;
  for (int length = 2; length >= 0; length--)
    for (size_t job = 0; job < r->entry_count * r->runs; job++)
      if (length_of(r->entries[job % r->entry_count].row) == length) order[count++] = job;
}

/* The runs are the threads; rows that use several get what is left over. */
static uint64_t threads_each(const curve_request *r) {
  uint64_t jobs = r->entry_count * r->runs;
  return r->pool.threads > jobs ? r->pool.threads / jobs : 1;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  plan *p = user;
  const curve_request *r = p->results->request;
  size_t entry = p->order[job] % r->entry_count, run = p->order[job] / r->entry_count;
  task t = {.request = r, .entry = &r->entries[entry], .settings = r->entries[entry].settings};
  scant_status status = take_tables(p, &t.tables, error);
  if (status != SCANT_OK) return status;
  t.settings.threads = threads_each(r);
  t.settings.seed = r->seed + run; /* the order of the examples, and so the split, follow from it */
  t.out = p->results->outcome + (entry * r->runs + run) * r->points;
  t.marks = calloc(r->points, sizeof *t.marks);
  scant_error inner = {"out of memory"};
  status = t.marks ? find_marks(&t, &inner) : SCANT_MEMORY;
  if (status == SCANT_OK) status = t.entry->row->whole ? run_prefixes(&t, &inner) : run_learner(&t, &inner);
  if (status != SCANT_OK) snprintf(error->text, sizeof error->text, "%s: %.340s", t.entry->label, inner.text);
  free(t.marks);
  return_tables(p, t.tables);
  return status;
}

scant_status curve_run(curve_results *results, scant_error *error) {
  const curve_request *r = results->request;
  plan p = {.results = results};
  results->outcome = calloc(r->entry_count * r->runs * r->points, sizeof *results->outcome);
  p.order = calloc(r->entry_count * r->runs, sizeof *p.order);
  if (!results->outcome || !p.order) {
    snprintf(error->text, sizeof error->text, "out of memory");
    free(p.order);
    return SCANT_MEMORY;
  }
  sort_jobs(r, p.order);
  pthread_mutex_init(&p.lock, NULL);
  scant_status status = pool_run(r->entry_count * r->runs, run_job, &p, &r->pool, error);
  pthread_mutex_destroy(&p.lock);
  free(p.order);
  while (p.idle) {
    tables *next = p.idle->next;
    close_tables(p.idle);
    p.idle = next;
  }
  return status;
}
