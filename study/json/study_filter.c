#include "scant_study_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scant_study_json.h"

enum { OPEN_STATES = 1 << SCANT_ORDER_ISSUED | 1 << SCANT_ORDER_PARTLY | 1 << SCANT_ORDER_TOLD };
enum { NOBODY = -2, TARGET = -1 }; /* whatever is due, or the target */

__attribute__((format(printf, 2, 3))) static scant_status refuse(scant_error *error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return SCANT_USAGE;
}

/* "partly" is enough for "partly told". */
static int is_state(const char *name, const char *text, size_t length) {
  size_t first = strcspn(name, " ");
  return (strlen(name) == length || first == length) && !strncmp(name, text, length);
}

static scant_status refuse_state(const char *dashes, const char *text, size_t length, scant_error *error) {
  char all[200] = "";
  const char *name;
  for (int i = 0; (name = scant_order_state_name((scant_order_state)i)); i++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name);
  }
  return refuse(error, "%sstate: there is no state '%.*s'; there are %s", dashes, (int)(length < 60 ? length : 60),
                text, all);
}

static scant_status read_states(scant_study_filter *f, const char *text, const char *dashes, scant_error *error) {
  f->states = 0;
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, ",");
    const char *name;
    int state = 0;
    while ((name = scant_order_state_name((scant_order_state)state)) && !is_state(name, at, length)) state++;
    if (!name) return refuse_state(dashes, at, length, error);
    f->states |= 1u << state;
    at += length;
    if (!*at) return SCANT_OK;
  }
}

static scant_status read_due(scant_study_filter *f, const scant_study *study, const char *name, const char *dashes,
                             scant_error *error) {
  size_t d = scant_study_dimension(study), i = 0;
  f->due = TARGET;
  if (!strcmp(name, scant_study_target(study))) return SCANT_OK;
  while (i < d && strcmp(name, scant_study_attribute_at(study, i)->name) != 0) i++;
  f->due = (int64_t)i;
  if (i < d) return SCANT_OK;
  snprintf(error->text, sizeof error->text, "%sdue: there is no attribute '%.200s' in this study", dashes, name);
  return SCANT_DATA;
}

static scant_status read_date(const char *dashes, const char *option, const char *text, int *has, int64_t *seconds,
                              scant_error *error) {
  if (!text) return SCANT_OK;
  *has = 1;
  if (scant_study_read_time(text, seconds)) return SCANT_OK;
  return refuse(error, "%s%s: '%.60s' is no date such as 2026-11-15 or 2026-11-15T09:30", dashes, option, text);
}

scant_status scant_study_filter_read(scant_study_filter *filter, const scant_study *study,
                                     const scant_study_filter_words *words, const char *dashes, scant_error *error) {
  const scant_study_filter_words *w = words;
  scant_study_filter f = {.states = OPEN_STATES, .due = NOBODY, .by = w->by, .differs = w->differs};
  if (w->all || (w->differs && !w->open)) f.states = ~0u;
  scant_status status = w->state ? read_states(&f, w->state, dashes, error) : SCANT_OK;
  if (status == SCANT_OK && w->due) status = read_due(&f, study, w->due, dashes, error);
  if (status == SCANT_OK) status = read_date(dashes, "since", w->since, &f.has_since, &f.since, error);
  if (status == SCANT_OK) status = read_date(dashes, "before", w->before, &f.has_before, &f.before, error);
  if (status == SCANT_OK) *filter = f;
  return status;
}

static int is_due(const scant_study_order *o, int64_t attribute) {
  if (o->state > SCANT_ORDER_TOLD) return 0;
  scant_study_line target = scant_study_target_line(o);
  if (attribute == TARGET) return !o->has_y || scant_study_is_second_due(o, &target);
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == attribute)
      return o->lines[i].state == SCANT_LINE_ORDERED || scant_study_is_second_due(o, &o->lines[i]);
  return 0;
}

static int has_difference(const scant_study_order *o) {
  int differs = o->second == SCANT_SECOND_DIFFERS;
  for (size_t i = 0; i < o->count; i++) differs |= o->lines[i].second == SCANT_SECOND_DIFFERS;
  return differs;
}

static int does_pass(const scant_study_filter *f, const scant_study_order *o) {
  int64_t at;
  if (!(f->states >> o->state & 1)) return 0;
  if (f->due != NOBODY && !is_due(o, f->due)) return 0;
  if (f->differs && !has_difference(o)) return 0;
  if (f->by && (!o->asked_by || strcmp(f->by, o->asked_by) != 0)) return 0;
  if (!f->has_since && !f->has_before) return 1;
  return scant_study_read_time(o->asked_at, &at) && !(f->has_since && at < f->since) &&
         !(f->has_before && at >= f->before);
}

scant_status scant_study_filter_look(const scant_study_filter *filter, scant_study *study, uint64_t after,
                                     const scant_study_order **order, int *passes, scant_error *error) {
  int only_open = !(filter->states & ~(unsigned)OPEN_STATES);
  scant_status status = only_open ? scant_study_open_after(study, after, order, error)
                                  : scant_study_order_at(study, after + 1, order, error);
  *passes = status == SCANT_OK && *order && does_pass(filter, *order);
  return status;
}

scant_status scant_study_filter_next(const scant_study_filter *filter, scant_study *study, uint64_t after,
                                     const scant_study_order **order, scant_error *error) {
  for (int passes;; after = (*order)->number) {
    scant_status status = scant_study_filter_look(filter, study, after, order, &passes, error);
    if (status != SCANT_OK || !*order || passes) return status;
  }
}
