/* The subcommands of scant-lab. */
#ifndef SCANT_LAB_LAB_H
#define SCANT_LAB_LAB_H

#include "command/front/command.h"

int run_figure(arguments *a);
int run_few(arguments *a);
int run_scaling(arguments *a);
int run_lower_bound(arguments *a);
int run_svr(arguments *a);
int run_bench(arguments *a);

#endif
