/* LIBSVM and SVMlight: "label index:value index:value ... # comment".
 *
 * Opening walks the file once, checks labels and indices, and keeps where each
 * row begins.  Reading walks one row beside the sorted attributes; values are
 * converted only where they are asked for.
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
  scant_bytes bytes;
  const char *end;
  size_t *rows; /* where the label of each is, from bytes.data */
  size_t capacity, count;
  unsigned base;     /* the first index: 0 or 1 */
  const char *title; /* of the source */
  scant_order order;
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

typedef struct libsvm_entry {
  uint64_t index;
  libsvm_token value;
} libsvm_entry;

/* Cuts "index:value"; 0 if it is something else.  An index that is too large
 * stays too large. */
static int cut_entry(const libsvm_token *token, libsvm_entry *entry) {
  const char *c = token->text, *end = c + token->length;
  entry->index = 0;
  for (; c < end && *c >= '0' && *c <= '9'; c++)
    if (entry->index <= LARGEST_INDEX) entry->index = entry->index * 10 + (uint64_t)(*c - '0');
  if (c == token->text || c == end || *c != ':') return 0;
  entry->value.text = c + 1;
  entry->value.length = (size_t)(end - c - 1);
  return 1;
}

/* ---- the kind of source ------------------------------------------------------ */

static size_t line_of(const libsvm_source *libsvm, size_t row) {
  return scant_line_count(libsvm->bytes.data, libsvm->bytes.data + libsvm->rows[row]);
}

static void libsvm_where(void *self, size_t row, uint32_t attribute, char *text, size_t size) {
  const libsvm_source *libsvm = self;
  int length = snprintf(text, size, "%s, line %zu", libsvm->title, line_of(libsvm, row));
  if (attribute != SCANT_WHOLE_ROW && length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, ", index %llu", (unsigned long long)attribute + libsvm->base);
}

static scant_status libsvm_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                                scant_error *error) {
  libsvm_source *libsvm = self;
  if (!scant_order_sort(&libsvm->order, count, attributes)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) values[i] = 0;
  size_t end = row + 1 < libsvm->count ? libsvm->rows[row + 1] : libsvm->bytes.length;
  scant_bytes_touch(&libsvm->bytes, libsvm->bytes.data + libsvm->rows[row], end - libsvm->rows[row]);
  const char *cursor = libsvm->bytes.data + libsvm->rows[row];
  libsvm_token token;
  libsvm_entry entry;
  cut_token(&cursor, libsvm->end, &token); /* the label */
  size_t i = 0;
  while (i < count && cut_token(&cursor, libsvm->end, &token)) {
    /* Every entry was whole when the file was opened. */
    if (!cut_entry(&token, &entry) || entry.index < libsvm->base)
      return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", libsvm->title);
    uint64_t attribute = entry.index - libsvm->base;
    while (i < count && scant_order_attribute(&libsvm->order, i) < attribute) i++;
    for (; i < count && scant_order_attribute(&libsvm->order, i) == attribute; i++) {
      double *value = &values[scant_order_place(&libsvm->order, i)];
      if (scant_parse_real(entry.value.text, entry.value.length, value)) continue;
      char where[SCANT_WHERE_LENGTH];
      libsvm_where(libsvm, row, (uint32_t)attribute, where, sizeof where);
      return scant_field_refuse(where, entry.value.text, entry.value.length, error);
    }
  }
  return SCANT_OK;
}

static void libsvm_free(void *self) {
  libsvm_source *libsvm = self;
  scant_bytes_close(&libsvm->bytes);
  free(libsvm->rows);
  scant_order_free(&libsvm->order);
  free(libsvm);
}

static const scant_source_kind libsvm_kind = {libsvm_read, libsvm_where, libsvm_free, NULL, NULL};

/* ---- opening ------------------------------------------------------------------ */

/* The sentence for a token that is no good entry behind index `before`. */
static scant_status fail_entry(const libsvm_source *libsvm, const libsvm_token *token, uint64_t before,
                               scant_error *error) {
  const char *title = libsvm->title, *text = token->text;
  size_t line = scant_line_count(libsvm->bytes.data, text);
  int shown = scant_text_clip(text, token->length);
  libsvm_entry entry;
  if (token->length >= 4 && memcmp(text, "qid:", 4) == 0)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' is for ranking, which Scant does not do", title, line,
                      shown, text);
  if (!cut_entry(token, &entry))
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' is not index:value", title, line, shown, text);
  if (entry.index > LARGEST_INDEX)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: the index of '%.*s' is larger than %llu", title, line, shown,
                      text, (unsigned long long)LARGEST_INDEX);
  if (!entry.value.length)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: index %llu has no value", title, line,
                      (unsigned long long)entry.index);
  if (entry.index < libsvm->base)
    return scant_fail(error, SCANT_DATA,
                      "%s, line %zu: index 0, but indices are counted from 1: give option index-base 0 if "
                      "this file counts from 0",
                      title, line);
  return scant_fail(error, SCANT_DATA, "%s, line %zu: index %llu stands behind index %llu, but indices must increase",
                    title, line, (unsigned long long)entry.index, (unsigned long long)before);
}

