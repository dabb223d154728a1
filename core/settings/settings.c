#include "settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

int scant_list_has(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *c = list; *c; c += strcspn(c, " ")) {
    c += strspn(c, " ");
    if (strcspn(c, " ") == length && !strncmp(c, word, length)) return 1;
  }
  return 0;
}

static uint64_t option_bit(const scant_option *option) {
  return UINT64_C(1) << (option - scant_option_at(0));
}

static int choice_find(const char *choices, const char *value) {
  size_t length = strlen(value);
  int place = 0;
  for (const char *c = choices;; c++, place++) {
    size_t width = strcspn(c, "|");
    if (width == length && !strncmp(c, value, length)) return place;
    c += width;
    if (!*c) return -1;
  }
}

static scant_status set_count(const scant_option *o, uint64_t *field, const char *value, scant_error *error) {
  uint64_t n, most = o->maximum < 0x1p64 ? (uint64_t)o->maximum : UINT64_MAX;
  if (*value && value[strspn(value, "0123456789")] == '\0' && !scant_parse_count(value, strlen(value), &n))
    return scant_fail(error, SCANT_USAGE, "%s must be at most %llu, not %s", o->name, (unsigned long long)most, value);
  if (!scant_parse_count(value, strlen(value), &n))
    return scant_fail(error, SCANT_USAGE, "%s must be a whole number, not '%s'", o->name, value);
  if ((double)n < o->minimum)
    return scant_fail(error, SCANT_USAGE, "%s must be at least %.0f, not %s", o->name, o->minimum, value);
  if (n > most)
    return scant_fail(error, SCANT_USAGE, "%s must be at most %llu, not %s", o->name, (unsigned long long)most, value);
  *field = n;
  return SCANT_OK;
}

static scant_status set_real(const scant_option *o, double *field, const char *value, scant_error *error) {
  double x;
  if (o->or_auto && !strcmp(value, "auto")) {
    *field = NAN;
    return SCANT_OK;
  }
  if (o->or_none && !strcmp(value, "none")) {
    *field = 0;
    return SCANT_OK;
  }
  if (!scant_parse_real(value, strlen(value), &x) || !isfinite(x))
    return scant_fail(error, SCANT_USAGE, "%s must be a number%s, not '%s'", o->name,
                      o->or_auto   ? " or auto"
                      : o->or_none ? " or none"
                                   : "",
                      value);
  if (o->minimum > 0 && x <= 0)
    return scant_fail(error, SCANT_USAGE, "%s must be above 0%s, not %s", o->name, o->or_none ? ", or none" : "",
                      value);
  if (x < o->minimum)
    return scant_fail(error, SCANT_USAGE, "%s must be at least %g, not %s", o->name, o->minimum, value);
  if (x > o->maximum)
    return scant_fail(error, SCANT_USAGE, "%s must be at most %g, not %s", o->name, o->maximum, value);
  *field = x;
  return SCANT_OK;
}

static const char *choices_of(const scant_option *option) {
  return option->type == SCANT_OPTION_FLAG ? "no|yes" : option->choices;
}

scant_status scant_option_read(const scant_option *option, void *base, const char *value, scant_error *error) {
  void *field = (char *)base + option->offset;
  if (option->type == SCANT_OPTION_COUNT) return set_count(option, field, value, error);
  if (option->type == SCANT_OPTION_REAL) return set_real(option, field, value, error);
  if (option->type == SCANT_OPTION_TEXT) {
    *(const char **)field = value;
    return SCANT_OK;
  }
  int place = choice_find(choices_of(option), value);
  if (place < 0)
    return scant_fail(error, SCANT_USAGE, "%s must be one of %s, not '%s'", option->name, choices_of(option), value);
  *(int *)field = place;
  return SCANT_OK;
}

void scant_settings_init(scant_settings *settings) {
  *settings = (scant_settings){0};
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (o->preset) scant_option_read(o, settings, o->preset, NULL);
}

scant_status scant_settings_new(scant_settings **settings, scant_error *error) {
  scant_settings *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  scant_settings_init(s);
  *settings = s;
  return SCANT_OK;
}

void scant_settings_free(scant_settings *settings) {
  free(settings);
}

scant_status scant_settings_set(scant_settings *settings, const char *name, const char *value, scant_error *error) {
  const scant_option *o = scant_option_find(name);
  if (!o) return scant_fail(error, SCANT_USAGE, "there is no option '%s'", name);
  scant_status status = scant_option_read(o, settings, value, error);
  if (status == SCANT_OK) settings->given |= option_bit(o);
  return status;
}

int scant_settings_is_given(const scant_settings *settings, const scant_option *option) {
  return (settings->given & option_bit(option)) != 0;
}

int scant_settings_get(const scant_settings *settings, const scant_option *option, char *text, size_t size) {
  const void *field = (const char *)settings + option->offset;
  if (option->type == SCANT_OPTION_COUNT)
    return snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
  if (option->type == SCANT_OPTION_REAL) {
    double x = *(const double *)field;
    if (isnan(x)) return snprintf(text, size, "auto");
    return option->or_none && x == 0 ? snprintf(text, size, "none") : scant_format_shortest(text, size, x);
  }
  if (option->type == SCANT_OPTION_TEXT) {
    const char *value = *(const char *const *)field;
    return snprintf(text, size, "%s", value ? value : "");
  }
  const char *choice = choices_of(option);
  for (int place = *(const int *)field; place > 0; place--) choice += strcspn(choice, "|") + 1;
  return snprintf(text, size, "%.*s", (int)strcspn(choice, "|"), choice);
}

scant_loss_form scant_settings_loss(const scant_settings *settings) {
  scant_loss loss = (scant_loss)settings->learning.loss;
  return (scant_loss_form){loss, settings->learning.tube,
                           loss == SCANT_LOSS_SQUARED ? 1 : settings->learning.smoothing};
}
