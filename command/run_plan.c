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

#define PER_SECOND 1e9 /* multiplications, roughly */

/* Says beforehand how long it takes, roughly. */
static void announce(const plan_session *session, uint64_t threads) {
  const scant_plan_facts *f = &session->facts;
  double so_far = progress_clock() - session->started;
  if (f->pilot_examples) fprintf(stderr, "the pilot took %.0f s; ", ceil(so_far));
  fprintf(stderr, "%zu simulated fits, %zu of each K, in roughly %.0f s%s\n", f->k_count * f->runs, f->runs,
          ceil(f->work / PER_SECOND / (double)threads), f->pilot_examples ? " more" : "");
}

static const char *unit_of(const plan_session *s) {
  return s->prices && s->request.unit == SCANT_CURVE_MONEY ? "money" : s->request.label_cost ? "money" : "attributes";
}

/* ---- the plan in words -------------------------------------------------------------------------------- */

static void print_notes(const plan_session *s, scant_plan_note first, scant_plan_note last) {
  for (scant_plan_note note = first; note <= last; note++) {
    scant_error sentence;
    if (scant_plan_say(s->plan, note, &sentence)) printf("%s\n", sentence.text);
  }
}

static void print_table(const plan_session *s) {
  printf("\n%8s  %-10s %10s %12s   %-24s %6s\n", "K", "algorithm", "examples", unit_of(s), "squared error", "R^2");
  for (size_t i = 0; i < s->facts.k_count; i++) {
    const scant_plan_entry *e = &s->entries[i];
    int taken = i == s->facts.recommended_budget && !s->facts.worse_than_mean;
    char error[64];
    snprintf(error, sizeof error, s->facts.runs > 1 ? "%.4g +- %.2g" : "%.4g", e->error, e->sd);
    printf("%8llu  %-10s %10.0f %12.10g   %-24s %6.3f%s\n", (unsigned long long)e->k, e->algorithm, round(e->examples),
           round(e->money), error, e->r2, taken ? "  <" : "");
  }
}

/* The range of the runs, and how many of them come to the wanted error. */
static void describe_range(const plan_session *s, const scant_plan_entry *e, char *text, size_t size) {
  if (!e->reached)
    snprintf(text, size, "not within %.10g", s->facts.limit);
  else if (isfinite(e->reach_high))
    snprintf(text, size, "%.10g to %.10g", ceil(e->reach_low), ceil(e->reach_high));
  else
    snprintf(text, size, "%.10g to more; %zu of %zu runs", ceil(e->reach_low), e->reached, s->facts.runs);
}

static void print_reach(const plan_session *s) {
  int found = s->request.reach > 0 && isfinite(s->entries[s->facts.recommended % s->facts.k_count].reach_money);
  printf("\n%8s  %-10s %10s %12s   %s\n", "K", "algorithm", "examples", unit_of(s), "least to most of the runs");
  for (size_t i = 0; i < s->facts.k_count; i++) {
    const scant_plan_entry *e = &s->entries[i];
    char range[80];
    describe_range(s, e, range, sizeof range);
    printf("%8llu  %-10s ", (unsigned long long)e->k, e->algorithm);
    if (e->reached && isfinite(e->reach_money)) /* in more than half of the runs */
      printf("%10.0f %12.10g", ceil(e->reach_examples), ceil(e->reach_money));
    else
      printf("%10s %12s", "-", "-");
    printf("   %s%s\n", range, found && i == s->facts.recommended ? "  <" : "");
  }
}

static void print_words(const plan_session *s, const arguments *a) {
  const scant_plan_facts *f = &s->facts;
  print_notes(s, SCANT_PLAN_PILOT, SCANT_PLAN_FAR);
  if (s->request.budget) print_table(s);
  if (s->request.reach > 0) {
    printf("\nfor a squared error of %.6g, simulated up to %s %.10g:\n", s->request.reach, unit_of(s), f->limit);
    print_reach(s);
  }
  printf("\nthe least squared error, with full information: %.4g", f->least);
  if (f->pilot_examples && f->runs > 1) printf(" +- %.2g", f->least_sd);
  printf("; of the mean alone: %.4g\n", f->variance);
  print_notes(s, SCANT_PLAN_RARE, SCANT_PLAN_BLOCKS);
  if (a->own.plot) printf("%s is drawn\n", a->own.plot);
}

/* ---- the plan as JSON ------------------------------------------------------------------------------------ */

