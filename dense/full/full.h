/* full-ridge, full-lasso and full-svr: engines that keep every example and solve the
 * constrained problem when the regressor is read. */
#ifndef SCANT_DENSE_FULL_FULL_H
#define SCANT_DENSE_FULL_FULL_H

#include "learn/engine.h"

extern const scant_engine scant_full_ridge_engine;
extern const scant_engine scant_full_lasso_engine;
extern const scant_engine scant_full_svr_engine;

#endif
