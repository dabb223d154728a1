/* Options that several commands have: macros for the lists in command/subcommand_options.c and lab/scant_lab.c. */
#ifndef SCANT_CLI_OPTION_ROWS_H
#define SCANT_CLI_OPTION_ROWS_H

#include "subcommand_options.h"

#define OWN(field) offsetof(own_options, field)
#define OPTION_QUIET                                                                                       \
  {                                                                                                        \
    .name = "quiet", .letter = 'q', .type = SCANT_OPTION_FLAG, .preset = "no", .help = "show no progress", \
    .offset = OWN(quiet)                                                                                   \
  }
#define OPTION_JSON \
  { .name = "json", .type = SCANT_OPTION_FLAG, .preset = "no", .help = "print one JSON object", .offset = OWN(json) }
#define OPTION_OUT                                                                        \
  {                                                                                       \
    .name = "out", .type = SCANT_OPTION_TEXT, .argument = "DIR", .preset = "figures",     \
    .help = "folder for the results; it is made if it does not exist", .offset = OWN(out) \
  }
#define OPTION_RUNS(words)                                                                                       \
  {                                                                                                              \
    .name = "runs", .type = SCANT_OPTION_COUNT, .argument = "N", .preset = "10", .minimum = 1, .maximum = 10000, \
    .help = (words), .offset = OWN(runs)                                                                         \
  }
#define OPTION_SEED(words)                                                                                        \
  {                                                                                                               \
    .name = "seed", .type = SCANT_OPTION_COUNT, .argument = "S", .preset = "1", .maximum = 1e15, .help = (words), \
    .offset = OWN(seed)                                                                                           \
  }
#define OPTION_THREADS                                                                                          \
  {                                                                                                             \
    .name = "threads", .type = SCANT_OPTION_COUNT, .argument = "N", .preset = "2", .minimum = 1, .maximum = 64, \
    .help = "number of threads; the results do not depend on it", .offset = OWN(threads)                        \
  }

#endif
