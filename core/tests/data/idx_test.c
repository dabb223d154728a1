/* IDX: every type, labels, gzip; bad headers. */
#include "data/source.h"
#include "data/memory/in_memory.h"
#include "files.h"

static scant_settings settings;
static double x[16];
static scant_error error;

/* Writes the header of an IDX file; returns its length. */
static size_t put_header(unsigned char *at, unsigned type, unsigned dimensions, const uint32_t *sizes) {
  at[0] = at[1] = 0;
  at[2] = (unsigned char)type;
  at[3] = (unsigned char)dimensions;
  for (unsigned i = 0; i < dimensions; i++)
    for (int j = 0; j < 4; j++) at[4 + 4 * i + (unsigned)j] = (unsigned char)(sizes[i] >> (24 - 8 * j) & 0xff);
  return 4 + 4 * dimensions;
}

/* Elements 1, -2, 3, -4, ... (or all positive, for bytes without sign). */
static size_t put_elements(unsigned char *at, unsigned type, int count) {
  size_t n = 0;
  for (int i = 0; i < count; i++) {
    double value = type != 0x08 && i % 2 ? -(i + 1) : i + 1;
    float narrow = (float)value;
    int64_t whole = (int64_t)value;
    unsigned char bytes[8] = {0};
    size_t size = type == 0x08 || type == 0x09 ? 1 : type == 0x0b ? 2 : type == 0x0e ? 8 : 4;
    int machine_big = scant_machine_is_big_endian();
    if (type == 0x0e)
      memcpy(bytes, &value, 8);
    else if (type == 0x0d)
      memcpy(bytes, &narrow, 4);
    for (size_t j = 0; j < size; j++) { /* the most significant byte first */
      unsigned char byte = (unsigned char)((uint64_t)whole >> 8 * (size - 1 - j) & 0xff);
      at[n++] = type < 0x0d ? byte : bytes[machine_big ? j : size - 1 - j];
    }
  }
  return n;
}

static const char *write_labels(uint32_t count) {
  unsigned char bytes[64];
  size_t n = put_header(bytes, 0x08, 1, &count);
  for (uint32_t i = 0; i < count; i++) bytes[n++] = (unsigned char)(7 + i);
  return file_write("labels-idx1-ubyte", bytes, n);
}

/* Sizes that need all of their bytes. */
TEST(reads_large_sizes) {
  static const uint32_t sizes[] = {1, 0x010203};
  static unsigned char bytes[12 + 0x010203];
  uint32_t last = sizes[1] - 1;
  scant_settings s = settings;
  s.reading.labels = write_labels(1);
  size_t n = put_header(bytes, 0x08, 2, sizes);
  bytes[n + last] = 77;
  scant_source *source = file_open(file_write("x.idx", bytes, n + sizes[1]), &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 1 && scant_source_dimension(source) == sizes[1]);
  CHECK(scant_source_read(source, 0, 1, &last, x, &error) == SCANT_OK && x[0] == 77);
  scant_source_free(source);
}

TEST(reads_every_type) {
  static const unsigned types[] = {0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e};
  static const uint32_t sizes[] = {2, 2, 3};
  scant_settings s = settings;
  s.reading.labels = write_labels(2);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    unsigned char bytes[256];
    size_t n = put_header(bytes, types[t], 3, sizes);
    n += put_elements(bytes + n, types[t], 12);
    scant_source *source = file_open(file_write("x.idx", bytes, n), &s, SCANT_TARGET_REQUIRED);
    CHECK(scant_source_rows(source) == 2 && scant_source_dimension(source) == 6);
    for (size_t row = 0; row < 2; row++) {
      CHECK(scant_source_row(source, row, x, &error) == SCANT_OK);
      CHECK(scant_source_target(source, row) == 7 + (double)row);
      for (int j = 0; j < 6; j++) {
        int i = (int)row * 6 + j;
        CHECK(x[j] == (types[t] != 0x08 && i % 2 ? -(i + 1) : i + 1));
      }
    }
    scant_source_free(source);
  }
}

TEST(knows_the_names_of_mnist) {
  static const uint32_t sizes[] = {2, 3};
  static const char *const names[] = {"train-images-idx3-ubyte", "train-images.idx3-ubyte", "a.IDX", "a.idx2"};
  unsigned char bytes[64];
  size_t n = put_header(bytes, 0x08, 2, sizes);
  n += put_elements(bytes + n, 0x08, 6);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    scant_source *source = file_open(file_write(names[i], bytes, n), &settings, SCANT_TARGET_OPTIONAL);
    CHECK(source && !scant_source_has_target(source));
    scant_source_free(source);
  }
#ifdef SCANT_HAVE_ZLIB
  scant_settings s = settings;
  s.reading.classes = "8,7";
  unsigned char labels[16];
  uint32_t count = 2;
  size_t m = put_header(labels, 0x08, 1, &count);
  labels[m++] = 7;
  labels[m++] = 8;
  s.reading.labels = file_gzip("train-labels-idx1-ubyte.gz", labels, m);
  scant_source *source = file_open(file_gzip("train-images-idx3-ubyte.gz", bytes, n), &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 4 && x[2] == 6);
  CHECK(scant_source_target(source, 0) == 1 && scant_source_target(source, 1) == -1);
  scant_source_free(source);
#endif
}

TEST(needs_labels) {
  static const uint32_t sizes[] = {2, 3};
  unsigned char bytes[64];
  size_t n = put_header(bytes, 0x08, 2, sizes);
  n += put_elements(bytes + n, 0x08, 6);
  const char *path = file_write("l.idx", bytes, n);
  scant_settings s = settings;
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "l.idx", "option labels");
  s.reading.labels = write_labels(3);
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "labels-idx1-ubyte' has 3 labels", "l.idx' has 2");
  s.reading.labels = path;
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "l.idx", "2 dimensions", "labels have 1");
  OPEN_FAILS(write_labels(3), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "1 dimension", "are these labels?");
}

TEST(refuses_bad_headers) {
  static const uint32_t sizes[] = {2, 3};
  unsigned char good[64], bytes[64];
  size_t n = put_header(good, 0x08, 2, sizes);
  n += put_elements(good + n, 0x08, 6);
  for (size_t length = 0; length < n; length++)
    OPEN_FAILS(file_write("b.idx", good, length), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "b.idx",
               length < 4    ? "not an IDX file"
               : length < 12 ? "middle of its header"
                             : "shorter");
  good[n] = 0;
  OPEN_FAILS(file_write("b.idx", good, n + 1), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "longer", "1 bytes");
  memcpy(bytes, good, n);
  bytes[2] = 0x0a;
  OPEN_FAILS(file_write("b.idx", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "element type 0x0a");
  memcpy(bytes, good, n);
  bytes[1] = 1;
  OPEN_FAILS(file_write("b.idx", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "not an IDX file");
  static const uint32_t huge[] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  n = put_header(bytes, 0x0e, 4, huge);
  OPEN_FAILS(file_write("b.idx", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "b.idx", "shorter");
  static const uint32_t none[] = {0, 5}, thin[] = {5, 0};
  n = put_header(bytes, 0x08, 2, none);
  OPEN_FAILS(file_write("b.idx", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "no examples");
  n = put_header(bytes, 0x08, 2, thin);
  OPEN_FAILS(file_write("b.idx", bytes, n), &settings, SCANT_TARGET_OPTIONAL, SCANT_DATA, "no attributes");
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(reads_large_sizes);
  RUN(reads_every_type);
  RUN(knows_the_names_of_mnist);
  RUN(needs_labels);
  RUN(refuses_bad_headers);
  files_end();
  return check_done();
}
