/* Groups of calls: any mix of calls in groups, with groups inside that are taken back, leaves what the same calls leave
 * one by one: the same ledger, orders, requests and learner, to the bit. */
#include "study_dense.h"

enum { D = 8, EXAMPLES = 24, ACTS_MOST = 400, DEEP = 4 };

static scant_study *open_any(const char *path, scant_study_mode mode) {
  scant_study *study = open_dense(path, mode);
  if (mode != SCANT_STUDY_READ) hurry(study);
  study->keep_every = 9; /* snapshots are made inside groups, too */
  return study;
}

static scant_study *make_any(const char *path, const char *settings, catalogue_kind kind, scant_study_mode mode) {
  create_dense(path, settings, D, kind);
  return open_any(path, mode);
}

/* All but times, and what depends on them or is random. */
static char *timeless(scant_study *study) {
  study_text t = {0};
  scant_study_status counts;
  GOOD(scant_study_get_counts(study, &counts, &said)); /* the learner is up to date */
  put_rows(
      &t, study->db,
      "SELECT sequence, kind, by, via, number, attributes, reserved, spent, learned, example, look, reason, change "
      "FROM ledger ORDER BY sequence");
  put_rows(&t, study->db, "SELECT * FROM setting ORDER BY name");
  put_rows(&t, study->db, "SELECT * FROM attribute ORDER BY place");
  put_rows(&t, study->db, "SELECT * FROM told ORDER BY sequence, place");
  put_rows(&t, study->db, "SELECT * FROM orders ORDER BY number");
  put_rows(&t, study->db, "SELECT * FROM line ORDER BY number, place");
  put_rows(&t, study->db, "SELECT * FROM import ORDER BY example");
  put_rows(&t, study->db, "SELECT * FROM extra ORDER BY number, attribute");
  put_rows(&t, study->db, "SELECT by, key, digest, answer FROM request ORDER BY by, key");
  put_rows(&t, study->db,
           "SELECT key, example FROM request JOIN request_example ON request = number ORDER BY by, key, example");
  put_learner(&t, study);
  return t.text;
}

/* ---- acts ------------------------------------------------------------------------------------ */

typedef enum {
  ASK,
  ASK_ALL,
  TELL,
  WHOLE,
  SECOND,
  CORRECT,
  EXTRA,
  END,
  REOPEN,
  IMPORT,
  AMEND,
  TRY,
  SIGN,
  KEEP,
  KINDS
} kind;

typedef struct {
  kind kind;
  unsigned example;
  uint64_t seed; /* of its values */
  scant_status status;
} act;

static const char *name_of(unsigned example) {
  static char names[4][20];
  static int next;
  char *name = names[next++ % 4];
  snprintf(name, sizeof names[0], "e%u", example % EXAMPLES);
  return name;
}

static double value_of(const act *a, uint32_t attribute) {
  uint64_t x = (a->seed + attribute) * 0x9e3779b97f4a7c15u;
  return (double)((int64_t)(x >> 40) % 400 - 200) / 64;
}

/* Answers to the order of the example: all of it, or what the seed says. */
static size_t answer(scant_study *study, const act *a, int all, scant_study_answer *answers) {
  const scant_study_order *o;
  size_t count = 0;
  if (scant_study_find(study, name_of(a->example), &o, NULL) != SCANT_OK) return 0;
  for (size_t i = 0; i < o->count; i++) {
    uint32_t place = o->lines[i].attribute;
    double stored = o->lines[i].state == SCANT_LINE_TOLD && a->kind != CORRECT ? o->lines[i].value : value_of(a, place);
    if (all || (a->seed >> place & 1))
      answers[count++] = (scant_study_answer){.name = scant_study_attribute_at(study, place)->name, .value = stored};
  }
  if (all || (a->seed >> 9 & 1))
    answers[count++] =
        (scant_study_answer){.name = "y", .value = o->has_y && a->kind != CORRECT ? o->y : value_of(a, CATALOGUE_MOST)};
  return count;
}

static scant_status tell_extra(scant_study *study, const act *a) {
  scant_study_answer x = {.name = scant_study_attribute_at(study, (size_t)(a->seed % D))->name,
                          .value = value_of(a, 3)};
  return scant_study_tell_extra(study, name_of(a->example), &x, 1, "it was there", NULL, &said);
}

