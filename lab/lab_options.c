/* The options of the programs of the lab. */
#include "cli/option_rows.h"
#include "lab.h"

#define OPTION_ALGORITHMS                                                                  \
  {                                                                                        \
    .name = "algorithms", .type = SCANT_OPTION_TEXT, .argument = "LIST",                   \
    .help = "curves to draw, separated by commas; default: all", .offset = OWN(algorithms) \
  }

/* Of what is run on images. */
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
    OPTION_SEED("same seed, same results"),
    OPTION_THREADS,
    OPTION_QUIET,
    {0},
};

/* Of what makes its own data. */
const scant_option theory_options[] = {
    OPTION_OUT,
    OPTION_ALGORITHMS,
    OPTION_RUNS("runs with seeds of their own"),
    OPTION_SEED("same seed, same results"),
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
     .help = "values of K; those above a number of attributes are left out there",
     .offset = OWN(looks)},
    {.name = "algorithms",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .preset = "aerr,aelr,auto,ridge,lasso",
     .help = "rows of 'scant algorithms', separated by commas",
     .offset = OWN(algorithms)},
    {.name = "rounds",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "5",
     .minimum = 1,
     .maximum = 1000,
     .help = "turns that each takes",
     .offset = OWN(rounds)},
    {.name = "size",
     .type = SCANT_OPTION_COUNT,
     .argument = "MB",
     .preset = "400",
     .minimum = 1,
     .maximum = 1e6,
     .help = "megabytes of the table in memory: far beyond the caches, as data are",
     .offset = OWN(size)},
    OPTION_SEED("same seed, same data"),
    {.name = "peer",
     .type = SCANT_OPTION_TEXT,
     .argument = "COMMAND",
     .help = "also time this command, which says its name, and then for each line 'D N' the nanoseconds that one of N "
             "examples with D attributes takes it",
     .offset = OWN(peer)},
    OPTION_OUT,
    OPTION_JSON,
    OPTION_QUIET,
    {0},
};
