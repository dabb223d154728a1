#include "data/file/csv_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/file/bytes.h"

/* ---- fields ---------------------------------------------------------------------- */

scant_csv_stop scant_csv_cut(const char **cursor, const char *end, scant_csv_field *field) {
  const char *c = *cursor;
  field->doubled = 0;
  if (c < end && *c == '"') {
    field->text = ++c;
    while ((c = memchr(c, '"', (size_t)(end - c))) && end - c > 1 && c[1] == '"') {
      field->doubled = 1;
      c += 2;
    }
    if (!c) return SCANT_CSV_OPEN_QUOTE;
    field->length = (size_t)(c++ - field->text);
    if (c < end && *c == '\r' && (end - c == 1 || c[1] == '\n')) c++;
    *cursor = c;
    if (c < end && *c != ',' && *c != '\n') return SCANT_CSV_STRAY_TEXT;
  } else {
    field->text = c;
    while (c < end && *c != ',' && *c != '\n' && *c != '"') c++;
    field->length = (size_t)(c - field->text);
    *cursor = c;
    if (c < end && *c == '"') return SCANT_CSV_STRAY_QUOTE;
    if ((c == end || *c == '\n') && field->length && c[-1] == '\r') field->length--;
  }
  if (c == end) return SCANT_CSV_LINE_END;
  *cursor = c + 1;
  return *c == ',' ? SCANT_CSV_COMMA : SCANT_CSV_LINE_END;
}

const char *scant_csv_sentence(scant_csv_stop stop) {
  if (stop == SCANT_CSV_OPEN_QUOTE) return "a quote is opened here and never closed";
  if (stop == SCANT_CSV_STRAY_QUOTE) return "a quote inside a field that does not begin with one";
  return "text behind the closing quote of a field";
}

size_t scant_csv_unquote(const scant_csv_field *field, char *text) {
  size_t n = 0;
  for (size_t i = 0; i < field->length; i++) {
    text[n++] = field->text[i];
    if (field->doubled && field->text[i] == '"') i++;
  }
  return n;
}

char *scant_csv_copy(const scant_csv_field *field) {
  char *text = scant_array(field->length + 1, 1);
  if (text) scant_csv_unquote(field, text);
  return text;
}

int scant_list_next(const char **cursor, char *word, size_t *length, scant_status *status) {
  if (!*cursor) return 0;
  scant_csv_field field;
  const char *end = *cursor + strlen(*cursor);
  scant_csv_stop stop = scant_csv_cut(cursor, end, &field);
  if (stop > SCANT_CSV_LINE_END || (stop == SCANT_CSV_LINE_END && *cursor != end)) {
    *status = SCANT_USAGE;
    return 0;
  }
  size_t n = scant_csv_unquote(&field, word);
  const char *text = word;
  scant_text_trim(&text, &n);
  memmove(word, text, n);
  word[n] = 0;
  *length = n;
  if (stop == SCANT_CSV_LINE_END) *cursor = NULL;
  return 1;
}

/* ---- cells that no spreadsheet runs ------------------------------------------- */

/* A spreadsheet takes a cell that begins with = + - @ or a control character for a formula, unless it is a number. Such
 * a text is written with an apostrophe before it.  A text of apostrophes followed by such a text gets one more
 * apostrophe too.  Reading takes one apostrophe away from just these texts, so it gives back what was written. */

/* A number has digits, signs, a point and an exponent alone: "-inf" is no number to a spreadsheet. */
static int is_number(const char *text, size_t length) {
  double value;
  return strspn(text, "0123456789.eE+-") == length && scant_parse_real(text, length, &value) && isfinite(value);
}

/* Is it a formula, behind apostrophes or not? */
static int is_dangerous(const char *text) {
  text += strspn(text, "'");
  return *text && strchr("=+-@\t\r\n", *text) && !is_number(text, strlen(text));
}

const char *scant_csv_unguard(const char *text) {
  return text[0] == '\'' && is_dangerous(text) ? text + 1 : text;
}

static void put(char *cell, size_t size, size_t *length, char c) {
  if (*length + 1 < size) cell[*length] = c;
  ++*length;
}

