/* kill -9 at random moments within groups of calls: a group is there as a whole or not at all, those that were
 * acknowledged are there, with the answers to their requests, and the proof goes through.  SCANT_STUDY_KILLS says how
 * often (60). */
#include "study_killing.h"

enum { D = 8, IN_GROUP = 5, A_STUDY = 20, MOST = 20000 };
static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
static char path[500];
static uint32_t acknowledged, begun; /* groups; the next one that the child does */

/* Group n: some are asked, some of them told; one is tried inside and taken back; the request is remembered. */
static void do_group(scant_study *study, uint32_t n) {
  char names[IN_GROUP][24], key[24];
  const char *examples[IN_GROUP];
  const scant_study_order *o;
  GOOD(scant_study_begin(study, &said));
  for (int i = 0; i < IN_GROUP; i++) {
    snprintf(names[i], sizeof names[i], "g%u-%d", n, i);
    examples[i] = names[i];
    GOOD(scant_study_ask(study, names[i], &o, &said));
    if (i % 2) GOOD(tell_all(study, o));
  }
  GOOD(scant_study_begin(study, &said));
  GOOD(scant_study_ask(study, "nobody", &o, &said));
  scant_study_roll_back(study);
  CHECK(scant_study_ask(study, " bad", &o, &said) != SCANT_OK);
  snprintf(key, sizeof key, "g%u", n);
  GOOD(scant_study_remember(study, &(scant_study_request){"anna", key, digest, key, NULL}, examples, IN_GROUP, &said));
  GOOD(scant_study_commit(study, &said));
}

static void child(int to) {
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  study->keep_every = 40;
  sqlite3_exec(study->db, "PRAGMA wal_autocheckpoint = 20; PRAGMA cache_size = 10", NULL, NULL, NULL);
  for (uint32_t n = begun; n < MOST; n++) {
    do_group(study, n);
    acknowledge(to, n, 1);
  }
  _exit(check_failures != 0);
}

static void note(const ack *message) {
  CHECK(message->example == acknowledged); /* in order */
  acknowledged = message->example + 1;
}

/* How much of group n is there: events of its examples, and its request. */
static void check_group(scant_study *study, uint32_t n, int *there) {
  char name[24];
  uint64_t sequence;
  int known = 0;
  const scant_study_request *request;
  for (int i = 0; i < IN_GROUP; i++) {
    snprintf(name, sizeof name, "g%u-%d", n, i);
    GOOD(scant_study_last_event(study, name, &sequence, &said));
    const scant_study_order *o;
    if (!sequence) continue;
    known++;
    GOOD(scant_study_find(study, name, &o, &said));
    CHECK(o && o->state == (i % 2 ? SCANT_ORDER_LEARNED : SCANT_ORDER_ISSUED));
  }
  snprintf(name, sizeof name, "g%u", n);
  GOOD(scant_study_recall(study, "anna", name, &request, &said));
  if (!CHECK((known == 0 && !request) || (known == IN_GROUP && request && !strcmp(request->answer, name))))
    printf("#   group %u: %d examples, %s\n", n, known, request ? "remembered" : "not remembered");
  *there = known > 0;
}

TEST(groups_are_whole) {
  int kills = begin_killing(60), twice = 0;
  for (int i = 0; i < kills && check_failures < 10; i++) {
    if (i % A_STUDY == 0) {
      study_remove(path);
      scant_study_close(make_study(path, "algorithm=auto k=3 seed=3 max-open=100000", D, PRICED));
      acknowledged = begun = 0;
    }
    int code = 0, there;
    uint32_t first = begun;
    kill_once(child, note, 1 + (int)test_below(6), 3000000, &code);
    CHECK(code <= 0);
    scant_study *study = open_study(path, SCANT_STUDY_WRITE);
    uint64_t nobody;
    GOOD(scant_study_last_event(study, "nobody", &nobody, &said));
    CHECK(nobody == 0);
    begun = acknowledged;
    for (uint32_t n = first; n <= acknowledged; n++) {
      check_group(study, n, &there);
      CHECK(there || n == acknowledged); /* the one after the last may be there, though nobody was told */
      if (there && n == acknowledged) begun = acknowledged + 1, twice++;
    }
    acknowledged = begun;
    check_group(study, begun, &there);
    CHECK(!there);
    if (i % 5 == 0 || i % A_STUDY == A_STUDY - 1) check_verified(study);
    check_money(study);
    scant_study_close(study);
  }
  printf("# %d kills, %d groups were there before anybody was told\n", kills, twice);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  snprintf(path, sizeof path, "%s", study_path("killed"));
  RUN(groups_are_whole);
  return study_end_tests();
}
