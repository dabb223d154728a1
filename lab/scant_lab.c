/* scant-lab: the tables of subcommands and of their options. */
#include "command/front/subcommand_options.h"
#include "lab.h"

/* ---- options ---------------------------------------------------------------- */

#define OPTION_ALGORITHMS                                                                  \
  {                                                                                        \
    .name = "algorithms", .type = SCANT_OPTION_TEXT, .argument = "LIST",                   \
    .help = "curves to draw, separated by commas; default: all", .offset = OWN(algorithms) \
  }

/* For the experiments on images. */
static const scant_option image_options[] = {
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

static const scant_option few_options[] = {
    {.name = "data",
     .type = SCANT_OPTION_TEXT,
     .argument = "DIR|FILE",
     .help = "folder with MNIST's four IDX files (make data gets them), or a file that 'scant fit' reads",
     .offset = OWN(data)},
    OPTION_OUT,
    {.name = "pair",
     .type = SCANT_OPTION_TEXT,
     .argument = "NEG,POS",
     .help = "which two digits of MNIST; default: 3,5",
     .offset = OWN(pair)},
    {.name = "k",
     .letter = 'k',
     .type = SCANT_OPTION_COUNT,
     .argument = "K",
     .minimum = 2,
     .maximum = 4294967295.0,
     .help = "attributes that gaussian sees of each training example; default: 56 of an image, a third of a file's",
     .offset = OWN(k)},
    {.name = "split",
     .type = SCANT_OPTION_REAL,
     .argument = "F",
     .minimum = 0.001,
     .maximum = 0.999,
     .help = "fraction of the examples to hold out; default: 0.1 of images, 0.3 of a file",
     .offset = OWN(split)},
    OPTION_ALGORITHMS,
    OPTION_RUNS("random splits"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    OPTION_QUIET,
    {0},
};

/* For the experiments that make their own data. */
static const scant_option theory_options[] = {
    OPTION_OUT,
    OPTION_ALGORITHMS,
    OPTION_RUNS("number of runs; each has its own seed"),
    OPTION_SEED("the same seed gives the same results"),
    OPTION_THREADS,
    OPTION_QUIET,
    {0},
};

static const scant_option bench_options[] = {
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

/* ---- subcommands ------------------------------------------------------------ */

#define OF_A_FIGURE                                                                                              \
  .operands = "",                                                                                                \
  .text =                                                                                                        \
      "On random 90/10 splits every curve learns from ten prefixes of the training part.  Step size and radius " \
      "are tuned for each prefix by cross-validation on the training part alone.  The command writes NAME.csv, " \
      "NAME.svg and NAME-examples.svg.",                                                                         \
  .own = image_options, .run = run_figure
#define OF_A_THEOREM(files)                                                                                       \
  .operands = "",                                                                                                 \
  .text =                                                                                                         \
      "The experiment makes its own data, whose risk is known exactly, and uses the step sizes of the theorems. " \
      " " files,                                                                                                  \
  .own = theory_options

static const command commands[] = {
    {.name = "lasso", .summary = "run figure 1 again on MNIST, with the published curves behind", OF_A_FIGURE},
    {.name = "ridge", .summary = "run figure 2 again on MNIST", OF_A_FIGURE},
    {.name = "lasso-ablation", .summary = "run figure 1 with one choice of a curve changed at a time", OF_A_FIGURE},
    {.name = "ridge-ablation", .summary = "run figure 2 with one choice of a curve changed at a time", OF_A_FIGURE},
    {.name = "few",
     .operands = "",
     .summary = "draw error against attributes bought per prediction, on MNIST or on a file",
     .text =
         "On random splits gaussian, which saw K attributes of each training example, buys attributes of each example "
         "that it predicts one by one: 0 to 64, or all.  It is compared with as many attributes that greedy forward "
         "selection chose with all attributes of the training part and, for a file, with gaussian when it saw them all "
         "(the curve 'all').  The command writes few.csv and few.svg.  For a file errors are roots of squared errors "
         "over the range of the target, and few-area.csv has their sums over the numbers of attributes: the area under "
         "the information curve.",
     .scopes = SCANT_SCOPE_DATA,
     .own = few_options,
     .run = run_few},
    {.name = "scaling",
     .summary = "count the attributes needed as d, K and the accuracy vary (table 1)",
     OF_A_THEOREM("It fits exponents to the counts, and writes scaling.csv, scaling.svg, scaling-curves.csv and "
                  "scaling-exponents.csv."),
     .run = run_scaling},
    {.name = "lower-bound",
     .summary = "measure excess risk on the distributions behind the lower bounds (2.1 and 2.2)",
     OF_A_THEOREM("It writes lower-bound.csv and lower-bound.svg."),
     .run = run_lower_bound},
    {.name = "svr",
     .summary = "compare aesvr, coinflip and full-svr, smoothing by smoothing",
     OF_A_THEOREM("It writes svr.csv and svr.svg."),
     .run = run_svr},
    {.name = "bench",
     .operands = "",
     .summary = "measure the time per example, beside the least possible time",
     .text =
         "For each number of attributes a table is made in memory, and each of --algorithms goes through it in order, "
         "with --no-shuffle and the defaults for the rest.  The limit is a loop that draws K attributes of each "
         "example and adds them up; it is run with and without prefetching, and the faster one counts.  plain-aerr "
         "is aerr with vectors of d.  All take turns.  Times are processor time per example.  Ratios are taken "
         "within a turn, and their median is printed.  The command writes bench.json, bench.md and bench.svg.",
     .own = bench_options,
     .run = run_bench},
    {.name = "help",
     .operands = "[COMMAND]",
     .operand_most = 2,
     .summary = "show help on a command",
     .text = "",
     .own = no_options,
     .run = run_help},
    {.name = "version",
     .operands = "",
     .summary = "print the version",
     .text = "",
     .own = no_options,
     .run = run_version},
};

const program this_program = {
    .name = "scant-lab",
    .about = "scant-lab runs the figures and theorems of the paper again, and measures scant.",
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
};

int main(int count, char **words) {
  return program_main(count, words);
}
