/* Good files with a few bytes changed, removed or added: opening and reading
 * them may fail, with a sentence, and must do nothing worse.  Meant to be run
 * with -fsanitize=address,undefined.
 *
 * Most of them come through pipes: their bytes are in memory of exactly their
 * length, so that a sanitizer notices one byte too many, which it would not
 * behind the end of a mapped file.  Of those that are files, half are read as
 * files are that are too long to stay in memory.
 */
#include "data/source.h"
#include "files.h"

#include <stdint.h>

enum { TRIALS = 3000, ROOM = 4096, WIDE = 20000 };

static uint64_t state;
static unsigned opened, refused;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* Changes the bytes here and there, mostly near the front, where headers are;
 * returns the new length. */
static size_t mutate(unsigned char *bytes, size_t length) {
  static const char telling[] = "\",\n\r:#0-9.eE {}()'\x00\xff\x80";
  for (uint32_t n = 1 + draw(4); n && length; n--) {
    size_t at = draw((uint32_t)(draw(2) || length < 96 ? length : 96));
    switch (draw(6)) {
      case 0:
        bytes[at] ^= (unsigned char)(1u << draw(8));
        break;
      case 1:
        bytes[at] = (unsigned char)draw(256);
        break;
      case 2:
        bytes[at] = (unsigned char)telling[draw(sizeof telling - 1)];
        break;
      case 3:
        length = at;
        break;
      case 4:
        memmove(bytes + at, bytes + at + 1, --length - at);
        break;
      default:
        if (length == ROOM) break;
        memmove(bytes + at + 1, bytes + at, length++ - at);
        bytes[at] = (unsigned char)telling[draw(sizeof telling - 1)];
    }
  }
  return length;
}

/* Reads whatever can be read in every way there is. */
static int read_everything(scant_source *source) {
  static double x[WIDE];
  static uint32_t attributes[64];
  scant_error error = {""};
  size_t d = scant_source_dimension(source), rows = scant_source_rows(source);
  int good = 1;
  if (!rows || !d) return 0;
  for (size_t i = 0; i < rows && i < 200; i++) {
    if (scant_source_has_target(source)) good = good && isfinite(scant_source_target(source, i));
    for (size_t j = 0; j < 64; j++) attributes[j] = draw((uint32_t)(d < INT32_MAX ? d : INT32_MAX));
    error.text[0] = 0;
    scant_status status = scant_source_read(source, i, 64, attributes, x, &error);
    good = good && (status == SCANT_OK || (status == SCANT_DATA && error.text[0]));
    for (size_t j = 0; !status && j < 64; j++) good = good && !isinf(x[j]);
    if (d <= WIDE) status = scant_source_row(source, i, x, &error);
    good = good && (status == SCANT_OK || status == SCANT_DATA);
  }
  for (size_t j = 0; j < d && j < 100; j++) (void)scant_source_name(source, j);
  uint64_t digest;
  return scant_source_digest(source, &digest, &error) == SCANT_OK && good;
}

typedef struct bytes {
  const unsigned char *data;
  size_t length;
} bytes;

/* A file with these bytes, or a pipe; *end is its end to close, or -1. */
static const char *offer(char *path, size_t size, const char *name, bytes b, int piped, int *end) {
  int ends[2];
  *end = -1;
  if (!piped || pipe(ends) != 0) return file_write(name, b.data, b.length);
  if (b.length) CHECK(write(ends[1], b.data, b.length) == (ssize_t)b.length); /* less than any pipe holds */
  close(ends[1]);
  *end = ends[0];
  snprintf(path, size, "/dev/fd/%d", ends[0]);
  return path;
}

static void try_to_open(const char *name, bytes file, const char *labels_name, bytes labels, scant_settings settings,
                        int piped) {
  for (int need = SCANT_TARGET_REQUIRED; need <= SCANT_TARGET_OPTIONAL; need++) {
    char path[32], labels_path[32];
    int end, labels_end = -1;
    const char *opens = offer(path, sizeof path, name, file, piped, &end);
    if (labels_name)
      settings.reading.labels = offer(labels_path, sizeof labels_path, labels_name, labels, piped, &labels_end);
    scant_source *source = NULL;
    scant_error error = {""};
    scant_status status = scant_source_open(&source, opens, &settings, (scant_target_need)need, &error);
    if (end >= 0) close(end);
    if (labels_end >= 0) close(labels_end);
    if (status) {
      refused++;
      CHECK((status == SCANT_DATA || status == SCANT_USAGE) && !source && error.text[0]);
    } else {
      opened++;
      CHECK(read_everything(source));
      scant_source_free(source);
    }
  }
}

