/* NPY, the format of numpy.save: "\x93NUMPY", a version, the length of the header, the header (a Python dictionary as
 * text), the elements. */
#include "scant_base.h"
#include "data/sentence.h"
#include "data/memory/in_memory.h"

#include <string.h>

static const char magic[] = "\x93NUMPY";

/* numpy has at most this many dimensions. */
enum { MOST_DIMENSIONS = 64 };

typedef struct npy_header {
  const char *descr; /* the dtype as it stands in the file */
  size_t descr_length;
  int is_structured; /* it is a list, not a text */
  int fortran_order;
  size_t dimensions;
  uint64_t shape[MOST_DIMENSIONS];
} npy_header;

/* ---- the dictionary ----------------------------------------------------------- */

typedef struct npy_cursor {
  const char *at, *end;
} npy_cursor;

static void skip_blanks(npy_cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

/* Goes behind this character, if it is the next one. */
static int take(npy_cursor *c, char wanted) {
  skip_blanks(c);
  if (c->at == c->end || *c->at != wanted) return 0;
  c->at++;
  return 1;
}

static int take_word(npy_cursor *c, const char *word) {
  size_t length = strlen(word);
  skip_blanks(c);
  if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return 0;
  c->at += length;
  return 1;
}

static int take_text(npy_cursor *c, const char **text, size_t *length) {
  skip_blanks(c);
  if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return 0;
  const char *start = c->at + 1, *close = memchr(start, *c->at, (size_t)(c->end - start));
  if (!close) return 0;
  *text = start;
  *length = (size_t)(close - start);
  c->at = close + 1;
  return 1;
}

/* A size, with the L that Python 2 wrote behind it. */
static int take_size(npy_cursor *c, uint64_t *size) {
  skip_blanks(c);
  const char *start = c->at;
  while (c->at < c->end && *c->at >= '0' && *c->at <= '9') c->at++;
  if (!scant_parse_count(start, (size_t)(c->at - start), size)) return 0;
  if (c->at < c->end && *c->at == 'L') c->at++;
  return 1;
}

static int take_shape(npy_cursor *c, npy_header *header) {
  if (!take(c, '(')) return 0;
  header->dimensions = 0;
  while (!take(c, ')')) {
    if (header->dimensions == MOST_DIMENSIONS || !take_size(c, &header->shape[header->dimensions])) return 0;
    header->dimensions++;
    if (take(c, ',')) continue;
    return take(c, ')');
  }
  return 1;
}

static int take_descr(npy_cursor *c, npy_header *header) {
  if (take_text(c, &header->descr, &header->descr_length)) return 1;
  if (c->at == c->end || *c->at != '[') return 0;
  header->is_structured = 1; /* such a dtype is refused, so the rest does not matter */
  header->descr = c->at;
  header->descr_length = (size_t)(c->end - c->at);
  return 1;
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4 };

/* Takes one "key: value"; returns which, or 0 if it is malformed. */
static int take_item(npy_cursor *c, npy_header *header) {
  const char *key;
  size_t length;
  if (!take_text(c, &key, &length) || !take(c, ':')) return 0;
  if (length == 5 && memcmp(key, "descr", 5) == 0) return take_descr(c, header) ? HAS_DESCR : 0;
  if (length == 5 && memcmp(key, "shape", 5) == 0) return take_shape(c, header) ? HAS_SHAPE : 0;
  if (length != 13 || memcmp(key, "fortran_order", 13) != 0) return 0;
  header->fortran_order = take_word(c, "True");
  return header->fortran_order || take_word(c, "False") ? HAS_ORDER : 0;
}

/* What is wrong with the dictionary; NULL: nothing. */
static const char *parse_dictionary(npy_header *header, npy_cursor c) {
  int has = 0;
  if (!take(&c, '{')) return "is not a dictionary";
  while (!take(&c, '}')) {
    skip_blanks(&c);
    int item = take_item(&c, header);
    if (!item) return "is malformed";
    if (header->is_structured) return NULL;
    if (has & item) return "says something twice";
    has |= item;
    if (take(&c, ',')) continue;
    if (!take(&c, '}')) return "is malformed";
    break;
  }
  skip_blanks(&c);
  if (c.at != c.end) return "is followed by something else";
  if (!(has & HAS_DESCR)) return "has no 'descr'";
  if (!(has & HAS_ORDER)) return "has no 'fortran_order'";
  if (!(has & HAS_SHAPE)) return "has no 'shape'";
  return NULL;
}

/* ---- the file ------------------------------------------------------------------- */

/* Finds the header's text; *start is where the elements begin. */
static scant_status find_header(npy_cursor *c, size_t *start, const scant_bytes *bytes, const char *shown,
                                scant_error *error) {
  const unsigned char *data = (const unsigned char *)bytes->data;
  if (bytes->length < 10 || memcmp(data, magic, sizeof magic - 1) != 0)
    return scant_fail(error, SCANT_DATA, "'%s' is not an NPY file", shown);
  if (data[6] < 1 || data[6] > 3 || data[7] != 0)
    return scant_fail(error, SCANT_DATA, "'%s' is an NPY file of version %d.%d, and Scant reads 1.0, 2.0 and 3.0",
                      shown, data[6], data[7]);
  size_t before = data[6] == 1 ? 10 : 12, length = (size_t)data[8] | (size_t)data[9] << 8;
  if (data[6] > 1 && bytes->length >= before) length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
  if (bytes->length < before || bytes->length - before < length)
    return scant_fail(error, SCANT_DATA, "'%s' ends in the middle of its header", shown);
  c->at = bytes->data + before;
  c->end = c->at + length;
  *start = before + length;
  return SCANT_OK;
}

static int find_type(const npy_header *header, scant_type *type, int *swapped) {
  static const struct {
    char name[3];
    scant_type type;
  } types[] = {{"f8", SCANT_FLOAT64}, {"f4", SCANT_FLOAT32}, {"u1", SCANT_UINT8}, {"i1", SCANT_INT8},
               {"b1", SCANT_UINT8},   {"u2", SCANT_UINT16},  {"i2", SCANT_INT16}, {"u4", SCANT_UINT32},
               {"i4", SCANT_INT32},   {"u8", SCANT_UINT64},  {"i8", SCANT_INT64}};
  const char *name = header->descr;
  size_t length = header->descr_length;
  int big = scant_machine_is_big_endian();
  *swapped = 0;
  if (length == 3 && (name[0] == '<' || name[0] == '>' || name[0] == '|' || name[0] == '=')) {
    *swapped = name[0] == (big ? '<' : '>');
    name++;
    length--;
  }
  if (header->is_structured || length != 2) return 0;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (memcmp(name, types[i].name, 2) == 0) return *type = types[i].type, 1;
  return 0;
}

/* Rows and columns of examples, or of labels: (n,) or (n, 1). */
static scant_status find_shape(const npy_header *header, int labels, size_t *rows, size_t *columns, const char *shown,
                               scant_error *error) {
  size_t dimensions = header->dimensions;
  uint64_t second = dimensions == 2 ? header->shape[1] : 1;
  if (labels && !(dimensions == 1 || (dimensions == 2 && second == 1)))
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimensions%s, and labels have the shape (n,) or (n, 1)", shown,
                      dimensions, dimensions == 2 ? " and more than one column" : "");
  if (!labels && dimensions != 2)
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimension%s, and examples have the shape (n, d)", shown,
                      dimensions, dimensions == 1 ? "" : "s");
  if (header->shape[0] > PTRDIFF_MAX || second > PTRDIFF_MAX)
    return scant_fail(error, SCANT_DATA, "the shape of '%s' is larger than any memory", shown);
  *rows = (size_t)header->shape[0];
  *columns = *rows ? (size_t)second : 0; /* without rows any number of columns would fit the file */
  return SCANT_OK;
}

