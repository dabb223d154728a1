/* LIBSVM and SVMlight: "label index:value index:value ... # comment".
 *
 * Opening walks the file once, checks labels and indices, and keeps where each row begins.  Reading walks one row
 * beside the sorted attributes; values are converted only where they are asked for.
 */
#include "scant_base.h"
#include "data/file/bytes.h"
#include "data/sentence.h"
#include "data/source.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_INDEX UINT64_C(268435456) /* 2^28: a learner of that many fits into 24 GiB */

/* ---- tokens ----------------------------------------------------------------- */

typedef struct libsvm_token {
  const char *text;
  size_t length;
} libsvm_token;

/* A carriage return is a blank, so that CRLF ends a line as LF does. */
static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts the next token of the line; 0 at its end or at a comment. */
static int cut_token(const char **cursor, const char *end, libsvm_token *token) {
  const char *c = *cursor;
  while (c < end && is_blank(*c)) c++;
  token->text = c;
  while (c < end && !is_blank(*c) && *c != '\n' && *c != '#') c++;
  token->length = (size_t)(c - token->text);
  *cursor = c;
  return token->length > 0;
}

/* Cuts "index:value"; 0 if it is something else.  An index that is too large stays too large. */
static int cut_entry(const libsvm_token *token, uint64_t *index, libsvm_token *value) {
  const char *c = token->text, *end = c + token->length;
  *index = 0;
  for (; c < end && *c >= '0' && *c <= '9'; c++)
    if (*index <= LARGEST_INDEX) *index = *index * 10 + (uint64_t)(*c - '0');
  if (c == token->text || c == end || *c != ':') return 0;
  *value = (libsvm_token){c + 1, (size_t)(end - c - 1)};
  return 1;
}

/* ---- the kind of source ------------------------------------------------------ */

static const char *label_of(const scant_source *source, size_t row) {
  return source->bytes.data + source->starts[row];
}

static size_t line_of(const scant_source *source, size_t row) {
  return scant_line_count(source->bytes.data, label_of(source, row));
}

static void libsvm_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size) {
  int length = snprintf(text, size, "%s, line %zu", source->title, line_of(source, row));
  if (attribute != SCANT_WHOLE_ROW && length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ", index %llu", (unsigned long long)attribute + source->index_base);
}

static scant_status libsvm_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error) {
  const scant_order *order = &source->order;
  if (!scant_source_sort(source, count, attributes)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) values[i] = 0;
  const char *cursor = label_of(source, row), *end = source->bytes.data + source->bytes.length;
  const char *next = row + 1 < source->file_rows ? label_of(source, row + 1) : end;
  scant_bytes_touch(&source->bytes, cursor, (size_t)(next - cursor));
  libsvm_token token, value;
  uint64_t index;
  cut_token(&cursor, end, &token); /* the label */
  size_t i = 0;
  while (i < count && cut_token(&cursor, end, &token)) {
    if (!cut_entry(&token, &index, &value) || index < source->index_base)
      return scant_source_fail_changed(source, error);
    uint64_t attribute = index - source->index_base;
    while (i < count && scant_order_attribute(order, i) < attribute) i++;
    for (; i < count && scant_order_attribute(order, i) == attribute; i++) {
      double *to = &values[scant_order_place(order, i)];
      if (scant_parse_real(value.text, value.length, to)) continue;
      char where[SCANT_WHERE_LENGTH];
      libsvm_where(source, row, (uint32_t)attribute, where, sizeof where);
      return scant_field_refuse(where, value.text, value.length, error);
    }
  }
  return SCANT_OK;
}

static const scant_source_kind libsvm_kind = {libsvm_read, libsvm_where, NULL, NULL, NULL};

/* ---- opening ------------------------------------------------------------------ */

