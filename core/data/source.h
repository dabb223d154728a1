/* What a source of examples consists of, for core/data and the folders above it.
 *
 * A source is a table of `rows` examples with `dimension` attributes and, if `targets` is not NULL, one target per
 * row.  An opener of file/ or memory/ fills the fields of scant_source; source.c chooses the opener and reads through
 * classes and views; view.c says which columns are attributes, bind.c which of them a model needs; classes.c makes
 * targets of labels; names_and_prices.c takes names and prices from the caller; digest.c makes the digest.
 */
#ifndef SCANT_DATA_SOURCE_H
#define SCANT_DATA_SOURCE_H

#include "data/file/bytes.h"
#include "scant.h"

#define SCANT_WHOLE_ROW UINT32_MAX

typedef struct scant_source_kind {
  /* Fills values[i] with column attributes[i] of row `row` (a row of the file, before classes dropped any).  A missing
   * value is NaN.  Values that are not finite are passed on.  Text that is not a number is SCANT_DATA, naming file,
   * line and field.  In a column that has a coding, the value is the place of the word among the categories, from 1, or
   * 0. */
  scant_status (*read)(scant_source *source, size_t row, size_t count, const uint32_t *attributes, double *values,
                       scant_error *error);
  /* Where a cell is, for messages about its value: "data.csv, line 7, column 'TSH'"; of SCANT_WHOLE_ROW, where the row
   * is.  NULL: by row and attribute, or its name, which is all that is known of a cell in memory. */
  void (*where)(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size);
  void (*free)(void *self); /* NULL: there is nothing of the kind's own */
  /* Fetches cells that will be read soon into the cache.  NULL: that has no use. */
  void (*expect)(const scant_source *source, size_t row, size_t count, const uint32_t *attributes);
  /* SCANT_DATA naming every column that is an attribute and holds text in the first rows.  NULL: there is no text. */
  scant_status (*check_types)(const scant_source *source, scant_error *error);
} scant_source_kind;

/* ---- views: which columns are the attributes ------------------------------------ */

/* The options ignore and only hide columns, and one-hot makes several attributes of one; a model that is applied says
 * by name which ones it needs.  Both make a view. */

/* An attribute of a model that the table has no column for: it is empty in every row. */
#define SCANT_ABSENT UINT32_MAX

typedef struct scant_view {
  uint32_t *column; /* of each attribute, or SCANT_ABSENT; NULL: every column is an attribute, in order */
  uint32_t *code;   /* of each attribute: its category from 1, or 0 for a number; NULL: none is absent or coded */
  char **labels;    /* of each attribute: its name, or NULL for that of its column; NULL: all are those */
  size_t dimension; /* of the arrays */
  size_t absent;    /* columns of the model that are not there, or left out */
  size_t left_out;  /* those of them that the options ignore and only left out: the user knows of them */
  char absent_list[SCANT_ERROR_LENGTH / 2]; /* the names of the others, for a sentence */
} scant_view;

/* Names in alphabetical order with their places, equal names by place. */
typedef struct scant_named {
  const char *name; /* not owned */
  size_t place;
} scant_named;

/* A column of words as 0/1 attributes. */
typedef struct scant_coding {
  uint32_t column; /* of the file */
  int scanned;     /* the words were found in the file, not listed; their codes are in alphabetical order */
  struct scant_category {
    char *word;
    uint32_t code; /* from 1, in the order of the attributes */
  } * categories;  /* in alphabetical order */
  size_t count, capacity;
  /* Cells that were read and hold another word. */
  unsigned char *met; /* a bit for each row of the file */
  uint64_t unlisted;
  char example[64]; /* the first of them, shortened */
} scant_coding;

/* The codings of a source, and which column has which. */
typedef struct scant_codings {
  scant_coding *list;
  size_t count, capacity;
  uint32_t *of_column; /* place in the list from 1, 0: a column of numbers; NULL: there is none */
} scant_codings;

/* ---- the source ------------------------------------------------------------------ */

/* The attributes of a request in increasing order.  A row of text is walked once from left to right, while attributes
 * are asked for in any order.  The scratch is kept between requests. */