size_t scant_csv_cell(char *cell, size_t size, const char *text, int quoted) {
  size_t length = 0;
  quoted = quoted || strpbrk(text, ",\"\r\n");
  if (quoted) put(cell, size, &length, '"');
  if (is_dangerous(text)) put(cell, size, &length, '\'');
  for (; *text; text++) {
    if (*text == '"') put(cell, size, &length, '"');
    put(cell, size, &length, *text);
  }
  if (quoted) put(cell, size, &length, '"');
  if (size) cell[length < size ? length : size - 1] = 0;
  return length;
}

/* ---- lines without quotes ------------------------------------------------------ */

/* Bytes are looked at eight at a time, as words, or in vectors.  (A loop over single bytes, counting in a byte, is not
 * left to the compiler: of some such loops GCC 12 makes wrong instructions.) */
enum { WORD = 8, BLOCK = 64 };

/* There is a milestone every so many bytes.  A walk over fewer fields than FAR does not look for one. */
enum { MILE = 512, FAR = 16 };

#define ONES UINT64_C(0x0101010101010101)

/* 1 in each byte that is a comma, else 0. */
static inline uint64_t mark_commas(const char *c) {
  const uint64_t low = ONES * 0x7f;
  uint64_t word;
  memcpy(&word, c, sizeof word);
  word ^= ONES * ',';
  /* the top bit of a byte is set if the byte is not 0, and nothing carries over */
  word |= (word & low) + low;
  return (~word & ~low) >> 7;
}

/* The sum of the bytes of a word, if it is below 256. */
static inline size_t sum_bytes(uint64_t word) {
  return (size_t)(word * ONES >> 56);
}

typedef signed char vector __attribute__((vector_size(16)));

static inline size_t count_block(const char *c) {
  vector sum = {0};
  uint64_t words[2];
  for (int i = 0; i < BLOCK; i += (int)sizeof sum) {
    vector bytes;
    memcpy(&bytes, c + i, sizeof bytes);
    sum -= bytes == ','; /* -1 where it is one */
  }
  memcpy(words, &sum, sizeof words);
  return sum_bytes(words[0] + words[1]);
}

static size_t count_commas(const char *c, const char *end) {
  size_t commas = 0;
  for (; end - c >= BLOCK; c += BLOCK) commas += count_block(c);
  for (; end - c >= WORD; c += WORD) commas += sum_bytes(mark_commas(c));
  for (; c < end; c++) commas += *c == ',';
  return commas;
}

int scant_csv_text_open(scant_csv_text *text, const char *data, size_t length) {
  *text = (scant_csv_text){data, scant_array(length / MILE + 1, sizeof *text->milestones)};
  return text->milestones != NULL;
}

void scant_csv_text_close(scant_csv_text *text) {
  free(text->milestones);
  *text = (scant_csv_text){0};
}

/* The milestone next behind `at`. */
static size_t mile_behind(const scant_csv_text *text, const char *at) {
  return (size_t)(at - text->data) / MILE + 1;
}

void scant_csv_survey(const scant_csv_text *text, const char *begin, const char *end, scant_csv_line *line) {
  const char *newline = memchr(begin, '\n', (size_t)(end - begin));
  if (newline) end = newline;
  size_t length = (size_t)(end - begin), commas = 0;
  const char *c = begin;
  for (size_t mile = mile_behind(text, begin), last = mile_behind(text, end); mile < last; mile++) {
    const char *there = text->data + mile * MILE;
    commas += count_commas(c, there);
    text->milestones[mile] =
        (uint32_t)commas; /* if the count is too large for this type, so is the number of columns */
    c = there;
  }
  *line = (scant_csv_line){
      .end = end, .commas = commas + count_commas(c, end), .quotes = memchr(begin, '"', length) != NULL};
}

const char *scant_csv_skip(const char *cursor, const char *end, size_t commas) {
  const char *c = cursor;
  size_t n;
  if (!commas) return c;
  /* up to the block, then to the word in which the last one is */
  for (; end - c >= BLOCK && (n = count_block(c)) < commas; c += BLOCK) commas -= n;
  for (; end - c >= WORD && (n = sum_bytes(mark_commas(c))) < commas; c += WORD) commas -= n;
  for (; c < end; c++)
    if (*c == ',' && !--commas) return c + 1;
  return NULL;
}

scant_csv_walk scant_csv_walk_begin(const scant_csv_text *text, const char *begin, const char *end) {
  return (scant_csv_walk){.text = text, .cursor = begin, .end = end, .field = 0};
}

/* Where to begin the walk to a field ahead: at the cursor, or at the last milestone before the field; *field is the one
 * that this is in. */
