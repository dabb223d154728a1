/* Getting typed members out of a parsed document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"

size_t scant_json_member(const scant_json *json, size_t object, const char *key) {
  size_t length = strlen(key);
  size_t child = object + 1;
  for (size_t i = 0; i < json->nodes[object].count; i++) {
    const scant_json_node *node = &json->nodes[child];
    if (node->key_length == length && !memcmp(json->text + node->key, key, length)) return child;
    child = node->after;
  }
  return SCANT_JSON_NONE;
}

static scant_status find(const scant_json *json, size_t object, const char *key, size_t *node, scant_error *error) {
  *node = scant_json_member(json, object, key);
  return *node != SCANT_JSON_NONE ? SCANT_OK : scant_fail(error, SCANT_DATA, "field '%s' is missing", key);
}

static scant_status need(const scant_json *json, size_t object, const char *key, scant_json_type type, const char *kind,
                         size_t *node, scant_error *error) {
  SCANT_TRY(find(json, object, key, node, error));
  if (json->nodes[*node].type != type) return scant_fail(error, SCANT_DATA, "field '%s' is not %s", key, kind);
  return SCANT_OK;
}

static int real_of(const scant_json *json, size_t node, double *x) {
  const scant_json_node *n = &json->nodes[node];
  return n->type == SCANT_JSON_NUMBER && scant_parse_real(json->text + n->start, n->length, x) && isfinite(*x);
}

int scant_json_real_or_null_of(const scant_json *json, size_t node, double *x) {
  if (json->nodes[node].type != SCANT_JSON_NULL) return real_of(json, node, x);
  *x = NAN;
  return 1;
}

static int count_of(const scant_json *json, size_t node, uint64_t *x) {
  const scant_json_node *n = &json->nodes[node];
  return n->type == SCANT_JSON_NUMBER && scant_parse_count(json->text + n->start, n->length, x);
}

scant_status scant_json_get_real(const scant_json *json, size_t object, const char *key, double *x,
                                 scant_error *error) {
  size_t node;
  SCANT_TRY(need(json, object, key, SCANT_JSON_NUMBER, "a number", &node, error));
  return real_of(json, node, x) ? SCANT_OK : scant_fail(error, SCANT_DATA, "field '%s' is not a finite number", key);
}

scant_status scant_json_get_real_or_null(const scant_json *json, size_t object, const char *key, double *x,
                                         scant_error *error) {
  size_t node = scant_json_member(json, object, key);
  if (node != SCANT_JSON_NONE && json->nodes[node].type == SCANT_JSON_NULL) {
    *x = NAN;
    return SCANT_OK;
  }
  return scant_json_get_real(json, object, key, x, error);
}

scant_status scant_json_get_count(const scant_json *json, size_t object, const char *key, uint64_t *n,
                                  scant_error *error) {
  size_t node;
  SCANT_TRY(need(json, object, key, SCANT_JSON_NUMBER, "a number", &node, error));
  return count_of(json, node, n) ? SCANT_OK : scant_fail(error, SCANT_DATA, "field '%s' is not a whole number", key);
}

scant_status scant_json_get_integer(const scant_json *json, size_t object, const char *key, int64_t *n,
                                    scant_error *error) {
  double x;
  SCANT_TRY(scant_json_get_real(json, object, key, &x, error));
  if (x != floor(x) || fabs(x) > 0x1p53) return scant_fail(error, SCANT_DATA, "field '%s' is not whole", key);
  *n = (int64_t)x;
  return SCANT_OK;
}

scant_status scant_json_get_flag(const scant_json *json, size_t object, const char *key, int *yes, scant_error *error) {
  size_t node;
  SCANT_TRY(find(json, object, key, &node, error));
  scant_json_type type = json->nodes[node].type;
  if (type != SCANT_JSON_TRUE && type != SCANT_JSON_FALSE)
    return scant_fail(error, SCANT_DATA, "field '%s' is neither true nor false", key);
  *yes = type == SCANT_JSON_TRUE;
  return SCANT_OK;
}

int scant_json_hex_of(const scant_json *json, size_t node, uint64_t *n) {
  const scant_json_node *t = &json->nodes[node];
  uint64_t value = 0;
  int good = t->type == SCANT_JSON_TEXT && t->length == 16;
  for (size_t i = 0; good && i < t->length; i++) {
    char c = json->text[t->start + i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    good = digit >= 0;
    value = value * 16 + (uint64_t)(digit & 15);
  }
  if (good) *n = value;
  return good;
}

scant_status scant_json_get_hex(const scant_json *json, size_t object, const char *key, uint64_t *n,
                                scant_error *error) {
  size_t node;
  SCANT_TRY(find(json, object, key, &node, error));
  if (!scant_json_hex_of(json, node, n))
    return scant_fail(error, SCANT_DATA, "field '%s' is not 16 hexadecimal digits", key);
  return SCANT_OK;
}

/* Four hexadecimal digits, which the parser has checked. */
static unsigned escaped_point(const char *digits) {
  char copy[5] = {digits[0], digits[1], digits[2], digits[3], 0};
  return (unsigned)strtoul(copy, NULL, 16);
}

