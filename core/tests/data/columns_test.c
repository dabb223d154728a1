/* Tables whose columns lie apart. */
#include "fail_each.h"
#include "tables.h"

enum { N = 40, D = 10, WIDEST = 3 * 8, OFFSET = 3 };

/* Column i is of type i.  Its values lie OFFSET bytes into the room, at a stride
 * of some bytes more than they have, forwards or backwards. */
static unsigned char room[D][OFFSET + N * WIDEST + 8];
static unsigned char valid[D][N / 8 + 4];
static scant_column columns[D];
static double dense[N * D], y[N];

static size_t sizes[D] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8};

/* Writes a random value of a type, and returns it as a double. */
static double put_value(scant_type type, unsigned char *at, uint64_t *seed) {
#define PUT(element_type, value)            \
  {                                         \
    element_type v = (element_type)(value); \
    memcpy(at, &v, sizeof v);               \
    return (double)v;                       \
  }
  uint64_t bits = random_bits(seed);
  switch (type) {
    case SCANT_FLOAT64:
      if (bits % 11 == 0) PUT(double, NAN)
      PUT(double, random_real(seed))
    case SCANT_FLOAT32:
      PUT(float, random_real(seed))
    case SCANT_UINT8:
      PUT(uint8_t, bits)
    case SCANT_INT8:
      PUT(int8_t, bits)
    case SCANT_UINT16:
      PUT(uint16_t, bits % 9 ? bits % 300 : UINT16_MAX)
    case SCANT_INT16:
      PUT(int16_t, bits % 9 ? (int)(bits % 300) - 150 : INT16_MIN)
    case SCANT_UINT32:
      PUT(uint32_t, bits % 9 ? bits % 300 : UINT32_MAX)
    case SCANT_INT32:
      PUT(int32_t, bits % 9 ? (int)(bits % 300) - 150 : INT32_MIN)
    case SCANT_UINT64:
      PUT(uint64_t, bits % 9 ? bits % 300 : UINT64_MAX)
    case SCANT_INT64:
      PUT(int64_t, bits % 9 ? (int)(bits % 300) - 150 : INT64_MIN)
  }
  return NAN;
#undef PUT
}

/* Strides by `turn`: as wide as the values, wider and at odd addresses, backwards. */
static void fill(int turn, uint64_t seed) {
  for (size_t i = 0; i < D; i++) {
    ptrdiff_t stride = (ptrdiff_t)(sizes[i] * (turn ? 2 : 1)) + (turn ? 1 : 0);
    unsigned char *data = room[i] + (turn ? OFFSET : 0);
    if (turn == 2) {
      data += stride * (N - 1);
      stride = -stride;
    }
    columns[i] = (scant_column){(scant_type)i, data, stride, i % 3 ? valid[i] : NULL, i % 3 ? i : 0};
    memset(valid[i], 0xa5, sizeof valid[i]);
    for (size_t row = 0; row < N; row++) {
      double value = put_value(columns[i].type, data + (ptrdiff_t)row * stride, &seed);
      size_t bit = i + row;
      int present = random_below(&seed, 4) > 0;
      if (i % 3) {
        valid[i][bit / 8] = (unsigned char)((valid[i][bit / 8] & ~(1 << bit % 8)) | present << bit % 8);
        if (!present) value = NAN;
      }
      dense[row * D + i] = value;
    }
  }
  for (size_t row = 0; row < N; row++) y[row] = random_real(&seed);
}

