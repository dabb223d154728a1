/* The options that subcommands add to those of the library.  Each list ends with {0}. */
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

#endif
