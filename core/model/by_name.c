/* Attributes of a model by name, as users write them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/file/csv_text.h"
#include "data/sentence.h"
#include "data/source.h"
#include "model/query.h"

/* ---- the nearest name ----------------------------------------------------- */

/* Do the other words of the column that name[first] ends begin with all of this, too? */
static int is_common(const scant_model *m, size_t i, size_t first, size_t length) {
  const char *name = m->names[i];
  int others = 0;
  for (size_t j = 0; j < m->dimension; j++) {
    if (j == i || m->prices->group[j] != m->prices->group[i] || strncmp(m->names[j], name, first + 1) != 0) continue;
    if (strncmp(m->names[j], name, length + 1) != 0) return 0;
    others = 1;
  }
  return others;
}

/* Of attributes NAME=WORD of a group, NAME is what a user may have meant.  Where there is more than one '=', NAME is
 * all that the words have in common: the column may have a '=' in its name, or a word. */
static size_t shown_length(const scant_model *m, size_t i) {
  const char *name = m->names[i];
  int grouped = m->prices && m->prices->group[i];
  size_t length = strlen(name), first = grouped ? strcspn(name, "=") : length;
  while (length > first && !(name[length] == '=' && is_common(m, i, first, length))) length--;
  return length;
}

static scant_status fail_unknown(const scant_model *m, const char *name, size_t length, scant_error *error) {
  int clip = scant_text_clip(name, length);
  if (!m->names)
    return scant_fail(error, SCANT_DATA, "the model has no attribute '%.*s': its attributes have numbers from 1 to %zu",
                      clip, name, m->dimension);
  size_t best = m->dimension, least = SIZE_MAX;
  for (size_t i = 0; i < m->dimension; i++) {
    size_t other = shown_length(m, i);
    if (length > SCANT_TEXT_COMPARED || other > SCANT_TEXT_COMPARED || !other) continue;
    size_t d = scant_text_distance(name, length, m->names[i], other);
    if (d >= least || !scant_text_is_near(d, length, other)) continue;
    least = d;
    best = i;
  }
  if (best == m->dimension) return scant_fail(error, SCANT_DATA, "the model has no attribute '%.*s'", clip, name);
  size_t other = shown_length(m, best);
  return scant_fail(error, SCANT_DATA, "the model has no attribute '%.*s'; the nearest name is '%.*s'", clip, name,
                    scant_text_clip(m->names[best], other), m->names[best]);
}

/* ---- finding --------------------------------------------------------------- */

/* The attribute of this name, or `dimension`. */
static size_t find_one(const scant_model *m, const char *name, size_t length) {
  uint64_t number;
  if (!m->names)
    return scant_parse_count(name, length, &number) && number >= 1 && number <= m->dimension ? (size_t)number - 1
                                                                                             : m->dimension;
  size_t i = 0;
  while (i < m->dimension && (strlen(m->names[i]) != length || memcmp(m->names[i], name, length) != 0)) i++;
  return i;
}

/* The word of an attribute NAME=WORD of a group, or NULL. */
static const char *word_of(const scant_model *m, size_t i, const char *name, size_t length) {
  if (!m->names || !m->prices || !m->prices->group[i] || strncmp(m->names[i], name, length) != 0) return NULL;
  return m->names[i][length] == '=' ? m->names[i] + length + 1 : NULL;
}

static int is_column_of_words(const scant_model *m, const char *name, size_t length) {
  for (size_t i = 0; length && i < m->dimension; i++)
    if (word_of(m, i, name, length)) return 1;
  return 0;
}

scant_status scant_model_find(const scant_model *model, const char *name, unsigned char *flags, scant_error *error) {
  size_t length = strlen(name), one = find_one(model, name, length);
  if (one == model->dimension && !is_column_of_words(model, name, length))
    return fail_unknown(model, name, length, error);
  for (size_t i = 0; i < model->dimension; i++)
    if (one < model->dimension ? i == one : word_of(model, i, name, length) != NULL) flags[i] = 1;
  return SCANT_OK;
}

scant_status scant_model_find_all(const scant_model *model, const char *list, unsigned char *flags,
                                  scant_error *error) {
  unsigned char *found = scant_array(model->dimension, 1);
  char *word = scant_array(strlen(list) + 1, 1);
  scant_status status = found && word ? SCANT_OK : scant_fail_memory(error);
  size_t length;
  while (status == SCANT_OK && scant_list_next(&list, word, &length, &status)) {
    word[length] = 0;
    status = scant_model_find(model, word, found, error);
  }
  if (status == SCANT_USAGE) status = scant_fail(error, SCANT_USAGE, "a quote in the list of names is not closed");
  for (size_t i = 0; status == SCANT_OK && i < model->dimension; i++) flags[i] |= found[i];
  free(found);
  free(word);
  return status;
}

/* ---- telling ---------------------------------------------------------------- */

static int has_no_value(const char *text) {
  double value;
  size_t length = strlen(text);
  return !text[strspn(text, " ")] || !strcmp(text, "?") || !strcmp(text, "NA") ||
         (scant_parse_real(text, length, &value) && isnan(value));
}