static scant_status amend(scant_study *study, const act *a) {
  scant_study_attribute row = *scant_study_attribute_at(study, 1);
  char name[20], budget[20];
  row.unit = "mg";
  row.cost = 100 + a->seed % 50;
  scant_settings s = settings_of("");
  if (a->seed % 5 == 0) { /* a new one */
    snprintf(name, sizeof name, "n%u", (unsigned)(a->seed % 7));
    row = (scant_study_attribute){.name = name, .cost = 150, .low = NAN, .high = NAN};
  }
  snprintf(budget, sizeof budget, "%u", 1 + (unsigned)(a->seed % 40)); /* mostly too few: refused when much was done */
  GOOD(scant_settings_set(&s, "max-open", budget, &said));
  return scant_study_amend(study, study->prices ? &row : NULL, study->prices ? 1 : 0, &s, "it is so", a->kind == TRY,
                           NULL, &said);
}

static scant_status keep(scant_study *study, const act *a) {
  char key[30], digest[65], text[60];
  const char *examples[2] = {name_of(a->example), name_of(a->example + 1)};
  snprintf(key, sizeof key, "key %u", (unsigned)(a->seed % 200));
  memset(digest, 'a', 64);
  digest[64] = 0;
  snprintf(text, sizeof text, "{\"order\": %u}", (unsigned)(a->seed % 1000));
  return scant_study_remember(study, &(scant_study_request){"anna", key, digest, text, NULL}, examples, 2, &said);
}

static scant_status perform(scant_study *study, const act *a) {
  scant_study_answer answers[2 * CATALOGUE_MOST + 1], past[3] = {{.name = "a1"}, {.name = "a4"}, {.name = "y"}};
  scant_study_comparison compared;
  const scant_study_order *o;
  const char *example = name_of(a->example), *some[3] = {example, name_of(a->example + 1), name_of(a->example + 2)};
  size_t count = answer(study, a, a->kind == WHOLE || a->kind == SECOND, answers);
  for (uint32_t i = 0; i < 3; i++) past[i].value = value_of(a, i);
  switch (a->kind) {
    case ASK:
      return scant_study_ask(study, example, &o, &said);
    case ASK_ALL:
      return scant_study_ask_all(study, some, 3, &said);
    case TELL:
    case WHOLE:
      return scant_study_tell(study, example, answers, count, &said);
    case SECOND:
      return scant_study_tell_second(study, example, answers, count, &compared, &said);
    case CORRECT:
      return scant_study_correct(study, example, answers, count, "a slip", &said);
    case EXTRA:
      return tell_extra(study, a);
    case END:
      return scant_study_end_order(study, example, (scant_study_end)(a->seed % 3), "because", &said);
    case REOPEN:
      return scant_study_reopen(study, example, "it had not", &said);
    case IMPORT:
      return scant_study_import(study, example, past, 3, &said);
    case SIGN:
      return scant_study_sign(study, a->seed % 2 ? "anna" : "berta", "a test", &said);
    case KEEP:
      return keep(study, a);
    default:
      return amend(study, a);
  }
}

static act any_act(void) {
  static const kind often[] = {ASK,    ASK,     ASK,   ASK_ALL, WHOLE,  WHOLE,  WHOLE, TELL, TELL,
                               SECOND, CORRECT, EXTRA, END,     REOPEN, IMPORT, KEEP,  KEEP, SIGN};
  size_t dice = test_below(60);
  kind k = dice == 0 ? AMEND : dice == 1 ? TRY : often[dice % (sizeof often / sizeof *often)];
  return (act){k, (unsigned)test_below(EXAMPLES), test_random(), SCANT_OK};
}

/* ---- groups ------------------------------------------------------------------------------------ */

static scant_study *grouped, *single, *reader;
static act done[ACTS_MOST]; /* in the open group, without those of inner groups that were rolled back */
static size_t done_count;
static unsigned good, refused, taken_back, groups;

static uint64_t events_of(scant_study *study) {
  scant_study_status counts;
  GOOD(scant_study_get_counts(study, &counts, &said));
  return counts.events;
}

static void run_group(int depth);

