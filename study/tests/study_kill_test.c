/* kill -9 at random moments while all that a study can do is done: every acknowledged step is there exactly once,
 * nothing is half there, money adds up and stays below the budget, the proof goes through, and of those who were erased
 * no byte is left.  SCANT_STUDY_KILLS says how often (100). */
#define _GNU_SOURCE /* memmem */
#include <dirent.h>
#include <sys/stat.h>

#include "base/error.h"
#include "study_bytes.h"
#include "study_killing.h"
#include "study_support.h"

enum { D = 12, A_STUDY = 25, MOST = 20000 };
static const char settings_text[] = "algorithm=auto k=4 seed=11 budget-cost=9000 max-open=12";

static char path[500];

/* ---- what is done ------------------------------------------------------------------------- */

typedef enum {
  ASK,
  HALF,
  WHOLE,
  END,
  REOPEN,
  CORRECT,
  SECOND,
  AGREE, /* a second entry that is as the first one */
  EXTRA,
  IMPORT,
  AMEND,
  FREEZE,
  ERASE,
  STAGES
} stage;

/* Each example goes through one of these, by its number; the end of a row is ASK, which comes first in each. */
static const stage scripts[][6] = {
    {ASK, HALF, WHOLE, AMEND},    {ASK, HALF, END, REOPEN, WHOLE},
    {ASK, EXTRA, WHOLE, CORRECT}, {ASK, HALF, WHOLE, ERASE},
    {ASK, WHOLE, SECOND, AGREE},  {ASK, IMPORT, HALF, WHOLE, CORRECT}, /* what was imported */
    {ASK, WHOLE, FREEZE},         {ASK, END, REOPEN, HALF, ERASE},
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

/* How often events of a kind may be there of an example, and the stage that makes the last of them. */
static const struct {
  scant_event_kind kind;
  unsigned most;
  stage last;
} kinds[] = {
    {SCANT_EVENT_ASK, 1, ASK},      {SCANT_EVENT_CANCEL, 1, END},    {SCANT_EVENT_EXPIRE, 1, END},
    {SCANT_EVENT_FAIL, 1, END},     {SCANT_EVENT_REOPEN, 1, REOPEN}, {SCANT_EVENT_CORRECT, 1, CORRECT},
    {SCANT_EVENT_SECOND, 2, AGREE}, {SCANT_EVENT_IMPORT, 1, IMPORT}, {SCANT_EVENT_FREEZE, 1, FREEZE},
    {SCANT_EVENT_TELL, 2, WHOLE},   {SCANT_EVENT_EXTRA, 1, EXTRA},   {SCANT_EVENT_AMEND, 1, AMEND},
};

static unsigned reached[MOST]; /* one bit per stage that was acknowledged */
static uint32_t examples;      /* acknowledged at all, plus one */

static int is_erased_later(uint32_t n) {
  const stage *script = scripts[n % SCRIPTS];
  for (size_t i = 1; i < 6 && script[i]; i++)
    if (script[i] == ERASE) return 1;
  return 0;
}

static const char *name_of(char *name, size_t size, uint32_t n) {
  snprintf(name, size, is_erased_later(n) ? "p%u-Zacharias-Quux" : "p%u", n);
  return name;
}

/* Those who are erased later have numbers of many digits, which no one else has. */
static double value_of(uint32_t n, size_t i) {
  if (is_erased_later(n)) return 1.2345678901234567 + 0.0137931034482758 * (double)n + 0.00317 * (double)i;
  return (double)(n * 7 % 11) - (double)i;
}

static scant_status tell_until(scant_study *study, uint32_t n, size_t end, int y) {
  const scant_study_order *o;
  scant_study_answer answers[3 * D];
  char example[40];
  size_t count = 0;
  SCANT_TRY(scant_study_find(study, name_of(example, sizeof example, n), &o, &said));
  for (size_t i = 0; i < end && i < o->count; i++)
    answers[count++] =
        (scant_study_answer){.name = study->catalogue[o->lines[i].attribute].name, .value = value_of(n, i)};
  if (y) answers[count++] = (scant_study_answer){.name = "y", .value = value_of(n, D)};
  return scant_study_tell(study, example, answers, count, &said);
}

static scant_status freeze(scant_study *study, uint32_t n) {
  char name[40], copy[520], text[540];
  scant_study_frozen frozen;
  snprintf(name, sizeof name, "p%u", n);
  snprintf(copy, sizeof copy, "%s/copies/frozen", study_folder);
  snprintf(text, sizeof text, "%s.txt", copy);
  study_remove(copy); /* what a killed one has left, or an older copy */
  unlink(text);
  return scant_study_freeze(study, name, copy, &frozen, &said);
}

/* Something that was not ordered. */
static scant_status tell_extra(scant_study *study, uint32_t n) {
  const scant_study_order *o;
  char example[40];
  uint32_t place = 1;
  SCANT_TRY(scant_study_find(study, name_of(example, sizeof example, n), &o, &said));
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) place++, i = SIZE_MAX;
  scant_study_answer answer = {.name = study->catalogue[place].name, .value = value_of(n, place)};
  return scant_study_tell_extra(study, example, &answer, 1, "it was there", NULL, &said);
}

