/* Every write, sync, truncation, opening ... within groups of calls fails once, or once and ever after: a group has
 * happened as a whole or not at all, and those who go on after a fault are told what became of it. */
enum { STEPS = 6, HALF_WAY = 3, COPIED = 0, THIN = 2, D = 6 };
#include "study_fault_steps.h"

static scant_status make(void) {
  scant_settings s = settings_of("algorithm=auto k=3 seed=3 budget-cost=400 max-open=30");
  return scant_study_create(path, &s, catalogue_of(D, PRICED), D, NULL, &said);
}

/* ---- a group of calls ------------------------------------------------------------------- */

static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static scant_status tell_it(scant_study *study, const char *example, scant_error *error) {
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  scant_status status = scant_study_find(study, example, &o, error);
  size_t count = 0;
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    answers[count++] = (scant_study_answer){.name = study->catalogue[o->lines[i].attribute].name,
                                            .value = 0.25 * o->lines[i].attribute + 0.125 * example[1]};
  answers[count++] = (scant_study_answer){.name = "y", .value = 0.5 * example[1] - 20};
  return scant_study_tell(study, example, answers, count, error);
}

enum { CALLS = 7 };

/* Call j of group i; each is done once, and done again it says so. */
static scant_status call(scant_study *study, int i, int j, scant_error *error) {
  char names[3][16];
  const scant_study_order *o;
  scant_study_answer y = {.name = "y", .value = 3};
  for (int k = 0; k < 3; k++) snprintf(names[k], sizeof names[k], "%c%d", 'a' + k, i);
  const char *examples[2] = {names[0], names[1]};
  switch (j) {
    case 0:
      return scant_study_ask(study, names[0], &o, error);
    case 1:
      return scant_study_ask(study, names[1], &o, error);
    case 2:
      return tell_it(study, names[0], error);
    case 3:
      return scant_study_end_order(study, names[1], SCANT_END_CANCEL, NULL, error);
    case 4:
      return scant_study_correct(study, names[0], &y, 1, "a slip", error);
    case 5:
      return scant_study_remember(study, &(scant_study_request){"anna", names[0], digest, "{}", NULL}, examples, 2,
                                  error);
    default:
      return scant_study_ask(study, names[2], &o, error);
  }
}

/* A group inside with a call that is refused, which is taken back. */
static scant_status try_inside(scant_study *study, int i) {
  scant_status status = scant_study_begin(study, &said);
  if (status != SCANT_OK) return status;
  status = call(study, i, 6, &said);
  if (status == SCANT_OK) {
    status = tell_it(study, "nobody", &said);
    CHECK(status != SCANT_OK);
    if (status == SCANT_DATA) status = SCANT_OK;
  }
  scant_study_roll_back(study);
  return status;
}

/* All of a group, or nothing. */
static scant_status step(scant_study *study, int i) {
  scant_status status = scant_study_begin(study, &said);
  if (status != SCANT_OK) return status;
  for (int j = 0; j < CALLS && status == SCANT_OK; j++) {
    if (j == 4) status = try_inside(study, i);
    if (status == SCANT_OK) status = call(study, i, j, &said);
  }
  if (status == SCANT_OK) return scant_study_commit(study, &said);
  scant_study_roll_back(study);
  return status;
}

/* ---- going on after a fault ----------------------------------------------------------------- */

static char other[500];

/* Does all calls of a group whatever becomes of them; what is acknowledged is the bits of `done`. */
static scant_status go_on(scant_study *study, int i, unsigned *done) {
  *done = 0;
  scant_status status = scant_study_begin(study, &said);
  if (status != SCANT_OK) return status;
  for (int j = 0; j < CALLS; j++) {
    scant_error inner = {""};
    if (call(study, i, j, &inner) == SCANT_OK)
      *done |= 1u << j;
    else
      CHECK(inner.text[0]);
  }
  return scant_study_commit(study, &said);
}

static void check_gone_on(unsigned done, scant_status committed) {
  unsigned long at = fail_at;
  fail_at = 0;
  scant_study *single = open_study(other, SCANT_STUDY_WRITE), *study = open_study(path, SCANT_STUDY_READ);
  for (int j = 0; j < CALLS && committed == SCANT_OK; j++)
    if (done >> j & 1) GOOD(call(single, 2, j, &said));
  char *a = timeless(study), *b = timeless(single);
  if (!CHECK(strcmp(a, b) == 0))
    printf("#   after %s %lu: calls %x, commit %d\n", fault_names[failing], at, done, (int)committed);
  check_verified(study);
  free(a);
  free(b);
  scant_study_close(single);
  scant_study_close(study);
  study_remove(other);
  fail_at = at;
}

TEST(going_on_after_a_fault) {
  static const fault all[] = {WRITE, SHORT_WRITE, FULL, SYNC, READ, MAP, OPEN};
  int faults = 0, lost = 0, partly = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (unsigned long n = 1;; n += study_stride()) {
      scant_study *study;
      scant_status status;
      unsigned done;
      fail_at = 0;
      study_remove(path);
      GOOD(make());
      open_again(&study, &status);
      for (int i = 0; i < 2; i++) GOOD(step(study, i));
      sqlite3_exec(study->db, "PRAGMA cache_size = 4", NULL, NULL, NULL); /* pages are written and read within it */
      copy_file(path, other);
      char wal[600], other_wal[600];
      snprintf(wal, sizeof wal, "%s-wal", path);
      snprintf(other_wal, sizeof other_wal, "%s-wal", other);
      copy_file(wal, other_wal);
      failing = all[k];
      fail_at = n;
      for_ever = 0;
      met = 0;
      failed = 0;
      status = go_on(study, 2, &done);
      faults += failed > 0;
      lost += status != SCANT_OK;
      partly += status == SCANT_OK && done != (1u << CALLS) - 1;
      fail_at = 0;
      if (status != SCANT_OK) CHECK(failed && (status == SCANT_IO || status == SCANT_MEMORY));
      check_verified(study); /* the handle goes on */
      check_gone_on(done, status);
      scant_study_close(study);
      if (!failed || check_failures > 10) break;
    }
  printf("# %d faults: %d groups did not happen, %d happened in part\n", faults, lost, partly);
  CHECK(faults > 20 && lost > 5);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  snprintf(path, sizeof path, "%s", study_path("faulty"));
  snprintf(other, sizeof other, "%s", study_path("other"));
  run_all_faults();
  RUN(going_on_after_a_fault);
  for (int i = 0; i <= STEPS; i++) free(wanted[i]);
  study_remove(path);
  return study_end_tests();
}
