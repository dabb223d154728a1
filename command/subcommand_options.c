/* The options that the subcommands of scant add to those of the library. */
#include "front/subcommand_options.h"

#define K_MOST 4294967295.0
#define OPTION_FEW_K                                                                                             \
  {                                                                                                              \
    .name = "k", .letter = 'k', .type = SCANT_OPTION_COUNT, .argument = "K", .minimum = 1, .maximum = K_MOST,    \
    .help = "buy at most K attributes of each example, one after another (algorithm gaussian)", .offset = OWN(k) \
  }
#define OPTION_FEW_COSTS \
  OWN_TEXT("costs", "FILE", costs, "what attributes that are bought cost; default: the costs of the fit")
#define OPTION_INTERVAL                                      \
  OWN_REAL("interval", "L", NULL, 0.001, 0.999999, interval, \
           "also print the interval that holds y with probability L (algorithm gaussian)")
#define OPTION_LEVEL(words) OWN_REAL("interval", "L", "0.9", 0.001, 0.999999, interval, words)

/* When to stop buying; alone or together, the first that is met stops. */
#define OPTION_UNTIL_WIDTH                                       \
  OWN_REAL("until-width", "W", NULL, 1e-300, 1e300, until_width, \
           "buy until the interval is at most this wide; it is of --interval, or of 0.9 (algorithm gaussian)")
#define OPTION_UNTIL_SURE                                           \
  OWN_REAL("until-sure", "P", NULL, 0.500001, 0.999999, until_sure, \
           "buy until one of the two values of the target has this probability (algorithm gaussian)")
#define OPTION_SPEND_EACH(words) OWN_REAL("spend", "C", NULL, 0.01, 4e13, spend_each, words)
#define OPTIONS_STOP                                                                                                   \
  OPTION_SPEND_EACH("buy attributes of each example for at most this money (algorithm gaussian)"), OPTION_UNTIL_WIDTH, \
      OPTION_UNTIL_SURE,                                                                                               \
      OWN_TEXT("have", "NAMES", have, "these attributes are there already: they are used and cost nothing")

#define OPTION_OUTPUT(what, words)                                                                   \
  {                                                                                                  \
    .name = "output", .letter = 'o', .type = SCANT_OPTION_TEXT, .argument = (what), .help = (words), \
    .offset = OWN(output)                                                                            \
  }
#define OPTION_TEST_LABELS OWN_TEXT("test-labels", "FILE", test_labels, "targets of an npy or idx test file")

/* The looks that a command writes. */
#define OPTION_LOOKS(words) OWN_TEXT("looks", "FILE", looks, words)
#define OPTION_LOOKS_PAIRS(words) OWN_TEXT("looks-pairs", "FILE", looks_pairs, words)
#define LOOKS_HELP "write every attribute bought, with the probability of its draw, to this .csv or .npy"
#define LOOKS_PAIRS_HELP \
  "with --looks: write the probabilities of pairs to this .csv or .npy, where they have a closed form"

const scant_option fit_options[] = {
    OPTION_OUTPUT("MODEL", "write the model here"),
    OPTION_JSON,
    OPTION_QUIET,
    OWN_TEXT("test", "DATA2", test, "test on this file"),
    OPTION_TEST_LABELS,
    OWN_TEXT("checkpoint", "FILE", checkpoint, "write checkpoints here during the fit"),
    OWN_COUNT("every", "N", NULL, 1, 1e15, every, "examples between checkpoints; 10000 if not given"),
    OWN_TEXT("resume", "FILE", resume, "go on from a checkpoint, with its settings"),
    OPTION_LOOKS(LOOKS_HELP),
    OPTION_LOOKS_PAIRS(LOOKS_PAIRS_HELP),
    {0},
};

const scant_option tune_options[] = {
    OWN_TEXT("grid", "GRID", grid, "what to try, as 'eta=1,2,4 radius=3,9'; default: the algorithm's grid"),
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
    OWN_FLAG("bought", bought,
             "also print what was bought of each example, in order, what it cost, and what stopped it"),
    OPTION_OUTPUT("FILE", "write the predictions here"),
    OPTION_JSON,
    {0},
};

const scant_option eval_options[] = {OPTION_FEW_K, OPTIONS_STOP, OPTION_FEW_COSTS, OPTION_INTERVAL, OPTION_JSON, {0}};

