/* What resolved settings mean for one visit of an example. */
#ifndef SCANT_SETTINGS_SETTINGS_H
#define SCANT_SETTINGS_SETTINGS_H

#include "scant_base.h"
#include "estimate/loss.h"
#include "scant.h"

/* Attributes that one visit of an example may buy: K shared evenly by the passes.  Using a purchase again in a later
 * pass would be biased, since w depends on it by then, so every pass needs looks of its own. */
static inline uint64_t scant_settings_k_visit(const scant_settings *settings) {
  return settings->learning.k / settings->learning.passes;
}

/* The loss as the settings have it. */
scant_loss_form scant_settings_loss(const scant_settings *settings);

/* Is `word` one of the words of a list separated by spaces? */
int scant_list_has(const char *list, const char *word);

#endif
