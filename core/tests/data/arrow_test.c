/* Streams of Arrow's record batches, from a producer that counts what is released. */
#include "data/memory/arrow.h"
#include "fail_each.h"
#include "tables.h"

#include <errno.h>

enum { D = 12, BATCHES = 5, LENGTH_MOST = 20, OFFSET_MOST = 24, ROOM = LENGTH_MOST + 2 * OFFSET_MOST };

static const char formats[] = "cCsSiIlLfgeb";
static const size_t sizes[D] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 0};

/* ---- the producer -------------------------------------------------------------- */

typedef struct batch {
  struct ArrowArray array, children[D], *pointers[D];
  const void *buffers[D][2], *own[1];
  unsigned char data[D][ROOM * 8], valid[D][ROOM / 8 + 2], rows_valid[ROOM / 8 + 2];
  int released;
} batch;

typedef struct producer {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema, children[D], *pointers[D];
  char format[D][8], names[D][8];
  batch batches[BATCHES];
  size_t count, next;
  int fail_schema, fail_at; /* numbers of errno.h; the batch that fails, or -1 */
  int fail_number;
  const char *sentence;
  int stream_released, schema_made, schema_released, made, foul;
} producer;

static producer p;
static double dense[BATCHES * LENGTH_MOST * D], y[BATCHES * LENGTH_MOST];
static size_t rows;

/* Parts belong to the whole that they came with. */
static void release_child_schema(struct ArrowSchema *schema) {
  (void)schema;
  p.foul++;
}

static void release_child(struct ArrowArray *array) {
  (void)array;
  p.foul++;
}

static void release_schema(struct ArrowSchema *schema) {
  p.schema_released++;
  memset(p.format, '?', sizeof p.format); /* nobody may look at it any more */
  memset(p.names, '?', sizeof p.names);
  schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
  batch *b = array->private_data;
  b->released++;
  memset(b->data, 0xee, sizeof b->data);
  memset(b->children, 0, sizeof b->children);
  array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
  p.stream_released++;
  stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema) {
  (void)stream;
  if (p.fail_schema) {
    schema->release = release_schema; /* what is in it after a failure is no matter */
    return p.fail_schema;
  }
  p.schema_made += p.schema.release != NULL;
  *schema = p.schema;
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array) {
  (void)stream;
  if (p.fail_number && (int)p.next == p.fail_at) return p.fail_number;
  if (p.next == p.count) {
    array->release = NULL;
    return 0;
  }
  *array = p.batches[p.next++].array;
  p.made++;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return p.sentence;
}

/* ---- a table -------------------------------------------------------------------- */

static void set_bit(unsigned char *bits, size_t i, int on) {
  bits[i / 8] = (unsigned char)((bits[i / 8] & ~(1 << i % 8)) | on << i % 8);
}

/* Every finite half precision number comes by, and also not a number. */
static double put_half(unsigned char *at, uint16_t bits) {
  if ((bits >> 10 & 31) == 31) bits = 0x7e01;
  memcpy(at, &bits, sizeof bits);
  double sign = bits >> 15 ? -1 : 1, fraction = bits & 1023;
  if (bits == 0x7e01) return NAN;
  if (bits >> 10 & 31) return sign * pow(2, (bits >> 10 & 31) - 15) * (1 + fraction / 1024);
  return sign * pow(2, -14) * fraction / 1024;
}

static double put_value(batch *b, size_t column, size_t i, uint64_t *seed) {
#define PUT(element_type, value)            \
  {                                         \
    element_type v = (element_type)(value); \
    memcpy(at, &v, sizeof v);               \
    return (double)v;                       \
  }
  unsigned char *at = b->data[column] + i * sizes[column];
  uint64_t bits = random_bits(seed);
  switch (formats[column]) {
    case 'c':
      PUT(int8_t, bits)
    case 'C':
      PUT(uint8_t, bits)
    case 's':
      PUT(int16_t, bits)
    case 'S':
      PUT(uint16_t, bits)
    case 'i':
      PUT(int32_t, bits)
    case 'I':
      PUT(uint32_t, bits)
    case 'l':
      PUT(int64_t, bits)
    case 'L':
      PUT(uint64_t, bits)
    case 'f':
      PUT(float, random_real(seed))
    case 'g':
      PUT(double, random_real(seed))
    case 'e':
      return put_half(at, (uint16_t)bits);
    default:
      set_bit(b->data[column], i, bits & 1);
      return (double)(bits & 1);
  }
#undef PUT
}

