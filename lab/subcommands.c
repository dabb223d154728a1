/* The subcommands. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "command/front/progress.h"
#include "command/front/interrupt.h"
#include "few.h"
#include "figures.h"
#include "theory.h"

/* Chooses the names that --algorithms lists, in its order; all `count` names if it is not given. */
static int choose(const arguments *a, const char *const *names, size_t count, size_t *chosen, size_t *chosen_count) {
  const char *rest = a->own.algorithms;
  *chosen_count = 0;
  for (; !rest && *chosen_count < count; ++*chosen_count) chosen[*chosen_count] = *chosen_count;
  if (!rest) return EXIT_DONE;
  for (rest += strspn(rest, ","); *rest; rest += strspn(rest, ",")) {
    size_t length = strcspn(rest, ","), i = 0;
    while (i < count && (strlen(names[i]) != length || strncmp(names[i], rest, length) != 0)) i++;
    if (i == count)
      return print_usage_failure(a->command, "this experiment has no algorithm '%.*s'", (int)length, rest);
    for (size_t j = 0; j < *chosen_count; j++)
      if (chosen[j] == i) return print_usage_failure(a->command, "--algorithms names %s twice", names[i]);
    chosen[(*chosen_count)++] = i;
    rest += length;
  }
  return *chosen_count ? EXIT_DONE : print_usage_failure(a->command, "--algorithms names none");
}

static int refuse_folder(const arguments *a) {
  scant_error error;
  snprintf(error.text, sizeof error.text, "there is no folder '%.300s' (make data gets MNIST)", a->own.data);
  return print_failure(a->command, SCANT_NO_INPUT, &error);
}

static int check_data(const arguments *a) {
  struct stat facts;
  if (!a->own.data) return print_usage_failure(a->command, "--data DIR is missing: the folder with MNIST's IDX files");
  if (stat(a->own.data, &facts) != 0 || !S_ISDIR(facts.st_mode)) return refuse_folder(a);
  return EXIT_DONE;
}

/* ---- the figures ----------------------------------------------------------- */

static int choose_curves(const arguments *a, results *r) {
  const char *names[CURVES_MOST];
  size_t count = 0, chosen[CURVES_MOST];
  for (; count < CURVES_MOST && r->figure->curves[count].name; count++) names[count] = r->figure->curves[count].name;
  int code = choose(a, names, count, chosen, &r->curve_count);
  for (size_t i = 0; code == EXIT_DONE && i < r->curve_count; i++) r->curves[i] = &r->figure->curves[chosen[i]];
  return code;
}

/* Prints the last point of each curve, and at how many points it is within or below the published error bars. */
static void print_summary(const results *r, const char *folder) {
  for (size_t c = 0; c < r->curve_count; c++) {
    int met = 0, known = 0;
    for (size_t i = 0; i < POINTS; i++) {
      summary s = results_summary(r, c, i);
      const published_point *q = results_published(r, c, i);
      known += q != NULL;
      met += q && s.mean <= q->mean + q->bar;
    }
    summary last = results_summary(r, c, POINTS - 1);
    printf("%-25s %.4f +- %.4f at %.0f attributes", r->curves[c]->name, last.mean, last.sd, last.attributes);
    if (known) printf("; within or below the published error bars at %d of %d points", met, known);
    printf("\n");
  }
  printf("%s/%s.csv, .svg and -examples.svg are written\n", folder, r->figure->name);
}

