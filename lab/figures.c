/* The curves of the figures, with the options of each. */
#include "figures.h"

#include <string.h>

/* Grids of steps and radii.  Images at unit norm and raw pixels divided by 10
 * (their norm is about 9) have the same scale. */
#define GRID_AELR \
  .algorithm = "aelr", .step = "eta", .steps = {0.0005, 0.001, 0.002, 0.004, 0.008, 0.016}, .radii = {2, 4, 8, 16, 32}
#define GRID_AELR_UNIT \
  .algorithm = "aelr", .step = "eta", .steps = {0.005, 0.01, 0.02, 0.04, 0.08, 0.16}, .radii = {16, 32, 64, 128, 256}
#define GRID_AERR \
  .algorithm = "aerr", .step = "eta", .steps = {0.015, 0.025, 0.04, 0.065, 0.1, 0.2}, .radii = {6, 10, 16, 30}
#define GRID_AERR_ONE                                                                           \
  .algorithm = "aerr", .step = "eta", .steps = {0.001, 0.002, 0.004, 0.008, 0.016, 0.03, 0.06}, \
  .radii = {1, 2, 4, 8, 16}
#define GRID_AER_4 .algorithm = "aer", .step = "penalty", .steps = {1, 3, 10, 30, 100, 300}, .radii = {2, 4, 8, 16}
#define GRID_AER_56 \
  .algorithm = "aer", .step = "penalty", .steps = {0.003, 0.01, 0.03, 0.1, 0.3, 1}, .radii = {20, 40, 80, 160}

/* The choices that the paper does not print (centring, how K is shared, images
 * at unit norm) are those that bring each curve nearest to the published one;
 * the -letter curves are the algorithms as printed, on raw pixels. */
#define AELR "center=yes residual-looks=2"
#define AERR "center=yes residual-looks=28 replacement=no"
static const curve_plan lasso_curves[] = {
    {.name = "aelr", GRID_AELR, .options = AELR, .published = "AELR"},
    {.name = "aelr-letter", GRID_AELR, .options = ""},
    {.name = "aer", GRID_AER_4, .options = "center=yes", .published = "AER"},
    {.name = "full-lasso",
     .algorithm = "full-lasso",
     .lasso = 1,
     .radii = {0.1},
     .options = "center=yes",
     .published = "Offline"},
    {.name = "lasso",
     .algorithm = "lasso",
     .options = "like-units=yes",
     .step = "eta",
     .steps = {1.4, 1.9, 2.7, 3.8},
     .radii = {2, 3, 4.5}},
    {.name = "auto", .algorithm = "auto", .options = ""},
    {.name = "gaussian", .algorithm = "gaussian", .options = ""},
    {.name = "moments", .algorithm = "moments", .options = ""},
    {.name = "online-lasso",
     .algorithm = "online-lasso",
     .options = "center=yes",
     .step = "eta",
     .steps = {0.003, 0.01, 0.03, 0.1, 0.3},
     .radii = {1, 2, 4, 8, 16}},
    {.name = NULL},
};

static const curve_plan ridge_curves[] = {
    {.name = "aerr", GRID_AERR, .options = AERR, .unit_rows = 1, .published = "AERR"},
    {.name = "aerr-letter", GRID_AERR_ONE, .options = "x-bound=10"},
    {.name = "aer", GRID_AER_56, .options = "center=yes", .unit_rows = 1, .published = "AER"},
    {.name = "full-ridge",
     .algorithm = "full-ridge",
     .radii = {0.3},
     .options = "center=yes",
     .unit_rows = 1,
     .published = "Offline"},
    {.name = "ridge",
     .algorithm = "ridge",
     .options = "",
     .step = "eta",
     .steps = {0.0003, 0.0005, 0.0008, 0.0012, 0.002},
     .radii = {0.8, 1.4}},
    {.name = "auto", .algorithm = "auto", .options = ""},
    {.name = "gaussian", .algorithm = "gaussian", .options = ""},
    {.name = "moments", .algorithm = "moments", .options = ""},
    {.name = NULL},
};

/* These show what each choice is worth: the curves of the figures with one
 * choice changed, and the -letter curves with one choice made. */
