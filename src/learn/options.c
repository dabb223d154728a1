/* The one table of options.  A row here is a flag of the command, a line of
 * its help and manual, a field of scant_settings and of the model file, and a
 * keyword of other languages. */
#include <float.h>
#include <string.h>

#include "scant.h"

#define FIELD(name) offsetof(scant_settings, name)
#define LEARNER (SCANT_SCOPE_LEARNER | SCANT_SCOPE_MODEL)
#define FIT (SCANT_SCOPE_FIT | SCANT_SCOPE_MODEL)
#define DATA SCANT_SCOPE_DATA
#define LARGEST_COUNT 9007199254740992.0 /* 2^53: exact as a double */
#define LARGEST_REAL 1e100               /* squares stay finite */
#define SMALLEST_REAL 1e-100

static const scant_option options[] = {
    {.name = "algorithm", .type = SCANT_OPTION_TEXT, .scope = FIT, .argument = "NAME", .preset = "aerr",
     .help = "which row of 'scant algorithms'", .offset = FIELD(algorithm)},
    {.name = "k", .letter = 'k', .type = SCANT_OPTION_COUNT, .scope = FIT, .argument = "K",
     .minimum = 2, .maximum = 4294967295.0,
     .help = "attributes that may be bought of one example, over all passes", .offset = FIELD(k)},
    {.name = "radius", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "B", .preset = "1",
     .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL,
     .help = "bound on the norm of the weights, in units of x / x-bound", .offset = FIELD(radius)},
    {.name = "eta", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "E|auto", .preset = "auto", .or_auto = 1,
     .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL,
     .help = "step size; auto: the theorem's, or adaptive where it has none", .offset = FIELD(eta)},
    {.name = "penalty", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "L|auto", .preset = "auto",
     .or_auto = 1, .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL,
     .help = "lambda of aer; auto: 16 d sqrt(log m / (m K))", .offset = FIELD(penalty)},
    {.name = "loss", .type = SCANT_OPTION_CHOICE, .scope = LEARNER, .argument = "NAME", .preset = "squared",
     .choices = "squared|insensitive|absolute|hinge",
     .help = "all but squared smoothed by erf; hinge is for targets -1 and +1", .offset = FIELD(loss)},
    {.name = "norm", .type = SCANT_OPTION_CHOICE, .scope = LEARNER, .argument = "1|2", .preset = "2", .choices = "1|2",
     .help = "norm of the ball that holds the weights", .offset = FIELD(norm)},
    {.name = "tube", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "T", .preset = "0.1",
     .minimum = 0, .maximum = LARGEST_REAL,
     .help = "errors up to T are free (insensitive loss); the paper's delta", .offset = FIELD(tube)},
    {.name = "smoothing", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "S", .preset = "0.5",
     .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL,
     .help = "width of the smoothed corner of a loss; the paper's epsilon", .offset = FIELD(smoothing)},
    {.name = "residual-looks", .type = SCANT_OPTION_COUNT, .scope = LEARNER, .argument = "N", .preset = "1",
     .minimum = 1, .maximum = 4294967295.0,
     .help = "looks of the K that estimate the residual; the others estimate the gradient",
     .offset = FIELD(residual_looks)},
    {.name = "replacement", .type = SCANT_OPTION_CHOICE, .scope = LEARNER, .argument = "no|yes", .preset = "yes",
     .choices = "no|yes", .help = "draw the gradient's looks with replacement", .offset = FIELD(replacement)},
    {.name = "center", .type = SCANT_OPTION_FLAG, .scope = LEARNER, .preset = "no",
     .help = "subtract running means of past purchases; adds an intercept", .offset = FIELD(center)},
    {.name = "average", .type = SCANT_OPTION_CHOICE, .scope = LEARNER, .argument = "all|half|last", .preset = "all",
     .choices = "all|half|last", .help = "which iterates the result is the mean of", .offset = FIELD(average)},
    {.name = "x-bound", .type = SCANT_OPTION_REAL, .scope = LEARNER, .argument = "R", .preset = "1",
     .minimum = SMALLEST_REAL, .maximum = LARGEST_REAL,
     .help = "attributes are divided by R while learning; weights come out in original units",
     .offset = FIELD(x_bound)},
    {.name = "max-open", .type = SCANT_OPTION_COUNT, .scope = SCANT_SCOPE_LIBRARY, .argument = "N", .preset = "1",
     .minimum = 1, .maximum = 4294967295.0, .help = "looks that may be open at once", .offset = FIELD(max_open)},
    {.name = "passes", .type = SCANT_OPTION_COUNT, .scope = FIT, .argument = "N", .preset = "1",
     .minimum = 1, .maximum = 1e9, .help = "passes over the data; each may buy K/N attributes of an example",
     .offset = FIELD(passes)},
    {.name = "examples", .type = SCANT_OPTION_COUNT, .scope = FIT, .argument = "M", .preset = "0",
     .maximum = LARGEST_COUNT, .help = "learn from the first M examples; 0: all", .offset = FIELD(examples)},
    {.name = "shuffle", .type = SCANT_OPTION_FLAG, .scope = FIT, .preset = "yes",
     .help = "take the examples in random order (sorted rows ruin one pass)", .offset = FIELD(shuffle)},
    {.name = "seed", .type = SCANT_OPTION_COUNT, .scope = FIT, .argument = "S", .preset = "1",
     .maximum = 18446744073709551615.0, .help = "same seed, same bits", .offset = FIELD(seed)},
    {.name = "budget", .type = SCANT_OPTION_COUNT, .scope = FIT, .argument = "N", .preset = "0",
     .maximum = LARGEST_COUNT, .help = "attributes that may be bought in all; 0: no limit", .offset = FIELD(budget)},
    {.name = "split", .type = SCANT_OPTION_REAL, .scope = FIT, .argument = "F", .preset = "0",
     .minimum = 0, .maximum = 0.999, .help = "fraction of the examples to hold out as a test", .offset = FIELD(split)},
    {.name = "format", .type = SCANT_OPTION_CHOICE, .scope = DATA, .argument = "NAME", .preset = "auto",
     .choices = "auto|csv|libsvm|npy|idx", .help = "of the data; auto: by file name", .offset = FIELD(format)},
    {.name = "labels", .type = SCANT_OPTION_TEXT, .scope = DATA, .argument = "FILE",
     .help = "targets of an npy or idx file, in a file of the same format", .offset = FIELD(labels)},
    {.name = "target", .type = SCANT_OPTION_TEXT, .scope = DATA, .argument = "NAME|NUMBER",
     .help = "target column of a csv; default: the last", .offset = FIELD(target)},
    {.name = "classes", .type = SCANT_OPTION_TEXT, .scope = DATA | SCANT_SCOPE_MODEL, .argument = "NEG,POS",
     .help = "keep the examples with these two labels, as -1 and +1", .offset = FIELD(classes)},
    {.name = "header", .type = SCANT_OPTION_CHOICE, .scope = DATA, .argument = "auto|yes|no", .preset = "auto",
     .choices = "auto|yes|no", .help = "does a csv begin with names? auto: yes, unless they are all numbers",
     .offset = FIELD(header)},
    {.name = "index-base", .type = SCANT_OPTION_COUNT, .scope = DATA, .argument = "0|1", .preset = "1",
     .minimum = 0, .maximum = 1, .help = "the first index of a libsvm file", .offset = FIELD(index_base)},
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