static void fill_batch(batch *b, size_t length, int null_count, uint64_t *seed) {
  size_t offset = random_below(seed, OFFSET_MOST), some_rows = random_below(seed, 2);
  memset(b, 0, sizeof *b);
  memset(b->rows_valid, 0xa6, sizeof b->rows_valid);
  b->own[0] = some_rows ? b->rows_valid : NULL;
  b->array = (struct ArrowArray){.length = (int64_t)length,
                                 .offset = (int64_t)offset,
                                 .null_count = some_rows ? null_count : 0,
                                 .n_buffers = 1,
                                 .n_children = D,
                                 .buffers = b->own,
                                 .children = b->pointers,
                                 .release = release_array,
                                 .private_data = b};
  for (size_t row = 0; row < length; row++) set_bit(b->rows_valid, offset + row, random_below(seed, 6) > 0);
  for (size_t i = 0; i < D; i++) {
    size_t own = random_below(seed, OFFSET_MOST), holes = random_below(seed, 3);
    b->pointers[i] = &b->children[i];
    memset(b->valid[i], 0x59, sizeof b->valid[i]);
    b->buffers[i][0] = holes ? b->valid[i] : NULL; /* 2: a bitmap, and it says that all are there */
    b->buffers[i][1] = b->data[i];
    b->children[i] = (struct ArrowArray){.length = (int64_t)(offset + length + random_below(seed, 2)),
                                         .offset = (int64_t)own,
                                         .null_count = holes == 1 ? null_count : 0,
                                         .n_buffers = 2,
                                         .buffers = b->buffers[i],
                                         .release = release_child};
    for (size_t row = 0; row < length; row++) {
      size_t place = own + offset + row;
      double value = put_value(b, i, place, seed);
      int present = holes != 1 || random_below(seed, 4) > 0,
          whole = !some_rows || b->rows_valid[(offset + row) / 8] >> (offset + row) % 8 & 1;
      set_bit(b->valid[i], place, present);
      dense[(rows + row) * D + i] = present && whole ? value : NAN;
    }
  }
  for (size_t row = 0; row < length; row++) y[rows + row] = random_real(seed);
  rows += length;
}

/* Batches of these lengths, as far as they go. */
static struct ArrowArrayStream *produce(size_t count, const size_t *lengths, int named, uint64_t seed) {
  memset(&p, 0, sizeof p);
  rows = 0;
  p.count = count;
  p.fail_at = -1;
  p.stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, NULL};
  p.schema = (struct ArrowSchema){
      .format = "+s", .name = "", .n_children = D, .children = p.pointers, .release = release_schema};
  for (size_t i = 0; i < D; i++) {
    snprintf(p.format[i], sizeof p.format[i], "%c", formats[i]);
    snprintf(p.names[i], sizeof p.names[i], "name%zu", i);
    p.pointers[i] = &p.children[i];
    p.children[i] = (struct ArrowSchema){.format = p.format[i],
                                         .name = named   ? p.names[i]
                                                 : i % 2 ? ""
                                                         : NULL,
                                         .release = release_child_schema};
  }
  for (size_t i = 0; i < count; i++) fill_batch(&p.batches[i], lengths[i], i % 2 ? -1 : 7, &seed);
  return &p.stream;
}

/* Was everything that was handed out released once, and nothing else? */
static int all_released(void) {
  size_t good = 0, made = (size_t)p.made;
  for (size_t i = 0; i < BATCHES; i++) good += p.batches[i].released == (i < made);
  return good == BATCHES && p.stream_released == 1 && p.schema_released == p.schema_made && !p.foul;
}

static const size_t some_lengths[BATCHES] = {13, 0, 20, 1, 6};

TEST(batches_are_the_same_table) {
  static const size_t lengths[][BATCHES] = {
      {13, 0, 20, 1, 6}, {20}, {0, 0, 9, 0, 0}, {1, 1, 1, 1, 1}, {20, 20, 20, 20, 20}};
  static const size_t counts[] = {5, 1, 5, 5, 5};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int named = 0; named < 2; named++) {
      scant_source *source = NULL;
      struct ArrowArrayStream *stream = produce(counts[i], lengths[i], named, 100 + i);
      if (!CHECK(scant_source_arrow(&source, stream, y, rows, &error) == SCANT_OK)) printf("#   %s\n", error.text);
      CHECK(p.stream_released == 1 && p.schema_released == 1 && !stream->release);
      CHECK(scant_source_rows(source) == rows && scant_source_dimension(source) == D);
      CHECK(named ? !strcmp(scant_source_name(source, 3), "name3") : !scant_source_name(source, 3));
      if (rows > 20)
        check_same_table(source, dense, y);
      else
        check_reads(source, dense, i);
      for (size_t j = 0; j < counts[i]; j++) CHECK(p.batches[j].released == !lengths[i][j]);
      scant_source_free(source);
      CHECK(all_released());
    }
}

