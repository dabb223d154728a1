/* scant: the table of subcommands, and which one is meant. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "options.h"

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
    {.name = "experiment",
     .operands = "NAME",
     .operand_count = 1,
     .summary = "run a figure or a theorem of the paper again, or curves on any data",
     .text =
         "The figures need MNIST: on random 90/10 splits every curve learns from ten prefixes of the training part; "
         "step size and radius are tuned for each prefix by cross-validation on the training part alone.  few, on the "
         "same splits: the row gaussian (K = 56) buys 0 to 64 attributes of each example that it predicts, beside as "
         "many that greedy forward selection chose from all attributes of the training part.  The "
         "others make their own data, of which the risk is known exactly, and use the step sizes of the theorems. "
         "Each writes NAME.csv and NAME.svg; the figures also NAME-examples.svg, scaling also scaling-curves.csv "
         "and scaling-exponents.csv.  curve takes the options of the run and of the data, and needs -k where a row "
         "does.  Its budget is --budget attributes (default: K for every training example) or --budget-cost; a point "
         "is the model after the last example that fits into its step, and a curve ends with its examples.  The "
         "first run is what 'scant fit' does with the same seed, the next with the seed after it.  Rows that look at "
         "everything are centred and learn anew for "
         "each point, with the radius chosen by cross-validation.  It also writes curve-examples.svg and, with "
         "--costs, curve-money.svg.",
     .names = experiment_at,
     .scopes = SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without = "algorithm passes seed split threads", /* algorithms and own ones; points are of one pass */
     .own = experiment_options,
     .run = run_experiment},
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

const command *command_at(size_t index) {
  return index < sizeof commands / sizeof *commands ? &commands[index] : NULL;
}

const command *command_find(const char *name) {
  const command *c;
  for (size_t i = 0; (c = command_at(i)); i++)
    if (!strcmp(c->name, name)) return c;
  return NULL;
}

int run_help(arguments *a) {
  if (!a->operand_count) {
    help_overview(stdout);
    return print_end(a->command);
  }
  const command *c = command_find(a->operands[0]);
  if (a->operand_count > 1)
    return print_usage_failure(a->command, "'%s' is one word too many%s%s%s", a->operands[1],
                               c ? ": all is in 'scant help " : "", c ? c->name : "", c ? "'" : "");
  if (!strcmp(a->operands[0], "man"))
    help_manual(stdout);
  else if (c)
    help_command(stdout, c);
  else
    return print_usage_failure(a->command, "there is no command '%s'", a->operands[0]);
  return print_end(a->command);
}

int run_version(arguments *a) {
  printf("scant %s\n", scant_version());
  return print_end(a->command);
}

/* A file that is mapped into memory was cut short by somebody else: reading past its
 * end is a signal.  Outputs are renamed into place when they are whole, so nothing
 * is half-written. */
static void bus_error(int signal_number) {
  static const char sentence[] = "scant: a file was changed while it was in use\n";
  (void)signal_number;
  ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  _exit(written < 0 ? EXIT_OTHER : EXIT_IO);
}

int main(int count, char **words) {
  signal(SIGBUS, bus_error);
  if (count < 2) {
    help_overview(stderr);
    return EXIT_USAGE;
  }
  const char *name = words[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  const command *c = command_find(name);
  if (!c) return print_usage_failure(NULL, "there is no command '%s'; 'scant help' lists them", name);
  arguments a;
  int code = arguments_read(&a, c, count - 2, (const char **)words + 2);
  if (code != EXIT_DONE) return code;
  if (a.help) {
    help_command(stdout, c);
    return print_end(c);
  }
  interrupt_ends(c);
  return c->run(&a);
}
