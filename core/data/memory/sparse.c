/* Sparse tables in memory: compressed rows (CSR) or columns (CSC).
 *
 * Of compressed rows, a read walks the indices of one row, and looks each up among the attributes that are asked for.
 * Of compressed columns, it looks the row up in each column: by halving if the column is sorted, else by a walk.  The
 * first read of a column finds out which.  Values are touched only where they are asked for.
 */
#include "scant_base.h"
#include "data/memory/in_memory.h"

#include <stdlib.h>

typedef enum line_order { ORDER_UNKNOWN, ORDER_SORTED, ORDER_MIXED } line_order;

typedef struct sparse_source {
  scant_sparse table;
  size_t element;        /* bytes of a value */
  unsigned char *orders; /* line_order of each column; NULL for compressed rows */
} sparse_source;

/* Number `i` of the starts or the indices. */
static inline int64_t number_at(const scant_sparse *table, const void *numbers, size_t i) {
  if (table->index_type == SCANT_INT32) {
    int32_t number;
    memcpy(&number, (const unsigned char *)numbers + i * sizeof number, sizeof number);
    return number;
  }
  int64_t number;
  memcpy(&number, (const unsigned char *)numbers + i * sizeof number, sizeof number);
  return number;
}

static size_t start_of(const sparse_source *sparse, size_t line) {
  return (size_t)number_at(&sparse->table, sparse->table.starts, line);
}

static int64_t index_of(const sparse_source *sparse, size_t entry) {
  return number_at(&sparse->table, sparse->table.indices, entry);
}

static double value_of(const sparse_source *sparse, size_t entry) {
  return scant_element_read(sparse->table.type, (const unsigned char *)sparse->table.data + entry * sparse->element);
}

/* ---- compressed rows ----------------------------------------------------- */

/* The first of the ordered attributes that is not before `index`. */
static size_t first_from(const scant_order *order, size_t count, uint64_t index) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (scant_order_attribute(order, middle) < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static scant_status rows_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                              double *values, scant_error *error) {
  const sparse_source *sparse = source->self;
  const scant_order *order = &source->order;
  if (!scant_source_sort(source, count, attributes)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) values[i] = 0;
  size_t end = start_of(sparse, row + 1);
  for (size_t entry = start_of(sparse, row); entry < end; entry++) {
    int64_t index = index_of(sparse, entry);
    if (index < 0 || (uint64_t)index >= source->columns)
      return scant_fail(error, SCANT_DATA, "row %zu: entry %zu is for attribute %lld, but there are %zu attributes",
                        row, entry, (long long)index, source->columns);
    size_t i = first_from(order, count, (uint64_t)index);
    for (; i < count && scant_order_attribute(order, i) == (uint64_t)index; i++)
      values[scant_order_place(order, i)] += value_of(sparse, entry);
  }
  return SCANT_OK;
}

/* ---- compressed columns -------------------------------------------------- */

/* Goes through the indices of a column, once. */
static scant_status learn_order(const scant_source *source, uint32_t column, scant_error *error) {
  const sparse_source *sparse = source->self;
  unsigned char order = ORDER_SORTED;
  size_t end = start_of(sparse, (size_t)column + 1);
  int64_t before = 0;
  for (size_t entry = start_of(sparse, column); entry < end; entry++) {
    int64_t index = index_of(sparse, entry);
    if (index < 0 || (uint64_t)index >= source->rows)
      return scant_fail(error, SCANT_DATA, "attribute %lu: entry %zu is for row %lld, but there are %zu rows",
                        (unsigned long)column, entry, (long long)index, source->rows);
    if (index < before) order = ORDER_MIXED;
    before = index;
  }
  sparse->orders[column] = order;
  return SCANT_OK;
}

