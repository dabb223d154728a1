/* The bytes of a file: mapped where that is possible, else read or inflated.
 *
 * A mapped file costs no memory of its own and only the pages that are touched are read; it must not be cut short while
 * it is in use.  The pages that are mapped still count as the process's memory, so those of a long file are let go of
 * now and then (scant_bytes_touch), or never mapped (scant_bytes_read).
 */
#ifndef SCANT_DATA_FILE_BYTES_H
#define SCANT_DATA_FILE_BYTES_H

#include "scant.h"

/* Which pages of a file were looked at: a bit for each, and how many are set. */
typedef struct scant_pages {
  uint64_t *bits;
  unsigned shift; /* a page has 2^shift bytes */
  uint64_t count; /* pages looked at */
  size_t length;  /* of the file */
} scant_pages;

typedef struct scant_bytes {
  const char *data; /* never NULL while open; not ended with a NUL */
  size_t length;
  size_t stored;       /* bytes of the file, before inflating */
  void *owned;         /* for scant_bytes_close; NULL: nothing */
  int mapped;          /* to munmap, else to free */
  scant_pages windows; /* of a long file, mapped and longer than what may stay in memory: parts that may be mapped */
  int file;            /* open if the file is long */
} scant_bytes;

static inline int scant_bytes_is_long(const scant_bytes *bytes) {
  return bytes->windows.bits != NULL;
}

/* How much of a mapped file may stay in memory: 1 GiB.  Only tests change it. */
extern size_t scant_bytes_resident;

/* The kind of a file.  It bounds how much is inflated into memory or read from a pipe: a short file can inflate to
 * gigabytes of zeros. */
typedef struct scant_bytes_kind {
  int in_place; /* gzip is refused */
  size_t most;  /* bytes of it, inflated; 0: any number */
  /* Checks the bytes so far, of which the last `fresh` are new: SCANT_DATA as soon as a fault shows.  *mark is for its
   * own use, 0 at first.  NULL: there is no check. */
  scant_status (*watch)(const char *data, size_t length, size_t fresh, size_t *mark, const char *path,
                        scant_error *error);
} scant_bytes_kind;

/* Data in lines; a list that somebody wrote, in lines; a document, uncompressed. */
extern const scant_bytes_kind scant_bytes_table, scant_bytes_list, scant_bytes_document;

/* SCANT_NO_INPUT: no such file; SCANT_IO: it can't be read; SCANT_DATA: its gzip data are damaged or cut short, or
 * refused, or it is not of this kind. */
scant_status scant_bytes_open(scant_bytes *bytes, const char *path, const scant_bytes_kind *kind, scant_error *error);

/* Where text begins: behind a byte order mark. */
const char *scant_bytes_text(const scant_bytes *bytes);

/* Says that reads will be scattered over the file: reading ahead would mostly read bytes that nobody needs. */
void scant_bytes_scatter(const scant_bytes *bytes);

/* Says that `length` bytes, one or more, are looked at; lets go of the pages of a long file when they have become
 * many.  What they hold stays the same, and stays in the system's cache. */
void scant_bytes_touch(scant_bytes *bytes, const void *at, size_t length);

/* Copies bytes of a long file without mapping them. */
scant_status scant_bytes_read(const scant_bytes *bytes, size_t from, size_t length, void *to, const char *path,
                              scant_error *error);

/* Accepts zeroed bytes and bytes closed before. */
void scant_bytes_close(scant_bytes *bytes);

/* ---- pages ---------------------------------------------------------------------- */

/* For a file of `length` bytes; 2^shift is the system's size of a page if shift is 0.  0 if out of memory. */
int scant_pages_open(scant_pages *pages, size_t length, unsigned shift);
void scant_pages_close(scant_pages *pages);

/* Bytes in the pages that were looked at; the last page is as long as the file makes it. */
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
