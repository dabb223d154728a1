/* Requests that are done once, the last event of an example, who told a value, and announcements. */
#define _GNU_SOURCE /* memmem */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "study.h"
#include "study_clock.h"
#include "study_erase.h"

static const char digest[] = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef";

static scant_status remember(scant_study *study, const char *by, const char *key, const char *answer,
                             const char *example) {
  scant_study_request r = {by, key, digest, answer, NULL};
  return scant_study_remember(study, &r, &example, example ? 1 : 0, &said);
}

static const char *recall(scant_study *study, const char *by, const char *key) {
  const scant_study_request *r = NULL;
  GOOD(scant_study_recall(study, by, key, &r, &said));
  if (!r) return NULL;
  CHECK(!strcmp(r->by, by) && !strcmp(r->key, key) && !strcmp(r->digest, digest));
  CHECK(strlen(r->at) == 20 && r->at[10] == 'T' && r->at[19] == 'Z');
  return r->answer;
}

static int64_t count_rows(scant_study *study, const char *table) {
  char sql[80];
  int64_t number = -1;
  snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
  GOOD(study_read_number(study, sql, &number, &said));
  return number;
}

/* ---- requests --------------------------------------------------------------------------------- */

TEST(requests_are_kept_per_person) {
  const char *path = study_path("requests");
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  char longest[202];
  memset(longest, '~', 201);
  longest[201] = 0;
  CHECK(!recall(study, "anna", "1"));
  GOOD(remember(study, "anna", "1", "{\"a\": 1}", "x"));
  GOOD(remember(study, "berta", "1", "", NULL));
  CHECK(!strcmp(recall(study, "anna", "1"), "{\"a\": 1}") && !strcmp(recall(study, "berta", "1"), ""));
  CHECK(!recall(study, "anna", "2") && !recall(study, "carla", "1"));
  REFUSED(study, remember(study, "anna", "1", "{}", NULL), SCANT_MISUSE, "the request '1' was answered before");
  REFUSED(study, remember(study, "anna", longest, "{}", NULL), SCANT_USAGE, "1 to 200 printable characters");
  REFUSED(study, remember(study, "anna", "", "{}", NULL), SCANT_USAGE, "1 to 200 printable characters");
  REFUSED(study, remember(study, "anna", "a\tb", "{}", NULL), SCANT_USAGE, "1 to 200 printable characters");
  REFUSED(study, remember(study, "anna", "\xc3\xa9", "{}", NULL), SCANT_USAGE, "1 to 200 printable characters");
  REFUSED(study, remember(study, "", "k", "{}", NULL), SCANT_DATA, "the name of whose request it is");
  REFUSED(study, remember(study, "anna", "k", "\xff", NULL), SCANT_USAGE, "a text in UTF-8");
  REFUSED(study, remember(study, "anna", "k", "{}", " x"), SCANT_DATA, "");
  scant_study_request bad = {"anna", "k", "12", "{}", NULL};
  REFUSED(study, scant_study_remember(study, &bad, NULL, 0, &said), SCANT_USAGE, "64 hexadecimal digits");
  GOOD(remember(study, "anna", longest + 1, "{}", NULL));
  check_verified(study);
  char *before = dump(study);
  GOOD(scant_study_replay(study, &said)); /* leaves them alone */
  check_unchanged(study, before, "replayed", __LINE__);
  scant_study *reader = open_dense(path, SCANT_STUDY_READ);
  CHECK(!strcmp(recall(reader, "anna", "1"), "{\"a\": 1}"));
  CHECK(remember(reader, "anna", "3", "{}", NULL) == SCANT_MISUSE);
  scant_study_close(reader);
  scant_study_close(study);
  study_remove(path);
}

/* What was done and its answer are there together, or neither is. */
TEST(requests_go_with_what_was_done) {
  const char *path = study_path("together");
  const scant_study_order *o;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  uint64_t last;
  for (int i = 0; i < 2; i++) {
    GOOD(scant_study_begin(study, &said));
    GOOD(scant_study_ask(study, "x", &o, &said));
    GOOD(remember(study, "anna", "1", "done", "x"));
    CHECK(!strcmp(recall(study, "anna", "1"), "done"));
    if (i)
      GOOD(scant_study_commit(study, &said));
    else
      scant_study_roll_back(study);
    GOOD(scant_study_last_event(study, "x", &last, &said));
    CHECK(last == (i ? 2 : 0) && !recall(study, "anna", "1") == !i);
  }
  scant_study_close(study);
  study_remove(path);
}