/* Of what is not asked for, the address alone is known. */
TEST(touches_what_is_asked_for) {
  static double x[D];
  const uint32_t attributes[] = {9, 2};
  scant_source *source = NULL;
  struct ArrowArrayStream *stream = produce(BATCHES, some_lengths, 1, 5);
  for (size_t b = 0; b < BATCHES; b++)
    for (size_t i = 0; i < D; i++) {
      if (i == 9 || i == 2) continue;
      p.batches[b].buffers[i][0] = p.batches[b].buffers[i][1] = (char *)NULL + sizeof(double);
    }
  CHECK(scant_source_arrow(&source, stream, y, rows, &error) == SCANT_OK);
  for (size_t row = 0; row < rows; row++) {
    CHECK(scant_source_read(source, row, 2, attributes, x, &error) == SCANT_OK);
    CHECK(same_value(x[0], dense[row * D + 9]) && same_value(x[1], dense[row * D + 2]));
  }
  scant_source_free(source);
  CHECK(all_released());
}

TEST(sentences_have_the_names) {
  scant_source *source = NULL;
  struct ArrowArrayStream *stream = produce(1, (const size_t[]){4}, 1, 5);
  batch *b = &p.batches[0];
  const double bad = INFINITY;
  b->array.offset = b->children[9].offset = b->array.null_count = b->children[9].null_count = 0;
  b->own[0] = NULL;
  memcpy(b->data[9] + 2 * sizeof bad, &bad, sizeof bad);
  const uint16_t bad_half = 0xfc00;
  b->children[10].offset = b->children[10].null_count = 0;
  memcpy(b->data[10] + sizeof bad_half, &bad_half, sizeof bad_half);
  CHECK(scant_source_arrow(&source, stream, NULL, 0, &error) == SCANT_OK && !scant_source_has_target(source));
  ROW_FAILS(source, 2, "row 2, attribute 'name9': infinity can't be learned from");
  ROW_FAILS(source, 1, "row 1, attribute 'name10': minus infinity can't be learned from");
  scant_source_free(source);
}

/* ---- what is refused ------------------------------------------------------------- */

#define REFUSED(status, words)                                                          \
  do {                                                                                  \
    NOT_MADE(scant_source_arrow(&made, &p.stream, y, rows, &error), (status), (words)); \
    CHECK(all_released());                                                              \
  } while (0)

static void start(void) {
  produce(BATCHES, some_lengths, 1, 9);
}

