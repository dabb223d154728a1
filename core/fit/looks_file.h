/* Files of looks: a line for every attribute that was bought, as CSV or NPY by the file's name (docs/looks.md).
 *
 * They are written while the looks come, so that memory does not grow with them, and replace what is there when they
 * are whole. */
#ifndef SCANT_FIT_LOOKS_FILE_H
#define SCANT_FIT_LOOKS_FILE_H

#include "base/shared.h"
#include "scant.h"

typedef struct scant_looks_file scant_looks_file;

/* A file of looks at `path` and, unless `pairs` is NULL, one of the chances of pairs.  `name_at` gives the names of the
 * attributes, which are copied; NULL of the first one: they are numbered.  SCANT_USAGE: a path ends neither with .csv
 * nor with .npy, or both are the same.  O(dimension) memory. */
SCANT_SHARED scant_status scant_looks_file_new(scant_looks_file **file, const char *path, const char *pairs,
                                               size_t dimension, const char *(*name_at)(const void *user, size_t i),
                                               const void *user, scant_error *error);
/* Leaves what is there as it was.  NULL is allowed. */
SCANT_SHARED void scant_looks_file_free(scant_looks_file *file);
/* The files replace what is there, and the object is freed, also on failure. */
SCANT_SHARED scant_status scant_looks_file_end(scant_looks_file *file, scant_error *error);

/* An example that was bought. */
typedef struct scant_looks_example {
  uint64_t example;     /* its number, from 0 */
  const char *label;    /* what CSV calls it; NULL: its number from 1 */
  uint64_t pass;        /* from 0 */
  const double *values; /* of the look; NaN: missing */
  double y;
  const scant_prices *prices; /* NULL: none */
  const double *paid;         /* what each place cost, if that is known without prices; else NULL */
  int observed;               /* what is missing was not bought */
  int foreign;                /* the look was outside the library, and is to be checked */
} scant_looks_example;

/* Adds the lines of an example.  The learner is the one that asked, or one of the same algorithm. */
SCANT_SHARED scant_status scant_looks_file_add(scant_looks_file *file, const scant_looks_example *bought,
                                               const scant_learner *learner, const scant_look *look,
                                               scant_error *error);

/* Had the last example a line without any chance: neither of a draw nor of being in the look? */
SCANT_SHARED int scant_looks_file_is_unknown(const scant_looks_file *file);

/* The temporary name of either file; NULL: none. */
const char *scant_looks_file_beside(const scant_looks_file *file, int pairs);

#endif
