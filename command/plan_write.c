/* The plan in words and as JSON. */
#include <math.h>

#include "base/json_document.h"
#include "plan_session.h"
#include "front/progress.h"

#define PER_SECOND 1e9 /* multiplications, roughly */

void plan_announce(const plan_session *session, uint64_t threads) {
  const scant_plan_facts *f = &session->facts;
  double so_far = progress_clock() - session->started;
  if (f->pilot_examples) fprintf(stderr, "the pilot took %.0f s; ", ceil(so_far));
  fprintf(stderr, "%zu simulated fits, %zu of each K, in roughly %.0f s%s\n", f->k_count * f->runs, f->runs,
          ceil(f->work / PER_SECOND / (double)threads), f->pilot_examples ? " more" : "");
}

static const char *unit_of(const plan_session *s) {
  return s->prices && s->request.unit == SCANT_CURVE_MONEY ? "money" : s->request.label_cost ? "money" : "attributes";
}

/* ---- words -------------------------------------------------------------------------------- */

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

static int print_words(const plan_session *s, const arguments *a) {
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
  return print_end(a->command);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_points(json *out, const plan_session *s, size_t index) {
  json_open(out, "runs", '[');
  for (size_t run = 0; run < s->facts.runs; run++) {
    json_open(out, NULL, '[');
    for (size_t step = 0; step < s->facts.steps; step++) {
      scant_plan_point p;
      if (!scant_plan_point_at(s->plan, index, run, step, &p)) continue;
      json_open(out, NULL, '{');
      json_count(out, "examples", p.examples);
      json_count(out, "attributes_bought", p.attributes);
      json_money(out, "money", p.money);
      json_real(out, "squared_error", p.error);
      json_close(out);
    }
    json_close(out);
  }
  json_close(out);
}

static void put_entry(json *out, const plan_session *s, size_t index) {
  const scant_plan_entry *e = &s->entries[index];
  json_open(out, NULL, '{');
  json_count(out, "k", e->k);
  json_text(out, "algorithm", e->algorithm);
  if (s->request.budget) {
    json_real(out, "examples", e->examples);
    json_real(out, "attributes_bought", e->attributes);
    json_real(out, "money", e->money);
    json_real(out, "squared_error", e->error);
    json_real(out, "sd", e->sd);
    json_real(out, "r2", e->r2);
    json_real(out, "regret", e->regret);
    json_real(out, "regret_error", e->regret_error);
  }
  if (s->request.reach > 0) {
    json_open(out, "reach", '{');
    json_count(out, "runs", e->reached);
    json_real(out, "examples", e->reached ? e->reach_examples : NAN);
    json_real(out, "money", e->reached ? e->reach_money : NAN);
    json_real(out, "low", e->reached ? e->reach_low : NAN);
    json_real(out, "high", e->reached ? e->reach_high : NAN);
    json_close(out);
  }
  put_points(out, s, index);
  json_close(out);
}

static void put_k(json *out, const char *name, const plan_session *s, size_t index) {
  if (index < s->facts.k_count)
    json_count(out, name, s->entries[index].k);
  else
    json_null(out, name);
}

static void put_warnings(json *out, const plan_session *s) {
  json_open(out, "warnings", '[');
  for (scant_plan_note note = SCANT_PLAN_UNKNOWN; note <= SCANT_PLAN_WORSE; note++) {
    scant_error sentence;
    if (scant_plan_say(s->plan, note, &sentence)) json_text(out, NULL, sentence.text);
  }
  json_close(out);
}

static int print_json(const plan_session *s, const arguments *a) {
  const scant_plan_facts *f = &s->facts;
  scant_error error;
  json out = {0};
  json_open(&out, NULL, '{');
  put_k(&out, "k", s, f->recommended);
  put_k(&out, "budget_k", s, f->recommended_budget);
  json_flag(&out, "worse_than_mean", f->worse_than_mean);
  put_warnings(&out, s);
  json_text(&out, "target", s->model ? scant_model_target_name(s->model) : scant_source_target_name(s->source));
  json_count(&out, "dimension", f->dimension);
  json_count(&out, "pilot_examples", f->pilot_examples);
  json_count(&out, "unknown_attributes", f->unknown);
  json_real(&out, "shown", f->shown);
  json_real(&out, "shown_error", f->shown_error);
  json_real(&out, "strength", f->strength);
  json_real(&out, "strength_error", f->strength_error);
  json_real(&out, "target_variance", f->variance);
  json_real(&out, "least_squared_error", f->least);
  json_real(&out, "least_sd", f->least_sd);
  json_real(&out, "limit", f->limit);
  json_text(&out, "unit", unit_of(s));
  json_count(&out, "seed", s->request.seed);
  json_open(&out, "entries", '[');
  for (size_t i = 0; i < f->k_count; i++) put_entry(&out, s, i);
  json_close(&out);
  json_real(&out, "seconds", progress_clock() - s->started);
  json_close(&out);
  scant_status status = json_print(&out, &error);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}

int plan_print(const plan_session *session, const arguments *a) {
  return a->own.json ? print_json(session, a) : print_words(session, a);
}
