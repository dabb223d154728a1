/* Random operations that change what was: examples of the past, corrections, erasures, frozen copies. */
#ifndef SCANT_TESTS_STUDY_CHANGES_H
#define SCANT_TESTS_STUDY_CHANGES_H

#include "study_model.h"

/* ---- examples of the past ---------------------------------------------------------------- */

static void import_some(void) {
  scant_study_answer answers[D_MOST + 1];
  size_t count = 0;
  past *p = &m.pasts[m.past_count];
  *p = (past){.event = m.events + 1};
  for (size_t i = 0; i < D_MOST; i++) {
    p->value[i] = i < m.d && (i == 1 || test_below(3)) ? test_value() : NAN;
    p->given[i] = !isnan(p->value[i]);
    if (p->given[i]) answers[count++] = answer_of(m.catalogue[i].name, p->value[i], NULL);
  }
  p->value[D_MOST] = test_value();
  p->given[D_MOST] = 1;
  answers[count++] = answer_of("y", p->value[D_MOST], NULL);
  snprintf(p->example, sizeof p->example, "i%zu", m.past_count);
  char *before = m.imports_taken ? NULL : before_refusal();
  scant_status status = scant_study_import(m.study, p->example, answers, count, &said);
  if (!CHECK(status == (m.imports_taken ? SCANT_OK : SCANT_USAGE))) printf("#   %s\n", said.text);
  if (!m.imports_taken) {
    check_refused(before, "imported", __LINE__);
    return;
  }
  m.events++;
  happened(IMPORTED, m.past_count++);
}

/* ---- corrections --------------------------------------------------------------------------- */

/* Another value of place i, of the target (D_MOST) or of an extra. */
static void correct_value(order *o, size_t i, double now, const char *note) {
  if (i == D_MOST) {
    o->y = now;
  } else {
    o->value[i] = now;
    o->note[i] = note;
    o->line[i] = isnan(now) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
  }
  compare_second(o, i);
}

static void correct_some(order *o) {
  size_t i = test_below(o->count + 1);
  int is_y = i == o->count, told = is_y ? o->has_y : o->line[i] != SCANT_LINE_ORDERED;
  if (!is_last(o)) return;
  double stored = is_y ? o->y : o->value[i], now = !is_y && test_below(4) == 0 ? NAN : test_value();
  const char *reason = any_reason(), *note = is_y ? NULL : note_of(o->attribute[i], now, reason);
  if (told && test_below(3) == 0 && o->second[is_y ? D_MOST : i]) now = o->second_value[is_y ? D_MOST : i];
  if (!is_y) note = note_of(o->attribute[i], now, reason);
  scant_study_answer answer = answer_of(is_y ? "y" : m.catalogue[o->attribute[i]].name, now, reason);
  int same = is_same(stored, now) && !(isnan(now) && note && !is_same_text(note, is_y ? NULL : o->note[i]));
  char *before = told && !same ? NULL : before_refusal();
  scant_status status = scant_study_correct(m.study, o->example, &answer, 1, "a slip", &said);
  if (!CHECK(status == (told ? SCANT_OK : SCANT_DATA))) printf("#   %s\n", said.text);
  if (!told || same) {
    check_refused(before, "corrected", __LINE__);
    return;
  }
  m.events++;
  m.corrected++;
  correct_value(o, is_y ? D_MOST : i, now, note);
  if (o->state == SCANT_ORDER_LEARNED)
    learn_anew();
  else if (is_open(o))
    settle(o); /* it may agree with its second entries now */
  check_order(m.study, (size_t)(o - m.orders));
}

static void correct_past(past *p) {
  size_t i = test_below(m.d + 1);
  if (p->gone) return;
  if (i == m.d) i = D_MOST;
  double now = i < D_MOST && test_below(4) == 0 ? NAN : test_value();
  scant_study_answer answer = answer_of(i == D_MOST ? "y" : m.catalogue[i].name, now, NULL);
  int same = is_same(p->value[i], now);
  char *before = p->given[i] && !same ? NULL : before_refusal();
  scant_status status = scant_study_correct(m.study, p->example, &answer, 1, "a slip", &said);
  if (!CHECK(status == (p->given[i] ? SCANT_OK : SCANT_DATA))) printf("#   %s\n", said.text);
  if (!p->given[i] || same) {
    check_refused(before, "corrected the past", __LINE__);
    return;
  }
  m.events++;
  m.corrected++;
  p->value[i] = now;
  learn_anew();
}

/* ---- what was not ordered ------------------------------------------------------------------- */

static int is_ordered(const order *o, uint32_t attribute) {
  for (size_t i = 0; i < o->count; i++)
    if (o->attribute[i] == attribute) return 1;
  return 0;
}

