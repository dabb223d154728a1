/* kill -9 at random moments in a loop of asks and tells: every acknowledged step is there exactly once, money adds up
 * and stays below the budget, and the proof goes through.  SCANT_STUDY_KILLS says how often (100). */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "study_support.h"

enum { D = 12, A_STUDY = 25, MOST = 100000 };
static const char settings_text[] = "algorithm=auto k=4 seed=11 budget-cost=9000 max-open=5";

static char path[500];

/* What is done with an example, in this order; some are cancelled instead of told. */
typedef enum { NOTHING, ASKED, HALF, WHOLE, ENDED } stage;
typedef struct {
  uint32_t example, stage;
} ack;

static unsigned char reached[MOST]; /* the last stage that was acknowledged */
static uint32_t examples;           /* acknowledged at all, plus one */

static int is_cancelled(uint32_t example) {
  return example % 5 == 4;
}

static void acknowledge(int to, uint32_t example, stage s) {
  ack message = {example, s};
  if (write(to, &message, sizeof message) != (ssize_t)sizeof message) _exit(3);
}

static scant_status tell_from(scant_study *study, const char *example, size_t first, size_t end, int y) {
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  size_t count = 0;
  if (scant_study_find(study, example, &o, &said) != SCANT_OK) return SCANT_DATA;
  if (end > o->count) end = o->count;
  for (size_t i = first; i < end; i++)
    answers[count++] =
        (scant_study_answer){study->catalogue[o->lines[i].attribute].name, (double)(o->number * 7 % 11) - (double)i, 0};
  if (y) answers[count++] = (scant_study_answer){"y", (double)(o->number % 13), 0};
  return scant_study_tell(study, example, answers, count, &said);
}

/* Goes on with an example from wherever it stands: what was done is done again, which must change nothing. */
static void go_on(scant_study *study, int to, uint32_t n) {
  const scant_study_order *o;
  char example[20];
  snprintf(example, sizeof example, "p%u", n);
  scant_status status = scant_study_ask(study, example, &o, &said);
  if (is_cancelled(n) && status == SCANT_MISUSE) return; /* ended */
  if (status == SCANT_SPENT) _exit(7);
  if (status != SCANT_OK) _exit(4);
  acknowledge(to, n, ASKED);
  if (is_cancelled(n)) {
    if (scant_study_end_order(study, example, n % 2 ? SCANT_END_FAIL : SCANT_END_EXPIRE, "gone", &said) != SCANT_OK)
      _exit(5);
    acknowledge(to, n, ENDED);
    return;
  }
  if (tell_from(study, example, 0, 2, 0) != SCANT_OK) _exit(6);
  acknowledge(to, n, HALF);
  if (tell_from(study, example, 0, D, 1) != SCANT_OK) _exit(8);
  acknowledge(to, n, WHOLE);
}

/* Several are open at a time: those that were not finished come first. */
static void work(int to) {
  scant_study *study = NULL;
  const scant_study_order *o;
  if (scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) != SCANT_OK) _exit(2);
  study->keep_every = 40;
  uint32_t next = 0;
  for (uint64_t number = 1;; number++) {
    if (scant_study_order_at(study, number, &o, &said) != SCANT_OK) _exit(9);
    if (!o) break;
    uint32_t n = (uint32_t)strtoul(o->example + 1, NULL, 10);
    if (o->state <= SCANT_ORDER_TOLD) go_on(study, to, n);
    if (n >= next) next = n + 1;
  }
  for (;; next++) go_on(study, to, next);
}

static void note(const ack *a) {
  if (!CHECK(a->example < MOST)) exit(1);
  if (a->stage > reached[a->example]) reached[a->example] = (unsigned char)a->stage;
  if (a->example >= examples) examples = a->example + 1;
}

/* Every event once, and no example behind what was acknowledged. */
static void check_all(int prove) {
  static unsigned char asked[MOST], ended[MOST], learned[MOST];
  memset(asked, 0, sizeof asked);
  memset(ended, 0, sizeof ended);
  memset(learned, 0, sizeof learned);
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  const scant_study_event *e;
  for (uint64_t after = 0;; after = e->sequence) {
    GOOD(scant_study_event_after(study, after, &e, &said));
    if (!e) break;
    CHECK(e->sequence == after + 1);
    if (!e->example) continue;
    uint32_t n = (uint32_t)strtoul(e->example + 1, NULL, 10);
    asked[n] = (unsigned char)(asked[n] + (e->kind == SCANT_EVENT_ASK));
    ended[n] = (unsigned char)(ended[n] + (e->kind == SCANT_EVENT_EXPIRE || e->kind == SCANT_EVENT_FAIL));
    learned[n] = (unsigned char)(learned[n] + e->learned);
    CHECK(asked[n] <= 1 && ended[n] <= 1 && learned[n] <= 1);
  }
  for (uint32_t n = 0; n < examples; n++) {
    if (reached[n] == NOTHING) continue;
    const scant_study_order *o = NULL;
    char example[20];
    snprintf(example, sizeof example, "p%u", n);
    GOOD(scant_study_find(study, example, &o, &said));
    if (!CHECK(o != NULL && asked[n] == 1)) continue;
    size_t told = 0;
    for (size_t i = 0; i < o->count; i++) told += o->lines[i].state != SCANT_LINE_ORDERED;
    if (reached[n] == HALF) CHECK(told >= 2 || told == o->count);
    if (reached[n] == WHOLE) CHECK(o->state == SCANT_ORDER_LEARNED && learned[n] == 1);
    if (reached[n] == ENDED)
      CHECK((o->state == SCANT_ORDER_EXPIRED || o->state == SCANT_ORDER_FAILED) && ended[n] == 1);
  }
  check_money(study);
  if (prove) check_verified(study);
  scant_study_close(study);
}

/* Until the child has acknowledged so many and a moment more; the rest of what it wrote is read when it is dead. */
static int kill_once(void) {
  int ends[2], got = 0, wait_for = (int)test_below(12);
  ack message;
  if (!CHECK(pipe(ends) == 0)) return 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  while (got < wait_for && read(ends[0], &message, sizeof message) == (ssize_t)sizeof message) note(&message), got++;
  struct timespec moment = {0, (long)test_below(got ? 2500000 : 8000000)};
  nanosleep(&moment, NULL);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  while (read(ends[0], &message, sizeof message) == (ssize_t)sizeof message) note(&message), got++;
  close(ends[0]);
  if (!CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 7))
    printf("#   it ended by itself: %d\n", WEXITSTATUS(status));
  return got;
}

static int kills = 100;

TEST(killed) {
  int acknowledged = 0;
  for (int i = 0; i < kills; i++) {
    if (i % A_STUDY == 0) {
      memset(reached, 0, sizeof reached);
      examples = 0;
      scant_study_close(make_study(path, settings_text, D, PRICED));
    }
    acknowledged += kill_once();
    int last = i % A_STUDY == A_STUDY - 1 || i + 1 == kills;
    /* now and then the next one finds it as it was left */
    if (last || i % 3) check_all(last || i % 5 == 0);
    if (check_failures) break;
  }
  printf("# %d kills, %d steps acknowledged\n", kills, acknowledged);
  CHECK(acknowledged > kills);
  study_remove(path);
}

int main(void) {
  const char *wanted = getenv("SCANT_STUDY_KILLS");
  if (wanted) kills = atoi(wanted);
  study_begin_tests();
  test_state = (uint64_t)getpid() * 0x9e3779b97f4a7c15u | 1; /* another time, other moments */
  snprintf(path, sizeof path, "%s", study_path("killed"));
  RUN(killed);
  return study_end_tests();
}
