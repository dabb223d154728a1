#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

void scant_json_free_text(scant_json_writer *out) {
  free(out->text);
  *out = (scant_json_writer){0};
}

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

/* What needs no escape is put in one piece: studies write a look with each order. */
static void put_quoted(scant_json_writer *out, const char *text) {
  const char *first = text, *c = text;
  put(out, "\"", 1);
  for (; *c; c++) {
    char escaped[8];
    if (*c != '"' && *c != '\\' && (unsigned char)*c >= 0x20) continue;
    put(out, first, (size_t)(c - first));
    first = c + 1;
    if ((unsigned char)*c < 0x20)
      snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*c);
    else
      snprintf(escaped, sizeof escaped, "\\%c", *c);
    put_word(out, escaped);
  }
  put(out, first, (size_t)(c - first));
  put(out, "\"", 1);
}

/* Comma, line and key before an item.  Items of arrays stay on one line. */
static void begin(scant_json_writer *out, const char *key) {
  if (out->length && !out->separated) put(out, ",", 1);
  if (key) {
    put(out, "\n", 1);
    for (int i = 0; i < out->depth; i++) put(out, "  ", 2);
    put_quoted(out, key);
    put(out, ": ", 2);
  } else if (out->length && !out->separated) {
    put(out, " ", 1);
  }
  out->separated = 0;
}

void scant_json_open(scant_json_writer *out, const char *key, char bracket) {
  begin(out, key);
  put(out, &bracket, 1);
  out->depth++;
  out->separated = 1;
}

void scant_json_close(scant_json_writer *out, char bracket) {
  out->depth--;
  if (bracket == '}') {
    put(out, "\n", 1);
    for (int i = 0; i < out->depth; i++) put(out, "  ", 2);
  }
  put(out, &bracket, 1);
  out->separated = 0;
}

void scant_json_real(scant_json_writer *out, const char *key, double x) {
  char number[SCANT_NUMBER_LENGTH * 2];
  begin(out, key);
  if (!isfinite(x)) {
    put_word(out, "null");
    return;
  }
  scant_format_real(number, sizeof number, x);
  put_word(out, number);
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

void scant_json_flag(scant_json_writer *out, const char *key, int yes) {
  begin(out, key);
  put_word(out, yes ? "true" : "false");
}

void scant_json_text(scant_json_writer *out, const char *key, const char *text) {
  begin(out, key);
  if (text)
    put_quoted(out, text);
  else
    put_word(out, "null");
}

void scant_json_raw(scant_json_writer *out, const char *key, const char *json) {
  begin(out, key);
  put_word(out, json);
}

void scant_json_append(scant_json_writer *out, const char *text) {
  put_word(out, text);
}

void scant_json_hex(scant_json_writer *out, const char *key, uint64_t n) {
  char number[SCANT_NUMBER_LENGTH];
  snprintf(number, sizeof number, "%016llx", (unsigned long long)n);
  scant_json_text(out, key, number);
}

void scant_json_reals(scant_json_writer *out, const char *key, const double *x, size_t count, size_t stride) {
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < count; i++) scant_json_real(out, NULL, x[i * stride]);
  scant_json_close(out, ']');
}
