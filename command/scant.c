/* scant: the table of subcommands. */
#include "front/command.h"
#include "front/subcommand_options.h"

static const command commands[] = {
    {.name = "fit",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "learn a linear model, buying K attributes of each example",
     .text = "The data options apply to DATA in this order: classes, shuffle, split, and then the first M examples.  "
             "Every value is bought through a meter, which enforces K per example and the budget in all, and keeps the "
             "ledger.  'scant algorithms' says which algorithms hold K only in expectation.  The summary goes to "
             "standard output, everything else to standard error.  Columns of a csv that hold text are named at once, "
             "before anything is bought; --ignore leaves them out, and --one-hot makes attributes of their words.  "
             "--ignore, --only, --na and --one-hot may be given several times.",
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .own = fit_options,
     .run = run_fit},
    {.name = "tune",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "choose settings inside the budget: all candidates learn from the same looks",
     .text =
         "The settings as given and every point of the grid are candidates.  The leading candidate chooses what to "
         "look at.  Each look is bought once, and all candidates learn from it.  Before a candidate learns from an "
         "example, an unbiased estimate of its squared error is made from the look.  The settings as given lead until "
         "another candidate is better by two standard errors of the paired difference.  While a constant would predict "
         "better than they do, the candidate with the lowest squared error plus two standard errors leads.  A new "
         "leader begins to choose the looks 64 to 128 examples later.  All candidates together buy no more than one "
         "fit.  'scant algorithms' shows the grid of each algorithm that can be tuned; the default is auto here.",
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without = "memory observed errors-of", /* these are of dense algorithms, whose looks can't be shared */
     .own = tune_options,
     .run = run_tune},
    {.name = "curve",
     .operands = "DATA",
     .operand_count = 1,
     .summary = "draw error against attributes, examples and money, for several algorithms",
     .text = "Each entry of --algorithms is a curve, the mean of --runs runs.  The first run does what 'scant fit' "
             "does with the same seed; each next run has the next seed.  The budget is --budget attributes or "
             "--budget-cost; without either it is K per training example, with the largest K of all entries.  The "
             "points divide the budget into equal steps.  A point is the model after the last example that its step "
             "pays for, and a curve ends where its examples end.  Algorithms that look at everything are centred and "
             "learn anew for each point, and their radius is chosen by cross-validation, unless their entry says "
             "something else.  The command writes curve.csv (means), curve-runs.csv (every run), curve.svg, "
             "curve-examples.svg and, with --costs, curve-money.svg.",
     .scopes = SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without = "algorithm passes seed split threads errors errors-of", /* it has its own, and one pass */
     .own = curve_options,
     .run = run_curve},
    {.name = "plan",
     .operands = "DATA|MODEL|STUDY",
     .operand_count = 1,
     .summary = "say which K to take, and what an error costs, by fits simulated from a pilot",
     .text =
         "DATA is a pilot: some examples, whole or with empty cells.  Or give a model of the algorithm gaussian, or a "
         "study, as 'scant study plan FILE'.  From the joint Gaussian of attributes and target the command draws "
         "examples, and learns from them with each K, as 'scant fit' would, until the money is spent: --budget "
         "attributes, or --budget-cost with the prices of --costs.  The error of the weights in the simulated world is "
         "computed exactly.  The recommended K is the largest whose error is not shown to be above the least.  With "
         "--reach E every fit goes on until its error is E, or until the money has doubled four times beyond the "
         "budget.  Without a budget the fits begin with the money for 20 whole examples, and end when that has doubled "
         "seven times, or at 20,000 examples.  From examples, those of a study included, each run has a world of its "
         "own, so that the spread shows what the pilot can't tell.  Values are not clipped.",
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT | SCANT_SCOPE_DATA,
     .without =
         "k passes examples shuffle split observed clip missing seed threads errors errors-of", /* it has its own */
     .own = plan_options,
     .run = run_plan},
    {.name = "predict",
     .operands = "MODEL DATA",
     .operand_count = 2,
     .summary = "predict the target, one line per example",
     .text =
         "Columns of a csv are found by name, in any order; the target may be absent.  Attributes that --one-hot made "
         "are found in the column of words.  Every example is predicted, whatever its class, unless --classes is "
         "given.  Every attribute of the model is read; a missing value is replaced by the mean of the attribute's "
         "known training values.  A model that was fitted with --log-target predicts y itself.  A model of the "
         "algorithm gaussian predicts from the values that are there, and up to half of its columns may be absent.  "
         "With such a model --interval prints the columns mean, low and high, and a line with these names above them.  "
         "With such a model -k buys at most K attributes of each example: at each step it buys the attribute that "
         "lowers the expected variance of the prediction most, per cost if there are costs.  --spend, --until-width "
         "and --until-sure end the buying too, alone or together: the first that is met stops.  An attribute that "
         "--spend no longer pays for is passed over.  Standard error says what was bought.",
     .scopes = SCANT_SCOPE_DATA,
     .without = "one-hot", /* the model has the categories */
     .own = predict_options,
     .run = run_predict},
    {.name = "eval",
     .operands = "MODEL DATA",
     .operand_count = 2,
     .summary = "score a model on data",
     .text =
         "Target and classes are those of the fit, unless they are given.  A missing value is replaced by the mean of "
         "its attribute; a model of the algorithm gaussian predicts from the values that are there.  A model that was "
         "fitted with --log-target is scored on log(1 + y).  With -k the predictions use at most K bought attributes "
         "of each example, and the errors with 0, 1, 2, ... of them are printed, all from one pass.  With --spend, "
         "--until-width or --until-sure, as in predict, it prints instead what stopped how many examples, and how "
         "right they were.  With --interval the share of targets inside their intervals is printed.",
     .scopes = SCANT_SCOPE_DATA,
     .without = "one-hot", /* the model has the categories */
     .own = eval_options,
     .run = run_eval},
    {.name = "next",
     .operands = "MODEL NAME=VALUE...",
     .operand_count = 1,
     .operand_most = -1,
     .summary = "say what to buy next for one prediction",
     .text =
         "The model is one of the algorithm gaussian.  It predicts from the values that are given, and says which "
         "attribute to buy next: the one that lowers the expected variance of the prediction most, per cost if there "
         "are costs.  It says how wide the interval is expected to be after that or, for a target of two values, how "
         "far the probability is expected to move and how often the likelier value will be right.  NAME= means that "
         "the attribute was asked for and has no value, and so do ?, NA and nan; then it is not asked for again.  "
         "Attributes that --one-hot made of a column are given as COLUMN=WORD.  In a model without names an attribute "
         "is called by its number.  With --until-width, --until-sure or --spend it also says when to stop.",
     .own = next_options,
     .run = run_next},
    {.name = "show",
     .operands = "MODEL",
     .operand_count = 1,
     .summary = "show a model's settings, ledger and largest weights",
     .text = "MODEL may be a checkpoint.  A model with errors is shown with its intervals.  Where weights are "
             "penalised, they are biased toward 0, and the errors do not hold that.",
     .own = show_options,
     .run = run_show},
    {.name = "merge",
     .operands = "CHECKPOINT...",
     .operand_count = 2,
     .operand_most = -1,
     .summary = "make one model from checkpoints of moments from several machines",
     .text = "Each of two or more checkpoints was written by 'scant fit --algorithm moments --checkpoint' on another "
             "part of the data.  They must have the same columns, costs and settings; only seed, examples, shuffle, "
             "split and budgets may differ.  Their sums and ledgers are added, in any order, and the model is the one "
             "that a single fit would have made of all the purchases.",
     .scopes = SCANT_SCOPE_FIT,
     .only = "threads memory",
     .own = merge_options,
     .run = run_merge},
    {.name = "study",
     .operands = "ACTION FILE...", /* run_study checks their number, since its sentence lists the actions */
     .operand_most = -1,
     .summary = "ask what to measure today and tell the values next week: a study in one file",
     .text = "A study is for data that do not exist yet.  When an example turns up, 'ask' says which few attributes to "
             "measure, and 'tell' records values and target whenever they come, in any order.  FILE holds the "
             "catalogue of attributes, the orders, every event and what was learned.  When a command ends, its step is "
             "safe on the disk; a command that fails has changed nothing.  Money is reserved when an order is made and "
             "settled when values are told, so a budget is never exceeded.  Only one command can write at a time; "
             "another ends with exit code 75, unless it is given --wait.  'scant study create clinic.study "
             "--attributes attributes.csv -k 3' begins a study; docs/clinic.md shows a whole one.",
     .names = study_at,
     .short_names = study_action_name,
     .help_part = study_help_action,
     .scopes = SCANT_SCOPE_LEARNER | SCANT_SCOPE_FIT,
     .without = "passes split shuffle observed block costs examples errors errors-of", /* these are for files */
     .own = study_options,
     .once = 1,
     .also = "plan",
     .run = run_study},
    {.name = "serve",
     .operands = "FILE...",
     .operand_count = 1,
     .operand_most = -1,
     .summary = "serve studies to several people: a page for the browser, and an interface for programs",
     .text = "Several people work on one study at the same time, each in a browser.  The command opens the studies, "
             "prints where they are, and goes on until Ctrl-C or SIGTERM ends it; what was begun is finished then.  "
             "Meanwhile other commands can read the studies and can't write to them.  Without --tokens only this "
             "machine reaches it, and the command prints a link by which you sign in, once; SIGUSR1 makes it print a "
             "new one.  For others, make a token for each with 'scant token add' and give --tokens.  Tokens must not "
             "go over a net in clear: docs/serve.md shows a proxy with TLS.",
     .own = serve_options,
     .run = run_serve},
    {.name = "token",
     .operands = "ACTION FILE [NAME]",
     .operand_count = 2,
     .operand_most = 3,
     .summary = "say who may do what with served studies",
     .text = "A token is a long word that opens studies which 'scant serve --tokens FILE' serves.  'add' prints it, "
             "once: give it to the person of this name and to nobody else.  Every step that is made with it is "
             "recorded under the name.  The file keeps a digest, from which nobody can find the token.  Changes count "
             "at once, also for a server that runs.",
     .names = token_at,
     .own = token_options,
     .run = run_token},
    {.name = "algorithms",
     .operands = "",
     .summary = "list the algorithms, with references",
     .text = "An algorithm is a choice of parts: which attributes to look at, how looks become a gradient, and how the "
             "weights move.",
     .own = no_options,
     .run = run_algorithms},
    {.name = "help",
     .operands = "[COMMAND [ACTION]]",
     .operand_most = 2,
     .summary = "show help on a command; 'man' prints the manual page",
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
    .name = "scant",
    .about = "scant learns linear models when every attribute has a price.",
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .manual = help_manual,
};

int main(int count, char **words) {
  return program_main(count, words);
}
