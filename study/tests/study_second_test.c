/* Second entries: values that are entered twice, and orders that are learned only when both agree. */
#include "study.h"
#include "study_entries.h"

static scant_study_comparison compared;

static scant_status second(scant_study *study, const char *example, const char *name, double value) {
  scant_study_answer answer = {.name = name, .value = value, .missing = isnan(value)};
  return scant_study_tell_second(study, example, &answer, 1, &compared, &said);
}

static scant_status second_missing(scant_study *study, const char *example, const char *name, const char *reason) {
  scant_study_answer answer = {.name = name, .missing = 1, .note = reason};
  return scant_study_tell_second(study, example, &answer, 1, &compared, &said);
}

static void sign(scant_study *study, const char *by) {
  GOOD(scant_study_sign(study, by, NULL, &said));
}

static const double first[D] = {0.5, 1, 1.5, 2, 2.5, 3};

static void tell_first(scant_study *study, const char *example) {
  scant_study_answer answers[D + 1];
  static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5"};
  for (size_t i = 0; i < D; i++) answers[i] = (scant_study_answer){.name = names[i], .value = first[i]};
  answers[D] = (scant_study_answer){.name = "y", .value = 7};
  GOOD(scant_study_tell(study, example, answers, D + 1, &said));
}

static int is_compared(size_t agree, size_t differ, size_t once, size_t same_hand) {
  int same =
      compared.agree == agree && compared.differ == differ && compared.once == once && compared.same_hand == same_hand;
  if (!same)
    printf("#   %zu agree, %zu differ, %zu once, %zu by the same hand\n", compared.agree, compared.differ,
           compared.once, compared.same_hand);
  return same;
}

/* Where nobody demands them they are compared, and change nothing that is learned. */
TEST(second_entries) {
  const char *path = study_path("second");
  scant_study *study = make(path, plain_settings, NULL);
  CHECK(!scant_study_second_entry(study));
  sign(study, "ann");
  ask(study, "p");
  REFUSED(study, second(study, "q", "a0", 1), SCANT_DATA, "nothing was ever asked for example 'q'");
  REFUSED(study, second(study, "p", "a0", 0.5), SCANT_DATA, "'a0' of example 'p' was not told yet");
  REFUSED(study, second(study, "p", "y", 0.5), SCANT_DATA, "'y' of example 'p' was not told yet");
  REFUSED(study, second(study, "p", "b", 0.5), SCANT_DATA, "no attribute 'b'");
  REFUSED(study, scant_study_tell_second(study, "p", NULL, 0, &compared, &said), SCANT_USAGE, "nothing to tell");
  tell_first(study, "p");
  uint64_t told = study_learner_told(study);
  CHECK(find(study, "p")->state == SCANT_ORDER_LEARNED && !find(study, "p")->second_needed);
  REFUSED(study, second(study, "p", "a0", 5), SCANT_DATA, "usually"); /* as strict as the first entry */
  GOOD(second(study, "p", "a0", 0.5));
  CHECK(is_compared(1, 0, D, 1));
  sign(study, "ben");
  GOOD(second(study, "p", "a1", 10));
  CHECK(is_compared(1, 1, D - 1, 0));
  scant_study_line line = line_of(study, "p", "a1");
  CHECK(line.second == SCANT_SECOND_DIFFERS && line.value == 1 && line.second_value == 10);
  scant_study_event e = last_event(study);
  CHECK(e.kind == SCANT_EVENT_SECOND && !e.learned && e.count == 1 && e.told[0].value == 10 && !e.spent && !e.reserved);
  char *before = dump(study);
  GOOD(second(study, "p", "a1", 10)); /* the same again */
  CHECK(is_compared(1, 1, D - 1, 0));
  check_unchanged(study, before, "again", __LINE__);
  GOOD(second(study, "p", "y", 8));
  CHECK(find(study, "p")->second == SCANT_SECOND_DIFFERS && find(study, "p")->second_y == 8);
  GOOD(second(study, "p", "y", 7)); /* the second entry was the slip */
  CHECK(find(study, "p")->second == SCANT_SECOND_AGREES && is_compared(2, 1, D - 2, 0));
  GOOD(correct(study, "p", "a1", 10, 0)); /* the first was */
  CHECK(line_of(study, "p", "a1").second == SCANT_SECOND_AGREES);
  GOOD(correct(study, "p", "a0", 0.25, 0)); /* another value than both entries */
  CHECK(line_of(study, "p", "a0").second == SCANT_SECOND_DIFFERS && find(study, "p")->state == SCANT_ORDER_LEARNED);
  GOOD(second(study, "p", "a1", 10)); /* ben has corrected it himself */
  GOOD(second(study, "p", "a1", 11));
  CHECK(compared.same_hand == 1);
  sign(study, "ann"); /* she told it first, but ben put another value in its place */
  GOOD(second(study, "p", "a1", 12));
  CHECK(compared.same_hand == 0);
  CHECK(study_learner_told(study) == told);
  end(study, path);
}

