/* Which orders are in a worklist, and times as people read them. */
#include "scant_study_json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scant_base.h"

enum { OPEN_STATES = 1 << SCANT_ORDER_ISSUED | 1 << SCANT_ORDER_PARTLY | 1 << SCANT_ORDER_TOLD };
enum { NOBODY = -2, TARGET = -1 }; /* whatever is due, or the target */

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
  return scant_fail(error, SCANT_USAGE, "%sstate: there is no state '%.*s'; there are %s", dashes,
                    (int)(length < 60 ? length : 60), text, all);
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
  return scant_fail(error, SCANT_DATA, "%sdue: there is no attribute '%.200s' in this study", dashes, name);
}

static scant_status read_date(const char *dashes, const char *option, const char *text, int *has, int64_t *seconds,
                              scant_error *error) {
  if (!text) return SCANT_OK;
  *has = 1;
  if (scant_study_read_time(text, seconds)) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "%s%s: '%.60s' is no date such as 2026-11-15 or 2026-11-15T09:30", dashes,
                    option, text);
}

scant_status scant_study_filter_read(scant_study_filter *filter, const scant_study *study,
                                     const scant_study_filter_words *w, const char *dashes, scant_error *error) {
  scant_study_filter f = {.states = OPEN_STATES, .due = NOBODY, .by = w->by, .differs = w->differs};
  if (w->all || (w->differs && !w->open)) f.states = ~0u;
  if (w->state) SCANT_TRY(read_states(&f, w->state, dashes, error));
  if (w->due) SCANT_TRY(read_due(&f, study, w->due, dashes, error));
  SCANT_TRY(read_date(dashes, "since", w->since, &f.has_since, &f.since, error));
  SCANT_TRY(read_date(dashes, "before", w->before, &f.has_before, &f.before, error));
  *filter = f;
  return SCANT_OK;
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
    SCANT_TRY(scant_study_filter_look(filter, study, after, order, &passes, error));
    if (!*order || passes) return SCANT_OK;
  }
}

/* ---- times ------------------------------------------------------------------------------- */

/* Days since 1970-01-01 in the calendar of today. */
static int64_t days_of(int64_t year, int month, int day) {
  int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* The number that `count` digits make; -1 if they are not digits. */
static int digits(const char *text, int count) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    n = 10 * n + text[i] - '0';
  }
  return n;
}

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* A date, with a time behind it or not; *length is how much of the text it is, 0 if it is none. */
static struct tm read_parts(const char *text, size_t *length) {
  struct tm t = {.tm_isdst = -1};
  size_t size = strlen(text), end = 10;
  *length = 0;
  if (size < end || text[4] != '-' || text[7] != '-') return t;
  t.tm_year = digits(text, 4);
  t.tm_mon = digits(text + 5, 2);
  t.tm_mday = digits(text + 8, 2);
  if (t.tm_year < 0 || t.tm_mon < 1 || t.tm_mon > 12 || t.tm_mday < 1 || t.tm_mday > days_in(t.tm_year, t.tm_mon))
    return t;
  if (size >= 16 && (text[10] == 'T' || text[10] == ' ') && text[13] == ':') {
    t.tm_hour = digits(text + 11, 2);
    t.tm_min = digits(text + 14, 2);
    end = 16;
  }
  if (size >= 19 && end == 16 && text[16] == ':') {
    t.tm_sec = digits(text + 17, 2);
    end = 19;
  }
  if (t.tm_hour < 0 || t.tm_hour > 23 || t.tm_min < 0 || t.tm_min > 59 || t.tm_sec < 0 || t.tm_sec > 60) return t;
  *length = end;
  return t;
}

int scant_study_read_time(const char *text, int64_t *seconds) {
  size_t length;
  struct tm t = read_parts(text, &length);
  if (!length) return 0;
  if (!strcmp(text + length, "Z")) {
    *seconds = days_of(t.tm_year, t.tm_mon, t.tm_mday) * 86400 + t.tm_hour * 3600 + t.tm_min * 60 + t.tm_sec;
    return 1;
  }
  if (text[length]) return 0;
  t.tm_year -= 1900;
  t.tm_mon--;
  time_t local = mktime(&t);
  *seconds = local;
  return local != (time_t)-1;
}

void scant_study_format_local(char text[SCANT_STUDY_TIME], const char *utc) {
  int64_t seconds;
  struct tm parts;
  char offset[16];
  snprintf(text, SCANT_STUDY_TIME, "%s", utc ? utc : "");
  if (!utc || !scant_study_read_time(utc, &seconds)) return; /* a file that was edited: it is shown as it is */
  time_t t = (time_t)seconds;
  if (!localtime_r(&t, &parts) || strftime(offset, sizeof offset, "%z", &parts) != 5) return;
  size_t length = strftime(text, SCANT_STUDY_TIME, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + length, SCANT_STUDY_TIME - length, "%.3s:%s", offset, offset + 3);
}

uint64_t scant_study_days_since(const char *utc) {
  int64_t seconds, now = time(NULL);
  return scant_study_read_time(utc, &seconds) && seconds < now ? (uint64_t)(now - seconds) / 86400 : 0;
}
