/* The progress of work that has many parts: a bar with the time left, shown on a terminal only. */
#ifndef SCANT_CLI_BAR_H
#define SCANT_CLI_BAR_H

#include "command.h"

typedef struct bar {
  double started;
  int shown;
} bar;

bar bar_start(const arguments *a);
/* `user` is a bar. */
void bar_show(void *user, double share);

#endif
