/* scant show */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "model_report.h"

/* ---- the whole model as one JSON object ------------------------------------- */

/* A setting as what it is: a number, yes or no, a text. */
static void put_setting(scant_json_writer *out, const scant_settings *settings, const scant_option *o) {
  char name[64], value[256];
  const char *field = (const char *)settings + o->offset;
  snprintf(name, sizeof name, "%s", o->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  scant_settings_get(settings, o, value, sizeof value);
  int word = !strcmp(value, "auto") || !strcmp(value, "none");
  if (o->type == SCANT_OPTION_FLAG)
    scant_json_flag(out, name, *(const int *)(const void *)field);
  else if (o->type == SCANT_OPTION_COUNT)
    scant_json_count(out, name, *(const uint64_t *)(const void *)field);
  else if (o->type == SCANT_OPTION_REAL && !word)
    scant_json_real(out, name, *(const double *)(const void *)field);
  else
    scant_json_text(out, name, value);
}

static void put_settings(scant_json_writer *out, const scant_model *model) {
  const scant_settings *settings = scant_model_settings(model);
  const scant_option *o;
  scant_json_open(out, "settings", '{');
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(settings, o)) put_setting(out, settings, o); /* the file holds those that apply */
  scant_json_close(out);
  scant_json_real(out, "eta", scant_model_eta(model));
  scant_json_real(out, "penalty", scant_model_penalty(model));
}

static void put_ledger(scant_json_writer *out, const scant_model *model) {
  const scant_ledger *ledger = scant_model_ledger(model);
  scant_json_open(out, "ledger", '{');
  scant_json_count(out, "examples", ledger->examples);
  scant_json_count(out, "distinct_examples", ledger->distinct_examples);
  scant_json_count(out, "looks_drawn", ledger->looks_drawn);
  scant_json_count(out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  if (scant_model_prices(model)) scant_json_money(out, "money_spent", ledger->money_spent);
  scant_json_count(out, "missing_cells", ledger->missing_cells);
  scant_json_count(out, "skipped_examples", ledger->skipped_examples);
  scant_json_count(out, "refused_examples", ledger->refused_examples);
  scant_json_close(out);
}

/* By name, or by number from 1. */
static void put_attribute(scant_json_writer *out, const char *key, const scant_model *model, size_t attribute) {
  const char *name = scant_model_name(model, attribute);
  if (name)
    scant_json_text(out, key, name);
  else
    scant_json_count(out, key, attribute + 1);
}

static void put_weight(scant_json_writer *out, const scant_model *model, size_t i) {
  const double *errors = scant_model_errors(model), *low = scant_model_low(model);
  const scant_prices *prices = scant_model_prices(model);
  scant_json_open(out, NULL, '{');
  put_attribute(out, "attribute", model, i);
  scant_json_real(out, "weight", scant_model_weights(model)[i]);
  scant_json_real(out, "error", errors ? errors[i] : NAN);
  if (errors) scant_json_flag(out, "zero_inside", !errors_is_away(model, i, ERRORS_LEVEL));
  if (errors) scant_json_flag(out, "unpenalised", scant_model_is_unpenalised(model, i));
  scant_json_count(out, "purchases", scant_model_purchases(model)[i]);
  scant_json_real(out, "mean", scant_model_means(model)[i]);
  if (low) scant_json_real(out, "low", low[i]);
  if (low) scant_json_real(out, "high", scant_model_high(model)[i]);
  if (prices) scant_json_money(out, "cost", scant_prices_cost(prices, i));
  if (prices && scant_prices_group(prices, i)) scant_json_count(out, "group", scant_prices_group(prices, i));
  scant_json_close(out);
}

/* What predictions from a few attributes would buy, the best first. */
static scant_status put_order(scant_json_writer *out, const scant_model *model, scant_error *error) {
  scant_query *query;
  if (!scant_model_is_gaussian(model)) return SCANT_OK;
  scant_status status = scant_query_new(&query, model, scant_model_prices(model), error);
  if (status != SCANT_OK) return status;
  uint32_t attribute;
  scant_json_open(out, "buying_order", '[');
  while (status == SCANT_OK && scant_query_next(query, &attribute)) {
    put_attribute(out, NULL, model, attribute);
    status = scant_query_tell(query, attribute, 0, error);
  }
  scant_json_close(out);
  scant_query_free(query);
  return status;
}

static scant_status show_json(const scant_model *model, scant_error *error) {
  scant_json_writer out = document_begin();
  scant_json_text(&out, "algorithm", scant_model_settings(model)->learning.algorithm);
  scant_json_flag(&out, "checkpoint", scant_model_is_checkpoint(model));
  scant_json_count(&out, "dimension", scant_model_dimension(model));
  scant_json_text(&out, "target", scant_model_target_name(model));
  put_settings(&out, model);
  put_ledger(&out, model);
  scant_json_real(&out, "intercept", scant_model_intercept(model));
  scant_json_real(&out, "intercept_error", scant_model_intercept_error(model));
  scant_json_real(&out, "risk", scant_model_risk(model));
  scant_json_real(&out, "risk_error", scant_model_risk_error(model));
  errors_put(&out, model);
  scant_json_open(&out, "weights", '[');
  for (size_t i = 0; i < scant_model_dimension(model); i++) put_weight(&out, model, i);
  scant_json_close(&out);
  scant_status status = put_order(&out, model, error);
  if (status != SCANT_OK) return document_print(&out, status, error);
  return document_print(&out, SCANT_OK, error);
}

/* ---- as text ------------------------------------------------------------------ */

/* A name may hold control characters; the terminal must not see them. */
static void print_name(const char *name, int width) {
  for (; *name; name++, width -= ((unsigned char)*name & 0xc0) != 0x80)
    putchar((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name);
  for (; width > 0; width--) putchar(' ');
}

static void print_attribute(const scant_model *model, size_t attribute) {
  char number[32];
  printf("  ");
  print_name(few_name(model, attribute, number), 24);
}

static void show_settings(const scant_model *model) {
  const scant_settings *settings = scant_model_settings(model);
  const scant_option *o;
  printf("%s%s\n\nsettings\n", settings->learning.algorithm, scant_model_is_checkpoint(model) ? ", a checkpoint" : "");
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!scant_settings_is_given(settings, o)) continue; /* the file holds only those that apply */
    scant_settings_get(settings, o, value, sizeof value);
    printf("  %-24s %s\n", o->name, value);
  }
  if (isfinite(scant_model_eta(model))) printf("  %-24s %.6g\n", "eta used", scant_model_eta(model));
  if (isfinite(scant_model_penalty(model))) printf("  %-24s %.6g\n", "penalty used", scant_model_penalty(model));
  if (!scant_model_target_name(model)) return;
  printf("  %-24s ", "target");
  print_name(scant_model_target_name(model), 0);
  putchar('\n');
}

