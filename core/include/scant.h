/* Scant: linear models when every attribute has a price.
 *
 * A learner says which few attributes of an example to look at (ask), is told their values and the target (tell), and
 * learns.  It can reach no data; every value comes to it through a meter that enforces the budget and keeps the ledger.
 * This header is the whole public interface.
 *
 *   status     the outcome of a call, and a sentence that says why it failed
 *   settings   what to do: filled by name from the one table of options
 *   algorithm  an entry of the table of algorithms, in words
 *   prices     what attributes cost, and which are bought together
 *   default    which algorithm is taken if none is named
 *   learner    ask and tell: learns by any algorithm of the table
 *   kept look  a look or a learner as text, to be told by another process
 *   source     a table of examples: CSV, LIBSVM, NPY, IDX, memory, a callback
 *   meter      the only way from a source to a learner
 *   model      weights, names, settings and ledger; a versioned JSON file
 *   query      one example's prediction from the attributes bought so far
 *   file       writing a file whole or not at all, and cells of CSV
 *   fit        the loop over ask, meter and tell, with checkpoints
 *   tune       several candidates that learn from the same purchases
 *   curve      a fit that stops at points, to see how its error falls
 *   plan       which K to take, and how much money a wanted error takes, by simulated fits
 *
 * Conventions: functions that can fail return a scant_status and fill a caller-owned scant_error (NULL is allowed) with
 * one sentence.  A failed call changes nothing.  Only _new, _open, _load and functions said to do so allocate; every
 * _free accepts NULL.  The library never prints, exits, or touches locale or global state; two objects may be used by
 * two threads.
 */
#ifndef SCANT_H
#define SCANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SCANT_BUILD) && defined(__GNUC__)
#define SCANT_API __attribute__((visibility("default")))
#else
#define SCANT_API
#endif

/* The version of the library, such as "0.1.0". */
SCANT_API const char *scant_version(void);

/* ---- status and error ------------------------------------------------- */

typedef enum scant_status {
  SCANT_OK = 0,
  SCANT_USAGE,    /* a setting is wrong whatever the data */
  SCANT_DATA,     /* the data are wrong, or do not fit the settings */
  SCANT_NO_INPUT, /* no such file */
  SCANT_IO,       /* reading or writing failed */
  SCANT_MEMORY,   /* out of memory */
  SCANT_MISUSE,   /* a call out of order: a look told twice, and the like */
  SCANT_SPENT,    /* the meter refuses: the budget does not cover this look */
  SCANT_BUSY,     /* another one is writing (studies) */
  SCANT_STOPPED   /* runtime.watch said so, and nothing has changed */
} scant_status;

#define SCANT_ERROR_LENGTH 512

typedef struct scant_error {
  char text[SCANT_ERROR_LENGTH]; /* one sentence, no newline, always ended */
} scant_error;

/* ---- options and settings --------------------------------------------- */

typedef enum scant_option_type {
  SCANT_OPTION_FLAG,   /* int: yes or no */
  SCANT_OPTION_COUNT,  /* uint64_t */
  SCANT_OPTION_REAL,   /* double; "auto" is NaN where the option allows it */
  SCANT_OPTION_CHOICE, /* int: place among the choices */
  SCANT_OPTION_TEXT    /* const char *, not copied */
} scant_option_type;

/* The readers of an option. */
enum {
  SCANT_SCOPE_LEARNER = 1, /* part of an algorithm, which must list it */
  SCANT_SCOPE_FIT = 2,     /* the run: examples, passes, budget, seed */
  SCANT_SCOPE_DATA = 4,    /* how a file is read */
  SCANT_SCOPE_LIBRARY = 8, /* for callers of the library, not for the command */
  SCANT_SCOPE_MODEL = 16   /* affects the fit, so it is kept in the model file */
};

/* An entry of the table of options, from which validation, help, manual page, model file and keywords are made. */
typedef struct scant_option {
  const char *name; /* as a flag; JSON and C write '_' for '-' */
  char letter;      /* short flag, or 0 */
  scant_option_type type;
  unsigned scope;       /* SCANT_SCOPE_... */
  const char *argument; /* what help calls the value, NULL for a flag */
  const char *preset;   /* the default as text, NULL: none */
  const char *choices;  /* "all|half|last" */
  double minimum, maximum;
  int or_auto;      /* "auto" is allowed: NaN */
  int or_none;      /* "none" is allowed: 0 */
  const char *help; /* one line */
  size_t offset;    /* of the field in scant_settings */
  char join;        /* lists: further values are appended after this character; 0: the last value counts */
} scant_option;

/* An entry by place, O(1), or by name, O(entries); NULL past the end or for an unknown name.  Entries are static. */
SCANT_API const scant_option *scant_option_at(size_t index);
SCANT_API const scant_option *scant_option_find(const char *name);

/* Reads a value for an option into the field at base + option->offset; SCANT_USAGE with a sentence if it is not
 * allowed.  scant_settings_set does this for scant_settings; a program may have a table of its own. */
SCANT_API scant_status scant_option_read(const scant_option *option, void *base, const char *value, scant_error *error);

typedef enum scant_loss {
  SCANT_LOSS_SQUARED,     /* 1/2 (w.x - y)^2 */
  SCANT_LOSS_INSENSITIVE, /* max(0, |w.x - y| - tube), smoothed */
  SCANT_LOSS_ABSOLUTE,    /* |w.x - y|, smoothed */
  SCANT_LOSS_HINGE,       /* max(0, 1 - y w.x), smoothed; y is -1 or +1 */
  SCANT_LOSS_HUBER,       /* 1/2 (w.x - y)^2 up to the tube, then linear */
  SCANT_LOSS_LOGISTIC     /* log(1 + exp(-y w.x)); y is -1 or +1 */
} scant_loss;

typedef enum scant_norm { SCANT_NORM_1, SCANT_NORM_2 } scant_norm;

typedef enum scant_average {
  SCANT_AVERAGE_ALL,
  SCANT_AVERAGE_HALF, /* the last half */
  SCANT_AVERAGE_LAST,
  SCANT_AVERAGE_LATE /* all, iterate t with weight t^2 */
} scant_average;

/* How a bought cell without a value (empty in a file, or NaN) is handled. */
typedef enum scant_missing {
  SCANT_MISSING_ERROR,       /* it is refused */
  SCANT_MISSING_SKIP_CELL,   /* its attribute is taken to be at its running mean */
  SCANT_MISSING_SKIP_EXAMPLE /* nothing is learned from the example */
} scant_missing;

typedef enum scant_format {
  SCANT_FORMAT_AUTO, /* by the file's name */
  SCANT_FORMAT_CSV,
  SCANT_FORMAT_LIBSVM,
  SCANT_FORMAT_NPY,
  SCANT_FORMAT_IDX
} scant_format;

typedef enum scant_header { SCANT_HEADER_AUTO, SCANT_HEADER_YES, SCANT_HEADER_NO } scant_header;

/* Learns an algorithm that needs LAPACK and d^2 memory, which libscant only describes; see scant_dense.h. */
typedef struct scant_engine scant_engine;

/* Settings of the learner. */
typedef struct scant_learning {
  const char *algorithm;
  uint64_t k;              /* attributes that may be bought per example, over all passes */
  uint64_t passes;         /* each may buy K/passes attributes per example */
  double radius;           /* the paper's B */
  double eta;              /* step size; NaN: chosen by the algorithm */
  double penalty;          /* aer's lambda; NaN: chosen */
  int loss;                /* scant_loss */
  int norm;                /* scant_norm: the ball's */
  double tube;             /* the paper's delta */
  double smoothing;        /* the paper's epsilon */
  uint64_t residual_looks; /* looks that estimate w.x */
  int replacement;         /* are the gradient's looks drawn with replacement? */
  int center;
  int intercept;
  int like_units;
  int observed;          /* learns from whatever cells are present: the data chose them, not the learner */
  int standardise;       /* full-*: attributes in units of their standard deviations */
  int average;           /* scant_average */
  double clip;           /* attributes are clipped so many standard deviations from their means; 0: not */
  double x_bound;        /* attributes are divided by it while learning */
  double spend;          /* money per example; 0: no limit */
  int thrift;            /* do costs steer the looks? */
  int missing;           /* scant_missing */
  const char *errors_of; /* gaussian: attributes that are read unpenalised, "all" or names separated by commas */
  uint64_t seed;
  uint64_t max_open; /* looks that may be open at once */
  uint64_t block;    /* examples that share one look and make one step */
} scant_learning;

/* Settings of the run: which examples, and how much may be bought in all. */
typedef struct scant_run {
  uint64_t examples; /* 0: all */
  int shuffle;
  uint64_t budget; /* attributes in all; 0: no limit */
  const char *costs;
  double budget_cost; /* money in all; 0: no limit */
  double split;       /* fraction held out */
  int errors;         /* keep what scant_fit_errors needs */
} scant_run;

/* How data are read. */
typedef struct scant_reading {
  int format; /* scant_format */
  const char *labels;
  const char *target;
  const char *classes;
  int log_target;      /* log(1 + y) is learned */
  int header;          /* scant_header */
  const char *ignore;  /* columns of a CSV that are no attributes, separated by commas */
  const char *only;    /* the only ones that are */
  const char *na;      /* words that count as an empty cell */
  const char *one_hot; /* columns of words: NAME or NAME=a,b,c, separated by semicolons */
  uint64_t index_base;
} scant_reading;

/* How far an algorithm is that thinks for long: gaussian, when it chooses which attributes to look at next, and when
 * its regressor is read; every algorithm while its errors are made. */
typedef struct scant_thought {
  const char *algorithm;
  int reading;            /* 1: for a regressor that is read; 0: for the next looks */
  unsigned prior, priors; /* which prior it tries now, from 1 on, of how many at most; 0: it fits all examples */
  uint64_t steps;         /* of EM, since it began; of errors: examples that were told again */
  unsigned group, groups; /* while errors are made (scant_fit_errors): which group is left out, of how many; else 0 */
} scant_thought;