/* The sentence for a token that is no good entry of an index from `least` on. */
static scant_status fail_entry(const scant_source *source, const libsvm_token *token, uint64_t least,
                               scant_error *error) {
  const char *title = source->title, *text = token->text;
  size_t line = scant_line_count(source->bytes.data, text);
  int shown = scant_text_clip(text, token->length);
  libsvm_token value;
  uint64_t index;
  if (token->length >= 4 && memcmp(text, "qid:", 4) == 0)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' is for ranking, which Scant does not do", title, line,
                      shown, text);
  if (!cut_entry(token, &index, &value))
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' is not index:value", title, line, shown, text);
  if (index > LARGEST_INDEX)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: the index of '%.*s' is larger than %llu", title, line, shown,
                      text, (unsigned long long)LARGEST_INDEX);
  if (!value.length)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: index %llu has no value", title, line,
                      (unsigned long long)index);
  if (index < source->index_base)
    return scant_fail(
        error, SCANT_DATA,
        "%s, line %zu: index 0, but indices are counted from 1: give option index-base 0 if this file counts from 0",
        title, line);
  return scant_fail(error, SCANT_DATA, "%s, line %zu: index %llu stands behind index %llu, but indices must increase",
                    title, line, (unsigned long long)index, (unsigned long long)least - 1);
}

/* Checks the entries behind the label, and notes the largest index. */
static scant_status check_entries(scant_source *source, const char **cursor, scant_error *error) {
  const char *end = source->bytes.data + source->bytes.length;
  uint64_t least = source->index_base;
  libsvm_token token, value;
  uint64_t index;
  while (cut_token(cursor, end, &token)) {
    if (!cut_entry(&token, &index, &value) || index > LARGEST_INDEX || !value.length || index < least)
      return fail_entry(source, &token, least, error);
    least = index + 1;
  }
  size_t columns = (size_t)(least - source->index_base);
  if (columns > source->columns) source->columns = columns;
  return SCANT_OK;
}

/* Takes the label of the last row. */
static scant_status take_label(scant_source *source, const scant_classes *classes, const libsvm_token *token,
                               scant_error *error) {
  size_t row = source->file_rows - 1;
  if (memchr(token->text, ':', token->length))
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' stands where the label should be", source->title,
                      line_of(source, row), scant_text_clip(token->text, token->length), token->text);
  scant_status status = scant_classes_add(source, classes, row, token->text, token->length, error);
  if (status != SCANT_DATA) return status;
  char where[SCANT_WHERE_LENGTH];
  snprintf(where, sizeof where, "%s, line %zu, label", source->title, line_of(source, row));
  return scant_field_refuse(where, token->text, token->length, error);
}

static scant_status read_structure(scant_source *source, const scant_classes *classes, scant_error *error) {
  const char *cursor = scant_bytes_text(&source->bytes), *end = source->bytes.data + source->bytes.length;
  while (cursor < end) {
    const char *line = cursor;
    libsvm_token label;
    if (cut_token(&cursor, end, &label)) {
      if (!scant_source_add_row(source, label.text)) return scant_fail_memory(error);
      SCANT_TRY(take_label(source, classes, &label, error));
      SCANT_TRY(check_entries(source, &cursor, error));
    }
    const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
    cursor = newline ? newline + 1 : end;
    scant_bytes_touch(&source->bytes, line, (size_t)(cursor - line));
  }
  source->rows = source->file_rows;
  source->dimension = source->columns;
  if (!source->rows) return scant_fail(error, SCANT_DATA, "'%s' holds no examples", source->title);
  if (!source->columns) return scant_fail(error, SCANT_DATA, "'%s' holds labels and no attributes", source->title);
  return SCANT_OK;
}

scant_status scant_libsvm_open(scant_source *source, const char *path, const scant_settings *settings,
                               const scant_classes *classes, scant_target_need need, scant_error *error) {
  (void)need; /* every row has a label */
  SCANT_TRY(scant_bytes_open(&source->bytes, path, &scant_bytes_table, error));
  source->kind = &libsvm_kind;
  source->sparse = 1;
  source->index_base = settings->reading.index_base ? 1 : 0;
  source->digest_of = SCANT_DIGEST_BYTES;
  SCANT_TRY(read_structure(source, classes, error));
  return scant_classes_keep(source, classes, path, error);
}
