#define _DEFAULT_SOURCE /* anonymous maps */
/* Files with flipped bits: whatever a file says, every call comes back, with what it was asked for or a sentence.  A
 * child does it, so that one that runs for ever or crashes is told from the others. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "study_support.h"

enum { EXAMPLES = 12, D = 7, STEPS_MOST = 10000, SECONDS_MOST = 20 };
#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 1009 };
#else
enum { STRIDE = 127 };
#endif

static char whole[500], damaged[500];
static unsigned char *bytes; /* of the whole file */
static size_t length, page_size;

static void make_whole(void) {
  const scant_study_order *o;
  snprintf(whole, sizeof whole, "%s", study_path("whole"));
  snprintf(damaged, sizeof damaged, "%s", study_path("damaged"));
  test_state = 7;
  scant_study *study = make_study(whole, "algorithm=auto k=3 seed=5", D, PRICED);
  hurry(study);
  for (int n = 0; n < EXAMPLES; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    GOOD(scant_study_ask(study, example, &o, &said));
    if (n < EXAMPLES - 2) GOOD(tell_all(study, o));
  }
  for (int n = 0; n < 6; n++) {
    char example[20];
    scant_study_answer past[2] = {{"a1", 0.5 * n, 0}, {"y", 1.5, 0}};
    snprintf(example, sizeof example, "old %d", n);
    GOOD(scant_study_import(study, example, past, 2, &said));
  }
  scant_study_close(study);
  FILE *file = fopen(whole, "rb");
  if (!CHECK(file && fseek(file, 0, SEEK_END) == 0)) exit(1);
  length = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(length);
  CHECK(bytes && fread(bytes, 1, length, file) == length);
  fclose(file);
  page_size = (size_t)bytes[16] << 8 | bytes[17];
  CHECK(page_size >= 512 && length % page_size == 0);
}

/* ---- what is done with a damaged file ---------------------------------------------- */

typedef enum { COMES_BACK, TOO_MANY_STEPS, SAYS_NOTHING } verdict;

/* Each is given an open study and a sentence to fill. */
static scant_status walk_events(scant_study *study, size_t *steps, scant_error *error) {
  const scant_study_event *e;
  for (uint64_t after = 0; *steps < STEPS_MOST; after = e->sequence, ++*steps) {
    scant_status status = scant_study_event_after(study, after, &e, error);
    if (status != SCANT_OK || !e) return status;
  }
  return SCANT_OK;
}

static scant_status walk_orders(scant_study *study, size_t *steps, scant_error *error) {
  const scant_study_order *o;
  for (uint64_t number = 1; *steps < STEPS_MOST; number++, ++*steps) {
    scant_status status = scant_study_order_at(study, number, &o, error);
    if (status != SCANT_OK || !o) return status;
  }
  return SCANT_OK;
}

static scant_status ask_status(scant_study *study, size_t *steps, scant_error *error) {
  scant_study_status t;
  uint64_t bought[D], money[D];
  scant_status status = scant_study_get_status(study, &t, error);
  (void)steps;
  return status == SCANT_OK ? scant_study_purchases(study, bought, money, error) : status;
}

static scant_status make_model(scant_study *study, size_t *steps, scant_error *error) {
  scant_model *model = NULL;
  scant_status status = scant_study_model(study, &model, error);
  scant_model_free(model);
  (void)steps;
  return status;
}

/* There is no engine here, so it is refused at last: what comes before is what counts. */
static scant_status predict(scant_study *study, size_t *steps, scant_error *error) {
  scant_prediction p;
  (void)steps;
  return scant_study_predict(study, NULL, 0, 0.9, &p, error);
}

static scant_status verify(scant_study *study, size_t *steps, scant_error *error) {
  scant_study_proof proof;
  (void)steps;
  return scant_study_verify(study, &proof, error);
}

typedef scant_status use(scant_study *study, size_t *steps, scant_error *error);
static use *const uses[] = {walk_events, walk_orders, ask_status, make_model, predict, verify};

