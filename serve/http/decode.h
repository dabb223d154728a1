/* What comes in the first line of a request and in forms: paths, queries, escapes. */
#ifndef SCANT_SERVE_DECODE_H
#define SCANT_SERVE_DECODE_H

#include "actions/action.h"

/* Undoes the escapes of text[0 .. length) (%41, and + as a blank if `form`) into `to`, which has room for length + 1
 * bytes.  0: an escape is none, or what comes out is no UTF-8 or holds control characters. */
int serve_unescape(const char *text, size_t length, int form, char *to);

/* A path in parts, decoded one by one, so that a part may hold a '/'. */
enum { SERVE_PARTS = 12 };
typedef struct serve_path {
  const char *parts[SERVE_PARTS];
  size_t count;
} serve_path;

/* Splits path[0 .. length), which begins with '/', into `room`, which has length + 1 bytes.  Empty parts, "." and ".."
 * are refused, but for one empty part at the end.  0: it is no path of ours. */
int serve_split_path(const char *path, size_t length, char *room, serve_path *split);

/* Names and values of a=1&b=2 (NULL: none).  *values and its texts are one allocation, for free.  SCANT_USAGE: an
 * escape is wrong, there is no name, one comes twice or there are more than 32; SCANT_MEMORY. */
scant_status serve_split_query(const char *text, size_t length, serve_value **values, size_t *count,
                               scant_error *error);

/* A form as an object of JSON whose members are texts; *text is for free. */
scant_status serve_form_to_json(const char *form, size_t size, char **text, size_t *length, scant_error *error);

/* Is `tag` in a list of tags as If-Match and If-None-Match have it?  "*" is in it if the thing exists, which is what
 * a tag that is not empty says.  `weak`: W/"x" is "x", too. */
int serve_tag_in(const char *list, const char *tag, int weak);

#endif
