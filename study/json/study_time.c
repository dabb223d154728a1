#include "json/study_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

static int64_t seconds_of(const struct tm *t) {
  return days_of(t->tm_year, t->tm_mon, t->tm_mday) * 86400 + t->tm_hour * 3600 + t->tm_min * 60 + t->tm_sec;
}

int study_read_time(const char *text, int64_t *seconds) {
  size_t length;
  struct tm t = read_parts(text, &length);
  if (!length) return 0;
  if (!strcmp(text + length, "Z")) {
    *seconds = seconds_of(&t);
    return 1;
  }
  if (text[length]) return 0;
  t.tm_year -= 1900;
  t.tm_mon--;
  time_t local = mktime(&t);
  *seconds = local;
  return local != (time_t)-1;
}

void study_format_local(char text[STUDY_TIME], const char *utc) {
  int64_t seconds;
  struct tm parts;
  char offset[16];
  snprintf(text, STUDY_TIME, "%s", utc ? utc : "");
  if (!utc || !study_read_time(utc, &seconds)) return; /* a file that was edited: it is shown as it is */
  time_t t = (time_t)seconds;
  if (!localtime_r(&t, &parts) || strftime(offset, sizeof offset, "%z", &parts) != 5) return;
  size_t length = strftime(text, STUDY_TIME, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(text + length, STUDY_TIME - length, "%.3s:%s", offset, offset + 3);
}

uint64_t study_days_since(const char *utc) {
  int64_t seconds, now = time(NULL);
  return study_read_time(utc, &seconds) && seconds < now ? (uint64_t)(now - seconds) / 86400 : 0;
}
