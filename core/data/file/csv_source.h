/* A CSV file that is open: where its rows are.  csv_open.c opens it, csv.c reads it, csv_columns.c finds out what its
 * columns hold. */
#ifndef SCANT_DATA_FILE_CSV_SOURCE_H
#define SCANT_DATA_FILE_CSV_SOURCE_H

#include "data/file/bytes.h"
#include "data/file/csv_field.h"
#include "data/file/csv_line.h"
#include "data/source.h"

#define SCANT_CSV_NO_TARGET SIZE_MAX
#define SCANT_CSV_WHOLE_ROW (SIZE_MAX - 1)
/* A bit beside the place where a row begins: the row has quotes.  No file is so long that the place needs this bit. */
#define SCANT_CSV_HAS_QUOTES (SIZE_MAX ^ SIZE_MAX >> 1)

/* Words that count as an empty cell: the option na. */
typedef struct scant_empty_words {
  char *text; /* all of them, one after another */
  size_t count;
  struct scant_empty_word {
    const char *text;
    size_t length;
    double number; /* NaN: it is no number */
  } * words;
  int numbers; /* some are numbers */
} scant_empty_words;

/* Cuts words that commas separate, as fields of CSV are; NULL: there are none.  SCANT_USAGE: a word is empty. */
scant_status scant_empty_words_open(scant_empty_words *words, const char *list, scant_error *error);
void scant_empty_words_close(scant_empty_words *words);

/* Has a field nothing but blanks, or one of the words with blanks around it?  Numbers are compared as numbers. */
int scant_empty_words_has(const scant_empty_words *words, const char *text, size_t length);

/* Is this number one of them? */
int scant_empty_words_has_number(const scant_empty_words *words, double number);

typedef struct scant_csv {
  scant_bytes bytes;
  scant_csv_text text;
  const char *begin, *end; /* without byte order mark and blank lines at the end */
  size_t *rows;            /* where each begins, from bytes.data, and SCANT_CSV_HAS_QUOTES */
  size_t capacity, count;
  size_t fields; /* of every row */
  size_t target; /* its field, or SCANT_CSV_NO_TARGET */
  int has_header;
  int nul;          /* a NUL byte was met */
  size_t *unvalued; /* while opening: fields without a value so far, increasing */
  size_t unvalued_count;
  scant_source *source;
  scant_order order;
  scant_empty_words empty; /* words that count as an empty cell */
  char *room;              /* scratch: a word without its doubled quotes */
  size_t room_capacity;
} scant_csv;

extern const scant_source_kind scant_csv_kind;

static inline const char *scant_csv_row_begin(const scant_csv *csv, size_t row) {
  return csv->bytes.data + (csv->rows[row] & ~SCANT_CSV_HAS_QUOTES);
}

/* Behind its line feed, or at the end of the file. */
static inline const char *scant_csv_row_end(const scant_csv *csv, size_t row) {
  return row + 1 < csv->count ? scant_csv_row_begin(csv, row + 1) : csv->end;
}

/* Columns are the fields without the target. */
static inline size_t scant_csv_field_of(const scant_csv *csv, uint32_t column) {
  return (size_t)column + (column >= csv->target);
}

/* The way back, of a field that is not the target. */
static inline size_t scant_csv_column_of(const scant_csv *csv, size_t field) {
  return field - (field > csv->target);
}

/* NULL: there are no names. */
const char *scant_csv_name(const scant_csv *csv, size_t field);

/* Has a cell nothing but blanks, or a word that counts as that? */
static inline int scant_csv_is_empty(const scant_csv *csv, const scant_csv_field *field) {
  return scant_empty_words_has(&csv->empty, field->text, field->length);
}

/* "data.csv, line 7, column 'TSH'", or its number where there are no names. */
void scant_csv_where(const scant_csv *csv, size_t row, size_t field, char *text, size_t size);

/* A walk over one row, which was whole when the file was opened and ends at `end`. */
typedef struct scant_csv_cells {
  scant_csv_walk walk;
  const char *cursor, *end;
  size_t next; /* fields behind the cursor */
  int quotes;
  scant_csv_stop stop; /* at the cursor */
  scant_csv_field field;
} scant_csv_cells;

scant_csv_cells scant_csv_cells_begin(const scant_csv *csv, size_t row, const char *end);
/* The field `wanted`, which is not before the last one that was asked for; NULL: the row has no such field any more. */
const scant_csv_field *scant_csv_cells_to(scant_csv_cells *cells, size_t wanted);

/* The word in a cell: without doubled quotes and blanks around it.  It is in the file or in *room, which grows and
 * which the caller frees.  NULL: out of memory. */
const char *scant_csv_word(const scant_csv_field *field, char **room, size_t *capacity, size_t *length);

/* ---- csv_columns.c and csv_one_hot.c --------------------------------------------------------- */

/* The field that a text counts from 1; SCANT_CSV_NO_TARGET: it is no such number. */
size_t scant_csv_numbered(const scant_csv *csv, const char *text);

/* The field that a text names, with or without the blanks around its name, or counts from 1; SCANT_CSV_NO_TARGET:
 * there is none. */
size_t scant_csv_find(const scant_csv *csv, const char *name);

/* Notes which columns the options ignore and only leave out; the target is known. */
scant_status scant_csv_hide(scant_csv *csv, const scant_settings *settings, scant_error *error);

/* Makes the codings that the option one-hot asks for; the rows are known. */
scant_status scant_csv_code(scant_csv *csv, const scant_settings *settings, scant_error *error);

/* SCANT_DATA naming every attribute that holds text in the first rows. */
scant_status scant_csv_check_types(void *csv, scant_error *error);

/* SCANT_DATA about the last row that was met, whose target `text` is no number.  If the whole column holds two words,
 * the sentence says that they can be classes. */
scant_status scant_csv_refuse_target(scant_csv *csv, const char *text, size_t length, scant_error *error);

#endif
