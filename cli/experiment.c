/* scant experiment */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../experiments/few.h"
#include "../experiments/figures.h"
#include "../experiments/theory.h"
#include "experiment.h"
#include "progress.h"

typedef struct experiment {
  named words;
  const char *options; /* that not every experiment takes, separated by spaces */
  int takes_table;     /* it takes those of the library's table that the command does */
  int (*run)(const struct experiment *e, const arguments *a);
  const char *const *algorithms; /* of those that are no figures of the paper */
  theory_run theory;             /* of those that need no data */
} experiment;

bar bar_start(const arguments *a) {
  return (bar){progress_clock(), !a->own.quiet && isatty(2)};
}

void bar_show(void *user, double share) {
  const bar *b = user;
  if (!b->shown) return;
  double spent = progress_clock() - b->started;
  char full[41];
  int width = (int)(40 * share);
  memset(full, '#', (size_t)width);
  full[width] = 0;
  fprintf(stderr, "\r[%-40s] %3.0f%%  %.0f s left \033[K", full, 100 * share, ceil(spent * (1 - share) / share));
  if (share >= 1) fputc('\n', stderr);
}

static int failure(const arguments *a, scant_status status, const char *format, const char *what) {
  scant_error error;
  snprintf(error.text, sizeof error.text, format, what);
  return print_failure(a->command, status, &error);
}

/* Which of the `count` names are asked for in --algorithms, separated by commas,
 * in that order; all if it is not given. */
static int choose(const arguments *a, const char *const *names, size_t count, size_t *chosen, size_t *chosen_count) {
  const char *rest = a->own.algorithms;
  *chosen_count = 0;
  for (; !rest && *chosen_count < count; ++*chosen_count) chosen[*chosen_count] = *chosen_count;
  if (!rest) return EXIT_DONE;
  for (rest += strspn(rest, ","); *rest; rest += strspn(rest, ",")) {
    size_t length = strcspn(rest, ","), i = 0;
    while (i < count && (strlen(names[i]) != length || strncmp(names[i], rest, length) != 0)) i++;
    if (i == count)
      return print_usage_failure(a->command, "experiment %s has no algorithm '%.*s'", a->operands[0], (int)length,
                                 rest);
    for (size_t j = 0; j < *chosen_count; j++)
      if (chosen[j] == i) return print_usage_failure(a->command, "--algorithms names %s twice", names[i]);
    chosen[(*chosen_count)++] = i;
    rest += length;
  }
  return *chosen_count ? EXIT_DONE : print_usage_failure(a->command, "--algorithms names none");
}

static int check_data(const arguments *a) {
  struct stat facts;
  if (!a->own.data) return print_usage_failure(a->command, "--data DIR is missing: the folder with MNIST's IDX files");
  if (stat(a->own.data, &facts) != 0 || !S_ISDIR(facts.st_mode))
    return failure(a, SCANT_NO_INPUT, "there is no folder '%.300s' (make data gets MNIST)", a->own.data);
  return EXIT_DONE;
}

/* A folder that is made here and is still empty when the command ends is not left
 * behind. */
static const char *made_folder;

static void remove_made_folder(void) {
  rmdir(made_folder);
}