/* Mutates the file, or its labels if there are any. */
static void fuzz(const char *name, const void *good, size_t length, scant_settings settings, const char *labels_name,
                 const void *labels, size_t labels_length) {
  static unsigned char changed[ROOM];
  const size_t resident = scant_bytes_resident;
  opened = refused = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    bytes parts[2] = {{good, length}, {labels, labels_length}};
    bytes *part = &parts[labels_name && trial % 4 == 0];
    memcpy(changed, part->data, part->length);
    part->length = mutate(changed, part->length);
    part->data = changed;
    scant_bytes_resident = trial % 16 ? resident : 0;
    try_to_open(name, parts[0], labels_name, parts[1], settings, trial % 8 != 0);
  }
  scant_bytes_resident = resident;
  printf("# %s: %u opened, %u refused\n", name, opened, refused);
  CHECK(refused > 0 && opened > 0);
}

static const char csv[] =
    "\xef\xbb\xbf\"a\",b,\"c \"\"x\"\"\",y\r\n"
    "1,2,\"3\",4\n5,-6e3,7.5,8\n\"9\",10,11,12\n0,0,0,0\n";
static const char libsvm[] = "# a file\n1 1:2 3:4.5\n-1 2:7 9:-1e3 # end\n\n0 1:1 2:2 3:3\n";

TEST(csv_files) {
  state = 1;
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_CSV;
  fuzz("f.csv", csv, sizeof csv - 1, settings, NULL, NULL, 0);
  settings.reading.header = SCANT_HEADER_NO;
  settings.reading.target = "2";
  settings.reading.classes = "2,10";
  fuzz("f.csv", csv, sizeof csv - 1, settings, NULL, NULL, 0);
}

/* Names and words that are wanted may be changed too. */
TEST(csv_files_of_words) {
  static const char words[] = "id,a,\"b c\",w,y\nx1,2,NA,u,1\nx2,3,4,\"v \"\"w\"\"\",2\nx3,5,-9,,3\nx4,6,7,u,4\n";
  state = 7;
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_CSV;
  settings.reading.na = "NA,-9";
  settings.reading.ignore = "id";
  settings.reading.one_hot = "w;b c=4,7";
  fuzz("f.csv", words, sizeof words - 1, settings, NULL, NULL, 0);
  settings.reading.only = "a,w";
  settings.reading.ignore = NULL;
  settings.reading.one_hot = "w=u,z";
  fuzz("f.csv", words, sizeof words - 1, settings, NULL, NULL, 0);
}

TEST(libsvm_files) {
  state = 2;
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_LIBSVM;
  fuzz("f.svm", libsvm, sizeof libsvm - 1, settings, NULL, NULL, 0);
  settings.reading.index_base = 0;
  settings.reading.classes = "-1,+1";
  fuzz("f.svm", libsvm, sizeof libsvm - 1, settings, NULL, NULL, 0);
}

TEST(gzip_files) {
#ifdef SCANT_HAVE_ZLIB
  unsigned char file[ROOM];
  state = 3;
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_CSV;
  size_t n = file_deflate(file, 0, sizeof file, csv, 30);
  n = file_deflate(file, n, sizeof file, csv + 30, sizeof csv - 31);
  fuzz("f.csv.gz", file, n, settings, NULL, NULL, 0);
#else
  CHECK(1);
#endif
}

static size_t make_npy(unsigned char *file, int version, const char *header, size_t elements) {
  size_t n = strlen(header), at = version == 1 ? 10 : 12;
  memset(file, 0, 12);
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (unsigned char)version;
  file[8] = (unsigned char)n;
  memcpy(file + at, header, n);
  for (size_t i = 0; i < elements; i++) file[at + n + i] = (unsigned char)(i * 37 % 64);
  return at + n + elements;
}

TEST(npy_files) {
  state = 4;
  unsigned char file[ROOM], labels[ROOM];
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_NPY;
  size_t m = make_npy(labels, 2, "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }\n", 7);
  size_t n = make_npy(file, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (7, 3), }\n", 84);
  fuzz("f.npy", file, n, settings, "y.npy", labels, m);
  n = make_npy(file, 3, "{'descr': '>i2', 'fortran_order': False, 'shape': (7, 3), }", 42);
  settings.reading.classes = "37,10";
  fuzz("f.npy", file, n, settings, "y.npy", labels, m);
}

TEST(idx_files) {
  state = 5;
  unsigned char file[ROOM] = {0, 0, 0x0b, 3, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 3};
  unsigned char labels[] = {0, 0, 0x08, 1, 0, 0, 0, 5, 1, 2, 3, 4, 5};
  for (size_t i = 0; i < 60; i++) file[16 + i] = (unsigned char)(i * 37);
  scant_settings settings = file_settings();
  settings.reading.format = SCANT_FORMAT_IDX;
  fuzz("f.idx", file, 76, settings, "y.idx", labels, sizeof labels);
}

int main(void) {
  files_begin();
  RUN(csv_files);
  RUN(csv_files_of_words);
  RUN(libsvm_files);
  RUN(gzip_files);
  RUN(npy_files);
  RUN(idx_files);
  files_end();
  return check_done();
}
