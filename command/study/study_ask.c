/* scant study ask: orders as lists, sheets or JSON; and what they may cost, before anything is ordered. */
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

/* ---- the examples ----------------------------------------------------------------------- */

/* The names behind FILE, or those in the column `example` of --csv; each once. */
typedef struct {
  const char **names;
  size_t *lines; /* of the file */
  size_t count;
  size_t fresh;          /* how many get an order by this command */
  scant_study_row *rows; /* of the file, whose texts the names are */
} examples;

static void examples_free(examples *e) {
  free(e->names);
  free(e->lines);
  scant_study_rows_free(e->rows);
}

static scant_status load_rows(const char *path, examples *e, scant_error *error) {
  SCANT_TRY(scant_study_names_load(&e->rows, &e->count, path, error));
  if (!e->rows[e->count].example) return scant_fail(error, SCANT_DATA, "%.300s: there is no column 'example'", path);
  for (size_t i = 0; i < e->count; i++) {
    if (*e->rows[i].example) continue;
    return scant_fail(error, SCANT_DATA, "%.300s, line %zu: the example's name is empty; nothing was ordered", path,
                      e->rows[i].line);
  }
  return SCANT_OK;
}

/* By name; of two that are equal the first of the list comes first. */
static int compare_places(const void *a, const void *b) {
  const char *const *x = *(const char *const *const *)a, *const *y = *(const char *const *const *)b;
  int order = strcmp(*x, *y);
  return order ? order : (x > y) - (x < y);
}

/* Who is in the list twice is asked for once. */
static scant_status drop_repeated(examples *e, scant_error *error) {
  const char ***places = malloc(e->count * sizeof *places);
  size_t kept = 0;
  if (!places) return scant_fail_memory(error);
  for (size_t i = 0; i < e->count; i++) places[i] = &e->names[i];
  qsort(places, e->count, sizeof *places, compare_places);
  const char *before = NULL;
  for (size_t i = 0; i < e->count; i++) {
    const char *name = *places[i];
    if (before && !strcmp(before, name)) *places[i] = NULL;
    before = name;
  }
  for (size_t i = 0; i < e->count; i++) {
    if (!e->names[i]) continue;
    e->names[kept] = e->names[i];
    e->lines[kept++] = e->lines[i];
  }
  e->count = kept;
  free(places);
  return SCANT_OK;
}

static scant_status examples_read(const arguments *a, examples *e, scant_error *error) {
  *e = (examples){.count = (size_t)(a->operand_count - 2)};
  if (!a->own.csv && !e->count)
    return scant_fail(error, SCANT_USAGE, "it takes: scant study ask FILE EXAMPLE..., or --csv LIST");
  if (a->own.csv && e->count)
    return scant_fail(error, SCANT_USAGE, "'%.200s' is one word too many: --csv has the examples", a->operands[2]);
  SCANT_TRY(a->own.csv ? load_rows(a->own.csv, e, error) : SCANT_OK);
  e->names = malloc(e->count * sizeof *e->names);
  e->lines = calloc(e->count, sizeof *e->lines);
  if (!e->names || !e->lines) return scant_fail_memory(error);
  for (size_t i = 0; i < e->count; i++) {
    e->names[i] = e->rows ? e->rows[i].example : a->operands[2 + i];
    if (e->rows) e->lines[i] = e->rows[i].line;
  }
  return drop_repeated(e, error);
}

/* Adds file and line to a sentence about one of the examples, which begins with its name where there are several. */
static void name_line(const arguments *a, const examples *e, scant_error *error) {
  for (size_t i = 0; e->rows && i < e->count; i++) {
    char begins[200];
    scant_error plain = *error;
    snprintf(begins, sizeof begins, "example '%.100s': ", e->names[i]);
    if (e->count > 1 && strncmp(plain.text, begins, strlen(begins)) != 0) continue;
    snprintf(error->text, sizeof error->text, "%.120s, line %zu: %.380s", a->own.csv, e->lines[i], plain.text);
    return;
  }
}

/* ---- orders ----------------------------------------------------------------------------- */

static scant_status print_json(const examples *e, scant_study *study, const scant_study_status *t, scant_error *error) {
  scant_json_writer out = document_begin();
  const scant_study_order *order;
  if (e->count > 1) scant_json_open(&out, "orders", '[');
  for (size_t i = 0; i < e->count; i++) {
    scant_status status = scant_study_find(study, e->names[i], &order, error);
    if (status != SCANT_OK) return document_print(&out, status, error);
    if (e->count > 1) scant_json_open(&out, NULL, '{');
    scant_study_json_order(&out, study, order);
    if (e->count > 1) scant_json_close(&out);
  }
  if (e->count > 1) scant_json_close(&out);
  scant_study_json_left(&out, t);
  return document_print(&out, SCANT_OK, error);
}

static void print_sum(const examples *e, scant_study *study, uint64_t price, const scant_study_status *t) {
  printf("%zu examples: %zu new order%s, %zu as before", e->count, e->fresh, e->fresh == 1 ? "" : "s",
         e->count - e->fresh);
  if (scant_study_is_priced(study)) printf(", total %.2f", study_money(price));
  study_print_left(t, "; ");
  printf("\n");
}

