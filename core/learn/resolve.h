/* Settings and the table of algorithms together. */
#ifndef SCANT_LEARN_RESOLVE_H
#define SCANT_LEARN_RESOLVE_H

#include "scant_base.h"
#include "learn/algorithms.h"
#include "settings/settings.h"

/* Does the algorithm stay to be chosen? */
int scant_settings_is_default(const scant_settings *settings);

/* Refuses settings with the algorithm `default` that are wrong whatever is taken for it; and those with an option that
 * neither algorithm takes. */
scant_status scant_settings_check_default(const scant_settings *settings, scant_error *error);
scant_status scant_settings_check_either(const scant_settings *settings, scant_error *error);

/* errors-of asks for errors; SCANT_USAGE if the algorithm has none. */
scant_status scant_settings_choose_errors(scant_settings *settings, const scant_parts *parts, scant_error *error);

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
