/* Several processes at once: waiting in order, handles that share a study, and children that are forked. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "study.h"
#include "study_clock.h"
#include "study_support.h"

enum { CLIENTS = 8, ROUNDS = 12 };

static char path[500];

static void nap(void) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, NULL);
}

static scant_study *wait_and_open(scant_study_mode mode, double seconds, scant_status expected) {
  scant_study *study = NULL;
  const scant_study_wait wait = {seconds, NULL, NULL};
  said.text[0] = 0;
  scant_status status = scant_study_open_waiting(&study, path, mode, &wait, NULL, &said);
  if (!CHECK(status == expected)) printf("#   %d: %s\n", status, said.text);
  return study;
}

static void new_study(const char *name, const char *settings) {
  snprintf(path, sizeof path, "%s", study_path(name));
  scant_study_close(make_study(path, settings, 8, PRICED));
}

/* How many tickets were taken. */
static int64_t tickets(void) {
  char name[600];
  int64_t count = 0;
  snprintf(name, sizeof name, "%s-queue", path);
  FILE *file = fopen(name, "rb");
  if (file && fread(&count, sizeof count, 1, file) != 1) count = 0;
  if (file) fclose(file);
  return count;
}

/* A process that waits for the study, asks for one example, and ends with 0 if all went well.  It has its ticket when
 * this returns. */
static pid_t start_client(scant_study_mode mode, const char *example) {
  int64_t before = tickets();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    scant_study *study = NULL;
    const scant_study_order *o;
    const scant_study_wait wait = {250, NULL, NULL};
    scant_status status = scant_study_open_waiting(&study, path, mode, &wait, NULL, &said);
    if (status == SCANT_OK) status = scant_study_ask(study, example, &o, &said);
    scant_study_close(study);
    _exit(status == SCANT_OK ? 0 : 1);
  }
  while (tickets() == before) nap();
  return child;
}

static int ends_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the queue ----------------------------------------------------------------------- */

/* Those that wait are served in the order in which they came, whoever of them is killed. */
TEST(first_come_first_served) {
  new_study("queue", "algorithm=auto k=3");
  scant_study *holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  pid_t clients[CLIENTS];
  char name[8];
  study_clock = CLOCK_STILL; /* nobody overtakes one that is slow */
  for (int i = 0; i < CLIENTS; i++) {
    snprintf(name, sizeof name, "c%d", i);
    clients[i] = start_client(SCANT_STUDY_WRITE, name);
  }
  static const int killed[] = {0, 3, 4};
  for (size_t i = 0; i < sizeof killed / sizeof *killed; i++) {
    kill(clients[killed[i]], SIGKILL);
    waitpid(clients[killed[i]], NULL, 0);
  }
  /* whoever does not wait comes after them, though the study is free for a moment */
  CHECK(!wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_BUSY));
  CHECK_SAYS(said.text, "is being written to by another one: try again later");
  scant_study_close(holder);
  for (int i = 0; i < CLIENTS; i++)
    if (i != 0 && i != 3 && i != 4) CHECK(ends_well(clients[i]));
  study_clock = CLOCK_REAL;
  holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  static const char *const order[] = {"c1", "c2", "c5", "c6", "c7"};
  const scant_study_order *o;
  for (uint64_t i = 0; i < sizeof order / sizeof *order; i++) {
    GOOD(scant_study_order_at(holder, i + 1, &o, &said));
    CHECK(o && !strcmp(o->example, order[i]));
  }
  check_verified(holder);
  scant_study_close(holder);
  study_remove(path);
}

/* One that is first but stopped does not keep the others waiting for ever. */
TEST(one_that_is_stopped_is_overtaken) {
  new_study("stopped", "algorithm=auto k=3");
  scant_study *holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  pid_t stopped = start_client(SCANT_STUDY_WRITE, "late");
  kill(stopped, SIGSTOP);
  CHECK(waitpid(stopped, NULL, WUNTRACED) == stopped);
  scant_study_close(holder);
  scant_study_close(wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK));
  holder = wait_and_open(SCANT_STUDY_WRITE, 250, SCANT_OK);
  scant_study_close(holder);
  kill(stopped, SIGCONT);
  CHECK(ends_well(stopped));
  holder = wait_and_open(SCANT_STUDY_READ, 0, SCANT_OK);
  const scant_study_order *o;
  GOOD(scant_study_find(holder, "late", &o, &said));
  scant_study_close(holder);
  study_remove(path);
}

