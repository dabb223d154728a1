/* NPY: every type, order and byte order; bad headers. */
#include "data/source.h"
#include "data/memory/in_memory.h"
#include "files.h"

static scant_settings settings;
static double x[16];
static scant_error error;

/* A file with this header and these bytes; returns its path. */
static const char *write_npy(const char *name, int version, const char *header, const void *bytes, size_t length) {
  static unsigned char file[1 << 12];
  size_t n = strlen(header), at = version == 1 ? 10 : 12;
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (unsigned char)version;
  file[7] = 0;
  file[8] = (unsigned char)n;
  file[9] = (unsigned char)(n >> 8);
  file[10] = file[11] = 0;
  memcpy(file + at, header, n);
  if (length) memcpy(file + at + n, bytes, length);
  return file_write(name, file, at + n + length);
}

static const char *write_labels(const char *name, size_t count) {
  static const double y[] = {10, 20, 30, 40};
  char header[128];
  int big = scant_machine_is_big_endian();
  sprintf(header, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%zu,), }\n", big ? '>' : '<', count);
  return write_npy(name, 1, header, y, count * sizeof *y);
}

/* Puts `value` as one element of the type, in the given byte order. */
static size_t put(unsigned char *at, const char *type, double value, int big) {
  unsigned char bytes[8] = {0};
  size_t size = (size_t)(type[1] - '0');
  float narrow = (float)value;
  int64_t whole = (int64_t)value;
  if (type[0] == 'f' && size == 8) {
    memcpy(bytes, &value, 8);
  } else if (type[0] == 'f') {
    memcpy(bytes, &narrow, 4);
  } else {
    for (size_t i = 0; i < size; i++) at[big ? size - 1 - i : i] = (unsigned char)((uint64_t)whole >> 8 * i & 0xff);
    return size;
  }
  int swapped = big != scant_machine_is_big_endian();
  for (size_t i = 0; i < size; i++) at[i] = bytes[swapped ? size - 1 - i : i];
  return size;
}

TEST(reads_every_type_and_order) {
  static const char *const types[] = {"f4", "f8", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "b1"};
  scant_settings s = settings;
  s.reading.labels = write_labels("y.npy", 3);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (int order = 0; order < 4; order++)
      for (int fortran = 0; fortran < 2; fortran++)
        for (int version = 1; version <= 3; version++) {
          const char *type = types[t];
          int big = order == 1 || (order > 1 && scant_machine_is_big_endian());
          double sign = type[0] == 'i' || type[0] == 'f' ? -1 : 1;
          unsigned char bytes[64];
          size_t n = 0;
          for (int i = 0; i < 6; i++) { /* three rows of two: element (r, c) is 10 r + c + 1 */
            int row = fortran ? i % 3 : i / 2, column = fortran ? i / 3 : i % 2;
            n += put(bytes + n, type, sign * (10 * row + column + 1), big);
          }
          char header[256];
          sprintf(header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (3, 2), }   \n", "<>|="[order], type,
                  fortran ? "True" : "False");
          scant_source *source = file_open(write_npy("x.npy", version, header, bytes, n), &s, SCANT_TARGET_REQUIRED);
          CHECK(scant_source_rows(source) == 3 && scant_source_dimension(source) == 2);
          for (size_t row = 0; row < 3; row++) {
            CHECK(scant_source_row(source, row, x, &error) == SCANT_OK);
            CHECK(x[0] == sign * (10 * (double)row + 1) && x[1] == sign * (10 * (double)row + 2));
            CHECK(scant_source_target(source, row) == 10 * (double)row + 10);
          }
          scant_source_free(source);
        }
}

TEST(reads_extreme_integers) {
  static const unsigned char ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  static const struct {
    const char *type;
    double value;
  } cases[] = {{"|u1", 255},
               {"|i1", -1},
               {"<u2", 65535},
               {">i2", -1},
               {"<u4", 4294967295.0},
               {"<i4", -1},
               {"<u8", 18446744073709551615.0},
               {"<i8", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char header[128];
    sprintf(header, "{\"shape\":(1L,1L),\"fortran_order\":False,\"descr\":\"%s\"}", cases[i].type);
    size_t size = (size_t)(cases[i].type[2] - '0');
    scant_source *source = file_open(write_npy("e.npy", 1, header, ones, size), &settings, SCANT_TARGET_OPTIONAL);
    CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == cases[i].value);
    CHECK(!scant_source_has_target(source) && !scant_source_name(source, 0));
    scant_source_free(source);
  }
}

#define GOOD "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"

