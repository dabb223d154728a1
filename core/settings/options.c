/* The one table of options.  An entry is a flag of the command, a line of its help and manual, a field of
 * scant_settings and of the model file, and a keyword of other languages. */
#include <string.h>

#include "scant.h"

#define LEARNER (SCANT_SCOPE_LEARNER | SCANT_SCOPE_MODEL)
#define FIT (SCANT_SCOPE_FIT | SCANT_SCOPE_MODEL)
#define DATA SCANT_SCOPE_DATA
#define LARGEST_COUNT 9007199254740992.0 /* 2^53: exact as a double */
#define LARGEST_UINT32 4294967295.0
#define LARGEST_REAL 1e100 /* squares stay finite */
#define LARGEST_MONEY 1e13 /* in hundredths exact as a double */
#define SMALLEST_REAL 1e-100
#define TEXT_OF(number) #number
#define TEXT_OF_MACRO(macro) TEXT_OF(macro)

/* Entries by type: name, scope, field, what help calls a value, default, range, help. */
#define ENTRY(option, who, field, words) \
  .name = (option), .scope = (who), .offset = offsetof(scant_settings, field), .help = (words)
#define FLAG(name, scope, field, value, help) \
  { ENTRY(name, scope, field, help), .type = SCANT_OPTION_FLAG, .preset = (value) }
#define COUNT(name, scope, field, word, value, least, most, help)                                       \
  {                                                                                                     \
    ENTRY(name, scope, field, help), .type = SCANT_OPTION_COUNT, .argument = (word), .preset = (value), \
                                     .minimum = (least), .maximum = (most)                              \
  }
#define REAL(name, scope, field, word, value, least, most, help)                                       \
  {                                                                                                    \
    ENTRY(name, scope, field, help), .type = SCANT_OPTION_REAL, .argument = (word), .preset = (value), \
                                     .minimum = (least), .maximum = (most)                             \
  }
#define REAL_OR_AUTO(name, scope, field, word, value, help)                                                          \
  {                                                                                                                  \
    ENTRY(name, scope, field, help), .type = SCANT_OPTION_REAL, .argument = (word), .preset = (value), .or_auto = 1, \
                                     .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL                               \
  }
#define CHOICE(name, scope, field, word, value, list, help)                                              \
  {                                                                                                      \
    ENTRY(name, scope, field, help), .type = SCANT_OPTION_CHOICE, .argument = (word), .preset = (value), \
                                     .choices = (list)                                                   \
  }
#define TEXT(name, scope, field, word, value, between, help)                                           \
  {                                                                                                    \
    ENTRY(name, scope, field, help), .type = SCANT_OPTION_TEXT, .argument = (word), .preset = (value), \
                                     .join = (between)                                                 \
  }

