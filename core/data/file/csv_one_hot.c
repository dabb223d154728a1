/* Columns of words that the option one-hot makes 0/1 attributes of. */
#include "scant_base.h"
#include "data/file/csv_source.h"
#include "data/sentence.h"

#include <stdlib.h>
#include <string.h>

/* A column of more words is a column of names or numbers, which tell nothing about other examples. */
enum { CATEGORIES_MOST = 1000 };

static scant_status refuse(const scant_csv *csv, scant_status status, const char *column, const char *what,
                           scant_error *error) {
  return scant_fail(error, status, "column '%.*s' of '%s' %s (option one-hot)", scant_text_clip(column, strlen(column)),
                    column, csv->source->title, what);
}

/* The column that a request NAME or NAME=a,b,c names, and its list (NULL: none).  The name ends at the first '=' that
 * makes it one of a column.  It is cut off in the text. */
static size_t find_column(const scant_csv *csv, char *request, const char **list) {
  *list = NULL;
  size_t field = scant_csv_find(csv, request);
  for (char *equals = strchr(request, '='); field == SCANT_CSV_NO_TARGET && equals; equals = strchr(equals + 1, '=')) {
    *equals = 0;
    field = scant_csv_find(csv, request);
    if (field == SCANT_CSV_NO_TARGET)
      *equals = '=';
    else
      *list = equals + 1;
    if (*list) break;
  }
  return field;
}

static scant_status read_list(const scant_csv *csv, scant_coding *coding, const char *name, const char *list,
                              scant_error *error) {
  const char *cursor = list;
  size_t length;
  char *word = scant_array(strlen(list) + 1, 1);
  scant_status status = SCANT_OK;
  if (!word) return scant_fail_memory(error);
  int cut = 1;
  while (!status && (cut = scant_list_next(&cursor, word, &length, &status))) {
    if (!length || !scant_text_is_utf8(word, length))
      status = refuse(csv, SCANT_USAGE, name, "has a category that is empty or no UTF-8 text", error);
    else if (scant_coding_has(coding, word, length))
      status = refuse(csv, SCANT_USAGE, name, "has a category twice", error);
    else if (!scant_coding_add(coding, word, length))
      status = scant_fail_memory(error);
  }
  if (status == SCANT_USAGE && !cut) status = refuse(csv, SCANT_USAGE, name, "has a list with a wrong quote", error);
  free(word);
  return status;
}

/* Reads one request and adds its coding. */
static scant_status read_request(scant_csv *csv, char *request, scant_error *error) {
  scant_source *source = csv->source;
  const char *list;
  size_t field = find_column(csv, request, &list);
  if (field == SCANT_CSV_NO_TARGET) /* elsewhere commas separate columns */
    return scant_fail(error, SCANT_DATA, "'%s' has no column '%.*s' (option one-hot)%s", source->title,
                      scant_text_clip(request, strlen(request)), request,
                      strchr(request, ',') ? ": ';' separates several columns, as 'NAME=a,b;NAME'" : "");
  if (field == csv->target) return refuse(csv, SCANT_DATA, request, "is the target", error);
  uint32_t column = (uint32_t)scant_csv_column_of(csv, field);
  if (source->hidden && source->hidden[column])
    return refuse(csv, SCANT_DATA, request, "is left out by option ignore or option only", error);
  for (size_t i = 0; i < source->codings.count; i++)
    if (source->codings.list[i].column == column) return refuse(csv, SCANT_USAGE, request, "is named twice", error);
  scant_coding *coding = scant_codings_add(&source->codings, column);
  if (!coding) return scant_fail_memory(error);
  coding->scanned = !list;
  return list ? read_list(csv, coding, source->names[column], list, error) : SCANT_OK;
}

static scant_status add_found(scant_csv *csv, scant_coding *coding, const scant_csv_field *cell, scant_error *error) {
  const char *name = csv->source->names[coding->column];
  size_t length;
  if (scant_csv_is_empty(csv, cell)) return SCANT_OK;
  const char *word = scant_csv_word(cell, &csv->room, &csv->room_capacity, &length);
  if (!word || !scant_coding_collect(coding, word, length)) return scant_fail_memory(error);
  if (coding->count > CATEGORIES_MOST)
    return refuse(csv, SCANT_DATA, name, "holds over 1000 different words: list those that matter, as NAME=a,b,c",
                  error);
  return SCANT_OK;
}

/* Finds the categories that were not listed by reading their columns: the one scan outside the ledger.  Rows that
 * classes leave out are not read. */
static scant_status scan(scant_csv *csv, size_t coding, scant_error *error) {
  const scant_source *source = csv->source;
  scant_coding *c = &source->codings.list[coding];
  size_t field = scant_csv_field_of(csv, c->column);
  for (size_t i = 0; i < source->rows; i++) {
    size_t row = source->kept ? source->kept[i] : i;
    const char *begin = scant_csv_row_begin(csv, row), *end = scant_csv_row_end(csv, row);
    scant_csv_cells cells = scant_csv_cells_begin(csv, row, end);
    SCANT_TRY(add_found(csv, c, scant_csv_cells_to(&cells, field), error));
    scant_bytes_touch(&csv->bytes, begin, (size_t)(end - begin));
  }
  if (!c->count) return refuse(csv, SCANT_DATA, source->names[c->column], "is empty in every row", error);
  for (size_t i = 0; i < c->count; i++)
    if (!scant_text_is_utf8(c->words[i], strlen(c->words[i])))
      return refuse(csv, SCANT_DATA, source->names[c->column], "holds a word that is no UTF-8 text", error);
  return SCANT_OK;
}

static scant_status read_requests(scant_csv *csv, char *requests, scant_error *error) {
  scant_codings *codings = &csv->source->codings;
  for (char *request = requests, *next; request; request = next) {
    char *end = strchr(request, ';');
    next = end ? end + 1 : NULL;
    if (end) *end = 0;
    SCANT_TRY(read_request(csv, request, error));
  }
  for (size_t i = 0; i < codings->count; i++) {
    if (codings->list[i].scanned) SCANT_TRY(scan(csv, i, error));
    if (!scant_coding_ready(&codings->list[i], csv->count)) return scant_fail_memory(error);
  }
  return scant_codings_index(codings, csv->source->columns) ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_csv_code(scant_csv *csv, const scant_settings *settings, scant_error *error) {
  const char *asked = settings->reading.one_hot;
  if (!asked) return SCANT_OK;
  if (!csv->source->names)
    return scant_fail(error, SCANT_DATA, "one-hot needs the names of columns, and '%s' has none", csv->source->title);
  char *requests = scant_copy_text(asked, strlen(asked));
  scant_status status = requests ? read_requests(csv, requests, error) : scant_fail_memory(error);
  free(requests);
  return status;
}
