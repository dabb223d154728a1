/* Settings in use: what a resolved set of options means for one visit. */
#ifndef SCANT_SETTINGS_SETTINGS_H
#define SCANT_SETTINGS_SETTINGS_H

#include "estimate/loss.h"
#include "scant.h"

/* Attributes that one visit of an example may buy: K shared evenly by the
 * passes.  Using a purchase again in a later pass would be biased, since w
 * depends on it by then, so every pass needs looks of its own. */
static inline uint64_t scant_settings_k_visit(const scant_settings *settings) {
  return settings->k / settings->passes;
}

/* The loss as the settings have it. */
scant_loss_form scant_settings_loss(const scant_settings *settings);

/* Residual looks that GenEst is expected to take of an example. */
double scant_settings_genest_draws(const scant_settings *settings);

/* Makes K of a row that looks at everything d; SCANT_DATA if K does not suit
 * the dimension. */
scant_status scant_settings_fit_k(scant_settings *settings, size_t dimension, scant_error *error);

/* Distinct attributes that a visit is expected to buy, about. */
double scant_settings_purchases(const scant_settings *settings, size_t dimension);

/* Does the option mean anything with these settings?  Every option of the run
 * does; one of a learner must be listed by its row, and tube and smoothing
 * belong to some losses only. */
int scant_settings_applies(const scant_settings *settings, const scant_option *option);

/* Drops what is the caller's and may not outlive the call: the row's name becomes
 * that of the table, the other texts and the engines NULL. */
void scant_settings_own(scant_settings *settings);

/* Options with a scope among `scopes` that mean anything, as the member "settings"
 * of an object, and back from the document's.  What is read is resolved; its texts
 * are the row's name in the table and *classes, which is the caller's to free.
 * `complete`: every option must be there; else it is a file of version 1.
 * SCANT_DATA with what is wrong. */
struct scant_json_writer;
struct scant_json;
void scant_settings_write(const scant_settings *settings, unsigned scopes, struct scant_json_writer *out);
scant_status scant_settings_read(scant_settings *settings, char **classes, unsigned scopes, int complete,
                                 const struct scant_json *json, scant_error *error);

/* Is `word` one of the words of a list separated by spaces? */
int scant_list_has(const char *list, const char *word);

#endif
