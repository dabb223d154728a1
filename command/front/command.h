/* Shared by the subcommands of `scant` and of `scant-lab` (lab/).  The command includes public headers alone. */
#ifndef SCANT_CLI_COMMAND_H
#define SCANT_CLI_COMMAND_H

#include <stdio.h>

#include "scant.h"
#include "scant_base.h"
#include "scant_json.h"

/* Exit codes; scripts rely on them. */
enum {
  EXIT_DONE = 0,
  EXIT_OTHER = 1,
  EXIT_USAGE = 2,     /* the command line alone shows it to be wrong */
  EXIT_DATA = 65,     /* only the data show it */
  EXIT_NO_INPUT = 66, /* there is no such input */
  EXIT_IO = 74,       /* reading or writing failed */
  EXIT_BUSY = 75,     /* another process is writing: try again later */
  EXIT_SIGNAL = 128   /* plus the number of the signal that ended it: 130 Ctrl-C, 143 SIGTERM */
};

/* The options that the two programs add to those of the library's table. */
typedef struct own_options {
  const char *output, *test, *test_labels, *checkpoint, *resume;
  const char *out, *algorithms, *spend;                    /* curve, lab */
  const char *data, *pair;                                 /* lab */
  const char *grid;                                        /* tune */
  const char *costs, *have;                                /* predict, eval, next */
  const char *looks, *looks_pairs;                         /* fit, tune, study export; looks: lab bench too */
  const char *dimensions, *peer;                           /* lab bench */
  const char *attributes, *target, *max_open, *expected;   /* study create; the last two are read as settings */
  const char *csv, *failed, *reason, *plot, *errors_of;    /* study; plot: plan too */
  const char *missing_reasons;                             /* study create */
  const char *state, *due, *since, *before;                /* study list */
  const char *by;                                          /* study */
  const char *k_list, *label_cost;                         /* plan */
  const char *listen, *socket, *tokens, *base_path, *host; /* serve */
  const char *role, *study;                                /* token */
  uint64_t days;                                           /* token */
  double patience;                                         /* serve */
  int behind_proxy;                                        /* serve */
  uint64_t every, top, runs, points, seed, threads, k, rounds, size, examples;
  double split, interval, reach;
  double wait, until_error;                   /* study */
  double spend_each, until_width, until_sure; /* predict, eval */
  int confirm, second, second_entry;          /* study */
  int json, quiet, expired, gaussian, bought, errors;
  int events, pseudonyms, check;                                                  /* study */
  int open, all, differs, sheets, dry_run, new_name, new_one, extra, yes, finish; /* study */
} own_options;

typedef struct arguments {
  const struct command *command;
  scant_settings settings;
  own_options own;
  uint64_t own_given;    /* bit i: option i of the command's own list was given */
  const char **operands; /* as the caller wrote them */
  int operand_count;
  int help;
  char *joined[8]; /* texts of options that were given several times; arguments_free frees them */
} arguments;

/* One of the things that an operand can name. */
typedef struct named {
  const char *name, *help;
} named;

typedef struct command {
  const char *name;
  const char *operands;                      /* "DATA", "MODEL DATA" */
  int operand_count;                         /* the least number */
  int operand_most;                          /* the largest number; 0: the same as the least; -1: any number */
  const char *summary;                       /* one line */
  const char *text;                          /* the paragraph in help and manual */
  unsigned scopes;                           /* options of the library's table that it takes */
  const char *without;                       /* except these, separated by spaces; NULL: no exceptions */
  const char *only;                          /* of those only these; NULL: all */
  const scant_option *own;                   /* its own options, ended by one without a name */
  int once;                                  /* a text of its own options is refused if it is given twice */
  const named *(*names)(size_t index);       /* what its operand can be, NULL past the end; or NULL */
  const named *(*short_names)(size_t index); /* the same for its help, where each has help of its own; or NULL */
  /* Prints the help of one of them; 0: there is none of this name.  NULL: they have none. */
  int (*help_part)(FILE *out, const struct command *command, const char *name);
  const char *also; /* operands that are commands of their own, separated by spaces; or NULL */
  int (*run)(arguments *a);
} command;

