/* What is read of a file: the pages that are counted, and files that are longer
 * than what may stay in memory (a limit that is lowered here). */
#include "data/source.h"
#include "data/memory/in_memory.h"
#include "files.h"

#include <stdint.h>

enum { ROWS = 40, COLUMNS = 1700, LOOKS = 300, K = 9, PAGES = 200 };

static scant_settings settings;
static scant_error error;
static uint64_t state = 1;
static size_t resident;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* Element (row, column) of every table here. */
static double element(size_t row, size_t column) {
  return (double)(row * 10000 + column);
}

/* Writes an NPY file of f8 and returns where its elements begin. */
static const char *write_table(const char *name, int fortran, size_t *start) {
  static unsigned char file[128 + ROWS * COLUMNS * 8];
  int length = snprintf((char *)file + 10, 118, "{'descr': '%cf8', 'fortran_order': %s, 'shape': (%d, %d), }",
                        scant_machine_is_big_endian() ? '>' : '<', fortran ? "True" : "False", ROWS, COLUMNS);
  memcpy(file, "\x93NUMPY\x01\0", 8);
  file[8] = (unsigned char)length;
  file[9] = 0;
  *start = 10 + (size_t)length;
  for (size_t row = 0; row < ROWS; row++)
    for (size_t column = 0; column < COLUMNS; column++) {
      double value = element(row, column);
      memcpy(file + *start + 8 * (fortran ? column * ROWS + row : row * COLUMNS + column), &value, sizeof value);
    }
  return file_write(name, file, *start + sizeof(double) * ROWS * COLUMNS);
}

/* The pages, one flag each, and their bytes. */
static unsigned char touched[PAGES];

static void touch(size_t from, size_t to) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t at = from; at < to; at++) touched[at / page] = 1;
}

static uint64_t touched_bytes(size_t length) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint64_t bytes = 0;
  for (size_t i = 0; i * page < length; i++)
    if (touched[i]) bytes += length - i * page < page ? length - i * page : page;
  return bytes;
}

static void look_around(int fortran) {
  size_t start, length;
  const char *path = write_table("p.npy", fortran, &start);
  length = start + sizeof(double) * ROWS * COLUMNS;
  scant_source *source = file_open(path, &settings, SCANT_TARGET_OPTIONAL);
  memset(touched, 0, sizeof touched);
  touch(0, start);
  CHECK(scant_source_bytes_read(source) == touched_bytes(length));
  for (int look = 0; look < LOOKS; look++) {
    uint32_t attributes[K], count = draw(K + 1);
    /* the last page but in the end, so that some are left out for long */
    size_t row = draw(look < LOOKS / 2 ? ROWS / 2 : ROWS);
    double x[K];
    for (uint32_t i = 0; i < count; i++) {
      attributes[i] = draw(3) || !i ? draw(COLUMNS) : attributes[i - 1] + 1 < COLUMNS ? attributes[i - 1] + 1 : 0;
      size_t at = start + 8 * (fortran ? attributes[i] * ROWS + row : row * COLUMNS + attributes[i]);
      touch(at, at + 8);
    }
    CHECK(scant_source_read(source, row, count, attributes, x, &error) == SCANT_OK);
    for (uint32_t i = 0; i < count; i++) CHECK(x[i] == element(row, attributes[i]));
    CHECK(scant_source_bytes_read(source) == touched_bytes(length));
  }
  static double whole[COLUMNS];
  for (size_t row = ROWS; row--;) {
    CHECK(scant_source_row(source, row, whole, &error) == SCANT_OK);
    for (size_t i = 0; i < COLUMNS; i++) CHECK(whole[i] == element(row, i));
  }
  CHECK(scant_source_bytes_read(source) == length);
  scant_source_free(source);
}

TEST(pages_are_counted_once) {
  look_around(0);
  look_around(1);
}

TEST(long_files_are_read_the_same) {
  scant_bytes_resident = 0;
  look_around(0);
  look_around(1);
  scant_bytes_resident = resident;
}

