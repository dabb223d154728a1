#include "front/subcommand_options.h"

#include "front/option_rows.h"

#define OPTION_FEW_K                                                                                                \
  {                                                                                                                 \
    .name = "k", .letter = 'k', .type = SCANT_OPTION_COUNT, .argument = "K", .minimum = 1, .maximum = 4294967295.0, \
    .help = "buy at most K attributes of each example, one after another (algorithm gaussian)", .offset = OWN(k)    \
  }
#define OPTION_FEW_COSTS                                                                                \
  {                                                                                                     \
    .name = "costs", .type = SCANT_OPTION_TEXT, .argument = "FILE",                                     \
    .help = "what attributes that are bought cost; default: the costs of the fit", .offset = OWN(costs) \
  }
#define OPTION_INTERVAL                                                                                             \
  {                                                                                                                 \
    .name = "interval", .type = SCANT_OPTION_REAL, .argument = "L", .minimum = 0.001, .maximum = 0.999999,          \
    .help = "also print the interval that holds y with probability L (algorithm gaussian)", .offset = OWN(interval) \
  }

/* When to stop buying; alone or together, the first that is met stops. */
#define OPTION_LEVEL(words)                                                                            \
  {                                                                                                    \
    .name = "interval", .type = SCANT_OPTION_REAL, .argument = "L", .preset = "0.9", .minimum = 0.001, \
    .maximum = 0.999999, .help = (words), .offset = OWN(interval)                                      \
  }

#define OPTIONS_UNTIL                                                                                           \
  {.name = "until-width",                                                                                       \
   .type = SCANT_OPTION_REAL,                                                                                   \
   .argument = "W",                                                                                             \
   .minimum = 1e-300,                                                                                           \
   .maximum = 1e300,                                                                                            \
   .help = "buy until the interval is at most this wide; it is of --interval, or of 0.9 (algorithm gaussian)",  \
   .offset = OWN(until_width)},                                                                                 \
  {                                                                                                             \
    .name = "until-sure", .type = SCANT_OPTION_REAL, .argument = "P", .minimum = 0.500001, .maximum = 0.999999, \
    .help = "buy until one of the two values of the target has this probability (algorithm gaussian)",          \
    .offset = OWN(until_sure)                                                                                   \
  }

#define OPTION_SPEND_EACH(words)                                                                                    \
  {                                                                                                                 \
    .name = "spend", .type = SCANT_OPTION_REAL, .argument = "C", .minimum = 0.01, .maximum = 4e13, .help = (words), \
    .offset = OWN(spend_each)                                                                                       \
  }

#define OPTIONS_STOP                                                                                                \
  OPTION_SPEND_EACH("buy attributes of each example for at most this money (algorithm gaussian)"), OPTIONS_UNTIL, { \
    .name = "have", .type = SCANT_OPTION_TEXT, .argument = "NAMES",                                                 \
    .help = "these attributes are there already: they are used and cost nothing", .offset = OWN(have)               \
  }

#define OPTION_OUTPUT(what, words)                                                                   \
  {                                                                                                  \
    .name = "output", .letter = 'o', .type = SCANT_OPTION_TEXT, .argument = (what), .help = (words), \
    .offset = OWN(output)                                                                            \
  }

/* The looks that a command writes. */
#define OPTION_LOOKS(words) \
  { .name = "looks", .type = SCANT_OPTION_TEXT, .argument = "FILE", .help = (words), .offset = OWN(looks) }
#define OPTION_LOOKS_PAIRS(words) \
  { .name = "looks-pairs", .type = SCANT_OPTION_TEXT, .argument = "FILE", .help = (words), .offset = OWN(looks_pairs) }
#define LOOKS_HELP "write every attribute bought, with the probability of its draw, to this .csv or .npy"
#define LOOKS_PAIRS_HELP \
  "with --looks: write the probabilities of pairs to this .csv or .npy, where they have a closed form"

