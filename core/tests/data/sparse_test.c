/* Sparse tables in memory, by rows and by columns. */
#include "fail_each.h"
#include "tables.h"

enum { N = 40, D = 17, ENTRIES_MOST = 4 * N * D };

typedef struct entries {
  int wide; /* indices are 64 bits */
  size_t count;
  double data[ENTRIES_MOST];
  int32_t narrow_indices[ENTRIES_MOST], narrow_starts[N + D + 1];
  int64_t wide_indices[ENTRIES_MOST], wide_starts[N + D + 1];
} entries;

static entries e;
static double dense[N * D], y[N];

static void set_index(size_t entry, int64_t index) {
  e.wide_indices[entry] = index;
  e.narrow_indices[entry] = (int32_t)index;
}

static void set_start(size_t line, int64_t start) {
  e.wide_starts[line] = start;
  e.narrow_starts[line] = (int32_t)start;
}

static void add(size_t index, double value) {
  set_index(e.count, (int64_t)index);
  e.data[e.count++] = value;
}

enum { MIXED = 1, DOUBLE = 2 };

/* About a third of the cells are there, few of them in half of the lines; a
 * stored 0 and NaN among them.  Values are multiples of 1/8, so that sums are exact
 * in any order and in single precision.  MIXED: lines are not sorted; DOUBLE: some cells are there in two or
 * three pieces. */
static scant_sparse make(int by_column, int wide, int how, uint64_t seed) {
  size_t lines = by_column ? D : N, across = by_column ? N : D;
  e.wide = wide;
  e.count = 3; /* the first line need not start at 0 */
  memset(dense, 0, sizeof dense);
  for (size_t line = 0; line < lines; line++) {
    set_start(line, (int64_t)e.count);
    size_t first = e.count;
    for (size_t place = 0; place < across; place++) {
      size_t row = by_column ? place : line, column = by_column ? line : place;
      double *cell = &dense[row * D + column];
      if (line == 2 || random_below(&seed, 8) >= (line % 2 ? 5u : 1u)) continue;
      size_t pieces = how & DOUBLE ? 1 + random_below(&seed, 3) : 1;
      for (size_t i = 0; i < pieces; i++) {
        double value = ((double)random_below(&seed, 16) - 8) / 8;
        if (random_below(&seed, 20) == 0) value = NAN;
        *cell += value;
        add(place, value);
      }
    }
    for (size_t i = e.count; how & MIXED && i > first + 1; i--) {
      size_t other = first + random_below(&seed, i - first);
      double value = e.data[i - 1];
      int64_t index = e.wide_indices[i - 1];
      e.data[i - 1] = e.data[other];
      set_index(i - 1, e.wide_indices[other]);
      e.data[other] = value;
      set_index(other, index);
    }
  }
  set_start(lines, (int64_t)e.count);
  for (size_t row = 0; row < N; row++) y[row] = random_real(&seed);
  return (scant_sparse){.by_column = by_column,
                        .type = SCANT_FLOAT64,
                        .index_type = wide ? SCANT_INT64 : SCANT_INT32,
                        .data = e.data,
                        .indices = wide ? (const void *)e.wide_indices : e.narrow_indices,
                        .starts = wide ? (const void *)e.wide_starts : e.narrow_starts};
}