static double look_up(const sparse_source *sparse, uint32_t column, size_t row) {
  size_t low = start_of(sparse, column), end = start_of(sparse, (size_t)column + 1);
  int sorted = sparse->orders[column] == ORDER_SORTED;
  for (size_t high = end; sorted && low < high;) {
    size_t middle = low + (high - low) / 2;
    if (index_of(sparse, middle) < (int64_t)row)
      low = middle + 1;
    else
      high = middle;
  }
  double sum = 0;
  for (; low < end; low++) {
    if (index_of(sparse, low) == (int64_t)row)
      sum += value_of(sparse, low);
    else if (sorted)
      break;
  }
  return sum;
}

static scant_status columns_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                 double *values, scant_error *error) {
  const sparse_source *sparse = source->self;
  for (size_t i = 0; i < count; i++) {
    if (sparse->orders[attributes[i]] == ORDER_UNKNOWN) SCANT_TRY(learn_order(source, attributes[i], error));
    values[i] = look_up(sparse, attributes[i], row);
  }
  return SCANT_OK;
}

/* ---- the source ---------------------------------------------------------- */

static void sparse_free(void *self) {
  sparse_source *sparse = self;
  free(sparse->orders);
  free(sparse);
}

static const scant_source_kind rows_kind = {rows_read, NULL, sparse_free, NULL, NULL};
static const scant_source_kind columns_kind = {columns_read, NULL, sparse_free, NULL, NULL};

/* What can be seen without the entries; the indices are checked when they are read. */
static scant_status check_starts(const scant_sparse *table, size_t lines, scant_error *error) {
  const char *line = table->by_column ? "attribute" : "row";
  const size_t widest = PTRDIFF_MAX / sizeof(int64_t); /* of any type */
  if (lines >= widest) return scant_fail(error, SCANT_USAGE, "the starts of the table reach beyond any memory");
  int64_t first = number_at(table, table->starts, 0), before = first;
  if (first < 0)
    return scant_fail(error, SCANT_DATA, "%s 0 starts at entry %lld: entries are counted from 0", line,
                      (long long)first);
  for (size_t i = 1; i <= lines; i++) {
    int64_t next = number_at(table, table->starts, i);
    if (next < before)
      return scant_fail(error, SCANT_DATA, "%s %zu starts at entry %lld and ends before it, at %lld", line, i - 1,
                        (long long)before, (long long)next);
    before = next;
  }
  if ((uint64_t)before > widest)
    return scant_fail(error, SCANT_USAGE, "the entries of the table reach beyond any memory");
  if (before > first && (!table->data || !table->indices))
    return scant_fail(error, SCANT_USAGE, "the %s of the sparse table are NULL", table->data ? "indices" : "values");
  return SCANT_OK;
}

scant_status scant_source_sparse(scant_source **source, const scant_sparse *table, size_t rows, size_t dimension,
                                 const double *targets, scant_error *error) {
  if (!table || !table->starts)
    return scant_fail(error, SCANT_USAGE, "the %s NULL", table ? "starts of the sparse table are" : "sparse table is");
  size_t element = scant_type_size(table->type);
  if (!element) return scant_fail(error, SCANT_USAGE, "there is no element type %d", (int)table->type);
  if (table->index_type != SCANT_INT32 && table->index_type != SCANT_INT64)
    return scant_fail(error, SCANT_USAGE, "the indices of a sparse table are SCANT_INT32 or SCANT_INT64, not type %d",
                      (int)table->index_type);
  SCANT_TRY(scant_memory_check(rows, dimension, targets, error));
  SCANT_TRY(check_starts(table, table->by_column ? dimension : rows, error));
  sparse_source *sparse = scant_array(1, sizeof *sparse);
  if (!sparse) return scant_fail_memory(error);
  *sparse = (sparse_source){.table = *table, .element = element};
  if (table->by_column && !(sparse->orders = scant_array(dimension, sizeof *sparse->orders))) {
    sparse_free(sparse);
    return scant_fail_memory(error);
  }
  return scant_memory_source(source, table->by_column ? &columns_kind : &rows_kind, sparse, rows, dimension, targets,
                             error);
}
