/* Out of memory: the 1st, 2nd, ... allocation of a call fails, SQLite's own too, once and ever after.  It says so,
 * nothing is changed, and the same call again works; or it did its work all the same. */
#include "allocations.h"
#include "study_support.h"

enum { D = 8 };
static char path[500], base[500], other[500], second[500];

/* ---- SQLite's memory comes through here, where allocations are counted ----------------- */

static void *take(int size) {
  uint64_t *block = malloc((size_t)size + 8);
  if (!block) return NULL;
  *block = (uint64_t)size;
  return block + 1;
}

static void give(void *block) {
  free((uint64_t *)block - 1);
}

static int size_of(void *block) {
  return block ? (int)((uint64_t *)block)[-1] : 0;
}

static void *take_again(void *block, int size) {
  uint64_t *more = realloc((uint64_t *)block - 1, (size_t)size + 8);
  if (!more) return NULL;
  *more = (uint64_t)size;
  return more + 1;
}

static int round_up(int size) {
  return (size + 7) & ~7;
}

static int begin(void *unused) {
  (void)unused;
  return SQLITE_OK;
}

static void end(void *unused) {
  (void)unused;
}

static const sqlite3_mem_methods counted = {take, give, take_again, size_of, round_up, begin, end, NULL};

/* ---- calls --------------------------------------------------------------------------- */

static scant_study *study;

static scant_status ask_it(void) {
  const scant_study_order *o;
  return scant_study_ask(study, "new", &o, &said);
}

static scant_status tell_it(void) {
  scant_study_answer answers[D + 1];
  const scant_study_order *o;
  size_t count = 0;
  scant_status status = scant_study_find(study, "open", &o, &said);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    answers[count++] = (scant_study_answer){study->catalogue[o->lines[i].attribute].name, 0.5, 0};
  answers[count++] = (scant_study_answer){"y", 1.5, 0};
  return scant_study_tell(study, "open", answers, count, &said);
}

static scant_status tell_why(void) {
  const scant_study_order *o;
  scant_status status = scant_study_find(study, "open", &o, &said);
  if (status != SCANT_OK) return status;
  scant_study_answer lost = {.name = study->catalogue[o->lines[0].attribute].name, .missing = 1, .note = "lost"};
  return scant_study_tell(study, "open", &lost, 1, &said);
}

/* All values of an order, which are those of the first entry or others; the target is another one. */
static scant_status second_it(void) {
  scant_study_answer answers[D + 1];
  scant_study_comparison c;
  const scant_study_order *o;
  size_t count = 0;
  scant_status status = scant_study_find(study, "e1", &o, &said);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    answers[count++] = (scant_study_answer){study->catalogue[o->lines[i].attribute].name, o->lines[i].value, 0};
  answers[count++] = (scant_study_answer){"y", 1000, 0};
  status = scant_study_tell_second(study, "e1", answers, count, &c, &said);
  if (status == SCANT_OK) CHECK(c.agree == count - 1 && c.differ == 1 && !c.once);
  return status;
}

static scant_status correct_it(void) {
  scant_study_answer y = {"y", 7, 0};
  return scant_study_correct(study, "e1", &y, 1, "a slip", &said);
}

static scant_status import_it(void) {
  scant_study_answer past[2] = {{"a1", 1, 0}, {"y", 2, 0}};
  scant_status status = scant_study_import(study, "older", past, 2, &said);
  return status == SCANT_MISUSE ? SCANT_OK : status; /* imported before */
}

static scant_status end_it(void) {
  scant_status status = scant_study_end_order(study, "open", SCANT_END_CANCEL, "gone", &said);
  return status == SCANT_MISUSE ? SCANT_OK : status; /* ended before */
}

static scant_status ask_several(void) {
  static const char *const examples[] = {"new", "open", "newer"};
  return scant_study_ask_all(study, examples, 3, &said);
}

static scant_status reopen_it(void) {
  scant_status status = scant_study_reopen(study, "ended", "it had not", &said);
  return status == SCANT_MISUSE ? SCANT_OK : status; /* reopened before */
}

static scant_status preview_it(void) {
  scant_study_forecast forecast;
  return scant_study_preview(study, 3, &forecast, NULL, &said);
}

static scant_status history_it(void) {
  const scant_study_event *e;
  const scant_study_order *o;
  scant_status status = scant_study_event_of(study, "open", 0, &e, &said);
  return status == SCANT_OK ? scant_study_open_after(study, 0, &o, &said) : status;
}