/* The queue may be removed, damaged, or impossible: whoever waits gets the lock all the same. */
TEST(a_queue_that_is_lost) {
  new_study("lost", "algorithm=auto k=3");
  char name[600];
  snprintf(name, sizeof name, "%s-queue", path);
  for (int how = 0; how < 4; how++) {
    scant_study *holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
    char example[2][16];
    for (int i = 0; i < 2; i++) snprintf(example[i], sizeof example[i], "e%d-%d", how, i);
    pid_t first = how < 3 ? start_client(SCANT_STUDY_WRITE, example[0]) : 0;
    if (how != 2) unlink(name);
    FILE *file = how == 1 || how == 2 ? fopen(name, "wb") : NULL;
    if (file) fputs(how == 1 ? "x" : "\xff\xff\xff\xff\xff\xff\xff\xff", file);
    if (file) fclose(file);
    if (how == 3) CHECK(symlink("nowhere", name) == 0);
    if (how == 3) CHECK(!wait_and_open(SCANT_STUDY_WRITE, .01, SCANT_BUSY));
    pid_t second = how < 3 ? start_client(SCANT_STUDY_SHARE, example[1]) : 0;
    scant_study_close(holder);
    if (first) CHECK(ends_well(first));
    if (second) CHECK(ends_well(second));
    if (how == 3) scant_study_close(wait_and_open(SCANT_STUDY_WRITE, 250, SCANT_OK));
  }
  scant_study *study = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  scant_study_status status;
  GOOD(scant_study_get_status(study, &status, &said));
  CHECK(status.orders == 6);
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

static int stops_after_three(void *user) {
  return ++*(int *)user == 3;
}

TEST(waiting_ends) {
  new_study("ends", "algorithm=auto k=3");
  scant_study *holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK), *other = NULL;
  const scant_study_order *o;
  study_clock = CLOCK_SLEEPS;
  CHECK(!wait_and_open(SCANT_STUDY_WRITE, .03, SCANT_BUSY));
  CHECK_SAYS(said.text, "is being written to by another one: waited 0.03 seconds; try again later");
  CHECK(!wait_and_open(SCANT_STUDY_WRITE, -1, SCANT_USAGE));
  CHECK(!wait_and_open(SCANT_STUDY_WRITE, NAN, SCANT_USAGE));
  CHECK_SAYS(said.text, "wait is a number of seconds, 0 or more");
  int calls = 0;
  const scant_study_wait wait = {INFINITY, stops_after_three, &calls};
  CHECK(scant_study_open_waiting(&other, path, SCANT_STUDY_WRITE, &wait, NULL, &said) == SCANT_BUSY && !other);
  CHECK(calls == 3);
  CHECK_SAYS(said.text, " seconds, and was told to stop");
  scant_study_close(wait_and_open(SCANT_STUDY_READ, 250, SCANT_OK)); /* who reads need not wait */
  scant_study_close(holder);
  /* a handle that shares the study waits in its calls */
  other = wait_and_open(SCANT_STUDY_SHARE, .03, SCANT_OK);
  holder = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  REFUSED(other, scant_study_ask(other, "e0", &o, &said), SCANT_BUSY, "waited 0.03 seconds");
  REFUSED(other, scant_study_replay(other, &said), SCANT_BUSY, "waited 0.03 seconds");
  scant_study_close(holder);
  GOOD(scant_study_ask(other, "e0", &o, &said));
  scant_study_close(other);
  study_clock = CLOCK_REAL;
  study_remove(path);
}

/* ---- many at once ---------------------------------------------------------------------- */

