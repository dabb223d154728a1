/* libscant-dense: what learns the algorithms that need LAPACK and d^2 memory, or every
 * example at once: gaussian, moments, full-ridge, full-lasso and full-svr.
 *
 *   scant_settings settings;
 *   scant_settings_init(&settings);
 *   settings.runtime.engines = scant_dense_engines();
 *
 * From then on they are learned as the others are.  libscant itself needs no LAPACK.
 */
#ifndef SCANT_DENSE_H
#define SCANT_DENSE_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The engines, for runtime.engines of the settings; they are there for ever. */
SCANT_API const scant_engine *const *scant_dense_engines(void);

/* One finished model of checkpoints of the algorithm moments, of fits of different parts
 * of the data: same attributes, costs and settings (but which examples and how many).
 * Sums and ledgers add up, in any order.  threads and memory are those of `given`;
 * two learners are in memory at a time.  The caller frees the model. */
SCANT_API scant_status scant_dense_merge(scant_model **model, scant_learner_facts *facts, const char *const *paths,
                                         size_t count, const scant_settings *given, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
