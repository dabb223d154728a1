/* libscant-dense: the engines of the algorithms that need LAPACK and d^2 memory, or every example at once: gaussian,
 * moments, full-ridge, full-lasso and full-svr.
 *
 *   scant_settings settings;
 *   scant_settings_init(&settings);
 *   settings.runtime.engines = scant_dense_engines();
 *
 * From then on they are learned as the others are.  libscant itself needs no LAPACK. */
#ifndef SCANT_DENSE_H
#define SCANT_DENSE_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The engines, for runtime.engines of the settings.  They last as long as the program. */
SCANT_API const scant_engine *const *scant_dense_engines(void);

#ifdef __cplusplus
}
#endif

#endif