static void print_count(const char *name, uint64_t count) {
  printf("  %-24s %llu\n", name, (unsigned long long)count);
}

static void show_ledger(const scant_model *model) {
  const scant_ledger *ledger = scant_model_ledger(model);
  size_t d = scant_model_dimension(model);
  double examples = ledger->distinct_examples ? (double)ledger->distinct_examples : 1;
  printf("\nledger\n");
  print_count("examples", ledger->examples);
  print_count("looks drawn", ledger->looks_drawn);
  print_count("attributes bought", ledger->attributes_bought);
  printf("  %-24s %.4g on average, %llu at most, of %zu\n", "per example", (double)ledger->attributes_bought / examples,
         (unsigned long long)ledger->max_bought_per_example, d);
  if (ledger->missing_cells) print_count("missing cells", ledger->missing_cells);
  if (ledger->skipped_examples) print_count("skipped examples", ledger->skipped_examples);
  if (ledger->refused_examples) print_count("refused examples", ledger->refused_examples);
}

typedef struct {
  double size;
  size_t attribute;
} ranked;

static int by_size(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->size != y->size) return x->size > y->size ? -1 : 1;
  return x->attribute < y->attribute ? -1 : 1;
}

/* The attributes by the size of their weights, the largest first; with errors, which have no units, in errors.  NULL if
 * memory ran out. */
static ranked *rank_weights(const scant_model *model) {
  size_t d = scant_model_dimension(model);
  const double *w = scant_model_weights(model);
  ranked *order = malloc(d * sizeof *order);
  if (!order) return NULL;
  const double *errors = scant_model_errors(model);
  for (size_t i = 0; i < d; i++) order[i] = (ranked){errors && errors[i] > 0 ? fabs(w[i]) / errors[i] : fabs(w[i]), i};
  for (size_t i = 0; errors && i < d; i++)
    if (!(errors[i] > 0)) order[i].size = 0;
  qsort(order, d, sizeof *order, by_size);
  return order;
}

