/* The table of algorithms.  A new algorithm is a new entry, or one new part with its tests. */
#include "learn/algorithms.h"

#include <string.h>

#include "estimate/gradient.h"
#include "estimate/stopped_gradient.h"
#include "learn/learner.h"
#include "settings/settings.h"

static double residual(const scant_learner *learner, const scant_look *look, const double *x, double y) {
  (void)learner;
  return scant_estimate_residual(look, x, y);
}

/* In place of [HK12, Alg. 1], l. 8-9 [HK12, Alg. 4, l. 2]. */
static double genest(const scant_learner *learner, const scant_look *look, const double *x, double y) {
  return scant_estimate_genest(look, x, y, &learner->loss, &learner->looks.series);
}

static double exact(const scant_learner *learner, const scant_look *look, const double *x, double y) {
  return scant_estimate_exact(look, x, y, &learner->loss);
}

static double ustatistic(const scant_learner *learner, const scant_look *look, const double *x, double y, double *g) {
  scant_ustatistic u = scant_ustatistic_of(look, x, NULL, learner->t, learner->a);
  scant_ustatistic_gradient(&u, look, x, learner->t, learner->a, y, g);
  return scant_ustatistic_risk(&u, y);
}

static double richardson(const scant_learner *learner, const scant_look *look, const double *x, double y, double *g) {
  g[look->count] = scant_richardson_gradient(look, x, y, &learner->loss, g);
  scant_ustatistic u = scant_ustatistic_of(look, x, NULL, learner->t, learner->a);
  return scant_ustatistic_risk(&u, y - look->intercept);
}

