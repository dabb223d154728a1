/* Durable pairs of ask and tell per second, beside bare SQLite that commits the same rows to the same tables with the
 * same settings (WAL, synchronous=FULL), in turns: study_bench FOLDER D K ROUNDS PAIRS ALGORITHM.  Prints both rates
 * and their ratio, medians over the rounds. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scant_dense.h"
#include "scant_study.h"

extern const char study_schema[];

enum { LINES_MOST = 256 };

_Noreturn static void fail(const char *what) {
  fprintf(stderr, "study_bench: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double next_value(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- the study -------------------------------------------------------------------- */

static scant_error error;

static scant_study *make_study(const char *path, size_t d, const char *k, const char *algorithm) {
  scant_settings settings;
  scant_study *study;
  scant_study_attribute *rows = calloc(d, sizeof *rows);
  char *names = malloc(24 * d);
  if (!rows || !names) fail("out of memory");
  for (size_t i = 0; i < d; i++) {
    snprintf(names + 24 * i, 24, "a%zu", i);
    rows[i] = (scant_study_attribute){.name = names + 24 * i, .low = NAN, .high = NAN};
  }
  scant_settings_init(&settings);
  settings.runtime.engines = scant_dense_engines();
  if (scant_settings_set(&settings, "k", k, &error) != SCANT_OK ||
      scant_settings_set(&settings, "algorithm", algorithm, &error) != SCANT_OK ||
      scant_study_create(path, &settings, rows, d, NULL, &error) != SCANT_OK ||
      scant_study_open(&study, path, SCANT_STUDY_WRITE, &settings, &error) != SCANT_OK)
    fail(error.text);
  free(rows);
  free(names);
  return study;
}

static void run_pairs(scant_study *study, long first, long pairs) {
  scant_study_answer answers[LINES_MOST + 1];
  const scant_study_order *order;
  char example[32];
  for (long i = first; i < first + pairs; i++) {
    size_t count = 0;
    double y = 0;
    snprintf(example, sizeof example, "patient %ld", i);
    if (scant_study_ask(study, example, &order, &error) != SCANT_OK) fail(error.text);
    for (; count < order->count; count++) {
      double x = next_value();
      y += x;
      answers[count] = (scant_study_answer){scant_study_attribute_at(study, order->lines[count].attribute)->name, x, 0};
    }
    answers[count++] = (scant_study_answer){"y", y, 0};
    if (scant_study_tell(study, example, answers, count, &error) != SCANT_OK) fail(error.text);
  }
}

/* ---- the same rows, bare ------------------------------------------------------------ */

typedef struct {
  char *example, *look, at[32];
  uint64_t asked, told, number;
  size_t count;
  scant_study_line lines[LINES_MOST];
  double y;
  uint64_t checksums[2];
} pair;

static char *copy_text(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (!copy) fail("out of memory");
  return strcpy(copy, text);
}

/* The two events of an order that was asked for and told at once. */
static void read_pair(scant_study *study, uint64_t number, pair *p) {
  const scant_study_order *order;
  const scant_study_event *event;
  if (scant_study_order_at(study, number, &order, &error) != SCANT_OK || !order) fail(error.text);
  p->number = number;
  p->example = copy_text(order->example);
  p->count = order->count;
  p->y = order->y;
  memcpy(p->lines, order->lines, order->count * sizeof *order->lines);
  p->asked = 2 * number; /* after the event that made the study */
  p->told = p->asked + 1;
  if (scant_study_event_after(study, p->asked - 1, &event, &error) != SCANT_OK || !event || !event->look)
    fail("the events are not pairs");
  p->look = copy_text(event->look);
  p->checksums[0] = event->checksum;
  snprintf(p->at, sizeof p->at, "%s", event->at);
  if (scant_study_event_after(study, p->asked, &event, &error) != SCANT_OK || !event || !event->learned)
    fail("the events are not pairs");
  p->checksums[1] = event->checksum;
}

typedef struct {
  sqlite3 *db;
  sqlite3_stmt *begin, *commit, *event, *told, *order, *line, *set_order, *set_line;
} bare;

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    fail(sqlite3_errmsg(db));
  return statement;
}

