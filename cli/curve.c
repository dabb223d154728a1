/* scant experiment curve */
#include "../experiments/curve.h"

#include <stdlib.h>

#include "experiment.h"

#define DEFAULT_LIST "auto,full-ridge standardise=yes"

static int check_arguments(const arguments *a) {
  const command *c = a->command;
  const scant_settings *s = &a->settings;
  const scant_option *split = c->own;
  while (split->offset != offsetof(own_options, split)) split++;
  if (!a->own.data) return print_usage_failure(c, "--data FILE is missing: the examples to learn from");
  if (a->own.test && arguments_given(a, split)) return print_usage_failure(c, "give --test or --split, not both");
  if (a->own.test_labels && !a->own.test) return print_usage_failure(c, "--test-labels goes with --test");
  if (s->budget && s->budget_cost > 0) return print_usage_failure(c, "give --budget or --budget-cost, not both");
  if ((s->budget_cost > 0 || a->own.spend) && !s->costs)
    return print_usage_failure(c, "--budget-cost and --spend need --costs FILE");
  return EXIT_DONE;
}

/* The folder of the results may hold the data, but not under these names. */
static int check_outputs(const arguments *a) {
  static const char *const ends[] = {".csv", ".svg", "-examples.svg", "-money.svg"};
  const char *const inputs[] = {a->own.data, a->own.test, a->settings.labels, a->own.test_labels, a->settings.costs};
  int code = experiment_check_out(a);
  for (size_t i = 0; code == EXIT_DONE && i < sizeof ends / sizeof *ends; i++) {
    page path = {0};
    page_put(&path, "%s/curve%s", a->own.out, ends[i]);
    code = files_check_output(a->command, path.text, inputs, sizeof inputs / sizeof *inputs);
    page_free(&path);
  }
  return code;
}

static scant_status run(curve_request *r, const char *folder, page *words, scant_error *error) {
  curve_results results = {.request = r};
  scant_status status = curve_run(&results, error);
  if (status == SCANT_OK) status = curve_write(&results, folder, words, error);
  free(results.outcome);
  return status;
}

int run_curve(const arguments *a) {
  int code = check_arguments(a);
  if (code != EXIT_DONE) return code;
  bar b = bar_start(a);
  curve_request r = {.data = a->own.data,
                     .test = a->own.test,
                     .test_labels = a->own.test_labels,
                     .settings = a->settings,
                     .runs = (size_t)a->own.runs,
                     .points = (size_t)a->own.points,
                     .seed = a->own.seed,
                     .pool = {(unsigned)a->own.threads, bar_show, &b}};
  r.settings.split = a->own.test ? 0 : a->own.split;
  r.settings.threads = 1; /* the runs are the threads */
  scant_error error = {"out of memory"};
  page words = {0};
  scant_status status =
      curve_read_entries(&r, a->own.algorithms ? a->own.algorithms : DEFAULT_LIST, a->own.spend, &error);
  if (status == SCANT_OK) status = curve_prepare(&r, &error);
  if (status == SCANT_OK) code = check_outputs(a);
  if (status == SCANT_OK && code == EXIT_DONE) status = run(&r, a->own.out, &words, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else if (code == EXIT_DONE) {
    fputs(words.text ? words.text : "", stdout);
    code = print_end(a->command);
  }
  page_free(&words);
  return code;
}