int experiment_check_out(const arguments *a) {
  struct stat facts;
  if (stat(a->own.out, &facts) != 0) {
    made_folder = a->own.out;
    atexit(remove_made_folder);
  } else if (!S_ISDIR(facts.st_mode)) {
    return failure(a, SCANT_IO, "'%.300s' is not a folder", a->own.out);
  }
  if ((stat(a->own.out, &facts) != 0 && mkdir(a->own.out, 0777) != 0) ||
      (stat(a->own.out, &facts) == 0 && (!S_ISDIR(facts.st_mode) || access(a->own.out, W_OK) != 0)))
    return failure(a, SCANT_IO, "can't write to the folder '%.300s'", a->own.out);
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

/* Points at which a curve lies within or below the published error bars. */
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

static int run_figure(const experiment *e, const arguments *a) {
  results r = {.figure = figure_find(e->words.name), .pair = a->own.pair, .runs = (size_t)a->own.runs};
  int code = choose_curves(a, &r);
  if (code == EXIT_DONE) code = check_data(a);
  if (code == EXIT_DONE) code = experiment_check_out(a);
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

/* What is asked for; the folder for it is made. */
static int fill_request(const experiment *e, const arguments *a, bar *b, theory_request *request) {
  *request = (theory_request){.folder = a->own.out,
                              .runs = (size_t)a->own.runs,
                              .seed = a->own.seed,
                              .pool = {(unsigned)a->own.threads, bar_show, b}};
  size_t count = 0, chosen[THEORY_ALGORITHMS];
  while (e->algorithms[count]) count++;
  int code = choose(a, e->algorithms, count, chosen, &request->algorithm_count);
  if (code == EXIT_DONE && has_word(e->options, "data")) code = check_data(a);
  if (code == EXIT_DONE) code = experiment_check_out(a);
  for (size_t i = 0; code == EXIT_DONE && i < request->algorithm_count; i++)
    request->algorithms[i] = e->algorithms[chosen[i]];
  return code;
}

static int print_words(const arguments *a, scant_status status, page *words, const scant_error *error) {
  if (status == SCANT_OK) fputs(words->text ? words->text : "", stdout);
  page_free(words);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, error);
}

static int run_theory(const experiment *e, const arguments *a) {
  bar b = bar_start(a);
  theory_request request;
  int code = fill_request(e, a, &b, &request);
  if (code != EXIT_DONE) return code;
  page words = {0};
  scant_error error;
  scant_status status = e->theory(&request, &words, &error);
  return print_words(a, status, &words, &error);
}

/* ---- few attributes per prediction ------------------------------------------- */

static int run_few(const experiment *e, const arguments *a) {
  bar b = bar_start(a);
  theory_request request;
  int code = fill_request(e, a, &b, &request);
  if (code != EXIT_DONE) return code;
  image_set images = {0};
  page words = {0};
  scant_error error;
  scant_status status = images_load(&images, a->own.data, a->own.pair, &error);
  if (status == SCANT_OK) status = few_run(&request, &images, a->own.pair, &words, &error);
  images_free(&images);
  return print_words(a, status, &words, &error);
}

/* ---- any data set ----------------------------------------------------------- */

static int run_any(const experiment *e, const arguments *a) {
  (void)e;
  return run_curve(a);
}

/* ---- all of them ----------------------------------------------------------- */

static const experiment experiments[] = {
    {.words = {"lasso", "figure 1 again on MNIST, with the published curves behind"},
     .options = "data pair",
     .run = run_figure},
    {.words = {"ridge", "figure 2 again on MNIST"}, .options = "data pair", .run = run_figure},
    {.words = {"lasso-ablation", "figure 1 with one choice of a curve changed at a time"},
     .options = "data pair",
     .run = run_figure},
    {.words = {"ridge-ablation", "figure 2 with one choice of a curve changed at a time"},
     .options = "data pair",
     .run = run_figure},
    {.words = {"few", "error against attributes bought per prediction, on MNIST, beside the best fixed ones"},
     .options = "data pair",
     .run = run_few,
     .algorithms = few_curves},
    {.words = {"curve", "error against attributes, examples and money on any data set"},
     .options = "data points split test test-labels spend",
     .takes_table = 1,
     .run = run_any},
    {.words = {"scaling", "attributes needed as d, K and the accuracy vary (table 1), with fitted exponents"},
     .options = "",
     .run = run_theory,
     .algorithms = scaling_algorithms,
     .theory = scaling_run},
    {.words = {"lower-bound", "excess risk on the distributions behind the lower bounds (theorems 2.1 and 2.2)"},
     .options = "",
     .run = run_theory,
     .algorithms = lower_bound_algorithms,
     .theory = lower_bound_run},
    {.words = {"svr", "aesvr, coinflip and full-svr over the smoothing, at equal expected attributes"},
     .options = "",
     .run = run_theory,
     .algorithms = svr_algorithms,
     .theory = svr_run},
};

#define EXPERIMENT_COUNT (sizeof experiments / sizeof *experiments)

const named *experiment_at(size_t index) {
  return index < EXPERIMENT_COUNT ? &experiments[index].words : NULL;
}

static int refuse_unused(const experiment *e, const arguments *a) {
  for (const scant_option *o = a->command->own; o->name; o++)
    if (arguments_given(a, o) && !has_word("out algorithms runs seed threads quiet", o->name) &&
        !has_word(e->options, o->name))
      return print_usage_failure(a->command, "experiment %s does not use --%s", e->words.name, o->name);
  const scant_option *o;
  for (size_t i = 0; !e->takes_table && (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(&a->settings, o))
      return print_usage_failure(a->command, "experiment %s does not use %s%s", e->words.name,
                                 strlen(o->name) > 1 ? "--" : "-", o->name);
  return EXIT_DONE;
}

int run_experiment(arguments *a) {
  char names[SCANT_ERROR_LENGTH / 2] = "";
  for (size_t i = 0; i < EXPERIMENT_COUNT; i++) {
    const experiment *e = &experiments[i];
    if (!strcmp(e->words.name, a->operands[0])) {
      int code = refuse_unused(e, a);
      return code == EXIT_DONE ? e->run(e, a) : code;
    }
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", e->words.name);
  }
  return print_usage_failure(a->command, "there is no experiment '%.100s'; there are %s", a->operands[0], names);
}
