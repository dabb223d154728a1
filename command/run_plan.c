/* scant plan */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/progress.h"
#include "plan_session.h"

/* ---- the command line --------------------------------------------------------------- */

/* "2,8,d"; d is not known yet. */
static int read_list(const command *c, const char *list, plan_session *s) {
  for (size_t i = 0; list; i++) {
    size_t width = strcspn(list, ",");
    char *end = NULL;
    if (i == PLAN_K_MOST) return print_usage_failure(c, "-k has more than %d numbers", PLAN_K_MOST);
    s->k_is_d[i] = width == 1 && *list == 'd';
    unsigned long long k = s->k_is_d[i] ? 0 : strtoull(list, &end, 10);
    if (!s->k_is_d[i] && (*list < '0' || *list > '9' || end != list + width || k > 4294967295u))
      return print_usage_failure(c, "'%.*s' in -k is no number of attributes", (int)(width < 40 ? width : 40), list);
    s->k[i] = k;
    s->request.k_count = i + 1;
    list = list[width] ? list + width + 1 : NULL;
  }
  return EXIT_DONE;
}

static int read_label_cost(const arguments *a, uint64_t *hundredths) {
  const char *text = a->own.label_cost;
  char *end = NULL;
  if (!text) return EXIT_DONE;
  double x = strtod(text, &end), rounded = round(100 * x);
  if (end == text || *end || !(x >= 0) || x > 1e11)
    return print_usage_failure(a->command, "--label-cost '%.40s' is no amount of money, 0 or more", text);
  if (x != rounded / 100) return print_usage_failure(a->command, "--label-cost %.40s has more than two decimals", text);
  *hundredths = (uint64_t)rounded;
  return EXIT_DONE;
}

static int ends_in_svg(const char *path) {
  size_t length = strlen(path);
  return length >= 4 && !strcmp(path + length - 4, ".svg");
}

static int check_arguments(const arguments *a) {
  const command *c = a->command;
  const scant_settings *s = &a->settings;
  const char *const inputs[] = {a->operands[0], s->run.costs, s->reading.labels};
  if (s->run.budget && s->run.budget_cost > 0)
    return print_usage_failure(c, "give --budget or --budget-cost, not both");
  if (!s->run.budget && !(s->run.budget_cost > 0) && !(a->own.reach > 0))
    return print_usage_failure(c, "give --budget N, --budget-cost C or --reach E");
  if (a->own.plot && !ends_in_svg(a->own.plot))
    return print_usage_failure(c, "--plot draws SVG: the name of '%s' must end in .svg", a->own.plot);
  return a->own.plot ? files_check_output(c, a->own.plot, inputs, sizeof inputs / sizeof *inputs) : EXIT_DONE;
}

/* ---- the pilot ------------------------------------------------------------------------ */

static int is_model(const char *path) {
  FILE *file = fopen(path, "rb");
  int first = file ? fgetc(file) : EOF;
  if (file) fclose(file);
  return first == '{';
}

/* A model or a study: options that say how data are read have no use. */
static scant_status refuse_reading(const arguments *a, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!(o->scope & SCANT_SCOPE_DATA) || !scant_settings_is_given(&a->settings, o)) continue;
    return scant_fail(error, SCANT_USAGE, "--%s is for a pilot of a data file, and '%.200s' is none", o->name,
                      a->operands[0]);
  }
  return SCANT_OK;
}

static scant_status open_pilot(plan_session *s, const arguments *a, scant_error *error) {
  const char *path = a->operands[0];
  int study = study_is_one(path), model = !study && is_model(path);
  scant_status status = SCANT_OK;
  if (study || model) status = refuse_reading(a, error);
  if (status == SCANT_OK && study) status = study_pilot(path, &a->settings, &s->source, &s->own_prices, error);
  if (status == SCANT_OK && model) status = scant_model_load(&s->model, path, error);
  if (!study && !model) {
    status = scant_source_open(&s->source, path, &a->settings, SCANT_TARGET_REQUIRED, error);
    if (status == SCANT_OK) print_note(s->source, SCANT_NOTE_SCAN);
  }
  if (status != SCANT_OK || !a->settings.run.costs) return status;
  scant_prices_free(s->own_prices);
  s->own_prices = NULL;
  return s->model ? scant_model_load_prices(s->model, a->settings.run.costs, &s->own_prices, error)
                  : scant_prices_load(&s->own_prices, a->settings.run.costs, s->source, error);
}

/* ---- all of it -------------------------------------------------------------------------- */

static int show(void *user, double share) {
  bar_show(user, share);
  return 0;
}

static void fill_request(plan_session *s, const arguments *a, bar *b) {
  size_t d = s->model ? scant_model_dimension(s->model) : scant_source_dimension(s->source);
  const scant_run *run = &a->settings.run;
  scant_plan_request *r = &s->request;
  s->prices = s->own_prices ? s->own_prices : s->model ? scant_model_prices(s->model) : NULL;
  for (size_t i = 0; i < r->k_count; i++)
    if (s->k_is_d[i]) s->k[i] = d;
  r->settings = &a->settings;
  r->model = s->model;
  r->pilot = s->source;
  r->prices = s->prices;
  r->k = s->k;
  r->unit = run->budget_cost > 0 || (s->prices && !run->budget) ? SCANT_CURVE_MONEY : SCANT_CURVE_ATTRIBUTES;
  r->budget = run->budget_cost > 0 ? (uint64_t)llround(100 * run->budget_cost) : run->budget;
  r->examples = a->own.examples;
  r->reach = a->own.reach;
  r->runs = (size_t)a->own.runs;
  r->seed = a->own.seed;
  r->threads = a->own.threads;
  r->progress = show;
  r->user = b;
}

static scant_status run(plan_session *s, const arguments *a, scant_error *error) {
  bar b;
  SCANT_TRY(open_pilot(s, a, error));
  fill_request(s, a, &b);
  SCANT_TRY(scant_plan_new(&s->plan, &s->request, error));
  scant_plan_get_facts(s->plan, &s->facts);
  if (!a->own.quiet) plan_announce(s, a->own.threads);
  b = bar_start(a);
  scant_status status = scant_plan_run(s->plan, error);
  scant_plan_get_facts(s->plan, &s->facts);
  for (size_t i = 0; status == SCANT_OK && i < s->facts.k_count; i++)
    status = scant_plan_entry_at(s->plan, i, &s->entries[i], error);
  if (status == SCANT_OK && a->own.plot) status = plan_draw(s, a->own.plot, error);
  return status;
}

static int run_session(plan_session *s, const arguments *a) {
  scant_error error = {"out of memory"};
  int code = read_list(a->command, a->own.k_list, s);
  if (code == EXIT_DONE) code = read_label_cost(a, &s->request.label_cost);
  if (code != EXIT_DONE) return code;
  s->pilot = a->operands[0];
  s->started = progress_clock();
  scant_status status = run(s, a, &error);
  return status == SCANT_OK ? plan_print(s, a) : print_failure(a->command, status, &error);
}

int run_plan(arguments *a) {
  scant_error error = {"out of memory"};
  int code = check_arguments(a);
  if (code != EXIT_DONE) return code;
  plan_session *s = calloc(1, sizeof *s);
  if (!s) return print_failure(a->command, SCANT_MEMORY, &error);
  code = run_session(s, a);
  scant_plan_free(s->plan);
  scant_prices_free(s->own_prices);
  scant_source_free(s->source);
  scant_model_free(s->model);
  free(s);
  return code;
}
