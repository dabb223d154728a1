/* Files of looks (scant_replay.h): tables that are written line by line, as CSV or as a structured array of NPY; and
 * the fits that keep their looks in them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "learn/learner.h"
#include "price/prices.h"

/* ---- tables ------------------------------------------------------------------------ */

typedef struct {
  const char *name;
  char type;  /* u: a whole number; f: a double; b: yes or no */
  char bytes; /* in NPY: 1, 4 or 8 */
  int from_0; /* it counts from 0 in NPY and from 1 in CSV */
} column;

typedef struct {
  const column *columns; /* ended by one without a name */
  scant_replacing *out;
  int npy;
  size_t at; /* the column of the next cell */
  uint64_t lines;
  char *text; /* not written yet */
  size_t used, room;
} sheet;

enum { FULL = 1 << 16, CELL_MOST = 40 };

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && !strcmp(path + length - tail, end);
}

static scant_status write_out(sheet *s, scant_error *error) {
  size_t used = s->used;
  s->used = 0;
  return used ? scant_replacing_add(s->out, s->text, used, error) : SCANT_OK;
}

/* Makes room for a line whose texts have up to `texts` bytes in all.  The lines before it are written once they are
 * many, so that a failure leaves no half line. */
static scant_status begin_line(sheet *s, size_t texts, scant_error *error) {
  size_t cells = 0;
  while (s->columns[cells].name) cells++;
  if (s->used >= FULL) SCANT_TRY(write_out(s, error));
  int good = scant_grow(&s->text, &s->room, s->used + texts + CELL_MOST * cells, 1);
  return good ? SCANT_OK : scant_fail_memory(error);
}

/* Ends a cell; the last one of a line ends it. */
static void end_cell(sheet *s) {
  int last = !s->columns[++s->at].name;
  if (!s->npy) s->text[s->used++] = last ? '\n' : ',';
  if (!last) return;
  s->at = 0;
  s->lines++;
}

/* The least byte comes first on every machine. */
static void put_bytes(sheet *s, uint64_t bits) {
  for (int i = 0; i < s->columns[s->at].bytes; i++) s->text[s->used++] = (char)(bits >> 8 * i & 0xff);
}

static void put_count(sheet *s, uint64_t n) {
  if (s->npy)
    put_bytes(s, n);
  else
    s->used += (size_t)snprintf(s->text + s->used, CELL_MOST, "%" PRIu64, n + (s->columns[s->at].from_0 ? 1 : 0));
  end_cell(s);
}

/* NaN is an empty cell in CSV. */
static void put_real(sheet *s, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (s->npy)
    put_bytes(s, bits);
  else if (!isnan(x))
    s->used += (size_t)scant_format_shortest(s->text + s->used, CELL_MOST, x);
  end_cell(s);
}

/* NPY has the number; CSV has the text as it is, or the number if the text is NULL. */
static void put_text(sheet *s, const char *text, uint64_t n) {
  if (s->npy || !text) {
    put_count(s, n);
    return;
  }
  size_t length = strlen(text);
  memcpy(s->text + s->used, text, length);
  s->used += length;
  end_cell(s);
}

enum { HEADER_MOST = 2048 };

/* The dictionary is padded so that the data begin at a multiple of 64 bytes.  The number of lines has a width of its
 * own, so that it can be written over when it is known. */
static size_t npy_header(const sheet *s, char *text) {
  static const unsigned char magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  size_t used = sizeof magic + 2; /* the length of the rest comes behind it */
  memcpy(text, magic, sizeof magic);
  used += (size_t)snprintf(text + used, HEADER_MOST - used, "{'descr': [");
  for (const column *c = s->columns; c->name; c++)
    used += (size_t)snprintf(text + used, HEADER_MOST - used, "('%s', '%c%c%d'), ", c->name, c->bytes > 1 ? '<' : '|',
                             c->type, c->bytes);
  used += (size_t)snprintf(text + used, HEADER_MOST - used, "], 'fortran_order': False, 'shape': (%20" PRIu64 ",), }",
                           s->lines);
  while ((used + 1) % 64) text[used++] = ' ';
  text[used++] = '\n';
  text[8] = (char)((used - 10) & 0xff);
  text[9] = (char)((used - 10) >> 8);
  return used;
}

static size_t csv_header(const sheet *s, char *text) {
  size_t used = 0;
  for (const column *c = s->columns; c->name; c++)
    used += (size_t)snprintf(text + used, HEADER_MOST - used, "%s%c", c->name, c[1].name ? ',' : '\n');
  return used;
}

static scant_status write_header(sheet *s, scant_error *error) {
  char text[HEADER_MOST];
  return scant_replacing_add(s->out, text, s->npy ? npy_header(s, text) : csv_header(s, text), error);
}

/* Leaves the file as it was. */
static void abandon_sheet(sheet *s) {
  scant_replacing_abandon(s->out);
  free(s->text);
  *s = (sheet){.columns = s->columns};
}

