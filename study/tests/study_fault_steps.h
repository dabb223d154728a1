/* Steps of a study, done while something fails: the 1st, the 2nd, ... until all steps meet none.  A call that fails
 * says so and can be tried again; without the faults the study is what the acknowledged steps make it, and nothing is
 * half there.  Whoever includes it says how many STEPS there are, before which of them it is opened anew
 * (HALF_WAY), whether make copies a file (COPIED) and which part of the faults is enough (THIN), and defines make and
 * step. */
#ifndef SCANT_TESTS_STUDY_FAULT_STEPS_H
#define SCANT_TESTS_STUDY_FAULT_STEPS_H

#include "study_failing.h"

static char path[500];

static char *wanted[STEPS + 1]; /* the study after so many steps */

/* Makes the study, whole or not at all. */
static scant_status make(void);
/* Does step i: all of it, or nothing. */
static scant_status step(scant_study *study, int i);

/* All but times, and checksums, which depend on them. */
static char *timeless(scant_study *study) {
  study_text t = {0};
  scant_study_status counts;
  CHECK(scant_study_get_counts(study, &counts, &said) == SCANT_OK); /* the learner is up to date */
  put_rows(&t, study->db,
           "SELECT sequence, kind, example, number, attributes, reserved, spent, look, reason, learned, change IS NULL "
           "FROM ledger ORDER BY sequence");
  put_rows(&t, study->db, "SELECT * FROM told ORDER BY sequence, place");
  put_rows(&t, study->db, "SELECT * FROM orders ORDER BY number");
  put_rows(&t, study->db, "SELECT * FROM line ORDER BY number, place");
  put_rows(&t, study->db, "SELECT * FROM import ORDER BY example");
  put_rows(&t, study->db, "SELECT * FROM extra ORDER BY number, attribute");
  put_rows(&t, study->db, "SELECT * FROM attribute ORDER BY place");
  put_rows(&t, study->db, "SELECT by, key, digest, answer FROM request ORDER BY by, key");
  put_rows(&t, study->db, "SELECT request, example FROM request_example ORDER BY request, example");
  put_learner(&t, study);
  return t.text;
}

/* Pages go to the file soon, and the learner is kept often. */
static void open_again(scant_study **study, scant_status *status) {
  *study = NULL;
  *status = scant_study_open(study, path, SCANT_STUDY_WRITE, NULL, &said);
  if (*status != SCANT_OK) return;
  sqlite3_exec((*study)->db, "PRAGMA wal_autocheckpoint = 6", NULL, NULL, NULL);
  (*study)->keep_every = 4;
}

/* A failure is told in a sentence. */
static void check_failure(scant_status status) {
  if (!CHECK(failed > 0 && (status == SCANT_IO || status == SCANT_BUSY || status == SCANT_MEMORY) && said.text[0]))
    printf("#   %s %lu%s: status %d: %s\n", fault_names[failing], fail_at, for_ever ? " on" : "", status, said.text);
}

/* How many steps are acknowledged; with a fault that goes away, all of them after another try. */
static int run_steps(void) {
  scant_study *study = NULL;
  scant_status status = SCANT_OK;
  int done = 0;
  for (int tries = 0; tries < 2; tries++) {
    status = make();
    if (status == SCANT_OK) break;
    check_failure(status);
    CHECK(!is_file(path, "") && !is_file(path, "-lock") && !is_file(path, "-wal"));
    if (for_ever) return -1;
  }
  if (!CHECK(status == SCANT_OK)) return -1;
  for (int tries = 0; tries < 2 && !study; tries++) {
    open_again(&study, &status);
    if (status != SCANT_OK) check_failure(status);
    if (status != SCANT_OK && for_ever) return 0;
  }
  if (!CHECK(study != NULL)) return 0;
  for (; done < STEPS; done++) {
    if (done == HALF_WAY) { /* opened anew */
      scant_study_close(study);
      open_again(&study, &status);
      if (status != SCANT_OK) check_failure(status);
      if (status != SCANT_OK && for_ever) return done;
      if (status != SCANT_OK) open_again(&study, &status);
      if (!CHECK(status == SCANT_OK)) return done;
    }
    said.text[0] = 0;
    status = step(study, done);
    if (status == SCANT_OK) continue;
    check_failure(status);
    if (for_ever) break;
    status = step(study, done); /* the same again, on the same handle */
    if (!CHECK(status == SCANT_OK)) {
      printf("#   again, %s %lu, step %d: %s\n", fault_names[failing], fail_at, done, said.text);
      break;
    }
  }
  scant_study_close(study);
  return done;
}