/* Each opens the study for every step, or shares it: nobody fails, nothing is lost. */
TEST(many_at_once) {
  new_study("many", "algorithm=auto k=3");
  fflush(stdout);
  pid_t clients[CLIENTS];
  for (int c = 0; c < CLIENTS; c++) {
    if ((clients[c] = fork())) continue;
    const scant_study_wait wait = {250, NULL, NULL};
    scant_study *study = NULL;
    scant_status status = SCANT_OK;
    for (int i = 0; i < ROUNDS && status == SCANT_OK; i++) {
      const scant_study_order *o;
      char example[16];
      snprintf(example, sizeof example, "%d-%d", c, i);
      if (!study)
        status =
            scant_study_open_waiting(&study, path, c % 2 ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE, &wait, NULL, &said);
      if (status == SCANT_OK) hurry(study);
      if (status == SCANT_OK) status = scant_study_ask(study, example, &o, &said);
      if (status == SCANT_OK) status = tell_all(study, o);
      if (c % 2 && i % 4) continue;
      scant_study_close(study);
      study = NULL;
    }
    if (status != SCANT_OK) printf("# client %d: %s\n", c, said.text);
    scant_study_close(study);
    fflush(stdout);
    _exit(status == SCANT_OK ? 0 : 1);
  }
  for (int c = 0; c < CLIENTS; c++) CHECK(ends_well(clients[c]));
  scant_study *study = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  scant_study_status status;
  GOOD(scant_study_get_status(study, &status, &said));
  CHECK(status.learned == CLIENTS * ROUNDS && status.orders == CLIENTS * ROUNDS);
  check_money(study);
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

/* ---- sharing --------------------------------------------------------------------------- */

TEST(an_open_handle_that_shares_blocks_nobody) {
  new_study("shared", "algorithm=auto k=3 max-open=2");
  scant_study *a = wait_and_open(SCANT_STUDY_SHARE, 0, SCANT_OK), *b = wait_and_open(SCANT_STUDY_SHARE, 0, SCANT_OK);
  const scant_study_order *o;
  scant_study_status status;
  GOOD(scant_study_ask(a, "e0", &o, &said));
  GOOD(scant_study_ask(b, "e1", &o, &said));
  REFUSED(a, scant_study_ask(a, "e2", &o, &said), SCANT_MISUSE, "2 orders are open already");
  GOOD(scant_study_find(b, "e0", &o, &said));
  GOOD(tell_all(b, o));
  GOOD(scant_study_ask(a, "e2", &o, &said)); /* it knows that one was learned */
  scant_study *writer = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  REFUSED(a, scant_study_ask(a, "e3", &o, &said), SCANT_BUSY, "try again later");
  scant_study_answer y = {"y", 3, 0};
  GOOD(scant_study_correct(writer, "e0", &y, 1, "a slip", &said));
  GOOD(scant_study_find(a, "e0", &o, &said)); /* reading goes on meanwhile */
  CHECK(o->y == 3);
  scant_study_close(writer);
  char *one = dump(a), *other = dump(b);
  CHECK(!strcmp(one, other));
  free(one);
  free(other);
  /* the learner is kept at the end, but not while another one writes */
  GOOD(scant_study_end_order(a, "e2", SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_get_status(b, &status, &said));
  writer = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  writer->kept = writer->tip.sequence; /* nor does that one */
  scant_study_close(a);
  scant_study_close(writer);
  writer = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  CHECK(writer->kept < status.events);
  writer->kept = writer->tip.sequence;
  scant_study_close(writer);
  scant_study_close(b);
  writer = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  CHECK(writer->kept == status.events);
  check_verified(writer);
  scant_study_close(writer);
  study_remove(path);
}

/* Settings and catalogue are read again when an event says that they have changed. */
TEST(a_catalogue_that_is_read_again) {
  new_study("again", "algorithm=auto k=3");
  scant_study *study = wait_and_open(SCANT_STUDY_SHARE, 0, SCANT_OK);
  const scant_study_order *o;
  GOOD(scant_study_ask(study, "e0", &o, &said));
  scant_study_answer answer = {"a0", 50, 0};
  execute(path, "UPDATE attribute SET high = 10; UPDATE setting SET value = 7 WHERE name = 'max-open'");
  GOOD(study_begin_turn(study, &said));
  GOOD(study_reread(study, &said));
  CHECK(study_end_turn(study, SCANT_OK) == SCANT_OK && study->lock.file < 0);
  CHECK(scant_study_settings(study)->learning.max_open == 7 && scant_study_attribute_at(study, 7)->high == 10);
  CHECK(scant_study_renewals(study) == 1);
  REFUSED(study, scant_study_tell(study, "e0", &answer, 1, &said), SCANT_DATA, "above its range up to 10");
  execute(path, "DELETE FROM setting WHERE name = 'target-name'"); /* what can't be read changes nothing */
  GOOD(study_seize(study, &said));
  CHECK(study_reread(study, &said) == SCANT_DATA && study->stale);
  CHECK(study_end_turn(study, SCANT_OK) == SCANT_OK);
  CHECK(scant_study_settings(study)->learning.max_open == 7 && !strcmp(scant_study_target(study), "y"));
  GOOD(scant_study_find(study, "e0", &o, &said));
  scant_study_close(study);
  study_remove(path);
}

/* ---- children ----------------------------------------------------------------------------- */

/* A child that sleeps does not keep the lock of its parent, which is killed; nor does it keep its parent's place in
 * the queue. */
TEST(a_child_does_not_keep_the_lock) {
  for (int waiting = 0; waiting < 2; waiting++) {
    new_study("orphan", "algorithm=auto k=3");
    scant_study *holder = waiting ? wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK) : NULL;
    int ready[2], go[2];
    char byte = 0, name[600];
    snprintf(name, sizeof name, "%s-queue", path);
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    fflush(stdout);
    pid_t parent = fork();
    if (parent == 0) {
      study_queue queue;
      close(go[1]); /* its child ends with this test at the latest */
      if (waiting) {
        if (study_queue_join(&queue, name) != 1) _exit(1);
      } else {
        open_study(path, SCANT_STUDY_WRITE);
      }
      if (fork() == 0) {
        if (write(ready[1], "x", 1) != 1) _exit(1);
        _exit(read(go[0], &byte, 1) != 1);
      }
      for (;;) pause();
    }
    CHECK(read(ready[0], &byte, 1) == 1); /* the child of the child is there */
    CHECK(study_queue_is_waiting(name) == waiting);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    if (waiting) {
      CHECK(!study_queue_is_waiting(name));
      scant_study_close(holder);
    } else {
      scant_study_close(wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK));
    }
    CHECK(write(go[1], "x", 1) == 1);
    for (int i = 0; i < 2; i++) {
      close(go[i]);
      close(ready[i]);
    }
    study_remove(path);
  }
}