static scant_status status_it(void) {
  scant_study_status status;
  return scant_study_get_status(study, &status, &said);
}

static scant_status verify_it(void) {
  scant_study_proof proof;
  return scant_study_verify(study, &proof, &said);
}

static scant_status replay_it(void) {
  return scant_study_replay(study, &said);
}

static scant_status erase_it(void) {
  return scant_study_erase(study, "e1", "withdrew", NULL, &said);
}

static scant_status model_it(void) {
  scant_model *model = NULL;
  scant_status status = scant_study_model(study, &model, &said);
  scant_model_free(model);
  return status;
}

static scant_status examples_it(void) {
  scant_source *source = NULL;
  scant_prices *prices = NULL;
  scant_status status = scant_study_examples(study, &source, &prices, &said);
  CHECK(!source == (status != SCANT_OK) && !prices == (status != SCANT_OK)); /* nothing, or both */
  scant_source_free(source);
  scant_prices_free(prices);
  return status;
}

static scant_status backup_it(void) {
  study_remove(other);
  return scant_study_backup(study, other, &said);
}

/* Both files are there, or neither is. */
static scant_status table_it(void) {
  study_remove(other);
  unlink(second);
  scant_status status = scant_study_export_examples(study, other, second, 1, &said);
  CHECK(is_file(other, "") == (status == SCANT_OK) && is_file(second, "") == (status == SCANT_OK));
  unlink(second);
  return status;
}

static scant_status events_it(void) {
  study_remove(other);
  scant_status status = scant_study_export_events(study, other, 1, &said);
  CHECK(is_file(other, "") == (status == SCANT_OK));
  return status;
}

static scant_status freeze_it(void) {
  scant_study_frozen frozen;
  scant_status status = scant_study_freeze(study, "paper", other, &frozen, &said);
  CHECK(is_file(other, "") == (status == SCANT_OK) && is_file(other, ".txt") == (status == SCANT_OK));
  CHECK(!is_file(other, "-wal") && !is_file(other, "-journal") && !is_file(other, "-lock"));
  study_remove(other);
  unlink(second);
  return status;
}

static scant_status open_it(void) {
  if (study) return SCANT_OK;
  return scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said);
}

static scant_status share_it(void) {
  if (study) return SCANT_OK;
  return scant_study_open(&study, path, SCANT_STUDY_SHARE, NULL, &said);
}

static scant_status read_it(void) {
  if (study) return SCANT_OK;
  return scant_study_open(&study, path, SCANT_STUDY_READ, NULL, &said);
}

static scant_status create_it(void) {
  if (study) return SCANT_OK;
  scant_settings s = settings_of("algorithm=auto k=3 seed=3");
  scant_study_terms terms = {.missing_reasons = "the dog, lost", .second_entry = 1};
  scant_status status = scant_study_create_with(path, &s, catalogue_of(D, PRICED), D, &terms, &said);
  if (status == SCANT_OK) status = scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said);
  if (status != SCANT_OK && is_file(path, "")) study_remove(path); /* made, but not opened */
  return status;
}

/* A new attribute, one that is retired, and a setting. */
static scant_status amend(int trial) {
  scant_study_attribute rows[2] = {{.name = "b1", .unit = "mg", .cost = 200, .low = NAN, .high = NAN},
                                   {.name = "a3", .unit = "mg", .cost = 211, .low = -100, .high = NAN, .retired = 1}};
  scant_settings s = settings_of("k=4 max-open=900");
  char *change = NULL, *words = NULL;
  scant_status status = scant_study_amend(study, rows, 2, &s, "it is so", trial, &change, &said);
  if (status == SCANT_OK && change && trial) status = scant_study_describe_change(change, &words, &said);
  scant_text_free(change);
  scant_text_free(words);
  return status;
}

static scant_status amend_it(void) {
  return amend(0);
}

static scant_status try_it(void) {
  return amend(1);
}

static scant_status extra_it(void) {
  const scant_study_order *o;
  scant_status status = scant_study_find(study, "open", &o, &said);
  uint32_t place = 0;
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) place++, i = (size_t)-1;
  scant_study_answer x = {study->catalogue[place].name, 1.25, 0};
  return scant_study_tell_extra(study, "open", &x, 1, "the ward did it", NULL, &said);
}