TEST(requests_are_forgotten) {
  const char *path = study_path("forgotten");
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  uint64_t count;
  for (int i = 0; i < 6; i++) {
    char key[8], sql[100];
    snprintf(key, sizeof key, "%d", i);
    GOOD(remember(study, "anna", key, "{}", "x"));
    snprintf(sql, sizeof sql, "UPDATE request SET at = '2026-10-0%dT12:00:00Z' WHERE key = '%d'", i + 1, i);
    CHECK(sqlite3_exec(study->db, sql, NULL, NULL, NULL) == SQLITE_OK);
  }
  static const char *const bad[] = {"",          "2026", "2026-10-4", "2026-10-04T12:00:00", "2026-10-04T12:00:00+",
                                    "yesterday!"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    REFUSED(study, scant_study_forget_requests(study, bad[i], &count, &said), SCANT_USAGE, "such as 2026-11-15");
  GOOD(scant_study_forget_requests(study, "2026-10-01", &count, &said));
  CHECK(count == 0 && count_rows(study, "request") == 6);
  GOOD(scant_study_forget_requests(study, "2026-10-03T12:00:00Z", &count, &said));
  CHECK(count == 2 && count_rows(study, "request") == 4 && count_rows(study, "request_example") == 4);
  CHECK(!recall(study, "anna", "1") && recall(study, "anna", "2"));
  GOOD(scant_study_forget_requests(study, "2026-10-06", NULL, &said));
  CHECK(count_rows(study, "request") == 1 && count_rows(study, "request_example") == 1);
  GOOD(remember(study, "anna", "1", "{}", NULL)); /* a key that was forgotten is a new one */
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

/* The answers to a person's requests, and to those of others that name the person, leave no byte. */
TEST(requests_are_erased) {
  const char *path = study_path("erased"), *examples[2] = {"e1", NAME};
  char answer[200];
  size_t values, names;
  planted_count = 0;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  import_planted(study);
  learn_many(study, 0, 4);
  snprintf(answer, sizeof answer, "{\"example\": \"%s\", \"a1\": %.17g}", NAME, planted[0]);
  scant_study_request r = {"anna", "both", digest, answer, NULL};
  GOOD(scant_study_remember(study, &r, examples, 2, &said));
  GOOD(remember(study, "anna", "one", answer, NAME));
  GOOD(remember(study, "anna", "other", "{\"example\": \"e1\"}", "e1"));
  search(&values, &names);
  CHECK(values && names);
  GOOD(scant_study_erase(study, NAME, "withdrew", NULL, &said));
  check_gone("requests");
  CHECK(!recall(study, "anna", "both") && !recall(study, "anna", "one") && recall(study, "anna", "other"));
  CHECK(count_rows(study, "request_example") == 1);
  GOOD(remember(study, "anna", "erase", "{}", NULL)); /* the request that erased it */
  check_verified(study);
  scant_study_close(study);
  check_gone("closed");
  study_remove(path);
}

/* Frozen copies have none, not even in their bytes; backups have all. */
TEST(copies_of_requests) {
  const char *path = study_path("copied"), *frozen = study_path("frozen"), *backup = study_path("backup");
  char text[600];
  scant_study_frozen f;
  size_t values, names;
  planted_count = 0;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  learn_many(study, 0, 3);
  GOOD(remember(study, "anna", "one", "an answer to " NAME, NAME));
  GOOD(scant_study_backup(study, backup, &said));
  GOOD(scant_study_freeze(study, "v1", frozen, &f, &said));
  values = names = 0;
  search_file(frozen, &values, &names);
  CHECK(!names);
  search_file(backup, &values, &names);
  CHECK(names);
  scant_study *copy = open_dense(frozen, SCANT_STUDY_READ);
  CHECK(!recall(copy, "anna", "one") && count_rows(copy, "request_example") == 0);
  check_verified(copy);
  GOOD(scant_study_check_frozen(copy, &f, &said));
  scant_study_close(copy);
  copy = open_dense(backup, SCANT_STUDY_READ);
  CHECK(!strcmp(recall(copy, "anna", "one"), "an answer to " NAME));
  scant_study_close(copy);
  CHECK(!strcmp(recall(study, "anna", "one"), "an answer to " NAME));
  scant_study_close(study);
  snprintf(text, sizeof text, "%s.txt", frozen);
  unlink(text);
  study_remove(path);
  study_remove(frozen);
  study_remove(backup);
}

/* ---- the last event, and who told a value --------------------------------------------------------- */

enum { PEOPLE = 6 };

/* The same by a walk over the whole ledger. */
static void walk(scant_study *study, const char *example, uint64_t *last, char tellers[D + 1][20]) {
  const scant_study_event *e;
  *last = 0;
  for (int i = 0; i <= D; i++) tellers[i][0] = 0;
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) return;
    if (!e->example || strcmp(e->example, example) != 0) continue;
    *last = e->sequence;
    if (e->kind == SCANT_EVENT_ASK) /* a new order: nothing is told of it yet */
      for (int i = 0; i <= D; i++) tellers[i][0] = 0;
    if (e->kind != SCANT_EVENT_TELL && e->kind != SCANT_EVENT_CORRECT && e->kind != SCANT_EVENT_EXTRA &&
        e->kind != SCANT_EVENT_IMPORT)
      continue;
    for (size_t i = 0; i < e->count; i++)
      snprintf(tellers[e->told[i].attribute < 0 ? D : e->told[i].attribute], sizeof tellers[0], "%s", e->by);
  }
}