/* Is called between the steps; another number than 0 tells it to stop.  Calls for one learner come one at a time, but
 * not always on the thread that called the library.  The function may not use that learner or its fit.
 *
 * A regressor that is told to stop is the best that was found until then: of the priors that were tried, or, if not
 * even one was, the last that there was.  scant_learner_finish and scant_fit_model succeed with it.  When they are
 * called again, and are not told to stop at once, they do it from the beginning.  Looks are never chosen by what was
 * cut short: scant_learner_ask and scant_fit_advance return SCANT_STOPPED, and may be called again. */
typedef int scant_watch(void *watcher, const scant_thought *thought);

/* Means to work with.  Results do not depend on them (unless `watch` stops the work), and no model file holds them. */
typedef struct scant_runtime {
  uint64_t threads; /* of tuning and of algorithms that use several */
  double memory;    /* GiB that a dense algorithm may use */
  /* Engines of dense algorithms (scant_dense.h), ended by NULL; NULL: none.  This is no option: set it yourself. */
  const scant_engine *const *engines;
  /* Watches what takes long; NULL: nobody does.  No option either.  A learner keeps both pointers. */
  scant_watch *watch;
  void *watcher;
} scant_runtime;

/* Set fields through scant_settings_set, which checks them and remembers what was given; read them freely. */
typedef struct scant_settings {
  scant_learning learning;
  scant_run run;
  scant_reading reading;
  scant_runtime runtime;
  uint64_t given; /* which options were given: bit i is entry i of the table */
} scant_settings;

/* Every option at its default. */
SCANT_API void scant_settings_init(scant_settings *settings);

/* The same, allocated, for languages that can't see the struct. */
SCANT_API scant_status scant_settings_new(scant_settings **settings, scant_error *error);
SCANT_API void scant_settings_free(scant_settings *settings);

/* Sets one option from text and marks it as given.  SCANT_USAGE with a sentence if the name is unknown or the value is
 * not allowed.  Texts are not copied: they must outlive the settings. */
SCANT_API scant_status scant_settings_set(scant_settings *settings, const char *name, const char *value,
                                          scant_error *error);

/* Writes a value as text that scant_settings_set reads back to the same bits; returns the length as snprintf does. */
SCANT_API int scant_settings_get(const scant_settings *settings, const scant_option *option, char *text, size_t size);

/* Was this option set by scant_settings_set? */
SCANT_API int scant_settings_is_given(const scant_settings *settings, const scant_option *option);

/* Applies the algorithm's own defaults to options that were not given, and refuses (SCANT_USAGE) what is wrong whatever
 * the data: K < 2, an option that the algorithm does not have, odd K for aer, and so on.  Settings with the algorithm
 * `default` (scant_settings_choose) are checked and stay as they are. */
SCANT_API scant_status scant_settings_resolve(scant_settings *settings, scant_error *error);

/* ---- the table of algorithms ------------------------------------------ */

/* What an algorithm is to `default`. */
typedef enum scant_default_role {
  SCANT_DEFAULT_NEITHER,
  SCANT_DEFAULT_DENSE,    /* `default` takes it where its work is small */
  SCANT_DEFAULT_STREAMING /* and this one elsewhere */
} scant_default_role;

/* An entry of the table of algorithms. */
typedef struct scant_algorithm {
  const char *name;
  const char *title;     /* in words */
  const char *look;      /* which attributes, with what probability */
  const char *estimate;  /* from looks to a gradient */
  const char *update;    /* how w moves and stays in its ball */
  const char *options;   /* learner options that it takes, separated by spaces */
  const char *presets;   /* its own defaults, "name=value" separated by spaces */
  int strict;            /* K holds for every example; else in expectation */
  int whole;             /* it looks at every attribute: K is d and need not be given */
  unsigned least_k;      /* attributes per visit that it needs, unless they are all; 0: K is d */
  const char *grid;      /* what 'scant tune' tries, "name=value,value ..."; NULL: nothing by itself */
  int dense;             /* asked and told as any other, but needs an engine (scant_dense.h) */
  const char *reference; /* where it is from */
  int priced;            /* its looks follow prices (scant_learner_price) and can leave attributes out */
  int joint;             /* it learns the joint distribution of attributes and target, and so from any values of an
                          * example, however they were chosen */
  int sums;              /* it learns from sums too (scant_sums.h) */
  scant_default_role role;
  const char *solver; /* the algorithm that chooses its radius; NULL: none */
  int norm;           /* of the ball that holds its weights: 1 or 2; 0: as option norm says, or there is none */
} scant_algorithm;

/* An entry by place, O(1), or by name, O(entries); NULL past the end or for an unknown name.  Entries are static. */
SCANT_API const scant_algorithm *scant_algorithm_at(size_t index);
SCANT_API const scant_algorithm *scant_algorithm_find(const char *name);

/* Is the option of this name one of the algorithm's?  0 for an unknown name. */
SCANT_API int scant_algorithm_takes(const scant_algorithm *algorithm, const char *option);

/* The algorithm that `default` takes in this role. */
SCANT_API const scant_algorithm *scant_default_algorithm(scant_default_role role);

/* ---- prices ------------------------------------------------------------- */

/* What attributes cost, in hundredths, and which are bought together. */
typedef struct scant_prices scant_prices;

/* costs[i] is the cost of attribute i; groups[i] is its group's number, from 1 to the dimension, or 0 (groups NULL):
 * none.  Attributes of a group are bought together for the sum of their costs and count as one look.  An item is an
 * attribute of its own or a group.  Copies.  O(d).  SCANT_DATA: a group's number or the sum of costs is too large. */
SCANT_API scant_status scant_prices_new(scant_prices **prices, size_t dimension, const uint64_t *costs,
                                        const uint32_t *groups, scant_error *error);
SCANT_API void scant_prices_free(scant_prices *prices);
/* The cost of an attribute, and the number of its group (0: none), as they were given. */
SCANT_API uint64_t scant_prices_cost(const scant_prices *prices, size_t attribute);
SCANT_API uint32_t scant_prices_group(const scant_prices *prices, size_t attribute);
/* The cost of the two dearest items: the least `spend`, but for gaussian, which skips items too dear for it.  O(1). */
SCANT_API uint64_t scant_prices_dearest_two(const scant_prices *prices);

/* ---- the default algorithm -------------------------------------------- */

/* The default of the option algorithm.  It is no algorithm itself: where the data are known, gaussian takes its place
 * if its work m K^3 + 8 d^3 is at most SCANT_DEFAULT_WORK, and auto else; in a study, wherever gaussian can be
 * (scant_study_choose).  Fits, learners and studies choose when they begin; what they keep names what was taken. */
#define SCANT_DEFAULT_ALGORITHM "default"
#define SCANT_DEFAULT_WORK 4e9

/* Puts gaussian or auto in place of `default`, for this number of attributes and of examples (0: not known, so that d
 * alone decides) and these prices (NULL: none).  auto is taken, whatever the size, where an option was given that
 * gaussian does not take, with several passes, without an engine of gaussian, and with prices as long as gaussian does
 * not take `spend`; an option that auto does not take selects gaussian.  `why` (or NULL) gets the reason as the end of
 * a sentence: "gaussian, since ...".  Returns 0, and does nothing, if the settings name an algorithm.  O(options). */
SCANT_API int scant_settings_choose(scant_settings *settings, size_t dimension, uint64_t examples,
                                    const scant_prices *prices, scant_error *why);

/* ---- ask and tell ------------------------------------------------------ */

/* One call of GenEst: a product of `order` factors, each the mean of `group` residual draws. */
typedef struct scant_look_call {
  uint32_t order;
  uint32_t group;
} scant_look_call;

/* A look is plain data: the attributes to buy, and what the estimate needs, frozen at ask. Place i of its arrays is
 * about attributes[i], and each attribute is in it once.  An attribute that is bought for certain has no draws.  A look
 * can be kept and told later and out of order; the estimate stays unbiased for the w that asked. */
typedef struct scant_look {
  uint64_t learner;        /* which learner asked */
  uint64_t serial;         /* which of its looks */
  uint32_t count;          /* attributes to buy */
  uint32_t draws;          /* looks drawn, repetitions counted */
  uint32_t gradient_total; /* draws for the gradient */
  uint32_t residual_total; /* draws for the residual; 0 while w = 0 */
  uint32_t calls;          /* GenEst calls */
  double gradient_scale;   /* what coinflip multiplies by */
  double y_mean;           /* running mean of the target at ask (centering) */
  double intercept;        /* learned as a weight, at ask, in learning units; else 0 */
  uint32_t sequence_count; /* residual draws in order, as places */
  size_t capacity, sequence_capacity;
  scant_look_call call[2];
  uint32_t *attributes;
  uint32_t *item;               /* what it is bought with: members of one item follow each other */
  uint32_t *gradient_draws;     /* how often it was drawn for the gradient */
  uint32_t *residual_draws;     /* how often it was drawn for the residual */
  double *gradient_probability; /* of one draw for the gradient */
  double *residual_probability; /* of one draw for the residual */
  double *weight;               /* w at ask, in learning units */
  double *mean;                 /* running mean at ask; NaN: not known yet */
  uint32_t *sequence;
} scant_look;

typedef struct scant_learner scant_learner;

/* A learner of `dimension` attributes.  `horizon` is the number of examples that will be told, 0 if unknown (then eta
 * "auto" adapts, and average "half" is refused).  O(d) time and memory; O(d^2) for a dense algorithm.  SCANT_USAGE: it
 * has no engine in runtime.engines (which outlive the learner); SCANT_DATA: it would take more than `memory`. */
SCANT_API scant_status scant_learner_new(scant_learner **learner, const scant_settings *settings, size_t dimension,
                                         uint64_t horizon, scant_error *error);
SCANT_API void scant_learner_free(scant_learner *learner);

/* The name of its algorithm in the table, which is never `default`. */
SCANT_API const char *scant_learner_algorithm(const scant_learner *learner);

/* Makes the looks of a new learner follow prices (which outlive it), with `spend`, `budget-cost` and `thrift` of its
 * settings.  SCANT_DATA: `spend` pays for no two items; SCANT_USAGE: its looks can't; SCANT_MISUSE: it was asked. */
