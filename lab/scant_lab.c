/* scant-lab: the table of subcommands. */
#include "command/front/subcommand_options.h"
#include "lab.h"

#define FIGURE                                                                                                        \
  "On random 90/10 splits every curve learns from ten prefixes of the training part.  Step size and radius are "      \
  "tuned for each prefix by cross-validation on the training part alone.  The command writes NAME.csv, NAME.svg and " \
  "NAME-examples.svg."
#define OWN_DATA \
  "The experiment makes its own data, whose risk is known exactly, and uses the step sizes of the theorems.  "

static const command commands[] = {
    {.name = "lasso",
     .operands = "",
     .summary = "run figure 1 again on MNIST, with the published curves behind",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "ridge",
     .operands = "",
     .summary = "run figure 2 again on MNIST",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "lasso-ablation",
     .operands = "",
     .summary = "run figure 1 with one choice of a curve changed at a time",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "ridge-ablation",
     .operands = "",
     .summary = "run figure 2 with one choice of a curve changed at a time",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
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
     .operands = "",
     .summary = "count the attributes needed as d, K and the accuracy vary (table 1)",
     .text = OWN_DATA "It fits exponents to the counts, and writes scaling.csv, scaling.svg, scaling-curves.csv and "
                      "scaling-exponents.csv.",
     .own = theory_options,
     .run = run_scaling},
    {.name = "lower-bound",
     .operands = "",
     .summary = "measure excess risk on the distributions behind the lower bounds (2.1 and 2.2)",
     .text = OWN_DATA "It writes lower-bound.csv and lower-bound.svg.",
     .own = theory_options,
     .run = run_lower_bound},
    {.name = "svr",
     .operands = "",
     .summary = "compare aesvr, coinflip and full-svr, smoothing by smoothing",
     .text = OWN_DATA "It writes svr.csv and svr.svg.",
     .own = theory_options,
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