typedef struct scant_order {
  uint64_t *pairs; /* attribute in the upper half, its place in the request in the lower */
  size_t capacity;
} scant_order;

struct scant_source {
  const scant_source_kind *kind;
  void *self;        /* what the kind keeps */
  char *title;       /* the file in messages; NULL: memory */
  scant_bytes bytes; /* the file; zeroed: memory */
  scant_pages pages; /* the pages of it that were looked at; without bits: it is read whole */
  scant_order order; /* for kinds that walk their rows */
  size_t rows;       /* after classes */
  size_t file_rows;  /* before, of text files */
  size_t *starts;    /* where each of those begins, from bytes.data */
  size_t starts_capacity;
  size_t dimension;      /* of the view */
  size_t columns;        /* attributes in the file */
  int sparse;            /* an attribute past `columns` is 0 */
  unsigned index_base;   /* of a sparse file: its first index, 0 or 1 */
  char **names;          /* of the file's columns; NULL: none */
  unsigned char *valued; /* does a column of the file have a value in some row? NULL: not known */
  char *target_name;
  double *targets; /* one for each row after classes; NULL: none */
  size_t targets_capacity;
  size_t *kept;          /* row of the file for each row after classes; NULL: the same */
  unsigned char *hidden; /* columns of the file that are no attributes; NULL: none */
  scant_codings codings; /* of columns of words */
  scant_view view;       /* which column each attribute is */
  int bound;             /* the view is that of a model, by name */
  int worded;            /* cells may be words, so that a column can have a coding */
  int muted;             /* values are read for no model and no learner, so unlisted words are not counted */
  int log_target;        /* targets are log(1 + y) */
  scant_prices *prices;  /* of the file's columns, that the caller gave; NULL: none */
  enum {
    SCANT_DIGEST_SAMPLE,  /* of cells, so that few pages are touched */
    SCANT_DIGEST_CELLS,   /* the file was read whole anyway */
    SCANT_DIGEST_BYTES,   /* cells are too many to visit */
    SCANT_DIGEST_NO_CELLS /* reading has a price of its own */
  } digest_of;
  /* scratch of source.c */
  uint32_t *all;    /* 0, 1, 2, ... for scant_source_row */
  uint32_t *mapped; /* columns of the attributes being read */
  double *cells;    /* their values */
  size_t all_capacity, mapped_capacity, cells_capacity;
  uint64_t digest; /* if `digested` */
  int digested;
};

/* Fetches some attributes of a row, for the meter.  A missing value is NaN; the other values are not checked.
 * SCANT_DATA: the cells were read, and one is no number; any other failure: they were not. */
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
  source->kind->expect(source, source->kept ? source->kept[row] : row, count, attributes);
}

/* Where a cell or a SCANT_WHOLE_ROW is, for sentences about it. */
void scant_source_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size);

/* The file in sentences, or "the table". */
const char *scant_source_title(const scant_source *source);

/* SCANT_DATA naming an attribute that has no value in any row, or all attributes that hold text in the first rows,
 * where the source knows that without buying. */
scant_status scant_source_check_columns(const scant_source *source, scant_error *error);

/* The requirements of a model. */
typedef struct scant_needs {
  size_t dimension;
  char *const *names;         /* NULL: none */
  const scant_prices *prices; /* attributes NAME=WORD of a group may be categories of the column NAME; NULL: none are */
  int lenient;                /* columns may be absent, but not more than half of them */
} scant_needs;

/* Makes attribute i of the source the one that the model needs: by name, or by place where either side has no names. */
scant_status scant_source_serve(scant_source *source, const scant_needs *needs, scant_error *error);

/* SCANT_DATA unless there is a price for each attribute, and no more. */
scant_status scant_source_check_prices(const scant_source *source, const scant_prices *prices, scant_error *error);

/* The prices that the caller gave for the attributes of a source, for the caller to free; NULL: there are none. */
scant_status scant_source_copy_prices(const scant_source *source, scant_prices **prices, scant_error *error);

/* A digest of the sizes, names, targets and values of a source: every cell of CSV and IDX files, every byte of LIBSVM
 * files; of NPY files and of memory, where only touched pages should be read, a thousand cells, one from each
 * thousandth of the table. Values that can't be learned from count as one constant. Sources of scant_source_custom may
 * have to pay for a look, so their cells are left out. */