SCANT_API scant_status scant_learner_price(scant_learner *learner, const scant_prices *prices, scant_error *error);

/* An empty look with room for any look of this learner (aesvr's may grow in ask). */
SCANT_API scant_status scant_look_new(scant_look **look, const scant_learner *learner, scant_error *error);
SCANT_API void scant_look_free(scant_look *look);

/* Fills and opens a look for the next example.  SCANT_MISUSE: max_open are open; SCANT_MEMORY (aesvr): it is empty. */
SCANT_API scant_status scant_learner_ask(scant_learner *learner, scant_look *look, scant_error *error);

/* How one attribute of a look was drawn.  docs/looks.md says what estimates follow from it. */
typedef struct scant_look_line {
  uint32_t attribute;
  uint32_t item;               /* what it is bought with: members of a group have the same number in a look */
  int certain;                 /* it was bought for certain, and not drawn */
  uint32_t draws, draws_total; /* how often it was drawn, of how many draws of this look; for the gradient */
  double probability;          /* of one of them; 1 if it is certain, NaN if it was not drawn, or draws depend on those
                                  before them (gaussian, moments) */
  uint32_t residual_draws, residual_total; /* of draws for the residual alone, where there are any */
  double residual_probability;
  double inclusion; /* the probability that the look has the attribute at all; NaN: it has no closed form */
} scant_look_line;

/* Fills in a line for each attribute of a look, `count` of them.  `pairs`, if not NULL, gets the probabilities that the
 * look has both of two attributes: places i and j at i * count + j; NaN: there is no closed form.  Some laws are known
 * only until something else is asked or told (ddaerr, ddaelr, gaussian, moments); then their chances are NaN.  It
 * allocates.  O(count^2) with pairs, else O(count), and O(d) for gaussian and moments. */
SCANT_API scant_status scant_learner_describe(const scant_learner *learner, const scant_look *look,
                                              scant_look_line *lines, double *pairs, scant_error *error);

/* Undoes the last ask: the next one draws the same look, if nothing is told before it.  Only the sampling distribution
 * (law) of a dense algorithm stays as the ask renewed it.  SCANT_MISUSE: something was asked or told since. */
SCANT_API scant_status scant_learner_undo_ask(scant_learner *learner, const scant_look *look, scant_error *error);

/* Goes on with the random stream `stream` of the seed, so that draws are independent of all before.  The same stream
 * gives the same draws. */
SCANT_API void scant_learner_reseed(scant_learner *learner, uint64_t stream);

/* Fills `look` with every attribute, and opens it.  It is for an example whose values are there and were not chosen by
 * the learner; tell takes NaN where there is none.  It draws nothing, and allocates.  SCANT_USAGE: the algorithm can't
 * learn from such a look (auto, ridge, lasso, svr, gaussian, moments, coinflip and online-* can). */
SCANT_API scant_status scant_learner_ask_all(scant_learner *learner, scant_look *look, scant_error *error);

/* Learns from an open look and closes it.  values[i] belongs to look->attributes[i]; `attributes`, if not NULL, is
 * compared with them.  SCANT_MISUSE: not open (told twice, or of another learner), other attributes; SCANT_DATA: a
 * value or y is not finite, or the gradient overflows.
 *
 * A look may be told late.  auto, ridge, lasso and svr take only the draws and their probabilities from it: the
 * weights, means and the target's mean are the learner's current ones.  gaussian and moments need neither.  The papers'
 * algorithms keep the weights and means of asking, since what has no weight can't be drawn there.
 *
 * A value that is NaN is missing, and the option `missing` says what happens.  skip-cell: the attribute counts as being
 * at the running mean of its past purchases (0 while it has none), and the mean stays as it is; skip-example: the look
 * is closed, nothing is learned, and SCANT_OK is returned; error: SCANT_DATA. */
SCANT_API scant_status scant_learner_tell(scant_learner *learner, const scant_look *look, size_t count,
                                          const uint32_t *attributes, const double *values, double y,
                                          scant_error *error);

/* The same for the block of examples that a look is for: `rows` of them, at most as many as option block says (fewer
 * where there are no more).  values[r * look->count + i] is attribute look->attributes[i] of row r, and y[r] its
 * target. Every row's gradient is made with the weights, means, limits and the target's mean of before the block, and
 * the block makes one step with their mean; then all rows are taken in.  With missing values and skip-example the rows
 * that lack one are left out.  A failed call changes nothing, and names the row. */
SCANT_API scant_status scant_learner_tell_block(scant_learner *learner, const scant_look *look, size_t rows,
                                                const double *values, const double *y, scant_error *error);

/* Closes an open look without learning from it. */
SCANT_API scant_status scant_learner_cancel(scant_learner *learner, const scant_look *look, scant_error *error);

/* Opens a look again that was cancelled, so that it can be told after all.  The learner is then as if the look had
 * never been cancelled.  It does not know which of its looks were told: only the caller can see to it that this one was
 * not. SCANT_MISUSE: it is open, was never asked for, or is of another learner, or max-open looks are open already. */
SCANT_API scant_status scant_learner_reopen(scant_learner *learner, const scant_look *look, scant_error *error);

/* Makes a look that another learner of the same dimension drew one of this learner's, and opens it, so that several
 * learn from one purchase: the probabilities stay, weights and means become its own.  SCANT_USAGE: the algorithm's
 * looks can't be shared (those of auto, ridge, lasso and svr can). */
SCANT_API scant_status scant_learner_share(scant_learner *learner, const scant_look *drawn, scant_look *look,
                                           scant_error *error);

/* An unbiased estimate of (prediction - y)^2 for the regressor so far, from a look of this learner that it has not been
 * told yet: the free risk.  It changes nothing.  NaN if the look would be skipped for a missing value. */
SCANT_API scant_status scant_learner_judge(scant_learner *learner, const scant_look *look, const double *values,
                                           double y, double *risk, scant_error *error);

/* Brings the regressor of a dense algorithm up to date, which may take long and does not change the looks to come.
 * Other algorithms are always up to date. */
SCANT_API scant_status scant_learner_finish(scant_learner *learner, scant_error *error);

/* From now on the regressor of gaussian is read with these attributes unpenalised, the weight of its prior at its least
 * and its size as it is; `count` 0: as ever.  It is for weights whose size matters: where they are penalised they are
 * biased toward 0.  The looks stay the same.  Learners of a fit with `errors-of` do this by themselves.  SCANT_USAGE:
 * another algorithm; SCANT_MISUSE: there is no such attribute.  O(d). */
SCANT_API scant_status scant_learner_unpenalise(scant_learner *learner, const uint32_t *attributes, size_t count,
                                                scant_error *error);

/* The regressor so far (of a dense algorithm: of the last finish), in original units: w[d] and the intercept.  O(d). */
SCANT_API void scant_learner_weights(const scant_learner *learner, double *w, double *intercept);

/* The regressor as a model, which the caller frees.  It has copies of the names (NULL: none) and the prices (NULL:
 * none); `ledger` and `purchases` say what was bought for it. Brings a dense algorithm up to date first; allocates. */
typedef struct scant_model scant_model;
typedef struct scant_ledger scant_ledger;
SCANT_API scant_status scant_learner_model(scant_learner *learner, const char *const *names, const char *target,
                                           const scant_prices *prices, const scant_ledger *ledger,
                                           const uint64_t *purchases, scant_model **model, scant_error *error);

/* The running means of the attributes in original units, which predictions put in place of missing values; 0 where no
 * value was told.  O(d). */
SCANT_API void scant_learner_means(const scant_learner *learner, double *means);

/* The limits that attributes are clipped to, in original units; of a dense algorithm, those of the last finish.  The
 * weights are for attributes between these limits.  Where no two different values were told, both are that value.  1;
 * or 0 if the learner does not clip, and nothing is written.  O(d), and O(d examples) for full-*. */
SCANT_API int scant_learner_limits(const scant_learner *learner, double *low, double *high);

/* How far from the optimum a solution of full-* can be, recomputed from the raw data; NaN: none. */
typedef struct scant_certificate {
  double kkt;        /* full-ridge, full-lasso: largest violation of the optimality conditions, relative */
  double gap;        /* full-svr: duality gap, relative */
  double constraint; /* max(0, norm / radius - 1) */
  double lambda;     /* multiplier of the constraint */
} scant_certificate;

/* Facts about a learner. */
typedef struct scant_learner_facts {
  size_t dimension;
  uint64_t told;          /* examples learned from */
  uint64_t k_gradient;    /* gradient looks per example: the paper's k */
  double eta;             /* step size in use; NaN if it adapts */
  double penalty;         /* aer's lambda, or what a dense algorithm chose; NaN otherwise */
  double expected_draws;  /* looks that are expected per example */
  double risk;            /* (prediction - y)^2 of the regressor, estimated from the looks; for the papers' algorithms
                             and average=last, of recent iterates; NaN: not known yet, as after one step */
  double risk_error;      /* its standard error; NaN: not known */
  double scale;           /* the weights are what was learned times this: below 1 they were shrunk toward the mean */
  double target_variance; /* of the targets told; around 0 where nothing is centered */
  double likelihood;      /* mean log-likelihood per example under the algorithm's model; NaN: none */
  scant_certificate certificate;
} scant_learner_facts;

SCANT_API void scant_learner_get_facts(const scant_learner *learner, scant_learner_facts *facts);

/* ---- keeping learners and looks ------------------------------------------ */

/* Saves a look, or a learner with its settings, prices and open looks, as JSON text from which the same bits come back.
 * Both allocate *text, ended by 0, for scant_text_free; length does not count the 0. */
SCANT_API scant_status scant_look_save(const scant_look *look, char **text, size_t *length, scant_error *error);
SCANT_API scant_status scant_learner_save(const scant_learner *learner, char **text, size_t *length,
                                          scant_error *error);
SCANT_API void scant_text_free(char *text);

/* Makes a look or a learner from its text; both allocate.  SCANT_DATA: the text is not as it was saved.  The learner
 * has prices of its own, and the engines, threads and memory of `given` (NULL: none, and defaults). */
