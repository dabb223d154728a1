/* Sources that are the caller's own: tables of one type, tables whose columns lie apart, functions. */
#include "data/memory/in_memory.h"

#include "scant_base.h"

#include <math.h>
#include <stdlib.h>

scant_status scant_memory_check(size_t rows, size_t dimension, const double *targets, scant_error *error) {
  if (!rows) return scant_fail(error, SCANT_DATA, "the table has no rows");
  if (!dimension) return scant_fail(error, SCANT_DATA, "the table has no attributes");
  if (dimension > UINT32_MAX)
    return scant_fail(error, SCANT_DATA, "the table has %zu attributes, more than %lu", dimension,
                      (unsigned long)UINT32_MAX);
  for (size_t i = 0; targets && i < rows; i++)
    if (!isfinite(targets[i]))
      return scant_fail(error, SCANT_DATA, "the target of row %zu is %s, which can't be learned from", i,
                        isnan(targets[i]) ? "NaN" : "infinite");
  return SCANT_OK;
}

/* Adds the distance of the last of `count` elements to *reach; 0 if no object can be that large. */
static int add_reach(size_t *reach, size_t count, ptrdiff_t stride) {
  size_t step = stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
  size_t left = (size_t)PTRDIFF_MAX - *reach;
  if (step && count - 1 > left / step) return 0;
  *reach += (count - 1) * step;
  return 1;
}

scant_status scant_memory_source(scant_source **source, const scant_source_kind *kind, void *self, size_t rows,
                                 size_t dimension, const double *targets, scant_error *error) {
  scant_source *made = self ? scant_array(1, sizeof *made) : NULL;
  if (!made) {
    if (self) kind->free(self);
    return scant_fail_memory(error);
  }
  made->kind = kind;
  made->self = self;
  made->rows = rows;
  made->columns = made->dimension = dimension;
  if (targets) {
    made->targets = scant_array(rows, sizeof *targets);
    if (!made->targets) {
      scant_source_free(made);
      return scant_fail_memory(error);
    }
    memcpy(made->targets, targets, rows * sizeof *targets);
  }
  *source = made;
  return SCANT_OK;
}

/* ---- tables of one type ---------------------------------------------------- */

size_t scant_type_size(scant_type type) {
#define SIZE(name, element_type, bits) \
  case SCANT_##name:                   \
    return sizeof(element_type);
  switch (type) { SCANT_ELEMENT_TYPES(SIZE) }
#undef SIZE
  return 0;
}

int scant_machine_is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static inline uint8_t swap_8(uint8_t x) {
  return x;
}

static inline uint16_t swap_16(uint16_t x) {
  return (uint16_t)(x << 8 | x >> 8);
}

static inline uint32_t swap_32(uint32_t x) {
  return (uint32_t)swap_16((uint16_t)(x & 0xffff)) << 16 | swap_16((uint16_t)(x >> 16));
}

static inline uint64_t swap_64(uint64_t x) {
  return (uint64_t)swap_32((uint32_t)(x & UINT32_MAX)) << 32 | swap_32((uint32_t)(x >> 32));
}

/* The type is chosen outside the loop; elements go through a word of their size because they may lie at any address and
 * in either byte order. */
#define GATHER_WITH(element_type, word_type, swap)                                                         \
  for (size_t i = 0; i < count; i++) {                                                                     \
    word_type word;                                                                                        \
    element_type element;                                                                                  \
    memcpy(&word, base + (ptrdiff_t)(attributes ? attributes[i] : i) * table->column_stride, sizeof word); \
    word = swap(word);                                                                                     \
    memcpy(&element, &word, sizeof element);                                                               \
    values[i] = (double)element;                                                                           \
  }