scant_status scant_source_digest(scant_source *source, uint64_t *digest, scant_error *error);

/* ---- for the openers --------------------------------------------------- */

/* Counts one more row of a text file, which begins there; 0 if out of memory. */
int scant_source_add_row(scant_source *source, const char *begin);

/* SCANT_IO: every row was whole when the file was opened, and this one is not. */
scant_status scant_source_fail_changed(const scant_source *source, scant_error *error);

/* The two labels of --classes, cut apart. */
typedef struct scant_classes {
  int wanted;
  char negative[64], positive[64];
} scant_classes;

/* Cuts "NEG,POS"; SCANT_USAGE if it is not two different labels. */
scant_status scant_classes_parse(scant_classes *classes, const char *text, scant_error *error);

/* -1, +1, or 0 for a label that is neither; equal as numbers where both are numbers, else as text. */
int scant_classes_sign(const scant_classes *classes, const char *label, size_t length);
int scant_classes_sign_number(const scant_classes *classes, double label);

/* Makes the label of `row` its target: a sign if classes are wanted, else a number.  Rows come in order.  SCANT_DATA,
 * without a sentence, since the caller knows where the label is: not a finite number. */
scant_status scant_classes_add(scant_source *source, const scant_classes *classes, size_t row, const char *text,
                               size_t length, scant_error *error);

/* If classes are wanted, keeps the rows whose target is not 0; SCANT_DATA naming `path` if either class is absent. */
scant_status scant_classes_keep(scant_source *source, const scant_classes *classes, const char *path,
                                scant_error *error);

/* NULL if out of memory.  The caller frees it; the names are not copied. */
scant_named *scant_names_sort(char *const *names, size_t count);
/* The same for the attributes of a source, which has names if the order is to be used. */
scant_named *scant_source_sort_names(const scant_source *source);
/* Frees each, and all. */
void scant_names_free(char **names, size_t count);
/* The place in that order of a name that is equal to the one before it; 0: none is. */
size_t scant_names_find_twice(const scant_named *sorted, size_t count);
/* The first of this name among names in order, or NULL. */
const scant_named *scant_names_find(const scant_named *sorted, size_t count, const char *name);

/* The view that hidden columns and codings of a source make by themselves, which becomes its view.  SCANT_DATA: two
 * attributes have one name, or none is left. */
scant_status scant_source_choose(scant_source *source, scant_error *error);

void scant_view_free(scant_view *view);
void scant_codings_free(scant_codings *codings);

/* A new coding for a column, or NULL: out of memory.  It stays where it is until the next one. */
scant_coding *scant_codings_add(scant_codings *codings, uint32_t column);

/* Makes them ready for a file of so many rows and columns; 0: out of memory. */
int scant_codings_ready(scant_codings *codings, size_t rows, size_t columns);

/* Adds a word, which is copied, if it is new: where it belongs if the words are scanned, else behind the others. 0: out
 * of memory. */
int scant_coding_add(scant_coding *coding, const char *word, size_t length);

/* The place of a word among the categories, from 1; 0: it is none of them.  O(log words). */
uint32_t scant_coding_find(const scant_coding *coding, const char *word, size_t length);

/* Counts a cell with a word that is no category, once however often it is read. */
void scant_coding_note(scant_coding *coding, size_t row, const char *word, size_t length);

/* Fills source->order with a request; 0 if out of memory.  O(count) if its attributes increase already, else O(count
 * log count). */
int scant_source_sort(scant_source *source, size_t count, const uint32_t *attributes);

static inline uint32_t scant_order_attribute(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] >> 32);
}

static inline uint32_t scant_order_place(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] & UINT32_MAX);
}

/* An opener fills an empty source, which the caller frees on failure. */
typedef scant_status scant_opener(scant_source *source, const char *path, const scant_settings *settings,
                                  const scant_classes *classes, scant_target_need need, scant_error *error);
scant_opener scant_csv_open, scant_libsvm_open, scant_npy_open, scant_idx_open;

#endif
