/* [HK12, theorem 3.4] on the family where it says something, and the claim
 * that at K = d nothing is lost but a constant. */
#include "family.h"

static double bound(double d, double k, double m) {
  return 4 * sqrt(10 * d * log(2 * d) / (k * m)); /* B = 1 */
}

TEST(aelr_is_within_its_bound) {
  const struct {
    size_t d;
    uint64_t k, m;
  } points[] = {{16, 16, 700000}, {32, 32, 800000}};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    double b = bound((double)points[i].d, (double)points[i].k - 1, (double)points[i].m);
    CHECK_AT_MOST(b, family_zero_excess(SCANT_NORM_1) / 2); /* it says something */
    family_mean r = family_runs("aelr", "", points[i].d, points[i].k, points[i].m, SCANT_NORM_1);
    printf("# d %zu K %llu m %llu: excess risk %.5f +- %.5f, bound %.5f, w = 0 %.5f\n", points[i].d,
           (unsigned long long)points[i].k, (unsigned long long)points[i].m, r.mean, r.error, b,
           family_zero_excess(SCANT_NORM_1));
    CHECK_AT_MOST(r.mean + 5 * r.error, b);
  }
}

/* EG+- with every attribute: G = 2B and no clipping give eta = sqrt(log 2d /
 * m) / G. */
TEST(at_k_equal_d_a_constant_is_lost) {
  for (uint64_t m = 4000; m <= 64000; m *= 4) {
    char options[64];
    snprintf(options, sizeof options, "norm=1 eta=%.17g", sqrt(log(64.0) / (double)m) / 2);
    family_mean limited = family_runs("aelr", "", 32, 32, m, SCANT_NORM_1);
    family_mean full = family_runs("coinflip", options, 32, 32, m, SCANT_NORM_1);
    printf("# m %llu: aelr at K = d %.5f, full information %.5f: %.2f times\n", (unsigned long long)m, limited.mean,
           full.mean, limited.mean / full.mean);
    CHECK_AT_MOST(limited.mean, 8 * full.mean);
  }
}

int main(void) {
  RUN(aelr_is_within_its_bound);
  RUN(at_k_equal_d_a_constant_is_lost);
  return check_done();
}