static const curve_plan lasso_ablation[] = {
    {.name = "aelr", GRID_AELR, .options = AELR, .published = "AELR"},
    {.name = "aelr-not-centred", GRID_AELR, .options = "residual-looks=2", .published = "AELR"},
    {.name = "aelr-one-residual", GRID_AELR, .options = "center=yes", .published = "AELR"},
    {.name = "aelr-unit-norm", GRID_AELR_UNIT, .options = AELR, .unit_rows = 1, .published = "AELR"},
    {.name = "aelr-without-replacement", GRID_AELR, .options = AELR " replacement=no", .published = "AELR"},
    {.name = "aelr-last-half", GRID_AELR, .options = AELR " average=half", .fit_each = 1, .published = "AELR"},
    {.name = "aelr-tuned-once", GRID_AELR, .options = AELR, .tuned_once = 1, .published = "AELR"},
    {.name = "aelr-letter", GRID_AELR, .options = "", .published = "AELR"},
    {.name = "aer", GRID_AER_4, .options = "center=yes", .published = "AER"},
    {.name = "aer-not-centred", GRID_AER_4, .options = "", .published = "AER"},
    {.name = "full-lasso",
     .algorithm = "full-lasso",
     .lasso = 1,
     .radii = {0.1},
     .options = "center=yes",
     .published = "Offline"},
    {.name = "full-lasso-unit-norm",
     .algorithm = "full-lasso",
     .lasso = 1,
     .radii = {0.9},
     .options = "center=yes",
     .unit_rows = 1,
     .published = "Offline"},
    {.name = NULL},
};

static const curve_plan ridge_ablation[] = {
    {.name = "aerr", GRID_AERR, .options = AERR, .unit_rows = 1, .published = "AERR"},
    {.name = "aerr-not-centred",
     GRID_AERR,
     .options = "residual-looks=28 replacement=no",
     .unit_rows = 1,
     .published = "AERR"},
    {.name = "aerr-one-residual",
     GRID_AERR_ONE,
     .options = "center=yes replacement=no",
     .unit_rows = 1,
     .published = "AERR"},
    {.name = "aerr-raw-pixels", GRID_AERR, .options = AERR " x-bound=10", .published = "AERR"},
    {.name = "aerr-with-replacement",
     GRID_AERR,
     .options = "center=yes residual-looks=28",
     .unit_rows = 1,
     .published = "AERR"},
    {.name = "aerr-last-half",
     GRID_AERR,
     .options = AERR " average=half",
     .unit_rows = 1,
     .fit_each = 1,
     .published = "AERR"},
    {.name = "aerr-tuned-once", GRID_AERR, .options = AERR, .unit_rows = 1, .tuned_once = 1, .published = "AERR"},
    {.name = "aerr-letter", GRID_AERR_ONE, .options = "x-bound=10", .published = "AERR"},
    {.name = "aerr-letter-centred", GRID_AERR_ONE, .options = "center=yes x-bound=10", .published = "AERR"},
    {.name = "aerr-letter-unit-norm", GRID_AERR_ONE, .options = "", .unit_rows = 1, .published = "AERR"},
    {.name = "aerr-letter-split", GRID_AERR, .options = "residual-looks=28 x-bound=10", .published = "AERR"},
    {.name = "aer", GRID_AER_56, .options = "center=yes", .unit_rows = 1, .published = "AER"},
    {.name = "aer-raw-pixels", GRID_AER_56, .options = "center=yes x-bound=10", .published = "AER"},
    {.name = "full-ridge",
     .algorithm = "full-ridge",
     .radii = {0.3},
     .options = "center=yes",
     .unit_rows = 1,
     .published = "Offline"},
    {.name = "full-ridge-raw-pixels",
     .algorithm = "full-ridge",
     .radii = {0.03},
     .options = "center=yes",
     .published = "Offline"},
    {.name = NULL},
};

#define FIGURE_1 .paper = "lasso", .k = 4, .attributes = 4704
#define FIGURE_2 .paper = "ridge", .k = 56, .attributes = 67424
static const figure_plan figures[] = {
    {FIGURE_1, .name = "lasso", .title = "Figure 1: lasso, %s, 4 of 784 pixels per image", .curves = lasso_curves},
    {FIGURE_2, .name = "ridge", .title = "Figure 2: ridge, %s, 56 of 784 pixels per image", .curves = ridge_curves},
    {FIGURE_1, .name = "lasso-ablation", .title = "Figure 1, one choice changed: %s", .curves = lasso_ablation},
    {FIGURE_2, .name = "ridge-ablation", .title = "Figure 2, one choice changed: %s", .curves = ridge_ablation},
};

const figure_plan *figure_find(const char *name) {
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (!strcmp(figures[i].name, name)) return &figures[i];
  return NULL;
}

const published_point *results_published(const results *r, size_t c, size_t point) {
  const char *curve = r->curves[c]->published;
  uint64_t attributes = r->figure->attributes * (point + 1);
  if (!curve || strcmp(r->pair, "3,5") != 0) return NULL;
  for (size_t i = 0; i < published_count; i++)
    if (!strcmp(published[i].figure, r->figure->paper) && !strcmp(published[i].algorithm, curve) &&
        published[i].attributes == attributes)
      return &published[i];
  return NULL;
}
