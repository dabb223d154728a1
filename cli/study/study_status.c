/* scant study status */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "study_actions.h"

typedef unsigned long long count;

enum { WHERE = 500 }; /* room for the address of a service */

/* ---- as text --------------------------------------------------------------------- */

static void print_settings(const arguments *a, const scant_study *study) {
  const scant_settings *s = scant_study_settings(study);
  printf("study        %s: %zu attributes, target %s\n", a->operands[1], scant_study_dimension(study),
         scant_study_target(study));
  printf("settings     %s", s->learning.algorithm);
  if (s->learning.k) printf(", K = %llu", (count)s->learning.k);
  if (s->learning.spend > 0) printf(", at most %.2f per example", s->learning.spend);
  printf(", seed %llu\n", (count)s->learning.seed);
}

static void print_service(const char *where) {
  if (*where) printf("service      at %s: whoever writes goes there\n", where);
}

static void print_orders(const scant_study_status *t) {
  const struct {
    uint64_t count;
    const char *word;
  } parts[] = {{t->open, "open"},
               {t->cancelled, "cancelled"},
               {t->expired, "expired"},
               {t->failed, "failed"},
               {t->erased, "erased"}};
  printf("orders       %llu: %llu learned", (count)t->orders, (count)t->learned);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].count) printf(", %llu %s", (count)parts[i].count, parts[i].word);
  printf("\n");
  if (t->unswept)
    printf("erasure      not finished: bytes of it may still be in the file; see 'study erase --finish'\n");
  if (t->differ)
    printf("entries      %llu value%s differ%s from the second entry: see 'study list --differs'\n", (count)t->differ,
           t->differ == 1 ? "" : "s", t->differ == 1 ? "s" : "");
  if (t->imported) printf("imported     %llu example%s\n", (count)t->imported, t->imported == 1 ? "" : "s");
}

static void print_money(const scant_study *study, const scant_study_status *t) {
  printf("attributes   %llu learned from, %llu bought or ordered in all\n", (count)t->attributes_bought,
         (count)t->attributes_reserved);
  if (study_is_priced(study))
    printf("money        %.2f spent, %.2f reserved for open orders\n", study_money(t->spent), study_money(t->reserved));
  study_print_left(t, "budget       ");
  if (t->budget_cost || t->budget) printf("\n");
}

static void print_learner(const scant_study_status *t) {
  printf("risk         ");
  if (isfinite(t->risk) && isfinite(t->risk_error))
    printf("%.4g +- %.2g, the squared error estimated from what was measured\n", t->risk, t->risk_error);
  else
    printf("not known yet\n");
  if (t->learned)
    printf("staleness    %.3g examples were learned between asking and learning on average, at most %llu\n",
           t->mean_age, (count)t->most_age);
  printf("ledger       %llu event%s\n", (count)t->events, t->events == 1 ? "" : "s");
}

static void print_outlook(const scant_study_outlook *l) {
  printf("to error %-3.4g ", l->error);
  if (isfinite(l->examples))
    printf("about %.0f more example%s, %.0f in all", l->more, l->more == 1 ? "" : "s", l->examples);
  else
    printf("more examples than were simulated");
  printf(" with K = %llu; %zu of %zu simulated studies come to it\n", (count)l->k, l->reached, l->runs);
}

/* Calls `see` for each open order, with the number of open orders before it and `with`. */
static scant_status each_open(scant_study *study, void (*see)(const scant_study_order *, size_t, void *), void *with,
                              scant_error *error) {
  const scant_study_order *o;
  size_t before = 0;
  for (uint64_t number = 0;; number = o->number) {
    scant_status status = scant_study_open_after(study, number, &o, error);
    if (status != SCANT_OK || !o) return status;
    see(o, before++, with);
  }
}

static void print_open(const scant_study_order *o, size_t before, void *with) {
  char local[STUDY_TIME];
  (void)with;
  study_format_local(local, o->asked_at);
  if (!before)
    printf("\nopen orders\n   order  state        asked at                   learned since       price  example\n");
  printf("  %6llu  %-11s  %-25s  %13llu  %10.2f  %s\n", (count)o->number, scant_order_state_name(o->state), local,
         (count)o->age, study_money(o->price), o->example);
}

/* ---- as JSON ---------------------------------------------------------------------- */

static void put_open(const scant_study_order *o, size_t before, void *with) {
  json *out = with;
  char local[STUDY_TIME];
  (void)before;
  study_format_local(local, o->asked_at);
  json_open(out, NULL, '{');
  json_count(out, "order", o->number);
  json_text(out, "example", o->example);
  json_text(out, "state", scant_order_state_name(o->state));
  json_text(out, "asked_at", o->asked_at);
  json_text(out, "asked_local", local);
  json_count(out, "learned_since", o->age);
  json_money(out, "price", o->price);
  json_money(out, "spent", o->spent);
  json_close(out);
}

