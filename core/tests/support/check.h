/* A small test harness that speaks TAP.
 *
 *   TEST(name) { CHECK(a == b); CHECK_NEAR(x, y, 1e-12); }
 *   int main(void) { RUN(name); return check_done(); }
 *
 * Comparisons are written so that NaN fails; a program that ran no test, or a
 * test that checked nothing, fails.
 */
#ifndef SCANT_TESTS_CHECK_H
#define SCANT_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_tests, check_failed_tests, check_count, check_failures;

#define TEST(name) static void name(void)

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

/* |a - b| <= tolerance, false for NaN */
#define CHECK_NEAR(a, b, tolerance) check_near((a), (b), (tolerance), #a " near " #b, __FILE__, __LINE__)

/* a <= b, false for NaN */
#define CHECK_AT_MOST(a, b) check_at_most((a), (b), #a " at most " #b, __FILE__, __LINE__)

/* the sentence contains the words */
#define CHECK_SAYS(text, words) check_says((text), (words), __FILE__, __LINE__)

#define RUN(name) check_run(name, #name)

static inline int check_that(int good, const char *what, const char *file, int line) {
  check_count++;
  if (!good) {
    check_failures++;
    printf("# %s:%d: failed: %s\n", file, line, what);
  }
  return good;
}

static inline int check_near(double a, double b, double tolerance, const char *what, const char *file, int line) {
  int good = fabs(a - b) <= tolerance;
  if (!check_that(good, what, file, line)) printf("#   %.17g and %.17g, tolerance %g\n", a, b, tolerance);
  return good;
}

static inline int check_at_most(double a, double b, const char *what, const char *file, int line) {
  int good = a <= b;
  if (!check_that(good, what, file, line)) printf("#   %.17g and %.17g\n", a, b);
  return good;
}

static inline int check_says(const char *text, const char *words, const char *file, int line) {
  int good = strstr(text, words) != NULL;
  if (!check_that(good, words, file, line)) printf("#   said: %s\n", text);
  return good;
}

static inline void check_run(void (*test)(void), const char *name) {
  check_count = check_failures = 0;
  test();
  if (check_count == 0) {
    printf("# %s checked nothing\n", name);
    check_failures++;
  }
  check_tests++;
  if (check_failures) check_failed_tests++;
  printf("%sok %d - %s\n", check_failures ? "not " : "", check_tests, name);
  fflush(stdout);
}

static inline int check_done(void) {
  printf("1..%d\n", check_tests);
  return check_tests == 0 || check_failed_tests != 0;
}

#endif