SCANT_API scant_status scant_look_load(scant_look **look, const char *text, size_t length, scant_error *error);
SCANT_API scant_status scant_learner_load(scant_learner **learner, const char *text, size_t length,
                                          const scant_settings *given, scant_error *error);

/* ---- sources ----------------------------------------------------------- */

typedef struct scant_source scant_source;

typedef enum scant_target_need {
  SCANT_TARGET_REQUIRED,
  SCANT_TARGET_OPTIONAL /* a missing target column or labels file is fine */
} scant_target_need;

/* Opens a file by the data options.  The structure of text files is checked whole; fields are converted when read. */
SCANT_API scant_status scant_source_open(scant_source **source, const char *path, const scant_settings *settings,
                                         scant_target_need need, scant_error *error);

typedef enum scant_type {
  SCANT_FLOAT64,
  SCANT_FLOAT32,
  SCANT_UINT8,
  SCANT_INT8,
  SCANT_UINT16,
  SCANT_INT16,
  SCANT_UINT32,
  SCANT_INT32,
  SCANT_UINT64,
  SCANT_INT64
} scant_type;

/* A table in memory, not copied; NaN is a missing value.  Element (row, attribute) is at data + row * row_stride +
 * attribute * column_stride, in bytes.  `targets` has one double per row, or is NULL. */
SCANT_API scant_status scant_source_wrap(scant_source **source, scant_type type, const void *data, size_t rows,
                                         size_t dimension, ptrdiff_t row_stride, ptrdiff_t column_stride,
                                         const double *targets, scant_error *error);

/* The same for doubles by rows, in a malloc'ed array that the source takes over and frees, also on failure. */
SCANT_API scant_status scant_source_take(scant_source **source, double *x, size_t rows, size_t dimension,
                                         const double *targets, scant_error *error);

/* The caller's function to get values: fills values[i] with attribute attributes[i] of `row`, or with NaN if it has no
 * value.  After SCANT_DATA (a value is no number) the meter charges the values; any other failure is free. */
typedef scant_status (*scant_fetch)(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                                    scant_error *error);
SCANT_API scant_status scant_source_custom(scant_source **source, size_t rows, size_t dimension, scant_fetch fetch,
                                           void *user, const double *targets, scant_error *error);

/* A table whose columns lie apart, not copied: value `row` of a column is at data + row * stride, in bytes, and is
 * missing where bit valid_start + row of `valid` (least significant bit first; NULL: none) is 0. */
typedef struct scant_column {
  scant_type type;
  const void *data;
  ptrdiff_t stride;
  const unsigned char *valid;
  size_t valid_start;
} scant_column;
SCANT_API scant_status scant_source_columns(scant_source **source, const scant_column *columns, size_t rows,
                                            size_t dimension, const double *targets, scant_error *error);

/* A sparse table, not copied: compressed rows (CSR), or compressed columns (CSC) if by_column.  Line i (a row, or a
 * column) has the values data[starts[i] .. starts[i + 1]) at the places indices[...], in any order; `starts` and
 * `indices` are both SCANT_INT32 or both SCANT_INT64.  Entries for the same place are added up; without one it is 0. */
typedef struct scant_sparse {
  int by_column;
  scant_type type, index_type;
  const void *data, *indices, *starts;
} scant_sparse;
SCANT_API scant_status scant_source_sparse(scant_source **source, const scant_sparse *table, size_t rows,
                                           size_t dimension, const double *targets, scant_error *error);

/* A stream of record batches of the Arrow C stream interface: numbers and booleans, not copied; a null is a missing
 * value.  The stream is read to its end and released, on failure too; its batches stay until the source is freed.
 * SCANT_DATA: a column is of another type, or there are not as many rows as targets (targets NULL: any number). */
struct ArrowArrayStream;
SCANT_API scant_status scant_source_arrow(scant_source **source, struct ArrowArrayStream *stream, const double *targets,
                                          size_t targets_count, scant_error *error);

/* Names the attributes (copied; names NULL: none) and the target (NULL: none) of a source of memory or a function;
 * sentences and model files then use them.  SCANT_DATA: two names are the same; SCANT_USAGE: a name is NULL, or the
 * source is a file; SCANT_MISUSE: it is bound to a model by name already. */
SCANT_API scant_status scant_source_set_names(scant_source *source, const char *const *names, const char *target,
                                              scant_error *error);

/* Gives the attributes prices (copied; NULL: takes them away), for fits whose settings name no file of costs.
 * SCANT_DATA: they are of another number of attributes; SCANT_MISUSE: the source is bound to a model by name. */
SCANT_API scant_status scant_source_set_prices(scant_source *source, const scant_prices *prices, scant_error *error);

/* Replaces every target y by log(1 + y), once.  SCANT_DATA naming the row, and nothing is changed, if one is not above
 * -1.  Opening a file with log-target does this; a source of the other kinds needs it for a fit with log-target. */
SCANT_API scant_status scant_source_log_target(scant_source *source, scant_error *error);

SCANT_API void scant_source_free(scant_source *source);

SCANT_API size_t scant_source_rows(const scant_source *source);
SCANT_API size_t scant_source_dimension(const scant_source *source);
SCANT_API int scant_source_has_target(const scant_source *source);
SCANT_API double scant_source_target(const scant_source *source, size_t row);
/* The attribute's name, NULL if the source has no names. */
SCANT_API const char *scant_source_name(const scant_source *source, size_t attribute);
/* The target's name, NULL if it has none. */
SCANT_API const char *scant_source_target_name(const scant_source *source);

/* Bytes of the data file that were brought into memory so far.  Of NPY and IDX files these are the pages that hold the
 * header or a value that was read, each once.  Of other files, and of compressed files and pipes, they are all bytes as
 * stored, since opening reads them all.  A file of labels is not counted.  0 for memory and functions. */
SCANT_API uint64_t scant_source_bytes_read(const scant_source *source);

/* Notes about a source for its user. */
typedef enum scant_note {
  SCANT_NOTE_SCAN,    /* columns were read whole on opening, outside any ledger, to find their words (one-hot) */
  SCANT_NOTE_ABSENT,  /* a model needs columns that are not there; they count as empty */
  SCANT_NOTE_UNLISTED /* cells that were read so far hold words that are no category; they are 0 in all of them */
} scant_note;

/* Writes the sentence of a note and returns the number of columns or cells; 0: nothing to say, and nothing written. */
SCANT_API uint64_t scant_source_note(const scant_source *source, scant_note note, scant_error *sentence);

/* Reads every attribute of a row: for predictions and tests, outside any ledger.  A cell that is empty or NaN is
 * missing, and comes as NaN; infinity and text that is no number are SCANT_DATA. */
SCANT_API scant_status scant_source_row(scant_source *source, size_t row, double *x, scant_error *error);

/* Reads a file of costs (attribute,cost[,group]) for a source: by name or, without names, by number from 1. */
SCANT_API scant_status scant_prices_load(scant_prices **prices, const char *path, const scant_source *source,
                                         scant_error *error);

/* ---- the meter --------------------------------------------------------- */

/* What was bought. */
struct scant_ledger {
  uint64_t examples;               /* examples bought from, over all passes */
  uint64_t distinct_examples;      /* each counted once */
  uint64_t looks_drawn;            /* with repetitions */
  uint64_t attributes_bought;      /* distinct within each visit; a group counts as one, what is free not at all */
  uint64_t max_bought_per_example; /* over all passes */
  uint64_t money_spent;            /* in hundredths; 0 without prices */
  uint64_t missing_cells;          /* attributes bought that had no value */
  uint64_t skipped_examples;       /* examples that were not learned from because of them */
  uint64_t refused_examples;       /* examples that were bought and can't be learned from: a value is infinite, no
                                    * number, or missing where that is an error; or a limit was met within one */
};

typedef struct scant_meter scant_meter;

/* A meter on a source, which must outlive it.  At most k attributes may be bought of a row over all passes, and
 * `budget` attributes in all; 0: no such limit.  O(rows + d) memory. */
SCANT_API scant_status scant_meter_new(scant_meter **meter, scant_source *source, uint64_t k, uint64_t budget,
                                       scant_error *error);
SCANT_API void scant_meter_free(scant_meter *meter);

/* From now on looks are paid for: an example may cost `spend`, all of them together `budget_cost`, in hundredths (0: no
 * limit).  A look at one attribute of a group buys the whole group.  The prices must outlive the meter. */
SCANT_API scant_status scant_meter_price(scant_meter *meter, const scant_prices *prices, uint64_t spend,
                                         uint64_t budget_cost, scant_error *error);

/* What is done with missing values.  They are charged and counted in any case, since the look was made.  A new meter
 * refuses them (SCANT_DATA naming the cell); else they come as NaN, for a learner with the same setting. */
SCANT_API void scant_meter_set_missing(scant_meter *meter, scant_missing missing);

/* With `observed`, the data chose which cells are present, not the learner.  Then missing cells are neither counted nor
 * charged, whatever set_missing says; they come as NaN.  The limits hold for cells that are present, which is known
 * only after reading: near a limit cells are read one by one, and those read before SCANT_SPENT are charged. */
SCANT_API void scant_meter_set_observed(scant_meter *meter, int observed);

/* Buys the attributes of `look` of one row: fills values[0 .. count) and y. SCANT_SPENT: a limit would be exceeded;
 * nothing is read or charged.  SCANT_DATA: the values were read and are charged, but one is infinite, no number, or
 * missing where that is an error.  Any other failure: nothing was read or charged. */
SCANT_API scant_status scant_meter_buy(scant_meter *meter, size_t row, const scant_look *look, double *values,
                                       double *y, scant_error *error);

/* The same for an example that is bought bit by bit, and counted as one example.  K and the other limits hold for all
 * its purchases together; an attribute that was bought before is paid again. */
SCANT_API scant_status scant_meter_buy_more(scant_meter *meter, size_t row, const scant_look *look, double *values,
                                            double *y, scant_error *error);

