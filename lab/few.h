/* Error against the number of attributes bought per prediction, on two digits of MNIST or on any table.
 *
 * There are Gaussians of three kinds.  `gaussian` and `linear` use the algorithm gaussian, which saw K attributes of
 * every training example; `all` uses it too, and it saw them all.  `fixed-two-valued` and `fixed` use the moments of
 * all attributes of every training example: greedy forward selection by least squares chooses the same attributes, and
 * the linear mean is least squares on them.  `linear` and `fixed` predict linearly; the others predict the mean of a
 * target of two values, if it has two.  So the curves tell apart what the link and what the moments are worth.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_FEW_H
#define SCANT_LAB_FEW_H

#include "command/chart/svg_text.h"
#include "figures.h"
#include "theory.h"

enum { FEW_MOST = 64, FEW_CURVES = 5 };

/* What a Gaussian is learned from. */
typedef enum few_training {
  FEW_FROM_LOOKS,  /* K attributes of an example, by the algorithm gaussian */
  FEW_FROM_ALL,    /* all attributes, by the same */
  FEW_FROM_MOMENTS /* the moments of all attributes */
} few_training;
enum { FEW_TRAININGS = 3 };

typedef struct few_curve {
  const char *name;
  few_training training;
  int two_valued; /* it predicts the mean of a target of two values; else linearly */
} few_curve;

/* The names of the curves that are drawn of images and of tables, ended by NULL. */
extern const char *const few_image_curves[], *const few_table_curves[];

/* What is learned and predicted. */
typedef struct few_data {
  image_set set;   /* of a table x, y, n and d alone; NaN: the cell is empty */
  char title[128]; /* what the data are */
  uint64_t k;      /* attributes that gaussian sees of a training example */
  double held_out; /* the share of the examples that is predicted */
  double range;    /* a table: largest less smallest target; 0: images */
  int log_target;  /* log(1 + y) is learned; y is predicted */
  int has_holes;
} few_data;

/* Images of two digits of MNIST, and a file as the settings say.  In both, k = 0 and held_out = 0 stand for the
 * defaults: 56 and 0.1 of images; a third of the attributes and 0.3 of a table.  SCANT_USAGE: k is more than there are
 * attributes. */
scant_status few_load_images(few_data *data, const char *folder, const char *pair, scant_error *error);
scant_status few_load_table(few_data *data, const char *path, const scant_settings *settings, scant_error *error);

typedef struct few_results {
  const few_data *data;
  size_t most; /* attributes bought at most */
  size_t runs;
  const few_curve *curves[FEW_CURVES]; /* those asked for */
  size_t curve_count;
  double *errors; /* [curve][run][0 .. most]: squared errors of images; of tables their roots over the range */
} few_results;

static inline double *few_at(const few_results *r, size_t curve, size_t run) {
  return &r->errors[(curve * r->runs + run) * (r->most + 1)];
}

/* The area under the curve of a run: the sum of its errors from `first` attributes on. */
static inline double few_area(const few_results *r, size_t curve, size_t run, size_t first) {
  double sum = 0;
  for (size_t k = first; k <= r->most; k++) sum += few_at(r, curve, run)[k];
  return sum;
}

/* Runs, writes few.csv, few.svg and (of a table) few-area.csv, and fills `words` with what to print. */
scant_status few_run(const theory_request *request, const few_data *data, svg_text *words, scant_error *error);

/* A model with the moments of all attributes of the rows and nothing else: given
 * any attributes, its linear mean is that of least squares with an intercept on
 * these rows.  The caller frees it. */
scant_status few_full_model(scant_model **model, const view *train, scant_error *error);

scant_status few_write(const few_results *r, const char *folder, svg_text *words, scant_error *error);

#endif
