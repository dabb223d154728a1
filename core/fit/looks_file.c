#include "fit/looks_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/sheet.h"
#include "learn/learner.h"
#include "price/prices.h"

static const scant_sheet_column look_columns[] = {
    {"example", 'u', 8, 1},        {"pass", 'u', 4, 1},
    {"attribute", 'u', 4, 1},      {"item", 'u', 4, 1},
    {"value", 'f', 8, 0},          {"target", 'f', 8, 0},
    {"draws", 'u', 4, 0},          {"draws_total", 'u', 4, 0},
    {"probability", 'f', 8, 0},    {"residual_draws", 'u', 4, 0},
    {"residual_total", 'u', 4, 0}, {"residual_probability", 'f', 8, 0},
    {"certain", 'b', 1, 0},        {"price", 'f', 8, 0},
    {"inclusion", 'f', 8, 0},      {0},
};

static const scant_sheet_column pair_columns[] = {
    {"example", 'u', 8, 1}, {"pass", 'u', 4, 1},        {"attribute", 'u', 4, 1},
    {"other", 'u', 4, 1},   {"probability", 'f', 8, 0}, {0},
};

struct scant_looks_file {
  scant_sheet looks, pairs;
  int with_pairs;
  size_t dimension;
  char **names;   /* as cells of CSV; NULL: attributes are numbered */
  size_t longest; /* of them */
  char *label;    /* of the example at hand, as a cell */
  size_t label_room;
  uint64_t round, *met; /* of each item: the last round that had it */
  scant_look_line *lines;
  double *chances; /* of pairs */
  size_t lines_room, chances_room;
};

/* ---- the object ------------------------------------------------------------------ */

/* A text as a cell, allocated. */
static char *cell_of(const char *text) {
  size_t length = scant_csv_cell(NULL, 0, text, 0);
  char *cell = scant_array(length + 1, 1);
  if (cell) scant_csv_cell(cell, length + 1, text, 0);
  return cell;
}

static int copy_names(scant_looks_file *f, const char *(*name_at)(const void *, size_t), const void *user) {
  if (!f->dimension || !name_at(user, 0)) return 1;
  f->names = scant_array(f->dimension, sizeof *f->names);
  for (size_t i = 0; f->names && i < f->dimension; i++) {
    f->names[i] = cell_of(name_at(user, i));
    if (!f->names[i]) return 0;
    size_t length = strlen(f->names[i]);
    if (length > f->longest) f->longest = length;
  }
  return f->names != NULL;
}

static scant_status fail_same(const char *path, scant_error *error) {
  return scant_fail(error, SCANT_USAGE, "looks and their pairs can't both be in '%.300s'", path);
}

scant_status scant_looks_file_new(scant_looks_file **file, const char *path, const char *pairs, size_t dimension,
                                  const char *(*name_at)(const void *user, size_t i), const void *user,
                                  scant_error *error) {
  if (pairs && !strcmp(path, pairs)) return fail_same(path, error);
  scant_looks_file *f = scant_array(1, sizeof *f);
  if (!f) return scant_fail_memory(error);
  f->dimension = dimension;
  f->with_pairs = pairs != NULL;
  f->met = scant_array(dimension, sizeof *f->met);
  int good = f->met && copy_names(f, name_at, user);
  scant_status status = good ? scant_sheet_begin(&f->looks, look_columns, path, error) : scant_fail_memory(error);
  if (status == SCANT_OK && pairs) status = scant_sheet_begin(&f->pairs, pair_columns, pairs, error);
  if (status == SCANT_OK && pairs && scant_replacing_is_same(f->looks.out, f->pairs.out))
    status = fail_same(path, error);
  if (status == SCANT_OK)
    *file = f;
  else
    scant_looks_file_free(f);
  return status;
}

void scant_looks_file_free(scant_looks_file *file) {
  scant_looks_file *f = file;
  if (!f) return;
  scant_sheet_abandon(&f->looks);
  scant_sheet_abandon(&f->pairs);
  for (size_t i = 0; f->names && i < f->dimension; i++) free(f->names[i]);
  free(f->names);
  free(f->label);
  free(f->met);
  free(f->lines);
  free(f->chances);
  free(f);
}

scant_status scant_looks_file_end(scant_looks_file *file, scant_error *error) {
  scant_status status = scant_sheet_end(&file->looks, error);
  if (status == SCANT_OK && file->with_pairs) status = scant_sheet_end(&file->pairs, error);
  scant_looks_file_free(file);
  return status;
}

const char *scant_looks_file_beside(const scant_looks_file *file, int pairs) {
  const scant_sheet *sheet = pairs ? &file->pairs : &file->looks;
  return sheet->out ? scant_replacing_name(sheet->out) : NULL;
}