TEST(refuses_other_types) {
  static const char *const cases[][2] = {
      {"u", "'u' (text)"},      {"U", "'U' (text)"},      {"vu", "'vu' (text)"},      {"z", "'z' (bytes)"},
      {"w:4", "'w:4' (bytes)"}, {"n", "'n' (no values)"}, {"tdD", "'tdD' (dates or"}, {"d:9,2", "'d:9,2' (decimals)"},
      {"+l", "'+l' (nested"},   {"?", "'?' (not known"},  {"", "'' (not known"},      {"gg", "'gg' (not known"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    start();
    strcpy(p.format[7], cases[i][0]);
    REFUSED(SCANT_DATA, "column 'name7' holds no numbers: its Arrow format is ");
    CHECK_SAYS(error.text, cases[i][1]);
    CHECK(p.made == 0);
  }
  start();
  p.children[4].dictionary = &p.children[5];
  p.children[4].name = NULL;
  REFUSED(SCANT_DATA, "column 4 holds no numbers: its Arrow format is 'i' (categories)");
  start();
  p.children[4].format = NULL;
  REFUSED(SCANT_DATA, "column 4 of the Arrow stream has no type");
  start();
  p.schema.format = "g";
  REFUSED(SCANT_DATA, "the Arrow stream holds values of the format 'g' and no columns");
  start();
  p.schema.n_children = 0;
  REFUSED(SCANT_DATA, "the table has no attributes");
  start();
  p.schema.release = NULL;
  REFUSED(SCANT_DATA, "the Arrow stream has no schema");
  start();
  strcpy(p.names[7], p.names[2]);
  REFUSED(SCANT_DATA, "attributes 2 and 7 are both called 'name2'");
}

TEST(refuses_broken_batches) {
  struct ArrowArray *second = &p.batches[2].array, *column = &p.batches[2].children[5];
  start();
  second->n_children = D - 1;
  REFUSED(SCANT_DATA, "batch 2 of the Arrow stream has other columns than its schema");
  start();
  second->children = NULL;
  REFUSED(SCANT_DATA, "has other columns");
  static const int64_t lengths[] = {-1, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < 3; i++) {
    start();
    second->length = lengths[i];
    if (i == 1) second->offset = 1;
    REFUSED(SCANT_DATA, "batch 2 of the Arrow stream reaches beyond any memory");
    start();
    second->offset = lengths[i];
    REFUSED(SCANT_DATA, "batch 2 of the Arrow stream reaches beyond any memory");
    start();
    column->offset = lengths[i];
    REFUSED(SCANT_DATA, "batch 2 of the Arrow stream: column 'name5' reaches beyond any memory");
  }
  start();
  column->offset = INT64_MAX / 4; /* of values of 4 bytes */
  REFUSED(SCANT_DATA, "column 'name5' reaches beyond any memory");
  start();
  column->length = second->offset + second->length - 1;
  REFUSED(SCANT_DATA, "batch 2 of the Arrow stream: column 'name5' is shorter than the batch");
  start();
  p.batches[2].pointers[5] = NULL;
  REFUSED(SCANT_DATA, "column 'name5' is shorter than the batch");
  start();
  column->n_buffers = 3;
  REFUSED(SCANT_DATA, "batch 2 of the Arrow stream: column 'name5' is not of its type");
  start();
  column->buffers = NULL;
  REFUSED(SCANT_DATA, "column 'name5' is not of its type");
  start();
  column->null_count = 2;
  p.batches[2].buffers[5][0] = NULL;
  REFUSED(SCANT_DATA, "column 'name5' is not of its type");
  start();
  p.batches[2].buffers[5][1] = NULL;
  REFUSED(SCANT_DATA, "batch 2 of the Arrow stream: column 'name5' has no values");
  start();
  second->null_count = 1;
  p.batches[2].own[0] = NULL;
  REFUSED(SCANT_DATA, "batch 2 of the Arrow stream does not say which rows are null");
  start();
  second->n_buffers = 0;
  REFUSED(SCANT_DATA, "does not say which rows are null");
}

TEST(tells_what_the_stream_says) {
  start();
  p.fail_schema = EINVAL;
  p.sentence = "the file is gone";
  REFUSED(SCANT_IO, "the Arrow stream failed: the file is gone");
  for (int at = 0; at <= BATCHES; at++) {
    start();
    p.fail_at = at;
    p.fail_number = EIO;
    REFUSED(SCANT_IO, "the Arrow stream failed with error 5");
    start();
    p.fail_at = at;
    p.fail_number = ENOMEM;
    REFUSED(SCANT_MEMORY, "out of memory");
  }
  start();
  p.stream.get_last_error = NULL;
  p.fail_schema = EIO;
  REFUSED(SCANT_IO, "the Arrow stream failed with error 5");
}

TEST(refuses_what_is_no_table) {
  NOT_MADE(scant_source_arrow(&made, NULL, y, rows, &error), SCANT_USAGE,
           "the Arrow stream is NULL, or was released before");
  start();
  p.stream.release = NULL;
  NOT_MADE(scant_source_arrow(&made, &p.stream, y, rows, &error), SCANT_USAGE, "or was released before");
  produce(0, some_lengths, 1, 1);
  REFUSED(SCANT_DATA, "the table has no rows");
  produce(2, (const size_t[]){0, 0}, 1, 1);
  REFUSED(SCANT_DATA, "the table has no rows");
  start();
  y[30] = NAN;
  REFUSED(SCANT_DATA, "the target of row 30 is NaN");
  start();
  NOT_MADE(scant_source_arrow(&made, &p.stream, y, rows - 1, &error), SCANT_DATA,
           "the Arrow stream has 40 rows, and there are 39 targets");
  CHECK(all_released());
  start();
  p.schema.format = "g";
  CHECK(scant_source_arrow(&(scant_source *){NULL}, &p.stream, y, rows, NULL) == SCANT_DATA && all_released());
}

static scant_status run_arrow(void) {
  scant_source *source = NULL;
  double x[D];
  start();
  scant_status status = scant_source_arrow(&source, &p.stream, y, rows, &error);
  for (size_t row = 0; status == SCANT_OK && row < rows; row++) {
    status = scant_source_row(source, row, x, &error);
    for (size_t i = 0; i < D; i++) note(isnan(x[i]) ? "n" : "v", 1);
  }
  if (status == SCANT_OK) note(scant_source_name(source, 4), 5);
  scant_source_free(source);
  CHECK(all_released());
  return status;
}

TEST(streams_survive_without_memory) {
  fail_each("arrow", run_arrow);
}

int main(void) {
  files_begin();
  RUN(batches_are_the_same_table);
  RUN(touches_what_is_asked_for);
  RUN(sentences_have_the_names);
  RUN(refuses_other_types);
  RUN(refuses_broken_batches);
  RUN(tells_what_the_stream_says);
  RUN(refuses_what_is_no_table);
  RUN(streams_survive_without_memory);
  files_end();
  return check_done();
}