static void tell_extra(order *o) {
  uint32_t a = (uint32_t)test_below(m.d);
  int learns = -1, takes = is_open(o) || o->state == SCANT_ORDER_LEARNED || o->state == SCANT_ORDER_EXPIRED;
  if (!is_last(o)) return;
  double value = test_below(8) ? test_value() : NAN;
  if (o->has_extra[a] && test_below(2)) value = o->extra[a];
  scant_study_answer answer = answer_of(m.catalogue[a].name, value, NULL);
  int again = o->has_extra[a] && is_same(o->extra[a], value);
  scant_status expected = is_ordered(o, a) || (o->has_extra[a] && !again) ? SCANT_DATA
                          : again || takes                                ? SCANT_OK
                                                                          : SCANT_MISUSE;
  char *before = expected == SCANT_OK && !again ? NULL : before_refusal();
  scant_status status = scant_study_tell_extra(m.study, o->example, &answer, 1, "it was there", &learns, &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected != SCANT_OK || again) {
    check_refused(before, "an extra", __LINE__);
    return;
  }
  CHECK(learns == m.dense);
  m.events++;
  m.extras++;
  o->has_extra[a] = 1;
  o->extra_list[o->extra_count++] = a;
  o->extra[a] = value;
  if (o->state == SCANT_ORDER_LEARNED && m.dense) learn_anew();
  check_order(m.study, (size_t)(o - m.orders));
}

/* ---- forgetting ------------------------------------------------------------------------------ */

static void forget_acts(act_kind not, act_kind only, size_t which) {
  for (size_t i = 0; i < m.act_count; i++) {
    act *a = &m.acts[i];
    if (a->kind != RESEEDED && a->kind != not &&(only == RESEEDED || a->kind == only) && a->which == which) a->gone = 1;
  }
}

/* What was measured stays paid, and the rest is given back. */
static void forget_order(order *o, scant_study_traces *traces) {
  sum spent = spent_of(o), some = sum_of(o, 1), all = sum_of(o, 0);
  o->gone_money = spent.money;
  o->gone_bought = is_open(o) ? some.attributes : spent.attributes;
  traces->orders++;
  traces->spent += spent.money;
  traces->open += (uint64_t)is_open(o);
  traces->refunded += is_open(o) ? all.money - some.money : 0;
  traces->attributes += is_open(o) ? all.attributes - some.attributes : 0;
  o->state = SCANT_ORDER_ERASED;
  o->count = 0;
  o->has_y = 0;
  o->extra_count = 0;
  o->second[D_MOST] = 0;
  o->second_value[D_MOST] = NAN;
  snprintf(o->example, sizeof o->example, "erased %zu", (size_t)(o - m.orders) + 1);
  forget_acts(IMPORTED, RESEEDED, (size_t)(o - m.orders));
}

/* Erases an order's example with all its orders, or an example of the past. */
static void erase_some(order *o, past *p) {
  scant_study_traces traces = {0}, expected = {0};
  char example[24];
  if (p ? p->gone : o->state == SCANT_ORDER_ERASED) return;
  snprintf(example, sizeof example, "%s", p ? p->example : o->example);
  GOOD(scant_study_erase(m.study, example, "withdrew", &traces, &said));
  m.events++;
  m.erased++;
  for (size_t i = 0; i < m.count; i++)
    if (strcmp(m.orders[i].example, example) == 0) forget_order(&m.orders[i], &expected);
  if (p) {
    p->gone = 1;
    forget_acts(RESEEDED, IMPORTED, (size_t)(p - m.pasts));
  }
  CHECK(traces.orders == expected.orders && traces.open == expected.open && traces.spent == expected.spent);
  CHECK(traces.refunded == expected.refunded && traces.attributes == expected.attributes);
  CHECK(traces.imported == (p != NULL) && !traces.unswept);
  learn_anew();
  check_learner();
  CHECK(scant_study_find_traces(m.study, example, &traces, &said) == SCANT_DATA);
}

/* ---- plans change ------------------------------------------------------------------------------- */

/* The terms that the model was told to change are those that count from here on. */
static void take_terms(void) {
  uint64_t max_open = m.settings.learning.max_open;
  m.settings = *scant_study_settings(m.study);
  m.settings.learning.algorithm = m.algorithm;
  m.settings.learning.max_open = max_open;
  m.amended = m.events;
  m.amendments++;
}

/* Puts a row in place of one of the catalogue, or behind it. */
static void take_row(size_t place, const scant_study_attribute *row) {
  const scant_study_attribute *before = &m.catalogue[place];
  if (place == m.d) m.d++;
  if (row->retired && !before->retired) {
    m.retired_at[place] = m.events;
    m.since[place] = UINT64_MAX;
  }
  if (!row->retired && before->retired) { /* nothing is learned from looks that could not have it */
    if (m.last_ask > m.retired_at[place] && m.last_ask > m.since_then[place]) m.since_then[place] = m.last_ask;
    m.since[place] = m.since_then[place];
  }
  m.catalogue[place] = *row;
}

