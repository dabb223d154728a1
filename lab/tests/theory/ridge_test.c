/* [HK12, theorem 3.1] on the family where it says something, and the claim
 * that at K = d nothing is lost but a constant. */
#include "family.h"

static double bound(double d, double k, double m) {
  return 4 * sqrt(2 * d / (k * m)); /* B = 1 */
}

TEST(aerr_is_within_its_bound) {
  const family_point points[] = {{32, 9, 16000}, {64, 9, 24000}, {64, 33, 8000}, {64, 33, 64000}, {256, 33, 24000}};
  family_check_bound("aerr", SCANT_NORM_2, bound, points, sizeof points / sizeof *points);
}

TEST(at_k_equal_d_a_constant_is_lost) {
  family_check_constant("aerr", "online-ridge", SCANT_NORM_2);
}

int main(void) {
  RUN(aerr_is_within_its_bound);
  RUN(at_k_equal_d_a_constant_is_lost);
  return check_done();
}
