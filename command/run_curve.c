/* scant curve */
#include "curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/progress.h"

#define DEFAULT_LIST "auto,full-ridge standardise=yes"

/* ---- entries: "auto k=12,aerr eta=0.01 radius=3" ---------------------------------- */

static int is_given(const scant_settings *s, const char *name) {
  return scant_settings_is_given(s, scant_option_find(name));
}

/* It takes its own options, and K unless it looks at everything. */
static int takes(const scant_algorithm *algorithm, const char *option) {
  return scant_algorithm_takes(algorithm, option) || (!algorithm->whole && !strcmp(option, "k"));
}

/* One word after the algorithm's name: name=value. */
static scant_status read_option(scant_settings *settings, const scant_algorithm *algorithm, char *word,
                                scant_error *error) {
  char *value = strchr(word, '=');
  if (!value) return scant_fail(error, SCANT_USAGE, "'%.100s' is not an option: write NAME=VALUE", word);
  *value++ = 0;
  if (!takes(algorithm, word))
    return scant_fail(error, SCANT_USAGE, "%.100s is not an option of %s, which takes %s%s", word, algorithm->name,
                      algorithm->whole ? "" : "k ", algorithm->options);
  scant_error inner;
  scant_status status = scant_settings_set(settings, word, value, &inner);
  return status == SCANT_OK ? SCANT_OK : scant_fail(error, status, "%s: %.300s", algorithm->name, inner.text);
}

/* An algorithm that looks at everything is centred, and its radius is chosen, unless its entry says otherwise. */
static void set_whole(scant_settings *s, const scant_algorithm *algorithm) {
  if (scant_algorithm_takes(algorithm, "center") && !is_given(s, "center"))
    scant_settings_set(s, "center", "yes", NULL);
  if (scant_algorithm_takes(algorithm, "radius") && !is_given(s, "radius")) s->learning.radius = NAN;
}

/* Refuses what is wrong whatever the data are. */
static scant_status check_entry(const scant_curve_entry *e, const scant_algorithm *algorithm, scant_error *error) {
  scant_settings resolved = e->settings;
  if (algorithm->whole && !algorithm->dense) resolved.learning.radius = 1; /* a radius will be chosen */
  scant_error inner;
  if (scant_settings_resolve(&resolved, &inner) != SCANT_OK)
    return scant_fail(error, SCANT_USAGE, "%s: %.400s", e->label, inner.text);
  if (!algorithm->whole && resolved.learning.average == SCANT_AVERAGE_HALF)
    return scant_fail(error, SCANT_USAGE,
                      "%s: average half needs a fit of known length, and here one fit serves all points", e->label);
  return SCANT_OK;
}

/* Takes the text of an entry as its label; no two entries may have the same. */
static scant_status read_label(curve_request *r, const char *text, size_t length, scant_error *error) {
  if (r->entry_count == CURVE_ENTRIES)
    return scant_fail(error, SCANT_USAGE, "--algorithms has more than %d entries", CURVE_ENTRIES);
  char *label = r->labels[r->entry_count];
  if (length >= CURVE_LABEL) return scant_fail(error, SCANT_USAGE, "'%.60s...' in --algorithms is too long", text);
  memcpy(label, text, length);
  label[length] = 0;
  for (size_t i = 0; i < r->entry_count; i++)
    if (!strcmp(r->labels[i], label)) return scant_fail(error, SCANT_USAGE, "--algorithms names %s twice", label);
  r->entries[r->entry_count] = (scant_curve_entry){label, r->settings};
  return SCANT_OK;
}

