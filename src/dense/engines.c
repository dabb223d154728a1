#include "dense/gaussian/gaussian.h"
#include "scant_solve.h"
#include "dense/moments/moments.h"

const scant_engine *const scant_solve_engines[] = {&scant_gaussian_engine, &scant_moments_engine, NULL};