static void fill_group(int depth) {
  for (size_t n = 1 + test_below(10); n > 0 && done_count < ACTS_MOST; n--) {
    if (depth < DEEP && test_below(5) == 0) {
      run_group(depth + 1);
      continue;
    }
    act a = any_act();
    a.status = perform(grouped, &a);
    done[done_count++] = a;
    *(a.status == SCANT_OK ? &good : &refused) += 1;
  }
}

static void run_group(int depth) {
  size_t before = done_count;
  GOOD(scant_study_begin(grouped, &said));
  fill_group(depth);
  groups++;
  if (test_below(3) == 0) {
    scant_study_roll_back(grouped);
    /* who acts is a matter of the handle: that stays */
    size_t kept = before;
    for (size_t i = before; i < done_count; i++)
      if (done[i].kind == SIGN) done[kept++] = done[i];
    done_count = kept;
    taken_back++;
  } else {
    GOOD(scant_study_commit(grouped, &said));
  }
}

/* The acts that have happened, one by one. */
static void follow(void) {
  for (size_t i = 0; i < done_count; i++) {
    said.text[0] = 0;
    scant_status status = perform(single, &done[i]);
    if (!CHECK(status == done[i].status))
      printf("#   act %d of %s: %d one by one, %d in a group: %s\n", (int)done[i].kind, name_of(done[i].example),
             (int)status, (int)done[i].status, said.text);
  }
}

static void compare(const char *what) {
  char *a = timeless(grouped), *b = timeless(single), *c = timeless(reader);
  size_t i = 0;
  while (a[i] && a[i] == b[i]) i++;
  if (!CHECK(strcmp(a, b) == 0))
    printf("#   %s: %.150s\n#   and: %.150s\n", what, a + (i > 60 ? i - 60 : 0), b + (i > 60 ? i - 60 : 0));
  CHECK(strcmp(a, c) == 0);
  free(a);
  free(b);
  free(c);
}

typedef struct {
  const char *name, *settings;
  catalogue_kind kind;
  scant_study_mode mode;
  int rounds;
} scenario;

static const scenario scenarios[] = {
    {"auto_priced", "algorithm=auto k=3 seed=3 budget-cost=300 max-open=30", PRICED, SCANT_STUDY_WRITE, 60},
    {"auto_shared", "algorithm=auto k=3 seed=4 budget-cost=200 max-open=12", PRICED, SCANT_STUDY_SHARE, 40},
    {"gaussian", "algorithm=gaussian k=3 seed=5 budget-cost=150", PRICED, SCANT_STUDY_WRITE, 25},
    {"gaussian_shared", "algorithm=gaussian k=3 seed=6 budget-cost=150", PRICED, SCANT_STUDY_SHARE, 12},
    {"aerr", "algorithm=aerr k=4 seed=7 budget=120", PLAIN, SCANT_STUDY_WRITE, 40},
};

static scenario now;

TEST(groups_are_their_calls) {
  const char *path = study_path("grouped"), *other = study_path("single");
  good = refused = taken_back = groups = 0;
  test_state = 0x9e3779b97f4a7c15u + (uint64_t)now.rounds;
  scant_study_close(make_any(path, now.settings, now.kind, SCANT_STUDY_WRITE));
  grouped = open_any(path, now.mode);
  copy_file(path, other); /* the same pseudonyms, too */
  single = open_any(other, SCANT_STUDY_WRITE);
  reader = open_any(path, SCANT_STUDY_READ);
  for (int i = 0; i < now.rounds && check_failures < 10; i++) {
    uint64_t events = events_of(reader);
    done_count = 0;
    GOOD(scant_study_begin(grouped, &said));
    fill_group(1);
    CHECK(events_of(reader) == events); /* nothing is seen before it is committed */
    if (i % 8 == 3) check_verified(grouped);
    if (test_below(5) == 0) {
      scant_study_roll_back(grouped);
      size_t kept = 0;
      for (size_t j = 0; j < done_count; j++)
        if (done[j].kind == SIGN) done[kept++] = done[j];
      done_count = kept;
      taken_back++;
    } else {
      GOOD(scant_study_commit(grouped, &said));
    }
    follow();
    if (i % 4 == 0 || i == now.rounds - 1) compare(now.name);
  }
  check_verified(grouped);
  check_money(grouped);
  check_verified(reader);
  scant_study_close(grouped);
  grouped = open_any(path, SCANT_STUDY_WRITE);
  compare("opened again");
  printf("# %s: %u calls, %u refused, %u groups inside, %u taken back\n", now.name, good, refused, groups, taken_back);
  CHECK(good > 60 && refused > 20 && taken_back > 5);
  scant_study_close(grouped);
  scant_study_close(single);
  scant_study_close(reader);
  study_remove(path);
  study_remove(other);
}