int run_figure(arguments *a) {
  results r = {.figure = figure_find(a->command->name), .pair = a->own.pair, .runs = (size_t)a->own.runs};
  int code = choose_curves(a, &r);
  if (code == EXIT_DONE) code = check_data(a);
  if (code == EXIT_DONE) code = files_make_folder(a->command, a->own.out);
  if (code != EXIT_DONE) return code;
  image_set images = {0};
  scant_error error;
  bar b = bar_start(a);
  scant_status status = images_load(&images, a->own.data, a->own.pair, &error);
  if (status == SCANT_OK) status = figure_run(&r, &images, a->own.seed, (unsigned)a->own.threads, bar_show, &b, &error);
  if (status == SCANT_OK) status = figure_write(&r, a->own.out, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else {
    print_summary(&r, a->own.out);
    code = print_end(a->command);
  }
  images_free(&images);
  free(r.outcome);
  return code;
}

/* ---- the theory ------------------------------------------------------------ */

/* Fills the request and makes the folder for its results. */
static int fill_request(const arguments *a, const char *const *algorithms, bar *b, theory_request *request) {
  *request = (theory_request){.folder = a->own.out,
                              .runs = (size_t)a->own.runs,
                              .seed = a->own.seed,
                              .pool = {(unsigned)a->own.threads, bar_show, b}};
  size_t count = 0, chosen[THEORY_ALGORITHMS];
  while (algorithms[count]) count++;
  int code = choose(a, algorithms, count, chosen, &request->algorithm_count);
  if (code == EXIT_DONE) code = files_make_folder(a->command, a->own.out);
  for (size_t i = 0; code == EXIT_DONE && i < request->algorithm_count; i++)
    request->algorithms[i] = algorithms[chosen[i]];
  return code;
}

static int print_words(const arguments *a, scant_status status, svg_text *words, const scant_error *error) {
  if (status == SCANT_OK) fputs(words->text ? words->text : "", stdout);
  svg_free(words);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, error);
}

static int run_theory(const arguments *a, const char *const *algorithms, theory_run run) {
  bar b = bar_start(a);
  theory_request request;
  int code = fill_request(a, algorithms, &b, &request);
  if (code != EXIT_DONE) return code;
  svg_text words = {0};
  scant_error error;
  scant_status status = run(&request, &words, &error);
  return print_words(a, status, &words, &error);
}

int run_scaling(arguments *a) {
  return run_theory(a, scaling_algorithms, scaling_run);
}

int run_lower_bound(arguments *a) {
  return run_theory(a, lower_bound_algorithms, lower_bound_run);
}

int run_svr(arguments *a) {
  return run_theory(a, svr_algorithms, svr_run);
}

/* ---- few attributes per prediction ------------------------------------------- */

/* A folder holds images, and anything else is read as a table. */
static int is_folder(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* What says how data are read must fit what they are. */
static int check_few(const arguments *a) {
  struct stat facts;
  scant_error error;
  if (!a->own.data)
    return print_usage_failure(a->command, "--data is missing: the folder with MNIST's IDX files, or a file");
  if (stat(a->own.data, &facts) != 0) {
    snprintf(error.text, sizeof error.text, "there is no file or folder '%.300s'", a->own.data);
    return print_failure(a->command, SCANT_NO_INPUT, &error);
  }
  if (S_ISDIR(facts.st_mode) && a->settings.given)
    return print_usage_failure(a->command, "of images --pair alone says what is read; the other options are for files");
  if (!S_ISDIR(facts.st_mode) && a->own.pair)
    return print_usage_failure(a->command, "--pair is for images, which are in a folder");
  return EXIT_DONE;
}

int run_few(arguments *a) {
  bar b = bar_start(a);
  theory_request request;
  int code = check_few(a);
  if (code != EXIT_DONE) return code;
  int images = is_folder(a->own.data);
  code = fill_request(a, images ? few_image_curves : few_table_curves, &b, &request);
  if (code != EXIT_DONE) return code;
  few_data data = {.k = a->own.k, .held_out = a->own.split};
  svg_text words = {0};
  scant_error error;
  scant_status status = images ? few_load_images(&data, a->own.data, a->own.pair ? a->own.pair : "3,5", &error)
                               : few_load_table(&data, a->own.data, &a->settings, &error);
  if (status == SCANT_OK) status = few_run(&request, &data, &words, &error);
  images_free(&data.set);
  return print_words(a, status, &words, &error);
}

/* ---- bench ---------------------------------------------------------------------- */

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

static int fill_bench(const arguments *a, bench_request *q) {
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
  int code = fill_bench(a, &q);
  if (code == EXIT_DONE) code = files_make_folder(a->command, a->own.out);
  if (code != EXIT_DONE) return code;
  bench_results found = {.request = &q};
  scant_error error = {"out of memory"};
  svg_text words = {0};
  scant_status status = bench_run(&found, &error);
  if (status == SCANT_OK) status = bench_write(&found, a->own.out, a->own.json, &words, &error);
  if (status == SCANT_OK) fputs(words.text ? words.text : "", stdout);
  svg_free(&words);
  bench_free(&found);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}