static const char *nearest(const scant_csv_walk *walk, size_t wanted, size_t *field) {
  const uint32_t *milestones = walk->text->milestones;
  size_t cursor = mile_behind(walk->text, walk->cursor) - 1; /* at the cursor or before it */
  size_t low = cursor, high = mile_behind(walk->text, walk->end - 1);
  *field = walk->field;
  if (wanted - walk->field < FAR) return walk->cursor;
  /* of those above low and below high, the last with fewer than `wanted` commas before it */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (milestones[middle] < wanted)
      low = middle;
    else
      high = middle;
  }
  if (low == cursor) return walk->cursor;
  *field = milestones[low];
  return walk->text->data + low * MILE;
}

void scant_csv_walk_announce(const scant_csv_walk *walk, size_t wanted) {
  size_t field;
  const char *there = nearest(walk, wanted, &field);
  __builtin_prefetch(there);
  __builtin_prefetch(there + MILE / 4 < walk->end ? there + MILE / 4 : there);
}

int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field) {
  size_t from;
  const char *c = nearest(walk, wanted, &from);
  c = scant_csv_skip(c, walk->end, wanted - from);
  if (!c) return 0;
  walk->cursor = c;
  walk->field = wanted;
  const char *stop = c;
  while (stop < walk->end && *stop != ',' && *stop != '\n') stop++;
  *field = (scant_csv_field){c, (size_t)(stop - c), 0};
  if (field->length && stop[-1] == '\r' && (stop == walk->end || *stop == '\n')) field->length--;
  return 1;
}

/* ---- small files, word by word ------------------------------------------------ */

scant_status scant_csv_words_open(scant_csv_words *words, const char *path, scant_error *error) {
  scant_csv_words *w = words;
  *w = (scant_csv_words){.path = path, .line = 1};
  scant_bytes *bytes = w->file = scant_array(1, sizeof *bytes);
  if (!bytes) return scant_fail_memory(error);
  scant_status status = scant_bytes_open(bytes, path, &scant_bytes_list, error);
  if (status != SCANT_OK) {
    scant_csv_words_close(w);
    return status;
  }
  w->row = bytes->data;
  w->cursor = scant_bytes_text(bytes);
  w->end = w->row + bytes->length;
  if (!memchr(w->cursor, 0, (size_t)(w->end - w->cursor))) return SCANT_OK;
  status = scant_csv_words_refuse(w, "there is a NUL byte in the file", NULL, error);
  scant_csv_words_close(w);
  return status;
}

void scant_csv_words_close(scant_csv_words *words) {
  if (words->file) scant_bytes_close(words->file);
  free(words->file);
  words->file = NULL;
}

size_t scant_csv_words_room(const scant_csv_words *words, size_t *fields, size_t *rows) {
  *fields = *rows = 1;
  for (const char *c = words->cursor; c < words->end; c++) {
    *rows += *c == '\n';
    *fields += *c == '\n' || *c == ',';
  }
  return (size_t)(words->end - words->cursor) + *fields + 1; /* each with its end */
}

scant_status scant_csv_words_next(scant_csv_words *words, const char **text, int *last, scant_error *error) {
  scant_csv_words *w = words;
  scant_csv_field field;
  if (w->ended) /* a quoted field may have had line ends */
    for (; w->row < w->cursor; w->row++) w->line += *w->row == '\n';
  scant_csv_stop stop = scant_csv_cut(&w->cursor, w->end, &field);
  w->ended = *last = stop == SCANT_CSV_LINE_END;
  if (stop > SCANT_CSV_LINE_END) return scant_csv_words_refuse(w, scant_csv_sentence(stop), NULL, error);
  size_t length = scant_csv_unquote(&field, w->next);
  w->next[length] = 0;
  *text = scant_csv_unguard(w->next);
  w->next += length + 1;
  return SCANT_OK;
}

scant_status scant_csv_words_refuse(const scant_csv_words *words, const char *what, const char *word,
                                    scant_error *error) {
  const char *path = scant_path_show(words->path);
  if (!word) return scant_fail(error, SCANT_DATA, "%s, line %zu: %s", path, words->line, what);
  return scant_fail(error, SCANT_DATA, "%s, line %zu: %s '%.*s'", path, words->line, what,
                    scant_text_clip(word, strlen(word)), word);
}