#define GATHER(name, element_type, bits)                     \
  case SCANT_##name:                                         \
    if (table->swapped) {                                    \
      GATHER_WITH(element_type, uint##bits##_t, swap_##bits) \
    } else {                                                 \
      GATHER_WITH(element_type, uint##bits##_t, )            \
    }                                                        \
    break;

void scant_strided_gather(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes,
                          double *values) {
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  switch (table->type) { SCANT_ELEMENT_TYPES(GATHER) }
}

void scant_strided_expect(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes) {
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(base + (ptrdiff_t)attributes[i] * table->column_stride);
}

typedef struct strided_source {
  scant_strided table;
  void *owned; /* its elements; NULL: they are the caller's */
} strided_source;

static scant_status strided_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                 double *values, scant_error *error) {
  const strided_source *strided = source->self;
  (void)error;
  scant_strided_gather(&strided->table, row, count, attributes, values);
  return SCANT_OK;
}

static void strided_expect(const scant_source *source, size_t row, size_t count, const uint32_t *attributes) {
  const strided_source *strided = source->self;
  scant_strided_expect(&strided->table, row, count, attributes);
}

static void strided_free(void *self) {
  strided_source *strided = self;
  free(strided->owned);
  free(strided);
}

static const scant_source_kind strided_kind = {strided_read, NULL, strided_free, strided_expect, NULL};

scant_status scant_source_wrap(scant_source **source, scant_type type, const void *data, size_t rows, size_t dimension,
                               ptrdiff_t row_stride, ptrdiff_t column_stride, const double *targets,
                               scant_error *error) {
  size_t reach = scant_type_size(type);
  if (!reach) return scant_fail(error, SCANT_USAGE, "there is no element type %d", (int)type);
  if (!data) return scant_fail(error, SCANT_USAGE, "the table in memory is NULL");
  SCANT_TRY(scant_memory_check(rows, dimension, targets, error));
  if (!add_reach(&reach, rows, row_stride) || !add_reach(&reach, dimension, column_stride))
    return scant_fail(error, SCANT_USAGE, "the strides of the table reach beyond any memory");
  strided_source *strided = scant_array(1, sizeof *strided);
  if (strided) strided->table = (scant_strided){type, 0, data, rows, dimension, row_stride, column_stride};
  return scant_memory_source(source, &strided_kind, strided, rows, dimension, targets, error);
}

scant_status scant_source_take(scant_source **source, double *x, size_t rows, size_t dimension, const double *targets,
                               scant_error *error) {
  scant_source *made = NULL;
  scant_status status = scant_source_wrap(&made, SCANT_FLOAT64, x, rows, dimension, (ptrdiff_t)(dimension * sizeof *x),
                                          sizeof *x, targets, error);
  if (status) {
    free(x);
    return status;
  }
  ((strided_source *)made->self)->owned = x;
  *source = made;
  return SCANT_OK;
}

/* ---- tables whose columns lie apart ----------------------------------------- */

static int bit_at(const unsigned char *bits, size_t i) {
  return bits[i / 8] >> (i % 8) & 1;
}

/* IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. */
static double half_at(const unsigned char *at) {
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023, size;
  if (exponent == 31)
    size = fraction > 0 ? NAN : INFINITY;
  else
    size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits >> 15 ? -size : size;
}

/* Where value `row` of a part is; of bits, the byte that has it. */
static const unsigned char *place(const scant_part *part, size_t row) {
  if (part->form == SCANT_PART_BITS) return part->data + (part->start + row) / 8;
  return part->data + (ptrdiff_t)(part->start + row) * part->stride;
}

static double value_at(const scant_part *part, size_t row) {
  if (part->valid && !bit_at(part->valid, part->valid_start + row)) return NAN;
  if (part->form == SCANT_PART_BITS) return bit_at(part->data, part->start + row);
  if (part->form == SCANT_PART_HALVES) return half_at(place(part, row));
  return scant_element_read(part->type, place(part, row));
}

/* The stretch that has a row: the last that does not begin behind it. */
static size_t find_stretch(const scant_columns *columns, size_t row) {
  size_t low = 0, high = columns->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (columns->stretches[middle].first <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static scant_status columns_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                 double *values, scant_error *error) {
  const scant_columns *columns = source->self;
  (void)error;
  size_t which = find_stretch(columns, row);
  const scant_stretch *stretch = &columns->stretches[which];
  const scant_part *parts = columns->parts + which * columns->dimension;
  row -= stretch->first;
  int present = !stretch->valid || bit_at(stretch->valid, stretch->valid_start + row);
  for (size_t i = 0; i < count; i++) values[i] = present ? value_at(&parts[attributes[i]], row) : NAN;
  return SCANT_OK;
}

static void columns_expect(const scant_source *source, size_t row, size_t count, const uint32_t *attributes) {
  const scant_columns *columns = source->self;
  size_t which = find_stretch(columns, row);
  const scant_part *parts = columns->parts + which * columns->dimension;
  row -= columns->stretches[which].first;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(place(&parts[attributes[i]], row));
}

void scant_columns_release(const scant_columns *columns) {
  free(columns->stretches);
  free(columns->parts);
  if (columns->owner) columns->release(columns->owner);
}

static void columns_free(void *self) {
  scant_columns_release(self);
  free(self);
}

static const scant_source_kind columns_kind = {columns_read, NULL, columns_free, columns_expect, NULL};

scant_status scant_columns_wrap(scant_source **source, const scant_columns *columns, const double *targets,
                                scant_error *error) {
  scant_status status = scant_memory_check(columns->rows, columns->dimension, targets, error);
  scant_columns *self = status ? NULL : scant_array(1, sizeof *self);
  if (!self) {
    scant_columns_release(columns);
    return status ? status : scant_fail_memory(error);
  }
  *self = *columns;
  return scant_memory_source(source, &columns_kind, self, columns->rows, columns->dimension, targets, error);
}

static scant_status check_column(const scant_column *column, size_t index, size_t rows, scant_error *error) {
  size_t reach = scant_type_size(column->type);
  if (!reach)
    return scant_fail(error, SCANT_USAGE, "attribute %zu: there is no element type %d", index, (int)column->type);
  if (!column->data) return scant_fail(error, SCANT_USAGE, "attribute %zu: its column in memory is NULL", index);
  if (!add_reach(&reach, rows, column->stride) || column->valid_start > SIZE_MAX - rows)
    return scant_fail(error, SCANT_USAGE, "attribute %zu: its column reaches beyond any memory", index);
  return SCANT_OK;
}

scant_status scant_source_columns(scant_source **source, const scant_column *columns, size_t rows, size_t dimension,
                                  const double *targets, scant_error *error) {
  if (!columns) return scant_fail(error, SCANT_USAGE, "the table in memory is NULL");
  SCANT_TRY(scant_memory_check(rows, dimension, NULL, error));
  for (size_t i = 0; i < dimension; i++) SCANT_TRY(check_column(&columns[i], i, rows, error));
  scant_columns table = {.rows = rows, .dimension = dimension, .count = 1};
  table.stretches = scant_array(1, sizeof *table.stretches);
  table.parts = scant_array(dimension, sizeof *table.parts);
  if (!table.stretches || !table.parts) {
    scant_columns_release(&table);
    return scant_fail_memory(error);
  }
  for (size_t i = 0; i < dimension; i++)
    table.parts[i] = (scant_part){.form = SCANT_PART_NUMBERS,
                                  .type = columns[i].type,
                                  .data = columns[i].data,
                                  .stride = columns[i].stride,
                                  .valid = columns[i].valid,
                                  .valid_start = columns[i].valid_start};
  return scant_columns_wrap(source, &table, targets, error);
}
/* ---- the caller's function ----------------------------------------------- */

typedef struct custom_source {
  scant_fetch fetch;
  void *user;
} custom_source;

static scant_status custom_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error) {
  const custom_source *custom = source->self;
  if (error) error->text[0] = 0;
  scant_status status = custom->fetch(custom->user, row, count, attributes, values, error);
  if (status && error && !error->text[0]) return scant_fail(error, status, "row %zu could not be fetched", row);
  return status;
}

static const scant_source_kind custom_kind = {custom_read, NULL, free, NULL, NULL};

scant_status scant_source_custom(scant_source **source, size_t rows, size_t dimension, scant_fetch fetch, void *user,
                                 const double *targets, scant_error *error) {
  if (!fetch) return scant_fail(error, SCANT_USAGE, "the function that fetches values is NULL");
  SCANT_TRY(scant_memory_check(rows, dimension, targets, error));
  custom_source *custom = scant_array(1, sizeof *custom);
  if (custom) *custom = (custom_source){fetch, user};
  SCANT_TRY(scant_memory_source(source, &custom_kind, custom, rows, dimension, targets, error));
  (*source)->digest_of = SCANT_DIGEST_NO_CELLS;
  return SCANT_OK;
}
