/* From "auto,aerr eta=0.01 radius=3" to settings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "curve.h"

__attribute__((format(printf, 2, 3))) static scant_status refuse(scant_error *error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return SCANT_USAGE;
}

/* Is the word one of a text's, separated by spaces? */
static int has_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    size_t width = strcspn(text, " ");
    if (width == length && !strncmp(text, word, length)) return 1;
    text += width;
  }
  return 0;
}

static int is_given(const scant_settings *s, const char *name) {
  return scant_settings_is_given(s, scant_option_find(name));
}

/* One word after the row's name: name=value. */
static scant_status read_option(curve_entry *e, char *word, scant_error *error) {
  char *value = strchr(word, '=');
  if (!value) return refuse(error, "'%.100s' is not an option: write NAME=VALUE", word);
  *value++ = 0;
  if (!has_word(e->row->options, word))
    return refuse(error, "%.100s is not an option of %s, which takes %s", word, e->row->name, e->row->options);
  scant_error inner;
  scant_status status = scant_settings_set(&e->settings, word, value, &inner);
  if (status != SCANT_OK) refuse(error, "%s: %.300s", e->row->name, inner.text);
  return status;
}

/* The other rows have an intercept and a radius of their own accord, or are told
 * what to do. */
static void set_whole(scant_settings *s, const scant_algorithm *row) {
  if (has_word(row->options, "center") && !is_given(s, "center")) scant_settings_set(s, "center", "yes", NULL);
  if (has_word(row->options, "radius") && !is_given(s, "radius")) s->radius = NAN;
}

/* What can be seen to be wrong without data. */
static scant_status check_entry(const curve_entry *e, scant_error *error) {
  scant_settings resolved = e->settings;
  if (e->row->whole && !e->row->dense) resolved.radius = 1; /* it will be chosen */
  scant_error inner;
  scant_status status = scant_settings_resolve(&resolved, &inner);
  if (status != SCANT_OK) return refuse(error, "%s: %.400s", e->label, inner.text);
  if (!e->row->whole && resolved.average == SCANT_AVERAGE_HALF)
    return refuse(error, "%s: the last half is of a fit that ends, and here one fit serves all points", e->label);
  return SCANT_OK;
}

static scant_status read_entry(curve_request *r, const char *text, size_t length, const char *spend,
                               scant_error *error) {
  if (r->entry_count == CURVE_ENTRIES) return refuse(error, "--algorithms has more than %d entries", CURVE_ENTRIES);
  curve_entry *e = &r->entries[r->entry_count];
  char words[CURVE_LABEL], *rest = NULL;
  if (length >= sizeof e->label) return refuse(error, "'%.60s...' in --algorithms is too long", text);
  *e = (curve_entry){.settings = r->settings};
  memcpy(e->label, text, length);
  e->label[length] = 0;
  for (size_t i = 0; i < r->entry_count; i++)
    if (!strcmp(r->entries[i].label, e->label)) return refuse(error, "--algorithms names %s twice", e->label);
  memcpy(words, e->label, length + 1);
  const char *name = strtok_r(words, " ", &rest);
  e->row = scant_algorithm_find(name);
  if (!e->row) return refuse(error, "there is no algorithm '%s'; 'scant algorithms' lists them", name);
  e->settings.algorithm = e->row->name;
  if (e->row->whole) e->settings.k = 0; /* it is d */
  scant_status status = SCANT_OK;
  if (spend && has_word(e->row->options, "spend")) status = scant_settings_set(&e->settings, "spend", spend, error);
  for (char *word = strtok_r(NULL, " ", &rest); status == SCANT_OK && word; word = strtok_r(NULL, " ", &rest))
    status = read_option(e, word, error);
  if (e->row->whole) set_whole(&e->settings, e->row);
  if (status == SCANT_OK) status = check_entry(e, error);
  if (status == SCANT_OK) r->entry_count++;
  return status;
}

scant_status curve_read_entries(curve_request *request, const char *list, const char *spend, scant_error *error) {
  scant_status status = SCANT_OK;
  for (list += strspn(list, ", "); status == SCANT_OK && *list; list += strspn(list, ", ")) {
    size_t length = strcspn(list, ","), kept = length;
    while (kept && list[kept - 1] == ' ') kept--;
    status = read_entry(request, list, kept, spend, error);
    list += length;
  }
  if (status == SCANT_OK && !request->entry_count) return refuse(error, "--algorithms names none");
  return status;
}
