/* Random operations on a study and on its model: asking, telling, ending, and what is refused. */
#ifndef SCANT_TESTS_STUDY_OPERATIONS_H
#define SCANT_TESTS_STUDY_OPERATIONS_H

#include "study_model.h"

/* ---- asking --------------------------------------------------------------------------- */

/* What the model expects of an ask; if it goes well, the order is the next one. */
static scant_status foresee_ask(const char *example) {
  uint64_t reserved, spent, attributes;
  if (count_open() >= m.settings.learning.max_open - 1) return SCANT_MISUSE;
  scant_status status = scant_learner_ask(m.learner, m.room, NULL);
  if (status != SCANT_OK) return status;
  order *o = &m.orders[m.count];
  *o = (order){.asked = m.events + 1};
  snprintf(o->example, sizeof o->example, "%s", example);
  add_up(&reserved, &spent, &attributes);
  take_look(o, m.room);
  sum price = sum_of(o, 0);
  int covered = (!m.budget || reserved + spent + price.money <= m.budget) &&
                (!m.attributes_budget || attributes + price.attributes <= m.attributes_budget);
  if (!covered) {
    m.budget_refused++;
    if (m.dense) /* it may have thought before it drew, which is not taken back */
      relearn();
    else
      GOOD(scant_learner_undo_ask(m.learner, m.room, &said));
    return SCANT_SPENT;
  }
  o->look = copy_look(m.room);
  happened(ASKED, m.count++);
  m.last_ask = ++m.events;
  return SCANT_OK;
}

static void ask_for(const char *example) {
  const scant_study_order *got = NULL;
  scant_status expected = foresee_ask(example);
  char *before = expected == SCANT_OK ? NULL : before_refusal();
  scant_status status = scant_study_ask(m.study, example, &got, &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected == SCANT_OK)
    check_order(m.study, m.count - 1);
  else
    check_refused(before, "ask", __LINE__);
}

static void ask_new(void) {
  char example[24];
  snprintf(example, sizeof example, "e%zu", m.examples++);
  ask_for(example);
}

/* Takes back what foresee_ask did since, as if it had never been. */
static void forget_asks(size_t count, size_t acts, uint64_t events) {
  while (m.count > count) scant_look_free(m.orders[--m.count].look);
  m.act_count = acts;
  m.events = events;
  relearn();
}

/* Some new ones and an old one at once: all of them, or none. */
static void ask_several(void) {
  char names[4][24];
  const char *examples[5];
  size_t n = 2 + test_below(3), count = m.count, acts = m.act_count;
  uint64_t events = m.events, last_ask = m.last_ask;
  scant_status expected = SCANT_OK;
  for (size_t i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "e%zu", m.examples++);
    examples[i] = names[i];
    if (expected == SCANT_OK) expected = foresee_ask(names[i]);
  }
  if (expected != SCANT_OK) {
    forget_asks(count, acts, events);
    m.last_ask = last_ask;
  }
  char *before = expected == SCANT_OK ? NULL : before_refusal();
  scant_status status = scant_study_ask_all(m.study, examples, n, &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected != SCANT_OK) check_refused(before, "ask several", __LINE__);
  for (size_t i = count; i < m.count; i++) check_order(m.study, i);
}

static void ask_old(order *o) {
  const scant_study_order *got = NULL;
  if (!is_last(o)) return;
  if (o->state == SCANT_ORDER_CANCELLED && sum_of(o, 1).attributes == 0 && !o->has_y) {
    ask_for(o->example);
    return;
  }
  char *before = before_refusal();
  scant_status status = scant_study_ask(m.study, o->example, &got, &said);
  if (o->state <= SCANT_ORDER_LEARNED)
    CHECK(status == SCANT_OK && got->number == (uint64_t)(o - m.orders) + 1);
  else
    CHECK(status == SCANT_MISUSE);
  check_refused(before, "ask again", __LINE__);
}

/* ---- telling --------------------------------------------------------------------------- */

static void shuffle(scant_study_answer *answers, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = test_below(i);
    scant_study_answer swap = answers[i - 1];
    answers[i - 1] = answers[j];
    answers[j] = swap;
  }
}

