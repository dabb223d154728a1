/* Times as people read them: local, with the offset from UTC.  The study itself knows UTC alone. */
#ifndef SCANT_STUDY_TIME_H
#define SCANT_STUDY_TIME_H

#include <stdint.h>

enum { STUDY_TIME = 64 };
/* Seconds since 1970 of a date as 2026-11-15, with a time behind it or not (T09:30 or T09:30:00): local, or UTC if it
 * ends in Z.  0: it is none. */
int study_read_time(const char *text, int64_t *seconds);
/* Writes a time of the study, which is UTC, as local time with its offset: 2026-11-15T10:30:00+01:00. */
void study_format_local(char text[STUDY_TIME], const char *utc);
/* Whole days from then to now. */
uint64_t study_days_since(const char *utc);

#endif