static void put_points(scant_json_writer *out, const plan_session *s, size_t index) {
  scant_json_open(out, "runs", '[');
  for (size_t run = 0; run < s->facts.runs; run++) {
    scant_json_open(out, NULL, '[');
    for (size_t step = 0; step < s->facts.steps; step++) {
      scant_plan_point p;
      if (!scant_plan_point_at(s->plan, index, run, step, &p)) continue;
      scant_json_open(out, NULL, '{');
      scant_json_count(out, "examples", p.examples);
      scant_json_count(out, "attributes_bought", p.attributes);
      scant_json_money(out, "money", p.money);
      scant_json_real(out, "squared_error", p.error);
      scant_json_close(out);
    }
    scant_json_close(out);
  }
  scant_json_close(out);
}

static void put_entry(scant_json_writer *out, const plan_session *s, size_t index) {
  const scant_plan_entry *e = &s->entries[index];
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "k", e->k);
  scant_json_text(out, "algorithm", e->algorithm);
  if (s->request.budget) {
    scant_json_real(out, "examples", e->examples);
    scant_json_real(out, "attributes_bought", e->attributes);
    scant_json_real(out, "money", e->money);
    scant_json_real(out, "squared_error", e->error);
    scant_json_real(out, "sd", e->sd);
    scant_json_real(out, "r2", e->r2);
    scant_json_real(out, "regret", e->regret);
    scant_json_real(out, "regret_error", e->regret_error);
  }
  if (s->request.reach > 0) {
    scant_json_open(out, "reach", '{');
    scant_json_count(out, "runs", e->reached);
    scant_json_real(out, "examples", e->reached ? e->reach_examples : NAN);
    scant_json_real(out, "money", e->reached ? e->reach_money : NAN);
    scant_json_real(out, "low", e->reached ? e->reach_low : NAN);
    scant_json_real(out, "high", e->reached ? e->reach_high : NAN);
    scant_json_close(out);
  }
  put_points(out, s, index);
  scant_json_close(out);
}

static void put_k(scant_json_writer *out, const char *name, const plan_session *s, size_t index) {
  if (index < s->facts.k_count)
    scant_json_count(out, name, s->entries[index].k);
  else
    scant_json_null(out, name);
}

static void put_warnings(scant_json_writer *out, const plan_session *s) {
  scant_json_open(out, "warnings", '[');
  for (scant_plan_note note = SCANT_PLAN_UNKNOWN; note <= SCANT_PLAN_WORSE; note++) {
    scant_error sentence;
    if (scant_plan_say(s->plan, note, &sentence)) scant_json_text(out, NULL, sentence.text);
  }
  scant_json_close(out);
}

static scant_status print_json(const plan_session *s, scant_error *error) {
  const scant_plan_facts *f = &s->facts;
  scant_json_writer out = document_begin();
  put_k(&out, "k", s, f->recommended);
  put_k(&out, "budget_k", s, f->recommended_budget);
  scant_json_flag(&out, "worse_than_mean", f->worse_than_mean);
  put_warnings(&out, s);
  scant_json_text(&out, "target", s->model ? scant_model_target_name(s->model) : scant_source_target_name(s->source));
  scant_json_count(&out, "dimension", f->dimension);
  scant_json_count(&out, "pilot_examples", f->pilot_examples);
  scant_json_count(&out, "unknown_attributes", f->unknown);
  scant_json_real(&out, "shown", f->shown);
  scant_json_real(&out, "shown_error", f->shown_error);
  scant_json_real(&out, "strength", f->strength);
  scant_json_real(&out, "strength_error", f->strength_error);
  scant_json_real(&out, "target_variance", f->variance);
  scant_json_real(&out, "least_squared_error", f->least);
  scant_json_real(&out, "least_sd", f->least_sd);
  scant_json_real(&out, "limit", f->limit);
  scant_json_text(&out, "unit", unit_of(s));
  scant_json_count(&out, "seed", s->request.seed);
  scant_json_open(&out, "entries", '[');
  for (size_t i = 0; i < f->k_count; i++) put_entry(&out, s, i);
  scant_json_close(&out);
  scant_json_real(&out, "seconds", progress_clock() - s->started);
  return document_print(&out, SCANT_OK, error);
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
  if (!a->own.quiet) announce(s, a->own.threads);
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
  if (status == SCANT_OK && a->own.json) status = print_json(s, &error);
  if (status == SCANT_OK && !a->own.json) print_words(s, a);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
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
