/* A study in memory: orders, money, states, values and the terms as they are, written without looking at the study; and
 * a plain learner (study_by_hand.h). */
#ifndef SCANT_TESTS_STUDY_MODEL_H
#define SCANT_TESTS_STUDY_MODEL_H

#include "study_by_hand.h"

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
  CHECK(s.events == m.events && !s.unswept && scant_study_dimension(study) == m.d);
  for (size_t i = 0; i < m.d; i++) {
    const scant_study_attribute *a = scant_study_attribute_at(study, i);
    CHECK(a->cost == m.catalogue[i].cost && !a->retired == !m.catalogue[i].retired);
  }
  GOOD(scant_study_purchases(study, purchases, money, &said));
  for (size_t i = 0; i < m.d; i++) paid += money[i];
  CHECK(paid == spent - nowhere && memcmp(purchases, bought, m.d * sizeof *bought) == 0);
}

static int is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static int is_same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
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
    CHECK(is_same(got->lines[j].value, o->value[j]) && is_same_text(got->lines[j].note, o->note[j]));
    CHECK((int)got->lines[j].second == o->second[j] && is_same(got->lines[j].second_value, o->second_value[j]));
    CHECK(is_same_text(got->lines[j].second_note, o->second_note[j]));
  }
  CHECK((int)got->second == o->second[D_MOST] && is_same(got->second_y, o->second_value[D_MOST]));
  CHECK(got->extra_count == o->extra_count);
  for (size_t j = 0; j < o->extra_count && j < got->extra_count; j++)
    CHECK(got->extras[j].attribute == o->extra_list[j] && is_same(o->extra[o->extra_list[j]], got->extras[j].value));
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
  for (size_t i = 0; i <= D_MOST; i++) o->second_value[i] = NAN;
  for (uint32_t i = 0; i < look->count; i++)
    o->counted[i] = m.kind == PRICED ? o->price[i] > 0 : o->item[i] == i && !m.catalogue[o->attribute[i]].known;
}

/* The state of an order that is open, by what was told. */
static int state_of(const order *o) {
  size_t told = 0, agree = o->second[D_MOST] == SCANT_SECOND_AGREES;
  for (size_t i = 0; i < o->count; i++) told += o->line[i] != SCANT_LINE_ORDERED;
  for (size_t i = 0; i < o->count; i++) agree += o->second[i] == SCANT_SECOND_AGREES;
  if (told < o->count) return told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED;
  return o->has_y && (!m.second_needed || agree == o->count + 1) ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
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

/* ---- what is said beside a value -------------------------------------------------------- */

static int is_unusual(uint32_t attribute, double value) {
  return value < m.catalogue[attribute].usual_low || value > m.catalogue[attribute].usual_high;
}

/* What is noted of a value: why there is none, or that an unusual one was confirmed. */
static const char *note_of(uint32_t attribute, double value, const char *reason) {
  return isnan(value) ? reason : is_unusual(attribute, value) ? "confirmed" : NULL;
}

static const char *any_reason(void) {
  static const char *const reasons[] = {NULL, "refused", "lost", "not done"};
  return reasons[test_below(4)];
}

/* An answer; `value` NaN: it can't be measured. */
static scant_study_answer answer_of(const char *name, double value, const char *reason) {
  return (scant_study_answer){.name = name,
                              .value = isnan(value) ? 0 : value,
                              .missing = isnan(value),
                              .note = isnan(value) ? reason : NULL,
                              .confirmed = 1};
}

/* Compares place i of an order, the target at D_MOST, with its second entry, if there is one. */
static void compare_second(order *o, size_t i) {
  double first = i == D_MOST ? o->y : o->value[i], other = o->second_value[i];
  const char *a = i == D_MOST ? NULL : o->note[i], *b = o->second_note[i];
  int same = isnan(first) && isnan(other) ? !a || !b || strcmp(a, b) == 0 : first == other;
  if (o->second[i] != SCANT_SECOND_NONE) o->second[i] = same ? SCANT_SECOND_AGREES : SCANT_SECOND_DIFFERS;
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