static scant_status read_entry(curve_request *r, const char *text, size_t length, const char *spend,
                               scant_error *error) {
  scant_curve_entry *e = &r->entries[r->entry_count];
  char words[CURVE_LABEL], *rest = NULL;
  scant_status status = read_label(r, text, length, error);
  if (status != SCANT_OK) return status;
  memcpy(words, e->label, length + 1);
  const char *name = strtok_r(words, " ", &rest);
  const scant_algorithm *algorithm = scant_algorithm_find(name);
  if (!strcmp(name, SCANT_DEFAULT_ALGORITHM))
    return scant_fail(error, SCANT_USAGE,
                      "a curve is of one algorithm, and %s stands for one of two: name gaussian or auto", name);
  if (!algorithm)
    return scant_fail(error, SCANT_USAGE, "there is no algorithm '%s'; 'scant algorithms' lists them", name);
  e->settings.learning.algorithm = algorithm->name;
  if (algorithm->whole) e->settings.learning.k = 0; /* it is d */
  if (spend && scant_algorithm_takes(algorithm, "spend"))
    status = scant_settings_set(&e->settings, "spend", spend, error);
  for (char *word = strtok_r(NULL, " ", &rest); status == SCANT_OK && word; word = strtok_r(NULL, " ", &rest))
    status = read_option(&e->settings, algorithm, word, error);
  if (algorithm->whole) set_whole(&e->settings, algorithm);
  if (status == SCANT_OK) status = check_entry(e, algorithm, error);
  if (status == SCANT_OK) r->entry_count++;
  return status;
}

int curve_sees_all(const curve_request *request, size_t entry) {
  return scant_algorithm_find(request->entries[entry].settings.learning.algorithm)->whole;
}

uint64_t curve_largest_k(const curve_request *request) {
  uint64_t most = 0;
  for (size_t i = 0; i < request->entry_count; i++)
    if (!curve_sees_all(request, i) && request->entries[i].settings.learning.k > most)
      most = request->entries[i].settings.learning.k;
  return most;
}

uint64_t curve_common_k(const curve_request *request) {
  uint64_t most = curve_largest_k(request);
  for (size_t i = 0; i < request->entry_count; i++)
    if (!curve_sees_all(request, i) && request->entries[i].settings.learning.k != most) return 0;
  return most;
}

/* Fills the entries from the settings and a list "algorithm name=value ...,algorithm"; SCANT_USAGE with a sentence if
 * the list is wrong.  `spend` (NULL: none) goes to the algorithms that take it. */
static scant_status read_entries(curve_request *request, const char *list, const char *spend, scant_error *error) {
  scant_status status = SCANT_OK;
  for (list += strspn(list, ", "); status == SCANT_OK && *list; list += strspn(list, ", ")) {
    size_t length = strcspn(list, ","), kept = length;
    while (kept && list[kept - 1] == ' ') kept--;
    status = read_entry(request, list, kept, spend, error);
    list += length;
  }
  if (status == SCANT_OK && !request->entry_count) return scant_fail(error, SCANT_USAGE, "--algorithms names none");
  return status;
}

/* ---- the command line ---------------------------------------------------------------- */

static int check_arguments(const arguments *a) {
  const command *c = a->command;
  const scant_settings *s = &a->settings;
  const scant_option *split = c->own;
  while (split->offset != offsetof(own_options, split)) split++;
  if (a->own.test && arguments_given(a, split)) return print_usage_failure(c, "give --test or --split, not both");
  if (a->own.test_labels && !a->own.test) return print_usage_failure(c, "--test-labels needs --test");
  if (s->run.budget && s->run.budget_cost > 0)
    return print_usage_failure(c, "give --budget or --budget-cost, not both");
  if ((s->run.budget_cost > 0 || a->own.spend) && !s->run.costs)
    return print_usage_failure(c, "--budget-cost and --spend need --costs FILE");
  return EXIT_DONE;
}

/* The folder of the results may hold the data, but not under these names. */
static int check_outputs(const arguments *a) {
  static const char *const ends[] = {".csv", "-runs.csv", ".svg", "-examples.svg", "-money.svg"};
  const char *const inputs[] = {a->operands[0], a->own.test, a->settings.reading.labels, a->own.test_labels,
                                a->settings.run.costs};
  int code = files_make_folder(a->command, a->own.out);
  for (size_t i = 0; code == EXIT_DONE && i < sizeof ends / sizeof *ends; i++) {
    svg_text path = {0};
    svg_put(&path, "%s/curve%s", a->own.out, ends[i]);
    code = files_check_output(a->command, path.text, inputs, sizeof inputs / sizeof *inputs);
    svg_free(&path);
  }
  return code;
}

