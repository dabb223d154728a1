#include "export/csv_cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

enum { FULL = 1 << 16 };

/* Room for `length` bytes and a 0, behind the comma that comes first; NULL: it failed, now or before. */
static char *begin_cell(study_cells *c, size_t length) {
  if (c->status != SCANT_OK) return NULL;
  if (!scant_grow(&c->text, &c->room, c->used + length + 2, 1)) {
    c->status = scant_fail_memory(c->error);
    return NULL;
  }
  if (c->begun) c->text[c->used++] = ',';
  c->begun = 1;
  return c->text + c->used;
}

static void put_cell(study_cells *c, const char *text, int quoted) {
  size_t length = scant_csv_cell(NULL, 0, text, quoted);
  char *cell = begin_cell(c, length);
  if (!cell) return;
  scant_csv_cell(cell, length + 1, text, quoted);
  c->used += length;
}

void study_cells_plain(study_cells *cells, const char *text) {
  size_t length = strlen(text);
  char *cell = begin_cell(cells, length);
  if (!cell) return;
  memcpy(cell, text, length); /* NOLINT(bugprone-not-null-terminated-result): its length is in `used` */
  cells->used += length;
}

void study_cells_text(study_cells *cells, const char *text) {
  if (text)
    put_cell(cells, text, 0);
  else
    study_cells_plain(cells, "");
}

void study_cells_quoted(study_cells *cells, const char *text) {
  put_cell(cells, text, 1);
}

void study_cells_count(study_cells *cells, uint64_t n) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, n);
  study_cells_plain(cells, text);
}

void study_cells_real(study_cells *cells, double x) {
  char text[SCANT_NUMBER_LENGTH] = "";
  if (!isnan(x)) scant_format_shortest(text, sizeof text, x);
  study_cells_plain(cells, text);
}

void study_cells_money(study_cells *cells, int64_t hundredths) {
  char text[32];
  uint64_t size = hundredths < 0 ? -(uint64_t)hundredths : (uint64_t)hundredths;
  snprintf(text, sizeof text, "%s%" PRIu64 ".%02d", hundredths < 0 ? "-" : "", size / 100, (int)(size % 100));
  study_cells_plain(cells, text);
}

void study_cells_empty(study_cells *cells, size_t count) {
  for (size_t i = 0; i < count; i++) study_cells_plain(cells, "");
}

static void write_out(study_cells *c) {
  if (c->status == SCANT_OK && c->used) c->status = c->sink(c->user, c->text, c->used, c->error);
  c->used = 0;
}

void study_cells_end_row(study_cells *cells) {
  if (cells->status != SCANT_OK) return;
  cells->text[cells->used++] = '\n'; /* there is room: every cell takes that of a 0 behind it */
  cells->begun = 0;
  if (cells->used >= FULL) write_out(cells);
}

scant_status study_cells_end(study_cells *cells) {
  write_out(cells);
  free(cells->text);
  cells->text = NULL;
  return cells->status;
}

scant_status study_sink_file(void *file, const char *bytes, size_t length, scant_error *error) {
  return scant_replacing_add(file, bytes, length, error);
}