static scant_status correct_import(void) {
  scant_study_answer y = {"y", 9, 0};
  return scant_study_correct(study, "old", &y, 1, "a slip", &said);
}

/* A group with another one inside, which is taken back. */
static scant_status group_it(void) {
  const char *examples[] = {"new"};
  scant_study_request r = {"anna", "key", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "{}",
                           NULL};
  const scant_study_order *o;
  scant_status status = scant_study_begin(study, &said);
  if (status != SCANT_OK) return status;
  status = scant_study_ask(study, "new", &o, &said);
  if (status == SCANT_OK) status = scant_study_begin(study, &said);
  if (status == SCANT_OK) {
    status = tell_it();
    scant_study_roll_back(study);
  }
  if (status == SCANT_OK) status = extra_it();
  if (status == SCANT_OK) status = scant_study_remember(study, &r, examples, 1, &said);
  if (status == SCANT_OK) return scant_study_commit(study, &said);
  scant_study_roll_back(study);
  return status;
}

static scant_status amend_group(void) {
  scant_status status = scant_study_begin(study, &said);
  if (status == SCANT_OK) {
    status = amend_it();
    scant_study_roll_back(study);
  }
  return status;
}

/* What is read of requests and of the past. */
static scant_status recall_it(void) {
  const scant_study_request *r;
  const char *by;
  uint64_t last;
  scant_status status = scant_study_recall(study, "anna", "first", &r, &said);
  if (status == SCANT_OK) CHECK(r && !strcmp(r->answer, "{}"));
  if (status == SCANT_OK) status = scant_study_teller(study, "e1", "y", &by, &said);
  if (status == SCANT_OK) CHECK(by != NULL);
  if (status == SCANT_OK) status = scant_study_last_event(study, "e1", &last, &said);
  return status;
}

static scant_status forget_it(void) {
  return scant_study_forget_requests(study, "9999-01-01", NULL, &said);
}

static scant_status announce_it(void) {
  char where[500];
  scant_status status = scant_study_announce(study, "http://here/", &said);
  return status == SCANT_OK ? scant_study_find_service(path, where, sizeof where, &said) : status;
}

typedef enum { ON_OPEN, ON_BEHIND, ON_FILE, ON_NOTHING } needs; /* behind: another handle has written meanwhile */

static const struct scenario {
  const char *name;
  scant_status (*call)(void);
  needs on;
} scenarios[] = {
    {"asking", ask_it, ON_OPEN},
    {"telling", tell_it, ON_OPEN},
    {"telling_why", tell_why, ON_OPEN},
    {"entering_twice", second_it, ON_OPEN},
    {"correcting", correct_it, ON_OPEN},
    {"importing", import_it, ON_OPEN},
    {"amending", amend_it, ON_OPEN},
    {"trying_to_amend", try_it, ON_OPEN},
    {"telling_extras", extra_it, ON_OPEN},
    {"correcting_an_import", correct_import, ON_OPEN},
    {"ending", end_it, ON_OPEN},
    {"asking_several", ask_several, ON_OPEN},
    {"reopening", reopen_it, ON_OPEN},
    {"foreseeing", preview_it, ON_OPEN},
    {"looking_back", history_it, ON_OPEN},
    {"looking", status_it, ON_OPEN},
    {"taking_the_model", model_it, ON_OPEN},
    {"taking_the_examples", examples_it, ON_OPEN},
    {"proving", verify_it, ON_OPEN},
    {"replaying", replay_it, ON_OPEN},
    {"erasing", erase_it, ON_OPEN},
    {"copying", backup_it, ON_OPEN},
    {"writing_a_table", table_it, ON_OPEN},
    {"writing_the_events", events_it, ON_OPEN},
    {"freezing", freeze_it, ON_OPEN},
    {"grouping", group_it, ON_OPEN},
    {"amending_in_a_group", amend_group, ON_OPEN},
    {"recalling", recall_it, ON_OPEN},
    {"forgetting", forget_it, ON_OPEN},
    {"announcing", announce_it, ON_OPEN},
    {"grouping_behind", group_it, ON_BEHIND},
    {"asking_behind", ask_it, ON_BEHIND},
    {"telling_behind", tell_it, ON_BEHIND},
    {"correcting_behind", correct_it, ON_BEHIND},
    {"looking_behind", status_it, ON_BEHIND},
    {"replaying_behind", replay_it, ON_BEHIND},
    {"erasing_behind", erase_it, ON_BEHIND},
    {"opening", open_it, ON_FILE},
    {"sharing", share_it, ON_FILE},
    {"reading", read_it, ON_FILE},
    {"making", create_it, ON_NOTHING},
};

