#include "scant_solve.h"
#include "solve/moments.h"

const scant_engine *const scant_solve_engines[] = {&scant_moments_engine, NULL};
