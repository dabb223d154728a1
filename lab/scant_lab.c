/* scant-lab: the table of subcommands. */
#include "cli/own_options.h"
#include "lab.h"

#define FIGURE                                                                                                  \
  "On random 90/10 splits every curve learns from ten prefixes of the training part; step size and radius are " \
  "tuned for each prefix by cross-validation on the training part alone.  Writes NAME.csv, NAME.svg and "       \
  "NAME-examples.svg."
#define OWN_DATA "Makes its own data, of which the risk is known exactly, and uses the step sizes of the theorems.  "

static const command commands[] = {
    {.name = "lasso",
     .operands = "",
     .summary = "figure 1 again on MNIST, with the published curves behind",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "ridge",
     .operands = "",
     .summary = "figure 2 again on MNIST",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "lasso-ablation",
     .operands = "",
     .summary = "figure 1 with one choice of a curve changed at a time",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "ridge-ablation",
     .operands = "",
     .summary = "figure 2 with one choice of a curve changed at a time",
     .text = FIGURE,
     .own = image_options,
     .run = run_figure},
    {.name = "few",
     .operands = "",
     .summary = "error against attributes bought per prediction, on MNIST",
     .text = "On random 90/10 splits: gaussian (K = 56) buys 0 to 64 attributes of each example that it predicts, "
             "beside as many that greedy forward selection chose from all attributes of the training part.  Writes "
             "few.csv and few.svg.",
     .own = image_options,
     .run = run_few},
    {.name = "scaling",
     .operands = "",
     .summary = "attributes needed as d, K and the accuracy vary (table 1)",
     .text = OWN_DATA
     "Fits exponents to them.  Writes scaling.csv, scaling.svg, scaling-curves.csv and scaling-exponents.csv.",
     .own = theory_options,
     .run = run_scaling},
    {.name = "lower-bound",
     .operands = "",
     .summary = "excess risk on the distributions behind the lower bounds (2.1 and 2.2)",
     .text = OWN_DATA "Writes lower-bound.csv and lower-bound.svg.",
     .own = theory_options,
     .run = run_lower_bound},
    {.name = "svr",
     .operands = "",
     .summary = "aesvr, coinflip and full-svr over the smoothing, at equal expected attributes",
     .text = OWN_DATA "Writes svr.csv and svr.svg.",
     .own = theory_options,
     .run = run_svr},
    {.name = "bench",
     .operands = "",
     .summary = "time an example takes, beside the least that it could take",
     .text = "For each number of attributes a table is made in memory, and each row of --algorithms goes through it in "
             "order, with --no-shuffle and else as by default.  The limit is a loop that draws K attributes of each "
             "example and adds them up, with or without prefetching, whichever is faster.  plain aerr is aerr with "
             "vectors of d.  All take turns; times are processor time for one example, and what counts are "
             "the ratios of a turn, of which the median is printed.  Writes bench.json, bench.md and bench.svg.",
     .own = bench_options,
     .run = run_bench},
    {.name = "help",
     .operands = "[COMMAND]",
     .operand_most = 2,
     .summary = "help on a command",
     .text = "",
     .own = no_options,
     .run = run_help},
    {.name = "version", .operands = "", .summary = "the version", .text = "", .own = no_options, .run = run_version},
};

static const named moved[] = {
    {"curve", "curves of any data are a part of the command: 'scant curve DATA'"},
    {0},
};

const program this_program = {
    .name = "scant-lab",
    .about = "scant-lab runs the figures and theorems of the paper again, and measures scant.",
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .moved = moved,
};

int main(int count, char **words) {
  return program_main(count, words);
}
