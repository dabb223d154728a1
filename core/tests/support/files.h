/* Temporary files for tests of sources, and short ways to open them. */
#ifndef SCANT_TESTS_FILES_H
#define SCANT_TESTS_FILES_H

#include "check.h"
#include "folder.h"
#include "scant.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef SCANT_HAVE_ZLIB
#include <zlib.h>
#endif

enum { FILES_MOST = 64, FILES_LENGTH = 600 };
static char files_directory[400];
static char files_written[FILES_MOST][FILES_LENGTH];
static int files_count;

static inline void files_begin(void) {
  folder_new(files_directory, sizeof files_directory, "scant-test");
}

static inline void files_end(void) {
  for (int i = 0; i < files_count; i++) remove(files_written[i]);
  rmdir(files_directory);
}

/* The path of this name in the directory; valid to the end of the program. */
static inline const char *file_path(const char *name) {
  char path[FILES_LENGTH];
  snprintf(path, sizeof path, "%s/%s", files_directory, name);
  for (int i = 0; i < files_count; i++)
    if (strcmp(files_written[i], path) == 0) return files_written[i];
  if (files_count == FILES_MOST) {
    printf("Bail out! too many files\n");
    exit(1);
  }
  return strcpy(files_written[files_count++], path);
}

static inline const char *file_write(const char *name, const void *bytes, size_t length) {
  const char *path = file_path(name);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  if (!file) return path;
  if (length) CHECK(fwrite(bytes, 1, length, file) == length);
  CHECK(fclose(file) == 0);
  return path;
}

static inline const char *file_text(const char *name, const char *text) {
  return file_write(name, text, strlen(text));
}

#ifdef SCANT_HAVE_ZLIB
/* Appends one gzip member to `out`; returns the new length. */
static inline size_t file_deflate(unsigned char *out, size_t used, size_t size, const void *bytes, size_t length) {
  unsigned char copy[1 << 16];
  z_stream z;
  memset(&z, 0, sizeof z);
  CHECK(length <= sizeof copy);
  memcpy(copy, bytes, length);
  CHECK(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  z.next_in = copy;
  z.avail_in = (uInt)length;
  z.next_out = out + used;
  z.avail_out = (uInt)(size - used);
  CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
  used = (size_t)(z.next_out - out);
  deflateEnd(&z);
  return used;
}

static inline const char *file_gzip(const char *name, const void *bytes, size_t length) {
  unsigned char out[1 << 16];
  return file_write(name, out, file_deflate(out, 0, sizeof out, bytes, length));
}
#endif

/* The defaults of the data options. */
static inline scant_settings file_settings(void) {
  scant_settings settings;
  memset(&settings, 0, sizeof settings);
  settings.reading.index_base = 1;
  return settings;
}

/* Opens, or prints the sentence. */
static inline scant_source *file_open(const char *path, const scant_settings *settings, scant_target_need need) {
  scant_source *source = NULL;
  scant_error error = {""};
  scant_status status = scant_source_open(&source, path, settings, need, &error);
  if (status) printf("#   %s\n", error.text);
  CHECK(status == SCANT_OK && source);
  return source;
}

/* Opening fails with this status and a sentence that has all of the words;
 * the source is untouched, and a NULL error is fine. */
#define OPEN_FAILS(path, settings, need, status, ...) \
  open_fails(path, settings, need, status, (const char *const[]){__VA_ARGS__, NULL}, __LINE__)

static inline void open_fails(const char *path, const scant_settings *settings, scant_target_need need,
                              scant_status status, const char *const *words, int line) {
  char mark;
  scant_source *const untouched = (scant_source *)(void *)&mark;
  scant_source *source = untouched;
  scant_error error = {""};
  scant_status got = scant_source_open(&source, path, settings, need, &error);
  if (!check_that(got == status && source == untouched, "fails as it should", __FILE__, line))
    printf("#   status %d: %s\n", got, error.text);
  for (; *words; words++) check_says(error.text, *words, __FILE__, line);
  check_that(scant_source_open(&source, path, settings, need, NULL) == status, "without error", __FILE__, line);
}

/* Reading a row fails with SCANT_DATA and the words. */
#define ROW_FAILS(source, row, ...) row_fails(source, row, (const char *const[]){__VA_ARGS__, NULL}, __LINE__)

static inline void row_fails(scant_source *source, size_t row, const char *const *words, int line) {
  scant_error error = {""};
  double *x = malloc((scant_source_dimension(source) + 1) * sizeof *x);
  check_that(x && scant_source_row(source, row, x, &error) == SCANT_DATA, "the row is refused", __FILE__, line);
  for (; *words; words++) check_says(error.text, *words, __FILE__, line);
  free(x);
}

#endif