static verdict try_all(void) {
  scant_study *study = NULL;
  said.text[0] = 0;
  scant_status status = scant_study_open(&study, damaged, SCANT_STUDY_READ, NULL, &said);
  if (status != SCANT_OK) return said.text[0] ? COMES_BACK : SAYS_NOTHING;
  verdict found = COMES_BACK;
  for (size_t i = 0; i < sizeof uses / sizeof *uses && found == COMES_BACK; i++) {
    size_t steps = 0;
    said.text[0] = 0;
    status = uses[i](study, &steps, &said);
    if (steps >= STEPS_MOST) found = TOO_MANY_STEPS;
    if (status != SCANT_OK && !said.text[0]) found = SAYS_NOTHING;
  }
  scant_study_close(study);
  return found;
}

/* ---- flips ---------------------------------------------------------------------------- */

typedef struct {
  size_t at;
  unsigned char bit;
} flip;

static flip *flips;
static size_t flip_count, flip_room;

static void add_flip(size_t at, int bit) {
  if (flip_count == flip_room) {
    flip_room = 2 * flip_room + 1024;
    flips = realloc(flips, flip_room * sizeof *flips);
    if (!flips) abort();
  }
  flips[flip_count++] = (flip){at, (unsigned char)(1 << bit)};
}

/* Where the key of a cell of a leaf of a table is: behind the length of its payload. */
static size_t key_of(size_t page, size_t header, size_t cell) {
  size_t pointer = page + header + 8 + 2 * cell, at = page + ((size_t)bytes[pointer] << 8 | bytes[pointer + 1]);
  while (at < length && bytes[at] & 0x80) at++;
  return at + 1;
}

static size_t header_of(size_t page) {
  return page ? 0 : 100;
}

static size_t cells_of(size_t page) {
  size_t at = page + header_of(page);
  return (size_t)bytes[at + 3] << 8 | bytes[at + 4];
}

/* Every bit of every row id, and of the first bytes of pages; and some of all others. */
static void choose_flips(void) {
  for (size_t page = 0; page < length; page += page_size) {
    if (bytes[page + header_of(page)] == 0x0d)
      for (size_t cell = 0; cell < cells_of(page); cell++)
        for (int bit = 0; bit < 8; bit++) add_flip(key_of(page, header_of(page), cell), bit);
    for (size_t i = 0; i < 24; i++) add_flip(page + i, (int)(i % 8));
  }
  for (size_t i = 0, bit = 0; i < length; i += STRIDE, bit++) add_flip(i, (int)(bit % 8));
}

static void write_byte(int file, size_t at, unsigned char byte) {
  if (pwrite(file, &byte, 1, (off_t)at) != 1) _exit(3);
}

/* A damaged file is read anew each time: nothing is left beside it. */
static verdict try_flip(int file, const flip *f) {
  static const char *const ends[] = {"-wal", "-shm"};
  char name[600];
  write_byte(file, f->at, bytes[f->at] ^ f->bit);
  verdict found = try_all();
  write_byte(file, f->at, bytes[f->at]);
  for (size_t i = 0; i < 2; i++) {
    snprintf(name, sizeof name, "%s%s", damaged, ends[i]);
    unlink(name);
  }
  return found;
}

static void run_child(size_t from, volatile size_t *current, volatile int *found) {
  int file = open(damaged, O_RDWR);
  if (file < 0) _exit(3);
  for (*current = from; *current < flip_count; ++*current) {
    alarm(SECONDS_MOST);
    *found = (int)try_flip(file, &flips[*current]);
    if (*found != COMES_BACK) _exit(1);
  }
  close(file);
  _exit(0);
}

/* Does all of flips, whatever becomes of some of them; how many did not come back. */
static int run_flips(void) {
  struct shared {
    size_t current;
    int found;
  } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(shared != MAP_FAILED)) return 1;
  int bad = 0;
  for (size_t from = 0; from < flip_count && bad < 5; from = shared->current + 1) {
    int status = 0;
    copy_file(whole, damaged);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) run_child(from, &shared->current, &shared->found);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    bad++;
    printf("#   byte %zu, bit 0x%02x: %s %d\n", flips[shared->current].at, flips[shared->current].bit,
           WIFSIGNALED(status)               ? "it was ended by signal (14: it ran for ever)"
           : shared->found == TOO_MANY_STEPS ? "there was no end of it"
                                             : "it failed without a sentence",
           WIFSIGNALED(status) ? WTERMSIG(status) : shared->found);
  }
  munmap(shared, sizeof *shared);
  return bad;
}

