/* What a kind of source consists of.
 *
 * A source is a table of `rows` examples with `dimension` attributes and, if
 * `targets` is not NULL, one target per row.  An opener (csv.c, libsvm.c, npy.c,
 * idx.c, in_memory.c, columns.c, sparse.c, arrow.c) fills the fields below;
 * source.c does the rest: choosing the opener, and reading through classes and
 * views; digest.c makes the digest; view.c says which columns are attributes, and
 * what a user should know of them, bind.c finds those of a model; classes.c makes
 * targets of labels, and logarithms of targets; describe.c takes names and prices
 * from the caller.
 */
#ifndef SCANT_DATA_SOURCE_H
#define SCANT_DATA_SOURCE_H

#include "data/file/bytes.h"
#include "data/view.h"
#include "scant.h"

#define SCANT_WHOLE_ROW UINT32_MAX

typedef struct scant_source_kind {
  /* Fills values[i] with column attributes[i] of row `row` (a row of the file, before classes dropped
   * any).  A missing value is NaN.  Values that are not finite are passed on.  Text that is not a number is
   * SCANT_DATA, naming file, line and field.  In a column that has a coding, the value is the place of the
   * word among the categories, from 1, or 0. */
  scant_status (*read)(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                       scant_error *error);
  /* Where a cell is, for messages about its value: "data.csv, line 7, column
   * 'TSH'"; of SCANT_WHOLE_ROW, where the row is.  NULL: by row and attribute,
   * or its name, which is all that is known of a cell in memory. */
  void (*where)(void *self, size_t row, uint32_t attribute, char *text, size_t size);
  void (*free)(void *self);
  /* Fetches cells that will be read soon into the cache.  NULL: that has no use. */
  void (*expect)(void *self, size_t row, size_t count, const uint32_t *attributes);
  /* SCANT_DATA naming every column that is an attribute and holds text in the first rows.  NULL: there is no text. */
  scant_status (*check_types)(void *self, scant_error *error);
} scant_source_kind;

struct scant_source {
  const scant_source_kind *kind;
  void *self;
  size_t rows;           /* after classes */
  size_t file_rows;      /* before, of text files */
  size_t dimension;      /* of the view */
  size_t columns;        /* attributes in the file */
  int sparse;            /* an attribute past `columns` is 0 */
  char **names;          /* of the file's columns; NULL: none */
  unsigned char *valued; /* does a column of the file have a value in some row? NULL: not known */
  char *target_name;
  double *targets;          /* one for each row after classes; NULL: none */
  size_t *kept;             /* row of the file for each row after classes; NULL: the same */
  unsigned char *hidden;    /* columns of the file that are no attributes; NULL: none */
  scant_codings codings;    /* of columns of words */
  scant_view view;          /* which column each attribute is */
  int bound;                /* the view is that of a model, by name */
  int worded;               /* cells may be words, so that a column can have a coding */
  int muted;                /* what is read now is not for a model or a learner, so unlisted words are not counted */
  char *title;              /* the file in messages; NULL: memory */
  scant_bytes *whole;       /* bytes for the digest, where cells are too many to visit; NULL: cells */
  uint64_t stored;          /* bytes of the file as it is stored; 0: no file */
  const scant_pages *pages; /* the pages looked at of a file that is not read whole; NULL: the file is read whole */
  scant_prices *prices;     /* of the file's columns, that the caller gave; NULL: none */
  int thorough;             /* the file is read whole anyway, so every cell goes into the digest */
  /* private to source.c and in_memory.c */
  int log_target;   /* targets are log(1 + y) */
  int priced;       /* reading has a price of its own: the digest must not look at cells */
  uint32_t *all;    /* 0, 1, 2, ... for scant_source_row */
  uint32_t *mapped; /* scratch: columns of the attributes being read */
  double *cells;    /* scratch: what they hold */
  size_t all_capacity, mapped_capacity, cells_capacity;
  uint64_t digest; /* if `digested` */
  int digested;
};

/* Fetches some attributes of a row, the meter's way in.  A missing value is NaN; the other values are not
 * checked.  SCANT_DATA: the cells were read, and one is no number; any other failure: they were not. */
scant_status scant_source_fetch(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error);
/* SCANT_DATA, naming the cell, if one of the values fetched is infinite. */
scant_status scant_source_check(const scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                const double *values, scant_error *error);

/* Both at once, for reading outside any ledger. */
scant_status scant_source_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                               double *values, scant_error *error);

/* Some attributes will be read from this row soon. */
static inline void scant_source_expect(const scant_source *source, size_t row, size_t count,
                                       const uint32_t *attributes) {
  if (!source->kind->expect || source->view.column) return;
  source->kind->expect(source->self, source->kept ? source->kept[row] : row, count, attributes);
}

/* Where a cell or a SCANT_WHOLE_ROW is, for sentences about it. */
void scant_source_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size);

