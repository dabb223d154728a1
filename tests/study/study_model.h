/* A study in memory: orders, money, states, values, the terms as they are, and a plain learner that is driven by hand.
 * It is written without looking at the study.  After corrections, amendments and erasures the learner is made anew from
 * a log of what happened. */
#ifndef SCANT_TESTS_STUDY_MODEL_H
#define SCANT_TESTS_STUDY_MODEL_H

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
  int has_y;
  double y;
  scant_look *look;
  uint64_t asked;                   /* its event */
  uint64_t gone_money, gone_bought; /* of one that was erased: what stays counted */
} order;

typedef struct {
  char example[24];
  double value[D_MOST + 1]; /* the target is the last; NaN: not given */
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
  size_t d;
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
  uint64_t refused, budget_refused, learned, reopened, erased, corrected, frozen;
} model;

static model m;

/* ---- the plain learner ------------------------------------------------------------- */

static int same_group(uint32_t a, uint32_t b) {
  const char *g = m.catalogue[a].group, *h = m.catalogue[b].group;
  return a == b || (g && h && strcmp(g, h) == 0);
}

static int is_first_of_group(uint32_t a) {
  for (uint32_t i = 0; i < a; i++)
    if (same_group(i, a)) return 0;
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

static void learn_past(const past *p) {
  double values[D_MOST];
  GOOD(scant_learner_ask_all(m.learner, m.room, &said));
  for (uint32_t place = 0; place < m.room->count; place++) values[place] = p->value[m.room->attributes[place]];
  GOOD(scant_learner_tell(m.learner, m.room, m.room->count, NULL, values, p->value[D_MOST], &said));
}

static void learn_order(const order *o) {
  GOOD(scant_learner_tell(m.learner, o->look, o->count, NULL, o->value, o->y, &said));
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

/* ---- money -------------------------------------------------------------------------- */

static int is_open(const order *o) {
  return o->state <= SCANT_ORDER_TOLD;
}

static size_t count_open(void) {
  size_t open = 0;
  for (size_t i = 0; i < m.count; i++) open += (size_t)is_open(&m.orders[i]);
  return open;
}

static int is_measured(const order *o, size_t place) {
  for (size_t i = 0; i < o->count; i++)
    if (o->item[i] == o->item[place] && o->line[i] != SCANT_LINE_ORDERED) return 1;
  return 0;
}

typedef struct {
  uint64_t money, attributes;
} sum;

static sum sum_of(const order *o, int measured_only) {
  sum s = {0, 0};
  for (size_t i = 0; i < o->count; i++) {
    if (measured_only && !is_measured(o, i)) continue;
    s.money += o->price[i];
    s.attributes += (uint64_t)o->counted[i];
  }
  return s;
}

/* What was spent for an order, and the purchases that it counts for. */
static sum spent_of(const order *o) {
  sum all = sum_of(o, 0), some = sum_of(o, 1);
  if (o->state == SCANT_ORDER_ERASED) return (sum){o->gone_money, o->gone_bought};
  if (o->state == SCANT_ORDER_EXPIRED) return all;
  return (sum){some.money, is_open(o) ? all.attributes : some.attributes};
}

static void add_up(uint64_t *reserved, uint64_t *spent, uint64_t *attributes) {
  *reserved = *spent = *attributes = 0;
  for (size_t i = 0; i < m.count; i++) {
    const order *o = &m.orders[i];
    sum s = spent_of(o);
    *spent += s.money;
    *attributes += s.attributes;
    *reserved += is_open(o) ? sum_of(o, 0).money - s.money : 0;
  }
}

static void check_totals(scant_study *study) {
  scant_study_status s;
  uint64_t reserved, spent, attributes, states[8] = {0}, purchases[D_MOST], money[D_MOST], paid = 0;
  uint64_t bought[D_MOST] = {0}, nowhere = 0, pasts = 0;
  add_up(&reserved, &spent, &attributes);
  GOOD(scant_study_get_counts(study, &s, &said));
  for (size_t i = 0; i < m.count; i++) {
    const order *o = &m.orders[i];
    states[o->state]++;
    if (o->state == SCANT_ORDER_EXPIRED || o->state == SCANT_ORDER_ERASED)
      nowhere += spent_of(o).money - sum_of(o, 1).money; /* spent, but for none of the attributes */
    for (size_t j = 0; j < o->count; j++) bought[o->attribute[j]] += o->line[j] > 0;
  }
  for (size_t i = 0; i < m.past_count; i++) pasts += !m.pasts[i].gone;
  CHECK(s.reserved == reserved && s.spent == spent && s.attributes_reserved == attributes);
  CHECK(s.orders == m.count && s.imported == pasts && s.learned == states[SCANT_ORDER_LEARNED]);
  CHECK(s.open == states[0] + states[1] + states[2] && s.cancelled == states[SCANT_ORDER_CANCELLED] &&
        s.expired == states[SCANT_ORDER_EXPIRED] && s.failed == states[SCANT_ORDER_FAILED] &&
        s.erased == states[SCANT_ORDER_ERASED]);
  CHECK(!m.budget || reserved + spent <= m.budget);
  CHECK(!m.attributes_budget || attributes <= m.attributes_budget);
  CHECK(s.budget_cost == m.budget && s.budget == m.attributes_budget);
  CHECK(s.events == m.events && !s.unswept);
  GOOD(scant_study_purchases(study, purchases, money, &said));
  for (size_t i = 0; i < m.d; i++) paid += money[i];
  CHECK(paid == spent - nowhere && memcmp(purchases, bought, m.d * sizeof *bought) == 0);
}

static void check_order(scant_study *study, size_t i) {
  const order *o = &m.orders[i];
  const scant_study_order *got = NULL;
  GOOD(scant_study_order_at(study, i + 1, &got, &said));
  if (!CHECK(got != NULL)) return;
  CHECK(got->number == i + 1 && strcmp(got->example, o->example) == 0 && (int)got->state == o->state);
  CHECK(got->count == o->count && got->has_y == o->has_y && (!o->has_y || got->y == o->y));
  CHECK(got->price == sum_of(o, 0).money && got->spent == spent_of(o).money);
  for (size_t j = 0; j < o->count && j < got->count; j++) {
    CHECK(got->lines[j].attribute == o->attribute[j] && got->lines[j].price == o->price[j]);
    CHECK((int)got->lines[j].state == o->line[j]);
    CHECK(o->line[j] == SCANT_LINE_TOLD ? got->lines[j].value == o->value[j] : isnan(got->lines[j].value));
  }
}

/* ---- what an order is after something happened ------------------------------------------- */

static void take_look(order *o, const scant_look *look) {
  o->count = look->count;
  for (uint32_t i = 0; i < look->count; i++) {
    o->attribute[i] = look->attributes[i];
    o->item[i] = i;
    for (uint32_t j = i; j-- > 0;)
      if (same_group(o->attribute[i], o->attribute[j])) o->item[i] = o->item[j];
    o->price[i] = 0;
    o->price[o->item[i]] += m.catalogue[o->attribute[i]].cost;
    o->line[i] = SCANT_LINE_ORDERED;
    o->value[i] = NAN;
  }
  for (uint32_t i = 0; i < look->count; i++)
    o->counted[i] = m.kind == PRICED ? o->price[i] > 0 : o->item[i] == i && !m.catalogue[o->attribute[i]].known;
}

/* The state of an order that is open, by what was told. */
static int state_of(const order *o) {
  size_t told = 0;
  for (size_t i = 0; i < o->count; i++) told += o->line[i] != SCANT_LINE_ORDERED;
  if (told < o->count) return told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED;
  return o->has_y ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
}

/* It is open, and learned from if it is complete. */
static void settle(order *o) {
  o->state = state_of(o);
  if (o->state == SCANT_ORDER_LEARNED) {
    m.learned++;
    happened(LEARNED, (size_t)(o - m.orders));
  }
}

/* Is it the last order of its example? */
static int is_last(const order *o) {
  for (const order *later = o + 1; later < m.orders + m.count; later++)
    if (strcmp(later->example, o->example) == 0) return 0;
  return o->state != SCANT_ORDER_ERASED;
}

/* ---- nothing was changed --------------------------------------------------------------- */

/* Everything, mostly; now and then the end of the ledger and the learner must do, since this takes its time. */
static char *before_refusal(void) {
  static unsigned calls;
  return calls++ % 6 ? NULL : dump(m.study);
}

static void check_refused(char *before, const char *what, int line) {
  m.refused++;
  if (before) check_unchanged(m.study, before, what, line);
  check_that(m.study->tip.sequence == m.events, "nothing was recorded", what, line);
}

#endif