static void check_history(scant_study *study, size_t *told) {
  for (int i = 0; i <= PEOPLE; i++) {
    char name[20], tellers[D + 1][20];
    uint64_t last, wanted;
    snprintf(name, sizeof name, "p%d", i); /* of the last nothing is known */
    walk(study, name, &wanted, tellers);
    GOOD(scant_study_last_event(study, name, &last, &said));
    if (!CHECK(last == wanted)) printf("#   %s: %d for %d\n", name, (int)last, (int)wanted);
    for (int j = 0; j <= D; j++) {
      const char *by;
      GOOD(scant_study_teller(study, name, j < D ? study->catalogue[j].name : "y", &by, &said));
      if (!CHECK(!strcmp(by ? by : "", tellers[j]))) printf("#   %s, %d: %s for %s\n", name, j, by, tellers[j]);
      *told += by != NULL;
    }
  }
}

static void act(scant_study *study) {
  static const char *const people[] = {"anna", "berta", "carla"};
  char name[20];
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  scant_study_comparison compared;
  size_t count = 0, dice = test_below(9);
  snprintf(name, sizeof name, "p%zu", test_below(PEOPLE));
  GOOD(scant_study_sign(study, people[test_below(3)], "a test", &said));
  for (size_t i = 0; i < D; i++)
    if (test_below(2)) answers[count++] = (scant_study_answer){.name = study->catalogue[i].name, .value = test_value()};
  answers[count++] = (scant_study_answer){.name = "y", .value = test_value()};
  if (dice < 2) scant_study_ask(study, name, &o, &said);
  if (dice == 2) scant_study_import(study, name, answers, count, &said);
  if (dice == 3 && scant_study_find(study, name, &o, NULL) == SCANT_OK) tell_all(study, o);
  if (dice == 4 && scant_study_find(study, name, &o, NULL) == SCANT_OK && o->count) {
    scant_study_answer one = {.name = study->catalogue[o->lines[0].attribute].name, .missing = 1};
    scant_study_tell(study, name, &one, 1, &said);
  }
  if (dice == 5) scant_study_correct(study, name, &answers[test_below(count)], 1, "a slip", &said);
  if (dice == 6) scant_study_tell_extra(study, name, &answers[0], 1, "it was there", NULL, &said);
  if (dice == 7) scant_study_end_order(study, name, (scant_study_end)test_below(3), "because", &said);
  if (dice == 8) scant_study_tell_second(study, name, &answers[count - 1], 1, &compared, &said);
}

TEST(the_last_event_and_the_teller) {
  const char *path = study_path("history");
  size_t told = 0;
  for (int seed = 1; seed <= 4; seed++) {
    test_state = 0x9e3779b97f4a7c15u * (uint64_t)seed;
    scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
    hurry(study);
    scant_study *reader = open_dense(path, SCANT_STUDY_READ);
    for (int i = 0; i < 90; i++) {
      act(study);
      if (i % 9 == 8) check_history(study, &told);
    }
    check_history(reader, &told);
    scant_study_erase(study, "p1", "withdrew", NULL, &said);
    check_history(reader, &told);
    scant_study_close(reader);
    scant_study_close(study);
  }
  scant_study *study = open_dense(path, SCANT_STUDY_WRITE);
  const char *by = "";
  uint64_t last;
  REFUSED(study, scant_study_teller(study, "p0", "nothing", &by, &said), SCANT_DATA, "there is no attribute 'nothing'");
  REFUSED(study, scant_study_last_event(study, "", &last, &said), SCANT_DATA, "");
  CHECK(told > 200);
  scant_study_close(study);
  study_remove(path);
}