/* A price changes, and now and then there is something new to measure.  The reason says whose it is. */
static scant_status amend(scant_study *study, uint32_t n) {
  char reason[40], name[40];
  scant_study_attribute rows[2] = {study->catalogue[1], {.name = name, .cost = 120, .low = NAN, .high = NAN}};
  snprintf(reason, sizeof reason, "p%u", n);
  snprintf(name, sizeof name, "new%u", n);
  rows[0].cost = 150 + n / SCRIPTS % 40;
  return scant_study_amend(study, rows, n % 48 == 16 ? 2 : 1, NULL, reason, 0, NULL, &said);
}

static scant_status do_stage(scant_study *study, uint32_t n, stage s) {
  static const scant_study_end ends[] = {SCANT_END_CANCEL, SCANT_END_EXPIRE, SCANT_END_FAIL};
  const scant_study_order *o;
  char example[40], old[40];
  scant_study_comparison compared;
  scant_study_answer y = {.name = "y", .value = value_of(n, D) + (s == CORRECT || s == SECOND)};
  scant_study_answer known[2] = {{.name = "a1", .value = 0.25 * (n % 9)}, {.name = "y", .value = n % 5}};
  name_of(example, sizeof example, n);
  snprintf(old, sizeof old, "i%u", n);
  switch (s) {
    case ASK:
      return scant_study_ask(study, example, &o, &said);
    case HALF:
      return tell_until(study, n, 2, 0);
    case WHOLE:
      return tell_until(study, n, D, 1);
    case END:
      return scant_study_end_order(study, example, ends[n / SCRIPTS % 3], "gone", &said);
    case REOPEN:
      return scant_study_reopen(study, example, "it was not", &said);
    case CORRECT:
      return scant_study_correct(study, n % SCRIPTS == 5 ? old : example, &y, 1, "a slip", &said);
    case SECOND:
    case AGREE:
      return scant_study_tell_second(study, example, &y, 1, &compared, &said);
    case IMPORT:
      return scant_study_import(study, old, known, 2, &said);
    case EXTRA:
      return tell_extra(study, n);
    case AMEND:
      return amend(study, n);
    case FREEZE:
      return freeze(study, n);
    case ERASE:
    case STAGES:
    default:
      return scant_study_erase(study, example, "withdrew", NULL, &said);
  }
}

/* ---- the one who is killed ------------------------------------------------------------------ */

/* Which stages are done, as the ledger has it. */
static unsigned find_done(scant_study *study, uint32_t n) {
  unsigned seconds = 0, done = 0;
  char names[3][40];
  name_of(names[0], sizeof names[0], n);
  snprintf(names[1], sizeof names[1], "i%u", n);
  const scant_study_event *e = NULL;
  for (int i = 0; i < 2; i++)
    for (uint64_t after = 0;; after = e->sequence) {
      if (scant_study_event_of(study, names[i], after, &e, &said) != SCANT_OK) _exit(9);
      if (!e) break;
      for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++)
        if (kinds[j].kind == e->kind && kinds[j].most == 1) done |= 1u << kinds[j].last;
      if (e->kind == SCANT_EVENT_SECOND) done |= 1u << (seconds++ ? AGREE : SECOND);
      if (e->learned && i == 0) done |= 1u << HALF | 1u << WHOLE;
    }
  return done;
}

/* Copies and amendments have no example; the reason is its name. */
static int is_recorded(scant_study *study, scant_event_kind kind, uint32_t n) {
  char name[40];
  const scant_study_event *e;
  snprintf(name, sizeof name, "p%u", n);
  for (uint64_t after = 0;; after = e->sequence) {
    if (scant_study_event_after(study, after, &e, &said) != SCANT_OK) _exit(9);
    if (!e) return 0;
    if (e->kind == kind && strcmp(e->reason, name) == 0) return 1;
  }
}