/* After a failure the sheet is still to be abandoned. */
static scant_status begin_sheet(sheet *s, const column *columns, const char *path, scant_error *error) {
  *s = (sheet){.columns = columns, .npy = ends_with(path, ".npy")};
  if (!s->npy && !ends_with(path, ".csv"))
    return scant_fail(error, SCANT_USAGE, "'%.300s' ends neither with .csv nor with .npy", path);
  SCANT_TRY(scant_replacing_begin(&s->out, path, error));
  if (s->npy && !scant_replacing_name(s->out))
    return scant_fail(error, SCANT_IO, "can't write '%.300s': npy needs a regular file", path);
  return write_header(s, error);
}

/* Replaces the file.  After a failure the sheet is still to be abandoned. */
static scant_status end_sheet(sheet *s, scant_error *error) {
  SCANT_TRY(write_out(s, error));
  if (s->npy) SCANT_TRY(scant_replacing_rewind(s->out, error));
  if (s->npy) SCANT_TRY(write_header(s, error)); /* the number of lines is known now */
  scant_replacing *out = s->out;
  s->out = NULL;
  return scant_replacing_end(out, error);
}

/* ---- the two tables ---------------------------------------------------------------- */

static const column look_columns[] = {
    {"example", 'u', 8, 1},        {"pass", 'u', 4, 1},
    {"attribute", 'u', 4, 1},      {"item", 'u', 4, 1},
    {"value", 'f', 8, 0},          {"target", 'f', 8, 0},
    {"draws", 'u', 4, 0},          {"draws_total", 'u', 4, 0},
    {"probability", 'f', 8, 0},    {"residual_draws", 'u', 4, 0},
    {"residual_total", 'u', 4, 0}, {"residual_probability", 'f', 8, 0},
    {"certain", 'b', 1, 0},        {"price", 'f', 8, 0},
    {"inclusion", 'f', 8, 0},      {0},
};

static const column pair_columns[] = {
    {"example", 'u', 8, 1}, {"pass", 'u', 4, 1},        {"attribute", 'u', 4, 1},
    {"other", 'u', 4, 1},   {"probability", 'f', 8, 0}, {0},
};

struct scant_looks_file {
  sheet looks, pairs;
  int with_pairs;
  size_t dimension;
  char **names;   /* as cells of CSV; NULL: attributes are numbered */
  size_t longest; /* name, in bytes */
  char *label;    /* of the current example, as a cell */
  size_t label_room;
  uint64_t round, *met; /* of each item: the last round that had it */
  scant_look_line *lines;
  double *chances; /* of pairs */
  size_t lines_room, chances_room;
};

/* Makes *cell the text as a cell. */
static int set_cell(char **cell, size_t *room, const char *text) {
  if (!scant_grow(cell, room, scant_csv_cell(NULL, 0, text, 0) + 1, 1)) return 0;
  scant_csv_cell(*cell, *room, text, 0);
  return 1;
}

static int copy_names(scant_looks_file *f, scant_attribute_name *name_at, const void *user) {
  if (!f->dimension || !name_at(user, 0)) return 1;
  f->names = scant_array(f->dimension, sizeof *f->names);
  for (size_t i = 0; f->names && i < f->dimension; i++) {
    size_t room = 0;
    if (!set_cell(&f->names[i], &room, name_at(user, i))) return 0;
    size_t length = strlen(f->names[i]);
    if (length > f->longest) f->longest = length;
  }
  return f->names != NULL;
}

static scant_status fail_same(const char *path, scant_error *error) {
  return scant_fail(error, SCANT_USAGE, "looks and their pairs can't both be in '%.300s'", path);
}

scant_status scant_looks_file_new(scant_looks_file **file, const char *path, const char *pairs, size_t dimension,
                                  scant_attribute_name *name_at, const void *user, scant_error *error) {
  if (pairs && !strcmp(path, pairs)) return fail_same(path, error);
  scant_looks_file *f = scant_array(1, sizeof *f);
  if (!f) return scant_fail_memory(error);
  f->dimension = dimension;
  f->with_pairs = pairs != NULL;
  f->met = scant_array(dimension, sizeof *f->met);
  int good = f->met && copy_names(f, name_at, user);
  scant_status status = good ? begin_sheet(&f->looks, look_columns, path, error) : scant_fail_memory(error);
  if (status == SCANT_OK && pairs) status = begin_sheet(&f->pairs, pair_columns, pairs, error);
  if (status == SCANT_OK && pairs && scant_replacing_is_same(f->looks.out, f->pairs.out))
    status = fail_same(path, error);
  if (status == SCANT_OK)
    *file = f;
  else
    scant_looks_file_free(f);
  return status;
}

void scant_looks_file_free(scant_looks_file *f) {
  if (!f) return;
  abandon_sheet(&f->looks);
  abandon_sheet(&f->pairs);
  for (size_t i = 0; f->names && i < f->dimension; i++) free(f->names[i]);
  free(f->names);
  free(f->label);
  free(f->met);
  free(f->lines);
  free(f->chances);
  free(f);
}