const scant_option next_options[] = {
    OPTION_FEW_COSTS,
    OPTION_SPEND_EACH("the money that is left: what costs more is passed over"),
    OPTION_UNTIL_WIDTH,
    OPTION_UNTIL_SURE,
    OPTION_LEVEL("the probability that y is inside the interval"),
    OWN_COUNT("top", "N", NULL, 1, 1e9, top, "also list what the N best attributes would change"),
    OPTION_JSON,
    {0},
};

const scant_option show_options[] = {
    OWN_COUNT("top", "N", "10", 0, 1e9, top,
              "how many weights to list: the largest or, with errors, those that are the most errors away from 0"),
    OWN_FLAG("json", json, "print the whole model as one JSON object, with every weight"),
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
    OWN_TEXT("algorithms", "LIST", algorithms,
             "curves to draw, separated by commas: algorithms of 'scant algorithms', each with its own options and k "
             "if you like, as 'auto k=12,aerr eta=0.01 radius=3'; default: auto and a standardised full-ridge"),
    OPTION_RUNS("random splits, or orders of the examples; each has its own seed"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    OWN_COUNT("points", "N", "10", 1, 1000, points, "number of points, at equal steps of the budget"),
    OWN_REAL("split", "F", "0.1", 1e-9, 0.999, split,
             "fraction of the examples to hold out; each run holds out others"),
    OWN_TEXT("test", "FILE", test, "test on this file; then runs differ in the order of the examples"),
    OPTION_TEST_LABELS,
    OWN_TEXT("spend", "C", spend, "most money to spend per example, for the algorithms that take it"),
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
    OWN_REAL("reach", "E", NULL, 1e-100, 1e100, reach,
             "find the examples and the money that each K needs for a squared error of E"),
    OWN_COUNT("examples", "N", "0", 0, 1000000000, examples,
              "there are no more than N examples to buy; 0: as many as the money pays for"),
    OWN_TEXT("label-cost", "L", label_cost,
             "what the target of an example costs, beside its attributes; default: nothing"),
    OWN_COUNT("runs", "N", "0", 0, 1000, runs, "simulated fits of each K; 0: up to ten, and as many as make 30 in all"),
    OPTION_SEED("the same seed gives the same plan"),
    OPTION_THREADS,
    OWN_TEXT("plot", "FILE.svg", plot, "draw the error against the money, a line for each K"),
    OPTION_JSON,
    OPTION_QUIET,
    {0},
};

const scant_option study_options[] = {
    OWN_TEXT("attributes", "CATALOGUE", attributes,
             "csv with the column name and, as needed, unit, cost, low and high (values outside are refused), "
             "usual_low and usual_high (values outside need --confirm), group (bought together) and known (yes: always "
             "known)"),
    OWN_TEXT("target", "NAME", target, "the name of the target; y if not given"),
    OWN_TEXT("max-open", "N", max_open, "how many orders may be open at a time; 1000 if not given"),
    OWN_TEXT("examples", "N", expected, "how many examples you expect; if not given, that is not known"),
    {.name = "csv",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .or_none = 1,
     .help = "the values, one line per example; commas separate the columns",
     .offset = OWN(csv)},
    OWN_TEXT("missing-reasons", "LIST", missing_reasons,
             "why a value may be missing, separated by commas; 'not done, refused, broken, lost' if not given"),
    OWN_FLAG("second-entry", second_entry,
             "learn from an order only when all its values were entered a second time, and agree"),
    OWN_FLAG("confirm", confirm, "these values are right, though they are outside their usual ranges"),
    OWN_FLAG("second", second,
             "a second entry of values that were told, without a look at the first; differences are listed"),
    OWN_FLAG("expired", expired, "no values will come, but some may have been measured, so the money stays spent"),
    OWN_TEXT("failed", "REASON", failed, "the order failed, for this reason"),
    OWN_TEXT("reason", "TEXT", reason, "why; the ledger records it"),
    OWN_FLAG("yes", yes,
             "end the order though something was told of it, which is then not learned from; what was told as "
             "extra counts, attributes that are always known do not"),
    OWN_FLAG("finish", finish, "go on with an erasure that could not be finished"),
    OWN_FLAG("dry-run", dry_run, "order nothing; say what the orders may cost, and whether the budget covers them"),
    OWN_FLAG("new", new_one, "add the attribute to the catalogue"),
    OWN_FLAG("extra", extra,
             "the values were measured without being ordered; they cost nothing, and --reason says why"),
    OWN_FLAG("new-name", new_name,
             "names that differ from others only in case, blanks or the kind of dash are new ones"),
    OWN_FLAG("sheets", sheets, "print a sheet to fill in for each order, one per page"),
    OWN_FLAG("open", open, "orders of which something is still to come; this is the default"),
    OWN_FLAG("all", all, "all orders"),
    OWN_FLAG("differs", differs, "orders with a value whose second entry differs, whatever their state"),
    OWN_TEXT("state", "STATES", state,
             "orders in these states, separated by commas: issued, partly, told, learned, cancelled, expired, "
             "failed, erased"),
    OWN_TEXT("due", "NAME", due, "orders that wait for this attribute, or for the target"),
    OWN_TEXT("since", "DATE", since,
             "asked for then or later: 2026-11-15, or 2026-11-15T09:30; local, unless it ends in Z"),
    OWN_TEXT("before", "DATE", before, "asked for before then"),
    OWN_TEXT("by", "NAME", by, "who acts, for the ledger; your login name if not given"),
    OWN_TEXT("plot", "FILE.svg", plot, "draw the risk against examples, and purchases and money per attribute"),
    OWN_REAL("until-error", "E", NULL, 1e-100, 1e100, until_error,
             "simulate how many more examples it takes until the squared error is E; this takes a while"),
    OWN_REAL("wait", "SECONDS", "0", 0, 1e9, wait,
             "wait so long for others that write, in the order of coming; 0: end at once with exit "
             "code 75"),
    OPTION_LEVEL("the probability that y is inside the interval"),
    OWN_FLAG("gaussian", gaussian, "the joint Gaussian of all values, which predicts from whatever is known"),
    OWN_FLAG("errors", errors, "standard errors of the weights, from the answers"),
    OWN_LIST("errors-of", "NAMES|all", ',', errors_of,
             "errors, and do not penalise these attributes (algorithm gaussian)"),
    OPTION_OUTPUT("FILE", "write the model here, or with --csv or --events the table"),
    OWN_FLAG("events", events, "the ledger as csv, a row for every value that was ordered or told"),
    OWN_FLAG("pseudonyms", pseudonyms,
             "put pseudonyms in place of the names of examples and people, and leave out reasons"),
    OWN_FLAG("check", check, "check a copy that was frozen against what was written beside it"),
    OPTION_LOOKS("write every attribute of the orders learned from, with the probability of its draw, to this "
                 ".csv or .npy"),
    OPTION_LOOKS_PAIRS("the probabilities of pairs, where they have a closed form; with --looks"),
    OWN_FLAG("json", json, "print one JSON object"),
    {0},
};

const scant_option serve_options[] = {
    OWN_TEXT("listen", "ADDRESS:PORT", listen,
             "where to listen; 127.0.0.1:8765 if not given, which only this machine reaches.  Port 0 takes any that is "
             "free.  Other addresses need --tokens and --behind-proxy"),
    OWN_TEXT("socket", "PATH", socket,
             "listen at a socket in the file system in place of an address, for a proxy of the same user"),
    OWN_TEXT("tokens", "FILE", tokens,
             "who may do what: a file that 'scant token add' makes; changes count from the next request on"),
    OWN_TEXT("base-path", "PATH", base_path,
             "what stands before every path, such as /scant, where a proxy serves other things, too"),
    OWN_FLAG("behind-proxy", behind_proxy,
             "a proxy with TLS stands before it: cookies go over TLS alone, and the address of a client is the last "
             "one in X-Forwarded-For"),
    OWN_LIST("host", "NAME", '\n', host,
             "a name by which browsers may call it, such as study.example.org; it may be given several times.  "
             "localhost and 127.0.0.1 are taken always"),
    OWN_REAL("patience", "SECONDS", "20", 0.1, 3600, patience,
             "how long a client may take for the head of a request; for its body three times that"),
    {0},
};

const scant_option token_options[] = {
    OWN_TEXT("role", "ROLE", role,
             "add: read sees how the study stands; enter also asks, tells, and corrects what the same person told; "
             "manage does everything"),
    OWN_LIST("study", "NAME", '\n', study,
             "add: the token opens only this study, clinic of clinic.study; it may be given several times.  All if not "
             "given"),
    OWN_COUNT("days", "N", NULL, 1, 36500, days, "add: the token ends after so many days; never if not given"),
    OPTION_JSON,
    {0},
};