static struct scenario now; /* the one that is run */

/* What another handle that writes has made of the study. */
static char *write_meanwhile(void) {
  scant_study *writer = open_study(path, SCANT_STUDY_WRITE);
  const scant_study_order *o;
  hurry(writer);
  GOOD(scant_study_ask(writer, "meanwhile", &o, &said));
  if (o) GOOD(tell_all(writer, o));
  scant_study_attribute fresh = {.name = "b2", .cost = 150, .low = NAN, .high = NAN};
  GOOD(scant_study_amend(writer, &fresh, 1, NULL, "meanwhile", 0, NULL, &said));
  char *text = dump(writer);
  scant_study_close(writer);
  return text;
}

/* n grows faster when it is large: verify has many thousand. */
TEST(without_memory) {
  int refused = 0, tries = 0;
  for (int ever = 0; ever < 2; ever++)
    for (unsigned long n = 1;; n += study_stride() + n / 30) {
      study_remove(path);
      if (now.on != ON_NOTHING) copy_file(base, path);
      study = now.on == ON_OPEN ? open_study(path, SCANT_STUDY_WRITE) : NULL;
      if (study) hurry(study);
      char *before = study ? dump(study) : NULL;
      if (now.on == ON_BEHIND) {
        study = open_study(path, SCANT_STUDY_SHARE);
        hurry(study);
        before = write_meanwhile();
      }
      said.text[0] = 0;
      allocations_fail(n, ever);
      scant_status status = now.call();
      unsigned long failures = allocations_failed();
      allocations_reset();
      tries++;
      if (status != SCANT_OK) {
        refused++;
        if (!CHECK(failures && (status == SCANT_MEMORY || status == SCANT_IO) && said.text[0]))
          printf("#   %s, allocation %lu%s: %d, %s\n", now.name, n, ever ? " on" : "", status, said.text);
        if (now.on == ON_NOTHING) CHECK(!is_file(path, "") && !is_file(path, "-wal") && !is_file(path, "-lock"));
        if (before) {
          if (!check_unchanged(study, before, now.name, __LINE__)) printf("#   allocation %lu\n", n);
          before = NULL;
        }
        GOOD(now.call()); /* the same again */
      }
      free(before);
      if (study) {
        if (n % 7 == 1 || failures == 0) check_verified(study);
        check_money(study);
      }
      scant_study_close(study);
      if (!failures || check_failures > 5) break;
    }
  printf("# %s: %d of %d refused\n", now.name, refused, tries);
  study_remove(other);
}

int main(void) {
  sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation can fail */
  study_begin_tests();
  snprintf(path, sizeof path, "%s", study_path("poor"));
  snprintf(base, sizeof base, "%s", study_path("base"));
  snprintf(other, sizeof other, "%s", study_path("backup"));
  snprintf(second, sizeof second, "%s", study_path("backup.txt"));
  study = make_study(base, "algorithm=auto k=3 seed=3", D, PRICED);
  for (int n = 0; n < 3; n++) {
    char example[8];
    const scant_study_order *o;
    snprintf(example, sizeof example, "e%d", n);
    GOOD(scant_study_ask(study, example, &o, &said));
    GOOD(tell_all(study, o));
  }
  const scant_study_order *open;
  scant_study_answer past[2] = {{"a2", 1, 0}, {"y", 3, 0}};
  GOOD(scant_study_import(study, "old", past, 2, &said));
  GOOD(scant_study_ask(study, "ended", &open, &said));
  GOOD(scant_study_end_order(study, "ended", SCANT_END_FAIL, "it seemed so", &said));
  GOOD(scant_study_ask(study, "open", &open, &said));
  scant_study_request first = {"anna", "first", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                               "{}", NULL};
  GOOD(scant_study_remember(study, &first, NULL, 0, &said));
  study->kept = study->tip.sequence; /* without a snapshot, so that opening follows the ledger */
  scant_study_close(study);
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    now = scenarios[i];
    check_run(without_memory, now.name);
  }
  study_remove(base);
  study_remove(path);
  return study_end_tests();
}