/* The test file is read like the training file, its target by name. */
static scant_status open_test(const curve_request *r, const scant_source *train, scant_source **test,
                              scant_error *error) {
  scant_settings settings = r->settings;
  settings.reading.labels = r->test_labels;
  settings.given = 0;              /* options that fit the training file need not fit this one */
  settings.reading.one_hot = NULL; /* the model has the categories */
  int nameless = settings.reading.header == SCANT_HEADER_NO && scant_source_name(train, 0);
  if (!settings.reading.target && !nameless) settings.reading.target = scant_source_target_name(train);
  return files_open_test(test, r->test, &settings, error);
}

static scant_status open_data(void *user, scant_source **train, scant_source **test, scant_error *error) {
  curve_request *r = user;
  scant_status status = scant_source_open(train, r->data, &r->settings, SCANT_TARGET_REQUIRED, error);
  if (!r->noted) { /* the first time, before there are threads */
    r->noted = 1;
    print_note(status == SCANT_OK ? *train : NULL, SCANT_NOTE_SCAN);
  }
  if (status == SCANT_OK && r->test) status = open_test(r, *train, test, error);
  return status;
}

/* Refuses what does not fit the data, and decides where the last point is. */
static scant_status prepare(curve_request *r, scant_error *error) {
  uint64_t examples = 0, k = curve_largest_k(r);
  scant_curve_plan *plan = &r->plan;
  SCANT_TRY(scant_curves_check(plan, &examples, &r->dimension, error));
  if (r->settings.learning.k) k = r->settings.learning.k;
  plan->unit = r->settings.run.budget_cost > 0 ? SCANT_CURVE_MONEY : SCANT_CURVE_ATTRIBUTES;
  plan->end = r->settings.run.budget ? r->settings.run.budget : (k ? k : r->dimension) * examples;
  if (plan->unit == SCANT_CURVE_MONEY) plan->end = (uint64_t)llround(100 * r->settings.run.budget_cost);
  r->points = calloc(r->entry_count * plan->runs * plan->points, sizeof *r->points);
  if (r->points) return SCANT_OK;
  return scant_fail(error, SCANT_MEMORY, "out of memory");
}

static scant_status run(curve_request *r, const char *folder, svg_text *words, scant_error *error) {
  SCANT_TRY(scant_curves_run(&r->plan, r->points, error));
  SCANT_TRY(curve_write(r, folder, words, error));
  return curve_draw(r, folder, error);
}

static void fill_request(curve_request *r, const arguments *a, bar *b) {
  *r = (curve_request){
      .data = a->operands[0], .test = a->own.test, .test_labels = a->own.test_labels, .settings = a->settings};
  r->settings.run.split = a->own.test ? 0 : a->own.split;
  r->settings.runtime.threads = 1; /* the runs are the threads */
  r->plan = (scant_curve_plan){.entries = r->entries,
                               .points = (size_t)a->own.points,
                               .runs = (size_t)a->own.runs,
                               .seed = a->own.seed,
                               .threads = a->own.threads,
                               .open = open_data,
                               .user = r,
                               .progress = bar_show,
                               .progress_user = b};
}

int run_curve(arguments *a) {
  int code = check_arguments(a);
  if (code != EXIT_DONE) return code;
  bar b = bar_start(a);
  curve_request r;
  fill_request(&r, a, &b);
  scant_error error = {"out of memory"};
  svg_text words = {0};
  scant_status status = read_entries(&r, a->own.algorithms ? a->own.algorithms : DEFAULT_LIST, a->own.spend, &error);
  r.plan.entry_count = r.entry_count;
  if (status == SCANT_OK) status = prepare(&r, &error);
  if (status == SCANT_OK) code = check_outputs(a);
  if (status == SCANT_OK && code == EXIT_DONE) status = run(&r, a->own.out, &words, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else if (code == EXIT_DONE) {
    fputs(words.text ? words.text : "", stdout);
    code = print_end(a->command);
  }
  free(r.points);
  svg_free(&words);
  return code;
}