/* One code point as UTF-8: a lead byte says how many follow, with six bits each. */
static size_t put_utf8(char *out, unsigned point) {
  static const unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
  unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out[0] = (char)(leads[more] | point >> 6 * more);
  for (unsigned i = 1; i <= more; i++) out[i] = (char)(0x80 | (point >> 6 * (more - i) & 63));
  return more + 1;
}

char *scant_json_copy(const scant_json *json, size_t node) {
  const scant_json_node *n = &json->nodes[node];
  if (n->type != SCANT_JSON_TEXT) return NULL;
  char *copy = scant_copy_text(json->text + n->start, n->length);
  if (!copy) return NULL;
  size_t used = 0;
  for (size_t i = 0; i < n->length; i++) { /* unescaped, it can only be shorter */
    char c = copy[i];
    if (c == '\\') {
      static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
      c = copy[++i];
      const char *known = strchr(from, c);
      if (c == 'u') {
        unsigned point = escaped_point(copy + i + 1);
        i += 4;
        if (point >= 0xd800 && point < 0xdc00) { /* a pair of surrogates is one character */
          point = 0x10000 + ((point - 0xd800) << 10) + (escaped_point(copy + i + 3) - 0xdc00);
          i += 6;
        }
        used += put_utf8(copy + used, point);
        continue;
      }
      if (known) c = to[known - from];
    }
    copy[used++] = c;
  }
  copy[used] = 0;
  return copy;
}

scant_status scant_json_get_text(const scant_json *json, size_t object, const char *key, char **text,
                                 scant_error *error) {
  size_t node = scant_json_member(json, object, key);
  *text = NULL;
  if (node != SCANT_JSON_NONE && json->nodes[node].type == SCANT_JSON_NULL) return SCANT_OK;
  SCANT_TRY(need(json, object, key, SCANT_JSON_TEXT, "a text", &node, error));
  *text = scant_json_copy(json, node);
  return *text ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_json_get_object(const scant_json *json, size_t object, const char *key, size_t *node,
                                   scant_error *error) {
  return need(json, object, key, SCANT_JSON_OBJECT, "an object", node, error);
}

scant_status scant_json_get_array(const scant_json *json, size_t object, const char *key, size_t count, size_t *node,
                                  scant_error *error) {
  SCANT_TRY(need(json, object, key, SCANT_JSON_ARRAY, "an array", node, error));
  size_t items = json->nodes[*node].count;
  if (count == SCANT_JSON_NONE || items == count) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "field '%s' has %zu items, not %zu", key, items, count);
}

scant_status scant_json_get_reals(const scant_json *json, size_t object, const char *key, double *x, size_t count,
                                  size_t stride, scant_error *error) {
  size_t node;
  scant_status status = scant_json_get_array(json, object, key, count, &node, error);
  for (size_t i = 0, child = node + 1; status == SCANT_OK && i < count; i++, child = json->nodes[child].after)
    if (!real_of(json, child, &x[i * stride]))
      status = scant_fail(error, SCANT_DATA, "item %zu of '%s' is not a finite number", i + 1, key);
  return status;
}

scant_status scant_json_get_counts(const scant_json *json, size_t object, const char *key, uint64_t *n, size_t count,
                                   scant_error *error) {
  size_t node;
  scant_status status = scant_json_get_array(json, object, key, count, &node, error);
  for (size_t i = 0, child = node + 1; status == SCANT_OK && i < count; i++, child = json->nodes[child].after)
    if (!count_of(json, child, &n[i]))
      status = scant_fail(error, SCANT_DATA, "item %zu of '%s' is not a whole number", i + 1, key);
  return status;
}
