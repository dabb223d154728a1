/* From the mean and variance of the target to a prediction with an interval. */
#include "joint/joint.h"

#include <math.h>

#define ROOT_TWO 1.4142135623730951
#define ROOT_TWO_PI 2.5066282746310002

/* Of p <= 1/2: Abramowitz and Stegun 26.2.23, good to 4.5e-4, then Halley's steps, each of which triples the digits;
 * erfc keeps those of small p. */
static double lower_quantile(double p) {
  double t = sqrt(-2 * log(p));
  double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (int i = 0; i < 3; i++) {
    double density = exp(-z * z / 2) / ROOT_TWO_PI, step = (erfc(-z / ROOT_TWO) / 2 - p) / density;
    z -= step / (1 + z * step / 2);
  }
  return z;
}

double scant_normal_quantile(double p) {
  return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}

/* The table's end `last`, at probability `end`, carried on to p. */
static double tail_quantile(double last, double end, double p) {
  double normal = scant_normal_quantile(end);
  return last * normal > 0 ? last * scant_normal_quantile(p) / normal : last;
}

double scant_gaussian_quantile(const scant_gaussian *g, double p) {
  size_t n = g->quantile_count;
  if (!n) return scant_normal_quantile(p);
  double place = p * (double)n - 0.5;
  if (place < 0) return tail_quantile(g->quantiles[0], 0.5 / (double)n, p);
  if (place >= (double)(n - 1)) return tail_quantile(g->quantiles[n - 1], 1 - 0.5 / (double)n, p);
  size_t i = (size_t)place;
  double share = place - (double)i;
  return (1 - share) * g->quantiles[i] + share * g->quantiles[i + 1];
}

/* The share of the upper value. */
static double prior_of(const scant_gaussian *g) {
  double a = g->values[0], b = g->values[1], mean = g->mean[g->count];
  return fmin(fmax((mean - a) / (b - a), 1e-3), 1 - 1e-3);
}

/* P(y = b | x_o) of a target that is a or b.  Given y, x is taken to be Gaussian with means mu + S_xy (y - mu_y)/S_yy
 * and covariance S_xx - S_xy S_yx/S_yy.  With s = S_yy, v the conditional variance and m = S_yo S_oo^-1 (x_o - mu_o),
 * the inverse of that covariance times S_oy is S_oo^-1 S_oy s/v (Sherman and Morrison), so that the two densities' log
 * ratio is
 *
 *   (b - a)/v * (m - (s - v)/s * ((a + b)/2 - mu_y))
 *
 * (s - v)/s (y - mu_y) is what m is on average given y.  The v in front is the spread of m about that, which errors of
 * the covariance widen: there the predictive variance stands. */
static double probability_of_upper(const scant_gaussian *g, double m, double v, double predictive) {
  double a = g->values[0], b = g->values[1], mean = g->mean[g->count];
  double s = scant_gaussian_covariance(g, g->count, g->count);
  double prior = prior_of(g);
  double ratio = (b - a) / fmax(predictive, 1e-12 * s) * (m - (s - v) / s * ((a + b) / 2 - mean));
  return 1 / (1 + (1 - prior) / prior * exp(-ratio));
}

static double predictive_variance(const scant_gaussian *g, double variance) {
  return variance + g->excess * fmax(scant_gaussian_covariance(g, g->count, g->count) - variance, 0);
}

double scant_gaussian_probability(const scant_gaussian *g, double mean, double variance) {
  return probability_of_upper(g, mean - g->mean[g->count], variance, predictive_variance(g, variance));
}

/* A value is inside if its probability is above the table's quantile of 1 - level, or above 1 - level where less is
 * known than of the table's examples.  The likelier value is always inside. */
static void predict_two_valued(const scant_gaussian *g, double p, double variance, double level,
                               scant_prediction *prediction) {
  double a = g->values[0], b = g->values[1];
  prediction->mean = a + (b - a) * p;
  prediction->variance = (b - a) * (b - a) * p * (1 - p);
  if (!(level > 0 && level < 1)) return;
  int table = g->quantile_count && variance <= g->quantile_variance;
  double least = table ? scant_gaussian_quantile(g, 1 - level) : 1 - level;
  prediction->low = p >= 0.5 && 1 - p <= least ? b : a;
  prediction->high = p < 0.5 && p <= least ? a : b;
}

