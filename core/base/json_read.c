/* JSON texts: parsing them, and getting typed members out of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"

#define DEPTH_MOST 16
#define FEW_MEMBERS 32 /* among so few a key is looked for one by one */

typedef struct {
  scant_json *json;
  const char *text;
  size_t at, length;
  scant_error *error;
} parser;

static scant_status wrong(parser *p, const char *what) {
  return scant_fail(p->error, SCANT_DATA, "%s at byte %zu", what, p->at + 1);
}

static void skip_blanks(parser *p) {
  while (p->at < p->length && strchr(" \t\r\n", p->text[p->at]) && p->text[p->at]) p->at++;
}

static int next_is(const parser *p, char c) {
  return p->at < p->length && p->text[p->at] == c;
}

/* The number of four hexadecimal digits, or -1. */
static int point_of(const char *digits) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    char c = digits[i];
    int digit = c >= '0' && c <= '9'                               ? c - '0'
                : (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? (c | 0x20) - 'a' + 10
                                                                   : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* The number of "uXXXX" at `at`, or -1. */
static int escape_value(const parser *p, size_t at) {
  return p->length - at < 5 || p->text[at] != 'u' ? -1 : point_of(p->text + at + 1);
}

/* Moves to the last digit of an escape, or of a surrogate pair; 0: it is NUL, half of a pair, or no escape. */
static int scan_escape(parser *p) {
  int value = escape_value(p, p->at);
  if (value <= 0 || (value >= 0xdc00 && value <= 0xdfff)) return 0;
  p->at += 4;
  if (value < 0xd800 || value > 0xdbff) return 1;
  if (p->length - p->at < 3 || p->text[p->at + 1] != '\\') return 0;
  int second = escape_value(p, p->at + 2);
  p->at += 6;
  return second >= 0xdc00 && second <= 0xdfff;
}

/* Finds where a quoted text begins and ends; escapes stay. */
static scant_status scan_text(parser *p, size_t *start, size_t *length) {
  p->at++;
  *start = p->at;
  for (; p->at < p->length; p->at++) {
    unsigned char c = (unsigned char)p->text[p->at];
    if (c == '"') {
      *length = p->at - *start;
      if (!scant_text_is_utf8(p->text + *start, *length)) return wrong(p, "a text that is not UTF-8");
      p->at++;
      return SCANT_OK;
    }
    if (c < 0x20) return wrong(p, "a control character in a text");
    if (c != '\\') continue;
    p->at++;
    if (p->at >= p->length) break;
    if (p->text[p->at] == 'u') {
      if (!scan_escape(p)) return wrong(p, "a bad escape in a text");
    } else if (!p->text[p->at] || !strchr("\"\\/bfnrt", p->text[p->at])) {
      return wrong(p, "a bad escape in a text");
    }
  }
  return wrong(p, "a text without an end");
}

static size_t scan_digits(parser *p) {
  size_t from = p->at;
  while (p->at < p->length && p->text[p->at] >= '0' && p->text[p->at] <= '9') p->at++;
  return p->at - from;
}

static scant_status scan_number(parser *p) {
  if (next_is(p, '-')) p->at++;
  int zero = next_is(p, '0');
  size_t digits = scan_digits(p);
  if (!digits || (zero && digits > 1)) return wrong(p, "a bad number");
  if (next_is(p, '.')) {
    p->at++;
    if (!scan_digits(p)) return wrong(p, "a bad number");
  }
  if (next_is(p, 'e') || next_is(p, 'E')) {
    p->at++;
    if (next_is(p, '+') || next_is(p, '-')) p->at++;
    if (!scan_digits(p)) return wrong(p, "a bad number");
  }
  return SCANT_OK;
}

static scant_status scan_value(parser *p, int depth, size_t *node);

/* ---- keys that come twice ---- */

static scant_status wrong_key(parser *p, size_t key) {
  p->at = key;
  return wrong(p, "a key that was there before");
}

static size_t find_key(const scant_json *json, size_t object, const char *key, size_t length) {
  size_t child = object + 1;
  for (size_t i = 0; i < json->nodes[object].count; i++) {
    const scant_json_node *node = &json->nodes[child];
    if (node->key_length == length && !memcmp(json->text + node->key, key, length)) return child;
    child = node->after;
  }
  return SCANT_JSON_NONE;
}

typedef struct {
  const char *text;
  size_t length;
} key_text;

/* By length, letters, and place. */
static int compare_keys(const void *first, const void *second) {
  const key_text *a = first, *b = second;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  int order = memcmp(a->text, b->text, a->length);
  return order ? order : a->text < b->text ? -1 : a->text > b->text;
}

/* For many members, once all are there: sorted, equal keys stand side by side. */
static scant_status check_keys(parser *p, size_t object) {
  const scant_json *json = p->json;
  size_t count = json->nodes[object].count, child = object + 1;
  if (count <= FEW_MEMBERS) return SCANT_OK;
  key_text *keys = scant_array(count, sizeof *keys);
  if (!keys) return scant_fail_memory(p->error);
  for (size_t i = 0; i < count; i++, child = json->nodes[child].after)
    keys[i] = (key_text){json->text + json->nodes[child].key, json->nodes[child].key_length};
  qsort(keys, count, sizeof *keys, compare_keys);
  const char *again = NULL; /* the first that was there before */
  for (size_t i = 1; i < count; i++) {
    int is_same = keys[i].length == keys[i - 1].length && !memcmp(keys[i].text, keys[i - 1].text, keys[i].length);
    if (is_same && (!again || keys[i].text < again)) again = keys[i].text;
  }
  free(keys);
  if (!again) return SCANT_OK;
  return wrong_key(p, (size_t)(again - p->text));
}

/* Members of an object or items of an array, up to the closing bracket. */
static scant_status scan_items(parser *p, int depth, size_t parent, int object) {
  char close = object ? '}' : ']';
  p->at++;
  skip_blanks(p);
  for (size_t count = 0; !next_is(p, close); count++) {
    if (count) {
      if (!next_is(p, ',')) return wrong(p, "a comma is missing");
      p->at++;
      skip_blanks(p);
    }
    size_t key = 0, key_length = 0, child;
    if (object) {
      if (!next_is(p, '"')) return wrong(p, "a key is missing");
      SCANT_TRY(scan_text(p, &key, &key_length));
      skip_blanks(p);
      if (!next_is(p, ':')) return wrong(p, "a colon is missing");
      p->at++;
    }
    SCANT_TRY(scan_value(p, depth + 1, &child));
    if (object && count < FEW_MEMBERS && find_key(p->json, parent, p->text + key, key_length) != SCANT_JSON_NONE)
      return wrong_key(p, key);
    p->json->nodes[child].key = key;
    p->json->nodes[child].key_length = key_length;
    p->json->nodes[parent].count++;
    skip_blanks(p);
  }
  p->at++;
  return object ? check_keys(p, parent) : SCANT_OK;
}

static scant_status scan_word(parser *p, const char *word) {
  size_t length = strlen(word);
  if (p->length - p->at < length || memcmp(p->text + p->at, word, length) != 0) return wrong(p, "not JSON");
  p->at += length;
  return SCANT_OK;
}

static scant_status scan_value(parser *p, int depth, size_t *node) {
  if (depth > DEPTH_MOST) return wrong(p, "too deeply nested");
  skip_blanks(p);
  if (p->at >= p->length) return wrong(p, "the end comes too early");
  char c = p->text[p->at];
  scant_json_type type = c == '{'   ? SCANT_JSON_OBJECT
                         : c == '[' ? SCANT_JSON_ARRAY
                         : c == '"' ? SCANT_JSON_TEXT
                         : c == 't' ? SCANT_JSON_TRUE
                         : c == 'f' ? SCANT_JSON_FALSE
                         : c == 'n' ? SCANT_JSON_NULL
                                    : SCANT_JSON_NUMBER;
  scant_json *json = p->json;
  if (!scant_grow(&json->nodes, &json->capacity, json->count + 1, sizeof *json->nodes))
    return scant_fail_memory(p->error);
  *node = json->count++;
  json->nodes[*node] = (scant_json_node){.type = type};
  size_t start = p->at, length;
  if (type == SCANT_JSON_TEXT) {
    SCANT_TRY(scan_text(p, &start, &length));
  } else {
    if (type == SCANT_JSON_OBJECT || type == SCANT_JSON_ARRAY)
      SCANT_TRY(scan_items(p, depth, *node, type == SCANT_JSON_OBJECT));
    else if (type == SCANT_JSON_NUMBER)
      SCANT_TRY(scan_number(p));
    else
      SCANT_TRY(scan_word(p, type == SCANT_JSON_TRUE ? "true" : type == SCANT_JSON_FALSE ? "false" : "null"));
    length = p->at - start;
  }
  json->nodes[*node].start = start;
  json->nodes[*node].length = length;
  json->nodes[*node].after = json->count;
  return SCANT_OK;
}

scant_status scant_json_parse(scant_json *json, const char *text, size_t length, scant_error *error) {
  *json = (scant_json){.text = text, .length = length};
  parser p = {json, text, 0, length, error};
  size_t root;
  scant_status status = scan_value(&p, 0, &root);
  if (status == SCANT_OK) {
    skip_blanks(&p);
    if (p.at != length) status = wrong(&p, "more after the end");
  }
  if (status != SCANT_OK) scant_json_free(json);
  return status;
}

void scant_json_free(scant_json *json) {
  free(json->nodes);
  *json = (scant_json){0};
}

/* ---- members ------------------------------------------------------------------- */

size_t scant_json_member(const scant_json *json, size_t object, const char *key) {
  return find_key(json, object, key, strlen(key));
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
        unsigned point = (unsigned)point_of(copy + i + 1);
        i += 4;
        if (point >= 0xd800 && point < 0xdc00) { /* a pair of surrogates is one character */
          point = 0x10000 + ((point - 0xd800) << 10) + ((unsigned)point_of(copy + i + 3) - 0xdc00);
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
