/* scant study: finds the action and runs it. */
#include "study_actions.h"

#include <string.h>

#define EXPORT_OPTIONS "output gaussian errors errors-of looks looks-pairs csv events pseudonyms"

/* The columns are those of study_action; of an action with several rows the first has the words for help. */
static const study_action actions[] = {
    {study_create, OPENS_NOTHING, 0, 0, "attributes target max-open examples missing-reasons second-entry by",
     "create FILE",
     "make a new study of the attributes in --attributes, with the options of the run and of the algorithm; amend can "
     "change a few of them later",
     "make a new study", "scant study create clinic.study --attributes attributes.csv -k 3"},
    {study_ask, OPENS_TO_WRITE, 0, -1, "json csv sheets dry-run new-name", "ask FILE EXAMPLE...",
     "print the list of what to measure of an example; asking again prints the same list.  Several examples, or those "
     "in the column 'example' of --csv LIST, are ordered all or none: if the budget does not cover all of them, "
     "nothing is ordered",
     "say what to measure of one example or several", "scant study ask clinic.study P-001 P-002",
     "the budget does not cover it, too many orders are open, an order ended, or a name is nearly that of another"},
    {study_tell, OPENS_TO_WRITE, 0, -1, "csv confirm second extra reason", "tell FILE EXAMPLE NAME=VALUE...",
     "record values, the target among them, in any order and in any number of steps; NAME=missing says that it can't "
     "be measured, NAME=missing:refused why, and NAME=97! that an unusual value is right.  When the last value is "
     "there, the study learns.  With --extra and a --reason: values that were measured without being ordered",
     "record values, and the target", "scant study tell clinic.study P-001 glucose=5.4 score=11.3",
     "the order has ended, or second entries differ from the first"},
    {study_tell, OPENS_TO_WRITE, 0, -1, "csv confirm second extra reason", "tell FILE --csv ANSWERS",
     "the same from a csv with a column 'example' and one column per name; an empty cell tells nothing"},
    {study_tell, OPENS_TO_WRITE, 0, -1, "csv confirm second extra reason", "tell FILE --second EXAMPLE NAME=VALUE...",
     "enter values a second time that were told, without a look at the first entry, or with --csv; what differs is "
     "listed, and put right by 'correct' or by entering it once more"},
    {study_list, OPENS_TO_READ, 0, 0, "open all differs state due since before by csv json sheets", "list FILE",
     "list the orders of which something is still to come, with their state, since when they wait, and their price; or "
     "others, by --all or --state",
     "list what is still to come, or sheets to print", "scant study list clinic.study --due glucose"},
    {study_show, OPENS_TO_READ, 1, -1, "json", "show FILE EXAMPLE...",
     "show examples: their orders and values as they stand, and every event.  It orders nothing",
     "show one example: its orders, values and history", "scant study show clinic.study P-001"},
    {study_cancel, OPENS_TO_WRITE, 1, 1, "expired failed yes", "cancel FILE EXAMPLE",
     "end an order: what was not measured is refunded.  With --expired the money stays spent until the order is "
     "cancelled; --failed says why it failed.  If something was told already, the command says what would be lost, and "
     "wants --yes",
     "end an order", "scant study cancel clinic.study P-003",
     "the order has ended already, or something was told of it and --yes is missing"},
    {study_reopen, OPENS_TO_WRITE, 1, 1, "reason", "reopen FILE EXAMPLE --reason TEXT",
     "take the end of an order back, with a --reason, while the budget covers it and the example has no newer order: "
     "values that were told are still there, and the others can be told",
     "take the end of an order back", "scant study reopen clinic.study P-003 --reason 'the wrong patient'",
     "the order has not ended, the budget does not cover it any more, or too many orders are open"},
    {study_correct, OPENS_TO_WRITE, 2, -1, "reason confirm", "correct FILE EXAMPLE NAME=VALUE...",
     "replace values that were told or imported, with a --reason; the study learns everything anew",
     "replace values that were told", "scant study correct clinic.study P-001 glucose=5.6 --reason 'misread'"},
    {study_amend, OPENS_TO_WRITE, 0, -1, "reason new dry-run max-open", "amend FILE [ATTRIBUTE FIELD=VALUE...]",
     "change the plan, with a --reason: an attribute's unit, cost, low, high, usual_low, usual_high, group or retired "
     "(yes: it is never ordered again); with --new add one; or -k, --spend, --budget, --budget-cost and --max-open.  "
     "Open orders keep their prices",
     "change prices, attributes, K or budgets",
     "scant study amend clinic.study glucose cost=9 --reason 'a new contract'"},
    {study_catalogue, OPENS_TO_READ, 0, 0, "", "catalogue FILE",
     "print the catalogue as it is now, as csv that 'create --attributes' reads", "print the catalogue as it is now",
     "scant study catalogue clinic.study > attributes.csv"},
    {study_erase, OPENS_TO_WRITE, 0, 1, "reason yes finish", "erase FILE EXAMPLE --reason TEXT --yes",
     "erase an example: its name and values are gone from the file, the ledger keeps a mark, and the study learns "
     "everything anew without it.  Without --yes the command says what would go.  Copies of the file are other files: "
     "they stay as they are",
     "erase an example, its name and its values",
     "scant study erase clinic.study P-003 --reason 'consent withdrawn' --yes",
     "--yes is missing, which is the way to see what would go"},
    {study_erase, OPENS_TO_WRITE, 0, 1, "reason yes finish", "erase FILE --finish",
     "go on with an erasure that could not be finished, since somebody read the study"},
    {study_status, OPENS_TO_READ, 0, 0, "json plot until-error", "status FILE",
     "show money, orders, estimated risk and staleness; --plot draws them.  --until-error says how many examples it "
     "still takes, by simulation",
     "show money, orders and what was learned", "scant study status clinic.study --plot clinic.svg"},
    {NULL, OPENS_NOTHING, 0, -1, "", "plan FILE ...",
     "the same as 'scant plan FILE ...', with the study as the pilot: which K to take, and what an error costs; see "
     "'scant help plan'",
     "say which K to take, and what an error costs", "scant study plan clinic.study --reach 1.5"},
    {study_ledger, OPENS_TO_READ, 0, 0, "pseudonyms", "ledger FILE", "print every event, as csv",
     "print every event as csv", "scant study ledger clinic.study > events.csv"},
    {study_predict, OPENS_TO_READ, 0, -1, "interval json", "predict FILE [NAME=VALUE...]",
     "predict the target of an example from these values, with an --interval", "predict the target from some values",
     "scant study predict clinic.study age=50 glucose=6"},
    {study_export, OPENS_TO_READ, 0, 0, EXPORT_OPTIONS, "export FILE -o MODEL",
     "write the model so far, for 'scant predict' and 'scant show'; --looks writes what was bought for it",
     "write the model so far, or tables", "scant study export clinic.study --csv -o patients.csv"},
    {study_export, OPENS_TO_READ, 0, 0, EXPORT_OPTIONS, "export FILE --csv -o TABLE",
     "write one line per example, for pandas, R and spreadsheets, with a dictionary of the columns in "
     "TABLE-dictionary.csv"},
    {study_export, OPENS_TO_READ, 0, 0, EXPORT_OPTIONS, "export FILE --events -o TABLE",
     "write the ledger, one line per value that was ordered or told"},
    {study_import, OPENS_TO_WRITE, 0, 0, "csv new-name", "import FILE --csv PAST",
     "learn from past data, which may have empty cells; a column 'example' names the rows, else a row is named "
     "FILE:LINE, as past.csv:2.  Rows without a target are skipped",
     "learn from past data", "scant study import clinic.study --csv past.csv",
     "an example has an order, was imported with other values, or its name is nearly that of another"},
    {study_verify, OPENS_TO_READ, 0, 0, "json", "verify FILE",
     "prove that everything in the file follows from its ledger", "prove that all follows from the ledger",
     "scant study verify clinic.study"},
    {study_replay, OPENS_TO_WRITE, 0, 0, "", "replay FILE", "make orders, amounts and learner again from the ledger",
     "make orders and learner again from the ledger", "scant study replay clinic.study"},
    {study_backup, OPENS_TO_READ, 1, 1, "", "backup FILE TO",
     "copy the study to a new file; others may write meanwhile", "copy the study",
     "scant study backup clinic.study clinic.backup"},
    {study_freeze, OPENS_TO_WRITE, 0, 1, "output check json", "freeze FILE NAME -o COPY",
     "make a copy that is never written to again, for a paper, with a text of its checksums beside it",
     "make a copy for a paper", "scant study freeze clinic.study \"first submission\" -o submitted.study",
     "the name was used before, or the study is frozen itself"},
    {study_freeze, OPENS_TO_WRITE, 0, 1, "output check json", "freeze COPY --check",
     "check that a frozen copy is as it was, and prove it as verify does"},
};