const scant_option fit_options[] = {
    OPTION_OUTPUT("MODEL", "write the model here"),
    OPTION_JSON,
    OPTION_QUIET,
    {.name = "test", .type = SCANT_OPTION_TEXT, .argument = "DATA2", .help = "test on this file", .offset = OWN(test)},
    {.name = "test-labels",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "targets of an npy or idx test file",
     .offset = OWN(test_labels)},
    {.name = "checkpoint",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "write checkpoints here during the fit",
     .offset = OWN(checkpoint)},
    {.name = "every",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .minimum = 1,
     .maximum = 1e15,
     .help = "examples between checkpoints; 10000 if not given",
     .offset = OWN(every)},
    {.name = "resume",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "go on from a checkpoint, with its settings",
     .offset = OWN(resume)},
    OPTION_LOOKS(LOOKS_HELP),
    OPTION_LOOKS_PAIRS(LOOKS_PAIRS_HELP),
    {0},
};

const scant_option tune_options[] = {
    {.name = "grid",
     .type = SCANT_OPTION_TEXT,
     .argument = "GRID",
     .help = "what to try, as 'eta=1,2,4 radius=3,9'; default: the algorithm's grid",
     .offset = OWN(grid)},
    OPTION_OUTPUT("MODEL", "write the model of the chosen candidate here"),
    OPTION_LOOKS(LOOKS_HELP),
    OPTION_LOOKS_PAIRS(LOOKS_PAIRS_HELP),
    OPTION_JSON,
    OPTION_QUIET,
    {0},
};

const scant_option predict_options[] = {
    OPTION_FEW_K,
    OPTIONS_STOP,
    OPTION_FEW_COSTS,
    OPTION_INTERVAL,
    {.name = "bought",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "also print what was bought of each example, in order, what it cost, and what stopped it",
     .offset = OWN(bought)},
    OPTION_OUTPUT("FILE", "write the predictions here"),
    OPTION_JSON,
    {0},
};

const scant_option eval_options[] = {OPTION_FEW_K, OPTIONS_STOP, OPTION_FEW_COSTS, OPTION_INTERVAL, OPTION_JSON, {0}};

const scant_option next_options[] = {
    OPTION_FEW_COSTS,
    OPTION_SPEND_EACH("the money that is left: what costs more is passed over"),
    OPTIONS_UNTIL,
    OPTION_LEVEL("the probability that y is inside the interval"),
    {.name = "top",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .minimum = 1,
     .maximum = 1e9,
     .help = "also list what the N best attributes would change",
     .offset = OWN(top)},
    OPTION_JSON,
    {0},
};

const scant_option show_options[] = {
    {.name = "top",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "10",
     .minimum = 0,
     .maximum = 1e9,
     .help = "how many weights to list: the largest or, with errors, those that are the most errors away from 0",
     .offset = OWN(top)},
    {.name = "json",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "print the whole model as one JSON object, with every weight",
     .offset = OWN(json)},
    OPTION_LEVEL("the probability that a weight is inside its interval, for models with errors"),
    {0},
};

const scant_option merge_options[] = {
    OPTION_OUTPUT("MODEL", "write the model here"),
    OPTION_JSON,
    {0},
};