TEST(refuses_bad_headers) {
  static const struct {
    const char *header, *first, *second;
  } bad[] = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'|O'"},
      {"{'descr': '<U3', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'<U3'"},
      {"{'descr': '|S3', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'|S3'"},
      {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'<f2'"},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'<c16'"},
      {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "'<M8[ns]'"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", "dtype", "[('a', '<f8')]"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2, 3), }", "dtype", "''"},
      {"{'fortran_order': False, 'shape': (2, 3), }", "header", "no 'descr'"},
      {"{'descr': '|u1', 'shape': (2, 3), }", "header", "no 'fortran_order'"},
      {"{'descr': '|u1', 'fortran_order': False}", "header", "no 'shape'"},
      {"{'descr': '|u1', 'fortran_order': Maybe, 'shape': (2, 3), }", "header", "malformed"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 3), }", "header", "malformed"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2 3), }", "header", "malformed"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)", "header", "malformed"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3", "header", "malformed"},
      {"{'descr': '|u1, 'fortran_order': False, 'shape': (2, 3), }", "header", "malformed"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 99999999999999999999), }", "header", "malformed"},
      {"{'descr': '|u1', 'other': 1, 'fortran_order': False, 'shape': (2, 3), }", "header", "malformed"},
      {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", "header", "twice"},
      {GOOD " trailing", "header", "followed by something else"},
      {"(2, 3)", "header", "not a dictionary"},
      {"", "header", "not a dictionary"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }", "1 dimension", "(n, d)"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "0 dimensions", "(n, d)"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 3), }", "3 dimensions", "(n, d)"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }", "longer", "6 bytes too many"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "longer", "2 bytes too many"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", "shorter", "6 bytes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", "shorter", "6 bytes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "shorter", "6 bytes"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2305843009213693953), }", "shorter", "6 bytes"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 18446744073709551615), }", "larger than any", ""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    for (int version = 1; version <= 3; version++)
      OPEN_FAILS(write_npy("b.npy", version, bad[i].header, "abcdef", 6), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA,
                 "b.npy", bad[i].first, bad[i].second);
  const char *empty = "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }";
  OPEN_FAILS(write_npy("b.npy", 1, empty, "", 0), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "no examples");
  empty = "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 0), }";
  OPEN_FAILS(write_npy("b.npy", 1, empty, "", 0), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "no attributes");
  OPEN_FAILS(write_npy("b.npy", 4, GOOD, "abcdef", 6), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "version 4.0");
}

TEST(refuses_files_cut_short) {
  unsigned char bytes[256];
  const char *path = write_npy("s.npy", 2, GOOD, "abcdef", 6);
  FILE *file = fopen(path, "rb");
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  CHECK(length == 12 + strlen(GOOD) + 6);
  for (size_t n = 0; n < length; n++)
    OPEN_FAILS(file_write("s.npy", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "s.npy",
               n < 10           ? "not an NPY file"
               : n + 6 < length ? "middle of its header"
                                : "shorter");
}

TEST(needs_labels_that_agree) {
  const char *path = write_npy("l.npy", 1, GOOD, "abcdef", 6);
  scant_settings s = settings;
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "l.npy", "option labels");
  s.reading.labels = write_labels("y.npy", 3);
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "y.npy' has 3 labels", "l.npy' has 2");
  s.reading.labels = file_path("none.npy");
  OPEN_FAILS(path, &s, SCANT_TARGET_OPTIONAL, SCANT_NO_INPUT, "none.npy");
  s.reading.labels = write_npy("y.npy", 1, GOOD, "abcdef", 6);
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "y.npy", "labels have the shape (n,) or (n, 1)");
  s.reading.labels = write_npy("y.npy", 1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 1), }", "\1\xff", 2);
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 0) == 1 && scant_source_target(source, 1) == -1);
  CHECK(!scant_source_target_name(source));
  scant_source_free(source);
  s.reading.classes = "1,2";
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "y.npy", "class '2'");
  s.reading.classes = "1, -1.0";
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 0) == -1 && scant_source_target(source, 1) == 1);
  scant_source_free(source);
}

TEST(names_values_that_are_not_finite) {
  double bad[] = {1, 2, 3, NAN, INFINITY, 6};
  char header[128];
  char order = scant_machine_is_big_endian() ? '>' : '<';
  sprintf(header, "{'descr': '%cf8', 'fortran_order': False, 'shape': (3, 2), }", order);
  scant_source *source = file_open(write_npy("f.npy", 1, header, bad, sizeof bad), &settings, SCANT_TARGET_OPTIONAL);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 3 && isnan(x[1]));
  ROW_FAILS(source, 2, "f.npy, element [2, 0]: infinity");
  scant_source_free(source);
  scant_settings s = settings;
  sprintf(header, "{'descr': '%cf8', 'fortran_order': False, 'shape': (6,), }", order);
  s.reading.labels = write_npy("y.npy", 1, header, bad, sizeof bad);
  const char *path = write_npy("f.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 1)}", "abcdef", 6);
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "y.npy, element [3]: NaN");
}

TEST(refuses_gzip) {
  const char *path = file_write("g.npy.gz", "\x1f\x8b\x08\0\0\0\0\0\0\0", 10);
  OPEN_FAILS(path, &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "g.npy.gz", "gzip", "uncompress");
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(reads_every_type_and_order);
  RUN(reads_extreme_integers);
  RUN(refuses_bad_headers);
  RUN(refuses_files_cut_short);
  RUN(needs_labels_that_agree);
  RUN(names_values_that_are_not_finite);
  RUN(refuses_gzip);
  files_end();
  return check_done();
}