static void step(const bare *b, sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(b->db));
  sqlite3_reset(statement);
}

static void open_bare(bare *b, const char *path) {
  if (sqlite3_open(path, &b->db) != SQLITE_OK ||
      sqlite3_exec(b->db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(b->db, study_schema, NULL, NULL, NULL) != SQLITE_OK)
    fail(sqlite3_errmsg(b->db));
  b->begin = prepare(b->db, "BEGIN IMMEDIATE");
  b->commit = prepare(b->db, "COMMIT");
  b->event =
      prepare(b->db,
              "INSERT INTO ledger(sequence, at, kind, example, number, attributes, reserved, spent, look, learned, by, "
              "via, salt, digest, checksum) VALUES(?, ?, ?, ?, ?, ?, 0, 0, ?, ?, 'nurse', 'library', ?, ?, ?)");
  b->told = prepare(b->db, "INSERT INTO told(sequence, place, attribute, value) VALUES(?, ?, ?, ?)");
  b->order = prepare(
      b->db,
      "INSERT INTO orders(number, example, state, spent, asked, asked_told, second) VALUES(?, ?, 0, 0, ?, ?, 0)");
  b->line = prepare(b->db,
                    "INSERT INTO line(number, place, attribute, price, probability, weight, mean, state, second, item, "
                    "counted) VALUES(?, ?, ?, ?, ?, 0.1, 0.1, 0, 0, ?, ?)");
  b->set_order = prepare(b->db, "UPDATE orders SET state = 3, spent = 0, y = ?2, learned_told = ?3 WHERE number = ?1");
  b->set_line = prepare(b->db, "UPDATE line SET state = 1, value = ?3 WHERE number = ?1 AND place = ?2");
}

static void close_bare(bare *b) {
  sqlite3_stmt *all[] = {b->begin, b->commit, b->event, b->told, b->order, b->line, b->set_order, b->set_line};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) sqlite3_finalize(all[i]);
  sqlite3_close(b->db);
}

static void add_event(const bare *b, const pair *p, int tell) {
  sqlite3_stmt *s = b->event;
  sqlite3_bind_int64(s, 1, (sqlite3_int64)(tell ? p->told : p->asked));
  sqlite3_bind_text(s, 2, p->at, -1, SQLITE_STATIC);
  sqlite3_bind_text(s, 3, tell ? "tell" : "ask", -1, SQLITE_STATIC);
  sqlite3_bind_text(s, 4, p->example, -1, SQLITE_STATIC);
  sqlite3_bind_int64(s, 5, (sqlite3_int64)p->number);
  sqlite3_bind_int64(s, 6, tell ? 0 : (sqlite3_int64)p->count);
  sqlite3_bind_text(s, 7, tell ? NULL : p->look, -1, SQLITE_STATIC);
  sqlite3_bind_int(s, 8, tell);
  sqlite3_bind_int64(s, 9, (sqlite3_int64)p->checksums[1 - tell]);
  sqlite3_bind_int64(s, 10, (sqlite3_int64)(p->checksums[tell] ^ 0x123456789abcdef));
  sqlite3_bind_int64(s, 11, (sqlite3_int64)p->checksums[tell]);
  step(b, s);
}

