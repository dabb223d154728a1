/* What a study is, in memory, and a plain learner that is driven by hand.  After corrections, amendments and erasures
 * it is made anew from a log of what happened. */
#ifndef SCANT_TESTS_STUDY_BY_HAND_H
#define SCANT_TESTS_STUDY_BY_HAND_H

#include "learn/learner.h"
#include "scant_dense.h"
#include "study_support.h"

enum { D = 9, D_MOST = 13, MOST = 2000, HANDLES = 3 };

typedef struct {
  char example[24];
  int state; /* scant_order_state */
  size_t count;
  uint32_t attribute[D_MOST];
  uint32_t item[D_MOST];  /* the first place of what was ordered together */
  uint64_t price[D_MOST]; /* the whole group's at its first */
  int counted[D_MOST];    /* it is a purchase */
  int line[D_MOST];       /* scant_line_state */
  double value[D_MOST];
  const char *note[D_MOST]; /* NULL: none */
  int has_y;
  double y;
  /* second entries, of the target at D_MOST */
  int second[D_MOST + 1]; /* scant_second_entry */
  double second_value[D_MOST + 1];
  const char *second_note[D_MOST + 1];
  double extra[D_MOST]; /* what was measured without being ordered */
  int has_extra[D_MOST];
  uint32_t extra_list[D_MOST]; /* in the order in which they were told */
  size_t extra_count;
  scant_look *look;
  uint64_t asked;                   /* its event */
  uint64_t gone_money, gone_bought; /* of one that was erased: what stays counted */
} order;

typedef struct {
  char example[24];
  double value[D_MOST + 1]; /* the target is the last; NaN: not given, or missing */
  int given[D_MOST + 1];
  uint64_t event;
  int gone; /* it was erased */
} past;

typedef enum { ASKED, LEARNED, CLOSED, REOPENED, IMPORTED, RESEEDED } act_kind;

typedef struct {
  act_kind kind;
  size_t which; /* order or import; of a new seed the number of its event */
  int gone;     /* its example was erased */
} act;

typedef struct {
  const char *path;
  catalogue_kind kind;
  int rewrites;             /* are there corrections and erasures? */
  int dense, imports_taken; /* what the algorithm can do */
  scant_study *study;
  scant_study *shared[HANDLES]; /* of those that share it, study is one; else all are NULL */
  scant_settings settings;
  char algorithm[40];
  scant_study_attribute catalogue[D_MOST];
  char names[D_MOST][8];
  size_t d;
  uint64_t since[D_MOST];      /* nothing is learned of an attribute from looks before this event, */
  uint64_t since_then[D_MOST]; /* were it not retired, */
  uint64_t retired_at[D_MOST]; /* which it was by this event */
  uint64_t amended, last_ask;  /* events */
  int second_needed, seconds_too;
  scant_prices *prices;
  scant_learner *learner;
  scant_look *room;
  order orders[MOST];
  size_t count, examples;
  past pasts[MOST];
  size_t past_count;
  act acts[4 * MOST];
  size_t act_count;
  uint64_t events;                    /* in the ledger */
  uint64_t budget, attributes_budget; /* 0: none */
  uint64_t refused, budget_refused, learned, reopened, erased, corrected, frozen, seconds, extras, amendments;
} model;

static model m;

/* ---- the plain learner ------------------------------------------------------------- */

static int same_group(uint32_t a, uint32_t b) {
  const char *g = m.catalogue[a].group, *h = m.catalogue[b].group;
  return a == b || (g && h && strcmp(g, h) == 0);
}

/* Among those that are not retired. */
static int is_first_of_group(uint32_t a) {
  for (uint32_t i = 0; i < a; i++)
    if (same_group(i, a) && !m.catalogue[i].retired) return 0;
  return 1;
}

/* What the looks follow: costs and groups; where nothing has a cost, each group costs 1 at its first. */
static scant_prices *make_prices(void) {
  uint64_t costs[D_MOST];
  uint32_t groups[D_MOST], next = 0;
  scant_prices *prices = NULL;
  if (m.kind == PLAIN || strcmp(m.algorithm, "aerr") == 0) return NULL;
  for (uint32_t i = 0; i < m.d; i++) {
    const scant_study_attribute *a = &m.catalogue[i];
    costs[i] = m.kind == PRICED ? a->cost : !a->known && is_first_of_group(i);
    groups[i] = 0;
    for (uint32_t j = 0; a->group && j < i; j++)
      if (same_group(i, j)) groups[i] = groups[j];
    if (a->group && !groups[i]) groups[i] = ++next;
  }
  for (uint32_t i = 0; i < m.d; i++)
    if (m.catalogue[i].retired) costs[i] = groups[i] = 0;
  GOOD(scant_prices_new(&prices, m.d, costs, groups, &said));
  return prices;
}

static void drop_learner(void) {
  scant_look_free(m.room);
  scant_learner_free(m.learner);
  scant_prices_free(m.prices);
  m.room = NULL;
  m.learner = NULL;
  m.prices = NULL;
}

static void new_learner(void) {
  drop_learner();
  m.prices = make_prices();
  GOOD(scant_learner_new(&m.learner, &m.settings, m.d, m.settings.run.examples, &said));
  m.learner->chooses_by_groups = 1;
  unsigned char barred[D_MOST];
  int any = 0;
  for (size_t i = 0; i < m.d; i++) any |= barred[i] = m.catalogue[i].retired != 0;
  if (any) GOOD(scant_learner_bar(m.learner, barred, &said));
  if (m.prices) GOOD(scant_learner_price(m.learner, m.prices, &said));
  GOOD(scant_look_new(&m.room, m.learner, &said));
}

