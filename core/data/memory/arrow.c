/* Tables that come as a stream of Arrow's record batches, in place. */
#include "data/memory/arrow.h"

#include "scant_base.h"
#include "data/memory/in_memory.h"
#include "data/sentence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What keeps the memory alive.  Arrays may be moved as bytes, so they can grow. */
typedef struct batches {
  struct ArrowArray *arrays;
  size_t count, capacity;
} batches;

static void release_batches(void *owner) {
  batches *b = owner;
  for (size_t i = 0; i < b->count; i++) b->arrays[i].release(&b->arrays[i]);
  free(b->arrays);
  free(b);
}

typedef struct reader {
  struct ArrowArrayStream *stream;
  struct ArrowSchema schema;
  size_t met; /* batches met, those without rows too */
  batches *batches;
  scant_columns columns;
  size_t stretches_capacity, parts_capacity;
} reader;

/* A call of the stream failed with a number of errno.h. */
static scant_status fail_stream(const reader *r, int number, scant_error *error) {
  const char *text = r->stream->get_last_error ? r->stream->get_last_error(r->stream) : NULL;
  if (number == ENOMEM) return scant_fail_memory(error);
  if (!text) return scant_fail(error, SCANT_IO, "the Arrow stream failed with error %d", number);
  return scant_fail(error, SCANT_IO, "the Arrow stream failed: %.400s", text);
}

/* ---- the schema ---------------------------------------------------------- */

static void say_column(const reader *r, size_t column, char *text, size_t size) {
  const char *name = r->schema.children[column]->name;
  scant_name_show(text, size, "column", name && *name ? name : NULL, column);
}

/* What a column of this format is; 0 if it is no number. */
static int find_form(const char *format, scant_part *part) {
  static const struct {
    char letter;
    scant_part part;
  } forms[] = {
      {'c', {.type = SCANT_INT8}},    {'C', {.type = SCANT_UINT8}},       {'s', {.type = SCANT_INT16}},
      {'S', {.type = SCANT_UINT16}},  {'i', {.type = SCANT_INT32}},       {'I', {.type = SCANT_UINT32}},
      {'l', {.type = SCANT_INT64}},   {'L', {.type = SCANT_UINT64}},      {'f', {.type = SCANT_FLOAT32}},
      {'g', {.type = SCANT_FLOAT64}}, {'e', {.form = SCANT_PART_HALVES}}, {'b', {.form = SCANT_PART_BITS}},
  };
  if (!format[0] || format[1]) return 0;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (forms[i].letter != *format) continue;
    *part = forms[i].part;
    if (part->form == SCANT_PART_NUMBERS) part->stride = (ptrdiff_t)scant_type_size(part->type);
    if (part->form == SCANT_PART_HALVES) part->stride = sizeof(uint16_t);
    return 1;
  }
  return 0;
}

/* The format in words: its letters are not widely known. */
static const char *format_in_words(const struct ArrowSchema *schema) {
  static const struct {
    const char *start, *words;
  } known[] = {{"n", "no values"},      {"u", "text"},     {"U", "text"},         {"vu", "text"},
               {"z", "bytes"},          {"Z", "bytes"},    {"w", "bytes"},        {"vz", "bytes"},
               {"t", "dates or times"}, {"d", "decimals"}, {"+", "nested values"}};
  if (schema->dictionary) return "categories";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(schema->format, known[i].start, strlen(known[i].start))) return known[i].words;
  return "not known here";
}

static int holds_numbers(const struct ArrowSchema *child) {
  scant_part part;
  return child && child->format && !child->dictionary && find_form(child->format, &part);
}

/* Names the columns behind `first` that hold no numbers either, for the end of a sentence. */
static void list_others(const struct ArrowSchema *schema, size_t first, char *text, size_t size) {
  char list[SCANT_ERROR_LENGTH / 4];
  size_t count = 0, n = (size_t)schema->n_children;
  for (size_t i = first + 1; i < n; i++) count += !holds_numbers(schema->children[i]);
  scant_listing listing = scant_list_begin(list, sizeof list, count);
  for (size_t i = first + 1; i < n; i++) {
    const struct ArrowSchema *child = schema->children[i];
    if (holds_numbers(child)) continue;
    const char *name = child && child->name ? child->name : "";
    scant_list_add(&listing, name, strlen(name));
  }
  text[0] = 0;
  if (count) snprintf(text, size, "; nor do%s %s", count > 1 ? "" : "es", list);
}