/* ---- what a group is ------------------------------------------------------------------------- */

TEST(what_can_not_be_in_a_group) {
  const char *path = study_path("refusing"), *other = study_path("copy");
  scant_study_frozen frozen;
  const scant_study_order *o;
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  GOOD(scant_study_ask(study, "x", &o, &said));
  CHECK(scant_study_commit(study, &said) == SCANT_MISUSE);
  CHECK_SAYS(said.text, "there is no group");
  scant_study_roll_back(study); /* does nothing */
  GOOD(scant_study_begin(study, &said));
  GOOD(scant_study_ask(study, "y", &o, &said));
  REFUSED(study, scant_study_erase(study, "x", "withdrew", NULL, &said), SCANT_MISUSE, "an erasure can't be a part of");
  REFUSED(study, scant_study_sweep(study, &said), SCANT_MISUSE, "can't be a part of a group");
  REFUSED(study, scant_study_replay(study, &said), SCANT_MISUSE, "a replay can't be a part of");
  REFUSED(study, scant_study_freeze(study, "v1", other, &frozen, &said), SCANT_MISUSE, "a frozen copy can't be");
  REFUSED(study, scant_study_backup(study, other, &said), SCANT_MISUSE, "a backup can't be a part of");
  CHECK(!is_file(other, ""));
  GOOD(scant_study_commit(study, &said));
  CHECK(events_of(study) == 3);
  scant_study *look = open_study(path, SCANT_STUDY_READ);
  CHECK(scant_study_begin(look, &said) == SCANT_MISUSE);
  CHECK_SAYS(said.text, "open for reading");
  scant_study_close(look);
  scant_study_close(study);
  study_remove(path);
}

/* A study that is closed takes back its groups. */
TEST(closing_takes_back) {
  const char *path = study_path("closed");
  const scant_study_order *o;
  for (int shared = 0; shared < 2; shared++) {
    scant_study *study = make_study(path, "algorithm=auto k=3 seed=1", D, PLAIN);
    GOOD(scant_study_ask(study, "x", &o, &said));
    char *before = dump(study);
    scant_study_close(study);
    study = open_study(path, shared ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE);
    GOOD(scant_study_begin(study, &said));
    GOOD(scant_study_ask(study, "y", &o, &said));
    GOOD(scant_study_begin(study, &said));
    GOOD(tell_all(study, o));
    scant_study_close(study);
    study = open_study(path, SCANT_STUDY_WRITE);
    check_unchanged(study, before, "closed within a group", __LINE__);
    check_verified(study);
    scant_study_close(study);
  }
  study_remove(path);
}

/* Others are kept from writing from the outermost begin to its end, and write then. */
TEST(a_group_holds_the_lock) {
  const char *path = study_path("locked");
  const scant_study_order *o;
  scant_study_close(make_study(path, "algorithm=auto k=3 seed=1", D, PRICED));
  scant_study *a = open_study(path, SCANT_STUDY_SHARE), *b = open_study(path, SCANT_STUDY_SHARE);
  GOOD(scant_study_begin(a, &said));
  GOOD(scant_study_ask(a, "x", &o, &said));
  CHECK(scant_study_ask(b, "y", &o, &said) == SCANT_BUSY);
  GOOD(scant_study_begin(a, &said));
  GOOD(scant_study_commit(a, &said));
  CHECK(scant_study_begin(b, &said) == SCANT_BUSY);
  CHECK(events_of(b) == 1);
  scant_study_roll_back(a);
  /* the same event number, other terms: the first handle must not take its own for them */
  scant_study_attribute row = {.name = "new", .cost = 150, .low = NAN, .high = NAN};
  GOOD(scant_study_begin(a, &said));
  GOOD(scant_study_amend(a, &row, 1, NULL, "it is so", 0, NULL, &said));
  CHECK(scant_study_dimension(a) == D + 1);
  scant_study_roll_back(a);
  CHECK(scant_study_dimension(a) == D);
  row.name = "other";
  GOOD(scant_study_amend(b, &row, 1, NULL, "it is so", 0, NULL, &said));
  GOOD(scant_study_ask(a, "z", &o, &said));
  CHECK(scant_study_dimension(a) == D + 1 && !strcmp(scant_study_attribute_at(a, D)->name, "other"));
  check_verified(a);
  check_verified(b);
  scant_study_close(a);
  scant_study_close(b);
  study_remove(path);
}

