#include "data/file/csv_field.h"

#include <math.h>
#include <string.h>

#include "scant_base.h"

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
  switch (stop) {
    case SCANT_CSV_OPEN_QUOTE:
      return "a quote is opened here and never closed";
    case SCANT_CSV_STRAY_QUOTE:
      return "a quote inside a field that does not begin with one";
    case SCANT_CSV_STRAY_TEXT:
      return "text behind the closing quote of a field";
    case SCANT_CSV_COMMA:
    case SCANT_CSV_LINE_END:
    default:
      return "nothing is wrong";
  }
}

size_t scant_csv_unquote(const scant_csv_field *field, char *text) {
  size_t n = 0;
  for (size_t i = 0; i < field->length; i++) {
    text[n++] = field->text[i];
    if (field->doubled && field->text[i] == '"') i++;
  }
  return n;
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
