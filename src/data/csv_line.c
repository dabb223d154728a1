#include "data/csv_line.h"

#include <stdint.h>
#include <string.h>

/* Bytes are looked at eight at a time, as words: that is fast on any machine, and
 * compilers make vector instructions of it.  (Of loops that count in single bytes
 * they make better ones, but GCC 12 makes wrong ones.) */
enum { WORD = 8, BLOCK = 64 };

#define ONES UINT64_C(0x0101010101010101)

/* 1 in each byte that is a comma, else 0. */
static inline uint64_t mark_commas(const char *c) {
  const uint64_t low = ONES * 0x7f;
  uint64_t word;
  memcpy(&word, c, sizeof word);
  word ^= ONES * ',';
  /* the top bit of a byte is set if the byte is not 0, and nothing carries over */
  word |= (word & low) + low;
  return (~word & ~low) >> 7;
}

/* The sum of the bytes of a word, if it is below 256. */
static inline size_t sum_bytes(uint64_t word) {
  return (size_t)(word * ONES >> 56);
}

static inline size_t count_block(const char *c) {
  uint64_t marks = 0;
  for (int i = 0; i < BLOCK; i += WORD) marks += mark_commas(c + i);
  return sum_bytes(marks);
}

static size_t count_commas(const char *c, const char *end) {
  size_t commas = 0;
  for (; end - c >= BLOCK; c += BLOCK) commas += count_block(c);
  for (; end - c >= WORD; c += WORD) commas += sum_bytes(mark_commas(c));
  for (; c < end; c++) commas += *c == ',';
  return commas;
}

void scant_csv_survey(const char *begin, const char *end, scant_csv_line *line) {
  const char *newline = memchr(begin, '\n', (size_t)(end - begin));
  if (newline) end = newline;
  size_t length = (size_t)(end - begin);
  *line = (scant_csv_line){.end = end,
                           .commas = count_commas(begin, end),
                           .quotes = memchr(begin, '"', length) != NULL,
                           .nul = memchr(begin, 0, length) != NULL};
}

const char *scant_csv_skip(const char *cursor, const char *end, size_t commas) {
  const char *c = cursor;
  size_t n;
  if (!commas) return c;
  /* up to the block, then to the word in which the last one is */
  for (; end - c >= BLOCK && (n = count_block(c)) < commas; c += BLOCK) commas -= n;
  for (; end - c >= WORD && (n = sum_bytes(mark_commas(c))) < commas; c += WORD) commas -= n;
  for (; c < end; c++)
    if (*c == ',' && !--commas) return c + 1;
  return NULL;
}

int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field) {
  const char *c = scant_csv_skip(walk->cursor, walk->end, wanted - walk->field);
  if (!c) return 0;
  walk->cursor = c;
  walk->field = wanted;
  const char *stop = c;
  while (stop < walk->end && *stop != ',' && *stop != '\n') stop++;
  *field = (scant_csv_field){c, (size_t)(stop - c), 0};
  if (field->length && stop[-1] == '\r' && (stop == walk->end || *stop == '\n')) field->length--;
  return 1;
}
