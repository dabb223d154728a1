/* The options that subcommands add to those of the library, and the rows that several lists have: those of
 * command/subcommand_options.c and lab/scant_lab.c.  Each list ends with {0}. */
#ifndef SCANT_CLI_SUBCOMMAND_OPTIONS_H
#define SCANT_CLI_SUBCOMMAND_OPTIONS_H

#include "command.h"

extern const scant_option fit_options[];
extern const scant_option tune_options[];
extern const scant_option predict_options[];
extern const scant_option eval_options[];
extern const scant_option next_options[];
extern const scant_option show_options[];
extern const scant_option merge_options[];
extern const scant_option curve_options[];
extern const scant_option plan_options[];
extern const scant_option study_options[];
extern const scant_option serve_options[];
extern const scant_option token_options[];
extern const scant_option no_options[]; /* arguments.c */

/* Rows by the type of the value, which goes into a field of own_options. */
#define OWN(field) offsetof(own_options, field)
#define OWN_FLAG(option, field, words) \
  { .name = option, .type = SCANT_OPTION_FLAG, .preset = "no", .help = words, .offset = OWN(field) }
#define OWN_TEXT(option, value, field, words) \
  { .name = option, .type = SCANT_OPTION_TEXT, .argument = value, .help = words, .offset = OWN(field) }
/* It may be given several times; `between` joins the values. */
#define OWN_LIST(option, value, between, field, words) \
  { .name = option, .type = SCANT_OPTION_TEXT, .argument = value, .join = between, .help = words, .offset = OWN(field) }
#define OWN_NUMBER(kind, option, value, by_default, least, most, field, words)                                \
  {                                                                                                           \
    .name = option, .type = kind, .argument = value, .preset = by_default, .minimum = least, .maximum = most, \
    .help = words, .offset = OWN(field)                                                                       \
  }
#define OWN_COUNT(...) OWN_NUMBER(SCANT_OPTION_COUNT, __VA_ARGS__)
#define OWN_REAL(...) OWN_NUMBER(SCANT_OPTION_REAL, __VA_ARGS__)

#define OPTION_QUIET                                                                                       \
  {                                                                                                        \
    .name = "quiet", .letter = 'q', .type = SCANT_OPTION_FLAG, .preset = "no", .help = "show no progress", \
    .offset = OWN(quiet)                                                                                   \
  }
#define OPTION_JSON OWN_FLAG("json", json, "print one JSON object")
#define OPTION_OUT                                                                        \
  {                                                                                       \
    .name = "out", .type = SCANT_OPTION_TEXT, .argument = "DIR", .preset = "figures",     \
    .help = "folder for the results; it is made if it does not exist", .offset = OWN(out) \
  }
#define OPTION_RUNS(words) OWN_COUNT("runs", "N", "10", 1, 10000, runs, words)
#define OPTION_SEED(words) OWN_COUNT("seed", "S", "1", 0, 1e15, seed, words)
#define OPTION_THREADS \
  OWN_COUNT("threads", "N", "2", 1, 64, threads, "number of threads; the results do not depend on it")

#endif