static scant_source *open_sparse(const scant_sparse *t) {
  scant_source *source = NULL;
  if (!CHECK(scant_source_sparse(&source, t, N, D, y, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return source;
}

TEST(sparse_tables_are_the_same_table) {
  for (int by_column = 0; by_column < 2; by_column++)
    for (int wide = 0; wide < 2; wide++)
      for (int how = 0; how < 4; how++) {
        const scant_sparse t = make(by_column, wide, how, 21 + (uint64_t)how);
        scant_source *source = open_sparse(&t);
        check_same_table(source, dense, y);
        scant_source_free(source);
      }
}

/* Every type, with cells that every type holds. */
typedef union values {
  double f8[3];
  float f4[3];
  uint8_t u1[3];
  int8_t i1[3];
  uint16_t u2[3];
  int16_t i2[3];
  uint32_t u4[3];
  int32_t i4[3];
  uint64_t u8[3];
  int64_t i8[3];
} values;

/* 100, 101 and 102 as values of a type. */
static values values_of(scant_type type) {
  values v = {0};
  for (int i = 0; i < 3; i++) switch (type) {
      case SCANT_FLOAT64:
        v.f8[i] = (double)(100 + i);
        break;
      case SCANT_FLOAT32:
        v.f4[i] = (float)(100 + i);
        break;
      case SCANT_UINT8:
        v.u1[i] = (uint8_t)(100 + i);
        break;
      case SCANT_INT8:
        v.i1[i] = (int8_t)(100 + i);
        break;
      case SCANT_UINT16:
        v.u2[i] = (uint16_t)(100 + i);
        break;
      case SCANT_INT16:
        v.i2[i] = (int16_t)(100 + i);
        break;
      case SCANT_UINT32:
        v.u4[i] = (uint32_t)(100 + i);
        break;
      case SCANT_INT32:
        v.i4[i] = (int32_t)(100 + i);
        break;
      case SCANT_UINT64:
        v.u8[i] = (uint64_t)(100 + i);
        break;
      case SCANT_INT64:
        v.i8[i] = (int64_t)(100 + i);
        break;
    }
  return v;
}

TEST(values_of_every_type) {
  const int32_t starts[] = {0, 2, 3}, indices[] = {2, 0, 2};
  for (int type = SCANT_FLOAT64; type <= SCANT_INT64; type++) {
    values data = values_of((scant_type)type);
    for (int by_column = 0; by_column < 2; by_column++) {
      const double want[2][6] = {{101, 0, 100, 0, 0, 102}, {101, 0, 0, 0, 100, 102}};
      const scant_sparse t = {by_column, (scant_type)type, SCANT_INT32, &data, indices, starts};
      size_t rows = by_column ? 3 : 2, d = by_column ? 2 : 3;
      double x[3];
      scant_source *source = NULL;
      CHECK(scant_source_sparse(&source, &t, rows, d, NULL, &error) == SCANT_OK);
      for (size_t row = 0; row < rows; row++) {
        CHECK(scant_source_row(source, row, x, &error) == SCANT_OK);
        for (size_t i = 0; i < d; i++) CHECK(x[i] == want[by_column][row * d + i]);
      }
      scant_source_free(source);
    }
  }
}

/* Values that are not asked for may be anywhere: the index alone tells. */
TEST(touches_what_is_asked_for) {
  double value[2] = {3, 4};
  const int32_t starts[] = {0, 2, 4}, indices[] = {0, 1, 2, 1};
  scant_sparse t = {0, SCANT_FLOAT64, SCANT_INT32, sizeof(double) + (char *)NULL, indices, starts};
  const uint32_t other = 3, first = 0;
  double got = 1;
  for (t.by_column = 0; t.by_column < 2; t.by_column++) {
    scant_source *source = NULL;
    size_t rows = t.by_column ? 4 : 2, d = t.by_column ? 2 : 4;
    CHECK(scant_source_sparse(&source, &t, rows, d, NULL, &error) == SCANT_OK);
    CHECK(scant_source_read(source, t.by_column ? 3 : 1, 1, t.by_column ? &first : &other, &got, &error) == SCANT_OK);
    CHECK(got == 0);
    scant_source_free(source);
  }
  /* Infinity beside what is asked for is no matter, and is refused if asked for. */
  const int32_t one_start[] = {0, 2}, two[] = {1, 0};
  scant_source *source = NULL;
  value[1] = INFINITY;
  t = (scant_sparse){0, SCANT_FLOAT64, SCANT_INT32, value, two, one_start};
  CHECK(scant_source_sparse(&source, &t, 1, 2, NULL, &error) == SCANT_OK);
  CHECK(scant_source_read(source, 0, 1, (const uint32_t[]){1}, &got, &error) == SCANT_OK && got == 3);
  ROW_FAILS(source, 0, "row 0, attribute 0: infinity can't be learned from");
  scant_source_free(source);
}

/* The cells that a fit buys, from a record, and infinity in all others. */
TEST(fits_never_see_what_they_do_not_buy) {
  static table data;
  table_fill(&data, 6);
  recorder record = {.table = &data};
  scant_source *recording = recorder_source(&record);
  const char *list = "algorithm=auto k=3 seed=4";
  char *wanted = listed_text(recording, list);
  for (int by_column = 0; by_column < 2; by_column++) {
    size_t lines = by_column ? TABLE_DIMENSION : TABLE_ROWS, across = by_column ? TABLE_ROWS : TABLE_DIMENSION;
    e.count = 0;
    for (size_t line = 0; line < lines; line++) {
      set_start(line, (int64_t)e.count);
      for (size_t place = 0; place < across; place++) {
        size_t row = by_column ? place : line, i = by_column ? line : place;
        add(place, record.cells[row][i] ? data.x[row][i] : INFINITY);
      }
    }
    set_start(lines, (int64_t)e.count);
    const scant_sparse t = {by_column, SCANT_FLOAT64, SCANT_INT64, e.data, e.wide_indices, e.wide_starts};
    scant_source *source = NULL;
    CHECK(scant_source_sparse(&source, &t, TABLE_ROWS, TABLE_DIMENSION, data.y, &error) == SCANT_OK);
    char *got = listed_text(source, list);
    CHECK(wanted && got && !strcmp(wanted, got));
    free(got);
    scant_source_free(source);
  }
  free(wanted);
  scant_source_free(recording);
}

TEST(an_empty_table_is_zeros) {
  const int64_t starts[] = {0, 0, 0};
  const scant_sparse t = {0, SCANT_FLOAT32, SCANT_INT64, NULL, NULL, starts};
  double x[3] = {1, 1, 1};
  scant_source *source = NULL;
  CHECK(scant_source_sparse(&source, &t, 2, 3, NULL, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 0 && x[1] == 0 && x[2] == 0);
  scant_source_free(source);
}

/* Indices are checked when their line is read, also where the cell is not asked for. */
TEST(refuses_indices_that_are_out_of_range) {
  static const int64_t bad[] = {-1, N * D, INT32_MAX, INT32_MIN};
  for (int by_column = 0; by_column < 2; by_column++)
    for (int wide = 0; wide < 2; wide++)
      for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const scant_sparse t = make(by_column, wide, 0, 33);
        const size_t entry = (size_t)e.wide_starts[3] + 1;
        set_index(entry, bad[i]);
        char words[128];
        if (by_column)
          snprintf(words, sizeof words, "attribute 3: entry %zu is for row %lld, but there are 40 rows", entry,
                   (long long)bad[i]);
        else
          snprintf(words, sizeof words, "row 3: entry %zu is for attribute %lld, but there are 17 attributes", entry,
                   (long long)bad[i]);
        scant_source *source = open_sparse(&t);
        ROW_FAILS(source, 3, words);
        ROW_FAILS(source, 3, words); /* and it stays so */
        const uint32_t four = 4;
        double got;
        CHECK(scant_source_read(source, 4, 1, &four, &got, &error) == SCANT_OK && same_value(got, dense[4 * D + 4]));
        scant_source_free(source);
      }
}

TEST(refuses_what_is_no_table) {
  scant_sparse t = make(0, 1, 0, 2);
  const scant_sparse good = t;
  double bad_y[N] = {0};
  bad_y[1] = NAN;
  NOT_MADE(scant_source_sparse(&made, NULL, N, D, y, &error), SCANT_USAGE, "the sparse table is NULL");
  NOT_MADE(scant_source_sparse(&made, &t, 0, D, y, &error), SCANT_DATA, "the table has no rows");
  NOT_MADE(scant_source_sparse(&made, &t, N, 0, y, &error), SCANT_DATA, "the table has no attributes");
  NOT_MADE(scant_source_sparse(&made, &t, N, (size_t)1 << 32, y, &error), SCANT_DATA, "4294967296 attributes");
  NOT_MADE(scant_source_sparse(&made, &t, N, D, bad_y, &error), SCANT_DATA, "the target of row 1 is NaN");
  NOT_MADE(scant_source_sparse(&made, &t, SIZE_MAX / 8, D, NULL, &error), SCANT_USAGE,
           "the starts of the table reach beyond any memory");
  t.starts = NULL;
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE, "the starts of the sparse table are NULL");
  t = good;
  t.data = NULL;
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE, "the values of the sparse table are NULL");
  t = good;
  t.indices = NULL;
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE, "the indices of the sparse table are NULL");
  t = good;
  t.type = (scant_type)-1;
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE, "there is no element type -1");
  t = good;
  t.index_type = SCANT_UINT32;
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE, "SCANT_INT32 or SCANT_INT64, not type 6");
  t = good;
  set_start(0, -1);
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_DATA,
           "row 0 starts at entry -1: entries are counted from 0");
  make(0, 1, 0, 2);
  set_start(8, 4);
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_DATA, "row 7 starts at entry ");
  CHECK_SAYS(error.text, " and ends before it, at 4");
  make(0, 1, 0, 2);
  set_start(N, INT64_MAX);
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_USAGE,
           "the entries of the table reach beyond any memory");
  t = make(1, 0, 0, 2);
  set_start(D, 0);
  NOT_MADE(scant_source_sparse(&made, &t, N, D, y, &error), SCANT_DATA, "attribute 16 starts at entry ");
}

static scant_sparse subject;

static scant_status run_sparse(void) {
  scant_source *source = NULL;
  double x[D];
  scant_status status = scant_source_sparse(&source, &subject, N, D, y, &error);
  for (size_t row = 0; status == SCANT_OK && row < N; row++) {
    status = scant_source_row(source, row, x, &error);
    for (size_t i = 0; i < D; i++) note(isnan(x[i]) ? "n" : x[i] != 0 ? "v" : "0", 1);
  }
  scant_source_free(source);
  return status;
}

TEST(sparse_tables_survive_without_memory) {
  for (int by_column = 0; by_column < 2; by_column++) {
    subject = make(by_column, 0, MIXED | DOUBLE, 4);
    fail_each(by_column ? "columns" : "rows", run_sparse);
  }
}

int main(void) {
  files_begin();
  RUN(sparse_tables_are_the_same_table);
  RUN(values_of_every_type);
  RUN(touches_what_is_asked_for);
  RUN(fits_never_see_what_they_do_not_buy);
  RUN(an_empty_table_is_zeros);
  RUN(refuses_indices_that_are_out_of_range);
  RUN(refuses_what_is_no_table);
  RUN(sparse_tables_survive_without_memory);
  files_end();
  return check_done();
}
