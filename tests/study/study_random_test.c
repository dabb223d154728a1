/* Any interleaving of 1,000 random operations, against a model in memory that is written here without looking at the
 * study: orders, money, states and values; and a plain learner that is driven by hand.  After corrections the learner
 * is made anew from a log of what happened. */
#include "study_support.h"

#ifdef __SANITIZE_ADDRESS__ /* which takes its time */
enum { D = 9, MOST = 1200, OPERATIONS = 700, HANDLES = 3 };
#else
enum { D = 9, MOST = 1200, OPERATIONS = 1000, HANDLES = 3 };
#endif

typedef struct {
  char example[16];
  int state; /* scant_order_state */
  size_t count;
  uint32_t attribute[D];
  uint64_t price[D]; /* the whole group's at its first */
  int line[D];       /* scant_line_state */
  double value[D];
  int has_y;
  double y;
  scant_look *look;
} order;

typedef enum { ASKED, LEARNED, CLOSED, REOPENED, IMPORTED, CORRECTED } act_kind;

typedef struct {
  act_kind kind;
  size_t which; /* order or import */
} act;

typedef struct {
  const char *path;
  catalogue_kind kind;
  int corrects; /* are there corrections? */
  scant_study *study;
  scant_study *shared[HANDLES]; /* of those that share it, study is one; else all are NULL */
  scant_settings settings;
  scant_prices *prices;
  const scant_study_attribute *catalogue;
  scant_learner *learner;
  scant_look *room;
  order orders[MOST];
  size_t count, examples;
  double imports[MOST][D + 1];
  char imported[MOST][16];
  size_t import_count;
  act acts[4 * MOST];
  size_t act_count;
  uint64_t budget, attributes_budget; /* 0: none */
  uint64_t held[2];                   /* money reserved, spent */
  uint64_t attributes;
  uint64_t refused, budget_refused, learned, reopened;
} model;

static model m;

/* ---- the plain learner ------------------------------------------------------------- */

