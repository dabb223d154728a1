/* Searching what was erased in the bytes of files.  Whoever includes it defines _GNU_SOURCE first, for memmem. */
#ifndef SCANT_TESTS_STUDY_BYTES_H
#define SCANT_TESTS_STUDY_BYTES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int has_bytes(const char *text, size_t length, const void *bytes, size_t count) {
  return memmem(text, length, bytes, count) != NULL;
}

/* As texts of 17 and of 15 digits, as in snapshots and in what is printed; as a double of either byte order, as in
 * pages. */
static inline int has_value(const char *text, size_t length, double x) {
  unsigned char little[8], big[8];
  char digits[2][40];
  memcpy(little, &x, 8);
  for (int i = 0; i < 8; i++) big[i] = little[7 - i];
  snprintf(digits[0], sizeof digits[0], "%.17g", x);
  snprintf(digits[1], sizeof digits[1], "%.15g", x);
  return has_bytes(text, length, little, 8) || has_bytes(text, length, big, 8) ||
         has_bytes(text, length, digits[0], strlen(digits[0])) || has_bytes(text, length, digits[1], strlen(digits[1]));
}

/* All bytes of a file, for free; NULL: there is no such file. */
static inline char *read_bytes(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  size_t room = 0, got;
  *length = 0;
  do {
    if (room < *length + 65536) text = realloc(text, room = 2 * room + 65536);
    if (!text) abort();
    got = fread(text + *length, 1, room - *length, file);
    *length += got;
  } while (got);
  fclose(file);
  return text;
}

#endif
