#include "full/full.h"
#include "gaussian/gaussian.h"
#include "moments/moments.h"
#include "scant_dense.h"

static const scant_engine *const engines[] = {&scant_gaussian_engine,   &scant_moments_engine,
                                              &scant_full_ridge_engine, &scant_full_lasso_engine,
                                              &scant_full_svr_engine,   NULL};

const scant_engine *const *scant_dense_engines(void) {
  return engines;
}
