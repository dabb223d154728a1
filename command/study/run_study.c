/* scant study: finds the action and runs it. */
#include "looks_files.h"
#include "study_actions.h"

#include <stdarg.h>
#include <string.h>

typedef enum { OPENS_NOTHING, OPENS_TO_READ, OPENS_TO_WRITE } opens;

typedef struct {
  named words;     /* how it is called, and its help */
  int least, most; /* operands behind FILE; -1: any number */
  const char *options;
  opens how;
  study_run *run;
} action;

#define EXPORT_OPTIONS "output gaussian errors errors-of looks looks-pairs csv events pseudonyms"

static const action actions[] = {
    {{"create FILE",
      "make a new study of the attributes in --attributes, with the options of the run and of the algorithm; amend can "
      "change a few of them later"},
     0,
     0,
     "attributes target max-open examples missing-reasons second-entry by",
     OPENS_NOTHING,
     study_create},
    {{"ask FILE EXAMPLE...",
      "print the list of what to measure of an example; asking again prints the same list.  Several examples, or those "
      "in the column 'example' of --csv LIST, are ordered all or none: if the budget does not cover all of them, "
      "nothing "
      "is ordered"},
     0,
     -1,
     "json csv sheets dry-run new-name",
     OPENS_TO_WRITE,
     study_ask},
    {{"tell FILE EXAMPLE NAME=VALUE...",
      "record values, the target among them, in any order and in any number of steps; NAME=missing says that it can't "
      "be measured, NAME=missing:refused why, and NAME=97! that an unusual value is right.  When the last value is "
      "there, the study learns.  With --extra and a --reason: values that were measured without being ordered"},
     0,
     -1,
     "csv confirm second extra reason",
     OPENS_TO_WRITE,
     study_tell},
    {{"tell FILE --csv ANSWERS",
      "the same from a csv with a column 'example' and one column per name; an empty cell tells nothing"},
     0,
     -1,
     "csv confirm second extra reason",
     OPENS_TO_WRITE,
     study_tell},
    {{"tell FILE --second EXAMPLE NAME=VALUE...",
      "enter values a second time that were told, without a look at the first entry, or with --csv; what differs is "
      "listed, and put right by 'correct' or by entering it once more"},
     0,
     -1,
     "csv confirm second extra reason",
     OPENS_TO_WRITE,
     study_tell},
    {{"list FILE",
      "list the orders of which something is still to come, with their state, since when they wait, and their price; "
      "or "
      "others, by --all or --state"},
     0,
     0,
     "open all differs state due since before by csv json sheets",
     OPENS_TO_READ,
     study_list},
    {{"show FILE EXAMPLE...",
      "show examples: their orders and values as they stand, and every event.  It orders nothing"},
     1,
     -1,
     "json",
     OPENS_TO_READ,
     study_show},
    {{"cancel FILE EXAMPLE",
      "end an order: what was not measured is refunded.  With --expired the money stays spent "
      "until the order is cancelled; --failed says why it failed.  If something was told already, the command says "
      "what "
      "would be lost, and wants --yes"},
     1,
     1,
     "expired failed yes",
     OPENS_TO_WRITE,
     study_cancel},
    {{"reopen FILE EXAMPLE --reason TEXT",
      "take the end of an order back, with a --reason, while the budget covers it and the example has no newer order: "
      "values that were told are still there, and the others can be told"},
     1,
     1,
     "reason",
     OPENS_TO_WRITE,
     study_reopen},
    {{"correct FILE EXAMPLE NAME=VALUE...",
      "replace values that were told or imported, with a --reason; the study learns everything anew"},
     2,
     -1,
     "reason confirm",
     OPENS_TO_WRITE,
     study_correct},
    {{"amend FILE [ATTRIBUTE FIELD=VALUE...]",
      "change the plan, with a --reason: an attribute's unit, cost, low, high, usual_low, usual_high, group or retired "
      "(yes: it is never ordered again); with --new add one; or -k, --spend, --budget, --budget-cost and --max-open.  "
      "Open orders keep their prices"},
     0,
     -1,
     "reason new dry-run max-open",
     OPENS_TO_WRITE,
     study_amend},
    {{"catalogue FILE", "print the catalogue as it is now, as csv that 'create --attributes' reads"},
     0,
     0,
     "",
     OPENS_TO_READ,
     study_catalogue},
    {{"erase FILE EXAMPLE --reason TEXT --yes",
      "erase an example: its name and values are gone from the file, the ledger keeps a mark, and the study learns "
      "everything anew without it.  Without --yes the command says what would go.  Copies of the file are other files: "
      "they stay as they are"},
     0,
     1,
     "reason yes finish",
     OPENS_TO_WRITE,
     study_erase},
    {{"erase FILE --finish", "go on with an erasure that could not be finished, since somebody read the study"},
     0,
     1,
     "reason yes finish",
     OPENS_TO_WRITE,
     study_erase},
    {{"status FILE",
      "show money, orders, estimated risk and staleness; --plot draws them.  --until-error says how many examples it "
      "still takes, by simulation"},
     0,
     0,
     "json plot until-error",
     OPENS_TO_READ,
     study_status},
    {{"plan FILE ...",
      "the same as 'scant plan FILE ...', with the study as the pilot: which K to take, and what an error costs; see "
      "'scant help plan'"},
     0,
     -1,
     "",
     OPENS_NOTHING,
     NULL}, /* a command of its own: see program.c */
    {{"ledger FILE", "print every event, as csv"}, 0, 0, "pseudonyms", OPENS_TO_READ, study_ledger},
    {{"predict FILE [NAME=VALUE...]", "predict the target of an example from these values, with an --interval"},
     0,
     -1,
     "interval json",
     OPENS_TO_READ,
     study_predict},
    {{"export FILE -o MODEL",
      "write the model so far, for 'scant predict' and 'scant show'; --looks writes what was bought for it"},
     0,
     0,
     EXPORT_OPTIONS,
     OPENS_TO_READ,
     study_export},
    {{"export FILE --csv -o TABLE",
      "write one line per example, for pandas, R and spreadsheets, with a dictionary of the columns in "
      "TABLE-dictionary.csv"},
     0,
     0,
     EXPORT_OPTIONS,
     OPENS_TO_READ,
     study_export},
    {{"export FILE --events -o TABLE", "write the ledger, one line per value that was ordered or told"},
     0,
     0,
     EXPORT_OPTIONS,
     OPENS_TO_READ,
     study_export},
    {{"import FILE --csv PAST",
      "learn from past data, which may have empty cells; a column 'example' names the rows, else a row is named "
      "FILE:LINE, "
      "as past.csv:2.  Rows without a target are skipped"},
     0,
     0,
     "csv new-name",
     OPENS_TO_WRITE,
     study_import},
    {{"verify FILE", "prove that everything in the file follows from its ledger"},
     0,
     0,
     "json",
     OPENS_TO_READ,
     study_verify},
    {{"replay FILE", "make orders, amounts and learner again from the ledger"}, 0, 0, "", OPENS_TO_WRITE, study_replay},
    {{"backup FILE TO", "copy the study to a new file; others may write meanwhile"},
     1,
     1,
     "",
     OPENS_TO_READ,
     study_backup},
    {{"freeze FILE NAME -o COPY",
      "make a copy that is never written to again, for a paper, with a text of its checksums beside it"},
     0,
     1,
     "output check json",
     OPENS_TO_WRITE,
     study_freeze},
    {{"freeze COPY --check", "check that a frozen copy is as it was, and prove it as verify does"},
     0,
     1,
     "output check json",
     OPENS_TO_WRITE,
     study_freeze},
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

const named *study_at(size_t index) {
  return index < ACTION_COUNT ? &actions[index].words : NULL;
}

int study_action_at(size_t index, study_action_words *words) {
  if (index >= ACTION_COUNT) return 0;
  const action *x = &actions[index];
  *words = (study_action_words){.name = x->words.name,
                                .help = x->words.help,
                                .options = x->options,
                                .creates = x->run == study_create,
                                .amends = x->run == study_amend,
                                .writes = x->how == OPENS_TO_WRITE};
  return 1;
}

scant_status study_refuse_usage(scant_error *error, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(error->text, sizeof error->text, format, list);
  va_end(list);
  return SCANT_USAGE;
}

static int is_called(const action *x, const char *name) {
  size_t length = strcspn(x->words.name, " ");
  return strlen(name) == length && !strncmp(x->words.name, name, length);
}

static const action *find_action(const char *name) {
  for (size_t i = 0; i < ACTION_COUNT; i++)
    if (is_called(&actions[i], name)) return &actions[i];
  return NULL;
}

/* The action is unknown, or there is none. */
static int refuse_unknown(const arguments *a) {
  char names[SCANT_ERROR_LENGTH / 2] = "";
  for (size_t i = 0; i < ACTION_COUNT; i++) {
    const char *name = actions[i].words.name;
    size_t used = strlen(names), length = strcspn(name, " ");
    if (i && length == strcspn(actions[i - 1].words.name, " ") && !strncmp(actions[i - 1].words.name, name, length))
      continue; /* called in two ways */
    snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "", (int)length, name);
  }
  if (!a->operand_count)
    return print_usage_failure(a->command, "it takes an ACTION and FILE; the actions are %s; see 'scant help study'",
                               names);
  return print_usage_failure(a->command, "there is no action '%.100s'; there are %s", a->operands[0], names);
}

