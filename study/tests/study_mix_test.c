/* Any order of all that can be done: amendments, extras, second entries, corrections, ends, reopenings, erasures and
 * frozen copies, by handles that share the study.  There is no model: after every step each handle sees the same, the
 * study verifies to the bit, and replaying it changes nothing. */
#include "study_dense.h"

enum { HANDLES = 3, NAMES = 7, GROWS_TO = 9 };

static scant_study *handles[HANDLES], *reader, *acting;
static const char *path;
static size_t copies, steps, done[20], refused[20];

static scant_study *open_mode(scant_study_mode mode) {
  scant_study *study = open_dense(path, mode);
  if (mode != SCANT_STUDY_READ) hurry(study);
  return study;
}

/* Does an action make sense of an order in this state? */
static int suits(const char *name, scant_order_state state) {
  if (!strcmp(name, "tell") || !strcmp(name, "end")) return state < SCANT_ORDER_TOLD || state == SCANT_ORDER_EXPIRED;
  if (!strcmp(name, "reopen")) return state > SCANT_ORDER_LEARNED;
  if (!strcmp(name, "correct") || !strcmp(name, "second")) return state != SCANT_ORDER_ISSUED;
  return 1;
}

/* A new name, or one of the last few orders, mostly one of which the action makes sense. */
static void any_name(const char *action_name, char *name, size_t size) {
  const scant_study_order *o = NULL;
  scant_study_status counts;
  snprintf(name, size, "p%zu", test_below(3) ? steps : test_below(steps + 1));
  if (scant_study_get_counts(acting, &counts, NULL) != SCANT_OK || !counts.orders || !test_below(12)) return;
  for (size_t tries = 0; tries < 12; tries++) {
    size_t back = test_below(counts.orders < 3 * NAMES ? counts.orders : 3 * NAMES);
    if (scant_study_order_at(acting, counts.orders - back, &o, NULL) != SCANT_OK || !o || o->example[0] != 'p')
      continue;
    snprintf(name, size, "%s", o->example);
    if (suits(action_name, o->state)) return;
  }
}

/* Of the last order of an example, if it has one, and of `extra` attributes that it has not. */
static size_t answer_some(const char *example, scant_study_answer *answers, int extra, int again) {
  static char names[CATALOGUE_MOST][40];
  const scant_study_order *o;
  size_t count = 0;
  if (scant_study_find(acting, example, &o, NULL) != SCANT_OK) o = NULL;
  for (size_t i = 0; i < scant_study_dimension(acting); i++) {
    const scant_study_line *line = NULL;
    for (size_t j = 0; o && j < o->count; j++)
      if (o->lines[j].attribute == i) line = &o->lines[j];
    if (!line == !extra || !test_below(4)) continue;
    if (line && !again && line->state != SCANT_LINE_ORDERED) continue;
    if (again && line->state == SCANT_LINE_ORDERED) continue;
    snprintf(names[count], sizeof names[count], "%s", scant_study_attribute_at(acting, i)->name);
    answers[count] = (scant_study_answer){.name = names[count], .value = test_value(), .confirmed = 1};
    if (line && again && test_below(4)) answers[count].value = line->value;
    if (isnan(answers[count].value) || !test_below(6)) {
      answers[count].missing = 1;
      answers[count].value = 0;
      answers[count].note = test_below(2) ? "lost" : NULL;
    }
    count++;
  }
  if (!extra && (again || !o || !o->has_y) && test_below(4))
    answers[count++] = (scant_study_answer){
        .name = "y", .value = again && o && o->has_y && test_below(4) ? o->y : test_value(), .confirmed = 1};
  return count;
}

/* ---- one of each ------------------------------------------------------------------------- */

typedef scant_status action(const char *example);
static scant_study_answer answers[CATALOGUE_MOST + 1];

static scant_status ask(const char *example) {
  const scant_study_order *o;
  return scant_study_ask(acting, example, &o, &said);
}

