/* Which orders are in a worklist. */
#ifndef SCANT_STUDY_FILTER_H
#define SCANT_STUDY_FILTER_H

#include "scant_study.h"

/* What somebody asks for; a NULL is nothing. */
typedef struct study_filter_words {
  const char *state;          /* names of states, separated by commas; the first word of a name is enough */
  const char *due;            /* an attribute or the target that is still to come */
  const char *since, *before; /* when the order was asked for: see study_read_time */
  const char *by;             /* who asked for it */
  int open, all;              /* orders that are open, or of every state; `state` goes before both */
  int differs;                /* only those with entries that differ: of every state, unless the others say which */
} study_filter_words;

typedef struct study_filter {
  unsigned states; /* a bit for each */
  int64_t due;     /* an attribute, or one of those below 0 in study_filter.c */
  int has_since, has_before;
  int64_t since, before;
  const char *by; /* as in the words, which must outlive it; NULL: whoever asked */
  int differs;
} study_filter;

/* Without words: the orders that are open.  `dashes` stands before the name of an option in a sentence: "--" or "".
 * SCANT_USAGE, or SCANT_DATA for an attribute that is not there. */
scant_status study_filter_read(study_filter *filter, const scant_study *study, const study_filter_words *words,
                               const char *dashes, scant_error *error);

/* The next order to look at, whose number is larger than `after`, and whether it passes; NULL: there is none.  Valid
 * until the next call with this study. */
scant_status study_filter_look(const study_filter *filter, scant_study *study, uint64_t after,
                               const scant_study_order **order, int *passes, scant_error *error);

/* The first order that passes and whose number is larger than `after`; NULL: there is none.  Valid until the next call
 * with this study. */
scant_status study_filter_next(const study_filter *filter, scant_study *study, uint64_t after,
                               const scant_study_order **order, scant_error *error);

#endif