/* Amends one attribute; `refused`: the algorithm can't. */
static void amend_row(size_t place, scant_study_attribute row, int same, int refused) {
  char *words = NULL, *before = same || refused ? before_refusal() : NULL;
  scant_status status = scant_study_amend(m.study, &row, 1, NULL, "it is so", 0, &words, &said);
  if (!CHECK(status == (refused ? SCANT_USAGE : SCANT_OK))) printf("#   %d for %s: %s\n", status, row.name, said.text);
  CHECK(!words == (same || refused));
  scant_text_free(words);
  if (same || refused) {
    check_refused(before, "amended", __LINE__);
    return;
  }
  m.events++;
  take_row(place, &row);
  take_terms();
  learn_anew();
  check_learner();
}

static void amend_settings(const char *text, scant_status expected, int same) {
  scant_settings settings = settings_of(text);
  char *before = expected == SCANT_OK && !same ? NULL : before_refusal();
  scant_status status = scant_study_amend(m.study, NULL, 0, &settings, "the board agreed", 0, NULL, &said);
  if (!CHECK(status == expected)) printf("#   %d for %s: %s\n", status, text, said.text);
  if (expected != SCANT_OK || same) {
    check_refused(before, text, __LINE__);
    return;
  }
  m.events++;
  take_terms();
  learn_anew();
  check_learner();
}

static void amend_budget(void) {
  uint64_t reserved, spent, attributes;
  char text[80];
  add_up(&reserved, &spent, &attributes);
  int low = test_below(3) == 0 && (m.budget ? reserved + spent : attributes) > 1;
  if (m.budget) {
    uint64_t to = low ? reserved + spent - 1 : m.budget + 5000;
    snprintf(text, sizeof text, "budget-cost=%.2f", (double)to / 100);
    if (!low) m.budget = to;
  } else {
    uint64_t to = low ? attributes - 1 : m.attributes_budget + 20;
    snprintf(text, sizeof text, "budget=%llu", (unsigned long long)to);
    if (!low && m.attributes_budget) m.attributes_budget = to;
    if (!m.attributes_budget) return;
  }
  amend_settings(text, low ? SCANT_USAGE : SCANT_OK, 0);
}

static void amend_k(void) {
  char text[20];
  size_t k = 3 + test_below(3);
  int same = k == m.settings.learning.k;
  snprintf(text, sizeof text, "k=%zu", k);
  amend_settings(text, m.imports_taken || same ? SCANT_OK : SCANT_USAGE, same);
  CHECK(!m.imports_taken || m.settings.learning.k == k);
}

static void amend_some(void) {
  size_t place = 1 + test_below(m.d - 1), retired = 0, dice = test_below(7);
  int by_money = m.settings.learning.spend > 0;
  for (size_t i = 0; i < m.d; i++) retired += m.catalogue[i].retired != 0;
  for (size_t i = 0; dice == 3 && i < m.d; i++)
    if (m.catalogue[i].retired) place = i; /* mostly one is taken back */
  scant_study_attribute row = m.catalogue[place];
  if (dice == 0 && m.kind == PRICED && !by_money) {
    row.cost = 100 + 10 * test_below(60);
    amend_row(place, row, row.cost == m.catalogue[place].cost, 0);
  } else if (dice == 1) {
    row.high = (double)(500 + test_below(3));
    amend_row(place, row, row.high == m.catalogue[place].high, 0);
  } else if (dice == 2) {
    row.usual_low = isnan(row.usual_low) ? -2 : NAN;
    row.usual_high = isnan(row.usual_low) ? NAN : 2;
    amend_row(place, row, 0, 0);
  } else if (dice == 3 && (row.retired || retired < 2)) {
    row.retired = !row.retired;
    amend_row(place, row, 0, !m.imports_taken);
  } else if (dice == 4 && m.d < D_MOST && !by_money) {
    snprintf(m.names[m.d], sizeof m.names[0], "n%zu", m.d);
    row = (scant_study_attribute){.name = m.names[m.d], .low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
    if (m.kind == PRICED) row.cost = 175;
    amend_row(m.d, row, 0, !m.imports_taken);
  } else if (dice == 5 && !by_money) {
    amend_k();
  } else if (dice == 6) {
    amend_budget();
  }
}

/* ---- copies ------------------------------------------------------------------------------------ */

/* A copy for the paper: it proves itself, and the study goes on. */
static void freeze_some(void) {
  char name[40];
  scant_study_frozen frozen;
  snprintf(name, sizeof name, "copy %llu", (unsigned long long)m.frozen++);
  char path[500], text[520];
  snprintf(path, sizeof path, "%s", study_path("frozen"));
  snprintf(text, sizeof text, "%s.txt", path);
  GOOD(scant_study_freeze(m.study, name, path, &frozen, &said));
  m.events++;
  study_remove(path);
  unlink(text);
}

#endif