/* What was told of an order that was cancelled is no value of the order that came after it. */
TEST(the_teller_of_an_order_before) {
  const char *path = study_path("before"), *by = NULL;
  const scant_study_order *o;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  GOOD(scant_study_sign(study, "anna", NULL, &said));
  GOOD(scant_study_ask(study, "x", &o, &said));
  uint32_t place = 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) place++, i = (size_t)-1; /* one that was not ordered */
  scant_study_answer extra = {.name = study->catalogue[place].name, .value = 1};
  GOOD(scant_study_tell_extra(study, "x", &extra, 1, "it was there", NULL, &said));
  GOOD(scant_study_teller(study, "x", extra.name, &by, &said));
  CHECK(by && !strcmp(by, "anna"));
  GOOD(scant_study_end_order(study, "x", SCANT_END_CANCEL, NULL, &said));
  GOOD(scant_study_ask(study, "x", &o, &said));
  CHECK(o->number == 2);
  GOOD(scant_study_teller(study, "x", extra.name, &by, &said));
  CHECK(!by);
  scant_study_close(study);
  study_remove(path);
}

/* An index that does not fit the ledger is noticed. */
TEST(a_damaged_index) {
  const char *path = study_path("damaged");
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN);
  const scant_study_event *e;
  learn_many(study, 0, 2);
  scant_study_close(study);
  execute(path,
          "PRAGMA writable_schema = ON; CREATE TABLE away AS SELECT * FROM sqlite_schema WHERE name = "
          "'ledger_of_example'; DELETE FROM sqlite_schema WHERE name = 'ledger_of_example'");
  execute(path, "UPDATE ledger SET example = 'e9' WHERE sequence = 2"); /* behind the back of the index */
  execute(path, "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM away");
  execute(path, "DROP TABLE away");
  study = open_dense(path, SCANT_STUDY_READ);
  CHECK(scant_study_event_of(study, "e0", 0, &e, &said) == SCANT_DATA && !e);
  CHECK_SAYS(said.text, "event 2 is listed with an example that is not its");
  GOOD(scant_study_event_of(study, "e0", 2, &e, &said));
  CHECK(e && e->sequence == 3);
  scant_study_proof proof;
  CHECK(scant_study_verify(study, &proof, &said) == SCANT_DATA);
  scant_study_close(study);
  study_remove(path);
}

/* ---- announcements --------------------------------------------------------------------------------- */

static const char address[] = "http://127.0.0.1:8765/";

static const char *service_of(const char *path) {
  static char where[500];
  GOOD(scant_study_find_service(path, where, sizeof where, &said));
  return where;
}

static int64_t lock_size(const char *path) {
  char name[600];
  struct stat facts;
  snprintf(name, sizeof name, "%s-lock", path);
  return stat(name, &facts) == 0 ? (int64_t)facts.st_size : -1;
}