static scant_source *open_columns(void) {
  scant_source *source = NULL;
  if (!CHECK(scant_source_columns(&source, columns, N, D, y, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return source;
}

TEST(columns_are_the_same_table) {
  for (int turn = 0; turn < 3; turn++) {
    fill(turn, 11 + (uint64_t)turn);
    scant_source *source = open_columns();
    CHECK(scant_source_rows(source) == N && scant_source_dimension(source) == D && scant_source_has_target(source));
    CHECK(scant_source_target(source, 7) == y[7] && !scant_source_name(source, 0));
    check_same_table(source, dense, y);
    scant_source_free(source);
  }
}

TEST(a_stride_of_zero_repeats_a_value) {
  const double once = 2.5, each[] = {1, 2, 3};
  const scant_column two[] = {{.type = SCANT_FLOAT64, .data = &once},
                              {.type = SCANT_FLOAT64, .data = each, .stride = sizeof *each}};
  double x[2];
  scant_source *source = NULL;
  CHECK(scant_source_columns(&source, two, 3, 2, NULL, &error) == SCANT_OK);
  for (size_t row = 0; row < 3; row++)
    CHECK(scant_source_row(source, row, x, &error) == SCANT_OK && x[0] == 2.5 && x[1] == each[row]);
  scant_source_free(source);
}

/* A column that is not asked for may be anywhere. */
TEST(touches_what_is_asked_for) {
  fill(1, 3);
  unsigned char *const nowhere = (unsigned char *)sizeof(double); /* reading it ends the program */
  const uint32_t attributes[] = {4, 0, 9};
  double values[3];
  for (uint32_t i = 0; i < D; i++) {
    if (i == 4 || i == 0 || i == 9) continue;
    columns[i].data = nowhere;
    columns[i].valid = nowhere;
  }
  scant_source *source = open_columns();
  for (size_t row = 0; row < N; row++) {
    CHECK(scant_source_read(source, row, 3, attributes, values, &error) == SCANT_OK);
    for (size_t i = 0; i < 3; i++) CHECK(same_value(values[i], dense[row * D + attributes[i]]));
  }
  scant_source_free(source);
}

/* The cells that a fit buys, from a record, and infinity in all others. */
TEST(fits_never_see_what_they_do_not_buy) {
  static table data, poisoned;
  table_fill(&data, 5);
  recorder record = {.table = &data};
  scant_source *recording = recorder_source(&record), *source = NULL;
  const char *list = "algorithm=auto k=3 seed=4";
  char *wanted = listed_text(recording, list), *got;
  size_t hidden = 0;
  for (size_t row = 0; row < TABLE_ROWS; row++)
    for (size_t i = 0; i < TABLE_DIMENSION; i++) {
      poisoned.x[row][i] = record.cells[row][i] ? data.x[row][i] : INFINITY;
      hidden += !record.cells[row][i];
    }
  CHECK(hidden > TABLE_ROWS * TABLE_DIMENSION / 2);
  scant_column apart[TABLE_DIMENSION] = {{0}};
  for (size_t i = 0; i < TABLE_DIMENSION; i++)
    apart[i] = (scant_column){.type = SCANT_FLOAT64, .data = &poisoned.x[0][i], .stride = sizeof *poisoned.x};
  CHECK(scant_source_columns(&source, apart, TABLE_ROWS, TABLE_DIMENSION, data.y, &error) == SCANT_OK);
  got = listed_text(source, list);
  CHECK(wanted && got && !strcmp(wanted, got));
  ROW_FAILS(source, 0, "row 0, attribute ", ": infinity can't be learned from");
  free(wanted);
  free(got);
  scant_source_free(recording);
  scant_source_free(source);
}

TEST(refuses_what_is_no_table) {
  fill(0, 1);
  double bad_y[N] = {0};
  bad_y[N - 1] = -INFINITY;
  const scant_column good = columns[3];
  NOT_MADE(scant_source_columns(&made, NULL, N, D, y, &error), SCANT_USAGE, "the table in memory is NULL");
  NOT_MADE(scant_source_columns(&made, columns, 0, D, y, &error), SCANT_DATA, "the table has no rows");
  NOT_MADE(scant_source_columns(&made, columns, N, 0, y, &error), SCANT_DATA, "the table has no attributes");
  NOT_MADE(scant_source_columns(&made, columns, N, (size_t)1 << 32, y, &error), SCANT_DATA, "4294967296 attributes");
  NOT_MADE(scant_source_columns(&made, columns, N, D, bad_y, &error), SCANT_DATA,
           "the target of row 39 is infinite, which can't be learned from");
  columns[3].type = (scant_type)10;
  NOT_MADE(scant_source_columns(&made, columns, N, D, y, &error), SCANT_USAGE,
           "attribute 3: there is no element type 10");
  columns[3] = good;
  columns[3].data = NULL;
  NOT_MADE(scant_source_columns(&made, columns, N, D, y, &error), SCANT_USAGE,
           "attribute 3: its column in memory is NULL");
  static const ptrdiff_t far[] = {PTRDIFF_MAX / 39 + 1, -(PTRDIFF_MAX / 39) - 1, PTRDIFF_MIN, PTRDIFF_MAX};
  for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
    columns[3] = good;
    columns[3].stride = far[i];
    NOT_MADE(scant_source_columns(&made, columns, N, D, y, &error), SCANT_USAGE,
             "attribute 3: its column reaches beyond any memory");
  }
  columns[3] = good;
  columns[3].valid_start = SIZE_MAX - N + 1;
  NOT_MADE(scant_source_columns(&made, columns, N, D, y, &error), SCANT_USAGE, "beyond any memory");
  CHECK(scant_source_columns(&(scant_source *){NULL}, NULL, N, D, y, NULL) == SCANT_USAGE);
}

static scant_status run_columns(void) {
  scant_source *source = NULL;
  double x[D];
  scant_status status = scant_source_columns(&source, columns, N, D, y, &error);
  for (size_t row = 0; status == SCANT_OK && row < N; row++) {
    status = scant_source_row(source, row, x, &error);
    for (size_t i = 0; i < D; i++) note(isnan(x[i]) ? "n" : "v", 1);
  }
  scant_source_free(source);
  return status;
}

TEST(columns_survive_without_memory) {
  fill(2, 8);
  fail_each("columns", run_columns);
}

int main(void) {
  files_begin();
  RUN(columns_are_the_same_table);
  RUN(a_stride_of_zero_repeats_a_value);
  RUN(touches_what_is_asked_for);
  RUN(fits_never_see_what_they_do_not_buy);
  RUN(refuses_what_is_no_table);
  RUN(columns_survive_without_memory);
  files_end();
  return check_done();
}
