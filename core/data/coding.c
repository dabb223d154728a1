#include "data/coding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/sentence.h"
#include "data/source.h"

static int is_word(const char *word, const char *text, size_t length) {
  return !strncmp(word, text, length) && !word[length];
}

int scant_coding_has(const scant_coding *coding, const char *word, size_t length) {
  for (size_t i = 0; i < coding->count; i++)
    if (is_word(coding->words[i], word, length)) return 1;
  return 0;
}

int scant_coding_add(scant_coding *coding, const char *word, size_t length) {
  if (scant_coding_has(coding, word, length)) return 1;
  if (!scant_grow(&coding->words, &coding->capacity, coding->count + 1, sizeof *coding->words)) return 0;
  char *copy = scant_copy_text(word, length);
  if (!copy) return 0;
  coding->words[coding->count++] = copy;
  return 1;
}

/* The first of the words, which are in order, that is not before `word`. */
static size_t place_of(const scant_coding *coding, const char *word, size_t length) {
  size_t low = 0, high = coding->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncmp(coding->words[middle], word, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int scant_coding_collect(scant_coding *coding, const char *word, size_t length) {
  size_t place = place_of(coding, word, length);
  if (place < coding->count && is_word(coding->words[place], word, length)) return 1;
  if (!scant_grow(&coding->words, &coding->capacity, coding->count + 1, sizeof *coding->words)) return 0;
  char *copy = scant_copy_text(word, length);
  if (!copy) return 0;
  memmove(coding->words + place + 1, coding->words + place, (coding->count - place) * sizeof *coding->words);
  coding->words[place] = copy;
  coding->count++;
  return 1;
}

int scant_coding_ready(scant_coding *coding, size_t rows) {
  coding->sorted = scant_names_sort(coding->words, coding->count);
  coding->met = scant_array(rows / 8 + 1, 1);
  return coding->sorted && coding->met;
}

uint32_t scant_coding_find(const scant_coding *coding, const char *word, size_t length) {
  size_t low = 0, high = coding->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const scant_named *named = &coding->sorted[middle];
    int order = strncmp(named->name, word, length);
    if (!order && !named->name[length]) return (uint32_t)named->place + 1;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

void scant_coding_note(scant_coding *coding, size_t row, const char *word, size_t length) {
  unsigned char bit = (unsigned char)(1u << row % 8);
  if (coding->met[row / 8] & bit) return;
  coding->met[row / 8] |= bit;
  if (!coding->unlisted++)
    snprintf(coding->example, sizeof coding->example, "%.*s", scant_text_clip(word, length), word);
}

void scant_coding_free(scant_coding *coding) {
  for (size_t i = 0; i < coding->count; i++) free(coding->words[i]);
  free(coding->words);
  free(coding->sorted);
  free(coding->met);
}