TEST(second_entries_of_missing) {
  const char *path = study_path("second-missing");
  scant_study *study = make(path, plain_settings, NULL);
  ask(study, "p");
  GOOD(tell_missing(study, "p", "a0", "refused"));
  GOOD(tell_missing(study, "p", "a1", NULL));
  GOOD(tell(study, "p", "a2", 1, 0));
  REFUSED(study, second_missing(study, "p", "a0", "shy"), SCANT_DATA, "the study knows");
  static const struct {
    const char *name, *reason;
    scant_second_entry second;
  } all[] = {
      {"a0", "refused", SCANT_SECOND_AGREES}, {"a0", NULL, SCANT_SECOND_AGREES}, {"a0", "lost", SCANT_SECOND_DIFFERS},
      {"a1", "lost", SCANT_SECOND_AGREES},    {"a1", NULL, SCANT_SECOND_AGREES}, {"a2", "lost", SCANT_SECOND_DIFFERS},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    GOOD(second_missing(study, "p", all[i].name, all[i].reason));
    scant_study_line line = line_of(study, "p", all[i].name);
    if (!CHECK(line.second == all[i].second)) printf("#   case %zu\n", i);
    CHECK(isnan(line.second_value) && !line.second_note == !all[i].reason);
  }
  GOOD(second(study, "p", "a0", 1)); /* a value for what is missing */
  CHECK(line_of(study, "p", "a0").second == SCANT_SECOND_DIFFERS);
  GOOD(correct(study, "p", "a0", 1, 0));
  CHECK(line_of(study, "p", "a0").second == SCANT_SECOND_AGREES);
  end(study, path);
}

/* Where they are demanded, an order is learned when the last of them agrees, and not before. */
static void demand(const char *settings) {
  const char *path = study_path("demanded");
  scant_study_terms terms = {.second_entry = 1};
  scant_study *study = make(path, settings, &terms);
  static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5"};
  CHECK(scant_study_second_entry(study));
  for (int n = 0; n < 4; n++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", n);
    ask(study, example);
  }
  for (int n = 0; n < 4; n++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", n);
    tell_first(study, example);
    const scant_study_order *o = find(study, example);
    CHECK(o->state == SCANT_ORDER_TOLD && o->has_y && o->second_needed && o->spent == o->price);
    CHECK(study_learner_told(study) == (uint64_t)n && study->tip.open == (uint64_t)(4 - n));
    for (size_t i = 0; i < D; i++) {
      CHECK(find(study, example)->state == SCANT_ORDER_TOLD);
      GOOD(second(study, example, names[i], n == 1 && i == 3 ? 77 : first[i]));
    }
    CHECK(!last_event(study).learned);
    GOOD(second(study, example, "y", 7));
    if (n == 1) { /* one differs: resolved by a correction, which learns */
      CHECK(is_compared(D, 1, 0, 1) && find(study, example)->state == SCANT_ORDER_TOLD && !last_event(study).learned);
      GOOD(correct(study, example, "a3", 78, 0));
      CHECK(find(study, example)->state == SCANT_ORDER_TOLD && !last_event(study).learned);
      GOOD(correct(study, example, "a3", 77, 0));
    }
    scant_study_event e = last_event(study);
    CHECK(e.learned && e.kind == (n == 1 ? SCANT_EVENT_CORRECT : SCANT_EVENT_SECOND));
    CHECK(find(study, example)->state == SCANT_ORDER_LEARNED && study_learner_told(study) == (uint64_t)n + 1);
    check_verified(study);
  }
  /* a correction of what was learned learns all anew, the order that a correction completed too */
  GOOD(correct(study, "p0", "a4", 1, 0));
  CHECK(last_event(study).learned && find(study, "p0")->state == SCANT_ORDER_LEARNED);
  CHECK(study_learner_told(study) == 4);
  GOOD(correct(study, "p1", "a3", 2, 0));
  CHECK(last_event(study).learned && study_learner_told(study) == 4);
  check_verified(study);
  ask(study, "p4"); /* its look is the same for a handle that follows from the ledger */
  study->kept = study->tip.sequence;
  end(study, path);
}