const scant_option curve_options[] = {
    OPTION_OUT,
    {.name = "algorithms",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .help = "curves to draw, separated by commas: algorithms of 'scant algorithms', each with its own options and k "
             "if you like, as 'auto k=12,aerr eta=0.01 radius=3'; default: auto and a standardised full-ridge",
     .offset = OWN(algorithms)},
    OPTION_RUNS("random splits, or orders of the examples; each has its own seed"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    {.name = "points",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "10",
     .minimum = 1,
     .maximum = 1000,
     .help = "number of points, at equal steps of the budget",
     .offset = OWN(points)},
    {.name = "split",
     .type = SCANT_OPTION_REAL,
     .argument = "F",
     .preset = "0.1",
     .minimum = 1e-9,
     .maximum = 0.999,
     .help = "fraction of the examples to hold out; each run holds out others",
     .offset = OWN(split)},
    {.name = "test",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "test on this file; then runs differ in the order of the examples",
     .offset = OWN(test)},
    {.name = "test-labels",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "targets of an npy or idx test file",
     .offset = OWN(test_labels)},
    {.name = "spend",
     .type = SCANT_OPTION_TEXT,
     .argument = "C",
     .help = "most money to spend per example, for the algorithms that take it",
     .offset = OWN(spend)},
    OPTION_QUIET,
    {0},
};

const scant_option plan_options[] = {
    {.name = "k",
     .letter = 'k',
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .help = "the K to compare, separated by commas; 'd' is whole examples; default: 2,4,8,... and d",
     .offset = OWN(k_list)},
    {.name = "reach",
     .type = SCANT_OPTION_REAL,
     .argument = "E",
     .minimum = 1e-100,
     .maximum = 1e100,
     .help = "find the examples and the money that each K needs for a squared error of E",
     .offset = OWN(reach)},
    {.name = "examples",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "0",
     .maximum = 1000000000,
     .help = "there are no more than N examples to buy; 0: as many as the money pays for",
     .offset = OWN(examples)},
    {.name = "label-cost",
     .type = SCANT_OPTION_TEXT,
     .argument = "L",
     .help = "what the target of an example costs, beside its attributes; default: nothing",
     .offset = OWN(label_cost)},
    {.name = "runs",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .preset = "0",
     .maximum = 1000,
     .help = "simulated fits of each K; 0: up to ten, and as many as make 30 in all",
     .offset = OWN(runs)},
    OPTION_SEED("the same seed gives the same plan"),
    OPTION_THREADS,
    {.name = "plot",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE.svg",
     .help = "draw the error against the money, a line for each K",
     .offset = OWN(plot)},
    OPTION_JSON,
    OPTION_QUIET,
    {0},
};

const scant_option study_options[] = {
    {.name = "attributes",
     .type = SCANT_OPTION_TEXT,
     .argument = "CATALOGUE",
     .help = "create: csv with the column name and, as needed, unit, cost, low and high (values outside are refused), "
             "usual_low and usual_high (values outside need --confirm), group (bought together) and known (yes: always "
             "known)",
     .offset = OWN(attributes)},
    {.name = "target",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAME",
     .help = "create: the name of the target; y if not given",
     .offset = OWN(target)},
    {.name = "max-open",
     .type = SCANT_OPTION_TEXT,
     .argument = "N",
     .help = "create, amend: how many orders may be open at a time; 1000 if not given",
     .offset = OWN(max_open)},
    {.name = "examples",
     .type = SCANT_OPTION_TEXT,
     .argument = "N",
     .help = "create: how many examples you expect; if not given, that is not known",
     .offset = OWN(expected)},
    {.name = "csv",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .or_none = 1,
     .help = "tell, import: the values, one line per example; commas separate the columns.  ask: the examples, in a "
             "column 'example'.  list: print csv.  export: write one line per example to this file, or to that of -o",
     .offset = OWN(csv)},
    {.name = "missing-reasons",
     .type = SCANT_OPTION_TEXT,
     .argument = "LIST",
     .help = "create: why a value may be missing, separated by commas; 'not done, refused, broken, lost' if not given",
     .offset = OWN(missing_reasons)},
    {.name = "second-entry",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "create: learn from an order only when all its values were entered a second time, and agree",
     .offset = OWN(second_entry)},
    {.name = "confirm",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "tell, correct: these values are right, though they are outside their usual ranges",
     .offset = OWN(confirm)},
    {.name = "second",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "tell: a second entry of values that were told, without a look at the first; differences are listed",
     .offset = OWN(second)},
    {.name = "expired",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "cancel: no values will come, but some may have been measured, so the money stays spent",
     .offset = OWN(expired)},
    {.name = "failed",
     .type = SCANT_OPTION_TEXT,
     .argument = "REASON",
     .help = "cancel: the order failed, for this reason",
     .offset = OWN(failed)},
    {.name = "reason",
     .type = SCANT_OPTION_TEXT,
     .argument = "TEXT",
     .help = "correct, reopen, erase, amend, tell: why; the ledger records it",
     .offset = OWN(reason)},
    {.name = "yes",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "cancel: end the order though something was told of it, which is then not learned from; what was told as "
             "extra counts, attributes that are always known do not.  erase: erase it, for good",
     .offset = OWN(yes)},
    {.name = "finish",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "erase: go on with an erasure that could not be finished",
     .offset = OWN(finish)},
    {.name = "dry-run",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "ask: order nothing; say what the orders may cost, and whether the budget covers them.  amend: change "
             "nothing; say what would change",
     .offset = OWN(dry_run)},
    {.name = "new",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "amend: add the attribute to the catalogue",
     .offset = OWN(new_one)},
    {.name = "extra",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "tell: the values were measured without being ordered; they cost nothing, and --reason says why",
     .offset = OWN(extra)},
    {.name = "new-name",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "ask, import: names that differ from others only in case, blanks or the kind of dash are new ones",
     .offset = OWN(new_name)},
    {.name = "sheets",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "ask, list: print a sheet to fill in for each order, one per page",
     .offset = OWN(sheets)},
    {.name = "open",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "list: orders of which something is still to come; this is the default",
     .offset = OWN(open)},
    {.name = "all", .type = SCANT_OPTION_FLAG, .preset = "no", .help = "list: all orders", .offset = OWN(all)},
    {.name = "differs",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "list: orders with a value whose second entry differs, whatever their state",
     .offset = OWN(differs)},
    {.name = "state",
     .type = SCANT_OPTION_TEXT,
     .argument = "STATES",
     .help = "list: orders in these states, separated by commas: issued, partly, told, learned, cancelled, expired, "
             "failed, erased",
     .offset = OWN(state)},
    {.name = "due",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAME",
     .help = "list: orders that wait for this attribute, or for the target",
     .offset = OWN(due)},
    {.name = "since",
     .type = SCANT_OPTION_TEXT,
     .argument = "DATE",
     .help = "list: asked for then or later: 2026-11-15, or 2026-11-15T09:30; local, unless it ends in Z",
     .offset = OWN(since)},
    {.name = "before",
     .type = SCANT_OPTION_TEXT,
     .argument = "DATE",
     .help = "list: asked for before then",
     .offset = OWN(before)},
    {.name = "by",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAME",
     .help = "who acts, for the ledger; your login name if not given.  list: orders that this person asked for",
     .offset = OWN(by)},
    {.name = "plot",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE.svg",
     .help = "status: draw the risk against examples, and purchases and money per attribute",
     .offset = OWN(plot)},
    {.name = "until-error",
     .type = SCANT_OPTION_REAL,
     .argument = "E",
     .minimum = 1e-100,
     .maximum = 1e100,
     .help = "status: simulate how many more examples it takes until the squared error is E; this takes a while",
     .offset = OWN(until_error)},
    {.name = "wait",
     .type = SCANT_OPTION_REAL,
     .argument = "SECONDS",
     .preset = "0",
     .maximum = 1e9,
     .help = "actions that write: wait so long for others that write, in the order of coming; 0: end at once with exit "
             "code 75",
     .offset = OWN(wait)},
    OPTION_LEVEL("predict: the probability that y is inside the interval"),
    {.name = "gaussian",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "export: the joint Gaussian of all values, which predicts from whatever is known",
     .offset = OWN(gaussian)},
    {.name = "errors",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "export: standard errors of the weights, from the answers",
     .offset = OWN(errors)},
    {.name = "errors-of",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAMES|all",
     .help = "export of gaussian: errors, and do not penalise these attributes",
     .join = ',',
     .offset = OWN(errors_of)},
    OPTION_OUTPUT("FILE", "export: write the model here, or with --csv or --events the table.  freeze: the copy"),
    {.name = "events",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "export: the ledger as csv, a row for every value that was ordered or told",
     .offset = OWN(events)},
    {.name = "pseudonyms",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "export, ledger: put pseudonyms in place of the names of examples and people, and leave out reasons",
     .offset = OWN(pseudonyms)},
    {.name = "check",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "freeze: check a copy that was frozen against what was written beside it",
     .offset = OWN(check)},
    OPTION_LOOKS("export: write every attribute of the orders learned from, with the probability of its draw, to this "
                 ".csv or .npy"),
    OPTION_LOOKS_PAIRS("export, with --looks: the probabilities of pairs, where they have a closed form"),
    {.name = "json",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help = "ask, list, show, status, predict, verify, freeze: print one JSON object",
     .offset = OWN(json)},
    {0},
};
