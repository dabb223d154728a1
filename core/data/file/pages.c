#include "data/file/pages.h"

#include "base/memory.h"

#include <stdlib.h>
#include <unistd.h>

int scant_pages_open(scant_pages *pages, size_t length) {
  long size = sysconf(_SC_PAGESIZE);
  unsigned shift = 0;
  while (size > 1 && (2L << shift) <= size) shift++;
  if (!shift) shift = 12;
  *pages = (scant_pages){.shift = shift, .length = length};
  pages->bits = scant_array((length >> shift >> 6) + 1, sizeof *pages->bits);
  return pages->bits != NULL;
}

void scant_pages_close(scant_pages *pages) {
  free(pages->bits);
  *pages = (scant_pages){0};
}

uint64_t scant_pages_bytes(const scant_pages *pages) {
  uint64_t bytes = pages->count << pages->shift;
  size_t last = scant_pages_at(pages, pages->length), rest = pages->length - (last << pages->shift);
  int seen = rest && (pages->bits[last >> 6] >> (last & 63) & 1);
  return seen ? bytes - ((uint64_t)1 << pages->shift) + rest : bytes;
}
