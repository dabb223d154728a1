/* Settings and the table of algorithms together; and terms: what settings come to for given data.
 *
 * Terms are made once, and a learner, a fit, a tuning and a plan carry them: nothing after them resolves settings,
 * chooses an algorithm or reads K again. */
#ifndef SCANT_LEARN_RESOLVE_H
#define SCANT_LEARN_RESOLVE_H

#include "learn/algorithms.h"
#include "scant.h"
#include "scant_base.h"
#include "settings/settings.h"

/* Is the algorithm still to be chosen? */
int scant_settings_is_default(const scant_settings *settings);

/* Refuses settings with the algorithm `default` that are wrong whatever is chosen; and those with an option that
 * neither algorithm takes. */
scant_status scant_settings_check_default(const scant_settings *settings, scant_error *error);
scant_status scant_settings_check_either(const scant_settings *settings, scant_error *error);

/* Does the option mean anything with these settings?  Every option of the run does; one of a learner must be listed by
 * its algorithm, and tube and smoothing belong to some losses only. */
int scant_settings_applies(const scant_settings *settings, const scant_option *option);

/* Is an option not serialized: clip none, or block 1? */
int scant_settings_is_unkept(const scant_settings *settings, const scant_option *option);

/* Writes the options with a scope among `scopes` that mean anything as the member "settings" of an object, and reads
 * them from that of a document (learner_text.c).  Settings that are read are resolved.  Their texts are the algorithm's
 * name in the table and *classes, which the caller frees.  SCANT_DATA with what is wrong: every option that is
 * serialized must be there. */
void scant_settings_write(const scant_settings *settings, unsigned scopes, scant_json_writer *out);
scant_status scant_settings_read(scant_settings *settings, char **classes, unsigned scopes, const scant_json *json,
                                 scant_error *error);

/* ---- terms ------------------------------------------------------------------- */

typedef struct scant_terms {
  scant_settings settings; /* resolved; the texts are the caller's, but the algorithm's name is that of the table */
  const scant_parts *parts;
  const scant_look_kind *looks; /* with the option observed, looks at everything */
  size_t dimension;
  uint64_t horizon;   /* examples to come; 0: not known */
  scant_error choice; /* why the algorithm was taken for `default`; empty: it was named */
} scant_terms;

/* What settings are resolved for. */
typedef struct scant_extent {
  size_t dimension;
  uint64_t examples;          /* over all passes; 0: not known */
  const scant_prices *prices; /* NULL: none */
  int limited;                /* the horizon ends with the budgets of the settings */
} scant_extent;

/* Chooses the algorithm, applies its defaults, refuses what is wrong, and finds K and the horizon. */
scant_status scant_terms_make(scant_terms *terms, const scant_settings *settings, const scant_extent *extent,
                              scant_error *error);

/* For settings that were resolved before, K and all: those of a model or of another learner.  Only the options of the
 * run are checked. */
scant_status scant_terms_recall(scant_terms *terms, const scant_settings *resolved, const scant_extent *extent,
                                scant_error *error);

/* About how many distinct attributes a visit is expected to buy.  Where prices (NULL: none) steer the looks, those that
 * cost something are counted. */
double scant_terms_visit_looks(const scant_terms *terms, const scant_prices *prices);

/* About what a visit costs. */
double scant_terms_visit_price(const scant_terms *terms, const scant_prices *prices, uint64_t horizon);

/* In how many of so many blocks two attributes are bought together, about, if K of d attributes are bought; and how
 * many there should be.  All rows of a block show the same attributes, so blocks count here, not examples. */
static inline double scant_pairs_together(double blocks, double k, double d) {
  return blocks * (k / d) * (k / d);
}
enum { SCANT_PAIRS_FEWEST = 5 };

#endif
