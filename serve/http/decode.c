#include "http/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

int serve_unescape(const char *text, size_t length, int form, char *to) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == '%') {
      int high = i + 2 < length ? digit_of(text[i + 1]) : -1, low = i + 2 < length ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) return 0;
      c = (char)(16 * high + low);
      i += 2;
    } else if (form && c == '+') {
      c = ' ';
    }
    if ((unsigned char)c < 0x20 || c == 0x7f) return 0;
    to[count++] = c;
  }
  to[count] = 0;
  return scant_text_is_utf8(to, count);
}

int serve_split_path(const char *path, size_t length, char *room, serve_path *split) {
  split->count = 0;
  if (!length || path[0] != '/') return 0;
  for (size_t at = 1; at <= length;) {
    size_t end = at;
    while (end < length && path[end] != '/') end++;
    if (split->count == SERVE_PARTS || !serve_unescape(path + at, end - at, 0, room)) return 0;
    int is_last = end == length;
    if (!strcmp(room, ".") || !strcmp(room, "..") || (!room[0] && !is_last)) return 0;
    split->parts[split->count++] = room;
    room += strlen(room) + 1; /* never more than end - at + 1 */
    at = end + 1;
  }
  return 1;
}

enum { MOST_VALUES = 32 };

static scant_status put_value(serve_value *values, size_t *count, const char *text, size_t length, char **room,
                              scant_error *error) {
  const char *equals = memchr(text, '=', length);
  size_t name = equals ? (size_t)(equals - text) : length;
  if (*count == MOST_VALUES) return scant_fail(error, SCANT_USAGE, "there are more than %d values", MOST_VALUES);
  char *decoded = *room;
  if (!serve_unescape(text, name, 1, decoded)) return scant_fail(error, SCANT_USAGE, "a name is not well encoded");
  if (!decoded[0]) return scant_fail(error, SCANT_USAGE, "a value has no name");
  char *value = decoded + strlen(decoded) + 1;
  size_t rest = equals ? length - name - 1 : 0;
  if (!serve_unescape(equals ? equals + 1 : "", rest, 1, value))
    return scant_fail(error, SCANT_USAGE, "the value of '%.60s' is not well encoded", decoded);
  for (size_t i = 0; i < *count; i++)
    if (!strcmp(values[i].name, decoded)) return scant_fail(error, SCANT_USAGE, "'%.60s' is given twice", decoded);
  values[(*count)++] = (serve_value){decoded, value};
  *room = value + strlen(value) + 1;
  return SCANT_OK;
}

scant_status serve_split_query(const char *text, size_t length, serve_value **values, size_t *count,
                               scant_error *error) {
  *values = NULL;
  *count = 0;
  if (!text || !length) return SCANT_OK;
  /* Every pair gets two ends of text; without a '=' it has one byte less. */
  size_t table = MOST_VALUES * sizeof **values;
  char *block = calloc(1, table + length + 2 * MOST_VALUES + 2);
  if (!block) return scant_fail_memory(error);
  serve_value *list = (serve_value *)(void *)block;
  char *room = block + table;
  scant_status status = SCANT_OK;
  for (size_t at = 0; status == SCANT_OK && at <= length;) {
    size_t end = at;
    while (end < length && text[end] != '&') end++;
    if (end > at) status = put_value(list, count, text + at, end - at, &room, error);
    at = end + 1;
  }
  if (status == SCANT_OK) {
    *values = list;
  } else {
    free(block);
    *count = 0;
  }
  return status;
}

scant_status serve_form_to_json(const char *form, size_t size, char **text, size_t *length, scant_error *error) {
  serve_value *values;
  size_t count;
  SCANT_TRY(serve_split_query(form, size, &values, &count, error));
  json out = {0};
  json_open(&out, NULL, '{');
  for (size_t i = 0; i < count; i++) json_text(&out, values[i].name, values[i].value);
  json_close(&out);
  free(values);
  return json_take(&out, text, length, error);
}

int serve_tag_in(const char *list, const char *tag, int weak) {
  size_t length = strlen(tag);
  const char *at = list;
  while (*at) {
    at += strspn(at, " \t,");
    if (*at == '*' && !at[1 + strspn(at + 1, " \t")]) return length > 0;
    int is_weak = !strncmp(at, "W/", 2);
    if (is_weak) at += 2;
    if (*at != '"') return 0; /* what follows can't be read */
    const char *end = strchr(at + 1, '"');
    if (!end) return 0;
    size_t width = (size_t)(end - at) + 1;
    if (width == length && !memcmp(at, tag, length) && (weak || !is_weak)) return 1;
    at = end + 1;
  }
  return 0;
}
