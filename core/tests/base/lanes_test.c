/* What is computed in vectors: sums in one order, sinh and cosh to two units in the
 * last place, the same bits in whatever company. */
#include "base/lanes.h"
#include "support.h"

#include <float.h>

TEST(sums_are_of_lanes_and_then_of_the_rest) {
  uint64_t seed = 1;
  int wrong = 0;
  for (size_t n = 0; n < 70; n++) {
    double a[70], b[70], lane[8] = {0}, rest = 0, largest = 0;
    for (size_t i = 0; i < n; i++) a[i] = random_real(&seed), b[i] = random_real(&seed);
    for (size_t i = 0; i < n / 8 * 8; i++) lane[i % 8] += a[i] * b[i];
    for (size_t i = n / 8 * 8; i < n; i++) rest += a[i] * b[i];
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    double sum = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])) + rest;
    wrong += bits_of(scant_lanes_dot(n, a, b)) != bits_of(sum);
    for (size_t i = 0; i < n; i++) b[i] = 1;
    wrong += bits_of(scant_lanes_dot(n, a, b)) != bits_of(scant_lanes_sum(n, a));
    wrong += scant_lanes_largest(n, a) != largest;
    wrong += !scant_lanes_within(n, a, largest);
    wrong += n && largest > 0 && scant_lanes_within(n, a, nextafter(largest, 0));
    if (n) {
      a[n / 2] = NAN;
      wrong += scant_lanes_within(n, a, INFINITY) || !isnan(scant_lanes_largest(n, a));
      a[n / 2] = -INFINITY;
      wrong += scant_lanes_within(n, a, DBL_MAX) || scant_lanes_largest(n, a) != INFINITY;
    }
  }
  CHECK(wrong == 0);
}

static double units_off(double value, long double exact) {
  double unit = nextafter(fabs((double)exact), INFINITY) - fabs((double)exact);
  return (double)(fabsl((long double)value - exact) / (long double)unit);
}

TEST(sinh_and_cosh_are_near_and_the_same_in_any_company) {
  enum { N = 100000 };
  static double x[N], sine[N], cosine[N];
  uint64_t seed = 2;
  double worst[2] = {0};
  int wrong = 0;
  for (size_t i = 0; i < N; i++) {
    double size = i % 3 == 0 ? 700 : i % 3 == 1 ? 3 : 1;
    x[i] = i % 10 ? size * random_real(&seed) : ldexp(random_real(&seed), -(int)random_below(&seed, 300));
  }
  x[0] = 0;
  x[1] = -0.0;
  x[2] = 1;
  x[3] = nextafter(1, 0);
  scant_hyperbolic(N, x, sine, cosine);
  for (size_t i = 0; i < N; i++) {
    double one, other;
    worst[0] = fmax(worst[0], units_off(sine[i], sinhl(x[i])));
    worst[1] = fmax(worst[1], units_off(cosine[i], coshl(x[i])));
    if (i % 17) continue;
    scant_hyperbolic(1, &x[i], &one, &other);
    wrong += bits_of(one) != bits_of(sine[i]) || bits_of(other) != bits_of(cosine[i]);
    scant_hyperbolic(1, &x[i], &one, NULL);
    wrong += bits_of(one) != bits_of(sine[i]);
  }
  CHECK(wrong == 0);
  CHECK(bits_of(sine[0]) == 0 && bits_of(sine[1]) == bits_of(-0.0) && cosine[0] == 1);
  CHECK_AT_MOST(worst[0], 2);
  CHECK_AT_MOST(worst[1], 2);
}

int main(void) {
  RUN(sums_are_of_lanes_and_then_of_the_rest);
  RUN(sinh_and_cosh_are_near_and_the_same_in_any_company);
  return check_done();
}
