#include "data/file/csv_line.h"

#include "scant_base.h"

#include <stdlib.h>
#include <string.h>

/* Bytes are looked at eight at a time, as words, or in vectors.  (A loop over single bytes, counting in a byte, is not
 * left to the compiler: of some such loops GCC 12 makes wrong instructions.) */
enum { WORD = 8, BLOCK = 64 };

/* There is a milestone every so many bytes.  A walk over fewer fields than FAR does not look for one. */
enum { MILE = 512, FAR = 16 };

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

typedef signed char vector __attribute__((vector_size(16)));

static inline size_t count_block(const char *c) {
  vector sum = {0};
  uint64_t words[2];
  for (int i = 0; i < BLOCK; i += (int)sizeof sum) {
    vector bytes;
    memcpy(&bytes, c + i, sizeof bytes);
    sum -= bytes == ','; /* -1 where it is one */
  }
  memcpy(words, &sum, sizeof words);
  return sum_bytes(words[0] + words[1]);
}

static size_t count_commas(const char *c, const char *end) {
  size_t commas = 0;
  for (; end - c >= BLOCK; c += BLOCK) commas += count_block(c);
  for (; end - c >= WORD; c += WORD) commas += sum_bytes(mark_commas(c));
  for (; c < end; c++) commas += *c == ',';
  return commas;
}

int scant_csv_text_open(scant_csv_text *text, const char *data, size_t length) {
  *text = (scant_csv_text){data, scant_array(length / MILE + 1, sizeof *text->milestones)};
  return text->milestones != NULL;
}

void scant_csv_text_close(scant_csv_text *text) {
  free(text->milestones);
  *text = (scant_csv_text){0};
}

/* The milestone next behind `at`. */
static size_t mile_behind(const scant_csv_text *text, const char *at) {
  return (size_t)(at - text->data) / MILE + 1;
}

void scant_csv_survey(const scant_csv_text *text, const char *begin, const char *end, scant_csv_line *line) {
  const char *newline = memchr(begin, '\n', (size_t)(end - begin));
  if (newline) end = newline;
  size_t length = (size_t)(end - begin), commas = 0;
  const char *c = begin;
  for (size_t mile = mile_behind(text, begin), last = mile_behind(text, end); mile < last; mile++) {
    const char *there = text->data + mile * MILE;
    commas += count_commas(c, there);
    text->milestones[mile] =
        (uint32_t)commas; /* if the count is too large for this type, so is the number of columns */
    c = there;
  }
  *line = (scant_csv_line){.end = end,
                           .commas = commas + count_commas(c, end),
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

scant_csv_walk scant_csv_walk_begin(const scant_csv_text *text, const char *begin, const char *end) {
  return (scant_csv_walk){.text = text, .cursor = begin, .end = end, .field = 0};
}

/* Where to begin the walk to a field ahead: at the cursor, or at the last
 * milestone before the field; *field is the one that this is in. */
static const char *nearest(const scant_csv_walk *walk, size_t wanted, size_t *field) {
  const uint32_t *milestones = walk->text->milestones;
  size_t cursor = mile_behind(walk->text, walk->cursor) - 1; /* at the cursor or before it */
  size_t low = cursor, high = mile_behind(walk->text, walk->end - 1);
  *field = walk->field;
  if (wanted - walk->field < FAR) return walk->cursor;
  /* of those above low and below high, the last with fewer than `wanted` commas before it */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (milestones[middle] < wanted)
      low = middle;
    else
      high = middle;
  }
  if (low == cursor) return walk->cursor;
  *field = milestones[low];
  return walk->text->data + low * MILE;
}

void scant_csv_walk_announce(const scant_csv_walk *walk, size_t wanted) {
  size_t field;
  const char *there = nearest(walk, wanted, &field);
  __builtin_prefetch(there);
  __builtin_prefetch(there + MILE / 4 < walk->end ? there + MILE / 4 : there);
}

int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field) {
  size_t from;
  const char *c = nearest(walk, wanted, &from);
  c = scant_csv_skip(c, walk->end, wanted - from);
  if (!c) return 0;
  walk->cursor = c;
  walk->field = wanted;
  const char *stop = c;
  while (stop < walk->end && *stop != ',' && *stop != '\n') stop++;
  *field = (scant_csv_field){c, (size_t)(stop - c), 0};
  if (field->length && stop[-1] == '\r' && (stop == walk->end || *stop == '\n')) field->length--;
  return 1;
}
