/* What the experiments share on the command line. */
#ifndef SCANT_CLI_EXPERIMENT_H
#define SCANT_CLI_EXPERIMENT_H

#include "command.h"

/* A bar with the time left, on a terminal. */
typedef struct bar {
  double started;
  int shown;
} bar;

bar bar_start(const arguments *a);
/* `user` is a bar. */
void bar_show(void *user, double share);

/* Makes the folder for the results if it is not there; an exit code. */
int experiment_check_out(const arguments *a);

/* curve.c */
int run_curve(const arguments *a);

#endif