scant_status scant_looks_file_end(scant_looks_file *file, scant_error *error) {
  scant_status status = end_sheet(&file->looks, error);
  if (status == SCANT_OK && file->with_pairs) status = end_sheet(&file->pairs, error);
  scant_looks_file_free(file);
  return status;
}

/* ---- an example -------------------------------------------------------------------- */

/* The meter's charge for an attribute of the look: the price of a group is at the first of its members. */
static double price_of(scant_looks_file *f, const scant_prices *prices, uint32_t attribute) {
  if (!prices) return NAN;
  uint32_t item = prices->item[attribute];
  int paid = f->met[item] == f->round;
  f->met[item] = f->round;
  return paid ? 0 : (double)prices->cost[item] / 100;
}

/* Begins a line with the cells that both tables have first. */
static scant_status put_example(scant_looks_file *f, sheet *s, const scant_looks_example *b, scant_error *error) {
  SCANT_TRY(begin_line(s, 2 * f->longest + f->label_room, error));
  put_text(s, b->label ? f->label : NULL, b->example);
  put_count(s, b->pass);
  return SCANT_OK;
}

static void put_attribute(const scant_looks_file *f, sheet *s, uint32_t attribute) {
  put_text(s, f->names ? f->names[attribute] : NULL, attribute);
}

static scant_status put_line(scant_looks_file *f, const scant_looks_example *b, uint32_t place, scant_error *error) {
  const scant_look_line *line = &f->lines[place];
  sheet *s = &f->looks;
  SCANT_TRY(put_example(f, s, b, error));
  put_attribute(f, s, line->attribute);
  put_count(s, line->item);
  put_real(s, b->values[place]);
  put_real(s, b->y);
  put_count(s, line->draws);
  put_count(s, line->draws_total);
  put_real(s, line->probability);
  put_count(s, line->residual_draws);
  put_count(s, line->residual_total);
  put_real(s, line->residual_probability);
  put_count(s, line->certain != 0);
  put_real(s, b->paid ? b->paid[place] : price_of(f, b->prices, line->attribute));
  put_real(s, line->inclusion);
  return SCANT_OK;
}

/* Pairs without a closed form are left out. */
static scant_status put_pairs(scant_looks_file *f, const scant_looks_example *b, uint32_t count, scant_error *error) {
  sheet *s = &f->pairs;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = i + 1; j < count; j++) {
      double probability = f->chances[(size_t)i * count + j];
      if (isnan(probability)) continue;
      SCANT_TRY(put_example(f, s, b, error));
      put_attribute(f, s, f->lines[i].attribute);
      put_attribute(f, s, f->lines[j].attribute);
      put_real(s, probability);
    }
  }
  return SCANT_OK;
}

scant_status scant_looks_file_add(scant_looks_file *f, const scant_looks_example *bought, const scant_learner *learner,
                                  const scant_look *look, int *unknown, scant_error *error) {
  size_t count = look->count;
  int good = (!bought->label || set_cell(&f->label, &f->label_room, bought->label)) &&
             scant_grow(&f->lines, &f->lines_room, count, sizeof *f->lines) &&
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
    if (!bought->observed || !isnan(bought->values[i])) SCANT_TRY(put_line(f, bought, i, error));
  }
  if (unknown) *unknown = nothing;
  return f->with_pairs ? put_pairs(f, bought, look->count, error) : SCANT_OK;
}

/* ---- of a fit ---------------------------------------------------------------------- */

scant_status scant_fit_keep_looks(scant_fit *fit, const char *path, const char *pairs, scant_error *error) {
  if (!path) {
    scant_looks_file_free(fit->looks);
    fit->looks = NULL;
    return SCANT_OK;
  }
  if (fit->looks) return scant_fail(error, SCANT_MISUSE, "the fit keeps its looks already");
  return scant_looks_file_new(&fit->looks, path, pairs, scant_source_dimension(fit->source), scant_fit_name_at,
                              fit->source, error);
}

scant_status scant_fit_end_looks(scant_fit *fit, scant_error *error) {
  if (!fit->looks) return scant_fail(error, SCANT_MISUSE, "the fit keeps no looks");
  scant_looks_file *file = fit->looks;
  fit->looks = NULL;
  return scant_looks_file_end(file, error);
}

const char *scant_fit_looks_beside(const scant_fit *fit, int pairs) {
  if (!fit->looks) return NULL;
  const sheet *s = pairs ? &fit->looks->pairs : &fit->looks->looks;
  return s->out ? scant_replacing_name(s->out) : NULL;
}

scant_status scant_fit_keep_look(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y,
                                 scant_error *error) {
  const scant_looks_example bought = {
      .example = fit->source->kept ? fit->source->kept[row] : row, /* rows of other classes are counted */
      .pass = fit->pass,
      .values = values,
      .y = y,
      .prices = fit->prices,
      .observed = fit->terms.settings.learning.observed};
  return scant_looks_file_add(fit->looks, &bought, fit->learner, look, NULL, error);
}
