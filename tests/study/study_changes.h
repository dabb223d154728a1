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
    if (!isnan(p->value[i])) answers[count++] = (scant_study_answer){.name = m.catalogue[i].name, .value = p->value[i]};
  }
  p->value[D_MOST] = test_value();
  answers[count++] = (scant_study_answer){.name = "y", .value = p->value[D_MOST]};
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

static void correct_some(order *o) {
  size_t i = test_below(o->count + 1);
  int is_y = i == o->count, told = is_y ? o->has_y : o->line[i] != SCANT_LINE_ORDERED;
  if (!is_last(o)) return;
  scant_study_answer answer = {.name = is_y ? "y" : m.catalogue[o->attribute[i]].name,
                               .value = test_value(),
                               .missing = !is_y && test_below(4) == 0};
  double stored = is_y ? o->y : o->value[i], now = answer.missing ? NAN : answer.value;
  int same = isnan(stored) ? isnan(now) : stored == now;
  char *before = told && !same ? NULL : before_refusal();
  scant_status status = scant_study_correct(m.study, o->example, &answer, 1, "a slip", &said);
  CHECK(status == (told ? SCANT_OK : SCANT_DATA));
  if (!told || same) {
    check_refused(before, "corrected", __LINE__);
    return;
  }
  m.events++;
  m.corrected++;
  if (is_y) o->y = now;
  if (!is_y) o->line[i] = answer.missing ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
  if (!is_y) o->value[i] = now;
  if (o->state == SCANT_ORDER_LEARNED) learn_anew();
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
