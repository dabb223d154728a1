/* Which pages of a file were looked at: a bit for each, and how many are set. */
#ifndef SCANT_DATA_FILE_PAGES_H
#define SCANT_DATA_FILE_PAGES_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_pages {
  uint64_t *bits;
  unsigned shift; /* a page has 2^shift bytes */
  uint64_t count; /* pages looked at */
  size_t length;  /* of the file */
} scant_pages;

/* For a file of `length` bytes; 0 if out of memory. */
int scant_pages_open(scant_pages *pages, size_t length);
void scant_pages_close(scant_pages *pages);

/* Bytes in the pages that were looked at; the last page is as long as the file
 * makes it. */
uint64_t scant_pages_bytes(const scant_pages *pages);

static inline size_t scant_pages_at(const scant_pages *pages, size_t offset) {
  return offset >> pages->shift;
}

/* Notes a look at `length` bytes, one or more, which are inside the file. */
static inline void scant_pages_note(scant_pages *pages, size_t offset, size_t length) {
  size_t last = scant_pages_at(pages, offset + length - 1);
  for (size_t page = scant_pages_at(pages, offset); page <= last; page++) {
    uint64_t bit = UINT64_C(1) << (page & 63), *word = &pages->bits[page >> 6];
    pages->count += !(*word & bit);
    *word |= bit;
  }
}

#endif
