/* What was told of examples, as a table, and the names of its columns. */
#ifndef SCANT_STUDY_EXAMPLES_H
#define SCANT_STUDY_EXAMPLES_H

#include "scant_study.h"

/* All that was told of examples with a target, by rows; NaN where nothing was told.  The caller frees both
 * arrays, whatever comes of it. */
typedef struct study_table {
  double *x, *y;
  size_t rows, room, y_room;
} study_table;
scant_status study_gather(scant_study *study, study_table *table, scant_error *error);

/* The names of the attributes, for the caller to free (not the texts); NULL: out of memory. */
const char **study_names(const scant_study *study);
/* Gives a source the names of attributes and target. */
scant_status study_describe(const scant_study *study, scant_source *source, scant_error *error);

#endif