TEST(demanded) {
  demand(plain_settings);
}

TEST(demanded_of_ridge) {
  demand("algorithm=ridge k=2 seed=7");
}

/* The learner of a study that demands second entries is that of one that was told, at the same places, without. */
TEST(learned_alike) {
  const char *path = study_path("alike"), *other = study_path("alike-2");
  scant_study_terms terms = {.second_entry = 1};
  scant_settings s = settings_of("algorithm=auto k=3 seed=9");
  GOOD(scant_study_create_with(path, &s, catalogue_of(D, PLAIN), D, &terms, &said));
  GOOD(scant_study_create_with(other, &s, catalogue_of(D, PLAIN), D, NULL, &said));
  scant_study *twice = open_study(path, SCANT_STUDY_WRITE), *once = open_study(other, SCANT_STUDY_WRITE);
  test_state = 5;
  for (int n = 0; n < 12; n++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", n);
    const scant_study_order *o = ask(twice, example);
    scant_study_answer answers[D + 1];
    size_t count = 0;
    for (; count < o->count; count++)
      answers[count] = (scant_study_answer){
          .name = twice->catalogue[o->lines[count].attribute].name, .value = test_value(), .confirmed = 1};
    answers[count++] = (scant_study_answer){.name = "y", .value = test_value()};
    GOOD(scant_study_tell(twice, example, answers, count, &said));
    GOOD(scant_study_tell_second(twice, example, answers, count, &compared, &said));
    CHECK(last_event(twice).learned);
    ask(once, example);
    GOOD(scant_study_tell(once, example, answers, count, &said));
  }
  char *a = NULL, *b = NULL;
  size_t length, length_too;
  GOOD(scant_learner_save(twice->learner, &a, &length, &said));
  GOOD(scant_learner_save(once->learner, &b, &length_too, &said));
  CHECK(length == length_too && !memcmp(a, b, length));
  scant_text_free(a);
  scant_text_free(b);
  end(twice, path);
  end(once, other);
}

/* A handle that reads beside the writer follows second entries that learn. */
TEST(a_reader_follows) {
  const char *path = study_path("reader");
  scant_study_terms terms = {.second_entry = 1};
  scant_study *study = make(path, plain_settings, &terms), *reader = open_study(path, SCANT_STUDY_READ);
  scant_study_status t;
  scant_study_answer all[D + 1];
  static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5"};
  for (size_t i = 0; i < D; i++) all[i] = (scant_study_answer){.name = names[i], .value = first[i]};
  all[D] = (scant_study_answer){.name = "y", .value = 7};
  ask(study, "p");
  tell_first(study, "p");
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.learned == 0 && t.open == 1);
  REFUSED(reader, scant_study_tell_second(reader, "p", all, D + 1, &compared, &said), SCANT_MISUSE, "open for reading");
  GOOD(scant_study_tell_second(study, "p", all, D + 1, &compared, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.learned == 1 && t.open == 0 && study_learner_told(reader) == 1);
  check_verified(reader);
  scant_study_close(reader);
  end(study, path);
}

