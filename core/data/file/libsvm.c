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
#include <stdlib.h>
#include <string.h>

#define LARGEST_INDEX UINT64_C(268435456) /* 2^28: a learner of that many fits into 24 GiB */

typedef struct libsvm_source {
  const char *data, *end; /* the file */
  size_t *rows;           /* where the label of each is, from `data` */
  size_t capacity;
  unsigned base; /* the first index: 0 or 1 */
} libsvm_source;

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

static size_t line_of(const libsvm_source *libsvm, size_t row) {
  return scant_line_count(libsvm->data, libsvm->data + libsvm->rows[row]);
}

static void libsvm_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size) {
  const libsvm_source *libsvm = source->self;
  int length = snprintf(text, size, "%s, line %zu", source->title, line_of(libsvm, row));
  if (attribute != SCANT_WHOLE_ROW && length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ", index %llu", (unsigned long long)attribute + libsvm->base);
}

static scant_status libsvm_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error) {
  const libsvm_source *libsvm = source->self;
  const scant_order *order = &source->order;
  if (!scant_source_sort(source, count, attributes)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) values[i] = 0;
  const char *cursor = libsvm->data + libsvm->rows[row];
  const char *next = row + 1 < source->file_rows ? libsvm->data + libsvm->rows[row + 1] : libsvm->end;
  scant_bytes_touch(&source->bytes, cursor, (size_t)(next - cursor));
  libsvm_token token, value;
  uint64_t index;
  cut_token(&cursor, libsvm->end, &token); /* the label */
  size_t i = 0;
  while (i < count && cut_token(&cursor, libsvm->end, &token)) {
    if (!cut_entry(&token, &index, &value) || index < libsvm->base) return scant_source_fail_changed(source, error);
    uint64_t attribute = index - libsvm->base;
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

static void libsvm_free(void *self) {
  libsvm_source *libsvm = self;
  free(libsvm->rows);
  free(libsvm);
}

static const scant_source_kind libsvm_kind = {libsvm_read, libsvm_where, libsvm_free, NULL, NULL};

/* ---- opening ------------------------------------------------------------------ */

/* The sentence for a token that is no good entry of an index from `least` on. */
static scant_status fail_entry(const scant_source *source, const libsvm_token *token, uint64_t least,
                               scant_error *error) {
  const libsvm_source *libsvm = source->self;
  const char *title = source->title, *text = token->text;
  size_t line = scant_line_count(libsvm->data, text);
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
  if (index < libsvm->base)
    return scant_fail(
        error, SCANT_DATA,
        "%s, line %zu: index 0, but indices are counted from 1: give option index-base 0 if this file counts from 0",
        title, line);
  return scant_fail(error, SCANT_DATA, "%s, line %zu: index %llu stands behind index %llu, but indices must increase",
                    title, line, (unsigned long long)index, (unsigned long long)least - 1);
}

/* Checks the entries behind the label, and notes the largest index. */
static scant_status check_entries(scant_source *source, const char **cursor, scant_error *error) {
  const libsvm_source *libsvm = source->self;
  uint64_t least = libsvm->base;
  libsvm_token token, value;
  uint64_t index;
  while (cut_token(cursor, libsvm->end, &token)) {
    if (!cut_entry(&token, &index, &value) || index > LARGEST_INDEX || !value.length || index < least)
      return fail_entry(source, &token, least, error);
    least = index + 1;
  }
  size_t columns = (size_t)(least - libsvm->base);
  if (columns > source->columns) source->columns = columns;
  return SCANT_OK;
}

/* Takes the label of the last row. */
static scant_status take_label(scant_source *source, const scant_classes *classes, const libsvm_token *token,
                               scant_error *error) {
  const libsvm_source *libsvm = source->self;
  size_t row = source->file_rows - 1;
  if (memchr(token->text, ':', token->length))
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' stands where the label should be", source->title,
                      line_of(libsvm, row), scant_text_clip(token->text, token->length), token->text);
  scant_status status = scant_classes_add(source, classes, row, token->text, token->length, error);
  if (status != SCANT_DATA) return status;
  char where[SCANT_WHERE_LENGTH];
  snprintf(where, sizeof where, "%s, line %zu, label", source->title, line_of(libsvm, row));
  return scant_field_refuse(where, token->text, token->length, error);
}

static scant_status read_structure(scant_source *source, const scant_classes *classes, scant_error *error) {
  libsvm_source *libsvm = source->self;
  const char *cursor = scant_bytes_text(&source->bytes);
  while (cursor < libsvm->end) {
    const char *line = cursor;
    libsvm_token label;
    if (cut_token(&cursor, libsvm->end, &label)) {
      if (!scant_grow(&libsvm->rows, &libsvm->capacity, source->file_rows + 1, sizeof *libsvm->rows))
        return scant_fail_memory(error);
      libsvm->rows[source->file_rows++] = (size_t)(label.text - libsvm->data);
      SCANT_TRY(take_label(source, classes, &label, error));
      SCANT_TRY(check_entries(source, &cursor, error));
    }
    const char *newline = memchr(cursor, '\n', (size_t)(libsvm->end - cursor));
    cursor = newline ? newline + 1 : libsvm->end;
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
  libsvm_source *libsvm = source->self = scant_array(1, sizeof *libsvm);
  if (!libsvm) return scant_fail_memory(error);
  source->kind = &libsvm_kind;
  source->sparse = 1;
  source->digest_of = SCANT_DIGEST_BYTES;
  libsvm->data = source->bytes.data;
  libsvm->end = libsvm->data + source->bytes.length;
  libsvm->base = settings->reading.index_base ? 1 : 0;
  SCANT_TRY(read_structure(source, classes, error));
  return scant_classes_keep(source, classes, path, error);
}
