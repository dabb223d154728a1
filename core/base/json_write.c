#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"

static void put(scant_json_writer *out, const char *text, size_t length) {
  if (out->failed || !scant_grow(&out->text, &out->capacity, out->length + length + 1, 1)) {
    out->failed = 1;
    return;
  }
  memcpy(out->text + out->length, text, length);
  out->length += length;
  out->text[out->length] = 0;
}

static void put_word(scant_json_writer *out, const char *word) {
  put(out, word, strlen(word));
}

static int must_escape(char c) {
  return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

/* Runs of characters without escapes are put in one piece: studies write a look with each order. */
static void put_quoted(scant_json_writer *out, const char *text, size_t length) {
  const char *end = text + length;
  put(out, "\"", 1);
  while (text < end) {
    size_t plain = 0;
    while (text + plain < end && !must_escape(text[plain])) plain++;
    put(out, text, plain);
    text += plain;
    if (text == end) break;
    char escaped[8];
    int short_form = *text == '"' || *text == '\\';
    snprintf(escaped, sizeof escaped, short_form ? "\\%c" : "\\u%04x", (unsigned)(unsigned char)*text++);
    put_word(out, escaped);
  }
  put(out, "\"", 1);
}

static void put_line(scant_json_writer *out) {
  put(out, "\n", 1);
  for (int i = 0; i < out->depth; i++) put(out, "  ", 2);
}

/* The comma and the key before an item.  Items of arrays stay on one line. */
static void begin(scant_json_writer *out, const char *key) {
  if (out->begun) put(out, ",", 1);
  if (out->lines && key)
    put_line(out);
  else if (out->begun)
    put(out, " ", 1);
  out->begun = 1;
  if (!key) return;
  put_quoted(out, key, strlen(key));
  put(out, ": ", 2);
}

void scant_json_open(scant_json_writer *out, const char *key, char bracket) {
  begin(out, key);
  put(out, &bracket, 1);
  out->begun = 0;
  if (out->depth < SCANT_JSON_DEPTH)
    out->ends[out->depth] = bracket == '{' ? '}' : ']';
  else
    out->failed = 1;
  out->depth++;
}

void scant_json_close(scant_json_writer *out) {
  out->depth--;
  out->begun = 1;
  if (out->depth < 0 || out->depth >= SCANT_JSON_DEPTH) return;
  if (out->lines && out->ends[out->depth] == '}') put_line(out);
  put(out, &out->ends[out->depth], 1);
}

void scant_json_text(scant_json_writer *out, const char *key, const char *text) {
  if (text)
    scant_json_text_part(out, key, text, strlen(text));
  else
    scant_json_null(out, key);
}

void scant_json_text_part(scant_json_writer *out, const char *key, const char *text, size_t length) {
  begin(out, key);
  put_quoted(out, text, length);
}

void scant_json_count(scant_json_writer *out, const char *key, uint64_t n) {
  char digits[20], *first = digits + sizeof digits;
  begin(out, key);
  do *--first = (char)('0' + n % 10);
  while (n /= 10);
  put(out, first, (size_t)(digits + sizeof digits - first));
}

void scant_json_integer(scant_json_writer *out, const char *key, int64_t n) {
  char number[SCANT_NUMBER_LENGTH];
  begin(out, key);
  snprintf(number, sizeof number, "%lld", (long long)n);
  put_word(out, number);
}

void scant_json_real(scant_json_writer *out, const char *key, double x) {
  char number[SCANT_NUMBER_LENGTH * 2] = "null";
  begin(out, key);
  if (isfinite(x)) scant_format_real(number, sizeof number, x);
  put_word(out, number);
}

/* Some locales have another decimal point than JSON, which may have several bytes. */
void scant_json_fixed(scant_json_writer *out, const char *key, double x, int decimals) {
  static const char usual[] = "0123456789-";
  char number[352] = "null"; /* the largest double has 309 digits before the point */
  begin(out, key);
  if (!isfinite(x)) {
    put_word(out, number);
    return;
  }
  snprintf(number, sizeof number, "%.*f", decimals, x);
  size_t whole = strspn(number, usual);
  put(out, number, whole);
  if (!number[whole]) return;
  put(out, ".", 1);
  put_word(out, number + whole + strcspn(number + whole, usual));
}

void scant_json_reals(scant_json_writer *out, const char *key, const double *x, size_t count, size_t stride) {
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < count; i++) scant_json_real(out, NULL, x[i * stride]);
  scant_json_close(out);
}

void scant_json_money(scant_json_writer *out, const char *key, uint64_t hundredths) {
  char number[SCANT_NUMBER_LENGTH];
  begin(out, key);
  snprintf(number, sizeof number, "%llu.%02u", (unsigned long long)(hundredths / 100), (unsigned)(hundredths % 100));
  put_word(out, number);
}

void scant_json_hex(scant_json_writer *out, const char *key, uint64_t n) {
  char number[SCANT_NUMBER_LENGTH];
  snprintf(number, sizeof number, "%016llx", (unsigned long long)n);
  scant_json_text(out, key, number);
}

void scant_json_flag(scant_json_writer *out, const char *key, int yes) {
  begin(out, key);
  put_word(out, yes ? "true" : "false");
}

void scant_json_null(scant_json_writer *out, const char *key) {
  begin(out, key);
  put_word(out, "null");
}

void scant_json_raw(scant_json_writer *out, const char *key, const char *json) {
  begin(out, key);
  put_word(out, json ? json : "null");
}

void scant_json_append(scant_json_writer *out, const char *text) {
  put_word(out, text);
}

scant_status scant_json_take(scant_json_writer *out, char **text, size_t *length, scant_error *error) {
  put(out, "\n", 1);
  if (out->failed || out->depth != 0) {
    scant_json_discard(out);
    return scant_fail_memory(error);
  }
  *text = out->text;
  *length = out->length;
  *out = (scant_json_writer){0};
  return SCANT_OK;
}

void scant_json_discard(scant_json_writer *out) {
  free(out->text);
  *out = (scant_json_writer){0};
}
