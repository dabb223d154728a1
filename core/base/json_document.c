#include "base/json_document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(json *out, const char *text, size_t length) {
  if (out->failed) return;
  if (out->length + length >= out->room) {
    size_t room = 2 * (out->length + length) + 256;
    char *grown = realloc(out->text, room);
    if (!grown) {
      out->failed = 1;
      return;
    }
    out->text = grown;
    out->room = room;
  }
  memcpy(out->text + out->length, text, length);
  out->length += length;
}

static void put_word(json *out, const char *word) {
  put(out, word, strlen(word));
}

static int must_escape(char c) {
  return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

static void put_quoted(json *out, const char *text, size_t length) {
  const char *end = text + length;
  put_word(out, "\"");
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
  put_word(out, "\"");
}

/* Some locales have another decimal point than JSON, which may have several bytes.  What is not finite is null. */
static void put_number(json *out, double x, const char *number) {
  static const char usual[] = "0123456789+-e";
  if (!isfinite(x)) {
    put_word(out, "null");
    return;
  }
  size_t whole = strspn(number, usual);
  put(out, number, whole);
  if (!number[whole]) return;
  put_word(out, ".");
  number += whole;
  put_word(out, number + strcspn(number, usual));
}

/* The comma and the key before an item. */
static void begin(json *out, const char *key) {
  if (out->begun) put_word(out, ", ");
  out->begun = 1;
  if (!key) return;
  put_quoted(out, key, strlen(key));
  put_word(out, ": ");
}

void json_open(json *out, const char *key, char bracket) {
  begin(out, key);
  put(out, &bracket, 1);
  out->begun = 0;
  if (out->depth < JSON_DEPTH)
    out->ends[out->depth] = bracket == '{' ? '}' : ']';
  else
    out->failed = 1;
  out->depth++;
}

void json_close(json *out) {
  out->depth--;
  if (out->depth >= 0 && out->depth < JSON_DEPTH) put(out, &out->ends[out->depth], 1);
  out->begun = 1;
}

void json_text(json *out, const char *key, const char *text) {
  if (text) {
    json_text_part(out, key, text, strlen(text));
    return;
  }
  begin(out, key);
  put_word(out, "null");
}

void json_text_part(json *out, const char *key, const char *text, size_t length) {
  begin(out, key);
  put_quoted(out, text, length);
}

void json_count(json *out, const char *key, uint64_t n) {
  char number[32];
  begin(out, key);
  snprintf(number, sizeof number, "%llu", (unsigned long long)n);
  put_word(out, number);
}

void json_real(json *out, const char *key, double x) {
  char number[32];
  begin(out, key);
  snprintf(number, sizeof number, "%.17g", x);
  put_number(out, x, number);
}

void json_fixed(json *out, const char *key, double x, int decimals) {
  char number[352]; /* the largest double has 309 digits before the point */
  begin(out, key);
  snprintf(number, sizeof number, "%.*f", decimals, x);
  put_number(out, x, number);
}

void json_money(json *out, const char *key, uint64_t hundredths) {
  char number[32];
  begin(out, key);
  snprintf(number, sizeof number, "%llu.%02u", (unsigned long long)(hundredths / 100), (unsigned)(hundredths % 100));
  put_word(out, number);
}

void json_flag(json *out, const char *key, int yes) {
  begin(out, key);
  put_word(out, yes ? "true" : "false");
}

void json_null(json *out, const char *key) {
  json_text(out, key, NULL);
}

void json_whole(json *out, const char *key, const char *text) {
  begin(out, key);
  put_word(out, text ? text : "null");
}

scant_status json_take(json *out, char **text, size_t *length, scant_error *error) {
  put_word(out, "\n");
  if (out->failed || out->depth != 0) {
    snprintf(error->text, sizeof error->text, "out of memory");
    json_free(out);
    return SCANT_MEMORY;
  }
  *text = out->text;
  *length = out->length;
  *out = (json){0};
  return SCANT_OK;
}

scant_status json_print(json *out, scant_error *error) {
  char *text = NULL;
  size_t length = 0;
  scant_status status = json_take(out, &text, &length, error);
  if (status == SCANT_OK) fwrite(text, 1, length, stdout);
  free(text);
  return status;
}

void json_free(json *out) {
  free(out->text);
  *out = (json){0};
}