static scant_status check_schema(const reader *r, scant_error *error) {
  const struct ArrowSchema *schema = &r->schema;
  if (!schema->release || !schema->format) return scant_fail(error, SCANT_DATA, "the Arrow stream has no schema");
  if (strcmp(schema->format, "+s") != 0 || schema->dictionary || schema->n_children < 0)
    return scant_fail(error, SCANT_DATA, "the Arrow stream holds values of the format '%.60s' and no columns",
                      schema->format);
  for (size_t i = 0; i < (size_t)schema->n_children; i++) {
    const struct ArrowSchema *child = schema->children[i];
    if (holds_numbers(child)) continue;
    if (!child || !child->format) return scant_fail(error, SCANT_DATA, "column %zu of the Arrow stream has no type", i);
    char column[SCANT_WHERE_LENGTH], others[SCANT_ERROR_LENGTH / 4 + 16];
    say_column(r, i, column, sizeof column);
    list_others(schema, i, others, sizeof others);
    return scant_fail(error, SCANT_DATA, "%s holds no numbers: its Arrow format is '%.60s' (%s)%s", column,
                      child->format, format_in_words(child), others);
  }
  return scant_memory_check(1, (size_t)schema->n_children, NULL, error);
}

static scant_status name_source(const reader *r, scant_source *source, scant_error *error) {
  size_t d = r->columns.dimension, named = 0;
  const char **names = scant_array(d, sizeof *names);
  if (!names) return scant_fail_memory(error);
  for (size_t i = 0; i < d; i++) {
    const char *name = r->schema.children[i]->name;
    names[i] = name ? name : "";
    named += names[i][0] != 0;
  }
  scant_status status = named ? scant_source_set_names(source, names, NULL, error) : SCANT_OK;
  free(names);
  return status;
}

/* ---- the batches --------------------------------------------------------- */

/* Finds the bits that say which values an array with `buffers` buffers has; NULL: it has all.  0 if the array
 * contradicts itself. */
static int find_bits(const struct ArrowArray *array, int64_t buffers, const unsigned char **valid) {
  if (array->n_buffers != buffers || !array->buffers) return 0;
  *valid = array->null_count ? array->buffers[0] : NULL;
  return *valid || array->null_count <= 0;
}

/* Can the values of rows [0, rows) from offset on be in memory, at so many bytes each? */
static int is_in_reach(int64_t offset, int64_t rows, ptrdiff_t bytes) {
  int64_t most = PTRDIFF_MAX / (bytes > 0 ? bytes : 1);
  return offset >= 0 && rows >= 0 && rows <= most && offset <= most - rows;
}

/* A column of a batch; what is wrong with it, or NULL. */
static const char *take_column(const struct ArrowArray *batch, const struct ArrowArray *column, scant_part *part) {
  /* The offset of a batch is one into its columns, which have offsets of their own. */
  int64_t needed = batch->offset + batch->length;
  if (!column || column->length < needed) return "is shorter than the batch";
  if (!is_in_reach(column->offset, needed, part->stride)) return "reaches beyond any memory";
  if (column->n_children || column->dictionary || !find_bits(column, 2, &part->valid)) return "is not of its type";
  if (!column->buffers[1]) return "has no values";
  part->data = column->buffers[1];
  part->start = part->valid_start = (size_t)(column->offset + batch->offset);
  return NULL;
}

static scant_status fail_batch(const reader *r, const char *column, const char *what, scant_error *error) {
  return scant_fail(error, SCANT_DATA, "batch %zu of the Arrow stream%s%s %s", r->met - 1, *column ? ": " : "", column,
                    what);
}