TEST(long_files_that_are_cut_short_are_noticed) {
  size_t start;
  double x[1];
  uint32_t attribute = 3;
  const char *path = write_table("c.npy", 0, &start);
  scant_bytes_resident = 0;
  scant_source *source = file_open(path, &settings, SCANT_TARGET_OPTIONAL);
  CHECK(truncate(path, 8000) == 0);
  CHECK(scant_source_read(source, 0, 1, &attribute, x, &error) == SCANT_OK && x[0] == 3);
  CHECK(scant_source_read(source, 20, 1, &attribute, x, &error) == SCANT_IO);
  CHECK_SAYS(error.text, "c.npy' was changed while it was in use");
  scant_source_free(source);
  scant_bytes_resident = resident;
}

/* Everything else is read whole, as it is stored; memory is no file. */
TEST(other_files_count_whole) {
  static const char csv[] = "a,b\n1,2\n3,4\n", libsvm[] = "1 1:2 2:3\n-1 1:5\n";
  scant_source *source = file_open(file_text("w.csv", csv), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_bytes_read(source) == sizeof csv - 1);
  scant_source_free(source);
  source = file_open(file_text("w.svm", libsvm), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_bytes_read(source) == sizeof libsvm - 1);
  scant_source_free(source);
#ifdef SCANT_HAVE_ZLIB
  static unsigned char out[4096], images[16 + 3000] = {0, 0, 8, 2, 0, 0, 0, 30, 0, 0, 0, 100};
  size_t length = file_deflate(out, 0, sizeof out, csv, sizeof csv - 1);
  source = file_open(file_write("w.csv.gz", out, length), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_bytes_read(source) == length);
  scant_source_free(source);
  length = file_deflate(out, 0, sizeof out, images, 12 + 3000);
  source = file_open(file_write("w.idx.gz", out, length), &settings, SCANT_TARGET_OPTIONAL);
  CHECK(scant_source_bytes_read(source) == length && length < 3000);
  scant_source_free(source);
  source = file_open(file_write("w.idx", images, 12 + 3000), &settings, SCANT_TARGET_OPTIONAL);
  CHECK(scant_source_bytes_read(source) == 12 + 3000); /* one page */
  scant_source_free(source);
#endif
  double table[] = {1, 2, 3, 4}, x[2];
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, 2, 2, 16, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[1] == 4);
  CHECK(scant_source_bytes_read(source) == 0);
  scant_source_free(source);
}

/* Text whose pages are let go of all the time reads the same. */
TEST(long_text_is_read_the_same) {
  char text[10000], sparse[10000];
  size_t length = 0, n = 0;
  for (int i = 0; i < 400; i++) {
    length += (size_t)sprintf(text + length, i ? "%d,%d,%d\n" : "a,b,y\n", i, 2 * i, -i);
    n += (size_t)sprintf(sparse + n, "%d 1:%d 3:%d\n", -i, i, 2 * i);
  }
  scant_bytes_resident = 64;
  scant_source *csv = file_open(file_write("l.csv", text, length), &settings, SCANT_TARGET_REQUIRED);
  scant_source *libsvm = file_open(file_write("l.svm", sparse, n), &settings, SCANT_TARGET_REQUIRED);
  uint64_t digest, again;
  double x[3];
  CHECK(scant_source_digest(libsvm, &digest, &error) == SCANT_OK);
  for (int row = 398; row >= 0; row--) {
    CHECK(scant_source_row(csv, (size_t)row, x, &error) == SCANT_OK && x[0] == row + 1 && x[1] == 2 * row + 2);
    CHECK(scant_source_row(libsvm, (size_t)row, x, &error) == SCANT_OK && x[0] == row && x[1] == 0 && x[2] == 2 * row);
  }
  scant_source_free(csv);
  scant_source_free(libsvm);
  scant_bytes_resident = resident;
  libsvm = file_open(file_path("l.svm"), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_digest(libsvm, &again, &error) == SCANT_OK && again == digest);
  scant_source_free(libsvm);
}

int main(void) {
  settings = file_settings();
  resident = scant_bytes_resident;
  files_begin();
  RUN(pages_are_counted_once);
  RUN(long_files_are_read_the_same);
  RUN(long_files_that_are_cut_short_are_noticed);
  RUN(other_files_count_whole);
  RUN(long_text_is_read_the_same);
  files_end();
  return check_done();
}
