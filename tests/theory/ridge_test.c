/* [HK12, theorem 3.1] on the family where it says something, and the claim
 * that at K = d nothing is lost but a constant. */
#include "family.h"

static double bound(double d, double k, double m) {
  return 4 * sqrt(2 * d / (k * m)); /* B = 1 */
}

TEST(aerr_is_within_its_bound) {
  const struct {
    size_t d;
    uint64_t k, m;
  } points[] = {{32, 9, 16000}, {64, 9, 24000}, {64, 33, 8000}, {64, 33, 64000}, {256, 33, 24000}};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    double b = bound((double)points[i].d, (double)points[i].k - 1, (double)points[i].m);
    CHECK_AT_MOST(b, family_zero_excess(SCANT_NORM_2) / 2); /* it says something */
    family_mean r = family_runs("aerr", "", points[i].d, points[i].k, points[i].m, SCANT_NORM_2);
    printf("# d %zu K %llu m %llu: excess risk %.5f +- %.5f, bound %.5f, w = 0 %.5f\n", points[i].d,
           (unsigned long long)points[i].k, (unsigned long long)points[i].m, r.mean, r.error, b,
           family_zero_excess(SCANT_NORM_2));
    CHECK_AT_MOST(r.mean + 5 * r.error, b);
  }
}

/* Full-information online gradient descent is coinflip at K = d: every
 * attribute of every example, the exact gradient; G = 2B gives eta = 1/sqrt m. */
TEST(at_k_equal_d_a_constant_is_lost) {
  for (uint64_t m = 4000; m <= 64000; m *= 4) {
    char options[64];
    snprintf(options, sizeof options, "eta=%.17g", 1 / sqrt((double)m));
    family_mean limited = family_runs("aerr", "", 32, 32, m, SCANT_NORM_2);
    family_mean full = family_runs("coinflip", options, 32, 32, m, SCANT_NORM_2);
    printf("# m %llu: aerr at K = d %.5f, full information %.5f: %.2f times\n", (unsigned long long)m, limited.mean,
           full.mean, limited.mean / full.mean);
    CHECK_AT_MOST(limited.mean, 8 * full.mean);
  }
}

int main(void) {
  RUN(aerr_is_within_its_bound);
  RUN(at_k_equal_d_a_constant_is_lost);
  return check_done();
}