/* Orders that have ended: what was told of them may be entered a second time, and nothing is learned. */
TEST(of_ended_orders) {
  const char *path = study_path("ended");
  scant_study_terms terms = {.second_entry = 1};
  scant_study *study = make(path, plain_settings, &terms);
  static const scant_study_end ends[] = {SCANT_END_CANCEL, SCANT_END_EXPIRE, SCANT_END_FAIL};
  for (int i = 0; i < 3; i++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", i);
    ask(study, example);
    GOOD(tell(study, example, "a3", 1, 0));
    GOOD(scant_study_end_order(study, example, ends[i], "why", &said));
    scant_order_state state = find(study, example)->state;
    GOOD(second(study, example, "a3", 2));
    CHECK(find(study, example)->state == state && line_of(study, example, "a3").second == SCANT_SECOND_DIFFERS);
  }
  GOOD(correct(study, "p1", "a3", first[3], 0));
  tell_first(study, "p1"); /* expired: what comes late is kept */
  CHECK(study_learner_told(study) == 0);
  end(study, path);
}

/* An example that is erased takes its second entries along, and an expired order that is reopened waits for its own. */
TEST(erased_and_reopened) {
  const char *path = study_path("erased");
  scant_study_terms terms = {.second_entry = 1};
  scant_study *study = make(path, plain_settings, &terms);
  static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5"};
  for (int n = 0; n < 3; n++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", n);
    ask(study, example);
    tell_first(study, example);
    for (size_t i = 0; i < D; i++) GOOD(second(study, example, names[i], i == 3 ? 1234.5678 : first[i]));
    GOOD(second(study, example, "y", 7));
    if (n < 2) GOOD(correct(study, example, "a3", 1234.5678, 0));
    CHECK((find(study, example)->state == SCANT_ORDER_LEARNED) == (n < 2));
  }
  GOOD(scant_study_end_order(study, "p2", SCANT_END_EXPIRE, NULL, &said));
  GOOD(scant_study_reopen(study, "p2", "it was a mistake", &said));
  CHECK(find(study, "p2")->state == SCANT_ORDER_TOLD && study_learner_told(study) == 2);
  GOOD(scant_study_end_order(study, "p2", SCANT_END_EXPIRE, NULL, &said));
  GOOD(second(study, "p2", "a3", first[3])); /* all agree now, but it has expired */
  CHECK(find(study, "p2")->state == SCANT_ORDER_EXPIRED && !last_event(study).learned);
  GOOD(scant_study_reopen(study, "p2", "it was a mistake", &said)); /* and so this is what learns */
  CHECK(find(study, "p2")->state == SCANT_ORDER_LEARNED && last_event(study).learned && study_learner_told(study) == 3);
  check_verified(study);
  GOOD(scant_study_erase(study, "p0", "she asked for it", NULL, &said));
  check_verified(study);
  CHECK(study_learner_told(study) == 2);
  study_text t = {0};
  put_rows(&t, study->db, "SELECT count(*) FROM line WHERE number = 1");
  put_rows(&t, study->db, "SELECT count(*) FROM told WHERE value = 1234.5678");
  CHECK_SAYS(t.text, "0|\n3|\n"); /* p1 has it twice, p2 once */
  free(t.text);
  ask(study, "p3");
  end(study, path);
}

/* ---- many --------------------------------------------------------------------------------- */

/* What the study should have of an order. */
typedef struct {
  int told[D + 1], second[D + 1];
  double value[D + 1], entered[D + 1];
} sheet;

static const char *const named[D + 1] = {"a0", "a1", "a2", "a3", "a4", "a5", "y"};

