#include "gaussian/row.h"
#include "scant_solve.h"
#include "solve/moments.h"

const scant_engine *const scant_solve_engines[] = {&scant_gaussian_engine, &scant_moments_engine, NULL};