void scant_gaussian_predict(const scant_gaussian *g, double mean, double variance, double level,
                            scant_prediction *prediction) {
  double predictive = predictive_variance(g, variance);
  *prediction = (scant_prediction){.mean = mean, .low = NAN, .high = NAN, .variance = predictive};
  if (g->two_valued) {
    double p = probability_of_upper(g, mean - g->mean[g->count], variance, predictive);
    predict_two_valued(g, p, variance, level, prediction);
  } else if (level > 0 && level < 1) {
    prediction->low = mean + sqrt(predictive) * scant_gaussian_quantile(g, (1 - level) / 2);
    prediction->high = mean + sqrt(predictive) * scant_gaussian_quantile(g, (1 + level) / 2);
  }
}

void scant_prediction_unlog(scant_prediction *prediction) {
  prediction->mean = expm1(prediction->mean);
  prediction->low = expm1(prediction->low);
  prediction->high = expm1(prediction->high);
}

/* P(Z <= z) of a standard normal Z. */
static double normal_share(double z) {
  return erfc(-z / ROOT_TWO) / 2;
}

/* Given that the target is c, the mean m' after a purchase that lowers the variance v by L is normal with mean
 * m + L (c - m)/v and variance L (1 - L/v); errors of the covariance add excess L. */
typedef struct {
  double p;         /* of the upper value now */
  double after;     /* what is left of v */
  double center[2]; /* of m' given either value */
  double spread;    /* its standard deviation */
} prospect;

static prospect look_ahead(const scant_gaussian *g, double m, double v, double lowers) {
  double after = fmax(v - lowers, 0), left = v > 0 ? v : 1;
  prospect x = {.p = scant_gaussian_probability(g, m, v), .after = after};
  for (int i = 0; i < 2; i++) x.center[i] = m + lowers * (g->values[i] - m) / left;
  x.spread = sqrt(lowers * after / left + g->excess * lowers);
  return x;
}

/* The likelier value changes at the m' of which the odds are even.  So the value that will be the likelier one is right
 * with probability
 *
 *   p P(m' above | b) + (1 - p) P(m' below | a)
 *
 * which is E max(p', 1 - p') where the probabilities are right.  On average that does not fall. */
static double expected_sure(const scant_gaussian *g, const prospect *x) {
  double a = g->values[0], b = g->values[1], mean = g->mean[g->count], now = fmax(x->p, 1 - x->p);
  double s = scant_gaussian_covariance(g, g->count, g->count);
  double prior = prior_of(g);
  if (!(x->spread > 0)) return now;
  double even = mean + (s - x->after) / s * ((a + b) / 2 - mean) -
                fmax(predictive_variance(g, x->after), 1e-12 * s) / (b - a) * log(prior / (1 - prior));
  double above = normal_share((x->center[1] - even) / x->spread);
  double below = normal_share((even - x->center[0]) / x->spread);
  return fmax(x->p * above + (1 - x->p) * below, now);
}

/* The root of E (p' - p)^2, by sums at equal steps, which are exact but for rounding under a normal density. */
static double expected_move(const scant_gaussian *g, const prospect *x) {
  double sum = 0, mass = 0;
  for (int i = -40; i <= 40; i++) {
    double z = i / 5.0, density = exp(-z * z / 2);
    for (int value = 0; value < 2; value++) {
      double move = scant_gaussian_probability(g, x->center[value] + x->spread * z, x->after) - x->p;
      sum += density * (value ? x->p : 1 - x->p) * move * move;
    }
    mass += density;
  }
  return sqrt(sum / mass);
}

/* Under log-target the ends are exp of a mean that moves: it is normal with variance `lowers` about the present one. */
void scant_gaussian_foresee(const scant_gaussian *g, double mean, double variance, double level, int log_target,
                            scant_offer *offer) {
  double lowers = offer->variance, predictive = predictive_variance(g, fmax(variance - lowers, 0));
  offer->variance = predictive;
  offer->width = offer->sure = offer->moves = NAN;
  if (g->two_valued) {
    prospect x = look_ahead(g, mean, variance, lowers);
    offer->sure = expected_sure(g, &x);
    offer->moves = expected_move(g, &x);
  } else if (level > 0 && level < 1) {
    double low = sqrt(predictive) * scant_gaussian_quantile(g, (1 - level) / 2);
    double high = sqrt(predictive) * scant_gaussian_quantile(g, (1 + level) / 2);
    offer->width = log_target ? exp(mean + lowers / 2) * (exp(high) - exp(low)) : high - low;
  }
}