SCANT_API const scant_ledger *scant_meter_ledger(const scant_meter *meter);
/* How often each attribute was bought, `dimension` numbers.  Both belong to the meter. */
SCANT_API const uint64_t *scant_meter_purchases(const scant_meter *meter);

/* ---- models ------------------------------------------------------------ */

/* Loads a model file, which the caller frees.  It checks everything in the file, and runs nothing. */
SCANT_API scant_status scant_model_load(scant_model **model, const char *path, scant_error *error);
/* Writes to a temporary file beside `path`, syncs, renames. */
SCANT_API scant_status scant_model_save(const scant_model *model, const char *path, scant_error *error);
/* The same as text, ended by 0 and allocated for scant_text_free; and a model from such a text. */
SCANT_API scant_status scant_model_write(const scant_model *model, char **text, size_t *length, scant_error *error);
SCANT_API scant_status scant_model_read(scant_model **model, const char *text, size_t length, scant_error *error);
SCANT_API void scant_model_free(scant_model *model);

/* What a model holds; it owns what these return.  A name is NULL if there is none. */
SCANT_API size_t scant_model_dimension(const scant_model *model);
SCANT_API const double *scant_model_weights(const scant_model *model);
SCANT_API double scant_model_intercept(const scant_model *model);
SCANT_API const char *scant_model_name(const scant_model *model, size_t attribute);
SCANT_API const char *scant_model_target_name(const scant_model *model);
SCANT_API const scant_settings *scant_model_settings(const scant_model *model);
SCANT_API const scant_ledger *scant_model_ledger(const scant_model *model);
SCANT_API const uint64_t *scant_model_purchases(const scant_model *model);
/* Is it of a study that was amended?  Then the ledger's money was paid at the prices of the day. */
SCANT_API int scant_model_is_amended(const scant_model *model);
/* What the attributes cost; NULL: it was fitted without costs. */
SCANT_API const scant_prices *scant_model_prices(const scant_model *model);
/* The mean of each attribute's known training values, which predictions put in place of missing values. */
SCANT_API const double *scant_model_means(const scant_model *model);
/* The limits that each attribute is clipped to in every prediction: with weights w, a prediction is the intercept plus
 * the sum of w_i times x_i brought between low_i and high_i.  NULL: no attribute is clipped. */
SCANT_API const double *scant_model_low(const scant_model *model);
SCANT_API const double *scant_model_high(const scant_model *model);
/* The step size used; NaN if it adapted. */
SCANT_API double scant_model_eta(const scant_model *model);
/* aer's lambda, or the penalty that a dense algorithm chose; NaN for the others. */
SCANT_API double scant_model_penalty(const scant_model *model);
/* Standard errors of the weights, by which they would vary over other examples and other looks (scant_fit_errors).
 * NULL: the model has none.  NaN: nothing is known of this weight, which is 0. */
SCANT_API const double *scant_model_errors(const scant_model *model);
/* NaN: none. */
SCANT_API double scant_model_intercept_error(const scant_model *model);
/* The risk of a model with errors, as the fit estimated it, and its standard error; NaN: not known. */
SCANT_API double scant_model_risk(const scant_model *model);
SCANT_API double scant_model_risk_error(const scant_model *model);
/* A weight plus and minus so many errors is its interval of this level, between 0 and 1: the quantile of Student's t
 * with one degree of freedom less than there were groups.  NaN: the model has no errors. */
SCANT_API double scant_model_error_quantile(const scant_model *model, double level);
/* How many pairs of attributes the errors concern, and how many of these were seen together in fewer than
 * SCANT_PAIR_FEWEST examples; *pairs 0: nobody counted, since there are too many. */
#define SCANT_PAIR_FEWEST 10
SCANT_API void scant_model_pairs(const scant_model *model, uint64_t *pairs, uint64_t *rare);
/* Notes about a model with errors for its user. */
typedef enum scant_model_note {
  SCANT_MODEL_SHRUNK,     /* weights are penalised, and that bias is not in their errors */
  SCANT_MODEL_RARE_PAIRS, /* pairs were seen too rarely to be sure of the errors */
  SCANT_MODEL_NOTES
} scant_model_note;
/* Writes the sentence of a note; 0: there is nothing to say, and nothing is written.  O(d). */
SCANT_API int scant_model_say(const scant_model *model, scant_model_note note, scant_error *sentence);
/* Was this attribute read unpenalised (option errors-of)?  Then shrinkage does not bias its weight. */
SCANT_API int scant_model_is_unpenalised(const scant_model *model, size_t attribute);
/* Is this a checkpoint, that is, does it hold a learner to resume? */
SCANT_API int scant_model_is_checkpoint(const scant_model *model);

/* Makes one finished model, which the caller frees, from checkpoints of an algorithm whose engine merges them
 * (moments), of fits to parts of the data.  Attributes, costs and settings must be the same, except which examples and
 * how many. Sums and ledgers add up in any order.  Engines, threads and memory are of `given`; two learners are in
 * memory. */
SCANT_API scant_status scant_model_merge(scant_model **model, scant_learner_facts *facts, const char *const *paths,
                                         size_t count, const scant_settings *given, scant_error *error);

/* SCANT_USAGE: an option given has another value than in the fit, is not of its algorithm, or is costs. */
SCANT_API scant_status scant_model_check_settings(const scant_model *model, const scant_settings *given,
                                                  scant_error *error);

/* The prediction of y for x[d].  A model that learned log(1 + y) predicts y too.  A NaN in x is a missing value, and
 * the attribute's mean takes its place.  O(d). */
SCANT_API double scant_model_predict(const scant_model *model, const double *x);

/* Predictions for every row of a source, outside any ledger.  Where values are missing, a Gaussian model (below)
 * predicts from the others.  SCANT_DATA naming the row if one is not finite. */
SCANT_API scant_status scant_model_predict_rows(const scant_model *model, scant_source *source, double *predictions,
                                                scant_error *error);

/* Makes the attributes of `source` those of the model: by name where both have names, else by place.  Where a group of
 * the model has attributes NAME=WORD and a CSV file has a column NAME instead, they are its categories.  SCANT_DATA:
 * columns are absent.  For a Gaussian model (below) up to half of its columns may be; they count as empty, and
 * scant_source_note names them. */
SCANT_API scant_status scant_model_bind(const scant_model *model, scant_source *source, scant_error *error);

typedef struct scant_scores {
  uint64_t examples;
  double squared_error;  /* mean of (prediction - y)^2 */
  double absolute_error; /* mean of |prediction - y| */
  double r2;             /* NaN if y does not vary */
  double accuracy;       /* of the sign (0 is wrong); NaN unless every y is -1 or +1 */
} scant_scores;

/* Scores a model on `count` rows (rows NULL: all).  A model that learned log(1 + y) is scored on log(1 + y);
 * SCANT_USAGE: the targets of the source are not that. */
SCANT_API scant_status scant_model_evaluate(const scant_model *model, scant_source *source, const uint64_t *rows,
                                            size_t count, scant_scores *scores, scant_error *error);

/* ---- predictions from a few attributes ----------------------------------- */

/* A model of the algorithm gaussian holds the joint Gaussian of attributes and target.  So it predicts from any
 * attributes, says how sure it is, and which attribute would help most.  Other models are refused with SCANT_USAGE.  Is
 * the model one of these? */
SCANT_API int scant_model_is_gaussian(const scant_model *model);
/* Has its target two values?  They are ascending, in the units of y. */
SCANT_API int scant_model_target_values(const scant_model *model, double values[2]);

/* A prediction with the interval that holds y with probability `level`.  For a target of two values (classes, or twenty
 * targets with no third value and five of each), the mean is their average by their probabilities, and the interval is
 * one of them or goes from one to the other.  A model that learned log(1 + y) predicts y, with the variance of log(1 +
 * y).  low and high are NaN unless 0 < level < 1. */
typedef struct scant_prediction {
  double mean, low, high, variance;
} scant_prediction;

/* Predictions for every row of a source from the cells that have a value, outside any ledger.  O(d) per row for the
 * last few patterns of missing cells, O(d^3) for another one. */
SCANT_API scant_status scant_model_predict_known(const scant_model *model, scant_source *source, double level,
                                                 scant_prediction *predictions, scant_error *error);

/* Predicts for one example after another.  Model and prices (NULL: all cost the same) must outlive it.  O(d). */
typedef struct scant_query scant_query;
SCANT_API scant_status scant_query_new(scant_query **query, const scant_model *model, const scant_prices *prices,
                                       scant_error *error);
SCANT_API void scant_query_free(scant_query *query);

/* Another example, of which nothing is known. */
SCANT_API void scant_query_reset(scant_query *query);

/* The attribute to ask for next: the one that is expected to lower the variance of the prediction most, by cov(j, y |
 * known)^2 / var(j | known); with prices, most per cost.  A group is judged as a whole, and one of its members is
 * returned; when one is told, the others cost nothing.  Free attributes come first.  Returns 0 if nothing that was not
 * told would help.  O(d), and O(known * size^2 + size^3) per group. */
SCANT_API int scant_query_next(scant_query *query, uint32_t *attribute);

/* Tells the value of any attribute; NaN: it has none, and is not asked for again. SCANT_MISUSE: there is no such
 * attribute, or it was told.  It allocates. O(known), and O(d * known) where the last example was told other
 * attributes: examples that are told the same ones in the same order share the work. */
SCANT_API scant_status scant_query_tell(scant_query *query, uint32_t attribute, double value, scant_error *error);

/* The prediction from what was told so far.  O(1). */
SCANT_API void scant_query_predict(const scant_query *query, double level, scant_prediction *prediction);

/* How sure the prediction of a target of two values is: the probability of the likelier value, which *value becomes
 * (the upper one where both are as likely).  NaN, and *value too, if the target is a number.  O(1). */
SCANT_API double scant_query_sure(const scant_query *query, double *value);

/* Was this attribute told? */
SCANT_API int scant_query_is_told(const scant_query *query, uint32_t attribute);

/* The cost of asking for this attribute now, in hundredths: its item's; 0 if a member was told, or without prices. */
SCANT_API uint64_t scant_query_price(const scant_query *query, uint32_t attribute);