static void put_counts(json *out, const scant_study *study, const scant_study_status *t) {
  const scant_settings *s = scant_study_settings(study);
  json_text(out, "algorithm", s->learning.algorithm);
  json_count(out, "k", s->learning.k);
  json_count(out, "seed", s->learning.seed);
  json_count(out, "dimension", scant_study_dimension(study));
  json_text(out, "target", scant_study_target(study));
  json_count(out, "events", t->events);
  json_count(out, "orders", t->orders);
  json_count(out, "open", t->open);
  json_count(out, "learned", t->learned);
  json_count(out, "cancelled", t->cancelled);
  json_count(out, "expired", t->expired);
  json_count(out, "failed", t->failed);
  json_count(out, "erased", t->erased);
  json_flag(out, "unswept", t->unswept);
  json_count(out, "differ", t->differ);
  json_count(out, "imported", t->imported);
  json_count(out, "attributes_bought", t->attributes_bought);
  json_count(out, "attributes_reserved", t->attributes_reserved);
  json_money(out, "spent", t->spent);
  json_money(out, "reserved", t->reserved);
  study_left_json(out, t);
  json_real(out, "risk", t->risk);
  json_real(out, "risk_error", t->risk_error);
  json_real(out, "mean_learned_since", t->mean_age);
  json_count(out, "most_learned_since", t->most_age);
}

static void put_outlook(json *out, const scant_study_outlook *l) {
  json_open(out, "until_error", '{');
  json_real(out, "error", l->error);
  json_real(out, "more", l->more); /* null where most do not come to it */
  json_real(out, "examples", l->examples);
  json_count(out, "learned", l->learned);
  json_count(out, "k", l->k);
  json_count(out, "runs", l->runs);
  json_count(out, "reached", l->reached);
  json_close(out);
}

static void put_service(json *out, const char *where) {
  if (*where)
    json_text(out, "served_at", where);
  else
    json_null(out, "served_at");
}

static scant_status print_json(scant_study *study, const char *where, const scant_study_status *t,
                               const scant_study_outlook *outlook, const uint64_t *purchases, const uint64_t *paid,
                               scant_error *error) {
  json out = {0};
  json_open(&out, NULL, '{');
  put_counts(&out, study, t);
  put_service(&out, where);
  if (outlook->runs) put_outlook(&out, outlook);
  json_open(&out, "attributes", '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    json_open(&out, NULL, '{');
    json_text(&out, "name", scant_study_attribute_at(study, i)->name);
    json_count(&out, "purchases", purchases[i]);
    json_money(&out, "money", paid[i]);
    json_close(&out);
  }
  json_close(&out);
  json_open(&out, "open_orders", '[');
  scant_status status = each_open(study, put_open, &out, error);
  json_close(&out);
  json_close(&out);
  if (status == SCANT_OK) return json_print(&out, error);
  json_free(&out);
  return status;
}

static scant_status show_json(scant_study *study, const char *where, const scant_study_status *t,
                              const scant_study_outlook *outlook, scant_error *error) {
  size_t d = scant_study_dimension(study);
  uint64_t *purchases = calloc(2 * d, sizeof *purchases);
  if (!purchases) return study_refuse_memory(error);
  scant_status status = scant_study_purchases(study, purchases, purchases + d, error);
  if (status == SCANT_OK) status = print_json(study, where, t, outlook, purchases, purchases + d, error);
  free(purchases);
  return status;
}

static int ends_in_svg(const char *path) {
  size_t length = strlen(path);
  return length >= 4 && !strcasecmp(path + length - 4, ".svg");
}

scant_status study_status(arguments *a, scant_study *study, scant_error *error) {
  scant_study_status t;
  scant_study_outlook outlook = {0};
  char where[WHERE];
  if (a->own.plot && !ends_in_svg(a->own.plot))
    return study_refuse_usage(error, "--plot draws SVG: the name of '%.300s' must end in .svg", a->own.plot);
  scant_status status = scant_study_get_status(study, &t, error);
  if (status == SCANT_OK && a->own.until_error > 0)
    status = scant_study_foresee(study, a->own.until_error, a->settings.runtime.threads, NULL, NULL, &outlook, error);
  if (status == SCANT_OK && a->own.plot) status = study_plot(study, a->operands[1], a->own.plot, error);
  if (status == SCANT_OK) status = scant_study_find_service(a->operands[1], where, sizeof where, error);
  if (status != SCANT_OK) return status;
  if (a->own.json) return show_json(study, where, &t, &outlook, error);
  print_settings(a, study);
  print_service(where);
  print_orders(&t);
  print_money(study, &t);
  print_learner(&t);
  if (outlook.runs) print_outlook(&outlook);
  status = each_open(study, print_open, NULL, error);
  if (status == SCANT_OK && a->own.plot) printf("\n%s is drawn\n", a->own.plot);
  return status;
}
