/* What `scant fit` holds, and what it prints of it. */
#ifndef SCANT_CLI_FIT_SESSION_H
#define SCANT_CLI_FIT_SESSION_H

#include "front/command.h"
#include "front/progress.h"

enum { LEARNS = 1, LEARNED };

/* Everything that a fit holds; release frees it all. */
typedef struct fit_session {
  arguments *a;
  scant_source *train, *test;
  scant_model *checkpoint; /* the one resumed from */
  scant_fit *fit;
  scant_model *model;
  scant_scores scores;
  int tested;
  double started, seconds;
  int stopped;      /* by the user: the signal */
  int checkpointed; /* this run has written one */
  int learning;     /* 0: not yet; LEARNS; LEARNED from all examples */
  int cut;          /* a signal stopped what the algorithm thought */
  int erring;       /* errors are being made */
  int errors_cut;   /* and a signal stopped that */
  progress progress;
} fit_session;

/* fit_report.c: the summary as text, or as one JSON object. */
void fit_print(const fit_session *s);
scant_status fit_print_json(const fit_session *s, scant_error *error);
/* Warns of what is missing, and of a fit that learned nothing useful. */
void fit_warn(const fit_session *s);

#endif
