/* JSON, written.
 *
 * A document is put together in memory and printed when it is whole.  So a command that fails half-way has printed
 * nothing:
 *
 *   json out = {0};
 *   json_open(&out, NULL, '{');
 *   json_text(&out, "example", name);      "example": "P-001"
 *   json_open(&out, "lines", '[');
 *   json_count(&out, NULL, 3);
 *   json_close(&out);                      closes what was opened last
 *   json_close(&out);
 *   return json_print(&out, error);
 *
 * prints {"example": "P-001", "lines": [3]} and a line end.  A key is NULL for an item of an array and for the document
 * itself.  The writer puts the commas, quotes and brackets.  It remembers that memory ran out, and json_print says so.
 * The functions return nothing, so that an optional field is a plain `if`.  A document that is neither printed nor
 * taken is freed by json_free.  Numbers are the same in every locale.
 */
#ifndef SCANT_JSON_DOCUMENT_H
#define SCANT_JSON_DOCUMENT_H

#include "scant.h"

enum { JSON_DEPTH = 16 };

typedef struct json {
  char *text;
  size_t length, room;
  char ends[JSON_DEPTH]; /* brackets that are still to be closed */
  int depth;
  int begun;  /* the next item needs a comma before it */
  int failed; /* out of memory, or nested too deeply */
} json;

void json_open(json *out, const char *key, char bracket); /* '{' or '[' */
void json_close(json *out);
void json_text(json *out, const char *key, const char *text);                     /* NULL: null */
void json_text_part(json *out, const char *key, const char *text, size_t length); /* so many bytes of it */
void json_count(json *out, const char *key, uint64_t n);
void json_real(json *out, const char *key, double x);                /* 17 digits; null unless it is finite */
void json_fixed(json *out, const char *key, double x, int decimals); /* null unless it is finite */
void json_money(json *out, const char *key, uint64_t hundredths);    /* with two decimals */
void json_flag(json *out, const char *key, int yes);
void json_null(json *out, const char *key);
void json_whole(json *out, const char *key, const char *text); /* what is JSON already; NULL: null */

/* Hands the document over, which must be closed, with its line end; the caller frees *text.  SCANT_MEMORY with nothing
 * handed over. */
scant_status json_take(json *out, char **text, size_t *length, scant_error *error);
/* Prints the document, which must be closed, and frees it; SCANT_MEMORY with nothing printed. */
scant_status json_print(json *out, scant_error *error);
void json_free(json *out);

#endif
