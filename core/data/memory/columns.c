#include "data/memory/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/memory/element.h"
#include "data/memory/in_memory.h"
#include "data/memory/strided.h"

#include <math.h>
#include <stdlib.h>

/* ---- reading ------------------------------------------------------------- */

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

static scant_status columns_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                                 scant_error *error) {
  const scant_columns *columns = self;
  (void)error;
  size_t which = find_stretch(columns, row);
  const scant_stretch *stretch = &columns->stretches[which];
  const scant_part *parts = columns->parts + which * columns->dimension;
  row -= stretch->first;
  int present = !stretch->valid || bit_at(stretch->valid, stretch->valid_start + row);
  for (size_t i = 0; i < count; i++) values[i] = present ? value_at(&parts[attributes[i]], row) : NAN;
  return SCANT_OK;
}

static void columns_expect(void *self, size_t row, size_t count, const uint32_t *attributes) {
  const scant_columns *columns = self;
  size_t which = find_stretch(columns, row);
  const scant_part *parts = columns->parts + which * columns->dimension;
  row -= columns->stretches[which].first;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(place(&parts[attributes[i]], row));
}

/* ---- the source ---------------------------------------------------------- */

void scant_columns_release(const scant_columns *columns) {
  free(columns->stretches);
  free(columns->parts);
  if (columns->release) columns->release(columns->owner);
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
  if (!scant_memory_reach(&reach, rows, column->stride) || column->valid_start > SIZE_MAX - rows)
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
