/* The Arrow C data interface and C stream interface: the structs of their public specification, whose layout is fixed
 * for all programs, and whose names are too. */
#ifndef SCANT_DATA_MEMORY_ARROW_H
#define SCANT_DATA_MEMORY_ARROW_H

#include <stdint.h>

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *schema); /* NULL: it was released */
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count; /* -1: not counted */
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *array);
  void *private_data;
};

struct ArrowArrayStream {
  /* 0, or a number of errno.h */
  int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *schema);
  /* The next array, or one that is released at the end. */
  int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *array);
  /* A sentence about the last failure, or NULL. */
  const char *(*get_last_error)(struct ArrowArrayStream *stream);
  void (*release)(struct ArrowArrayStream *stream);
  void *private_data;
};

#endif