#define ACTION_COUNT (sizeof actions / sizeof *actions)

const study_action *study_action_at(size_t index) {
  return index < ACTION_COUNT ? &actions[index] : NULL;
}

const named *study_at(size_t index) {
  static named row;
  if (index >= ACTION_COUNT) return NULL;
  row = (named){actions[index].name, actions[index].help};
  return &row;
}

int study_is_called(const study_action *x, const char *name) {
  size_t length = strcspn(x->name, " ");
  return strlen(name) == length && !strncmp(x->name, name, length);
}

static const study_action *find_action(const char *name) {
  for (size_t i = 0; i < ACTION_COUNT; i++)
    if (study_is_called(&actions[i], name)) return &actions[i];
  return NULL;
}

/* The action is unknown, or there is none. */
static int refuse_unknown(const arguments *a) {
  char names[SCANT_ERROR_LENGTH / 2] = "";
  for (size_t i = 0; i < ACTION_COUNT; i++) {
    size_t used = strlen(names);
    if (actions[i].summary) /* else it is called in another way */
      snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "", (int)strcspn(actions[i].name, " "),
               actions[i].name);
  }
  if (!a->operand_count)
    return print_usage_failure(a->command, "it takes an ACTION and FILE; the actions are %s; see 'scant help study'",
                               names);
  return print_usage_failure(a->command, "there is no action '%.100s'; there are %s", a->operands[0], names);
}

