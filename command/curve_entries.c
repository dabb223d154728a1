/* Reads "auto k=12,aerr eta=0.01 radius=3" into settings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/command.h"
#include "curve.h"

__attribute__((format(printf, 2, 3))) static scant_status refuse(scant_error *error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return SCANT_USAGE;
}

static int is_given(const scant_settings *s, const char *name) {
  return scant_settings_is_given(s, scant_option_find(name));
}

/* It takes its own options, and K unless it looks at everything. */
static int takes(const scant_algorithm *algorithm, const char *option) {
  return scant_algorithm_takes(algorithm, option) || (!algorithm->whole && !strcmp(option, "k"));
}

/* One word after the algorithm's name: name=value. */
static scant_status read_option(scant_settings *settings, const scant_algorithm *algorithm, char *word,
                                scant_error *error) {
  char *value = strchr(word, '=');
  if (!value) return refuse(error, "'%.100s' is not an option: write NAME=VALUE", word);
  *value++ = 0;
  if (!takes(algorithm, word))
    return refuse(error, "%.100s is not an option of %s, which takes %s%s", word, algorithm->name,
                  algorithm->whole ? "" : "k ", algorithm->options);
  scant_error inner;
  scant_status status = scant_settings_set(settings, word, value, &inner);
  if (status != SCANT_OK) refuse(error, "%s: %.300s", algorithm->name, inner.text);
  return status;
}

/* An algorithm that looks at everything is centred, and its radius is chosen, unless its entry says otherwise. */
static void set_whole(scant_settings *s, const scant_algorithm *algorithm) {
  if (scant_algorithm_takes(algorithm, "center") && !is_given(s, "center"))
    scant_settings_set(s, "center", "yes", NULL);
  if (scant_algorithm_takes(algorithm, "radius") && !is_given(s, "radius")) s->learning.radius = NAN;
}

/* Refuses what is wrong whatever the data are. */
static scant_status check_entry(const scant_curve_entry *e, const scant_algorithm *algorithm, scant_error *error) {
  scant_settings resolved = e->settings;
  if (algorithm->whole && !algorithm->dense) resolved.learning.radius = 1; /* a radius will be chosen */
  scant_error inner;
  scant_status status = scant_settings_resolve(&resolved, &inner);
  if (status != SCANT_OK) return refuse(error, "%s: %.400s", e->label, inner.text);
  if (!algorithm->whole && resolved.learning.average == SCANT_AVERAGE_HALF)
    return refuse(error, "%s: average half needs a fit of known length, and here one fit serves all points", e->label);
  return SCANT_OK;
}

/* Takes the text of an entry as its label; no two entries may have the same. */
static scant_status read_label(curve_request *r, const char *text, size_t length, scant_error *error) {
  if (r->entry_count == CURVE_ENTRIES) return refuse(error, "--algorithms has more than %d entries", CURVE_ENTRIES);
  char *label = r->labels[r->entry_count];
  if (length >= CURVE_LABEL) return refuse(error, "'%.60s...' in --algorithms is too long", text);
  memcpy(label, text, length);
  label[length] = 0;
  for (size_t i = 0; i < r->entry_count; i++)
    if (!strcmp(r->labels[i], label)) return refuse(error, "--algorithms names %s twice", label);
  r->entries[r->entry_count] = (scant_curve_entry){label, r->settings};
  return SCANT_OK;
}

static scant_status read_entry(curve_request *r, const char *text, size_t length, const char *spend,
                               scant_error *error) {
  scant_curve_entry *e = &r->entries[r->entry_count];
  char words[CURVE_LABEL], *rest = NULL;
  scant_status status = read_label(r, text, length, error);
  if (status != SCANT_OK) return status;
  memcpy(words, e->label, length + 1);
  const char *name = strtok_r(words, " ", &rest);
  const scant_algorithm *algorithm = scant_algorithm_find(name);
  if (!strcmp(name, SCANT_DEFAULT_ALGORITHM))
    return refuse(error, "a curve is of one algorithm, and %s stands for one of two: name gaussian or auto", name);
  if (!algorithm) return refuse(error, "there is no algorithm '%s'; 'scant algorithms' lists them", name);
  e->settings.learning.algorithm = algorithm->name;
  if (algorithm->whole) e->settings.learning.k = 0; /* it is d */
  if (spend && scant_algorithm_takes(algorithm, "spend"))
    status = scant_settings_set(&e->settings, "spend", spend, error);
  for (char *word = strtok_r(NULL, " ", &rest); status == SCANT_OK && word; word = strtok_r(NULL, " ", &rest))
    status = read_option(&e->settings, algorithm, word, error);
  if (algorithm->whole) set_whole(&e->settings, algorithm);
  if (status == SCANT_OK) status = check_entry(e, algorithm, error);
  if (status == SCANT_OK) r->entry_count++;
  return status;
}

int curve_sees_all(const curve_request *request, size_t entry) {
  return scant_algorithm_find(request->entries[entry].settings.learning.algorithm)->whole;
}

uint64_t curve_largest_k(const curve_request *request) {
  uint64_t most = 0;
  for (size_t i = 0; i < request->entry_count; i++)
    if (!curve_sees_all(request, i) && request->entries[i].settings.learning.k > most)
      most = request->entries[i].settings.learning.k;
  return most;
}

uint64_t curve_common_k(const curve_request *request) {
  uint64_t most = curve_largest_k(request);
  for (size_t i = 0; i < request->entry_count; i++)
    if (!curve_sees_all(request, i) && request->entries[i].settings.learning.k != most) return 0;
  return most;
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