/* What a program is: command/scant.c and lab/scant_lab.c have one each. */
typedef struct program {
  const char *name;
  const char *about; /* one sentence */
  const command *commands;
  size_t command_count;
  void (*manual)(FILE *out); /* its manual page; NULL: it has none */
} program;

extern const program this_program;

/* program.c: runs the subcommand that the words name and returns an exit code. */
int program_main(int count, char **words);
/* NULL past the end. */
const command *command_at(size_t index);

/* arguments.c: fills `a` from the words after the subcommand's name.  It keeps the operands in the array of the words.
 * Returns an exit code; after a failure the sentence is printed. */
int arguments_read(arguments *a, const command *c, int count, const char **words);
void arguments_free(arguments *a);
/* Is `word` one of the words of a list separated by spaces (NULL: none)? */
int has_word(const char *list, const char *word);
/* Does the command take this option of the library's table? */
int arguments_takes(const command *c, const scant_option *option);
/* Was this option of the command's own on the command line? */
int arguments_given(const arguments *a, const scant_option *own);

/* run_study.c: the table of the actions of `scant study`. */
const named *study_at(size_t index);
/* study_help.c: each action once, with a few words, and the help of one. */
const named *study_action_name(size_t index);
int study_help_action(FILE *out, const struct command *command, const char *action);
/* The options of `scant study`; their help begins with the actions that take them.  Ends with an entry without a name.
 */
const scant_option *study_options_of_all_actions(void);

/* study_export.c: is the file a study?  And all that a study was told, with the prices of its catalogue
 * or NULL, for the caller to free. */
int study_is_one(const char *path);
scant_status study_pilot(const char *path, const scant_settings *settings, scant_source **source, scant_prices **prices,
                         scant_error *error);

/* run_serve.c: the table of the actions of `scant token`. */
const named *token_at(size_t index);

/* help.c */
void help_overview(FILE *out);
void help_command(FILE *out, const command *command);
/* Prints text in lines of at most 80 columns.  The first line already has `column` characters; the others are
 * indented. */
void help_wrapped(FILE *out, const char *text, size_t column, int indent);
/* Prints a usage and what it means beside it. */
void help_row(FILE *out, const char *usage, const char *help);
/* Prints one option, or one name that an operand can be. */
typedef void (*help_printer)(FILE *out, const char *usage, const char *help);
void help_each_option(FILE *out, const command *command, help_printer print, const char *title_format);
/* manual.c */
void help_manual(FILE *out);

/* output_files.c: refuses an output that is one of the inputs or another output, or whose folder does not exist.  It is
 * called before anything is read.  Returns an exit code; NULLs among the others are passed over. */
int files_check_output(const command *c, const char *output, const char *const *others, size_t count);

/* Are these two names of one file? */
int files_are_same(const char *a, const char *b);

/* Opens the file that a fit is tested on; SCANT_USAGE if it has no targets. */
scant_status files_open_test(scant_source **test, const char *path, const scant_settings *settings, scant_error *error);
/* Makes the folder for results if it does not exist, and returns an exit code.  A folder that was made and is still
 * empty when the program ends is removed. */
int files_make_folder(const command *c, const char *folder);
/* Removes a folder that was made and is empty.  A signal handler may call it. */
void files_leave_no_folder(void);

/* Files of looks: --looks and --looks-pairs of fit, tune and study export. */

/* Refuses names that can't be, and files that are among the others (NULLs are passed over) or, with --resume, there
 * already: they hold looks from before the checkpoint.  Returns an exit code. */
int looks_check(const arguments *a, const char *const *others, size_t count);

/* A signal that ends the command removes the unfinished files of the fit. */
void looks_begin(const scant_fit *fit);
/* They have their names. */
void looks_done(void);
/* Says where the looks are. */
void looks_print(const arguments *a);

/* print.c */