/* Every action that writes is signed. */
static int is_signing(const scant_option *o) {
  return !strcmp(o->name, "by");
}

/* Refuses options that this action would ignore. */
static int refuse_unused(const action *x, const arguments *a) {
  const scant_option *o;
  for (o = a->command->own; o->name; o++)
    if (arguments_given(a, o) && !has_word(x->options, o->name) &&
        !(x->how == OPENS_TO_WRITE && (is_signing(o) || !strcmp(o->name, "wait"))))
      return print_usage_failure(a->command, "study %s does not use --%s", a->operands[0], o->name);
  for (size_t i = 0; x->run != study_create && (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(&a->settings, o) && !has_word("threads memory", o->name) &&
        !(x->run == study_amend && has_word(STUDY_AMENDABLE, o->name)))
      return print_usage_failure(a->command, "study %s does not use %s%s: it is a setting of 'study create'",
                                 a->operands[0], strlen(o->name) > 1 ? "--" : "-", o->name);
  return EXIT_DONE;
}

static int check_operands(const action *x, const arguments *a) {
  if (a->own.csv && !*a->own.csv && x->run != study_list && x->run != study_export)
    return print_usage_failure(a->command, "--csv needs a value (FILE)");
  int more = a->operand_count - 2;
  if (more < x->least) return print_usage_failure(a->command, "it takes: scant study %s", x->words.name);
  if (x->most >= 0 && more > x->most)
    return print_usage_failure(a->command, "'%s' is one word too many", a->operands[2 + x->most]);
  return EXIT_DONE;
}

/* The table that export writes, and what its columns are. */
static int check_table(const arguments *a, const char *const *inputs) {
  char dictionary[4200];
  const char *path = study_table_path(a);
  if (!path) return EXIT_DONE;
  study_dictionary_path(path, dictionary, sizeof dictionary);
  int code = files_check_output(a->command, path, inputs, 1);
  return code == EXIT_DONE && a->own.csv ? files_check_output(a->command, dictionary, inputs, 1) : code;
}

/* Neither the study nor what belongs to it may be written over. */
static int check_outputs(const action *x, const arguments *a) {
  int code = EXIT_DONE;
  const char *end = "";
  for (size_t i = 0; end && code == EXIT_DONE; end = scant_study_side_end(i++)) {
    char part[4096];
    snprintf(part, sizeof part, "%s%s", a->operands[1], end);
    const char *const inputs[] = {part};
    code = files_check_output(a->command, a->own.output, inputs, 1);
    if (code == EXIT_DONE) code = files_check_output(a->command, a->own.plot, inputs, 1);
    if (code == EXIT_DONE) code = looks_check(a, inputs, 1);
    if (code == EXIT_DONE && x->run == study_export) code = check_table(a, inputs);
  }
  return code == EXIT_DONE ? looks_check(a, &a->own.output, 1) : code;
}

int run_study(arguments *a) {
  const action *x = a->operand_count ? find_action(a->operands[0]) : NULL;
  if (!x) return refuse_unknown(a);
  if (!x->run) /* an option stood before its name */
    return print_usage_failure(a->command, "write the options behind 'scant study %s': see 'scant help %s'",
                               a->operands[0], a->operands[0]);
  if (a->operand_count < 2) return print_usage_failure(a->command, "it takes: scant study %s", x->words.name);
  int code = refuse_unused(x, a);
  if (code == EXIT_DONE) code = check_operands(x, a);
  if (code == EXIT_DONE) code = check_outputs(x, a);
  if (code != EXIT_DONE) return code;
  scant_study *study = NULL;
  scant_error error = {"out of memory"};
  scant_status status = SCANT_OK;
  const scant_study_wait wait = {.seconds = a->own.wait};
  /* what changes nothing does not even keep a snapshot; the dry run of an amendment tries it, and takes it back */
  int asks = x->run == study_erase && !a->own.yes && !a->own.finish;
  int reads = x->how == OPENS_TO_READ || (a->own.dry_run && x->run != study_amend) || a->own.check || asks;
  if (x->how != OPENS_NOTHING)
    status = scant_study_open_waiting(&study, a->operands[1], reads ? SCANT_STUDY_READ : SCANT_STUDY_WRITE, &wait,
                                      &a->settings, &error);
  if (status == SCANT_OK && study && !reads) status = scant_study_sign(study, a->own.by, STUDY_VIA, &error);
  if (status == SCANT_OK) status = x->run(a, study, &error);
  code = status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
  scant_study_close(study);
  return code;
}
