/* scant experiment */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../experiments/figures.h"
#include "command.h"
#include "progress.h"

/* A bar with the time left, on a terminal. */
typedef struct {
  double started;
  int shown;
} bar;

static void show_bar(void *user, double share) {
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

/* Which curves: all, or those named in --algorithms, separated by commas. */
static int choose_curves(const arguments *a, results *r) {
  size_t count = 0;
  while (count < CURVES_MOST && r->figure->curves[count].name) count++;
  if (!a->own.algorithms) {
    for (; r->curve_count < count; r->curve_count++) r->curves[r->curve_count] = &r->figure->curves[r->curve_count];
    return EXIT_DONE;
  }
  for (const char *name = a->own.algorithms; *name; name += strspn(name, ",")) {
    size_t length = strcspn(name, ","), i = 0;
    while (i < count &&
           (strlen(r->figure->curves[i].name) != length || strncmp(r->figure->curves[i].name, name, length) != 0))
      i++;
    if (i == count || r->curve_count == count)
      return print_usage_failure(a->command, "figure %s has no curve '%.*s'", r->figure->name, (int)length, name);
    r->curves[r->curve_count++] = &r->figure->curves[i];
    name += length;
  }
  return EXIT_DONE;
}

static int check_folders(const arguments *a) {
  struct stat facts;
  if (!a->own.data) return print_usage_failure(a->command, "--data DIR is missing: the folder with MNIST's IDX files");
  if (stat(a->own.data, &facts) != 0 || !S_ISDIR(facts.st_mode))
    return failure(a, SCANT_NO_INPUT, "there is no folder '%.300s' (make data gets MNIST)", a->own.data);
  if ((stat(a->own.out, &facts) != 0 && mkdir(a->own.out, 0777) != 0) ||
      (stat(a->own.out, &facts) == 0 && (!S_ISDIR(facts.st_mode) || access(a->own.out, W_OK) != 0)))
    return failure(a, SCANT_IO, "can't write to the folder '%.300s'", a->own.out);
  return EXIT_DONE;
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

int run_experiment(arguments *a) {
  results r = {.figure = figure_find(a->operands[0]), .pair = a->own.pair, .runs = (size_t)a->own.runs};
  if (!r.figure)
    return print_usage_failure(a->command,
                               "there is no experiment '%s'; there are lasso, ridge, lasso-ablation and ridge-ablation",
                               a->operands[0]);
  int code = choose_curves(a, &r);
  if (code == EXIT_DONE) code = check_folders(a);
  image_set images = {0};
  scant_error error;
  scant_status status = SCANT_OK;
  bar b = {progress_clock(), !a->own.quiet && isatty(2)};
  if (code == EXIT_DONE) {
    status = images_load(&images, a->own.data, a->own.pair, &error);
    if (status == SCANT_OK)
      status = figure_run(&r, &images, a->own.seed, (unsigned)a->own.threads, show_bar, &b, &error);
    if (status == SCANT_OK) status = figure_write(&r, a->own.out, &error);
    if (status != SCANT_OK) {
      code = print_failure(a->command, status, &error);
    } else {
      print_summary(&r, a->own.out);
      code = print_end(a->command);
    }
  }
  images_free(&images);
  free(r.outcome);
  return code;
}