static scant_status parse_npy(scant_strided *table, const scant_bytes *bytes, int labels, const char *path,
                              scant_error *error) {
  const char *shown = scant_path_show(path);
  npy_cursor c = {NULL, NULL};
  size_t start = 0, rows = 0, columns = 0;
  SCANT_TRY(find_header(&c, &start, bytes, shown, error));
  npy_header header = {0};
  const char *wrong = parse_dictionary(&header, c);
  if (wrong) return scant_fail(error, SCANT_DATA, "'%s' is not a good NPY file: its header %s", shown, wrong);
  scant_strided found = {.data = (const unsigned char *)bytes->data + start};
  if (!find_type(&header, &found.type, &found.swapped))
    return scant_fail(error, SCANT_DATA,
                      "'%s' has elements of the dtype '%.*s', and Scant reads f4, f8, integers and bool", shown,
                      scant_text_clip(header.descr, header.descr_length), header.descr);
  SCANT_TRY(find_shape(&header, labels, &rows, &columns, shown, error));
  size_t size = scant_type_size(found.type), room = bytes->length - start;
  size_t in_room = room / size; /* elements */
  if (rows && columns > in_room / rows)
    return scant_fail(
        error, SCANT_DATA,
        "'%s' is shorter than its header says: %zu rows of %zu elements of %zu bytes do not fit into %zu bytes", shown,
        rows, columns, size, room);
  if (room != rows * columns * size)
    return scant_fail(error, SCANT_DATA, "'%s' is longer than its header says: it holds %zu bytes too many", shown,
                      room - rows * columns * size);
  found.rows = rows;
  found.columns = columns;
  found.row_stride = (ptrdiff_t)(header.fortran_order ? size : columns * size);
  found.column_stride = (ptrdiff_t)(header.fortran_order ? rows * size : size);
  *table = found;
  return SCANT_OK;
}

/* A pipe may never end. */
static scant_status watch_npy(const char *data, size_t length, size_t fresh, size_t *mark, const char *path,
                              scant_error *error) {
  (void)fresh, (void)mark;
  size_t known = length < sizeof magic - 1 ? length : sizeof magic - 1;
  if (memcmp(data, magic, known) == 0) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "'%s' is not an NPY file", scant_path_show(path));
}

static const scant_bytes_kind npy_file = {.in_place = 1, .watch = watch_npy};

scant_status scant_npy_open(scant_source *source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error) {
  return scant_strided_file_open(source, path, parse_npy, &npy_file, settings, classes, need, error);
}
