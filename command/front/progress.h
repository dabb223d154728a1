/* Shows the progress of a fit on standard error.  On a terminal it is one line that is rewritten; else it is a table
 * with a row whenever the number of examples has doubled. */
#ifndef SCANT_CLI_PROGRESS_H
#define SCANT_CLI_PROGRESS_H

#include "command.h"

typedef struct progress {
  int quiet, terminal, with_test;
  uint64_t next;         /* the table's next row */
  uint64_t last;         /* examples in the table's last row */
  double risk;           /* the one in the table's last row */
  double started, shown; /* seconds */
  scant_thought thought; /* the last one that was shown */
} progress;

double progress_clock(void);
void progress_start(progress *p, int quiet, int with_test);
/* How many examples to learn from before coming back here. */
uint64_t progress_stride(const progress *p, uint64_t examples);
/* Is a row of the table due?  Only then the fit needs to be tested. */
int progress_due(const progress *p, uint64_t examples, int done);
/* test_error: NaN if there is none. */
void progress_show(progress *p, const scant_ledger *ledger, const scant_learner_facts *facts, uint64_t horizon,
                   double test_error, int done);
/* Says on the terminal's line what an algorithm is thinking about.  The next line takes its place. */
void progress_think(progress *p, const scant_thought *thought);
/* Empties the terminal's line. */
void progress_clear(const progress *p);

/* The progress of work that has many parts: a bar with the time left, shown on a terminal only. */
typedef struct bar {
  double started;
  int shown;
} bar;

bar bar_start(const arguments *a);
/* `user` is a bar. */
void bar_show(void *user, double share);

#endif
