/* [HK12, theorem 3.4] on the family where it says something, and the claim
 * that at K = d nothing is lost but a constant. */
#include "family.h"

static double bound(double d, double k, double m) {
  return 4 * sqrt(10 * d * log(2 * d) / (k * m)); /* B = 1 */
}

TEST(aelr_is_within_its_bound) {
  const family_point points[] = {{16, 16, 700000}, {32, 32, 800000}};
  family_check_bound("aelr", SCANT_NORM_1, bound, points, sizeof points / sizeof *points);
}

TEST(at_k_equal_d_a_constant_is_lost) {
  family_check_constant("aelr", "online-lasso", SCANT_NORM_1);
}

int main(void) {
  RUN(aelr_is_within_its_bound);
  RUN(at_k_equal_d_a_constant_is_lost);
  return check_done();
}