/* What an item that was not told would change. */
typedef struct scant_offer {
  uint32_t attribute; /* the one to ask for: of a group, the member that tells most */
  uint64_t price;     /* of the whole item, in hundredths; 0: it is free, bought already with its group, or there are no
                       * prices */
  double variance; /* of the prediction after it; of a target of two values, the part of the target's variance that the
                    * linear prediction leaves */
  double width;    /* of the interval after it, on average; NaN for two values */
  double sure;     /* the probability of the value that will be the likelier one after it, on average; NaN for a
                    * number */
  double moves;    /* how far the probability of a value moves, root mean square; NaN for a number */
} scant_offer;

/* The offers that help, best first, at most `count` of those that cost at most `most`; returns their number.  The first
 * is that of scant_query_next.  What is expected is so under the Gaussian.  O(d count), and groups as there. */
SCANT_API size_t scant_query_offers(scant_query *query, double level, uint64_t most, scant_offer *offers, size_t count);

/* ---- when to stop -------------------------------------------------------- */

/* When to stop buying for a prediction.  The first rule that is met stops; 0: there is no such rule. */
typedef struct scant_stop {
  uint64_t k;     /* so many were bought: a group counts as one, a free attribute not at all */
  uint64_t spend; /* no more than this may be spent, in hundredths: an item that does not fit is passed over */
  double width;   /* the interval is at most so wide, in the units of y */
  double sure;    /* one of the two values of the target has at least this probability, above 1/2 and below 1 */
} scant_stop;

/* SCANT_USAGE with a sentence if the rules can't be those of predictions of this model: `sure` needs a target of two
 * values, `spend` needs prices (NULL: none), and `width` needs a level between 0 and 1. */
SCANT_API scant_status scant_stop_check(const scant_stop *stop, const scant_model *model, const scant_prices *prices,
                                        double level, scant_error *error);

/* What to do next: buy, or why to stop. */
typedef enum scant_verdict {
  SCANT_VERDICT_BUY,
  SCANT_VERDICT_SURE,
  SCANT_VERDICT_WIDTH,
  SCANT_VERDICT_K,
  SCANT_VERDICT_SPEND,   /* what would help costs more than is left */
  SCANT_VERDICT_NOTHING, /* nothing that was not told would help */
  SCANT_VERDICTS
} scant_verdict;

/* "buy", "sure", "width", "k", "spend", "nothing"; NULL past the end. */
SCANT_API const char *scant_verdict_name(scant_verdict verdict);

/* Applies the rules (NULL: none) to what was told, after `bought` items for `spent` hundredths.  Of SCANT_VERDICT_BUY
 * *attribute is what to ask for.  What is free is asked for first, whatever the rules. */
SCANT_API scant_verdict scant_query_decide(scant_query *query, const scant_stop *stop, double level, uint64_t bought,
                                           uint64_t spent, uint32_t *attribute);

/* Predictions for every row from at most `k` attributes, bought one after another through a meter as scant_query_next
 * says; a group counts as one, a free attribute not at all, and a missing value is paid like the rest. `ledger`, if not
 * NULL, gets what was bought, also after a failure.  SCANT_DATA: k is more than there are attributes. */
SCANT_API scant_status scant_model_predict_few(const scant_model *model, scant_source *source, uint64_t k,
                                               const scant_prices *prices, double level, scant_prediction *predictions,
                                               scant_ledger *ledger, scant_error *error);

typedef struct scant_known_scores {
  scant_scores scores;
  double variance; /* mean of the variances that were predicted */
  double coverage; /* share of the targets in their intervals; NaN without a level */
  double width;    /* mean of high - low; NaN without a level */
  double bought;   /* mean of the attributes bought per example, as the ledger counts */
  double money;    /* mean of what they cost, in hundredths */
} scant_known_scores;

/* Scores the predictions of scant_model_predict_known. */
SCANT_API scant_status scant_model_evaluate_known(const scant_model *model, scant_source *source, double level,
                                                  scant_known_scores *scores, scant_error *error);

/* Scores scant_model_predict_few for every number of purchases from 0 to k, in one pass: k + 1 numbers in `curve`. */
SCANT_API scant_status scant_model_evaluate_few(const scant_model *model, scant_source *source, uint64_t k,
                                                const scant_prices *prices, double level, scant_known_scores *curve,
                                                scant_ledger *ledger, scant_error *error);

/* How attributes are bought for predictions.  {0} buys all that helps. */
typedef struct scant_buying {
  const scant_prices *prices; /* NULL: all attributes cost the same */
  scant_stop stop;
  double level;              /* of the intervals; 0: none */
  const unsigned char *have; /* `dimension` flags: these cells are there already and cost nothing; NULL: none */
} scant_buying;

/* One attribute that was bought. */
typedef struct scant_purchase {
  uint32_t attribute;
  uint64_t price; /* its own, in hundredths; those of a group add up to what the group costs */
  double value;   /* NaN: it had none */
} scant_purchase;

/* The purchases of one row, in order, and the prediction. */
typedef struct scant_bought {
  scant_prediction prediction;
  double sure, value; /* as of scant_query_sure */
  scant_verdict verdict;
  uint64_t items, money; /* as a ledger counts */
  size_t count;
  const scant_purchase *purchases; /* valid until the visitor returns */
} scant_bought;

/* Is told of each row in order; another status than SCANT_OK ends the run with it. */
typedef scant_status (*scant_bought_visitor)(void *user, size_t row, const scant_bought *bought, scant_error *error);

/* Buys attributes of every row one after another until a rule stops it, and predicts.  A cell of a column in `have` is
 * read outside the meter and told first; an empty one is not asked for.  If one attribute of a group is in `have`, all
 * of the group are.  `ledger`, if not NULL, gets what was bought, also after a failure.  Errors are those of
 * scant_stop_check and scant_model_predict_few, and the visitor's. */
SCANT_API scant_status scant_model_buy(const scant_model *model, scant_source *source, const scant_buying *buying,
                                       scant_bought_visitor visit, void *user, scant_ledger *ledger,
                                       scant_error *error);

/* Scores of the examples that one verdict stopped. */
typedef struct scant_verdict_scores {
  uint64_t examples;
  uint64_t covered; /* targets in their intervals */
  uint64_t right;   /* targets that were the likelier value; 0 for a number */
  uint64_t items, money;
} scant_verdict_scores;

typedef struct scant_bought_scores {
  scant_known_scores all;
  int two_valued; /* `right` and `sure` apply */
  double right;   /* share of the targets that were the likelier value; NaN for a number */
  double sure;    /* mean of the likelier values' probabilities, which should be near that; NaN for a number */
  scant_verdict_scores by[SCANT_VERDICTS];
} scant_bought_scores;

/* Scores the predictions of scant_model_buy. */
SCANT_API scant_status scant_model_evaluate_bought(const scant_model *model, scant_source *source,
                                                   const scant_buying *buying, scant_bought_scores *scores,
                                                   scant_ledger *ledger, scant_error *error);

/* ---- attributes by name -------------------------------------------------- */

/* Flags the attribute of this name or, in a model without names, of this number from 1; else those called NAME=WORD in
 * a group, which --one-hot made of the column NAME.  SCANT_DATA: there is none, but a nearest name in the sentence. */
SCANT_API scant_status scant_model_find(const scant_model *model, const char *name, unsigned char *flags,
                                        scant_error *error);

/* The same for a list of names that commas separate, in quotes where they must be. */
SCANT_API scant_status scant_model_find_all(const scant_model *model, const char *list, unsigned char *flags,
                                            scant_error *error);

/* Tells a query "NAME=VALUE" as a user writes it.  An attribute takes a number; a column of words takes a word, which
 * makes each of its attributes NAME=WORD 1 or 0 (*unlisted becomes 1 if it is none of them).  Nothing, "?", "NA" and
 * "nan" mean that it has no value.  Where names hold '=', the longest that fits counts.  SCANT_DATA: there is no '=' or
 * no such name, or the value is no number; SCANT_MISUSE: it was told. */
SCANT_API scant_status scant_query_tell_text(scant_query *query, const char *text, int *unlisted, scant_error *error);

/* Reads a file of costs for the attributes of a model, as scant_prices_load does for those of a source. */
SCANT_API scant_status scant_model_load_prices(const scant_model *model, const char *path, scant_prices **prices,
                                               scant_error *error);

/* ---- files ------------------------------------------------------------- */

/* A text as a cell of CSV, in quotes where it must be or as `quoted` says.  A text that a spreadsheet would run (it
 * begins with = + - @ or a control character and is not a number) gets an apostrophe before it, which readers of
 * catalogues and answers remove.  Writes at most `size` bytes with the 0; returns the length of the whole cell. */
SCANT_API size_t scant_csv_cell(char *cell, size_t size, const char *text, int quoted);

/* Replaces a file whole or not at all: writes beside it, syncs, renames.  A path that is not a regular file (a pipe,
 * /dev/stdout) is written to directly; if it is a link, its target is replaced or made. Removes temporary files that
 * killed writers of this file left beside it.  Signals that end a process wait, in this thread, until it is done. */
SCANT_API scant_status scant_file_replace(const char *path, const char *bytes, size_t length, scant_error *error);

/* ---- fitting ----------------------------------------------------------- */

typedef struct scant_fit scant_fit;

/* A fit of `source` (which must outlive it): shuffle, split, first M, then passes of ask, buy and tell. */
SCANT_API scant_status scant_fit_new(scant_fit **fit, const scant_settings *settings, scant_source *source,
                                     scant_error *error);

/* Goes on from a checkpoint with its settings and prices, and with the engines, threads and memory of `given`.
 * SCANT_USAGE: `given` has an option with another value, or costs; SCANT_DATA: these are other data. */
SCANT_API scant_status scant_fit_resume(scant_fit **fit, const scant_model *checkpoint, const scant_settings *given,
                                        scant_source *source, scant_error *error);
SCANT_API void scant_fit_free(scant_fit *fit);

/* Learns from up to `examples` further examples; *done is set when the fit is complete or its budget is spent.  With
 * option block, blocks are learned whole: the last one may reach further. */
