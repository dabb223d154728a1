/* Every write, sync, truncation, opening ... of asking, telling, correcting, importing and ending fails once, or once
 * and ever after; and studies are read where nothing can be written. */
enum { STEPS = 15, HALF_WAY = 6, COPIED = 0, THIN = 1, D = 6 };
#include "study_fault_steps.h"

/* ---- what is done meanwhile ----------------------------------------------------------- */

static scant_status tell_by_hand(scant_study *study, const char *example, int only_y) {
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  scant_status status = scant_study_find(study, example, &o, &said);
  if (status != SCANT_OK) return status;
  size_t count = 0;
  for (size_t i = 0; i < o->count && !only_y; i++) {
    uint32_t attribute = o->lines[i].attribute;
    answers[count++] = (scant_study_answer){study->catalogue[attribute].name, 0.25 * attribute + 0.125 * example[0], 0};
  }
  answers[count++] = (scant_study_answer){"y", 0.5 * example[0] - 40, 0};
  return scant_study_tell(study, example, answers, count, &said);
}

/* One step is one event. */
static scant_status step(scant_study *study, int i) {
  static const char *const examples[] = {"a", "b", "c", "d", "e"};
  const scant_study_order *o;
  scant_study_answer y = {"y", 3, 0}, past[2] = {{"a2", 1, 0}, {"y", 2, 0}};
  if (i < 5) return scant_study_ask(study, examples[i], &o, &said);
  if (i < 8) return tell_by_hand(study, examples[i - 5], 0);
  switch (i) {
    case 8:
      return tell_by_hand(study, "d", 1);
    case 9:
      return scant_study_correct(study, "b", &y, 1, "a slip", &said);
    case 10:
      return scant_study_import(study, "old", past, 2, &said);
    case 11:
      return scant_study_end_order(study, "e", SCANT_END_EXPIRE, NULL, &said);
    case 12:
      return scant_study_ask(study, "f", &o, &said);
    case 13:
      return tell_by_hand(study, "f", 0);
    default:
      return scant_study_ask(study, "g", &o, &said);
  }
}

static scant_status make(void) {
  scant_settings s = settings_of("algorithm=auto k=3 seed=3 budget-cost=500");
  return scant_study_create(path, &s, catalogue_of(D, PRICED), D, NULL, &said);
}

/* ---- reading where nothing can be written -------------------------------------------------- */

static char other[500];

/* A study of all steps; `unclosed`: as the power left it, with the last steps in its log alone. */
static void leave_study(int unclosed) {
  char log[520], other_log[520];
  study_remove(path);
  study_remove(other);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  sqlite3_exec(study->db, "PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL);
  for (int i = 0; i < STEPS; i++) GOOD(step(study, i));
  if (!unclosed) scant_study_close(study);
  copy_file(path, other);
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(other_log, sizeof other_log, "%s-wal", other);
  if (unclosed) copy_file(log, other_log);
  if (unclosed) scant_study_close(study);
  CHECK(is_file(other, "-wal") == unclosed && !is_file(other, "-shm"));
}

static void read_all(void) {
  scant_study *study = NULL;
  scant_study_status t;
  scant_study_proof proof;
  scant_model *model = NULL;
  const scant_study_event *e = NULL;
  said.text[0] = 0;
  if (!CHECK(scant_study_open(&study, other, SCANT_STUDY_READ, NULL, &said) == SCANT_OK)) {
    printf("#   %s: %s\n", fault_names[failing], said.text);
    return;
  }
  for (int again = 0; again < 2; again++) {
    GOOD(scant_study_get_status(study, &t, &said));
    CHECK(t.events == STEPS + 1);
    GOOD(scant_study_event_after(study, STEPS, &e, &said));
    CHECK(e && e->sequence == STEPS + 1);
    GOOD(scant_study_model(study, &model, &said));
    scant_model_free(model);
    GOOD(scant_study_verify(study, &proof, &said));
  }
  char *text = timeless(study);
  CHECK(strcmp(text, wanted[STEPS]) == 0);
  free(text);
  scant_study_close(study);
}

static void read_with(fault kind, int unclosed) {
  fail_at = 0;
  leave_study(unclosed);
  failing = kind;
  fail_at = 1;
  for_ever = 1;
  met = 0;
  failed = 0;
  read_all();
  if (kind == MAP) CHECK(failed > 0); /* the others may have nothing to do */
  fail_at = 0;
  study_remove(path);
  study_remove(other);
}

TEST(reading_a_full_disk) {
  static const fault kinds[] = {MAP, FULL, WRITE, SHORT_WRITE, TRUNCATE, SYNC, DELETE};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (int unclosed = 0; unclosed < 2; unclosed++) read_with(kinds[i], unclosed);
}

/* Another one opens the study and writes: what it wrote is seen. */
TEST(reading_goes_on_when_there_is_room_again) {
  scant_study *reader = NULL, *writer;
  scant_study_status t;
  const scant_study_order *o;
  leave_study(1);
  failing = MAP;
  fail_at = 1;
  for_ever = 1;
  GOOD(scant_study_open(&reader, other, SCANT_STUDY_READ, NULL, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  fail_at = 0;
  writer = open_study(other, SCANT_STUDY_WRITE);
  GOOD(scant_study_ask(writer, "new", &o, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 2);
  GOOD(scant_study_ask(writer, "newer", &o, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 3);
  scant_study_close(writer);
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 3);
  scant_study_close(reader);
  study_remove(path);
  study_remove(other);
}

/* A writer that finds no room says so. */
TEST(the_sentence_of_a_full_disk) {
  const scant_study_order *o;
  fail_at = 0;
  study_remove(path);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  failing = FULL;
  fail_at = 1;
  for_ever = 1;
  met = 0;
  CHECK(scant_study_ask(study, "x", &o, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "the disk is full; nothing was changed");
  fail_at = 0;
  scant_study_close(study);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  snprintf(other, sizeof other, "%s", study_path("other"));
  snprintf(path, sizeof path, "%s", study_path("faulty"));
  run_all_faults();
  RUN(reading_a_full_disk);
  RUN(reading_goes_on_when_there_is_room_again);
  RUN(the_sentence_of_a_full_disk);
  for (int i = 0; i <= STEPS; i++) free(wanted[i]);
  study_remove(path);
  return study_end_tests();
}
