/* scant: the table of subcommands. */
#include "command.h"
#include "own_options.h"

static const command commands[] = {
    {.name = "fit",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "learn a linear model, buying K attributes of each example",
     .text = "DATA is read as the data options say: first classes, then a shuffle, then the split, then the first M "
             "examples.  Every attribute value is bought through a meter that holds K for each example and the budget "
             "in all, and keeps the ledger.  Rows that hold K only in expectation are marked so by 'scant algorithms'. "
             "A summary goes to standard output, everything else to standard error.",
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .own = fit_options,
     .run = run_fit},
    {.name = "tune",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "choose settings inside the budget: all candidates learn from the same looks",
     .text = "The settings as given and every point of the grid are candidates. Looks are drawn by the law of the "
             "leading candidate and bought once; all learn from them, and each is judged by an unbiased estimate of "
             "its squared error from the looks, example by example before it learns. The settings as given lead "
             "until another candidate is better by two standard errors, paired (or, while a constant would beat them, "
             "until another is surer); a change shows in the looks some 64 to 128 examples later. No more is bought "
             "than by "
             "one fit. For auto, ridge, lasso and svr.",
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without = "memory observed", /* of dense rows, whose looks can't be shared */
     .own = tune_options,
     .run = run_tune},
    {.name = "curve",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "error against attributes, examples and money, for the algorithms that you name",
     .text =
         "Each entry of --algorithms is a curve, the mean of --runs runs.  The first run is what 'scant fit' does with "
         "the same seed, the next with the seed after it.  The budget is --budget attributes (default: K for every "
         "training example, the largest K where entries have their own) or --budget-cost; the points are equal steps "
         "of it, each the model after the last example that fits into its step, and a curve ends with its examples.  "
         "Algorithms that look at everything are centred and learn anew for each point, with the radius chosen by "
         "cross-validation, unless their entry says something else.  Writes curve.csv (means), curve-runs.csv (every "
         "run), curve.svg, curve-examples.svg and, with --costs, curve-money.svg.",
     .scopes = SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without = "algorithm passes seed split threads", /* algorithms and own ones; points are of one pass */
     .own = curve_options,
     .run = run_curve},
    {.name = "predict",
     .operands = "MODEL DATA",
     .operand_count = 2,
     .summary = "predict the target, one line an example",
     .text =
         "Columns of a csv are found by name, in any order; the target may be absent.  Every row is predicted, "
         "whatever "
         "its class, unless --classes is given.  Every attribute of the model is read; where a value is missing, the "
         "mean of the attribute's known training values is put.  A model of --log-target predicts y itself.  A model "
         "of the row gaussian predicts from the values that are there, instead.  Of such a model --interval prints "
         "the columns mean, low and high under a line with these names; -k buys at most K attributes of each "
         "example, always the one that lowers the expected variance of the prediction most (for its cost, where "
         "costs are known), and says on standard error what was bought.",
     .scopes = SCANT_SCOPE_DATA,
     .own = predict_options,
     .run = run_predict},
    {.name = "eval",
     .operands = "MODEL DATA",
     .operand_count = 2,
     .summary = "score a model on data",
     .text = "Target and classes are those the model was fitted with, unless given.  Missing values are the means of "
             "their attributes; a model of the row gaussian predicts from the values that are there.  A model of "
             "--log-target is scored on log(1 + y).  -k scores predictions from at most K bought attributes of each "
             "example and prints the errors from 0, 1, 2, ... of them, all from one pass; --interval tells how many "
             "targets are inside their intervals.",
     .scopes = SCANT_SCOPE_DATA,
     .own = eval_options,
     .run = run_eval},
    {.name = "show",
     .operands = "MODEL",
     .operand_count = 1,
     .summary = "a model's settings, ledger and largest weights",
     .text = "Works on checkpoints too.",
     .own = show_options,
     .run = run_show},
    {.name = "merge",
     .operands = "CHECKPOINT...",
     .operand_count = 2,
     .operand_most = -1,
     .summary = "one model of checkpoints of moments from several machines",
     .text = "Two or more: each is a checkpoint that 'scant fit --algorithm moments --checkpoint' wrote, of another "
             "part of the "
             "data: same columns, costs and settings, but seed, examples, shuffle, split and budgets.  Their sums and "
             "ledgers add up, in any order, and the model is solved for as if one fit had bought it all.",
     .scopes = SCANT_SCOPE_FIT,
     .only = "threads memory",
     .own = merge_options,
     .run = run_merge},
    {.name = "study",
     .operands = "ACTION FILE...", /* of no words at all it says more itself */
     .operand_most = -1,
     .summary = "ask what to measure today, tell the values next week: a study kept in one file",
     .text =
         "Where there is no file with all attributes: an example turns up, 'ask' says which few attributes to measure, "
         "and 'tell' takes down values and target whenever they come, in any order.  FILE holds the catalogue of "
         "attributes, the orders, every event and what was learned; each step is safe on the disk when the command "
         "ends, or changed nothing.  Money is reserved when an order is asked for and settled when values are told, so "
         "a budget is never exceeded.  Only one can write at a time; another one ends with exit code 75 and can be "
         "tried again.  'scant study create clinic.study --attributes attributes.csv -k 3' begins one; docs/studies.md "
         "goes through a whole one.",
     .names = study_at,
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT,
     .without = "passes split shuffle observed costs examples", /* of files; examples is its own */
     .own = study_options,
     .run = run_study},
    {.name = "algorithms",
     .operands = "",
     .summary = "the table of algorithms, with references",
     .text = "Each row is a choice of parts: which attributes to look at, how looks become a gradient, how the weights "
             "move.",
     .own = no_options,
     .run = run_algorithms},
    {.name = "help",
     .operands = "[COMMAND]",
     .operand_most = 2,
     .summary = "help on a command; 'man' prints the manual page",
     .text = "",
     .own = no_options,
     .run = run_help},
    {.name = "version", .operands = "", .summary = "the version", .text = "", .own = no_options, .run = run_version},
};

static const named moved[] = {
    {"experiment",
     "the paper's figures and theorems are in the program scant-lab, which is built and not installed "
     "(build/scant-lab NAME); curves of your own data are 'scant curve DATA'"},
    {"bench", "bench is in the program scant-lab, which is built and not installed (build/scant-lab bench)"},
    {0},
};

const program this_program = {
    .name = "scant",
    .about = "scant learns linear models when every attribute has a price.",
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .moved = moved,
    .manual = help_manual,
};

int main(int count, char **words) {
  return program_main(count, words);
}