static scant_look *copy_look(const scant_look *look) {
  char *text;
  size_t length;
  scant_look *copy = NULL;
  GOOD(scant_look_save(look, &text, &length, &said));
  GOOD(scant_look_load(&copy, text, length, &said));
  scant_text_free(text);
  return copy;
}

/* Of which values nothing may be learned, since the attribute was retired.  NULL: there are none. */
static const unsigned char *leave_out(const scant_look *look, uint64_t event, double *values, unsigned char *marks) {
  int any = 0;
  for (uint32_t i = 0; i < look->count && !m.dense; i++) {
    marks[i] = m.since[look->attributes[i]] > event;
    if (marks[i]) values[i] = NAN;
    any |= marks[i];
  }
  return any ? marks : NULL;
}

static void learn_past(const past *p) {
  double values[D_MOST];
  unsigned char marks[D_MOST];
  GOOD(scant_learner_ask_all(m.learner, m.room, &said));
  for (uint32_t place = 0; place < m.room->count; place++) values[place] = p->value[m.room->attributes[place]];
  const unsigned char *left_out = leave_out(m.room, p->event, values, marks);
  GOOD(scant_learner_tell_given(m.learner, m.room, left_out, values, p->value[D_MOST], &said));
}

/* gaussian learns from what was not ordered as if it had been in the look for certain. */
static scant_look *add_extras(const order *o, double *values) {
  scant_look *look = copy_look(o->look);
  if (!CHECK(scant_look_reserve(look, m.d, look->sequence_count))) exit(1);
  for (size_t j = 0; j < o->extra_count; j++) {
    uint32_t place = look->count++, i = o->extra_list[j];
    look->attributes[place] = look->item[place] = i;
    look->gradient_draws[place] = look->residual_draws[place] = 0;
    look->gradient_probability[place] = look->residual_probability[place] = 1;
    look->weight[place] = look->mean[place] = 0;
    values[place] = o->extra[i];
  }
  return look;
}

static void learn_order(const order *o) {
  double values[D_MOST];
  unsigned char marks[D_MOST];
  memcpy(values, o->value, sizeof values);
  scant_look *look = o->extra_count && m.dense ? add_extras(o, values) : o->look;
  const unsigned char *left_out = leave_out(look, o->asked, values, marks);
  if (o->asked < m.amended || look != o->look)
    GOOD(scant_learner_tell_given(m.learner, look, left_out, values, o->y, &said));
  else
    GOOD(scant_learner_tell(m.learner, look, look->count, NULL, values, o->y, &said));
  if (look != o->look) scant_look_free(look);
}

/* Looks of before the last amendment become looks of the current learner; what was bought together is numbered by its
 * first attribute. */
static void take_looks_over(void) {
  for (size_t i = 0; i < m.count; i++) {
    scant_look *look = m.orders[i].look;
    uint32_t before = 0, first = 0;
    if (m.orders[i].asked > m.amended) continue;
    look->learner = m.learner->tag;
    for (uint32_t j = 0; j < look->count; j++) {
      if (!j || look->item[j] != before) first = look->attributes[j];
      before = look->item[j];
      look->item[j] = first;
    }
  }
}

/* Of an example that was erased only the draws stay, without a look that could be told. */
static void learn_gone(const act *a) {
  if (a->kind != ASKED && a->kind != IMPORTED) return;
  if (a->kind == ASKED) GOOD(scant_learner_ask(m.learner, m.room, &said));
  if (a->kind == IMPORTED) GOOD(scant_learner_ask_all(m.learner, m.room, &said));
  GOOD(scant_learner_cancel(m.learner, m.room, &said));
}

static void learn_act(const act *a) {
  const order *o = a->kind == RESEEDED ? NULL : &m.orders[a->which];
  if (a->gone) {
    learn_gone(a);
    return;
  }
  if (a->kind == ASKED) GOOD(scant_learner_ask(m.learner, m.room, &said));
  if (a->kind == LEARNED) learn_order(o);
  if (a->kind == CLOSED) GOOD(scant_learner_cancel(m.learner, o->look, &said));
  if (a->kind == REOPENED) GOOD(scant_learner_reopen(m.learner, o->look, &said));
  if (a->kind == IMPORTED) learn_past(&m.pasts[a->which]);
  if (a->kind == RESEEDED) scant_learner_reseed(m.learner, a->which);
}

/* The learner of the model has done an ask by then: it needs the look to know what is expected. */
static void happened(act_kind kind, size_t which) {
  m.acts[m.act_count++] = (act){kind, which, 0};
  if (kind != ASKED && kind != RESEEDED) learn_act(&m.acts[m.act_count - 1]);
}

/* All that happened, with the values as they are now and the looks as they were. */
static void relearn(void) {
  new_learner();
  take_looks_over();
  for (size_t i = 0; i < m.act_count; i++) learn_act(&m.acts[i]);
}

/* The same after an event that is a new seed. */
static void learn_anew(void) {
  happened(RESEEDED, (size_t)m.events);
  relearn();
}

static void check_learner(void) {
  char *a, *b;
  size_t n, k;
  scant_study_status status;
  GOOD(scant_study_get_counts(m.study, &status, &said));
  GOOD(scant_learner_finish(m.learner, &said));
  GOOD(scant_learner_finish(m.study->learner, &said));
  GOOD(scant_learner_save(m.learner, &a, &n, &said));
  GOOD(scant_learner_save(m.study->learner, &b, &k, &said));
  if (!CHECK(n == k && memcmp(a, b, n) == 0)) {
    size_t i = 0;
    while (i < n && i < k && a[i] == b[i]) i++;
    printf("#   event %llu: by hand %.60s, in the study %.60s\n", (unsigned long long)m.events,
           a + (i > 20 ? i - 20 : 0), b + (i > 20 ? i - 20 : 0));
  }
  scant_text_free(a);
  scant_text_free(b);
}

#endif