/* All of it, mostly. */
static scant_status tell(const char *example) {
  const scant_study_order *o;
  if (test_below(4) && scant_study_find(acting, example, &o, NULL) == SCANT_OK && o && o->state == SCANT_ORDER_ISSUED)
    return tell_all(acting, o);
  size_t count = answer_some(example, answers, 0, 0);
  return scant_study_tell(acting, example, answers, count, &said);
}

static scant_status correct(const char *example) {
  size_t count = answer_some(example, answers, 0, 1);
  return scant_study_correct(acting, example, answers, count, "a slip", &said);
}

static scant_status second(const char *example) {
  scant_study_comparison comparison;
  size_t count = answer_some(example, answers, 0, 1);
  return scant_study_tell_second(acting, example, answers, count, &comparison, &said);
}

static scant_status extra(const char *example) {
  size_t count = answer_some(example, answers, 1, 0);
  return scant_study_tell_extra(acting, example, answers, count, "it was there", NULL, &said);
}

static scant_status end(const char *example) {
  return scant_study_end_order(acting, example, (scant_study_end)test_below(3), "because", &said);
}

static scant_status reopen(const char *example) {
  return scant_study_reopen(acting, example, "it had not", &said);
}

static scant_status import(const char *example) {
  char name[24];
  size_t count = answer_some("nobody", answers, 1, 0);
  snprintf(name, sizeof name, "i%s", example);
  answers[count++] = (scant_study_answer){.name = "y", .value = test_value(), .confirmed = 1};
  return scant_study_import(acting, name, answers, count, &said);
}

static scant_status correct_import(const char *example) {
  char name[24];
  snprintf(name, sizeof name, "i%s", example);
  size_t d = scant_study_dimension(acting), i = test_below(d + 1);
  char attribute[40] = "y";
  if (i < d) snprintf(attribute, sizeof attribute, "%s", scant_study_attribute_at(acting, i)->name);
  scant_study_answer one = {.name = attribute, .value = test_value(), .confirmed = 1};
  return scant_study_correct(acting, name, &one, 1, "an old slip", &said);
}

static scant_status erase(const char *example) {
  char name[24];
  scant_study_traces traces;
  if (test_below(3))
    snprintf(name, sizeof name, "%s", example);
  else
    snprintf(name, sizeof name, "i%zu", test_below(NAMES));
  return scant_study_erase(acting, name, "withdrew", &traces, &said);
}

static scant_status amend(const char *example) {
  (void)example;
  size_t d = scant_study_dimension(acting), i = test_below(d);
  char texts[2][40];
  const scant_study_attribute *was = scant_study_attribute_at(acting, i);
  scant_study_attribute a = *was;
  scant_settings s = settings_of("");
  switch (test_below(6)) {
    case 0:
      if (d >= GROWS_TO) return SCANT_MISUSE;
      snprintf(texts[0], sizeof texts[0], "a%zu", d);
      a = (scant_study_attribute){.name = texts[0], .low = -100, .high = NAN, .usual_low = NAN, .usual_high = NAN};
      a.cost = a.cost ? 50 : 0;
      break;
    case 1:
      a.retired = !a.retired;
      break;
    case 2:
      if (a.cost) a.cost += 10 + test_below(50);
      a.unit = test_below(2) ? "g" : NULL;
      break;
    case 3:
      a.low = -100 + (double)test_below(99);
      a.usual_low = -1;
      a.usual_high = 1;
      break;
    case 4:
      snprintf(texts[1], sizeof texts[1], "k=%zu", 2 + test_below(3));
      s = settings_of(texts[1]);
      break;
    default:
      snprintf(texts[1], sizeof texts[1], "max-open=%zu", 5 + test_below(20));
      s = settings_of(texts[1]);
  }
  return scant_study_amend(acting, &a, 1, &s, "the protocol", !test_below(5), NULL, &said);
}

