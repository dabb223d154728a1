/* The subcommands of scant-lab. */
#ifndef SCANT_LAB_LAB_H
#define SCANT_LAB_LAB_H

#include "command/front/command.h"

extern const scant_option image_options[];
extern const scant_option few_options[];
extern const scant_option theory_options[];
extern const scant_option bench_options[];

int run_figure(arguments *a);
int run_few(arguments *a);
int run_scaling(arguments *a);
int run_lower_bound(arguments *a);
int run_svr(arguments *a);
int run_bench(arguments *a);

#endif