SCANT_API scant_status scant_fit_advance(scant_fit *fit, uint64_t examples, int *done, scant_error *error);

/* Examples over all passes; under a budget, about how many it pays for; 0: not known, as they come by sources. */
SCANT_API uint64_t scant_fit_horizon(const scant_fit *fit);
/* Did `budget` or `budget-cost` end the fit? */
SCANT_API int scant_fit_budget_spent(const scant_fit *fit);
SCANT_API const scant_ledger *scant_fit_ledger(const scant_fit *fit);
/* Facts of the learner; ledger and settings belong to the fit. */
SCANT_API void scant_fit_get_facts(const scant_fit *fit, scant_learner_facts *facts);
SCANT_API const scant_settings *scant_fit_settings(const scant_fit *fit);

/* Why the algorithm of the settings was taken (scant_settings_choose), if `default` chose it in this fit; else NULL. */
SCANT_API const char *scant_fit_choice(const scant_fit *fit);

/* Rows held out by `split`. */
SCANT_API const uint64_t *scant_fit_held_out(const scant_fit *fit, size_t *count);

/* Notes about a fit for its user: all are warnings but the last. */
typedef enum scant_fit_note {
  SCANT_FIT_THEOREM, /* a setting or a value is outside the bounds of the algorithm's theorem, or blocks are too few */
  SCANT_FIT_NEVER_KNOWN, /* an attribute was bought ten times or more and never had a value */
  SCANT_FIT_FULL_BALL,   /* the weights fill their ball */
  SCANT_FIT_UNPAID,      /* the budget does not pay for one example */
  SCANT_FIT_NO_WEIGHTS,  /* every weight is 0 */
  SCANT_FIT_WORSE,       /* the risk is above the variance of the target */
  SCANT_FIT_SHRUNK,      /* the weights are a part of what was learned */
  SCANT_FIT_NOTES
} scant_fit_note;

/* Writes the sentence of a note; 0: there is nothing to say, and nothing is written.  Notes from SCANT_FIT_FULL_BALL on
 * but SCANT_FIT_UNPAID are about the model that scant_fit_model made of the fit as it stands (NULL: nothing is said of
 * it).  O(d). */
SCANT_API int scant_fit_say(const scant_fit *fit, const scant_model *model, scant_fit_note note, scant_error *sentence);

/* The model so far, which the caller frees; with `checkpoint` for scant_fit_resume (of a stream: SCANT_MISUSE). */
SCANT_API scant_status scant_fit_model(const scant_fit *fit, int checkpoint, scant_model **model, scant_error *error);

/* Errors are made from so many groups of examples, and need so many examples; with option block, of blocks. */
#define SCANT_ERROR_GROUPS 20
#define SCANT_ERROR_EXAMPLES 40

/* Adds standard errors to a model that scant_fit_model made of the fit as it stands.  They come from the same purchases
 * (delete-a-group jackknife): each of SCANT_ERROR_GROUPS regressors leaves out the examples (with option block, the
 * blocks) whose number has another remainder; settings and law of the looks are those of the fit.  auto, ridge, lasso,
 * svr and moments need the option errors from the beginning, with which the fit keeps its purchases, 40 bytes per look.
 * On `threads` threads; the cost is at most that of 25 fits.  SCANT_DATA: there are too few examples; SCANT_MISUSE: the
 * purchases were not kept, or the model is another one's; SCANT_STOPPED: the watcher said so.  The model is then as it
 * was. */
SCANT_API scant_status scant_fit_errors(const scant_fit *fit, scant_model *model, scant_error *error);

/* Is called after each purchase, before it is learned from, with the row of the source, the look, its values (NaN:
 * missing) and the target, which don't outlive the call.  Calls come one at a time, but not always on the thread that
 * called the library, and the function may not use the fit.  Another status than SCANT_OK ends the fit with it; the
 * ledger has the purchase. */
typedef scant_status scant_on_purchase(void *user, size_t row, const scant_look *look, const double *values, double y,
                                       scant_error *error);
/* From now on the function (NULL: none) is told of every purchase of the fit. */
SCANT_API void scant_fit_watch_purchases(scant_fit *fit, scant_on_purchase *function, void *user);

/* Keeps every purchase in a file, from now on: a line per attribute of an example, as docs/looks.md says; CSV or NPY by
 * the end of its name.  `pairs`, if not NULL, is a second file, with the probabilities that two attributes are bought
 * together, where they have a closed form.  Lines are written as they come, beside `path`, and a purchase that can't be
 * written ends the fit with SCANT_IO.  scant_fit_end_looks gives the files their names; without it nothing is left of
 * them, and a `path` of NULL drops them at once.  Rows of a fit whose examples come by sources are those of the current
 * one.  SCANT_USAGE: a name ends neither with .csv nor with .npy; SCANT_MISUSE: looks are kept already, or not. */
SCANT_API scant_status scant_fit_keep_looks(scant_fit *fit, const char *path, const char *pairs, scant_error *error);
SCANT_API scant_status scant_fit_end_looks(scant_fit *fit, scant_error *error);
/* The temporary name of the file of looks or pairs, for a signal handler that ends the program to remove; or NULL. */
SCANT_API const char *scant_fit_looks_beside(const scant_fit *fit, int pairs);

/* The learner of the fit, to save it or to read it. */
SCANT_API const scant_learner *scant_fit_learner(const scant_fit *fit);

/* A fit whose examples come source by source, so that how many there will be is not known (horizon 0): one pass over
 * each.  SCANT_USAGE: split, examples or more than one pass. */
SCANT_API scant_status scant_fit_stream(scant_fit **fit, const scant_settings *settings, scant_source *source,
                                        scant_error *error);

/* Goes on with the rows of another source of the same attributes, which are new examples, with as many passes; the
 * source so far may be freed then.  A fit that is done goes on, too, unless its budget is spent.  Ledger and limits go
 * on. */
SCANT_API scant_status scant_fit_feed(scant_fit *fit, scant_source *source, scant_error *error);

/* The same from a model and the learner that made it (scant_fit_learner, saved and loaded), which the fit takes over,
 * also on failure.  The bits are those of a fit without a break.  SCANT_DATA: they do not belong together. */
SCANT_API scant_status scant_fit_continue(scant_fit **fit, const scant_model *model, scant_learner *learner,
                                          scant_source *source, scant_error *error);

/* ---- tuning inside the budget ------------------------------------------- */

/* Several candidates learn from the same purchases, drawn by the law of the leader.  They are judged by the free risk
 * of their regressors as learned (at scale 1), each example before it is learned from; the first candidate leads until
 * another's paired difference plus two standard errors is below 0.  While its risk is above the variance of the target,
 * the lowest risk plus two standard errors leads.
 *
 * Another leader draws looks from the second block of up to 64 examples after it has begun to lead.  Candidates learn
 * on `threads` threads of the first one's settings; the source is read by the calling thread alone. */
typedef struct scant_tune scant_tune;

/* Candidates of one algorithm, whose looks must be such that they can be shared; `default` is auto here.  Options of
 * the run are those of the first.  The source must outlive the tuning. */
SCANT_API scant_status scant_tune_new(scant_tune **tune, const scant_settings *candidates, size_t count,
                                      scant_source *source, scant_error *error);
SCANT_API void scant_tune_free(scant_tune *tune);
/* As scant_fit_advance. */
SCANT_API scant_status scant_tune_advance(scant_tune *tune, uint64_t examples, int *done, scant_error *error);

typedef struct scant_candidate {
  double risk, risk_error;             /* of recent regressors; NaN: not known yet */
  double difference, difference_error; /* against the first, paired */
  int failed;                          /* it overflowed and learns no more */
} scant_candidate;

/* How a candidate stands, and which one leads.  O(1). */
SCANT_API void scant_tune_candidate(const scant_tune *tune, size_t index, scant_candidate *candidate);
SCANT_API size_t scant_tune_leader(const scant_tune *tune);
/* As scant_fit_watch_purchases. */
SCANT_API void scant_tune_watch_purchases(scant_tune *tune, scant_on_purchase *function, void *user);
/* As scant_fit_keep_looks and scant_fit_end_looks. */
SCANT_API scant_status scant_tune_keep_looks(scant_tune *tune, const char *path, const char *pairs, scant_error *error);
SCANT_API scant_status scant_tune_end_looks(scant_tune *tune, scant_error *error);
/* The fit of the purchases, for ledger, held-out rows and horizon. */
SCANT_API const scant_fit *scant_tune_fit(const scant_tune *tune);
/* As scant_fit_errors, for a model of this candidate. */
SCANT_API scant_status scant_tune_errors(const scant_tune *tune, size_t index, scant_model *model, scant_error *error);
/* The model of a candidate, which the caller frees. */
SCANT_API scant_status scant_tune_model(const scant_tune *tune, size_t index, scant_model **model, scant_error *error);

/* ---- curves -------------------------------------------------------------- */

/* How the error falls as examples are learned from, attributes are bought or money is spent. */
typedef enum scant_curve_unit {
  SCANT_CURVE_EXAMPLES,
  SCANT_CURVE_ATTRIBUTES,
  SCANT_CURVE_MONEY /* in hundredths */
} scant_curve_unit;

/* A point of a curve. */
typedef struct scant_curve_point {
  uint64_t examples;       /* taken, as the ledger counts them */
  uint64_t attributes;     /* bought */
  uint64_t money;          /* spent, in hundredths */
  double risk, risk_error; /* as the fit estimated them when it came here; NaN: not known */
  scant_scores scores;     /* on examples that it did not learn from (scant_curves_run) */
  int reached;             /* 0: the point does not pay for enough examples, and all the rest is 0 */
  int over;                /* there were no more examples at the point before: this one is the same */
} scant_curve_point;

/* Where point number `point`, from 0, lies on the way to `end`, which is the last of `points` equal steps.  It is
 * rounded up to whole examples, and down in units of attributes or money, where a limit may not be passed.  Points
 * beyond the last go on in the same steps. */
SCANT_API uint64_t scant_curve_step(scant_curve_unit unit, uint64_t end, size_t points, size_t point);