/* Without faults: what is there is what was acknowledged, and at most one step more, whole. */
static void check_after(int done) {
  unsigned long at = fail_at;
  fail_at = 0;
  scant_study *study = NULL;
  scant_study_proof proof;
  if (done < 0) return; /* it was never made */
  if (CHECK(scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_OK)) {
    char *text = timeless(study);
    int same = strcmp(text, wanted[done]) == 0 || (for_ever && done < STEPS && strcmp(text, wanted[done + 1]) == 0);
    if (!CHECK(same)) printf("#   after %s %lu%s: %d steps\n", fault_names[failing], at, for_ever ? " on" : "", done);
    free(text);
    if (!CHECK(scant_study_verify(study, &proof, &said) == SCANT_OK)) printf("#   %s\n", said.text);
    check_money(study);
    scant_study_close(study);
  } else {
    printf("#   after %s %lu: %s\n", fault_names[failing], at, said.text);
  }
  fail_at = at;
}

static void reference(void) {
  fail_at = 0;
  study_remove(path);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  wanted[0] = timeless(study);
  for (int i = 0; i < STEPS; i++) {
    GOOD(step(study, i));
    wanted[i + 1] = timeless(study);
  }
  check_verified(study);
  scant_study_close(study);
}

/* Every write and every sync fails once.  There are as many short writes and full disks: one in THIN fails. */
static unsigned long stride_of(fault kind) {
  int many = kind == SHORT_WRITE || kind == FULL || kind == READ || (kind == WRITE && for_ever);
  return study_stride() * (many ? THIN : 1);
}

static void run_fault(fault kind) {
  unsigned long n = 0;
  int faults = 0;
  for (for_ever = 0; for_ever < 2; for_ever++)
    for (n = 1;; n += stride_of(kind)) {
      failing = kind;
      fail_at = n;
      met = 0;
      failed = 0;
      study_remove(path);
      int done = run_steps();
      if (!failed) {
        CHECK(done == STEPS);
        break;
      }
      faults++;
      if (!for_ever) CHECK(done == STEPS || !failed);
      check_after(done);
      if (check_failures > 10) return;
    }
  printf("# %s: %d faults\n", fault_names[kind], faults);
  CHECK(faults > 0);
  fail_at = 0;
  study_remove(path);
}

TEST(without_faults) {
  reference();
}

/* Whoever hears that a step is done may pull the plug. */
TEST(what_is_acknowledged_is_synced) {
  study_remove(path);
  unsynced = closed_unsynced = 0;
  unsigned long before = sync_count;
  GOOD(make());
  CHECK(!unsynced && !closed_unsynced && (sync_count > before || COPIED));
  scant_study *study = NULL;
  scant_status status;
  for (int i = 0; i < STEPS; i++) {
    if (i % 5 == 0) {
      if (i) scant_study_close(study);
      CHECK(!unsynced && !closed_unsynced);
      open_again(&study, &status);
      if (!CHECK(status == SCANT_OK)) return;
    }
    before = sync_count;
    GOOD(step(study, i));
    CHECK(!unsynced && sync_count > before);
  }
  scant_study_close(study);
  CHECK(!unsynced && !closed_unsynced);
  study_remove(path);
}

TEST(writes) {
  run_fault(WRITE);
}
TEST(short_writes) {
  run_fault(SHORT_WRITE);
}
TEST(full_disks) {
  run_fault(FULL);
}
TEST(syncs) {
  run_fault(SYNC);
}
TEST(truncations) {
  run_fault(TRUNCATE);
}
TEST(openings) {
  run_fault(OPEN);
}
TEST(deletions) {
  run_fault(DELETE);
}
TEST(maps) {
  run_fault(MAP);
}
TEST(readings) {
  run_fault(READ);
}

static void run_all_faults(void) {
  use_shim();
  RUN(without_faults);
  RUN(what_is_acknowledged_is_synced);
  RUN(writes);
  RUN(short_writes);
  RUN(full_disks);
  RUN(syncs);
  RUN(truncations);
  RUN(openings);
  RUN(deletions);
  RUN(maps);
  RUN(readings);
}

#endif