static void write_pair(const bare *b, const pair *p) {
  step(b, b->begin);
  add_event(b, p, 0);
  sqlite3_bind_int64(b->order, 1, (sqlite3_int64)p->number);
  sqlite3_bind_text(b->order, 2, p->example, -1, SQLITE_STATIC);
  sqlite3_bind_int64(b->order, 3, (sqlite3_int64)p->asked);
  sqlite3_bind_int64(b->order, 4, (sqlite3_int64)p->number - 1);
  step(b, b->order);
  for (size_t i = 0; i < p->count; i++) {
    sqlite3_bind_int64(b->line, 1, (sqlite3_int64)p->number);
    sqlite3_bind_int64(b->line, 2, (sqlite3_int64)i);
    sqlite3_bind_int64(b->line, 3, p->lines[i].attribute);
    sqlite3_bind_int64(b->line, 4, (sqlite3_int64)p->lines[i].price);
    sqlite3_bind_double(b->line, 5, isnan(p->lines[i].probability) ? 1 : p->lines[i].probability);
    sqlite3_bind_int64(b->line, 6, p->lines[i].item);
    sqlite3_bind_int(b->line, 7, p->lines[i].counted);
    step(b, b->line);
  }
  step(b, b->commit);
  step(b, b->begin);
  for (size_t i = 0; i < p->count; i++) {
    sqlite3_bind_int64(b->set_line, 1, (sqlite3_int64)p->number);
    sqlite3_bind_int64(b->set_line, 2, (sqlite3_int64)i);
    sqlite3_bind_double(b->set_line, 3, p->lines[i].value);
    step(b, b->set_line);
  }
  sqlite3_bind_int64(b->set_order, 1, (sqlite3_int64)p->number);
  sqlite3_bind_double(b->set_order, 2, p->y);
  sqlite3_bind_int64(b->set_order, 3, (sqlite3_int64)p->number - 1);
  step(b, b->set_order);
  add_event(b, p, 1);
  for (size_t i = 0; i <= p->count; i++) {
    sqlite3_bind_int64(b->told, 1, (sqlite3_int64)p->told);
    sqlite3_bind_int64(b->told, 2, (sqlite3_int64)i);
    sqlite3_bind_int64(b->told, 3, i < p->count ? (sqlite3_int64)p->lines[i].attribute : -1);
    sqlite3_bind_double(b->told, 4, i < p->count ? p->lines[i].value : p->y);
    step(b, b->told);
  }
  step(b, b->commit);
}

/* ---- in turns ------------------------------------------------------------------------- */

static void path_of(char *path, size_t size, const char *folder, const char *name) {
  snprintf(path, size, "%s/%s", folder, name);
}

int main(int count, char **words) {
  if (count != 7) fail("study_bench FOLDER D K ROUNDS PAIRS ALGORITHM");
  char paths[2][1000];
  size_t d = strtoul(words[2], NULL, 10), rounds = strtoul(words[4], NULL, 10);
  long pairs = atol(words[5]);
  if (d < 2 || !rounds || pairs < 1 || strtoul(words[3], NULL, 10) > LINES_MOST) fail("D, K, ROUNDS or PAIRS");
  path_of(paths[0], sizeof paths[0], words[1], "study");
  path_of(paths[1], sizeof paths[1], words[1], "bare");
  scant_study *study = make_study(paths[0], d, words[3], words[6]);
  bare b;
  open_bare(&b, paths[1]);
  double *rates[2] = {calloc(rounds, sizeof(double)), calloc(rounds, sizeof(double))};
  double *ratios = calloc(rounds, sizeof(double));
  pair *rows = calloc((size_t)pairs, sizeof *rows);
  if (!rates[0] || !rates[1] || !ratios || !rows) fail("out of memory");
  for (size_t round = 0; round < rounds; round++) {
    long first = (long)round * pairs;
    double start = now();
    run_pairs(study, first, pairs);
    rates[0][round] = (double)pairs / (now() - start);
    for (long i = 0; i < pairs; i++) read_pair(study, (uint64_t)(first + i) + 1, &rows[i]);
    start = now();
    for (long i = 0; i < pairs; i++) write_pair(&b, &rows[i]);
    rates[1][round] = (double)pairs / (now() - start);
    for (long i = 0; i < pairs; i++) {
      free(rows[i].example);
      free(rows[i].look);
    }
    ratios[round] = rates[0][round] / rates[1][round];
  }
  printf("%s, d %zu, K %s, %zu rounds of %ld pairs\n", words[6], d, words[3], rounds, pairs);
  printf("durable ask+tell pairs per second %8.0f\n", median(rates[0], rounds));
  printf("bare SQLite, the same rows        %8.0f\n", median(rates[1], rounds));
  printf("ratio, median of the rounds       %8.2f\n", median(ratios, rounds));
  scant_study_close(study);
  close_bare(&b);
  free(rates[0]);
  free(rates[1]);
  free(ratios);
  free(rows);
  return 0;
}