static scant_status check_untold(const scant_query *q, size_t attribute, const char *name, size_t length,
                                 scant_error *error) {
  if (!q->told[attribute]) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "'%.*s' was told already", scant_text_clip(name, length), name);
}

static scant_status tell_number(scant_query *q, size_t attribute, const char *text, size_t length, scant_error *error) {
  const char *value = text + length + 1;
  double x = NAN;
  SCANT_TRY(check_untold(q, attribute, text, length, error));
  if (!has_no_value(value) && (!scant_parse_real(value, strlen(value), &x) || !isfinite(x)))
    return scant_fail(error, SCANT_DATA, "%.*s: '%.*s' is not a number", scant_text_clip(text, length), text,
                      scant_text_clip(value, strlen(value)), value);
  return scant_query_tell(q, (uint32_t)attribute, x, error);
}

/* A word of a column makes its attribute 1 and the others 0, as --one-hot does. */
static scant_status tell_word(scant_query *q, const char *text, size_t length, int *unlisted, scant_error *error) {
  const scant_model *m = q->model;
  const char *value = text + length + 1, *word;
  int empty = has_no_value(value), listed = empty;
  size_t steps = q->steps, depth = q->depth;
  double mean = q->mean, variance = q->variance;
  scant_status status = SCANT_OK;
  for (size_t i = 0; i < m->dimension; i++)
    if (word_of(m, i, text, length)) SCANT_TRY(check_untold(q, i, text, length, error));
  for (uint32_t i = 0; status == SCANT_OK && i < m->dimension; i++) {
    if (!(word = word_of(m, i, text, length))) continue;
    int is = !strcmp(word, value);
    listed |= is;
    status = scant_query_tell(q, i, empty ? (double)NAN : is, error);
  }
  if (status != SCANT_OK) { /* none of them was told */
    for (size_t i = 0; i < m->dimension; i++)
      if (word_of(m, i, text, length)) q->told[i] = 0;
    q->steps = steps;
    q->depth = depth;
    q->mean = mean;
    q->variance = variance;
    return status;
  }
  *unlisted = !listed;
  return SCANT_OK;
}

scant_status scant_query_tell_text(scant_query *query, const char *text, int *unlisted, scant_error *error) {
  const scant_model *m = query->model;
  size_t first = strcspn(text, "=");
  *unlisted = 0;
  if (!text[first])
    return scant_fail(error, SCANT_DATA, "'%.*s' is not NAME=VALUE", scant_text_clip(text, first), text);
  for (int words = 0; words < 2; words++)
    for (size_t length = strlen(text); length-- > 0;) {
      if (text[length] != '=') continue;
      size_t one = words ? m->dimension : find_one(m, text, length);
      if (one < m->dimension) return tell_number(query, one, text, length, error);
      if (words && is_column_of_words(m, text, length)) return tell_word(query, text, length, unlisted, error);
    }
  return fail_unknown(m, text, first, error);
}

/* ---- prices ------------------------------------------------------------------ */

static scant_status read_nothing(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                                 scant_error *error) {
  (void)user, (void)row, (void)attributes, (void)error;
  for (size_t i = 0; i < count; i++) values[i] = NAN;
  return SCANT_OK;
}

/* A table without cells that has the model's columns; with `worded`, attributes NAME=WORD are of one column NAME. */
static scant_status columns_of(const scant_model *m, int worded, scant_source **source, scant_error *error) {
  char **names = scant_array(m->dimension, sizeof *names);
  size_t count = 0;
  scant_status status = names ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < m->dimension; i++) {
    size_t length = m->names ? shown_length(m, i) : 0, seen = 0;
    if (!worded && m->names) length = strlen(m->names[i]);
    while (worded && seen < count && (strlen(names[seen]) != length || memcmp(names[seen], m->names[i], length) != 0))
      seen++;
    if (worded && seen < count) continue;
    names[count] = scant_copy_text(m->names ? m->names[i] : "", length);
    if (!names[count++]) status = scant_fail_memory(error);
  }
  scant_source *s = NULL;
  if (status == SCANT_OK) status = scant_source_custom(&s, 1, count, read_nothing, NULL, NULL, error);
  if (status == SCANT_OK && m->names) status = scant_source_set_names(s, (const char *const *)names, NULL, error);
  if (status == SCANT_OK) {
    s->worded = worded;
    status = scant_model_bind(m, s, error);
  }
  for (size_t i = 0; names && i < count; i++) free(names[i]);
  free(names);
  if (status != SCANT_OK) scant_source_free(s);
  if (status == SCANT_OK) *source = s;
  return status;
}

/* Lines are for the model's own names or else, in a file that was written for the data, for columns of words. */
scant_status scant_model_load_prices(const scant_model *model, const char *path, scant_prices **prices,
                                     scant_error *error) {
  int worded = 0;
  for (size_t i = 0; model->names && i < model->dimension; i++)
    worded |= shown_length(model, i) < strlen(model->names[i]);
  scant_status status = SCANT_DATA;
  for (int words = 0; status == SCANT_DATA && words <= worded; words++) {
    scant_source *source = NULL;
    status = columns_of(model, words, &source, error);
    if (status == SCANT_OK) status = scant_prices_load(prices, path, source, error);
    scant_source_free(source);
  }
  return status;
}