/* The rows of a batch that is not empty, behind those of the others. */
static scant_status take_batch(reader *r, const struct ArrowArray *batch, scant_error *error) {
  scant_columns *c = &r->columns;
  size_t d = c->dimension;
  if (batch->n_children != (int64_t)d || (d && !batch->children) || batch->dictionary)
    return fail_batch(r, "", "has other columns than its schema", error);
  if (!is_in_reach(batch->offset, batch->length, 1) || (size_t)batch->length > (size_t)PTRDIFF_MAX - c->rows)
    return fail_batch(r, "", "reaches beyond any memory", error);
  scant_stretch stretch = {.first = c->rows, .valid_start = (size_t)batch->offset};
  if (!find_bits(batch, 1, &stretch.valid)) return fail_batch(r, "", "does not say which rows are null", error);
  if (!d || c->count + 1 > SIZE_MAX / d ||
      !scant_grow(&c->stretches, &r->stretches_capacity, c->count + 1, sizeof *c->stretches) ||
      !scant_grow(&c->parts, &r->parts_capacity, (c->count + 1) * d, sizeof *c->parts))
    return scant_fail_memory(error);
  for (size_t i = 0; i < d; i++) {
    scant_part *part = &c->parts[c->count * d + i];
    find_form(r->schema.children[i]->format, part);
    const char *wrong = take_column(batch, batch->children[i], part);
    if (!wrong) continue;
    char column[SCANT_WHERE_LENGTH];
    say_column(r, i, column, sizeof column);
    return fail_batch(r, column, wrong, error);
  }
  c->stretches[c->count++] = stretch;
  c->rows += (size_t)batch->length;
  return SCANT_OK;
}

/* Reads the stream to its end. */
static scant_status read_batches(reader *r, scant_error *error) {
  batches *b = r->batches;
  for (;;) {
    if (!scant_grow(&b->arrays, &b->capacity, b->count + 1, sizeof *b->arrays)) return scant_fail_memory(error);
    struct ArrowArray *array = &b->arrays[b->count];
    *array = (struct ArrowArray){0};
    int number = r->stream->get_next(r->stream, array);
    if (number) return fail_stream(r, number, error);
    if (!array->release) return SCANT_OK;
    r->met++;
    if (array->length) {
      b->count++;
      SCANT_TRY(take_batch(r, array, error));
    } else {
      array->release(array);
    }
  }
}

/* ---- the source ---------------------------------------------------------- */

/* Fills r->columns, which the caller must give away or release in any case. */
static scant_status read_stream(reader *r, scant_error *error) {
  if (!r->batches) return scant_fail_memory(error);
  int number = r->stream->get_schema(r->stream, &r->schema);
  if (number) {
    r->schema = (struct ArrowSchema){0};
    return fail_stream(r, number, error);
  }
  SCANT_TRY(check_schema(r, error));
  r->columns.dimension = (size_t)r->schema.n_children;
  return read_batches(r, error);
}

scant_status scant_source_arrow(scant_source **source, struct ArrowArrayStream *stream, const double *targets,
                                size_t targets_count, scant_error *error) {
  if (!stream || !stream->release)
    return scant_fail(error, SCANT_USAGE, "the Arrow stream is NULL, or was released before");
  scant_source *made = NULL;
  reader r = {.stream = stream, .batches = scant_array(1, sizeof *r.batches)};
  r.columns.release = release_batches;
  r.columns.owner = r.batches;
  scant_status status = read_stream(&r, error);
  if (!status && targets && r.columns.rows != targets_count)
    status = scant_fail(error, SCANT_DATA, "the Arrow stream has %zu rows, and there are %zu targets", r.columns.rows,
                        targets_count);
  if (status)
    scant_columns_release(&r.columns);
  else
    status = scant_columns_wrap(&made, &r.columns, targets, error);
  if (!status) status = name_source(&r, made, error);
  if (status)
    scant_source_free(made);
  else
    *source = made;
  if (r.schema.release) r.schema.release(&r.schema);
  stream->release(stream);
  return status;
}