/* Goes on with an example from wherever it stands. */
static void go_on(scant_study *study, int to, uint32_t n) {
  const stage *script = scripts[n % SCRIPTS];
  unsigned done = find_done(study, n);
  if (n % SCRIPTS == 6 && (done & 1u << WHOLE) && is_recorded(study, SCANT_EVENT_FREEZE, n)) done |= 1u << FREEZE;
  if (n % SCRIPTS == 0 && (done & 1u << WHOLE) && is_recorded(study, SCANT_EVENT_AMEND, n)) done |= 1u << AMEND;
  for (size_t i = 0; i < 6 && (!i || script[i]); i++) {
    if (done & 1u << script[i]) continue;
    scant_status status = do_stage(study, n, script[i]);
    if (status == SCANT_SPENT) _exit(7);
    if (status != SCANT_OK) {
      fprintf(stderr, "# stage %d of example %u: %s\n", (int)script[i], n, said.text);
      _exit(4);
    }
    acknowledge(to, n, script[i]);
  }
}

/* Asks for four at once. */
static void ask_several(scant_study *study, int to, uint32_t n) {
  char names[4][40];
  const char *wanted[4];
  for (uint32_t i = 0; i < 4; i++) wanted[i] = name_of(names[i], sizeof names[i], n + i);
  scant_status status = scant_study_ask_all(study, wanted, 4, &said);
  if (status == SCANT_SPENT) _exit(7);
  if (status != SCANT_OK) _exit(5);
  for (uint32_t i = 0; i < 4; i++) acknowledge(to, n + i, ASK);
}

/* Each example has one order, and they are asked for one after the other, so order n + 1 is that of example n.  Those
 * that were not finished come first. */
static void work(int to) {
  scant_study *study = NULL;
  const scant_study_order *o;
  if (scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) != SCANT_OK) _exit(2);
  study->keep_every = 40;
  uint32_t next = 0;
  for (;; next++) {
    if (scant_study_order_at(study, next + 1, &o, &said) != SCANT_OK) _exit(9);
    if (!o) break;
    if (o->state != SCANT_ORDER_ERASED) go_on(study, to, next);
  }
  for (;; next++) {
    if (next % 16 == 8) ask_several(study, to, next);
    go_on(study, to, next);
  }
}

/* ---- what is there afterwards ----------------------------------------------------------------- */

static void note(const ack *a) {
  if (!CHECK(a->example < MOST)) exit(1);
  reached[a->example] |= 1u << a->stage;
  if (a->example >= examples) examples = a->example + 1;
}

typedef struct {
  unsigned char count[SCANT_EVENT_FREEZE + 1]; /* events by kind */
  unsigned char learned;
} history;

static history histories[MOST];

static void read_histories(scant_study *study) {
  const scant_study_event *e;
  memset(histories, 0, sizeof histories);
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) break;
    CHECK(e->sequence == after + 1);
    const char *name = e->kind == SCANT_EVENT_FREEZE || e->kind == SCANT_EVENT_AMEND ? e->reason : e->example;
    if (!name) continue;
    history *h = &histories[strtoul(name + 1, NULL, 10) % MOST];
    h->count[e->kind]++;
    h->learned =
        (unsigned char)(h->learned + (e->learned && e->kind != SCANT_EVENT_CORRECT && e->kind != SCANT_EVENT_IMPORT));
  }
}

/* No byte of the name or of a value that was told is in a file of the study. */
static void check_gone(uint32_t n) {
  static const char *const ends[] = {"", "-wal", "-shm", "-journal", "-lock", "-queue"};
  char name[40], file[520];
  name_of(name, sizeof name, n);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t length = 0;
    snprintf(file, sizeof file, "%s%s", path, ends[i]);
    char *text = read_bytes(file, &length);
    if (!text) continue;
    int there = has_bytes(text, length, name, strlen(name));
    for (size_t j = 0; j <= D; j++) there |= has_value(text, length, value_of(n, j)) << 1;
    if (!CHECK(!there)) printf("#   example %u is in the file%s\n", n, ends[i]);
    free(text);
  }
}

