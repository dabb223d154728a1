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

static scant_status add_node(parser *p, scant_json_type type, size_t *index) {
  scant_json *json = p->json;
  if (!scant_grow(&json->nodes, &json->capacity, json->count + 1, sizeof *json->nodes))
    return scant_fail_memory(p->error);
  *index = json->count++;
  json->nodes[*index] = (scant_json_node){.type = type, .start = p->at};
  return SCANT_OK;
}

static int is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The number of "uXXXX" at `at`, or -1. */
static int escape_value(const parser *p, size_t at) {
  int value = 0;
  if (p->length - at < 5 || p->text[at] != 'u') return -1;
  for (size_t i = at + 1; i <= at + 4; i++) {
    char c = p->text[i];
    if (!is_hex(c)) return -1;
    value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

/* Moves to the last digit of an escape, or of a pair of them that is one
 * character; 0 if it is not a good escape; NUL and half of a pair are not. */
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

/* A quoted text: finds where it begins and ends; leaves escapes as they are. */
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

static int has_key(const scant_json *json, size_t object, size_t key, size_t length) {
  size_t child = object + 1;
  for (size_t i = 0; i < json->nodes[object].count; i++, child = json->nodes[child].after)
    if (json->nodes[child].key_length == length &&
        !memcmp(json->text + json->nodes[child].key, json->text + key, length))
      return 1;
  return 0;
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

/* The same for many members, when all of them are there: sorted, the same keys stand side by side. */
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
    if (object && count < FEW_MEMBERS && has_key(p->json, parent, key, key_length)) return wrong_key(p, key);
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
  SCANT_TRY(add_node(p, type, node));
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
  p->json->nodes[*node].start = start;
  p->json->nodes[*node].length = length;
  p->json->nodes[*node].after = p->json->count;
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
