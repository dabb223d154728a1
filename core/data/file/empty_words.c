#include "data/file/empty_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/file/csv_field.h"
#include "data/sentence.h"

static void trim(const char **text, size_t *length) {
  while (*length && (**text == ' ' || **text == '\t')) ++*text, --*length;
  while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) --*length;
}

int scant_list_next(const char **cursor, char *word, size_t *length, scant_status *status) {
  if (!*cursor) return 0;
  scant_csv_field field;
  const char *end = *cursor + strlen(*cursor);
  scant_csv_stop stop = scant_csv_cut(cursor, end, &field);
  if (stop > SCANT_CSV_LINE_END || (stop == SCANT_CSV_LINE_END && *cursor != end)) {
    *status = SCANT_USAGE;
    return 0;
  }
  size_t n = scant_csv_unquote(&field, word);
  const char *text = word;
  trim(&text, &n);
  memmove(word, text, n);
  word[n] = 0;
  *length = n;
  if (stop == SCANT_CSV_LINE_END) *cursor = NULL;
  return 1;
}

scant_status scant_empty_words_open(scant_empty_words *words, const char *list, scant_error *error) {
  scant_empty_words *w = words;
  *w = (scant_empty_words){0};
  if (!list) return SCANT_OK;
  size_t most = 1, length = 0;
  for (const char *c = list; *c; c++) most += *c == ',';
  w->text = scant_array(strlen(list) + most + 1, 1);
  w->words = scant_array(most, sizeof *w->words);
  if (!w->text || !w->words) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  const char *cursor = list;
  char *at = w->text;
  while (scant_list_next(&cursor, at, &length, &status)) {
    if (!length) status = SCANT_USAGE;
    double number = NAN;
    if (scant_parse_real(at, length, &number) && !isnan(number)) w->numbers = 1;
    w->words[w->count++] = (struct scant_empty_word){at, length, number};
    at += length + 1;
  }
  if (!status) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "na is a list of words, as NA,?, and not '%.*s'",
                    scant_text_clip(list, strlen(list)), list);
}

void scant_empty_words_close(scant_empty_words *words) {
  free(words->text);
  free(words->words);
  *words = (scant_empty_words){0};
}

int scant_empty_words_has_number(const scant_empty_words *words, double number) {
  for (size_t i = 0; words->numbers && i < words->count; i++)
    if (words->words[i].number == number) return 1;
  return 0;
}

int scant_empty_words_has(const scant_empty_words *words, const char *text, size_t length) {
  trim(&text, &length);
  if (!length) return 1;
  for (size_t i = 0; i < words->count; i++)
    if (words->words[i].length == length && !memcmp(words->words[i].text, text, length)) return 1;
  double number;
  return words->numbers && scant_parse_real(text, length, &number) && scant_empty_words_has_number(words, number);
}