/* Refuses options that this action would ignore.  Every action that writes is signed, and may wait. */
static int refuse_unused(const study_action *x, const arguments *a) {
  const scant_option *o;
  for (o = a->command->own; o->name; o++)
    if (arguments_given(a, o) && !has_word(x->options, o->name) &&
        !(x->how == OPENS_TO_WRITE && has_word("by wait", o->name)))
      return print_usage_failure(a->command, "study %s does not use --%s", a->operands[0], o->name);
  for (size_t i = 0; x->run != study_create && (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(&a->settings, o) && !has_word("threads memory", o->name) &&
        !(x->run == study_amend && has_word(STUDY_AMENDABLE, o->name)))
      return print_usage_failure(a->command, "study %s does not use %s%s: it is a setting of 'study create'",
                                 a->operands[0], strlen(o->name) > 1 ? "--" : "-", o->name);
  return EXIT_DONE;
}

static int check_operands(const study_action *x, const arguments *a) {
  if (a->own.csv && !*a->own.csv && x->run != study_list && x->run != study_export)
    return print_usage_failure(a->command, "--csv needs a value (FILE)");
  int more = a->operand_count - 2;
  if (more < x->least) return print_usage_failure(a->command, "it takes: scant study %s", x->name);
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
static int check_outputs(const study_action *x, const arguments *a) {
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
  const study_action *x = a->operand_count ? find_action(a->operands[0]) : NULL;
  if (!x) return refuse_unknown(a);
  if (!x->run) /* an option stood before its name */
    return print_usage_failure(a->command, "write the options behind 'scant study %s': see 'scant help %s'",
                               a->operands[0], a->operands[0]);
  if (a->operand_count < 2) return print_usage_failure(a->command, "it takes: scant study %s", x->name);
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