/* ---- an example -------------------------------------------------------------------- */

/* What the meter charges for a place of the look: the price of a group is at the first of its members. */
static double price_of(scant_looks_file *f, const scant_prices *prices, uint32_t attribute) {
  if (!prices) return NAN;
  uint32_t item = prices->item[attribute];
  int paid = f->met[item] == f->round;
  f->met[item] = f->round;
  return paid ? 0 : (double)prices->cost[item] / 100;
}

static const char *name_of(const scant_looks_file *f, uint32_t attribute) {
  return f->names ? f->names[attribute] : NULL;
}

static void put_line(scant_looks_file *f, const scant_looks_example *b, uint32_t place) {
  const scant_look_line *line = &f->lines[place];
  scant_sheet *s = &f->looks;
  scant_sheet_text(s, b->label ? f->label : NULL, b->example);
  scant_sheet_count(s, b->pass);
  scant_sheet_text(s, name_of(f, line->attribute), line->attribute);
  scant_sheet_count(s, line->item);
  scant_sheet_real(s, b->values[place]);
  scant_sheet_real(s, b->y);
  scant_sheet_count(s, line->draws);
  scant_sheet_count(s, line->draws_total);
  scant_sheet_real(s, line->probability);
  scant_sheet_count(s, line->residual_draws);
  scant_sheet_count(s, line->residual_total);
  scant_sheet_real(s, line->residual_probability);
  scant_sheet_count(s, line->certain != 0);
  scant_sheet_real(s, b->paid ? b->paid[place] : price_of(f, b->prices, line->attribute));
  scant_sheet_real(s, line->inclusion);
}

static void put_pair(scant_looks_file *f, const scant_looks_example *b, uint32_t i, uint32_t j, double probability) {
  scant_sheet *s = &f->pairs;
  scant_sheet_text(s, b->label ? f->label : NULL, b->example);
  scant_sheet_count(s, b->pass);
  scant_sheet_text(s, name_of(f, i), i);
  scant_sheet_text(s, name_of(f, j), j);
  scant_sheet_real(s, probability);
}

/* Pairs without a closed form are left out. */
static scant_status put_pairs(scant_looks_file *f, const scant_looks_example *b, uint32_t count, scant_error *error) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = i + 1; j < count; j++) {
      double probability = f->chances[(size_t)i * count + j];
      if (isnan(probability)) continue;
      SCANT_TRY(scant_sheet_flush(&f->pairs, error));
      if (!scant_sheet_reserve(&f->pairs, 2 * f->longest + f->label_room)) return scant_fail_memory(error);
      put_pair(f, b, f->lines[i].attribute, f->lines[j].attribute, probability);
    }
  }
  return SCANT_OK;
}

static int take_label(scant_looks_file *f, const char *label) {
  if (!label) return 1;
  size_t length = scant_csv_cell(NULL, 0, label, 0);
  if (!scant_grow(&f->label, &f->label_room, length + 1, 1)) return 0;
  scant_csv_cell(f->label, f->label_room, label, 0);
  return 1;
}

scant_status scant_looks_file_add(scant_looks_file *file, const scant_looks_example *bought,
                                  const scant_learner *learner, const scant_look *look, int *unknown,
                                  scant_error *error) {
  scant_looks_file *f = file;
  size_t count = look->count;
  int good = take_label(f, bought->label) && scant_grow(&f->lines, &f->lines_room, count, sizeof *f->lines) &&
             (!f->with_pairs || scant_grow(&f->chances, &f->chances_room, count * count, sizeof *f->chances));
  if (!good) return scant_fail_memory(error);
  double *chances = f->with_pairs ? f->chances : NULL;
  SCANT_TRY(bought->foreign ? scant_learner_describe(learner, look, f->lines, chances, error)
                            : scant_learner_describe_sound(learner, look, f->lines, chances, error));
  f->round++;
  int nothing = 0; /* is known of the chances of a line */
  for (uint32_t i = 0; i < count; i++) {
    const scant_look_line *line = &f->lines[i];
    nothing |= isnan(line->inclusion) && isnan(line->probability) && isnan(line->residual_probability);
    if (bought->observed && isnan(bought->values[i])) continue;
    SCANT_TRY(scant_sheet_flush(&f->looks, error));
    if (!scant_sheet_reserve(&f->looks, f->longest + f->label_room)) return scant_fail_memory(error);
    put_line(f, bought, i);
  }
  if (unknown) *unknown = nothing;
  return f->with_pairs ? put_pairs(f, bought, look->count, error) : SCANT_OK;
}
