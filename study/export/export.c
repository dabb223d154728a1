/* What exports share: CSV on its way out, and pseudonyms. */
#include "export/export.h"

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

static const char letters[STUDY_NAMED] = {[STUDY_EXAMPLES] = 'E', [STUDY_PEOPLE] = 'W'};

/* The key as 32 hexadecimal digits. */
static int parse_key(const char *text, unsigned char key[SCANT_SIPHASH_KEY]) {
  if (strlen(text) != 2 * SCANT_SIPHASH_KEY || strspn(text, "0123456789abcdef") != 2 * SCANT_SIPHASH_KEY) return 0;
  for (int i = 0; i < SCANT_SIPHASH_KEY; i++) {
    const char digits[3] = {text[2 * i], text[2 * i + 1], 0};
    key[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return 1;
}

static scant_status read_key(scant_study *s, unsigned char key[SCANT_SIPHASH_KEY], scant_error *error) {
  char *text = NULL;
  SCANT_TRY(study_read_setting(s, STUDY_PSEUDONYM_KEY, &text, error));
  int good = text && parse_key(text, key);
  free(text);
  if (good) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the study has no key for pseudonyms, or a damaged one");
}

scant_status study_pseudonyms_begin(scant_study *study, int wanted, study_pseudonyms *pseudonyms, scant_error *error) {
  unsigned char key[SCANT_SIPHASH_KEY];
  *pseudonyms = (study_pseudonyms){.wanted = wanted};
  if (!wanted) return SCANT_OK;
  SCANT_TRY(read_key(study, key, error));
  for (int of = 0; of < STUDY_NAMED; of++) {
    for (int half = 0; half < 2; half++) {
      const char label[2] = {letters[of], (char)('0' + half)};
      uint64_t word = scant_siphash(key, label, sizeof label);
      for (int i = 0; i < 8; i++) pseudonyms->keys[of][8 * half + i] = (unsigned char)(word >> 8 * i & 0xff);
    }
  }
  return SCANT_OK;
}

const char *study_pseudonym(study_pseudonyms *pseudonyms, study_named of, const char *name) {
  if (!pseudonyms->wanted || !name) return name;
  snprintf(pseudonyms->text, sizeof pseudonyms->text, "%c-%016" PRIx64, letters[of],
           scant_siphash(pseudonyms->keys[of], name, strlen(name)));
  return pseudonyms->text;
}