/* Writes the sentence for a missing value that is refused. */
void scant_source_tell_missing(const scant_source *source, size_t row, uint32_t attribute, scant_error *error);

/* SCANT_DATA naming an attribute that has no value in any row, or all attributes that hold text in the first
 * rows, where the source knows that without buying. */
scant_status scant_source_check_columns(const scant_source *source, scant_error *error);

/* Makes attribute i of the source the one called names[i] (by position where
 * either side has no names).  A model needs more: scant_source_serve of view.h. */
scant_status scant_source_bind(scant_source *source, size_t dimension, char *const *names, scant_error *error);

/* SCANT_DATA unless there is a price for each attribute, and no more. */
scant_status scant_source_check_prices(const scant_source *source, const scant_prices *prices, scant_error *error);

/* The prices that the caller gave for the attributes of a source, for the caller to
 * free; NULL: there are none. */
scant_status scant_source_copy_prices(const scant_source *source, scant_prices **prices, scant_error *error);

/* A digest of what the source holds: sizes, names, every target, and every cell of CSV and IDX files, every
 * byte of LIBSVM files; of NPY files and of memory, where only touched pages should be read, a thousand
 * cells, one from each thousandth of the table. Values that can't be learned from count as one constant.
 * Sources of scant_source_custom may have to pay for a look, so their cells are left out. */
scant_status scant_source_digest(scant_source *source, uint64_t *digest, scant_error *error);

/* ---- for the openers --------------------------------------------------- */

/* The two labels of --classes, cut apart. */
typedef struct scant_classes {
  int wanted;
  char negative[64], positive[64];
} scant_classes;

/* Cuts "NEG,POS"; SCANT_USAGE if it is not two different labels. */
scant_status scant_classes_parse(scant_classes *classes, const char *text, scant_error *error);

/* -1, +1, or 0 for a label that is neither; equal as numbers where both are
 * numbers, else as text. */
int scant_classes_sign(const scant_classes *classes, const char *label, size_t length);
int scant_classes_sign_number(const scant_classes *classes, double label);

/* Keeps the rows whose `sign` is not 0 and makes targets of them; SCANT_DATA
 * naming `path` if either class is absent. */
scant_status scant_classes_keep(scant_source *source, const signed char *sign, const scant_classes *classes,
                                const char *path, scant_error *error);

/* The targets of a text file while its rows are being counted: signs if
 * classes are wanted, else numbers. */
typedef struct scant_labels {
  const scant_classes *classes;
  double *targets;
  signed char *sign;
  size_t capacity;
} scant_labels;

/* Notes the label of `row`; rows come in order.  SCANT_DATA: not a finite
 * number.  It writes no sentence: the caller knows where the label is. */
scant_status scant_labels_add(scant_labels *labels, size_t row, const char *text, size_t length);
/* Gives the targets to `source`, whose `rows` is set. */
scant_status scant_labels_finish(scant_labels *labels, scant_source *source, const char *path, scant_error *error);
void scant_labels_free(scant_labels *labels);

/* Names in alphabetical order with their places, equal names by place; NULL
 * if out of memory.  The caller frees it; the names are not copied. */
struct scant_named {
  const char *name;
  size_t place;
};
scant_named *scant_names_sort(char *const *names, size_t count);
/* The place in that order of a name that is equal to the one before it; 0: none is. */
size_t scant_names_find_twice(const scant_named *sorted, size_t count);
/* The first of this name among names in order, or NULL. */
const scant_named *scant_names_find(const scant_named *sorted, size_t count, const char *name);

/* The file in sentences, or "the table". */
const char *scant_source_title(const scant_source *source);

/* An empty source of this kind, for the file `path` (NULL: none); takes
 * `self`, and frees it on failure, which is NULL: out of memory. */
scant_source *scant_source_make(const scant_source_kind *kind, void *self, const char *path);

/* The attributes of a request in increasing order.  A row of text is walked once from left to right, while attributes
 * are asked for in any order.  The scratch is kept between requests. */
typedef struct scant_order {
  uint64_t *pairs; /* attribute in the upper half, its place in the request in the lower */
  size_t capacity;
} scant_order;

/* Fills pairs[0 .. count); 0 if out of memory.  O(count) if they increase
 * already, else O(count log count). */
int scant_order_sort(scant_order *order, size_t count, const uint32_t *attributes);
void scant_order_free(scant_order *order);

static inline uint32_t scant_order_attribute(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] >> 32);
}

static inline uint32_t scant_order_place(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] & UINT32_MAX);
}

scant_status scant_csv_open(scant_source **source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error);
scant_status scant_libsvm_open(scant_source **source, const char *path, const scant_settings *settings,
                               const scant_classes *classes, scant_target_need need, scant_error *error);
scant_status scant_npy_open(scant_source **source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error);
scant_status scant_idx_open(scant_source **source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error);

#endif