/* An answer to place i of an order, or to its target: what is stored, or something new, which goes to `after`. */
static scant_study_answer answer_place(order *after, size_t i, size_t *fresh) {
  if (i == after->count) {
    *fresh += !after->has_y;
    if (!after->has_y) after->y = test_value();
    after->has_y = 1;
    return answer_of("y", after->y, NULL);
  }
  uint32_t attribute = after->attribute[i];
  *fresh += after->line[i] == SCANT_LINE_ORDERED;
  if (after->line[i] == SCANT_LINE_ORDERED) {
    after->line[i] = test_below(8) ? SCANT_LINE_TOLD : SCANT_LINE_MISSING;
    after->value[i] = after->line[i] == SCANT_LINE_TOLD ? test_value() : NAN;
    after->note[i] = note_of(attribute, after->value[i], any_reason());
  }
  return answer_of(m.catalogue[attribute].name, after->value[i], after->note[i]);
}

/* Tells some of it: chance in 4 for each, the target too; sometimes again what was told. */
static void tell_some(order *o, size_t chance) {
  scant_study_answer answers[D_MOST + 1];
  size_t count = 0, fresh = 0;
  order after = *o;
  if (!is_last(o)) return;
  for (size_t i = 0; i <= o->count; i++)
    if (test_below(4) < chance) answers[count++] = answer_place(&after, i, &fresh);
  if (!count) return;
  shuffle(answers, count);
  int expired = o->state == SCANT_ORDER_EXPIRED; /* it takes values down, and stays so */
  int late = fresh && !is_open(o) && !expired;
  char *before = !fresh || late ? before_refusal() : NULL;
  scant_status status = scant_study_tell(m.study, o->example, answers, count, &said);
  if (!CHECK(status == (late ? SCANT_MISUSE : SCANT_OK))) printf("#   %s\n", said.text);
  if (!fresh || late) {
    check_refused(before, late ? "told too late" : "told again", __LINE__);
    return;
  }
  m.events++;
  *o = after;
  if (!expired) settle(o);
  check_order(m.study, (size_t)(o - m.orders));
}

/* Other values than those stored are refused, and so is what was not ordered. */
static void tell_wrong(order *o) {
  if (!o->count) return;
  char *before = before_refusal();
  size_t i = test_below(o->count);
  scant_study_answer answers[2] = {{.name = "y", .value = 1}, {.name = m.catalogue[o->attribute[i]].name, .value = 77}};
  if (!is_last(o) || !o->line[i]) answers[1].name = "nothing";
  if (o->has_y) answers[0].value = o->y;
  CHECK(scant_study_tell(m.study, o->example, answers, 2, &said) == SCANT_DATA);
  check_refused(before, "told otherwise", __LINE__);
}

/* An unusual value that nobody confirms, or a reason that the study does not know. */
static void tell_unconfirmed(order *o) {
  size_t i = 0;
  if (!is_last(o) || !is_open(o)) return;
  while (i < o->count && o->line[i] != SCANT_LINE_ORDERED) i++;
  if (i == o->count) return;
  const scant_study_attribute *a = &m.catalogue[o->attribute[i]];
  scant_study_answer answer = {.name = a->name, .value = 99};
  if (!(99 > a->usual_high)) answer = (scant_study_answer){.name = a->name, .missing = 1, .note = "a whim"};
  char *before = before_refusal();
  CHECK(scant_study_tell(m.study, o->example, &answer, 1, &said) == SCANT_DATA);
  check_refused(before, "not confirmed", __LINE__);
}

/* ---- second entries ----------------------------------------------------------------------- */

/* A second entry of place i, mostly the same as the first; the target is at D_MOST.  1: it is new. */
static int enter_again(order *o, size_t i, scant_study_answer *answer) {
  int is_y = i == D_MOST, agrees = test_below(m.second_needed ? 20 : 5) > 0;
  double value = is_y ? o->y : o->value[i];
  const char *reason = is_y ? NULL : o->note[i];
  if (!agrees) value = !is_y && test_below(4) == 0 ? NAN : test_value();
  if (!agrees) reason = any_reason();
  *answer = answer_of(is_y ? "y" : m.catalogue[o->attribute[i]].name, value, reason);
  const char *note = is_y ? NULL : note_of(o->attribute[i], value, reason);
  if (o->second[i] != SCANT_SECOND_NONE && is_same(o->second_value[i], value) && is_same_text(o->second_note[i], note))
    return 0;
  o->second[i] = SCANT_SECOND_AGREES;
  o->second_value[i] = value;
  o->second_note[i] = note;
  compare_second(o, i);
  return 1;
}