/* A document of JSON whose object is open. */
scant_json_writer document_begin(void);
/* Closes its object and prints it, if `status` is SCANT_OK; else it is thrown away, and that is the result.
 * SCANT_MEMORY with nothing printed. */
scant_status document_print(scant_json_writer *out, scant_status status, scant_error *error);
/* Each prints one sentence on standard error. */
int print_failure(const command *command, scant_status status, const scant_error *error); /* returns the exit code */
int print_usage_failure(const command *command, const char *format, ...);
__attribute__((format(printf, 1, 2))) void print_warning(const char *format, ...);
/* Prints a note on a source, if there is something to say. */
void print_note(const scant_source *source, scant_note note);
/* Prints what a command had bought before it failed, if that is anything. */
void print_bought(const scant_ledger *ledger);
/* Flushes standard output and returns an exit code. */
int print_end(const command *command);

/* Completes the options to open data with for a model: target, classes and log-target are those of its fit, unless
 * they were given. */
void data_settings_for(scant_settings *settings, const scant_model *model);
/* SCANT_USAGE if log-target was given and differs from that of the model. */
scant_status check_log_target(const scant_settings *settings, const scant_model *model, scant_error *error);

/* buying_rules.c: what predict, eval and next share: which attributes are bought, and when that ends.
 * Checks the command line alone and returns an exit code. */
int few_check(const arguments *a);
/* The part of it that is about --spend. */
int few_check_spend(const arguments *a);
/* Are attributes bought? */
int few_buys(const arguments *a);
/* Is anything asked for that -k, --costs and --interval alone do not do? */
int few_has_rules(const arguments *a);
/* The level of the intervals: that of --interval, else 0.9 if their width matters, else 0. */
double few_level(const arguments *a);
/* SCANT_USAGE with the name of its algorithm if the model can't do what was asked for. */
scant_status few_check_model(const arguments *a, const scant_model *model, scant_error *error);
/* How to buy.  The prices are the costs that were given, else those of the model's fit, else NULL. */
typedef struct few_terms {
  const scant_prices *prices;
  scant_buying buying;
  scant_prices *own;   /* of --costs */
  unsigned char *have; /* of --have */
} few_terms;
/* `source` NULL: the costs are of the model's attributes.  few_end also after a failure. */
scant_status few_begin(const arguments *a, const scant_model *model, const scant_source *source, few_terms *terms,
                       scant_error *error);
void few_end(few_terms *terms);
/* Puts the purchases into the object that is open. */
void few_put_ledger(scant_json_writer *out, const scant_ledger *ledger, int priced);
/* Prints the purchases of so many rows, in one line. */
void few_print_ledger(FILE *out, const scant_ledger *ledger, size_t rows, size_t dimension, int priced);
/* The purchases of a whole file. */
typedef struct few_bought {
  scant_ledger ledger;
  int priced;
  uint64_t stopped[SCANT_VERDICTS]; /* examples by what stopped them */
} few_bought;
/* Prints it in one line. */
void few_print_items(FILE *out, const few_bought *bought, size_t rows, size_t dimension);
/* Prints it in two lines, with what stopped the examples. */
void few_print_bought(FILE *out, const few_bought *bought, size_t dimension);
/* The name of an attribute, or its number from 1; it stands in `number` then. */
const char *few_name(const scant_model *model, size_t attribute, char number[32]);
/* The class that a value of the target, -1 or 1, stands for; 0: the model was fitted without classes. */
int few_class(const scant_model *model, double value, char *label, size_t size);

int run_fit(arguments *a);
int run_tune(arguments *a);
int run_curve(arguments *a);
int run_plan(arguments *a);
int run_predict(arguments *a);
int run_eval(arguments *a);
int run_next(arguments *a);
int run_show(arguments *a);
int run_merge(arguments *a);
int run_algorithms(arguments *a);
int run_study(arguments *a);
int run_serve(arguments *a);
int run_token(arguments *a);
int run_help(arguments *a);
int run_version(arguments *a);

#endif