static scant_status freeze(const char *example) {
  (void)example;
  char name[40], text[520];
  scant_study_frozen frozen;
  const char *copy = study_path("frozen");
  snprintf(name, sizeof name, "copy %zu", copies++);
  snprintf(text, sizeof text, "%s.txt", copy);
  scant_status status = scant_study_freeze(acting, name, copy, &frozen, &said);
  if (status == SCANT_OK) {
    scant_study *other = open_dense(copy, SCANT_STUDY_READ);
    GOOD(scant_study_check_frozen(other, &frozen, &said));
    check_verified(other);
    scant_study_close(other);
  }
  study_remove(copy);
  unlink(text);
  return status;
}

static scant_status close_and_open(const char *example) {
  (void)example;
  for (size_t i = 0; i < HANDLES; i++) {
    if (handles[i] != acting) continue;
    scant_study_close(acting);
    acting = handles[i] = open_mode(SCANT_STUDY_SHARE);
    acting->keep_every = 5 + test_below(30);
  }
  return SCANT_OK;
}

static const struct {
  const char *name;
  action *act;
  size_t weight;
} actions[] = {
    {"ask", ask, 9},
    {"tell", tell, 12},
    {"correct", correct, 5},
    {"second", second, 6},
    {"extra", extra, 5},
    {"end", end, 4},
    {"reopen", reopen, 5},
    {"import", import, 3},
    {"correct import", correct_import, 4},
    {"erase", erase, 2},
    {"amend", amend, 4},
    {"freeze", freeze, 1},
    {"close and open", close_and_open, 2},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static size_t any_action(void) {
  size_t all = 0, i = 0;
  for (size_t j = 0; j < ACTIONS; j++) all += actions[j].weight;
  for (size_t dice = test_below(all); dice >= actions[i].weight; i++) dice -= actions[i].weight;
  return i;
}

/* ---- after each ---------------------------------------------------------------------------- */

/* Others catch up, some with several events at once. */
static void check_others(void) {
  char *own = dump(acting);
  for (size_t i = 0; i <= HANDLES; i++) {
    scant_study *other = i < HANDLES ? handles[i] : reader;
    if (test_below(3)) continue;
    char *seen = dump(other);
    if (!CHECK(strcmp(own, seen) == 0)) printf("#   handle %zu sees something else: %s\n", i, said.text);
    free(seen);
  }
  free(own);
}

/* What is quick says the same as what is counted, through every handle. */
static void check_totals(scant_study *study) {
  scant_study_status t, c;
  GOOD(scant_study_get_totals(study, &t, &said));
  GOOD(scant_study_get_counts(study, &c, &said));
  CHECK(t.events == c.events && t.open == c.open && t.spent == c.spent && t.reserved == c.reserved);
  CHECK(t.budget == c.budget && t.budget_cost == c.budget_cost && t.attributes_reserved == c.attributes_reserved);
  CHECK(t.unswept == c.unswept && isnan(t.risk) && isnan(t.risk_error) && !t.orders && !t.learned);
}

static void step(int trace) {
  char example[24];
  acting = handles[test_below(HANDLES)];
  size_t i = any_action();
  any_name(actions[i].name, example, sizeof example);
  if (actions[i].act == ask && test_below(4)) snprintf(example, sizeof example, "p%zu", steps);
  if (actions[i].act == import || actions[i].act == correct_import)
    snprintf(example, sizeof example, "%zu", test_below(NAMES));
  scant_study_status counts;
  scant_status caught_up = scant_study_get_counts(acting, &counts, &said); /* as every call must */
  if (!CHECK(caught_up == SCANT_OK)) printf("#   catching up: %s\n", said.text);
  char *before = dump(acting);
  said.text[0] = 0;
  scant_status status = actions[i].act(example);
  if (trace) printf("# %s %s: %d %s\n", actions[i].name, example, status, status ? said.text : "");
  done[i] += status == SCANT_OK;
  refused[i] += status != SCANT_OK;
  if (!CHECK(!strstr(said.text, "damaged") && !strstr(said.text, "ledger"))) printf("#   %s\n", said.text);
  if (!CHECK(status == SCANT_OK || status == SCANT_DATA || status == SCANT_MISUSE || status == SCANT_USAGE))
    printf("#   %s %s: %d %s\n", actions[i].name, example, status, said.text);
  CHECK(status == SCANT_OK || actions[i].act == amend || said.text[0]);
  if (status == SCANT_OK)
    free(before);
  else
    check_unchanged(acting, before, actions[i].name, __LINE__);
  check_others();
  check_totals(acting);
  check_totals(reader);
  int failures = check_failures;
  if (!test_below(3)) check_verified(test_below(2) ? acting : reader);
  if (!test_below(6)) {
    before = dump(acting);
    GOOD(scant_study_replay(acting, &said));
    check_unchanged(acting, before, "replayed", __LINE__);
  }
  if (check_failures > failures) printf("#   after %s of %s\n", actions[i].name, example);
}

typedef struct {
  const char *name, *settings;
  catalogue_kind kind;
  int second;
  size_t steps;
} scenario;

static const scenario scenarios[] = {
    {"auto", "algorithm=auto k=3 seed=1", PLAIN, 0, 250},
    {"auto_with_prices", "algorithm=auto k=3 seed=2 budget-cost=3000", PRICED, 0, 250},
    {"gaussian", "algorithm=gaussian k=3 seed=3", PLAIN, 0, 150},
    {"gaussian_with_prices_and_second_entries", "algorithm=gaussian k=3 seed=4 budget-cost=3000", PRICED, 1, 200},
    {"svr_with_second_entries", "algorithm=svr k=3 seed=5", FREE_GROUPS, 1, 200},
    {"aerr", "algorithm=aerr k=4 seed=6", PLAIN, 0, 200},
};

static scenario now;
static uint64_t seed = 1;
static int tracing;

TEST(any_order_of_all_actions) {
  static char name[500];
  snprintf(name, sizeof name, "%s", study_path("mix"));
  path = name;
  scant_settings settings = dense_settings(now.settings);
  scant_study_terms terms = {.second_entry = now.second};
  test_state = 0x9e3779b97f4a7c15u * seed + 7;
  study_remove(path);
  memset(done, 0, sizeof done);
  memset(refused, 0, sizeof refused);
  GOOD(scant_study_create_with(path, &settings, catalogue_of(8, now.kind), 6, &terms, &said));
  for (size_t i = 0; i < HANDLES; i++) handles[i] = open_mode(SCANT_STUDY_SHARE);
  reader = open_mode(SCANT_STUDY_READ);
  int failures = check_failures;
  for (steps = 0; steps < now.steps && check_failures == failures; steps++) step(tracing);
  if (check_failures > failures) printf("#   %s, seed %llu\n", now.name, (unsigned long long)seed);
  check_verified(reader);
  for (size_t i = 0; i < HANDLES; i++) scant_study_close(handles[i]);
  scant_study_close(reader);
  study_remove(path);
  printf("# %s:", now.name);
  for (size_t i = 0; i < ACTIONS; i++) printf(" %s %zu+%zu", actions[i].name, done[i], refused[i]);
  printf("\n");
}

int main(int count, char **words) {
  study_begin_tests();
  uint64_t seeds = count > 1 ? strtoull(words[1], NULL, 10) : 1;
  uint64_t first = count > 2 ? strtoull(words[2], NULL, 10) : 1;
  tracing = count > 3;
  for (seed = first; seed < first + seeds; seed++)
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
      now = scenarios[i];
#ifdef __SANITIZE_ADDRESS__ /* which takes its time */
      now.steps /= 4;
#endif
      check_run(any_order_of_all_actions, now.name);
    }
  return study_end_tests();
}