static void show_weights(const scant_model *model, const ranked *order, uint64_t top, double level) {
  size_t d = scant_model_dimension(model), nonzero = 0;
  const double *w = scant_model_weights(model);
  for (size_t i = 0; i < d; i++) nonzero += w[i] != 0;
  if (top > d) top = d;
  printf("\nweights: %zu of %zu are not zero; intercept %.6g", nonzero, d, scant_model_intercept(model));
  if (scant_model_errors(model)) printf(" +- %.3g", scant_model_intercept_error(model));
  if (top < d) printf("; the %llu largest%s", (unsigned long long)top, scant_model_errors(model) ? " in errors" : "");
  printf("\n");
  const double *low = scant_model_low(model), *high = scant_model_high(model);
  if (top) printf("  %-24s %14s", "attribute", "weight");
  if (top) errors_print_title(model, level);
  if (top) printf(" %12s", "purchases");
  if (top && low) printf(" %12s %12s", "clipped at", "and at");
  if (top) printf("\n");
  for (uint64_t r = 0; r < top; r++) {
    size_t i = order[r].attribute;
    print_attribute(model, i);
    printf(" %14.6g", w[i]);
    errors_print_weight(model, i, level);
    printf(" %12llu", (unsigned long long)scant_model_purchases(model)[i]);
    if (low) printf(" %12.5g %12.5g", low[i], high[i]);
    printf("\n");
  }
  errors_print_notes(model);
}

/* Shows what was spent on each attribute in all, the largest first. */
static void show_money(const scant_model *model, uint64_t top) {
  const scant_prices *prices = scant_model_prices(model);
  const uint64_t *purchases = scant_model_purchases(model);
  size_t d = scant_model_dimension(model);
  uint64_t total = scant_model_ledger(model)->money_spent;
  ranked *order = prices ? malloc(d * sizeof *order) : NULL;
  if (!order) return;
  for (size_t i = 0; i < d; i++) order[i] = (ranked){(double)scant_prices_cost(prices, i) * (double)purchases[i], i};
  qsort(order, d, sizeof *order, by_size);
  if (top > d) top = d;
  printf("\nmoney: %.2f spent", (double)total / 100);
  if (top < d) printf("; the %llu largest", (unsigned long long)top);
  printf("\n");
  if (scant_model_is_amended(model))
    printf("the study was amended: the total is of the prices of the day, what follows of those of the end\n");
  if (top) printf("  %-24s %14s %12s %12s %8s\n", "attribute", "spent", "purchases", "cost", "group");
  for (uint64_t r = 0; r < top; r++) {
    size_t i = order[r].attribute;
    uint32_t group = scant_prices_group(prices, i);
    char group_text[16] = "-";
    if (group) snprintf(group_text, sizeof group_text, "%u", group);
    print_attribute(model, i);
    printf(" %14.2f %12llu %12.2f %8s\n", order[r].size / 100, (unsigned long long)purchases[i],
           (double)scant_prices_cost(prices, i) / 100, group_text);
  }
  free(order);
}

/* Shows what 'predict -k' would buy of an example without missing values.  The order does not depend on the values. */
static scant_status show_order(const scant_model *model, uint64_t top, scant_error *error) {
  if (!scant_model_is_gaussian(model) || !top) return SCANT_OK;
  scant_query *query;
  scant_status status = scant_query_new(&query, model, scant_model_prices(model), error);
  if (status != SCANT_OK) return status;
  printf("\nfor a prediction, buy in this order%s\n", scant_model_prices(model) ? " (the most per cost first)" : "");
  uint32_t attribute;
  for (uint64_t r = 0; r < top && status == SCANT_OK && scant_query_next(query, &attribute); r++) {
    char number[32];
    printf("  %s\n", few_name(model, attribute, number));
    status = scant_query_tell(query, attribute, 0, error);
  }
  scant_query_free(query);
  return status;
}

static scant_status show_text(const arguments *a, const scant_model *model, scant_error *error) {
  ranked *order = rank_weights(model);
  if (!order) return scant_fail_memory(error);
  show_settings(model);
  show_ledger(model);
  show_money(model, a->own.top);
  show_weights(model, order, a->own.top, a->own.interval);
  free(order);
  return show_order(model, a->own.top, error);
}

int run_show(arguments *a) {
  scant_error error;
  scant_model *model = NULL;
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = a->own.json ? show_json(model, &error) : show_text(a, model, &error);
  scant_model_free(model);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}
