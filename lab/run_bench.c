/* scant-lab bench */
#include <string.h>

#include "bench.h"
#include "command/front/progress.h"
#include "command/front/interrupt.h"
#include "lab.h"

enum { ROWS_LEAST = 100, DIMENSION_LEAST = 2, DIMENSION_MOST = 100000000, LOOK_MOST = 1000000 };

/* Reads "100,784" into numbers. */
static int read_numbers(const arguments *a, const char *option, const char *list, size_t least, size_t most,
                        size_t *numbers, size_t *count) {
  for (const char *at = list;; at++) {
    size_t length = strcspn(at, ","), number = 0;
    for (size_t i = 0; number <= most && i < strspn(at, "0123456789"); i++)
      number = 10 * number + (size_t)(at[i] - '0');
    if (strspn(at, "0123456789") != length || number < least || number > most)
      return print_usage_failure(a->command, "--%s: '%.*s' is not a whole number from %zu to %zu", option, (int)length,
                                 at, least, most);
    if (*count == BENCH_LIST) return print_usage_failure(a->command, "--%s takes at most %d", option, BENCH_LIST);
    for (size_t i = 0; i < *count; i++)
      if (numbers[i] == number) return print_usage_failure(a->command, "--%s names %zu twice", option, number);
    numbers[(*count)++] = number;
    at += length;
    if (!*at) return EXIT_DONE;
  }
}

/* At least one K must fit one d, and the table must have enough rows. */
static int check_sizes(const arguments *a, const bench_request *q) {
  for (size_t i = 0; i < q->dimension_count; i++)
    if (q->bytes / sizeof(double) / q->dimensions[i] < ROWS_LEAST)
      return print_usage_failure(a->command, "--size %zu has no room for %d rows of %zu attributes", q->bytes >> 20,
                                 ROWS_LEAST, q->dimensions[i]);
  for (size_t i = 0; i < q->dimension_count; i++)
    for (size_t j = 0; j < q->look_count; j++)
      if (q->looks[j] <= q->dimensions[i]) return EXIT_DONE;
  return print_usage_failure(a->command, "--looks: every K is more than the attributes of --dimensions");
}

/* An algorithm needs its least K, unless K is all of the attributes. */
static int check_least(const arguments *a, const bench_request *q, const scant_algorithm *algorithm) {
  for (size_t i = 0; i < q->dimension_count; i++)
    for (size_t j = 0; j < q->look_count; j++)
      if (q->looks[j] < algorithm->least_k && q->looks[j] < q->dimensions[i])
        return print_usage_failure(a->command, "--looks: %s needs a K of at least %u, and %zu is less", algorithm->name,
                                   algorithm->least_k, q->looks[j]);
  return EXIT_DONE;
}

/* Reads the algorithms; each must learn from K attributes of an example when it comes. */
static int read_algorithms(const arguments *a, bench_request *q) {
  for (const char *at = a->own.algorithms;; at++) {
    char name[BENCH_NAME];
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    const scant_algorithm *algorithm = scant_algorithm_find(name);
    if (!algorithm) return print_usage_failure(a->command, "there is no algorithm '%.*s'", (int)length, at);
    if (algorithm->dense || algorithm->whole)
      return print_usage_failure(a->command, "%s does not learn from K attributes of an example as it comes", name);
    int code = check_least(a, q, algorithm);
    if (code != EXIT_DONE) return code;
    if (q->algorithm_count == BENCH_LIST)
      return print_usage_failure(a->command, "--algorithms takes at most %d", BENCH_LIST);
    for (size_t i = 0; i < q->algorithm_count; i++)
      if (q->algorithms[i] == algorithm->name)
        return print_usage_failure(a->command, "--algorithms names %s twice", name);
    q->algorithms[q->algorithm_count++] = algorithm->name;
    at += length;
    if (!*at) return EXIT_DONE;
  }
}

static int fill_request(const arguments *a, bench_request *q) {
  q->bytes = (size_t)a->own.size << 20;
  int code = read_numbers(a, "dimensions", a->own.dimensions, DIMENSION_LEAST, DIMENSION_MOST, q->dimensions,
                          &q->dimension_count);
  if (code == EXIT_DONE) code = read_numbers(a, "looks", a->own.looks, 1, LOOK_MOST, q->looks, &q->look_count);
  if (code == EXIT_DONE) code = check_sizes(a, q);
  if (code == EXIT_DONE) code = read_algorithms(a, q);
  q->rounds = (size_t)a->own.rounds;
  q->seed = a->own.seed;
  return code;
}

int run_bench(arguments *a) {
  bar b = bar_start(a);
  interrupt_also(bench_peer_kill);
  bench_request q = {.peer = a->own.peer, .progress = bar_show, .user = &b};
  int code = fill_request(a, &q);
  if (code == EXIT_DONE) code = files_make_folder(a->command, a->own.out);
  if (code != EXIT_DONE) return code;
  bench_results results = {.request = &q};
  scant_error error = {"out of memory"};
  svg_text words = {0};
  scant_status status = bench_run(&results, &error);
  if (status == SCANT_OK) status = bench_write(&results, a->own.out, a->own.json, &words, &error);
  if (status == SCANT_OK) fputs(words.text ? words.text : "", stdout);
  svg_free(&words);
  bench_free(&results);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}