static scant_second_entry expected(const sheet *s, size_t i) {
  if (!s->second[i]) return SCANT_SECOND_NONE;
  int same = (isnan(s->value[i]) && isnan(s->entered[i])) || s->value[i] == s->entered[i];
  return same ? SCANT_SECOND_AGREES : SCANT_SECOND_DIFFERS;
}

static int is_complete(const sheet *s) {
  int all = 1;
  for (size_t i = 0; i <= D; i++) all = all && s->told[i] && expected(s, i) == SCANT_SECOND_AGREES;
  return all;
}

static int check_sheet(scant_study *study, const char *example, const sheet *s, int learned) {
  const scant_study_order *o = find(study, example);
  int good = o->count == D && (o->state == SCANT_ORDER_LEARNED) == learned && o->has_y == s->told[D] &&
             o->second == expected(s, D);
  for (size_t i = 0; i < o->count; i++) {
    size_t a = o->lines[i].attribute;
    good = good && o->lines[i].second == expected(s, a) && (o->lines[i].state != SCANT_LINE_ORDERED) == s->told[a];
    good = good && (!s->told[a] || (isnan(s->value[a]) ? isnan(o->lines[i].value) : o->lines[i].value == s->value[a]));
  }
  return good;
}

/* Tellings, second entries and corrections by chance, with few different values so that many agree: every state is the
 * one that plain rules say, and the whole replays to the bit. */
TEST(by_chance) {
  const char *path = study_path("chance");
  scant_study_terms terms = {.second_entry = 1};
  scant_study *study = make(path, plain_settings, &terms);
  hurry(study);
  enum { EXAMPLES = 12 };
  sheet sheets[EXAMPLES] = {{{0}}};
  int learned[EXAMPLES] = {0};
  size_t completed[2] = {0, 0};
  test_state = 99;
  for (int n = 0; n < EXAMPLES; n++) {
    char example[8];
    snprintf(example, sizeof example, "p%d", n);
    CHECK(ask(study, example)->count == D);
  }
  for (int step = 0; step < 1500 && check_failures == 0; step++) {
    size_t n = test_below(EXAMPLES), i = test_below(D + 1), what = test_below(4);
    char example[8];
    snprintf(example, sizeof example, "p%zu", n);
    sheet *s = &sheets[n];
    double value = i < D && test_below(8) == 0 ? NAN : (double)test_below(2) / 2;
    /* mostly the entries agree, so that orders get done */
    if (s->told[i] && what && test_below(4)) value = s->value[i];
    if (s->second[i] && !what && test_below(4)) value = s->entered[i];
    scant_study_answer a = {.name = named[i], .value = value, .missing = isnan(value)};
    int was = learned[n];
    if (!s->told[i]) {
      GOOD(scant_study_tell(study, example, &a, 1, &said));
      s->told[i] = 1, s->value[i] = value;
    } else if (what) {
      GOOD(scant_study_tell_second(study, example, &a, 1, &compared, &said));
      s->second[i] = 1, s->entered[i] = value;
    } else {
      GOOD(scant_study_correct(study, example, &a, 1, "by chance", &said));
      s->value[i] = value;
    }
    learned[n] = was || is_complete(s);
    if (!was && learned[n]) completed[what == 0]++;
    if (!CHECK(check_sheet(study, example, s, learned[n]))) printf("#   step %d\n", step);
    if (step % 300 == 150) check_verified(study);
  }
  printf("# %zu orders were completed by second entries, %zu by corrections\n", completed[0], completed[1]);
  CHECK(completed[0] >= 3 && completed[1] >= 1);
  end(study, path);
}

int main(void) {
  study_begin_tests();
  RUN(second_entries);
  RUN(second_entries_of_missing);
  RUN(demanded);
  RUN(demanded_of_ridge);
  RUN(learned_alike);
  RUN(a_reader_follows);
  RUN(of_ended_orders);
  RUN(erased_and_reopened);
  RUN(by_chance);
  return study_end_tests();
}