/* Checks the entries behind the label, and notes the largest index. */
static scant_status check_entries(const libsvm_source *libsvm, scant_source *source, const char **cursor,
                                  scant_error *error) {
  uint64_t before = 0;
  libsvm_token token;
  libsvm_entry entry;
  for (int first = 1; cut_token(cursor, libsvm->end, &token); first = 0) {
    if (!cut_entry(&token, &entry) || entry.index > LARGEST_INDEX || !entry.value.length ||
        entry.index < libsvm->base || (!first && entry.index <= before))
      return fail_entry(libsvm, &token, before, error);
    before = entry.index;
    size_t columns = (size_t)(entry.index - libsvm->base + 1);
    if (columns > source->columns) source->columns = columns;
  }
  return SCANT_OK;
}

/* Notes the label of the last row. */
static scant_status take_label(const libsvm_source *libsvm, scant_labels *labels, const libsvm_token *token,
                               scant_error *error) {
  if (memchr(token->text, ':', token->length))
    return scant_fail(error, SCANT_DATA, "%s, line %zu: '%.*s' stands where the label should be", libsvm->title,
                      line_of(libsvm, libsvm->count - 1), scant_text_clip(token->text, token->length), token->text);
  scant_status status = scant_labels_add(labels, libsvm->count - 1, token->text, token->length);
  if (status == SCANT_MEMORY) return scant_fail_memory(error);
  if (!status) return SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  snprintf(where, sizeof where, "%s, line %zu, label", libsvm->title, line_of(libsvm, libsvm->count - 1));
  return scant_field_refuse(where, token->text, token->length, error);
}

static scant_status read_structure(libsvm_source *libsvm, scant_source *source, scant_labels *labels,
                                   scant_error *error) {
  const char *data = libsvm->bytes.data, *cursor = scant_bytes_text(&libsvm->bytes);
  while (cursor < libsvm->end) {
    const char *line = cursor;
    libsvm_token label;
    if (cut_token(&cursor, libsvm->end, &label)) {
      if (!scant_grow(&libsvm->rows, &libsvm->capacity, libsvm->count + 1, sizeof *libsvm->rows))
        return scant_fail_memory(error);
      libsvm->rows[libsvm->count++] = (size_t)(label.text - data);
      SCANT_TRY(take_label(libsvm, labels, &label, error));
      SCANT_TRY(check_entries(libsvm, source, &cursor, error));
    }
    const char *newline = memchr(cursor, '\n', (size_t)(libsvm->end - cursor));
    cursor = newline ? newline + 1 : libsvm->end;
    scant_bytes_touch(&libsvm->bytes, line, (size_t)(cursor - line));
  }
  source->rows = libsvm->count;
  if (!libsvm->count) return scant_fail(error, SCANT_DATA, "'%s' holds no examples", libsvm->title);
  if (!source->columns) return scant_fail(error, SCANT_DATA, "'%s' holds labels and no attributes", libsvm->title);
  return SCANT_OK;
}

scant_status scant_libsvm_open(scant_source **source, const char *path, const scant_settings *settings,
                               const scant_classes *classes, scant_target_need need, scant_error *error) {
  (void)need; /* every row has a label */
  libsvm_source *libsvm = scant_array(1, sizeof *libsvm);
  if (!libsvm) return scant_fail_memory(error);
  scant_source *made = scant_source_make(&libsvm_kind, libsvm, path);
  if (!made) return scant_fail_memory(error);
  libsvm->title = made->title;
  libsvm->base = settings->reading.index_base ? 1 : 0;
  made->sparse = 1;
  scant_labels labels = {.classes = classes};
  scant_status status = scant_bytes_open(&libsvm->bytes, path, &scant_bytes_table, error);
  if (!status) {
    libsvm->end = libsvm->bytes.data + libsvm->bytes.length;
    status = read_structure(libsvm, made, &labels, error);
  }
  if (!status) status = scant_labels_finish(&labels, made, path, error);
  scant_labels_free(&labels);
  if (status) {
    scant_source_free(made);
    return status;
  }
  made->dimension = made->columns;
  made->stored = libsvm->bytes.stored;
  made->whole = &libsvm->bytes;
  *source = made;
  return SCANT_OK;
}