static const scant_option options[] = {
    TEXT("algorithm", FIT, learning.algorithm, "NAME", SCANT_DEFAULT_ALGORITHM, 0,
         "a name that 'scant algorithms' lists; default: gaussian if m K^3 + 8 d^3 <= " TEXT_OF_MACRO(
             SCANT_DEFAULT_WORK) ", else auto"),
    {.name = "k",
     .letter = 'k',
     .type = SCANT_OPTION_COUNT,
     .scope = FIT,
     .argument = "K",
     .minimum = 2,
     .maximum = LARGEST_UINT32,
     .help = "attributes that may be bought per example, over all passes",
     .offset = offsetof(scant_settings, learning.k)},
    REAL_OR_AUTO("radius", LEARNER, learning.radius, "B|auto", "1",
                 "bound on the norm of the weights; auto: by cross-validation (full-*), none (lasso)"),
    REAL_OR_AUTO("eta", LEARNER, learning.eta, "E|auto", "auto",
                 "step size; auto: the theorem's, or adaptive where it has none"),
    REAL_OR_AUTO("penalty", LEARNER, learning.penalty, "L|auto", "auto",
                 "lambda of aer and moments; auto: 16 d sqrt(log m / (m K)), or by folds of the purchases (moments)"),
    CHOICE("loss", LEARNER, learning.loss, "NAME", "squared", "squared|insensitive|absolute|hinge|huber|logistic",
           "insensitive, absolute and hinge are smoothed by erf; hinge and logistic need targets -1 and +1"),
    CHOICE("norm", LEARNER, learning.norm, "1|2", "2", "1|2",
           "norm of the ball that holds the weights, or of the penalty (moments: 1 lasso, 2 ridge)"),
    REAL("tube", LEARNER, learning.tube, "T", "0.1", 0, LARGEST_REAL,
         "errors up to T are free (insensitive; the paper's delta) or squared (huber)"),
    REAL("smoothing", LEARNER, learning.smoothing, "S", "0.5", SMALLEST_REAL, LARGEST_REAL,
         "width of the smoothed corner of a loss; the paper's epsilon"),
    COUNT("residual-looks", LEARNER, learning.residual_looks, "N", "1", 1, LARGEST_UINT32,
          "looks of the K that estimate the residual; the others estimate the gradient"),
    CHOICE("replacement", LEARNER, learning.replacement, "no|yes", "yes", "no|yes",
           "draw the gradient's looks with replacement"),
    FLAG("center", LEARNER, learning.center, "no", "subtract running means of past purchases; adds an intercept"),
    FLAG("intercept", LEARNER, learning.intercept, "yes", "learn an intercept, from running means of past purchases"),
    FLAG("standardise", LEARNER, learning.standardise, "no",
         "divide attributes by their standard deviations, so that units do not matter (full-*)"),
    FLAG("like-units", LEARNER, learning.like_units, "no",
         "the attributes are in like units, as pixels are: they share a variance until each has its own"),
    {.name = "clip",
     .type = SCANT_OPTION_REAL,
     .scope = LEARNER,
     .argument = "C|none",
     .preset = "none",
     .or_none = 1,
     .minimum = SMALLEST_REAL,
     .maximum = LARGEST_REAL,
     .help = "clip attributes C standard deviations from their means, in learning and in prediction",
     .offset = offsetof(scant_settings, learning.clip)},
    FLAG("observed", LEARNER, learning.observed, "no",
         "choose no looks: learn from every cell that has a value, and count and charge those alone"),
    CHOICE("average", LEARNER, learning.average, "WHICH", "all", "all|half|last|late",
           "the result is the mean of these iterates; late: of all, iterate t with weight t^2"),
    REAL("x-bound", LEARNER, learning.x_bound, "R", "1", SMALLEST_REAL, LARGEST_REAL,
         "attributes are divided by R while learning; weights come out in original units"),
    COUNT("max-open", SCANT_SCOPE_LIBRARY, learning.max_open, "N", "1", 1, LARGEST_UINT32,
          "looks that may be open at once"),
    COUNT("block", LEARNER, learning.block, "N", "1", 1, LARGEST_UINT32,
          "one look for N examples, one after another: the same attributes are bought of all of them"),
    COUNT("passes", FIT, learning.passes, "N", "1", 1, 1e9,
          "passes over the data; each may buy K/N attributes per example"),
    COUNT("examples", FIT, run.examples, "M", "0", 0, LARGEST_COUNT, "learn from the first M examples; 0: all"),
    FLAG("shuffle", FIT, run.shuffle, "yes", "take the examples in random order (sorted rows ruin one pass)"),
    COUNT("seed", FIT, learning.seed, "S", "1", 0, 18446744073709551615.0, "same seed, same bits"),
    COUNT("budget", FIT, run.budget, "N", "0", 0, LARGEST_COUNT, "attributes that may be bought in all; 0: no limit"),
    TEXT("costs", SCANT_SCOPE_FIT, run.costs, "FILE", NULL, 0,
         "what attributes cost: a csv with attribute,cost or attribute,cost,group (a group is bought as one)"),
    REAL("spend", LEARNER, learning.spend, "C", "0", 0, LARGEST_MONEY,
         "money per example, over all passes, with K or instead of it; 0: no limit"),
    REAL("budget-cost", FIT, run.budget_cost, "C", "0", 0, LARGEST_MONEY,
         "money that may be spent in all; 0: no limit"),
    FLAG("thrift", LEARNER, learning.thrift, "yes", "prefer cheap attributes where money is short"),
    REAL("split", FIT, run.split, "F", "0", 0, 0.999, "fraction of the examples to hold out as a test"),
    CHOICE("missing", FIT, learning.missing, "POLICY", "skip-cell", "error|skip-cell|skip-example",
           "a bought cell that is empty or NaN: refuse it, take its attribute's mean, or skip its example"),
    FLAG("errors", SCANT_SCOPE_FIT, run.errors, "no",
         "standard errors of the weights, from the same purchases; it takes up to 20 fits longer"),
    TEXT("errors-of", SCANT_SCOPE_LEARNER, learning.errors_of, "NAMES|all", NULL, ',',
         "gaussian: errors, and do not penalise these attributes; predictions use the same weights"),
    COUNT("threads", SCANT_SCOPE_FIT, runtime.threads, "N", "2", 1, 64,
          "threads of tune, gaussian and moments; results do not depend on their number"),
    REAL("memory", SCANT_SCOPE_FIT, runtime.memory, "GIB", "4", SMALLEST_REAL, 1e6,
         "GiB that gaussian, moments or full-* may use; a fit that needs more is refused"),
    CHOICE("format", DATA, reading.format, "NAME", "auto", "auto|csv|libsvm|npy|idx",
           "format of the data; auto: by the name of the file"),
    TEXT("labels", DATA, reading.labels, "FILE", NULL, 0,
         "targets of an npy or idx file, in a file of the same format"),
    TEXT("target", DATA, reading.target, "NAME|NUMBER", NULL, 0, "target column of a csv; default: the last"),
    TEXT("classes", DATA | SCANT_SCOPE_MODEL, reading.classes, "NEG,POS", NULL, 0,
         "keep the examples with these two labels, as -1 and +1"),
    FLAG("log-target", DATA | SCANT_SCOPE_MODEL, reading.log_target, "no",
         "learn log(1 + y) of a target y above -1; errors are those of log(1 + y), predictions are of y"),
    CHOICE("header", DATA, reading.header, "auto|yes|no", "auto", "auto|yes|no",
           "does a csv begin with names? auto: yes, but a first line of numbers alone is refused"),
    TEXT("ignore", DATA, reading.ignore, "COLUMNS", NULL, ',',
         "columns of a csv that are no attributes, by name or number, separated by commas"),
    TEXT("only", DATA, reading.only, "COLUMNS", NULL, ',',
         "the only columns of a csv that are attributes; the target need not be named"),
    TEXT("na", DATA, reading.na, "WORDS", NULL, ',', "words that count as an empty cell of a csv, as 'NA,?'"),
    TEXT("one-hot", DATA, reading.one_hot, "NAME[=a,b,c]", NULL, ';',
         "0/1 attributes of words, bought as one; words not listed are found by a scan; ';' for several"),
    COUNT("index-base", DATA, reading.index_base, "0|1", "1", 0, 1, "the first index of a libsvm file"),
};

#define OPTION_COUNT (sizeof options / sizeof *options)
_Static_assert(OPTION_COUNT <= 64, "scant_settings.given has 64 bits");

const scant_option *scant_option_at(size_t index) {
  return index < OPTION_COUNT ? &options[index] : NULL;
}

const scant_option *scant_option_find(const char *name) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if (!strcmp(options[i].name, name)) return &options[i];
  return NULL;
}