TEST(announcements) {
  const char *path = study_path("served"), *link = study_path("link");
  char small[5], sentence[700];
  const scant_study_order *o;
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN), *other = NULL;
  CHECK(!strcmp(service_of(path), ""));
  CHECK(scant_study_open(&other, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY);
  CHECK_SAYS(said.text, "is being written to by another one: try again later");
  GOOD(scant_study_announce(study, "https://a.long.name.example.org/that/is/cut/later/", &said));
  GOOD(scant_study_announce(study, address, &said));
  CHECK(!strcmp(service_of(path), address));
  CHECK(symlink(path, link) == 0 && !strcmp(service_of(link), address));
  unlink(link);
  snprintf(sentence, sizeof sentence, "'%s' is being served at %s: use that address, or end the service", path,
           address);
  CHECK(scant_study_open(&other, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY && !strcmp(said.text, sentence));
  scant_study_wait wait = {.seconds = .05};
  study_clock = CLOCK_SLEEPS;
  CHECK(scant_study_open_waiting(&other, path, SCANT_STUDY_SHARE, &wait, NULL, &said) == SCANT_BUSY);
  CHECK_SAYS(said.text, "or end the service (waited 0.05 seconds)");
  study_clock = CLOCK_REAL;
  CHECK(scant_study_find_service(path, small, sizeof small, &said) == SCANT_USAGE);
  CHECK(scant_study_find_service(study_path("none"), small, sizeof small, &said) == SCANT_NO_INPUT);
  scant_study *reader = open_dense(path, SCANT_STUDY_READ);
  CHECK(scant_study_announce(reader, address, &said) == SCANT_MISUSE);
  scant_study_close(reader);
  CHECK(scant_study_announce(study, "", &said) == SCANT_USAGE &&
        scant_study_announce(study, "a\nb", &said) == SCANT_USAGE);
  CHECK(!strcmp(service_of(path), address));
  GOOD(scant_study_announce(study, NULL, &said));
  CHECK(!strcmp(service_of(path), "") && lock_size(path) == 0);
  GOOD(scant_study_announce(study, address, &said));
  GOOD(scant_study_ask(study, "x", &o, &said));
  scant_study_close(study);
  CHECK(!strcmp(service_of(path), "") && lock_size(path) == 0);
  study = open_dense(path, SCANT_STUDY_SHARE);
  CHECK(scant_study_announce(study, address, &said) == SCANT_MISUSE);
  scant_study_close(study);
  study_remove(path);
}

/* What a process that was killed has announced does not count, and the next one that writes removes it. */
TEST(announcements_of_the_dead) {
  const char *path = study_path("dead");
  const scant_study_order *o;
  for (int shared = 0; shared < 2; shared++) {
    scant_study_close(make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN));
    fflush(stdout);
    pid_t id = fork();
    if (id == 0) {
      scant_study *mine = open_dense(path, SCANT_STUDY_WRITE);
      if (scant_study_announce(mine, address, NULL) == SCANT_OK) kill(getpid(), SIGKILL);
      _exit(1);
    }
    int status = 0;
    waitpid(id, &status, 0);
    CHECK(WIFSIGNALED(status) && lock_size(path) == (int64_t)strlen(address));
    CHECK(!strcmp(service_of(path), ""));
    scant_study *study = open_dense(path, shared ? SCANT_STUDY_SHARE : SCANT_STUDY_WRITE);
    CHECK(lock_size(path) == 0 && !strcmp(service_of(path), ""));
    GOOD(scant_study_ask(study, "x", &o, &said));
    scant_study *other = NULL;
    if (!shared) {
      CHECK(scant_study_open(&other, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY);
      CHECK_SAYS(said.text, "is being written to by another one");
    }
    scant_study_close(study);
    study_remove(path);
  }
}

/* Somebody who only looks where a study is served never keeps one from writing, though what was left behind makes it
 * try the lock. */
TEST(looking_keeps_nobody_from_writing) {
  const char *path = study_path("looked");
  char name[600];
  scant_study_close(make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN));
  snprintf(name, sizeof name, "%s-lock", path);
  fflush(stdout);
  pid_t id = fork();
  if (id == 0) {
    for (;;) service_of(path);
  }
  for (int i = 0; i < 200; i++) {
    int file = open(name, O_WRONLY);
    CHECK(write(file, address, strlen(address)) == (ssize_t)strlen(address));
    close(file);
    scant_study *study = NULL;
    if (!CHECK(scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_OK))
      printf("#   %s\n", said.text);
    scant_study_close(study);
  }
  kill(id, SIGKILL);
  waitpid(id, NULL, 0);
  study_remove(path);
}

/* A lock file that holds anything else is no announcement. */
TEST(foreign_lock_files) {
  static const char *const texts[] = {"\x01\x02", "a\nb", "\xff\xfe", ""};
  const char *path = study_path("foreign");
  scant_study *study = make_dense(path, "algorithm=auto k=3 seed=1", D, PLAIN), *other = NULL;
  char name[600];
  snprintf(name, sizeof name, "%s-lock", path);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    int file = open(name, O_WRONLY | O_TRUNC);
    CHECK(write(file, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]));
    close(file);
    CHECK(!strcmp(service_of(path), ""));
    CHECK(scant_study_open(&other, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_BUSY);
    CHECK_SAYS(said.text, "is being written to by another one");
  }
  scant_study_close(study);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  RUN(requests_are_kept_per_person);
  RUN(requests_go_with_what_was_done);
  RUN(requests_are_forgotten);
  RUN(requests_are_erased);
  RUN(copies_of_requests);
  RUN(the_last_event_and_the_teller);
  RUN(the_teller_of_an_order_before);
  RUN(a_damaged_index);
  RUN(announcements);
  RUN(announcements_of_the_dead);
  RUN(looking_keeps_nobody_from_writing);
  RUN(foreign_lock_files);
  return study_end_tests();
}