/* One fit that stops at marks on its way. */
typedef struct scant_curve scant_curve;

/* The fit must outlive the curve.  Marks (copied) are numbers of examples from where the fit stands, not descending. */
SCANT_API scant_status scant_curve_new(scant_curve **curve, scant_fit *fit, const uint64_t *marks, size_t count,
                                       scant_error *error);
SCANT_API void scant_curve_free(scant_curve *curve);

/* As scant_fit_advance, but not past the next mark.  *arrived is set at a mark and at the end of the fit.  With option
 * block it is set at the end of the block that a mark lies in. */
SCANT_API scant_status scant_curve_advance(scant_curve *curve, uint64_t examples, int *arrived, int *done,
                                           scant_error *error);

/* Where the fit stands, without scores. */
SCANT_API void scant_curve_get_point(const scant_curve *curve, scant_curve_point *point);

typedef struct scant_curve_entry {
  const char *label; /* failures begin with it */
  scant_settings settings;
} scant_curve_entry;

/* Curves of several entries, each of several runs.  Run r is the fit with seed `seed` + r: its shuffle, its split, its
 * looks.  A point is the model after the last example that fits into its step.
 *
 * An algorithm that looks at everything learns anew for each point; a radius that is NaN is chosen by cross-validation
 * on the examples of the point, for online-* by full-*.  All others learn once, and the fit stops at the points; in
 * units of attributes and money another fit first finds out where, since the cost of a look is known only when it is
 * drawn. */
typedef struct scant_curve_plan {
  const scant_curve_entry *entries;
  size_t entry_count;
  scant_curve_unit unit;
  uint64_t end; /* where the last point is; entries get it as their budget, but a budget-cost that they have stays */
  size_t points, runs;
  uint64_t seed;
  uint64_t threads; /* up to 64; the results are the same for any number */
  /* Opens the data, once per thread; they are freed here.  *test stays NULL: the rows that `split` holds out. */
  scant_status (*open)(void *user, scant_source **train, scant_source **test, scant_error *error);
  void *user;
  void (*progress)(void *user, double share); /* how much is done, from one thread at a time; or NULL */
  void *progress_user;
} scant_curve_plan;

/* Opens the data once and refuses entries that do not fit them.  Returns how many examples there are to learn from, and
 * how many attributes they have.  `end` need not be known yet. */
SCANT_API scant_status scant_curves_check(const scant_curve_plan *plan, uint64_t *examples, size_t *dimension,
                                          scant_error *error);

/* Fills points[entry][run][point], all of them; after a failure some may be filled. */
SCANT_API scant_status scant_curves_run(const scant_curve_plan *plan, scant_curve_point *points, scant_error *error);

/* Means over the runs; sd is the standard deviation of the squared error, 0 of one run.  Money is in whole units. */
typedef struct scant_curve_mean {
  double examples, attributes, money, squared_error, sd, absolute_error, r2, accuracy;
} scant_curve_mean;

/* 0: there is no such point, as a run can't pay for it, or every run had no more examples at the point before. */
SCANT_API int scant_curves_mean(const scant_curve_plan *plan, const scant_curve_point *points, size_t entry,
                                size_t point, scant_curve_mean *mean);

/* ---- plans ----------------------------------------------------------------- */

/* A plan says, before anything is bought but a pilot, which K to take, and how many examples and how much money a
 * wanted error takes.  It makes worlds, which are joint Gaussians of attributes and target as the pilot shows them,
 * draws examples from them, and fits them with the very learner and each K.  The error of a fit is that of its weights
 * in its world, exactly: no test examples are drawn.
 *
 * From examples (`pilot`) every run has a world of its own: the Gaussian of the examples without a part of them, and
 * with a relation to the target of such a strength that pilots from it show as much as the pilot does, plus or minus
 * its standard error.  So the spread over the runs includes the pilot's uncertainty, and that over a `model`, which has
 * one Gaussian, does not.  Attributes that the pilot knows nothing of are simulated as independent noise. */
typedef struct scant_plan scant_plan;

typedef struct scant_plan_request {
  /* Algorithm, options of the learner, and engines, of which gaussian must be there for a pilot of examples.  Options
   * of the run do not count, and clip is none, since values are Gaussian.  The texts must outlive the plan. */
  const scant_settings *settings;
  const scant_model *model;   /* with a Gaussian; NULL: */
  scant_source *pilot;        /* ten examples at least, whole or with holes; scant_plan_new alone reads it */
  const scant_prices *prices; /* NULL: every attribute counts 1, and there is no budget of money */
  const uint64_t *k;          /* ascending, from 2 to the dimension, which stands for whole examples; */
  size_t k_count;             /* 0: 2, 4, 8, ... and the dimension, as far as the budget pays for two examples */
  scant_curve_unit unit;      /* of the budget: attributes, or money in hundredths */
  uint64_t budget;            /* 0: none, and there is a wanted error */
  uint64_t label_cost;        /* of an example, beside its attributes, in hundredths; none with prices and a budget of
                                 attributes */
  uint64_t examples;          /* no more than these exist; 0: as many as the money pays for */
  double reach;               /* the wanted squared error; 0: none */
  size_t runs;                /* simulated fits of each K; 0: up to ten, and as many as make 30 fits in all */
  uint64_t seed;
  uint64_t threads; /* up to 64; the results are the same for any number */
  /* How much is done, from one thread at a time; another number than 0 stops.  Or NULL. */
  int (*progress)(void *user, double share);
  void *user;
} scant_plan_request;

/* Checks the request, fits the pilot and makes the worlds, which takes a few seconds at most.  Model, pilot and prices
 * are not used later.  SCANT_USAGE, SCANT_DATA: a sentence says what is wrong, such as money without prices, or a
 * wanted error below the least that full information gives by a model, or by more than two of its errors by a pilot. */
SCANT_API scant_status scant_plan_new(scant_plan **plan, const scant_plan_request *request, scant_error *error);
SCANT_API void scant_plan_free(scant_plan *plan);

/* Makes all simulated fits, once.  SCANT_STOPPED: `progress` said so. */
SCANT_API scant_status scant_plan_run(scant_plan *plan, scant_error *error);

typedef struct scant_plan_facts {
  size_t dimension, k_count, runs;
  size_t steps;            /* points of each fit: at half, a quarter, ... of the budget, and beyond it for `reach` */
  size_t step;             /* which of them is at the budget */
  size_t recommended;      /* which K to take; k_count: none, since no K came to the wanted error; after the run */
  uint64_t pilot_examples; /* 0: a model */
  size_t unknown;          /* attributes that are simulated as noise */
  double variance;         /* of the target */
  double shown;            /* R^2 by held-out halves of the pilot; and its standard error.  NaN: a model */
  double shown_error;
  double strength;           /* R^2 of full information: that of worlds whose pilots show as much on average, or the */
  double strength_error;     /* model's own; and its standard error, NaN: not known */
  double least, least_sd;    /* squared error that full information has in the worlds: mean, standard deviation */
  double limit;              /* money or attributes to which `reach` was simulated, in whole units */
  double work;               /* about how many multiplications all fits take */
  size_t recommended_budget; /* which K to take for the budget, whatever is wanted; k_count: there is no budget */
  int worse_than_mean;       /* by then the error of that K, and of every other, is above the target's variance */
} scant_plan_facts;

SCANT_API void scant_plan_get_facts(const scant_plan *plan, scant_plan_facts *facts);

/* Notes about a plan for its user: those from SCANT_PLAN_UNKNOWN to SCANT_PLAN_WORSE are warnings. */
typedef enum scant_plan_note {
  SCANT_PLAN_PILOT,   /* what the pilot is, and what it shows */
  SCANT_PLAN_COUNTS,  /* there are no prices, but labels have one: what an attribute counts */
  SCANT_PLAN_UNKNOWN, /* attributes are simulated as noise */
  SCANT_PLAN_WEAK,    /* what the pilot shows may be chance */
  SCANT_PLAN_FAR,     /* the wanted error is below what full information gives, but within two of its errors */
  SCANT_PLAN_RARE,  /* with option block, pairs of attributes are seen together too seldom; after the run, as all below
                     */
  SCANT_PLAN_WORSE, /* no K is better than the mean */
  SCANT_PLAN_TAKE,  /* which K to take for the budget */
  SCANT_PLAN_TAKE_REACH, /* which K to take for the wanted error */
  SCANT_PLAN_BLOCKS      /* with option block, how many blocks there are, and how often pairs are seen together */
} scant_plan_note;

/* Writes the sentence of a note; 0: there is nothing to say, and nothing is written. */
SCANT_API int scant_plan_say(const scant_plan *plan, scant_plan_note note, scant_error *sentence);

/* Means of a K over the runs at the budget.  Money is in whole units, with labels; without prices attributes cost 1. */
typedef struct scant_plan_entry {
  uint64_t k;
  const char *algorithm; /* that was taken, in the table */
  double examples, attributes, money;
  double error, sd, r2;        /* squared error, its standard deviation over the runs */
  double regret, regret_error; /* how much larger it is than the least of the run's, relative; standard error of the
                                  difference to the K with the least regret */
  size_t reached;              /* runs that came to the wanted error */
  /* Where it is reached: medians over the runs, by straight lines between the points in logarithms; INFINITY: most runs
   * do not reach it.  low and high are the least and the largest money. */
  double reach_examples, reach_money, reach_low, reach_high;
} scant_plan_entry;

/* After the run.  SCANT_MISUSE: it was not run, or there is no such K. */
SCANT_API scant_status scant_plan_entry_at(const scant_plan *plan, size_t index, scant_plan_entry *entry,
                                           scant_error *error);

typedef struct scant_plan_point {
  uint64_t examples, attributes;
  uint64_t money; /* in hundredths, with the labels */
  double error;   /* squared, in the world of the run */
} scant_plan_point;

/* A point of a fit.  0: it could not pay for an example by then, had no more, or had come to the wanted error. */
SCANT_API int scant_plan_point_at(const scant_plan *plan, size_t index, size_t run, size_t step,
                                  scant_plan_point *point);

#ifdef __cplusplus
}
#endif

#endif
