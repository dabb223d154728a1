/* The options of the subcommands of scant-lab. */
#include "cli/option_rows.h"
#include "lab.h"

#define OPTION_ALGORITHMS                                                                  \
  {                                                                                        \
    .name = "algorithms", .type = SCANT_OPTION_TEXT, .argument = "LIST",                   \
    .help = "curves to draw, separated by commas; default: all", .offset = OWN(algorithms) \
  }

/* For the experiments on images. */
const scant_option image_options[] = {
    {.name = "data",
     .type = SCANT_OPTION_TEXT,
     .argument = "DIR",
     .help = "folder with MNIST's four IDX files (make data gets them)",
     .offset = OWN(data)},
    OPTION_OUT,
    {.name = "pair",
     .type = SCANT_OPTION_TEXT,
     .argument = "NEG,POS",
     .preset = "3,5",
     .help = "which two digits",
     .offset = OWN(pair)},
    OPTION_ALGORITHMS,
    OPTION_RUNS("random splits"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    OPTION_QUIET,
    {0},
};

/* For the experiments that make their own data. */
const scant_option theory_options[] = {
    OPTION_OUT,
    OPTION_ALGORITHMS,
    OPTION_RUNS("number of runs; each has its own seed"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    OPTION_QUIET,
    {0},
};

const scant_option bench_options[] = {
    {.name = "dimensions",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .preset = "100,784,10000,100000",
     .help = "numbers of attributes, separated by commas",
     .offset = OWN(dimensions)},
    {.name = "looks",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .preset = "4,16,56,256",
     .help = "values of K; where K is more than the number of attributes it is left out",
     .offset = OWN(looks)},
    {.name = "algorithms",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .preset = "aerr,aelr,auto,ridge,lasso",
     .help = "algorithms of 'scant algorithms', separated by commas",
     .offset = OWN(algorithms)},
    {.name = "rounds",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "5",
     .minimum = 1,
     .maximum = 1000,
     .help = "number of rounds; in each, every contestant takes one turn",
     .offset = OWN(rounds)},
    {.name = "size",
     .type = SCANT_OPTION_COUNT,
     .argument = "MB",
     .preset = "400",
     .minimum = 1,
     .maximum = 1e6,
     .help = "megabytes of the table in memory; it should be far larger than the caches, as data are",
     .offset = OWN(size)},
    OPTION_SEED("the same seed gives the same data"),
    {.name = "peer",
     .type = SCANT_OPTION_TEXT,
     .argument = "COMMAND",
     .help = "also time this command: it prints its name, and then answers each line 'D N' with its nanoseconds per "
             "example, for N examples with D attributes",
     .offset = OWN(peer)},
    OPTION_OUT,
    OPTION_JSON,
    OPTION_QUIET,
    {0},
};