static void check_example(scant_study *study, uint32_t n) {
  const scant_study_order *o = NULL;
  const history *h = &histories[n];
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!CHECK(h->count[kinds[i].kind] <= kinds[i].most))
      printf("#   example %u: %s %d times\n", n, scant_event_kind_name(kinds[i].kind), h->count[kinds[i].kind]);
  CHECK(h->learned <= 1);
  GOOD(scant_study_order_at(study, n + 1, &o, &said));
  if (!o) CHECK(!reached[n]);
  if (!o) return;
  size_t told = 0;
  unsigned r = reached[n];
  if (o->state == SCANT_ORDER_ERASED) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) CHECK(!h->count[kinds[i].kind]);
    CHECK(is_erased_later(n) && o->count == 0);
    return;
  }
  for (size_t i = 0; i < o->count; i++) told += o->lines[i].state != SCANT_LINE_ORDERED;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (r & 1u << kinds[i].last && kinds[i].last != END && kinds[i].last != WHOLE)
      CHECK(h->count[kinds[i].kind] == kinds[i].most);
  CHECK(!(r & 1u << ERASE) && h->count[SCANT_EVENT_ASK] == 1);
  if (r & 1u << HALF) CHECK(told >= 2 || told == o->count);
  if (r & 1u << WHOLE) CHECK(o->state == SCANT_ORDER_LEARNED && h->learned == 1);
  if (r & 1u << SECOND) CHECK(h->count[SCANT_EVENT_SECOND] >= 1);
  if (r & 1u << END)
    CHECK(h->count[SCANT_EVENT_CANCEL] + h->count[SCANT_EVENT_EXPIRE] + h->count[SCANT_EVENT_FAIL] == 1);
}

static unsigned long erased; /* examples that were found to be */

static void check_all(int prove) {
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  const scant_study_order *o = NULL;
  scant_study_status status;
  GOOD(scant_study_get_counts(study, &status, &said));
  CHECK(!status.unswept); /* opening it has finished that */
  read_histories(study);
  for (uint32_t n = 0; n < examples || n < status.orders; n++) {
    check_example(study, n);
    GOOD(scant_study_order_at(study, n + 1, &o, &said));
    if (o && o->state == SCANT_ORDER_ERASED) check_gone(n), erased++;
  }
  check_money(study);
  if (prove) check_verified(study);
  scant_study_close(study);
}

/* ---- killing ------------------------------------------------------------------------------------ */

/* The study and its frozen copies, with what those that were killed left of theirs. */
static void remove_all(void) {
  char name[800];
  snprintf(name, sizeof name, "%s/copies", study_folder);
  DIR *folder = opendir(name);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    snprintf(name, sizeof name, "%s/copies/%s", study_folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(name);
  }
  if (folder) closedir(folder);
  snprintf(name, sizeof name, "%s/copies", study_folder);
  rmdir(name);
  study_remove(path);
}

static int kills;

TEST(killed) {
  int acknowledged = 0, code = 0;
  unsigned seen = 0;
  char copies[420];
  for (int i = 0; i < kills; i++) {
    if (i % A_STUDY == 0) {
      memset(reached, 0, sizeof reached);
      examples = 0;
      remove_all();
      snprintf(copies, sizeof copies, "%s/copies", study_folder);
      CHECK(mkdir(copies, 0700) == 0);
      scant_study_close(make_study(path, settings_text, D, PRICED));
    }
    int wait_for = (int)test_below(12);
    acknowledged += kill_once(work, note, wait_for, wait_for && test_below(3) ? 2500000 : 20000000, &code);
    if (!CHECK(code == -1 || code == 7)) printf("#   it ended by itself: %d\n", code);
    int last = i % A_STUDY == A_STUDY - 1 || i + 1 == kills;
    /* now and then the next one finds it as it was left */
    if (last || i % 3) check_all(last || i % 5 == 0);
    for (uint32_t n = 0; n < examples; n++) seen |= reached[n];
    if (check_failures) break;
  }
  printf("# %d kills, %d steps acknowledged, %lu times an erased example was searched\n", kills, acknowledged, erased);
  CHECK(acknowledged > kills);
  if (kills >= 50 && !CHECK(seen == (1u << STAGES) - 1)) /* all that can be done was done */
    printf("#   stages that were seen: %x\n", seen);
  remove_all();
}

int main(void) {
  study_begin_tests();
  kills = begin_killing(100);
  snprintf(path, sizeof path, "%s", study_path("killed"));
  RUN(killed);
  return study_end_tests();
}