TEST(every_flip_comes_back) {
  flip_count = 0;
  choose_flips();
  CHECK(flip_count > 500);
  CHECK(run_flips() == 0);
  printf("# %zu flips in a file of %zu bytes\n", flip_count, length);
}

/* ---- the walks that had no end --------------------------------------------------------- */

/* The byte of the key of a row in a table whose keys are small: by the pages that the table is in. */
static size_t find_key(const char *table, unsigned char key) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  size_t found = 0;
  CHECK(sqlite3_open(whole, &db) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?1", -1, &statement, NULL) ==
        SQLITE_OK);
  sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  size_t root = ((size_t)sqlite3_column_int64(statement, 0) - 1) * page_size;
  sqlite3_finalize(statement);
  sqlite3_close(db);
  size_t leaves = bytes[root] == 0x0d ? 1 : cells_of(root);
  for (size_t i = 0; i < leaves && !found; i++) {
    size_t page = root;
    if (bytes[root] != 0x0d) {
      size_t pointer = root + 12 + 2 * i, at = root + ((size_t)bytes[pointer] << 8 | bytes[pointer + 1]);
      page = ((size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3]);
      page = (page - 1) * page_size;
    }
    for (size_t cell = 0; cell < cells_of(page) && !found; cell++)
      if (bytes[key_of(page, 0, cell)] == key) found = key_of(page, 0, cell);
  }
  CHECK(found > 0);
  return found;
}

static void check_refused(use *what, const char *words) {
  scant_study *study = open_study(damaged, SCANT_STUDY_READ);
  size_t steps = 0;
  said.text[0] = 0;
  CHECK(what(study, &steps, &said) == SCANT_DATA);
  CHECK(steps < STEPS_MOST);
  CHECK_SAYS(said.text, words);
  scant_study_close(study);
}

static void damage(const char *table, unsigned char key, unsigned char with) {
  copy_file(whole, damaged);
  int file = open(damaged, O_RDWR);
  write_byte(file, find_key(table, key), with);
  close(file);
}

/* One bit is another: event 8 says that it is event 0, and the next one after event 7 is again the first. */
TEST(events_that_go_back) {
  damage("ledger", 8, 0);
  check_refused(walk_events, "the ledger is damaged: event 0 comes after event 7");
}

/* An event that can't be found is not passed over in silence, nor are those at the end. */
TEST(events_that_are_gone) {
  copy_file(whole, damaged);
  execute(damaged, "DELETE FROM ledger WHERE sequence = 9");
  check_refused(walk_events, "event 9 of the ledger is gone");
  damage("ledger", 5, 13);
  check_refused(walk_events, "event 5 of the ledger is gone");
}

/* Order 5 says that it is order 1: what was learned would be gathered again and again. */
TEST(orders_that_go_back) {
  damage("orders", 5, 1);
  check_refused(make_model, "the orders are damaged: order 1 comes after order 4");
  check_refused(predict, "the orders are damaged: order 1 comes after order 4");
  damage("orders", 4, 0); /* no end, either, but a beginning */
  check_refused(make_model, "the orders are damaged: order 0 comes after order 3");
}

/* Places that have a gap: what is told, lines and attributes would take each other's. */
TEST(places_that_jump) {
  copy_file(whole, damaged);
  execute(damaged, "UPDATE told SET place = 40 WHERE sequence = 3 AND place = 1");
  check_refused(walk_events, "what event 3 of the ledger tells is damaged: value");
  copy_file(whole, damaged);
  execute(damaged, "UPDATE line SET place = 40 WHERE number = 2 AND place = 1");
  check_refused(walk_orders, "a line of order 2 is damaged");
  copy_file(whole, damaged);
  execute(damaged, "UPDATE attribute SET place = 40 WHERE place = 2");
  scant_study *study = NULL;
  CHECK(scant_study_open(&study, damaged, SCANT_STUDY_READ, NULL, &said) == SCANT_DATA);
  CHECK_SAYS(said.text, "the catalogue is damaged: attribute 3 is not in its place");
}

int main(void) {
  study_begin_tests();
  RUN(make_whole);
  RUN(events_that_go_back);
  RUN(events_that_are_gone);
  RUN(orders_that_go_back);
  RUN(places_that_jump);
  RUN(every_flip_comes_back);
  free(bytes);
  free(flips);
  study_remove(whole);
  study_remove(damaged);
  return study_end_tests();
}
