/* libscant-dense: the engines of the algorithms that need LAPACK and d^2 memory, or every example at once:
 * gaussian, moments, full-ridge, full-lasso and full-svr.
 *
 *   scant_settings settings;
 *   scant_settings_init(&settings);
 *   settings.runtime.engines = scant_dense_engines();
 *
 * From then on they are learned as the others are.  libscant itself needs no LAPACK.
 */
#ifndef SCANT_DENSE_H
#define SCANT_DENSE_H

#include "../../core/include/scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The engines, for runtime.engines of the settings.  They last as long as the program. */
SCANT_API const scant_engine *const *scant_dense_engines(void);

/* Makes one finished model from checkpoints of the algorithm moments whose fits had different parts of the
 * data.  Attributes, costs and settings must be the same, except which examples and how many. Sums and
 * ledgers add up, in any order.  threads and memory are those of `given`; two learners are in memory at a
 * time.  The caller frees the model. */
SCANT_API scant_status scant_dense_merge(scant_model **model, scant_learner_facts *facts, const char *const *paths,
                                         size_t count, const scant_settings *given, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
