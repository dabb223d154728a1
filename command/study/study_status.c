/* scant study status */
#include <math.h>
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
  if (scant_study_is_priced(study))
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

static void print_open(const scant_study_order *o) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, o->asked_at);
  printf("  %6llu  %-11s  %-25s  %13llu  %10.2f  %s\n", (count)o->number, scant_order_state_name(o->state), local,
         (count)o->age, study_money(o->price), o->example);
}

static scant_status print_each_open(scant_study *study, scant_error *error) {
  const scant_study_order *o;
  for (uint64_t number = 0;; number = o->number) {
    scant_status status = scant_study_open_after(study, number, &o, error);
    if (status != SCANT_OK || !o) return status;
    if (!number)
      printf("\nopen orders\n   order  state        asked at                   learned since       price  example\n");
    print_open(o);
  }
}

/* ---- as JSON ---------------------------------------------------------------------- */

static scant_status print_json(scant_study *study, const char *where, const scant_study_status *t,
                               const scant_study_outlook *outlook, scant_error *error) {
  scant_json_writer out = document_begin();
  scant_study_json_status(&out, study, t);
  scant_json_text(&out, "served_at", *where ? where : NULL);
  if (outlook->runs) {
    scant_json_open(&out, "until_error", '{');
    scant_study_json_outlook(&out, outlook);
    scant_json_close(&out);
  }
  scant_status status = scant_study_json_purchases(&out, "attributes", study, error);
  if (status == SCANT_OK) status = scant_study_json_open_orders(&out, "open_orders", study, error);
  return document_print(&out, status, error);
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
    return scant_fail(error, SCANT_USAGE, "--plot draws SVG: the name of '%.300s' must end in .svg", a->own.plot);
  SCANT_TRY(scant_study_get_status(study, &t, error));
  if (a->own.until_error > 0)
    SCANT_TRY(scant_study_foresee(study, a->own.until_error, a->settings.runtime.threads, NULL, NULL, &outlook, error));
  if (a->own.plot) SCANT_TRY(study_plot(study, a->operands[1], a->own.plot, error));
  SCANT_TRY(scant_study_find_service(a->operands[1], where, sizeof where, error));
  if (a->own.json) return print_json(study, where, &t, &outlook, error);
  print_settings(a, study);
  if (*where) printf("service      at %s: whoever writes goes there\n", where);
  print_orders(&t);
  print_money(study, &t);
  print_learner(&t);
  if (outlook.runs) print_outlook(&outlook);
  scant_status status = print_each_open(study, error);
  if (status == SCANT_OK && a->own.plot) printf("\n%s is drawn\n", a->own.plot);
  return status;
}
