#include "fit/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { FULL = 1 << 16, CELL_MOST = 40 };

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && !strcmp(path + length - tail, end);
}

static size_t column_count(const scant_sheet *s) {
  size_t count = 0;
  while (s->columns[count].name) count++;
  return count;
}

/* ---- cells ------------------------------------------------------------------- */

int scant_sheet_reserve(scant_sheet *sheet, size_t texts) {
  return scant_grow(&sheet->text, &sheet->room, sheet->used + texts + CELL_MOST * column_count(sheet), 1);
}

/* Whatever the machine, the least byte comes first. */
static void put_bytes(scant_sheet *s, uint64_t bits) {
  for (int i = 0; i < s->columns[s->at].bytes; i++) s->text[s->used++] = (char)(bits >> 8 * i & 0xff);
}

static void next(scant_sheet *s) {
  int last = !s->columns[++s->at].name;
  if (!s->npy) s->text[s->used++] = last ? '\n' : ',';
  if (!last) return;
  s->at = 0;
  s->lines++;
}

void scant_sheet_count(scant_sheet *sheet, uint64_t n) {
  const scant_sheet_column *column = &sheet->columns[sheet->at];
  if (sheet->npy)
    put_bytes(sheet, n);
  else
    sheet->used += (size_t)snprintf(sheet->text + sheet->used, CELL_MOST, "%" PRIu64, n + (column->from_0 ? 1 : 0));
  next(sheet);
}

void scant_sheet_real(scant_sheet *sheet, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (sheet->npy)
    put_bytes(sheet, bits);
  else if (!isnan(x))
    sheet->used += (size_t)scant_format_shortest(sheet->text + sheet->used, CELL_MOST, x);
  next(sheet);
}

void scant_sheet_text(scant_sheet *sheet, const char *text, uint64_t n) {
  if (sheet->npy || !text) {
    scant_sheet_count(sheet, n);
    return;
  }
  size_t length = strlen(text);
  memcpy(sheet->text + sheet->used, text, length);
  sheet->used += length;
  next(sheet);
}

/* ---- headers ------------------------------------------------------------------- */

enum { HEADER_MOST = 2048 };

/* The dictionary is padded so that the data begin at a multiple of 64 bytes.  The number of lines has a width of its
 * own, so that it can be written over when it is known. */
static size_t npy_header(const scant_sheet *s, char *text) {
  static const unsigned char magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  size_t used = sizeof magic + 2; /* the length of the rest comes behind it */
  memcpy(text, magic, sizeof magic);
  used += (size_t)snprintf(text + used, HEADER_MOST - used, "{'descr': [");
  for (const scant_sheet_column *c = s->columns; c->name; c++)
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

static size_t csv_header(const scant_sheet *s, char *text) {
  size_t used = 0;
  for (const scant_sheet_column *c = s->columns; c->name; c++)
    used += (size_t)snprintf(text + used, HEADER_MOST - used, "%s%c", c->name, c[1].name ? ',' : '\n');
  return used;
}

static scant_status write_header(scant_sheet *s, scant_error *error) {
  char text[HEADER_MOST];
  return scant_replacing_add(s->out, text, s->npy ? npy_header(s, text) : csv_header(s, text), error);
}

/* ---- the file ------------------------------------------------------------------- */

scant_status scant_sheet_begin(scant_sheet *sheet, const scant_sheet_column *columns, const char *path,
                               scant_error *error) {
  scant_sheet *s = sheet;
  *s = (scant_sheet){.columns = columns, .npy = ends_with(path, ".npy")};
  if (!s->npy && !ends_with(path, ".csv"))
    return scant_fail(error, SCANT_USAGE, "'%.300s' ends neither with .csv nor with .npy", path);
  scant_status status = scant_replacing_begin(&s->out, path, error);
  if (status == SCANT_OK && s->npy && !scant_replacing_name(s->out))
    status = scant_fail(error, SCANT_IO, "can't write '%.300s': npy needs a regular file", path);
  if (status == SCANT_OK) status = write_header(s, error);
  if (status != SCANT_OK) scant_sheet_abandon(s);
  return status;
}

void scant_sheet_abandon(scant_sheet *sheet) {
  scant_replacing_abandon(sheet->out);
  free(sheet->text);
  *sheet = (scant_sheet){.columns = sheet->columns};
}

static scant_status write_out(scant_sheet *s, scant_error *error) {
  size_t used = s->used;
  s->used = 0;
  return used ? scant_replacing_add(s->out, s->text, used, error) : SCANT_OK;
}

scant_status scant_sheet_flush(scant_sheet *sheet, scant_error *error) {
  return sheet->used < FULL ? SCANT_OK : write_out(sheet, error);
}

scant_status scant_sheet_end(scant_sheet *sheet, scant_error *error) {
  scant_status status = write_out(sheet, error);
  if (status == SCANT_OK && sheet->npy) status = scant_replacing_rewind(sheet->out, error);
  if (status == SCANT_OK && sheet->npy) status = write_header(sheet, error);
  if (status == SCANT_OK) {
    status = scant_replacing_end(sheet->out, error);
    sheet->out = NULL;
  }
  scant_sheet_abandon(sheet);
  return status;
}
