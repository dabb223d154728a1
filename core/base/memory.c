#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *scant_array(size_t count, size_t size) {
  return calloc(count ? count : 1, size);
}

int scant_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return 1;
  size_t larger = *capacity ? *capacity : 16;
  while (larger < needed) {
    if (larger > SIZE_MAX / 2) return 0;
    larger *= 2;
  }
  if (larger > SIZE_MAX / size) return 0;
  void *old, *grown;
  memcpy(&old, array_pointer, sizeof old);
  grown = realloc(old, larger * size);
  if (!grown) return 0;
  memcpy(array_pointer, &grown, sizeof grown);
  *capacity = larger;
  return 1;
}

char *scant_copy_text(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}