static const scant_parts algorithms[] = {
    {.words = {.name = "auto",
               .title = "nothing to tune: any units, any horizon",
               .look = "half by exploration, half by |w|; the likeliest for certain; at most K",
               .estimate = "stopped U-statistic with own terms, unbiased, in standard deviations",
               .update = "sinh of a t-statistic, no ball",
               .options = "intercept like-units clip spend thrift average block",
               .presets = "average=late radius=auto clip=3",
               .grid = "like-units=yes",
               .strict = 1,
               .least_k = 2,
               .role = SCANT_DEFAULT_STREAMING,
               .priced = 1,
               .reference = "this project"},
     .look = &scant_look_stopped,
     .gradient = ustatistic,
     .update = &scant_update_sinh,
     .standardised = 1},
    {.words = {.name = "ridge",
               .title = "ridge regression from few looks",
               .look = "half by deviation, half by |w| deviation; the likeliest for certain; at most K",
               .estimate = "stopped U-statistic with own terms, unbiased",
               .update = "projected gradient in the 2-norm ball",
               .options = "radius eta intercept clip spend thrift average x-bound block",
               .presets = "average=late clip=3",
               .grid = "radius=0.1,0.3,1,3,10",
               .strict = 1,
               .least_k = 2,
               .norm = 2,
               .priced = 1,
               .reference = "this project"},
     .look = &scant_look_stopped_by_deviation,
     .gradient = ustatistic,
     .update = &scant_update_gradient,
     .adaptive_eta = 1},
    {.words = {.name = "lasso",
               .title = "lasso from few looks",
               .look = "half by exploration, half by |w|; the likeliest for certain; at most K",
               .estimate = "stopped U-statistic with own terms, unbiased, in standard deviations",
               .update = "sinh of a t-statistic, scaled into the 1-norm ball",
               .options = "radius eta intercept like-units clip spend thrift average block",
               .presets = "average=late radius=auto clip=3",
               .grid = "eta=1,1.4,2,2.8,4",
               .strict = 1,
               .least_k = 2,
               .reference = "this project",
               .priced = 1},
     .look = &scant_look_stopped,
     .gradient = ustatistic,
     .update = &scant_update_sinh,
     .standardised = 1},
    {.words = {.name = "svr",
               .title = "support-vector regression and classification from few looks",
               .look = "half by exploration, half by |w|; the likeliest for certain; at most K",
               .estimate = "Richardson on two halves of the stopped draws, in standard deviations",
               .update = "sinh of a t-statistic, no ball",
               .options = "loss tube smoothing intercept like-units clip spend thrift average block",
               .presets = "loss=insensitive smoothing=1 average=late radius=auto clip=3",
               .grid = "like-units=yes",
               .strict = 1,
               .least_k = 3,
               .reference = "this project",
               .priced = 1},
     .look = &scant_look_stopped_halves,
     .gradient = richardson,
     .update = &scant_update_sinh,
     .own_intercept = 1,
     .standardised = 1},
    {.words = {.name = "gaussian",
               .title = "one Gaussian of attributes and target, by EM from the looks; d^2 memory",
               .look = "K distinct: a fifth evenly over what varies, the rest over what forward selection finds; with "
                       "observed: what is there",
               .estimate = "none: EM with a prior, whose weight two halves of the examples choose",
               .update = "ridge on the covariance, the penalty chosen as the prior",
               .options = "clip observed spend thrift errors-of block",
               .presets = "clip=3",
               .strict = 1,
               .least_k = 2,
               .dense = 1,
               .role = SCANT_DEFAULT_DENSE,
               .priced = 1,
               .joint = 1,
               .sums = 1,
               .reference = "this project"},
     .look = &scant_look_by_engine_for_prices},
    {.words = {.name = "moments",
               .title = "second moments of the purchases, then ridge or lasso; d^2 memory",
               .look = "K distinct: half evenly over what varies, half by |w| deviation; with observed: what is there",
               .estimate = "none: means and covariances of pairs by their counts",
               .update = "ridge or lasso on the covariances, made positive; the penalty by folds",
               .options = "norm penalty like-units clip observed block",
               .presets = "",
               .strict = 1,
               .least_k = 2,
               .dense = 1,
               .sums = 1,
               .reference = "this project"},
     .look = &scant_look_by_engine},
    {.words = {.name = "aerr",
               .title = "attribute efficient ridge regression",
               .look = "K-1 uniform for the gradient, 1 by w^2 for the residual",
               .estimate = "residual x gradient, independent, unbiased",
               .update = "projected gradient in the 2-norm ball",
               .options = "radius eta residual-looks replacement center average x-bound block",
               .presets = "",
               .strict = 1,
               .least_k = 2,
               .norm = 2,
               .reference = "Hazan & Koren 2012, Algorithm 1"},
     .look = &scant_look_uniform,
     .theorem = 1,
     .estimate = residual,
     .risk = scant_estimate_split_risk,
     .update = &scant_update_gradient},
    {.words = {.name = "aelr",
               .title = "attribute efficient lasso regression",
               .look = "K-1 uniform for the gradient, 1 by |w| for the residual",
               .estimate = "residual x gradient, independent, unbiased, clipped to 1/eta",
               .update = "exponentiated gradient (EG+-) in the 1-norm ball",
               .options = "radius eta residual-looks replacement center average x-bound block",
               .presets = "",
               .strict = 1,
               .least_k = 2,
               .norm = 1,
               .reference = "Hazan & Koren 2012, Algorithm 2"},
     .look = &scant_look_uniform,
     .theorem = 1,
     .estimate = residual,
     .risk = scant_estimate_split_risk,
     .update = &scant_update_eg},
    {.words = {.name = "ddaerr",
               .title = "data-dependent AERR",
               .look = "K/2 by sqrt(E x^2), K/2 by |w| sqrt(E x^2); in the first tenth K/2 uniform, K/2 by w^2",
               .estimate = "residual x gradient, independent, unbiased",
               .update = "projected gradient in the 2-norm ball",
               .options = "radius eta center average x-bound block",
               .presets = "",
               .strict = 1,
               .least_k = 2,
               .norm = 2,
               .reference = "Kukliansky & Shamir 2015, DDAERR"},
     .look = &scant_look_data_dependent,
     .theorem = 1,
     .estimate = residual,
     .risk = scant_estimate_split_risk,
     .update = &scant_update_gradient},
    {.words = {.name = "ddaelr",
               .title = "data-dependent AELR",
               .look = "K/2 by E x^2, K/2 by |w| sqrt(E x^2); in the first tenth K/2 uniform, K/2 by |w|",
               .estimate = "residual x gradient, independent, unbiased, clipped to 1/eta",
               .update = "exponentiated gradient (EG+-) in the 1-norm ball",
               .options = "radius eta center average x-bound block",
               .presets = "",
               .strict = 1,
               .least_k = 2,
               .norm = 1,
               .reference = "Kukliansky & Shamir 2015, DDAELR"},
     .look = &scant_look_data_dependent,
     .theorem = 1,
     .estimate = residual,
     .risk = scant_estimate_split_risk,
     .update = &scant_update_eg},
    {.words = {.name = "aesvr",
               .title = "attribute efficient support-vector regression",
               .look = "uniform for the gradient, GenEst's by w^2 or |w| for the residual",
               .estimate = "GenEst, unbiased for the smoothed loss",
               .update = "as aerr (norm 2) or aelr (norm 1)",
               .options = "radius eta loss norm tube smoothing center average x-bound block replacement",
               .presets = "loss=insensitive",
               .strict = 0,
               .least_k = 2,
               .reference = "Hazan & Koren 2012, Algorithm 4 and Procedure 3"},
     .look = &scant_look_genest,
     .theorem = 1,
     .estimate = genest,
     .risk = scant_estimate_split_risk,
     .adaptive_eta = 1},
    {.words = {.name = "aer",
               .title = "attribute efficient regression, the paper's rival",
               .look = "K/2 uniform without replacement, K/2 by |w|",
               .estimate = "residual x gradient, independent, unbiased",
               .update = "Pegasos steps, projected onto the 1-norm ball",
               .options = "radius penalty center average x-bound block",
               .presets = "replacement=no",
               .strict = 1,
               .least_k = 2,
               .norm = 1,
               .reference = "Cesa-Bianchi, Shalev-Shwartz & Shamir 2011, AER"},
     .look = &scant_look_even,
     .theorem = 1,
     .estimate = residual,
     .risk = scant_estimate_split_risk,
     .update = &scant_update_pegasos},
    {.words = {.name = "coinflip",
               .title = "all attributes of a few examples: the honest baseline",
               .look = "all d with probability K/d, else none",
               .estimate = "exact gradient times d/K",
               .update = "as aerr (norm 2) or aelr (norm 1)",
               .options = "radius eta loss norm tube smoothing center average x-bound block",
               .presets = "smoothing=0.1",
               .strict = 0,
               .least_k = 2,
               .reference = "folklore"},
     .look = &scant_look_coinflip,
     .estimate = exact,
     .risk = scant_estimate_exact_risk,
     .adaptive_eta = 1},
    {.words = {.name = "online-ridge",
               .title = "full information: online gradient descent",
               .look = "all d",
               .estimate = "exact gradient",
               .update = "projected gradient in the 2-norm ball",
               .options = "radius eta center average x-bound block",
               .presets = "",
               .strict = 1,
               .whole = 1,
               .norm = 2,
               .solver = "full-ridge",
               .reference = "Zinkevich 2003"},
     .look = &scant_look_all,
     .theorem = 1,
     .estimate = exact,
     .risk = scant_estimate_exact_risk,
     .update = &scant_update_gradient},
    {.words = {.name = "online-lasso",
               .title = "full information: online exponentiated gradient",
               .look = "all d",
               .estimate = "exact gradient, clipped to 1/eta",
               .update = "exponentiated gradient (EG+-) in the 1-norm ball",
               .options = "radius eta center average x-bound block",
               .presets = "",
               .strict = 1,
               .whole = 1,
               .norm = 1,
               .solver = "full-lasso",
               .reference = "Kivinen & Warmuth 1997"},
     .look = &scant_look_all,
     .theorem = 1,
     .estimate = exact,
     .risk = scant_estimate_exact_risk,
     .update = &scant_update_eg},
    {.words = {.name = "full-ridge",
               .title = "full information: constrained ridge regression, solved exactly",
               .look = "all d",
               .estimate = "none",
               .update = "eigenvectors and the secular equation, 2-norm ball",
               .options = "radius center standardise clip x-bound",
               .presets = "",
               .strict = 1,
               .whole = 1,
               .dense = 1,
               .norm = 2,
               .reference = "textbook"},
     .look = &scant_look_all},
    {.words = {.name = "full-lasso",
               .title = "full information: constrained lasso, solved exactly",
               .look = "all d",
               .estimate = "none",
               .update = "active sets along the path, 1-norm ball",
               .options = "radius center standardise clip x-bound",
               .presets = "",
               .strict = 1,
               .whole = 1,
               .dense = 1,
               .norm = 1,
               .reference = "Tibshirani 1996"},
     .look = &scant_look_all},
    {.words = {.name = "full-svr",
               .title = "full information: constrained support-vector regression",
               .look = "all d",
               .estimate = "none",
               .update = "interior points, 2-norm ball",
               .options = "radius tube center standardise clip x-bound",
               .presets = "loss=insensitive",
               .strict = 1,
               .whole = 1,
               .dense = 1,
               .norm = 2,
               .reference = "Vapnik 1995"},
     .look = &scant_look_all},
};

#define ALGORITHM_COUNT (sizeof algorithms / sizeof *algorithms)

const scant_algorithm *scant_algorithm_at(size_t index) {
  return index < ALGORITHM_COUNT ? &algorithms[index].words : NULL;
}

const scant_parts *scant_parts_find(const char *algorithm) {
  for (size_t i = 0; i < ALGORITHM_COUNT; i++)
    if (!strcmp(algorithms[i].words.name, algorithm)) return &algorithms[i];
  return NULL;
}

const scant_algorithm *scant_algorithm_find(const char *name) {
  const scant_parts *parts = scant_parts_find(name);
  return parts ? &parts->words : NULL;
}

int scant_algorithm_takes(const scant_algorithm *algorithm, const char *option) {
  return scant_list_has(algorithm->options, option);
}

const scant_algorithm *scant_default_algorithm(scant_default_role role) {
  for (size_t i = 0; i < ALGORITHM_COUNT; i++)
    if (algorithms[i].words.role == role) return &algorithms[i].words;
  return NULL;
}

const scant_look_kind *scant_parts_looks(const scant_settings *settings) {
  return settings->learning.observed ? &scant_look_all : scant_parts_find(settings->learning.algorithm)->look;
}