static scant_status print_orders(const arguments *a, const examples *e, scant_study *study, const scant_study_status *t,
                                 scant_error *error) {
  const scant_study_order *order;
  uint64_t price = 0;
  for (size_t i = 0; i < e->count; i++) {
    SCANT_TRY(scant_study_find(study, e->names[i], &order, error));
    price += order->price;
    if (a->own.sheets) {
      if (i) printf("\f");
      study_print_sheet(study, a->operands[1], order);
    } else {
      study_print_list(study, order, e->count > 1 ? NULL : t);
      if (e->count > 1) printf("\n");
    }
  }
  if (e->count > 1 && !a->own.sheets) print_sum(e, study, price, t);
  return SCANT_OK;
}

/* ---- before anything is ordered --------------------------------------------------------- */

enum { DRAWS = 1000 };

static void print_budget(const scant_study_ask_forecast *c) {
  const scant_study_forecast *f = &c->f;
  const char *sure = scant_study_ask_covers(c);
  if (f->left == UINT64_MAX && f->attributes_left == UINT64_MAX) return;
  printf("budget       ");
  if (f->left != UINT64_MAX) printf("%.2f are left", study_money(f->left));
  if (f->attributes_left != UINT64_MAX)
    printf("%s%llu attributes are left", f->left != UINT64_MAX ? ", and " : "", (unsigned long long)f->attributes_left);
  printf(": it %s\n", *sure == 'y' ? "covers this" : *sure == 'n' ? "does not cover this" : "may not cover this");
}

static void print_forecast(const scant_study *study, const scant_study_ask_forecast *c) {
  const scant_study_forecast *f = &c->f;
  int width = 0;
  printf("dry run: nothing is ordered\nexamples     %zu: %zu would get an order, %zu %s one\n", c->examples, c->fresh,
         c->examples - c->fresh, c->examples - c->fresh == 1 ? "has" : "have");
  if (scant_study_is_priced(study))
    printf("price        %.2f to %.2f per order, %.2f on average: %.2f for %zu\n", study_money(f->least),
           study_money(f->most), f->mean / 100, f->mean * (double)c->fresh / 100, c->fresh);
  else
    printf("attributes   %.3g per order on average, at most %llu\n", f->attributes_mean,
           (unsigned long long)f->attributes_most);
  print_budget(c);
  printf("by %llu simulated orders; how likely an order is to have an attribute:\n", (unsigned long long)f->draws);
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    study_widen(&width, scant_study_attribute_at(study, i)->name);
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    printf("  ");
    study_print_padded(scant_study_attribute_at(study, i)->name, width + 2);
    printf("%.2f\n", c->chance[i]);
  }
  printf("The order to come is not shown: to ask or not by what it says would bias what is learned.\n");
}

static scant_status foresee(const arguments *a, const examples *e, scant_study *study, scant_error *error) {
  scant_study_ask_forecast c = {.examples = e->count};
  scant_status status = scant_study_check_ask(study, e->names, e->count, &c.fresh, error);
  if (status != SCANT_OK) {
    name_line(a, e, error);
    return status;
  }
  /* now and not before, since the call may have found that attributes were added */
  double *chance = calloc(scant_study_dimension(study), sizeof *chance);
  if (!chance) return scant_fail_memory(error);
  c.chance = chance;
  status = scant_study_preview(study, DRAWS, &c.f, chance, error);
  if (status == SCANT_OK && a->own.json) {
    scant_json_writer out = document_begin();
    scant_study_json_forecast(&out, study, &c);
    status = document_print(&out, SCANT_OK, error);
  } else if (status == SCANT_OK) {
    print_forecast(study, &c);
  }
  free(chance);
  return status;
}

/* ---- the action ------------------------------------------------------------------------- */

static scant_status ask(const arguments *a, examples *e, scant_study *study, scant_error *error) {
  scant_study_status t;
  scant_study_take_new_names(study, a->own.new_name);
  if (a->own.dry_run) return foresee(a, e, study, error);
  /* nobody else writes meanwhile */
  scant_status status = scant_study_check_ask(study, e->names, e->count, &e->fresh, error);
  if (status == SCANT_OK) status = scant_study_ask_all(study, e->names, e->count, error);
  if (status != SCANT_OK) name_line(a, e, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &t, error);
  if (status != SCANT_OK) return status;
  return a->own.json ? print_json(e, study, &t, error) : print_orders(a, e, study, &t, error);
}

scant_status study_ask(arguments *a, scant_study *study, scant_error *error) {
  examples e;
  if (a->own.sheets && (a->own.json || a->own.dry_run))
    return scant_fail(error, SCANT_USAGE, "--sheets goes with neither --json nor --dry-run");
  scant_status status = examples_read(a, &e, error);
  if (status == SCANT_OK) status = ask(a, &e, study, error);
  examples_free(&e);
  return status;
}
