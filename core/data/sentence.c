#include "data/sentence.h"

#include "scant_base.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SHOWN = 200, TEXT_SHOWN = 60 };

/* The second and later bytes of a UTF-8 character. */
static int is_continuation(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

const char *scant_path_show(const char *path) {
  size_t length = strlen(path);
  if (length <= PATH_SHOWN) return path;
  const char *shown = path + length - PATH_SHOWN;
  while (is_continuation(*shown)) shown++;
  return shown;
}

int scant_text_clip(const char *text, size_t length) {
  if (length <= TEXT_SHOWN) return (int)length;
  int shown = TEXT_SHOWN;
  while (shown && is_continuation(text[shown])) shown--;
  return shown;
}

void scant_name_show(char *text, size_t size, const char *noun, const char *name, size_t number) {
  if (name)
    snprintf(text, size, "%s '%.*s'", noun, scant_text_clip(name, strlen(name)), name);
  else
    snprintf(text, size, "%s %zu", noun, number);
}

size_t scant_line_count(const char *text, const char *at) {
  size_t line = 1;
  while (text < at) {
    const char *newline = memchr(text, '\n', (size_t)(at - text));
    if (!newline) break;
    line++;
    text = newline + 1;
  }
  return line;
}

int scant_field_is_empty(const char *text, size_t length) {
  scant_text_trim(&text, &length);
  return !length;
}

int scant_field_means_missing(const char *text, size_t length) {
  static const char *const words[] = {"NA", "N/A", "na", "n/a", "null", "NULL", "None", "?", "-", "."};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && !memcmp(words[i], text, length)) return 1;
  return 0;
}

scant_status scant_field_refuse(const char *where, const char *text, size_t length, scant_error *error) {
  scant_text_trim(&text, &length);
  if (!length) return scant_fail(error, SCANT_DATA, "%s: the field is empty", where);
  double value;
  int shown = scant_text_clip(text, length);
  if (!scant_parse_real(text, length, &value))
    return scant_fail(error, SCANT_DATA, "%s: '%.*s' is not a number%s", where, shown, text,
                      scant_field_means_missing(text, length)
                          ? " (leave the field empty if the value is missing, or give option na)"
                          : "");
  return scant_fail(error, SCANT_DATA, "%s: '%.*s' is not a finite number", where, shown, text);
}

/* Room for " and 12345 more". */
enum { MORE = 32 };

scant_listing scant_list_begin(char *text, size_t size, size_t count) {
  text[0] = 0;
  return (scant_listing){text, size, 0, count, 0};
}

void scant_list_add(scant_listing *list, const char *name, size_t length) {
  char *end = list->text + list->used;
  size_t left = list->size - list->used;
  if (list->full || !list->left) return;
  int last = list->left == 1;
  const char *before = !list->used ? "" : last ? " and " : ", ";
  int shown = scant_text_clip(name, length);
  if ((size_t)shown + 8 + (last ? 0 : MORE) > left) {
    snprintf(end, left, " and %zu more", list->left);
    list->full = 1;
    return;
  }
  list->used += (size_t)snprintf(end, left, "%s'%.*s'", before, shown, name);
  list->left--;
}
