/* Writing and reading JSON (RFC 8259), strictly; the same in every locale.
 *
 * The writer appends to one growing text.  It remembers that it ran out of memory, and scant_json_take says so:
 *
 *   scant_json_writer out = {0};
 *   scant_json_open(&out, NULL, '{');
 *   scant_json_text(&out, "example", name);
 *   scant_json_open(&out, "lines", '[');
 *   scant_json_count(&out, NULL, 3);
 *   scant_json_close(&out);                      closes the innermost bracket
 *   scant_json_close(&out);
 *   return scant_json_take(&out, &text, &length, error);
 *
 * gives {"example": "P-001", "lines": [3]} and a line end.  A key is NULL for an item of an array and for the document
 * itself.  The writer puts the commas, quotes and brackets.  A text that is not taken is freed by scant_json_discard.
 *
 * The reader keeps the text and a flat array of nodes.  Numbers are converted when they are asked for, so whole numbers
 * keep all 64 bits.
 */
#ifndef SCANT_JSON_H
#define SCANT_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---------------------------------------------------------------- */

enum { SCANT_JSON_DEPTH = 16 };

typedef struct scant_json_writer {
  char *text; /* ended by 0 */
  size_t length, capacity;
  char ends[SCANT_JSON_DEPTH]; /* brackets that are still to be closed */
  int depth;
  int lines;  /* each member on a line of its own, indented; set it before the first item */
  int begun;  /* the next item needs a comma before it */
  int failed; /* out of memory, or nested too deeply */
} scant_json_writer;

SCANT_API void scant_json_open(scant_json_writer *out, const char *key, char bracket); /* '{' or '[' */
SCANT_API void scant_json_close(scant_json_writer *out);
SCANT_API void scant_json_text(scant_json_writer *out, const char *key, const char *text); /* NULL: null */
SCANT_API void scant_json_text_part(scant_json_writer *out, const char *key, const char *text, size_t length);
SCANT_API void scant_json_count(scant_json_writer *out, const char *key, uint64_t n);
SCANT_API void scant_json_integer(scant_json_writer *out, const char *key, int64_t n);
SCANT_API void scant_json_real(scant_json_writer *out, const char *key, double x); /* 17 digits; null unless finite */
SCANT_API void scant_json_fixed(scant_json_writer *out, const char *key, double x, int decimals); /* as above */
SCANT_API void scant_json_reals(scant_json_writer *out, const char *key, const double *x, size_t count, size_t stride);
SCANT_API void scant_json_money(scant_json_writer *out, const char *key, uint64_t hundredths); /* with two decimals */
SCANT_API void scant_json_hex(scant_json_writer *out, const char *key, uint64_t n); /* 16 digits, in quotes */
SCANT_API void scant_json_flag(scant_json_writer *out, const char *key, int yes);
SCANT_API void scant_json_null(scant_json_writer *out, const char *key);
SCANT_API void scant_json_raw(scant_json_writer *out, const char *key, const char *json); /* JSON already; NULL: null */
SCANT_API void scant_json_append(scant_json_writer *out, const char *text);               /* as it is, no comma */

/* Hands over the document, which must be closed, with a line end; the caller frees *text.  SCANT_MEMORY with nothing
 * handed over if it is incomplete. */
SCANT_API scant_status scant_json_take(scant_json_writer *out, char **text, size_t *length, scant_error *error);
SCANT_API void scant_json_discard(scant_json_writer *out);

/* ---- reading ---------------------------------------------------------------- */

typedef enum scant_json_type {
  SCANT_JSON_NULL,
  SCANT_JSON_FALSE,
  SCANT_JSON_TRUE,
  SCANT_JSON_NUMBER,
  SCANT_JSON_TEXT,
  SCANT_JSON_ARRAY,
  SCANT_JSON_OBJECT
} scant_json_type;

/* Children follow their parent; `after` is the node past the last descendant. */
typedef struct scant_json_node {
  scant_json_type type;
  size_t key, key_length; /* in the text, without quotes; of members only */
  size_t start, length;   /* in the text, without quotes */
  size_t count;           /* number of items or members */
  size_t after;
} scant_json_node;

typedef struct scant_json {
  const char *text;
  size_t length;
  scant_json_node *nodes;
  size_t count, capacity;
} scant_json;

/* Node 0 is the document.  `text` must outlive the result.  SCANT_DATA with the place of what is wrong. */
SCANT_API scant_status scant_json_parse(scant_json *json, const char *text, size_t length, scant_error *error);
SCANT_API void scant_json_free(scant_json *json);

#define SCANT_JSON_NONE ((size_t)-1)

/* The member of an object, or SCANT_JSON_NONE. */
SCANT_API size_t scant_json_member(const scant_json *json, size_t object, const char *key);

/* Members by kind; SCANT_DATA with a sentence if absent or of another kind. */
SCANT_API scant_status scant_json_get_real(const scant_json *json, size_t object, const char *key, double *x,
                                           scant_error *error);
SCANT_API scant_status scant_json_get_real_or_null(const scant_json *json, size_t object, const char *key, double *x,
                                                   scant_error *error); /* null: NaN */
SCANT_API scant_status scant_json_get_count(const scant_json *json, size_t object, const char *key, uint64_t *n,
                                            scant_error *error);
SCANT_API scant_status scant_json_get_integer(const scant_json *json, size_t object, const char *key, int64_t *n,
                                              scant_error *error);
SCANT_API scant_status scant_json_get_flag(const scant_json *json, size_t object, const char *key, int *yes,
                                           scant_error *error);
SCANT_API scant_status scant_json_get_hex(const scant_json *json, size_t object, const char *key, uint64_t *n,
                                          scant_error *error);
/* A copy that the caller frees; null gives NULL. */
SCANT_API scant_status scant_json_get_text(const scant_json *json, size_t object, const char *key, char **text,
                                           scant_error *error);
SCANT_API scant_status scant_json_get_object(const scant_json *json, size_t object, const char *key, size_t *node,
                                             scant_error *error);
/* `count`: how many items it must have; SCANT_JSON_NONE: any number. */
SCANT_API scant_status scant_json_get_array(const scant_json *json, size_t object, const char *key, size_t count,
                                            size_t *node, scant_error *error);
/* `count` finite numbers into x[0], x[stride], ... */
SCANT_API scant_status scant_json_get_reals(const scant_json *json, size_t object, const char *key, double *x,
                                            size_t count, size_t stride, scant_error *error);
SCANT_API scant_status scant_json_get_counts(const scant_json *json, size_t object, const char *key, uint64_t *n,
                                             size_t count, scant_error *error);
/* Reads the 16 hexadecimal digits of a text node; 0 if it is anything else. */
SCANT_API int scant_json_hex_of(const scant_json *json, size_t node, uint64_t *n);
/* Reads a node that is a finite number, or null as NaN; 0 if it is neither. */
SCANT_API int scant_json_real_or_null_of(const scant_json *json, size_t node, double *x);
/* A text node unescaped into a copy; NULL if out of memory or not a text. */
SCANT_API char *scant_json_copy(const scant_json *json, size_t node);

#ifdef __cplusplus
}
#endif

#endif