/* What is written to a file of another name, or of none, nobody would find. */
TEST(a_file_that_is_elsewhere) {
  const char *path = study_path("moved"), *away = study_path("away");
  scant_study *study = make_study(path, "algorithm=auto k=2", 3, PLAIN);
  uint64_t last;
  CHECK(rename(path, away) == 0);
  CHECK(scant_study_ask_all(study, (const char *const[]){"p"}, 1, &said) == SCANT_IO && strstr(said.text, "moved"));
  CHECK(scant_study_begin(study, &said) == SCANT_IO && strstr(said.text, path));
  GOOD(scant_study_last_event(study, "p", &last, &said));
  CHECK(last == 0);
  CHECK(rename(away, path) == 0);
  GOOD(scant_study_begin(study, &said));
  CHECK(rename(path, away) == 0);
  GOOD(scant_study_ask_all(study, (const char *const[]){"p"}, 1, &said)); /* it began before */
  CHECK(rename(away, path) == 0);
  GOOD(scant_study_commit(study, &said));
  scant_study_close(study);
  study_remove(path);
}

/* What was computed of events that are taken back is not taken for that of others with the same numbers. */
TEST(risk_and_gaussian_go_back) {
  const char *path = study_path("risk"), *other = study_path("plain");
  scant_study *study = make_any(path, "algorithm=gaussian k=3 seed=2", PLAIN, SCANT_STUDY_WRITE);
  scant_study *plain = make_any(other, "algorithm=gaussian k=3 seed=2", PLAIN, SCANT_STUDY_WRITE);
  scant_study_status got, wanted;
  scant_study_answer known = {.name = "a1", .value = 1}, past[3] = {{.name = "a1"}, {.name = "a2"}, {.name = "y"}};
  scant_prediction there, here;
  char name[20];
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "p%d", i);
    test_state = (uint64_t)i + 1;
    for (int j = 0; j < 5; j++) test_random();
    for (int j = 0; j < 3; j++) past[j].value = test_value();
    if (i == 39) {
      GOOD(scant_study_begin(study, &said));
      past[2].value += 50;
      GOOD(scant_study_import(study, name, past, 3, &said));
      GOOD(scant_study_get_status(study, &got, &said));
      GOOD(scant_study_predict(study, &known, 1, .9, &there, &said));
      scant_study_roll_back(study);
      past[2].value -= 50;
    }
    GOOD(scant_study_import(study, name, past, 3, &said));
    GOOD(scant_study_import(plain, name, past, 3, &said));
  }
  GOOD(scant_study_get_status(study, &got, &said));
  GOOD(scant_study_get_status(plain, &wanted, &said));
  CHECK(got.risk == wanted.risk && got.events == wanted.events && isfinite(got.risk));
  GOOD(scant_study_predict(study, &known, 1, .9, &there, &said));
  GOOD(scant_study_predict(plain, &known, 1, .9, &here, &said));
  CHECK(there.mean == here.mean);
  const double levels[] = {0, 1, 2, -.5, NAN};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    CHECK(scant_study_predict(study, &known, 1, levels[i], &there, &said) == SCANT_USAGE && strstr(said.text, "level"));
  scant_study_close(study);
  scant_study_close(plain);
  study_remove(path);
  study_remove(other);
}

int main(void) {
  study_begin_tests();
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    now = scenarios[i];
    check_run(groups_are_their_calls, now.name);
  }
  RUN(what_can_not_be_in_a_group);
  RUN(closing_takes_back);
  RUN(a_group_holds_the_lock);
  RUN(a_file_that_is_elsewhere);
  RUN(risk_and_gaussian_go_back);
  return study_end_tests();
}