/* A child that uses or closes its parent's handle changes nothing. */
TEST(a_child_that_uses_the_handle) {
  new_study("child", "algorithm=auto k=3");
  for (int shared = 0; shared < 2; shared++) {
    scant_study *study = wait_and_open(shared ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE, 0, SCANT_OK);
    const scant_study_order *o;
    char example[8];
    snprintf(example, sizeof example, "e%d", shared);
    GOOD(scant_study_ask(study, example, &o, &said));
    char *before = dump(study);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      scant_study_status status;
      scant_study_proof proof;
      const scant_study_event *e;
      uint64_t numbers[2][64];
      int good = scant_study_ask(study, "child", &o, &said) == SCANT_MISUSE &&
                 strstr(said.text, "opened by another process: each opens it for itself") &&
                 scant_study_get_status(study, &status, &said) == SCANT_MISUSE &&
                 scant_study_replay(study, &said) == SCANT_MISUSE &&
                 scant_study_verify(study, &proof, &said) == SCANT_MISUSE &&
                 scant_study_event_after(study, 0, &e, &said) == SCANT_MISUSE &&
                 scant_study_event_of(study, example, 0, &e, &said) == SCANT_MISUSE &&
                 scant_study_purchases(study, numbers[0], numbers[1], &said) == SCANT_MISUSE &&
                 scant_study_backup(study, study_path("copy"), &said) == SCANT_MISUSE;
      scant_study_close(study);
      _exit(!good);
    }
    CHECK(ends_well(child));
    check_unchanged(study, before, "by a child", __LINE__);
    if (!shared) CHECK(!wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_BUSY));
    scant_study_close(study);
  }
  scant_study *study = wait_and_open(SCANT_STUDY_WRITE, 0, SCANT_OK);
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  RUN(first_come_first_served);
  RUN(one_that_is_stopped_is_overtaken);
  RUN(a_queue_that_is_lost);
  RUN(waiting_ends);
  RUN(many_at_once);
  RUN(an_open_handle_that_shares_blocks_nobody);
  RUN(a_catalogue_that_is_read_again);
  RUN(a_child_does_not_keep_the_lock);
  RUN(a_child_that_uses_the_handle);
  return study_end_tests();
}
