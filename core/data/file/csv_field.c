#include "data/file/csv_field.h"

#include <string.h>

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
