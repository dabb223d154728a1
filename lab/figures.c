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

#define FULL_LASSO .algorithm = "full-lasso", .lasso = 1, .options = "center=yes", .published = "Offline"
#define FULL_RIDGE .algorithm = "full-ridge", .options = "center=yes", .published = "Offline"

/* The choices that the paper does not print (centring, how K is shared, images
 * at unit norm) are those that bring each curve nearest to the published one;
 * the -letter curves are the algorithms as printed, on raw pixels. */
#define AELR "center=yes residual-looks=2"
#define AERR "center=yes residual-looks=28 replacement=no"
static const curve_plan lasso_curves[] = {
    {.name = "aelr", GRID_AELR, .options = AELR, .published = "AELR"},
    {.name = "aelr-letter", GRID_AELR, .options = ""},
    {.name = "aer", GRID_AER_4, .options = "center=yes", .published = "AER"},
    {.name = "full-lasso", FULL_LASSO, .radii = {0.1}},
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
    {.name = "full-ridge", FULL_RIDGE, .radii = {0.3}, .unit_rows = 1},
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
    {.name = "full-lasso", FULL_LASSO, .radii = {0.1}},
    {.name = "full-lasso-unit-norm", FULL_LASSO, .radii = {0.9}, .unit_rows = 1},
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
    {.name = "full-ridge", FULL_RIDGE, .radii = {0.3}, .unit_rows = 1},
    {.name = "full-ridge-raw-pixels", FULL_RIDGE, .radii = {0.03}},
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

/* The numbers of the paper's two figures [HK12, figures 1 and 2]: test squared
 * error and its error bar at ten numbers of attributes. */
static const published_point published[] = {
    {"lasso", "AELR", 4704, 1176, 0.795604, 0.068820},     {"lasso", "AELR", 9408, 2352, 0.714858, 0.049612},
    {"lasso", "AELR", 14112, 3528, 0.681854, 0.043544},    {"lasso", "AELR", 18816, 4704, 0.639662, 0.039631},
    {"lasso", "AELR", 23520, 5880, 0.624456, 0.047084},    {"lasso", "AELR", 28224, 7056, 0.599202, 0.047453},
    {"lasso", "AELR", 32928, 8232, 0.608903, 0.046791},    {"lasso", "AELR", 37632, 9408, 0.581417, 0.034846},
    {"lasso", "AELR", 42336, 10584, 0.571885, 0.037331},   {"lasso", "AELR", 47040, 11760, 0.546725, 0.030097},
    {"lasso", "AER", 4704, 1176, 0.868092, 0.097442},      {"lasso", "AER", 9408, 2352, 0.812926, 0.063078},
    {"lasso", "AER", 14112, 3528, 0.774449, 0.058446},     {"lasso", "AER", 18816, 4704, 0.768350, 0.064563},
    {"lasso", "AER", 23520, 5880, 0.744504, 0.040205},     {"lasso", "AER", 28224, 7056, 0.721243, 0.043170},
    {"lasso", "AER", 32928, 8232, 0.717875, 0.046722},     {"lasso", "AER", 37632, 9408, 0.696870, 0.035174},
    {"lasso", "AER", 42336, 10584, 0.687580, 0.051030},    {"lasso", "AER", 47040, 11760, 0.690987, 0.054952},
    {"lasso", "Offline", 4704, 6, 0.836078, 0.113406},     {"lasso", "Offline", 9408, 12, 0.609879, 0.090456},
    {"lasso", "Offline", 14112, 18, 0.539114, 0.077753},   {"lasso", "Offline", 18816, 24, 0.506421, 0.046938},
    {"lasso", "Offline", 23520, 30, 0.495259, 0.059524},   {"lasso", "Offline", 28224, 36, 0.475098, 0.065835},
    {"lasso", "Offline", 32928, 42, 0.461218, 0.044730},   {"lasso", "Offline", 37632, 48, 0.455268, 0.051221},
    {"lasso", "Offline", 42336, 54, 0.450066, 0.037664},   {"lasso", "Offline", 47040, 60, 0.451331, 0.041383},
    {"ridge", "AERR", 67424, 1204, 0.401539, 0.033428},    {"ridge", "AERR", 134848, 2408, 0.360733, 0.018788},
    {"ridge", "AERR", 202272, 3612, 0.343459, 0.017723},   {"ridge", "AERR", 269696, 4816, 0.332752, 0.017910},
    {"ridge", "AERR", 337120, 6020, 0.322018, 0.010057},   {"ridge", "AERR", 404544, 7224, 0.313765, 0.015305},
    {"ridge", "AERR", 471968, 8428, 0.306328, 0.014300},   {"ridge", "AERR", 539392, 9632, 0.301361, 0.009133},
    {"ridge", "AERR", 606816, 10836, 0.300531, 0.012231},  {"ridge", "AERR", 674240, 12040, 0.293913, 0.012067},
    {"ridge", "AER", 67424, 1204, 0.508795, 0.014327},     {"ridge", "AER", 134848, 2408, 0.438679, 0.017424},
    {"ridge", "AER", 202272, 3612, 0.406671, 0.020559},    {"ridge", "AER", 269696, 4816, 0.386726, 0.011681},
    {"ridge", "AER", 337120, 6020, 0.371250, 0.017467},    {"ridge", "AER", 404544, 7224, 0.369074, 0.013746},
    {"ridge", "AER", 471968, 8428, 0.355029, 0.009529},    {"ridge", "AER", 539392, 9632, 0.353218, 0.015748},
    {"ridge", "AER", 606816, 10836, 0.344133, 0.015482},   {"ridge", "AER", 674240, 12040, 0.343803, 0.012836},
    {"ridge", "Offline", 67424, 86, 0.380874, 0.016613},   {"ridge", "Offline", 134848, 172, 0.316892, 0.014541},
    {"ridge", "Offline", 202272, 258, 0.297090, 0.009861}, {"ridge", "Offline", 269696, 344, 0.282213, 0.010257},
    {"ridge", "Offline", 337120, 430, 0.273948, 0.009060}, {"ridge", "Offline", 404544, 516, 0.268453, 0.008239},
    {"ridge", "Offline", 471968, 602, 0.265562, 0.008191}, {"ridge", "Offline", 539392, 688, 0.263092, 0.008259},
    {"ridge", "Offline", 606816, 774, 0.260612, 0.007775}, {"ridge", "Offline", 674240, 860, 0.258082, 0.008300},
};

const published_point *results_published(const results *r, size_t c, size_t point) {
  const char *curve = r->curves[c]->published;
  uint64_t attributes = r->figure->attributes * (point + 1);
  if (!curve || strcmp(r->pair, "3,5") != 0) return NULL;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++)
    if (!strcmp(published[i].figure, r->figure->paper) && !strcmp(published[i].algorithm, curve) &&
        published[i].attributes == attributes)
      return &published[i];
  return NULL;
}
