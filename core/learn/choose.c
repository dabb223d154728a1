/* What `default` stands for: gaussian where the work is small, else auto; in studies gaussian wherever it can be. */
#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "learn/learner.h"

int scant_settings_is_default(const scant_settings *settings) {
  return !strcmp(settings->learning.algorithm, SCANT_DEFAULT_ALGORITHM);
}

static const scant_algorithm *dense(void) {
  return scant_default_algorithm(SCANT_DEFAULT_DENSE);
}

static const scant_algorithm *streaming(void) {
  return scant_default_algorithm(SCANT_DEFAULT_STREAMING);
}

/* The first learner's option that was given, and that these two take or do not take; NULL: there is none. */
static const scant_option *find_given(const scant_settings *s, int dense_takes, int streaming_takes) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(s, o) && (o->scope & SCANT_SCOPE_LEARNER) &&
        scant_algorithm_takes(dense(), o->name) == dense_takes &&
        scant_algorithm_takes(streaming(), o->name) == streaming_takes)
      return o;
  return NULL;
}

/* Attributes that a visit buys: K, or with money alone as the limit those that it pays for. */
static double attributes_per_visit(const scant_settings *s, size_t dimension, const scant_prices *prices) {
  scant_terms supposed = {.settings = *s, .parts = scant_parts_find(dense()->name), .dimension = dimension};
  supposed.settings.learning.algorithm = dense()->name;
  supposed.looks = scant_parts_looks(&supposed.settings);
  if (!s->learning.k || s->learning.k > dimension) supposed.settings.learning.k = dimension;
  double k = (double)supposed.settings.learning.k;
  return prices && s->learning.spend > 0 ? fmin(k, ceil(scant_terms_visit_looks(&supposed, prices))) : k;
}

/* gaussian learns more from each look.  It solves systems of K attributes for each example and of d attributes for each
 * renewal of its law, so its work grows with m K^3 and d^3.  Is that small enough? */
static int is_small(const scant_settings *s, size_t dimension, uint64_t examples, const scant_prices *prices,
                    scant_error *why) {
  double k = attributes_per_visit(s, dimension, prices), d = (double)dimension;
  double work = (double)examples * (k * k * k) + 8 * (d * d * d);
  int small = work <= SCANT_DEFAULT_WORK;
  scant_error_write(why, "%s8 d^3 = %.3g is %s %.3g", examples ? "m K^3 + " : "", work, small ? "at most" : "above",
                    SCANT_DEFAULT_WORK);
  return small;
}

/* Do the options, the passes, the engines or the prices decide, whatever the size? */
static int is_decided(const scant_settings *s, const scant_prices *prices, int *to_dense, scant_error *why) {
  const scant_option *of_streaming = find_given(s, 0, 1), *of_dense = find_given(s, 1, 0);
  *to_dense = 0;
  if (of_streaming)
    scant_error_write(why, "only it takes %s", of_streaming->name);
  else if (s->learning.passes > 1)
    scant_error_write(why, "only it takes more than one pass");
  else if (!scant_engine_find(s->runtime.engines, dense()->name))
    scant_error_write(why, "there is no engine of %s here", dense()->name);
  else if ((*to_dense = of_dense != NULL))
    scant_error_write(why, "only it takes %s", of_dense->name);
  else if (prices && !dense()->priced)
    scant_error_write(why, "only its looks follow prices and groups");
  else
    return 0;
  return 1;
}

/* Can there be a learner of gaussian?  It says what it would take before it takes it. */
static int is_possible(const scant_settings *s, size_t dimension, uint64_t examples, const scant_prices *prices,
                       scant_error *why) {
  scant_settings supposed = *s;
  scant_learner *learner = NULL;
  scant_error error = {""};
  supposed.learning.algorithm = dense()->name;
  scant_status status = scant_learner_new(&learner, &supposed, dimension, examples, &error);
  if (status == SCANT_OK && prices) status = scant_learner_price(learner, prices, &error);
  scant_learner_free(learner);
  int possible = status != SCANT_DATA && status != SCANT_MEMORY; /* other refusals are not of its size */
  scant_error_write(why, "%s", possible ? "what is told late teaches it as much as what is told at once" : error.text);
  return possible;
}

static int choose(scant_settings *settings, size_t dimension, uint64_t examples, const scant_prices *prices,
                  int for_study, scant_error *why) {
  int to_dense;
  if (!scant_settings_is_default(settings)) return 0;
  if (!is_decided(settings, prices, &to_dense, why))
    to_dense = (for_study ? is_possible : is_small)(settings, dimension, examples, prices, why);
  settings->learning.algorithm = (to_dense ? dense() : streaming())->name;
  return 1;
}

int scant_settings_choose(scant_settings *settings, size_t dimension, uint64_t examples, const scant_prices *prices,
                          scant_error *why) {
  return choose(settings, dimension, examples, prices, 0, why);
}

int scant_settings_choose_for_study(scant_settings *settings, size_t dimension, uint64_t examples,
                                    const scant_prices *prices, scant_error *why) {
  return choose(settings, dimension, examples, prices, 1, why);
}

/* Refuses an option that neither algorithm takes, and says what to do. */
scant_status scant_settings_check_either(const scant_settings *s, scant_error *error) {
  const scant_option *o = find_given(s, 0, 0);
  if (!o) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE,
                    "%s is an option of neither %s nor %s, between which " SCANT_DEFAULT_ALGORITHM
                    " chooses: name the algorithm (option algorithm)",
                    o->name, dense()->name, streaming()->name);
}

scant_status scant_settings_check_default(const scant_settings *settings, scant_error *error) {
  scant_settings supposed = *settings;
  int to_dense = find_given(settings, 1, 0) && !find_given(settings, 0, 1) &&
                 scant_engine_find(settings->runtime.engines, dense()->name);
  SCANT_TRY(scant_settings_check_either(settings, error));
  supposed.learning.algorithm = (to_dense ? dense() : streaming())->name;
  return scant_settings_resolve(&supposed, error);
}