static void new_learner(void) {
  scant_look_free(m.room);
  scant_learner_free(m.learner);
  m.learner = NULL;
  m.room = NULL;
  GOOD(scant_learner_new(&m.learner, &m.settings, D, 0, &said));
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

static void learn_import(size_t i) {
  double values[D];
  GOOD(scant_learner_ask_all(m.learner, m.room, &said));
  for (uint32_t place = 0; place < m.room->count; place++) values[place] = m.imports[i][m.room->attributes[place]];
  GOOD(scant_learner_tell(m.learner, m.room, m.room->count, NULL, values, m.imports[i][D], &said));
}

static void learn_act(const act *a) {
  order *o = a->kind == CORRECTED ? NULL : &m.orders[a->which];
  if (a->kind == ASKED) GOOD(scant_learner_ask(m.learner, m.room, &said));
  if (a->kind == LEARNED) GOOD(scant_learner_tell(m.learner, o->look, o->count, NULL, o->value, o->y, &said));
  if (a->kind == CLOSED) GOOD(scant_learner_cancel(m.learner, o->look, &said));
  if (a->kind == REOPENED) GOOD(scant_learner_reopen(m.learner, o->look, &said));
  if (a->kind == IMPORTED) learn_import(a->which);
  if (a->kind == CORRECTED) scant_learner_reseed(m.learner, a->which); /* the number of its event */
}

static void happened(act_kind kind, size_t which) {
  m.acts[m.act_count++] = (act){kind, which};
}

/* A correction: everything that happened, with the values as they are now and the looks as they were. */
static void learn_anew(void) {
  new_learner();
  for (size_t i = 0; i < m.act_count; i++) learn_act(&m.acts[i]);
}

static void check_learner(void) {
  char *a, *b;
  size_t n, k;
  scant_study_status status;
  GOOD(scant_study_get_status(m.study, &status, &said));
  GOOD(scant_learner_save(m.learner, &a, &n, &said));
  GOOD(scant_learner_save(m.study->learner, &b, &k, &said));
  CHECK(n == k && memcmp(a, b, n) == 0);
  scant_text_free(a);
  scant_text_free(b);
}

/* ---- money -------------------------------------------------------------------------- */

static int same_group(uint32_t a, uint32_t b) {
  const char *g = m.catalogue[a].group, *h = m.catalogue[b].group;
  return a == b || (g && h && strcmp(g, h) == 0);
}

/* Is this line the first of its group in the order? */
static int is_first(const order *o, size_t place) {
  for (size_t i = 0; i < place; i++)
    if (same_group(o->attribute[i], o->attribute[place])) return 0;
  return 1;
}

static int is_measured(const order *o, size_t place) {
  for (size_t i = 0; i < o->count; i++)
    if (same_group(o->attribute[i], o->attribute[place]) && o->line[i] != SCANT_LINE_ORDERED) return 1;
  return 0;
}

static int is_purchase(const order *o, size_t place) {
  if (m.kind == PRICED) return o->price[place] > 0;
  return is_first(o, place) && !m.catalogue[o->attribute[place]].known;
}

typedef struct {
  uint64_t money, attributes;
} sum;

static sum sum_of(const order *o, int measured_only) {
  sum s = {0, 0};
  for (size_t i = 0; i < o->count; i++) {
    if (measured_only && !is_measured(o, i)) continue;
    s.money += o->price[i];
    s.attributes += (uint64_t)is_purchase(o, i);
  }
  return s;
}

/* What an order holds now: reserved, spent, purchases. */
static void add_up(uint64_t *reserved, uint64_t *spent, uint64_t *attributes) {
  *reserved = *spent = *attributes = 0;
  for (size_t i = 0; i < m.count; i++) {
    const order *o = &m.orders[i];
    sum all = sum_of(o, 0), some = sum_of(o, 1);
    int open = o->state <= SCANT_ORDER_TOLD, kept = open || o->state == SCANT_ORDER_EXPIRED;
    *spent += o->state == SCANT_ORDER_EXPIRED ? all.money : some.money;
    *reserved += open ? all.money - some.money : 0;
    *attributes += kept ? all.attributes : some.attributes;
  }
}

static void check_totals(scant_study *study) {
  scant_study_status s;
  uint64_t reserved, spent, attributes, states[7] = {0}, purchases[D], money[D], paid = 0, bought[D] = {0}, expired = 0;
  add_up(&reserved, &spent, &attributes);
  GOOD(scant_study_get_status(study, &s, &said));
  for (size_t i = 0; i < m.count; i++) {
    states[m.orders[i].state]++;
    if (m.orders[i].state == SCANT_ORDER_EXPIRED)
      expired += sum_of(&m.orders[i], 0).money - sum_of(&m.orders[i], 1).money;
    for (size_t j = 0; j < m.orders[i].count; j++) bought[m.orders[i].attribute[j]] += m.orders[i].line[j] > 0;
  }
  CHECK(s.reserved == reserved && s.spent == spent && s.attributes_reserved == attributes);
  CHECK(s.orders == m.count && s.imported == m.import_count && s.learned == states[SCANT_ORDER_LEARNED]);
  CHECK(s.open == states[0] + states[1] + states[2] && s.cancelled == states[SCANT_ORDER_CANCELLED] &&
        s.expired == states[SCANT_ORDER_EXPIRED] && s.failed == states[SCANT_ORDER_FAILED]);
  CHECK(!m.budget || reserved + spent <= m.budget);
  CHECK(!m.attributes_budget || attributes <= m.attributes_budget);
  GOOD(scant_study_purchases(study, purchases, money, &said));
  for (size_t i = 0; i < D; i++) paid += money[i];
  CHECK(paid == spent - expired && memcmp(purchases, bought, sizeof bought) == 0);
}

static void check_order(scant_study *study, size_t i) {
  const order *o = &m.orders[i];
  const scant_study_order *got = NULL;
  GOOD(scant_study_order_at(study, i + 1, &got, &said));
  if (!CHECK(got != NULL)) return;
  CHECK(got->number == i + 1 && strcmp(got->example, o->example) == 0 && (int)got->state == o->state);
  CHECK(got->count == o->count && got->has_y == o->has_y && (!o->has_y || got->y == o->y));
  CHECK(got->price == sum_of(o, 0).money);
  CHECK(got->spent == (o->state == SCANT_ORDER_EXPIRED ? sum_of(o, 0).money : sum_of(o, 1).money));
  for (size_t j = 0; j < o->count && j < got->count; j++) {
    CHECK(got->lines[j].attribute == o->attribute[j] && got->lines[j].price == o->price[j]);
    CHECK((int)got->lines[j].state == o->line[j]);
    CHECK(o->line[j] == SCANT_LINE_TOLD ? got->lines[j].value == o->value[j] : isnan(got->lines[j].value));
  }
}

/* ---- operations ------------------------------------------------------------------------ */

static void take_look(order *o, const scant_look *look) {
  o->count = look->count;
  for (uint32_t i = 0; i < look->count; i++) {
    o->attribute[i] = look->attributes[i];
    o->line[i] = SCANT_LINE_ORDERED;
    o->value[i] = NAN;
  }
  for (size_t i = 0; i < o->count; i++) {
    o->price[i] = 0;
    for (uint32_t j = 0; is_first(o, i) && j < D; j++)
      if (same_group(o->attribute[i], j)) o->price[i] += m.catalogue[j].cost;
  }
}

static void ask_for(const char *example) {
  const scant_study_order *got = NULL;
  size_t open = 0;
  for (size_t i = 0; i < m.count; i++) open += m.orders[i].state <= SCANT_ORDER_TOLD;
  scant_status expected =
      open + 1 >= m.settings.learning.max_open ? SCANT_MISUSE : scant_learner_ask(m.learner, m.room, NULL);
  order *o = &m.orders[m.count];
  *o = (order){0};
  snprintf(o->example, sizeof o->example, "%s", example);
  if (expected == SCANT_OK) {
    uint64_t reserved, spent, attributes;
    add_up(&reserved, &spent, &attributes);
    take_look(o, m.room);
    sum price = sum_of(o, 0);
    if ((m.budget && reserved + spent + price.money > m.budget) ||
        (m.attributes_budget && attributes + price.attributes > m.attributes_budget)) {
      expected = SCANT_SPENT;
      m.budget_refused++;
      GOOD(scant_learner_take_back(m.learner, m.room, &said));
    }
  }
  char *before = expected == SCANT_OK ? NULL : dump(m.study);
  scant_status status = scant_study_ask(m.study, example, &got, &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected == SCANT_OK) {
    o->look = copy_look(m.room);
    happened(ASKED, m.count);
    m.count++;
    check_order(m.study, m.count - 1);
  } else {
    m.refused++;
    check_unchanged(m.study, before, "ask", __LINE__);
  }
}

static void ask_new(void) {
  char example[16];
  snprintf(example, sizeof example, "e%zu", m.examples++);
  ask_for(example);
}

/* The last order of an example that was cancelled with nothing measured may be followed by another. */
static int may_ask_again(const order *o) {
  for (const order *later = o + 1; later < m.orders + m.count; later++)
    if (strcmp(later->example, o->example) == 0) return 0;
  return o->state == SCANT_ORDER_CANCELLED && sum_of(o, 1).attributes == 0 && !o->has_y;
}

static int is_last(const order *o) {
  for (const order *later = o + 1; later < m.orders + m.count; later++)
    if (strcmp(later->example, o->example) == 0) return 0;
  return 1;
}

static void ask_old(order *o) {
  const scant_study_order *got = NULL;
  if (!is_last(o)) return;
  if (may_ask_again(o)) {
    ask_for(o->example);
    return;
  }
  char *before = dump(m.study);
  scant_status status = scant_study_ask(m.study, o->example, &got, &said);
  if (o->state <= SCANT_ORDER_LEARNED)
    CHECK(status == SCANT_OK && got->number == (uint64_t)(o - m.orders) + 1);
  else
    CHECK(status == SCANT_MISUSE);
  check_unchanged(m.study, before, "ask again", __LINE__);
}

/* Tells some of it: chance in 4 for each that is not told, the target too; sometimes again what was told. */
static void tell_some(order *o, size_t chance) {
  scant_study_answer answers[D + 1];
  size_t count = 0, fresh = 0;
  order after = *o;
  if (!is_last(o)) return;
  for (size_t i = 0; i <= o->count; i++) {
    if (test_below(4) >= chance) continue;
    if (i == o->count) {
      if (!o->has_y) after.y = test_value(), after.has_y = 1, fresh++;
      answers[count++] = (scant_study_answer){"y", after.y, 0};
      continue;
    }
    int missing = o->line[i] ? o->line[i] == SCANT_LINE_MISSING : test_below(8) == 0;
    if (!o->line[i]) {
      after.line[i] = missing ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
      after.value[i] = missing ? NAN : test_value();
      fresh++;
    }
    answers[count++] = (scant_study_answer){m.catalogue[o->attribute[i]].name, missing ? 0 : after.value[i], missing};
  }
  if (!count) return;
  /* in any order */
  for (size_t i = count; i > 1; i--) {
    size_t j = test_below(i);
    scant_study_answer swap = answers[i - 1];
    answers[i - 1] = answers[j];
    answers[j] = swap;
  }
  int expired = o->state == SCANT_ORDER_EXPIRED; /* it takes values down, and stays so */
  char *before = !fresh || (o->state > SCANT_ORDER_TOLD && !expired) ? dump(m.study) : NULL;
  scant_status status = scant_study_tell(m.study, o->example, answers, count, &said);
  if (!fresh) {
    CHECK(status == SCANT_OK);
    check_unchanged(m.study, before, "told again", __LINE__);
    return;
  }
  if (o->state > SCANT_ORDER_TOLD && !expired) {
    CHECK(status == SCANT_MISUSE);
    check_unchanged(m.study, before, "told too late", __LINE__);
    return;
  }
  if (!CHECK(status == SCANT_OK)) printf("#   %s\n", said.text);
  *o = after;
  if (expired) {
    check_order(m.study, (size_t)(o - m.orders));
    return;
  }
  size_t told = 0;
  for (size_t i = 0; i < o->count; i++) told += o->line[i] != SCANT_LINE_ORDERED;
  o->state = told < o->count ? SCANT_ORDER_PARTLY : o->has_y ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
  if (o->state == SCANT_ORDER_LEARNED) {
    m.learned++;
    happened(LEARNED, (size_t)(o - m.orders));
    learn_act(&m.acts[m.act_count - 1]);
  }
  check_order(m.study, (size_t)(o - m.orders));
}

/* Other values than those stored are refused, and so is what was not ordered. */
static void tell_wrong(order *o) {
  char *before = dump(m.study);
  size_t i = test_below(o->count);
  scant_study_answer answers[2] = {{"y", 1, 0}, {m.catalogue[o->attribute[i]].name, 77, 0}};
  if (!is_last(o) || !o->line[i]) {
    answers[1].name = "nothing";
  }
  if (o->has_y) answers[0].value = o->y;
  CHECK(scant_study_tell(m.study, o->example, answers, 2, &said) == SCANT_DATA);
  check_unchanged(m.study, before, "told otherwise", __LINE__);
}

static void end_some(order *o) {
  scant_study_end how = (scant_study_end)test_below(3);
  int open = o->state <= SCANT_ORDER_TOLD, reconciles = o->state == SCANT_ORDER_EXPIRED && how == SCANT_END_CANCEL;
  if (!is_last(o)) return;
  char *before = open || reconciles ? NULL : dump(m.study);
  scant_status status = scant_study_end_order(m.study, o->example, how, "because", &said);
  if (!open && !reconciles) {
    CHECK(status == SCANT_MISUSE);
    check_unchanged(m.study, before, "ended", __LINE__);
    return;
  }
  GOOD(status);
  if (open) {
    happened(CLOSED, (size_t)(o - m.orders));
    learn_act(&m.acts[m.act_count - 1]);
  }
  o->state = how == SCANT_END_CANCEL   ? SCANT_ORDER_CANCELLED
             : how == SCANT_END_EXPIRE ? SCANT_ORDER_EXPIRED
                                       : SCANT_ORDER_FAILED;
  check_order(m.study, (size_t)(o - m.orders));
}

/* The end is taken back, if there is one and the budget still covers the rest. */
static void take_end_back(order *o) {
  size_t open = 0, told = 0;
  uint64_t reserved, spent, attributes;
  sum all = sum_of(o, 0), some = sum_of(o, 1);
  if (!is_last(o)) return;
  for (size_t i = 0; i < m.count; i++) open += m.orders[i].state <= SCANT_ORDER_TOLD;
  for (size_t i = 0; i < o->count; i++) told += o->line[i] != SCANT_LINE_ORDERED;
  add_up(&reserved, &spent, &attributes);
  int kept = o->state == SCANT_ORDER_EXPIRED; /* nothing was refunded */
  scant_status expected = o->state <= SCANT_ORDER_LEARNED ? SCANT_MISUSE : SCANT_OK;
  if (expected == SCANT_OK && !kept && m.budget && reserved + spent + all.money - some.money > m.budget)
    expected = SCANT_SPENT;
  if (expected == SCANT_OK && !kept && m.attributes_budget &&
      attributes + all.attributes - some.attributes > m.attributes_budget)
    expected = SCANT_SPENT;
  if (expected == SCANT_OK && open + 1 >= m.settings.learning.max_open) expected = SCANT_MISUSE;
  char *before = expected == SCANT_OK ? NULL : dump(m.study);
  scant_status status = scant_study_reopen(m.study, o->example, "it had not", &said);
  if (!CHECK(status == expected)) printf("#   %d for %d: %s\n", status, expected, said.text);
  if (expected != SCANT_OK) {
    check_unchanged(m.study, before, "reopened", __LINE__);
    return;
  }
  m.reopened++;
  o->state = told < o->count ? (told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED)
             : o->has_y      ? SCANT_ORDER_LEARNED
                             : SCANT_ORDER_TOLD;
  happened(REOPENED, (size_t)(o - m.orders));
  learn_act(&m.acts[m.act_count - 1]);
  if (o->state == SCANT_ORDER_LEARNED) {
    m.learned++;
    happened(LEARNED, (size_t)(o - m.orders));
    learn_act(&m.acts[m.act_count - 1]);
  }
  check_order(m.study, (size_t)(o - m.orders));
}

static void correct_some(order *o) {
  size_t i = test_below(o->count + 1);
  int is_y = i == o->count, told = is_y ? o->has_y : o->line[i] != SCANT_LINE_ORDERED;
  if (!is_last(o)) return;
  scant_study_answer answer = {is_y ? "y" : m.catalogue[o->attribute[i]].name, test_value(),
                               !is_y && test_below(4) == 0};
  char *before = told ? NULL : dump(m.study);
  uint64_t events = m.study->tip.sequence;
  scant_status status = scant_study_correct(m.study, o->example, &answer, 1, "a slip", &said);
  if (!told) {
    CHECK(status == SCANT_DATA);
    check_unchanged(m.study, before, "corrected", __LINE__);
    return;
  }
  GOOD(status);
  if (is_y) o->y = answer.value;
  if (!is_y) o->line[i] = answer.missing ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
  if (!is_y) o->value[i] = answer.missing ? NAN : answer.value;
  if (o->state == SCANT_ORDER_LEARNED && m.study->tip.sequence > events) {
    happened(CORRECTED, (size_t)m.study->tip.sequence);
    learn_anew();
  }
  check_order(m.study, (size_t)(o - m.orders));
}

static void import_some(void) {
  scant_study_answer answers[D + 1];
  size_t count = 0;
  double *row = m.imports[m.import_count];
  for (size_t i = 0; i < D; i++) {
    row[i] = i == 1 || test_below(3) ? test_value() : NAN;
    if (!isnan(row[i])) answers[count++] = (scant_study_answer){m.catalogue[i].name, row[i], 0};
  }
  row[D] = test_value();
  answers[count++] = (scant_study_answer){"y", row[D], 0};
  snprintf(m.imported[m.import_count], 16, "i%zu", m.import_count);
  if (strcmp(m.settings.learning.algorithm, "aerr") == 0) {
    char *before = dump(m.study);
    CHECK(scant_study_import(m.study, m.imported[m.import_count], answers, count, &said) == SCANT_USAGE);
    check_unchanged(m.study, before, "imported", __LINE__);
    return;
  }
  GOOD(scant_study_import(m.study, m.imported[m.import_count], answers, count, &said));
  happened(IMPORTED, m.import_count++);
  learn_act(&m.acts[m.act_count - 1]);
}

static void reopen(void) {
  if (test_below(2)) {
    scant_study_close(m.study);
  } else {
    /* as if it were killed: no snapshot */
    m.study->kept = m.study->tip.sequence;
    scant_study_close(m.study);
  }
  scant_study **place = NULL;
  for (size_t i = 0; i < HANDLES; i++)
    if (m.shared[i] == m.study) place = &m.shared[i];
  m.study = open_study(m.path, place ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE);
  if (place) *place = m.study;
  hurry(m.study);
  m.study->keep_every = 20 + test_below(200);
  check_learner();
}

/* Any of those that share the study goes on: it must catch up with the others. */
static void go_on_by_another(void) {
  if (m.shared[0]) m.study = m.shared[test_below(HANDLES)];
}

/* Another one reads meanwhile, and sees what follows. */
static void read_meanwhile(scant_study *reader) {
  char *a = dump(m.study), *b = dump(reader);
  CHECK(strcmp(a, b) == 0);
  free(a);
  free(b);
  check_totals(reader);
}

static void operate(scant_study *reader) {
  order *any = m.count ? &m.orders[test_below(m.count)] : NULL;
  order *late = m.count ? &m.orders[m.count - 1 - test_below(m.count < 30 ? m.count : 30)] : NULL;
  size_t dice = test_below(100);
  order *ended = NULL; /* the last one that ended: mostly it is that which is taken back */
  for (size_t i = 0; i < m.count; i++)
    if (m.orders[i].state > SCANT_ORDER_LEARNED && test_below(4)) ended = &m.orders[i];
  if (!any || dice < 30)
    ask_new();
  else if (dice < 34)
    ask_old(any);
  else if (dice < 55)
    tell_some(late, 2);
  else if (dice < 79)
    tell_some(late, 4);
  else if (dice < 82)
    tell_wrong(any);
  else if (dice < 87)
    end_some(dice < 84 ? any : late);
  else if (dice < 89)
    take_end_back(ended ? ended : any);
  else if (dice < 92)
    m.corrects ? correct_some(any) : ask_old(any);
  else if (dice < 96)
    import_some();
  else if (dice < 98)
    reopen();
  else
    read_meanwhile(reader);
}

typedef struct scenario {
  const char *name, *settings;
  catalogue_kind kind;
  int corrects;
  uint64_t seed;
  int shared; /* several handles take turns */
} scenario;

static const scenario scenarios[] = {
    {"auto_plain", "algorithm=auto k=4 seed=1 max-open=40", PLAIN, 0, 1, 0},
    {"auto_with_prices", "algorithm=auto k=4 seed=2 budget-cost=2500", PRICED, 0, 2, 0},
    {"auto_with_prices_and_corrections", "algorithm=auto k=3 seed=3 missing=skip-example", PRICED, 1, 3, 0},
    {"auto_known_but_free", "algorithm=auto k=3 seed=4 budget=600", FREE_GROUPS, 1, 4, 0},
    {"ridge_by_money", "algorithm=ridge k=5 spend=14 seed=5 budget-cost=1200", PRICED, 1, 5, 0},
    {"svr_plain", "algorithm=svr k=4 seed=6", PLAIN, 1, 6, 0},
    {"aerr_plain", "algorithm=aerr k=4 seed=7 budget=900", PLAIN, 0, 7, 0},
    {"aerr_corrected", "algorithm=aerr k=4 seed=8", PLAIN, 1, 8, 0},
    {"auto_shared", "algorithm=auto k=4 seed=9 max-open=40", PLAIN, 0, 9, 1},
    {"auto_shared_with_prices_and_corrections", "algorithm=auto k=3 seed=10 budget-cost=1200", PRICED, 1, 10, 1},
};

static scenario now; /* the one that is run */

/* The model and the study of the scenario, with nothing in them. */
static void begin(const char *path) {
  memset(&m, 0, sizeof m);
  test_state = now.seed * 0x9e3779b97f4a7c15u + 1;
  m.path = path;
  m.kind = now.kind;
  m.corrects = now.corrects;
  m.catalogue = catalogue_of(D, m.kind);
  m.study = make_study(path, now.settings, D, m.kind);
  hurry(m.study);
  m.settings = *scant_study_settings(m.study);
  m.settings.learning.max_open++; /* imports need no order */
  static char algorithm[40];
  snprintf(algorithm, sizeof algorithm, "%s", m.settings.learning.algorithm);
  m.settings.learning.algorithm = algorithm;
  m.budget = (uint64_t)llround(100 * m.settings.run.budget_cost);
  m.attributes_budget = m.settings.run.budget;
  uint64_t costs[D];
  uint32_t panels[D];
  for (size_t i = 0; i < D; i++) {
    costs[i] = m.catalogue[i].cost;
    panels[i] = !m.catalogue[i].group ? 0 : strcmp(m.catalogue[i].group, "pair") == 0 ? 1 : 2;
    if (m.kind == FREE_GROUPS) costs[i] = i != 0 && i < 5; /* of each group its first */
    if (m.kind == FREE_GROUPS && i >= 5) costs[i] = i == 8;
  }
  if (m.kind != PLAIN && strcmp(m.settings.learning.algorithm, "aerr") != 0)
    GOOD(scant_prices_new(&m.prices, D, costs, panels, &said));
  new_learner();
  if (!now.shared) return;
  scant_study_close(m.study);
  for (size_t i = 0; i < HANDLES; i++) hurry(m.shared[i] = open_study(path, SCANT_STUDY_SHARE));
  m.study = m.shared[0];
}

TEST(random_operations) {
  static char path[500];
  snprintf(path, sizeof path, "%s", study_path("random"));
  begin(path);
  scant_study *reader = open_study(path, SCANT_STUDY_READ);
  for (int i = 0; i < OPERATIONS; i++) {
    go_on_by_another();
    operate(reader);
    if (i % 4 == 0) check_totals(m.study);
    if (i % 50 == 0) check_learner();
    if (check_failures > 20) break;
  }
  check_learner();
  for (size_t i = 0; i < m.count; i++) check_order(m.study, i);
  check_money(m.study);
  check_verified(m.study);
  char *before = dump(m.study);
  GOOD(scant_study_replay(m.study, &said));
  check_unchanged(m.study, before, "replayed", __LINE__);
  check_verified(reader);
  CHECK(m.learned > 40 && m.reopened > 5);
  CHECK(!m.budget || m.budget_refused > 0);
  scant_study_close(reader);
  for (size_t i = 0; i < HANDLES; i++)
    if (m.shared[i] != m.study) scant_study_close(m.shared[i]);
  scant_study_close(m.study);
  m.study = open_study(path, SCANT_STUDY_WRITE);
  check_learner();
  check_verified(m.study);
  scant_study_close(m.study);
  study_remove(path);
  for (size_t i = 0; i < m.count; i++) scant_look_free(m.orders[i].look);
  scant_look_free(m.room);
  scant_learner_free(m.learner);
  scant_prices_free(m.prices);
}

int main(int count, char **words) {
  study_begin_tests();
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    now = scenarios[i];
    check_run(random_operations, now.name);
  }
  /* further seeds, as many as asked for */
  for (uint64_t seed = 100; count > 1 && seed < 100 + strtoull(words[1], NULL, 10); seed++) {
    now = (scenario){"further", "algorithm=auto k=4 seed=2 budget-cost=1500", PRICED, seed % 2, seed, seed % 3 == 0};
    check_run(random_operations, now.name);
  }
  return study_end_tests();
}