static void check_comparison(const order *o, const scant_study_comparison *got) {
  size_t agree = 0, differ = 0, once = 0;
  for (size_t i = 0; i <= o->count; i++) {
    size_t place = i < o->count ? i : D_MOST;
    int told = i < o->count ? o->line[i] != SCANT_LINE_ORDERED : o->has_y;
    agree += o->second[place] == SCANT_SECOND_AGREES;
    differ += o->second[place] == SCANT_SECOND_DIFFERS;
    once += told && o->second[place] == SCANT_SECOND_NONE;
  }
  CHECK(got->agree == agree && got->differ == differ && got->once == once);
}

/* Enters chance in 4 of what was told a second time; what was not told is refused. */
static void tell_second(order *o, size_t chance) {
  scant_study_answer answers[D_MOST + 1];
  scant_study_comparison compared;
  order after = *o;
  size_t count = 0;
  int fresh = 0, untold = 0;
  if (!is_last(o)) return;
  for (size_t i = 0; i <= o->count; i++) {
    int told = i < o->count ? o->line[i] != SCANT_LINE_ORDERED : o->has_y;
    if (test_below(4) >= chance || (!told && test_below(40))) continue;
    fresh |= enter_again(&after, i < o->count ? i : D_MOST, &answers[count]);
    untold |= !told;
    if (!told) answers[count] = answer_of(answers[count].name, 1, NULL);
    count++;
  }
  if (!count) return;
  shuffle(answers, count);
  char *before = untold || !fresh ? before_refusal() : NULL;
  scant_status status = scant_study_tell_second(m.study, o->example, answers, count, &compared, &said);
  if (!CHECK(status == (untold ? SCANT_DATA : SCANT_OK))) printf("#   %s\n", said.text);
  if (untold || !fresh) {
    check_refused(before, "a second entry", __LINE__);
    return;
  }
  check_comparison(&after, &compared);
  m.events++;
  m.seconds++;
  *o = after;
  if (is_open(o)) settle(o);
  check_order(m.study, (size_t)(o - m.orders));
}

/* ---- ends ------------------------------------------------------------------------------- */

static void end_some(order *o) {
  scant_study_end how = (scant_study_end)test_below(3);
  int open = is_open(o), reconciles = o->state == SCANT_ORDER_EXPIRED && how == SCANT_END_CANCEL;
  if (!is_last(o)) return;
  char *before = open || reconciles ? NULL : before_refusal();
  scant_status status = scant_study_end_order(m.study, o->example, how, "because", &said);
  if (!open && !reconciles) {
    CHECK(status == SCANT_MISUSE);
    check_refused(before, "ended", __LINE__);
    return;
  }
  GOOD(status);
  m.events++;
  if (open) happened(CLOSED, (size_t)(o - m.orders));
  o->state = how == SCANT_END_CANCEL   ? SCANT_ORDER_CANCELLED
             : how == SCANT_END_EXPIRE ? SCANT_ORDER_EXPIRED
                                       : SCANT_ORDER_FAILED;
  check_order(m.study, (size_t)(o - m.orders));
}

/* What the model expects of taking an end back: there must be one, and the budget still covers the rest. */
static scant_status foresee_reopening(const order *o) {
  uint64_t reserved, spent, attributes;
  sum all = sum_of(o, 0), some = sum_of(o, 1);
  int kept = o->state == SCANT_ORDER_EXPIRED; /* nothing was refunded */
  add_up(&reserved, &spent, &attributes);
  if (o->state <= SCANT_ORDER_LEARNED) return SCANT_MISUSE;
  if (!kept && m.budget && reserved + spent + all.money - some.money > m.budget) return SCANT_SPENT;
  if (!kept && m.attributes_budget && attributes + all.attributes - some.attributes > m.attributes_budget)
    return SCANT_SPENT;
  return count_open() >= m.settings.learning.max_open - 1 ? SCANT_MISUSE : SCANT_OK;
}

static void take_end_back(order *o) {
  if (!is_last(o)) return;
  scant_status expected = foresee_reopening(o);
  char *before = expected == SCANT_OK ? NULL : before_refusal();
  scant_status status = scant_study_reopen(m.study, o->example, "it had not", &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected != SCANT_OK) {
    check_refused(before, "reopened", __LINE__);
    return;
  }
  m.reopened++;
  m.events++;
  happened(REOPENED, (size_t)(o - m.orders));
  settle(o);
  check_order(m.study, (size_t)(o - m.orders));
}

#endif
