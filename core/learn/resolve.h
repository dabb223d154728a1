/* Settings and the table of algorithms together. */
#ifndef SCANT_LEARN_RESOLVE_H
#define SCANT_LEARN_RESOLVE_H

#include "scant_engine.h"
#include "scant_replay.h"
#include "settings/settings.h"

/* About how many distinct attributes a visit is expected to buy.  Where prices (NULL: none) steer the looks,
 * those that cost something are counted. */
double scant_settings_visit_looks(const scant_settings *settings, size_t dimension, const scant_prices *prices);

/* In how many of so many blocks two attributes are bought together, about, if K of d attributes are bought; and how
 * many there should be.  All rows of a block show the same attributes, so blocks count here, not examples. */
static inline double scant_pairs_together(double blocks, double k, double d) {
  return blocks * (k / d) * (k / d);
}
enum { SCANT_PAIRS_FEWEST = 5 };

/* About what a visit costs.  The settings must be resolved. */
double scant_settings_visit_price(const scant_settings *settings, const scant_prices *prices, uint64_t horizon);

/* Does the algorithm stay to be chosen? */
int scant_settings_is_default(const scant_settings *settings);

/* Refuses settings with the algorithm `default` that are wrong whatever is taken for it. */
scant_status scant_settings_check_default(const scant_settings *settings, scant_error *error);

/* Does the option mean anything with these settings?  Every option of the run
 * does; one of a learner must be listed by its algorithm, and tube and smoothing
 * belong to some losses only. */
int scant_settings_applies(const scant_settings *settings, const scant_option *option);

/* Is an option not serialized: clip none, or block 1? */
int scant_settings_is_unkept(const scant_settings *settings, const scant_option *option);

/* Writes the options with a scope among `scopes` that mean anything as the member "settings" of an object,
 * and reads them from that of a document.  Settings that are read are resolved.  Their texts are the
 * algorithm's name in the table and *classes, which the caller frees. Every option that is serialized must be there.
 * SCANT_DATA with what is wrong. */
struct scant_json_writer;
struct scant_json;
void scant_settings_write(const scant_settings *settings, unsigned scopes, struct scant_json_writer *out);
scant_status scant_settings_read(scant_settings *settings, char **classes, unsigned scopes,
                                 const struct scant_json *json, scant_error *error);

#endif
