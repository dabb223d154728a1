/* Sources that are the caller's own: a table in memory, a function. */
#include "data/memory/in_memory.h"

#include "scant_base.h"
#include "data/memory/strided.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

int scant_memory_reach(size_t *reach, size_t count, ptrdiff_t stride) {
  size_t step = stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
  size_t left = (size_t)PTRDIFF_MAX - *reach;
  if (step && count - 1 > left / step) return 0;
  *reach += (count - 1) * step;
  return 1;
}

/* Copied, so that it stays as it was checked. */
static scant_status take_targets(scant_source *source, const double *targets, scant_error *error) {
  if (!targets) return SCANT_OK;
  source->targets = scant_array(source->rows, sizeof *targets);
  if (!source->targets) return scant_fail_memory(error);
  memcpy(source->targets, targets, source->rows * sizeof *targets);
  return SCANT_OK;
}

/* A source that was made, with its targets, or nothing. */
static scant_status finish(scant_source **source, scant_source *made, const double *targets, scant_error *error) {
  scant_status status = take_targets(made, targets, error);
  if (status)
    scant_source_free(made);
  else
    *source = made;
  return status;
}

scant_status scant_memory_source(scant_source **source, const scant_source_kind *kind, void *self, size_t rows,
                                 size_t dimension, const double *targets, scant_error *error) {
  scant_source *made = scant_source_make(kind, self, NULL);
  if (!made) return scant_fail_memory(error);
  made->rows = rows;
  made->columns = made->dimension = dimension;
  return finish(source, made, targets, error);
}

/* ---- a table of one type -------------------------------------------------- */

scant_status scant_source_wrap(scant_source **source, scant_type type, const void *data, size_t rows, size_t dimension,
                               ptrdiff_t row_stride, ptrdiff_t column_stride, const double *targets,
                               scant_error *error) {
  size_t reach = scant_type_size(type);
  if (!reach) return scant_fail(error, SCANT_USAGE, "there is no element type %d", (int)type);
  if (!data) return scant_fail(error, SCANT_USAGE, "the table in memory is NULL");
  SCANT_TRY(scant_memory_check(rows, dimension, targets, error));
  if (!scant_memory_reach(&reach, rows, row_stride) || !scant_memory_reach(&reach, dimension, column_stride))
    return scant_fail(error, SCANT_USAGE, "the strides of the table reach beyond any memory");
  scant_strided table = {.type = type,
                         .data = data,
                         .rows = rows,
                         .columns = dimension,
                         .row_stride = row_stride,
                         .column_stride = column_stride};
  return scant_strided_wrap(source, &table, targets, error);
}

/* ---- rows of numbers that the source owns ----------------------------------- */

typedef struct owned_rows {
  size_t dimension;
  double *x;
} owned_rows;

static scant_status owned_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                               scant_error *error) {
  const owned_rows *rows = self;
  (void)error;
  for (size_t i = 0; i < count; i++) values[i] = rows->x[row * rows->dimension + attributes[i]];
  return SCANT_OK;
}

static void owned_free(void *self) {
  owned_rows *rows = self;
  free(rows->x);
  free(rows);
}

static const scant_source_kind owned_kind = {owned_read, NULL, owned_free, NULL, NULL};

scant_status scant_source_take(scant_source **source, double *x, size_t rows, size_t dimension, const double *targets,
                               scant_error *error) {
  owned_rows *owned = scant_array(1, sizeof *owned);
  if (owned) *owned = (owned_rows){dimension, x};
  scant_status status = owned ? scant_memory_check(rows, dimension, targets, error) : scant_fail_memory(error);
  if (status == SCANT_OK) return scant_memory_source(source, &owned_kind, owned, rows, dimension, targets, error);
  free(x);
  free(owned);
  return status;
}

/* ---- the caller's function ----------------------------------------------- */

typedef struct custom_source {
  scant_fetch fetch;
  void *user;
} custom_source;

static scant_status custom_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                                scant_error *error) {
  const custom_source *custom = self;
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
  if (!custom) return scant_fail_memory(error);
  custom->fetch = fetch;
  custom->user = user;
  scant_source *made = NULL;
  SCANT_TRY(scant_memory_source(&made, &custom_kind, custom, rows, dimension, targets, error));
  made->priced = 1;
  *source = made;
  return SCANT_OK;
}
