/* The bytes of a file: mapped where that is possible, else read or inflated.
 *
 * A mapped file costs no memory and only the pages that are touched are read;
 * it must not be cut short while it is in use.
 */
#ifndef SCANT_DATA_BYTES_H
#define SCANT_DATA_BYTES_H

#include "scant.h"

typedef struct scant_bytes {
  const char *data; /* never NULL while open; not ended with a NUL */
  size_t length;
  void *owned; /* what scant_bytes_close gives back; NULL: nothing */
  int mapped;  /* to munmap, else to free */
} scant_bytes;

typedef enum scant_gzip { SCANT_GZIP_INFLATE, SCANT_GZIP_REFUSE } scant_gzip;

/* SCANT_NO_INPUT: no such file; SCANT_IO: it can't be read; SCANT_DATA: its
 * gzip data are damaged or cut short, or refused. */
scant_status scant_bytes_open(scant_bytes *bytes, const char *path, scant_gzip gzip, scant_error *error);

/* Says that reads will be scattered over the file, so that reading ahead
 * would mostly read what nobody looks at. */
void scant_bytes_scatter(const scant_bytes *bytes);

/* Accepts zeroed bytes and bytes closed before. */
void scant_bytes_close(scant_bytes *bytes);

#endif
