/* A study that several builds have written to: each says so in the ledger, and the proof is not by bits alone. */
#include "learn/learner.h"
#include "study.h"
#include "study_calls.h"
#include "study_other_build.h"

static int events_of(scant_study *study, scant_event_kind kind) {
  const scant_study_event *e;
  int count = 0;
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) return count;
    count += e->kind == kind;
  }
}

TEST(several_builds) {
  const char *path = study_path("builds");
  scant_study_proof proof;
  build = "scant 0.0.9, another compiler";
  scant_study *study = make_study(path, "algorithm=auto k=3 seed=4 budget-cost=300", 8, PRICED);
  learn_many(study, 0, 5);
  CHECK(events_of(study, SCANT_EVENT_BUILD) == 0);
  check_verified(study);
  scant_study_close(study);
  build = NULL;
  study = open_study(path, SCANT_STUDY_WRITE);
  GOOD(scant_study_verify(study, &proof, &said));
  CHECK(!proof.same_build && proof.same_bits);     /* in truth it is the same one */
  CHECK(events_of(study, SCANT_EVENT_BUILD) == 0); /* nothing was written */
  learn_many(study, 5, 4);
  CHECK(events_of(study, SCANT_EVENT_BUILD) == 1);
  scant_study_answer y = {"y", 4, 0};
  GOOD(scant_study_correct(study, "e2", &y, 1, "a slip", &said));
  scant_study_close(study);
  build = "scant 0.0.9, another compiler";
  study = open_study(path, SCANT_STUDY_WRITE);
  const scant_study_order *o;
  scant_status status = SCANT_OK;
  for (int n = 9; n < 200 && status == SCANT_OK; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    status = scant_study_ask(study, example, &o, &said);
    if (status == SCANT_OK) GOOD(tell_all(study, o));
  }
  CHECK(status == SCANT_SPENT &&
        events_of(study, SCANT_EVENT_BUILD) == 2); /* one that is refused leaves no event behind */
  GOOD(scant_study_verify(study, &proof, &said));
  CHECK(!proof.same_build && proof.same_bits);
  char *before = dump(study);
  GOOD(scant_study_replay(study, &said));
  check_unchanged(study, before, "replayed", __LINE__);
  check_money(study);
  scant_study_close(study);
  study_remove(path);
}

/* Learners of another generation draw other looks.  A study from then is not damaged: the looks of its ledger are
 * taken.  With the same generation they must be drawn again. */
TEST(a_study_of_another_generation) {
  static const char *const builds[] = {"scant " SCANT_VERSION ", another compiler", NULL};
  const char *path = study_path("generation");
  scant_study_proof proof;
  for (int same = 0; same < 2; same++) {
    build = builds[same];
    scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 8, PRICED);
    study->learner->looks.rng.state[0] ^= 77; /* as if it drew otherwise */
    learn_many(study, 0, 9);
    scant_study_close(study);
    build = NULL;
    study = open_study(path, SCANT_STUDY_WRITE);
    scant_status status = scant_study_verify(study, &proof, &said);
    CHECK(status == (same ? SCANT_DATA : SCANT_OK));
    if (same) CHECK_SAYS(said.text, "not the one that the learner asks for");
    if (!same) CHECK(!proof.same_build && proof.difference <= 1e-9);
    if (!same) GOOD(scant_study_replay(study, &said));
    if (!same) learn_many(study, 9, 5);
    scant_study_close(study);
    study_remove(path);
  }
}

/* A learner that another build kept, and that this one does not read, is made from the ledger; it is not damaged. */
TEST(a_learner_that_another_build_kept) {
  const char *path = study_path("kept");
  scant_study_proof proof;
  for (int same = 0; same < 2; same++) {
    build = same ? NULL : "scant 0.0.9, another compiler";
    scant_study *study = make_study(path, "algorithm=auto k=3 seed=4", 8, PLAIN);
    learn_many(study, 0, 9);
    scant_study_close(study);
    execute(path, "UPDATE snapshot SET learner = replace(learner, '\"state\": 3', '\"state\": 2')");
    build = NULL;
    study = open_study(path, SCANT_STUDY_WRITE);
    scant_status status = scant_study_verify(study, &proof, &said);
    CHECK(status == (same ? SCANT_DATA : SCANT_OK));
    if (same) CHECK_SAYS(said.text, "kept after event");
    scant_study_close(study);
    study_remove(path);
  }
}

int main(void) {
  study_begin_tests();
  RUN(several_builds);
  RUN(a_study_of_another_generation);
  RUN(a_learner_that_another_build_kept);
  return study_end_tests();
}
