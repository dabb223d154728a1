#include "sums/record_column.h"

#include <float.h>
#include <math.h>

#include "base/lanes.h"

SCANT_WIDEST void scant_column_count(const double *x, size_t rows, size_t *missing, size_t *infinite) {
  size_t holes = 0, endless = 0;
  for (size_t r = 0; r < rows; r++) {
    holes += isnan(x[r]) ? 1 : 0;
    endless += fabs(x[r]) > DBL_MAX ? 1 : 0;
  }
  *missing = holes;
  *infinite = endless;
}

/* If all are known and no neighbours are the same, no value makes up more than half of them; for an odd number the ends
 * are neighbours, too.  It is so for most attributes, and quickly found. */
SCANT_WIDEST static int has_no_common(const double *x, size_t rows, uint64_t known) {
  size_t same = 0;
  for (size_t r = 1; r < rows; r++) same += x[r] == x[r - 1] ? 1 : 0;
  return known == rows && rows > 1 && !same && x[0] != x[rows - 1];
}

/* Boyer and Moore's vote gives the only value that more than half of them can have; it is then counted.  Without such a
 * value the first one stands for it, and every other one is against it. */
static void vote(const double *x, size_t rows, scant_shown_values *v) {
  double common = 0, first = NAN;
  uint64_t lead = 0, times = 0;
  if (!has_no_common(x, rows, v->known)) {
    for (size_t r = 0; r < rows; r++) {
      if (isnan(x[r])) continue;
      common = lead ? common : x[r];
      lead += x[r] == common ? 1 : (uint64_t)-1;
    }
    for (size_t r = 0; r < rows; r++) times += x[r] == common ? 1 : 0;
  }
  for (size_t r = 0; isnan(first); r++) first = x[r];
  int is_common = 2 * times > v->known;
  v->active = is_common ? v->known - times : v->known / 2;
  v->common = (is_common ? common : first) + 0.0; /* no negative zero */
}

SCANT_WIDEST static void find_ends(const double *x, size_t rows, scant_shown_values *v) {
  double low = INFINITY, high = -INFINITY;
  uint64_t known = 0;
  for (size_t r = 0; r < rows; r++) {
    low = x[r] < low ? x[r] : low;
    high = x[r] > high ? x[r] : high;
    known += isnan(x[r]) ? 0 : 1;
  }
  v->known = known;
  v->low = known ? low : 0;
  v->high = known ? high : 0;
}

void scant_column_show(const double *x, size_t rows, scant_shown_values *shown) {
  *shown = (scant_shown_values){0};
  find_ends(x, rows, shown);
  if (shown->known) vote(x, rows, shown);
}

/* In four sums, so that additions need not wait for each other. */
double scant_column_mean(const double *x, const uint32_t *row, size_t n) {
  double first = row ? x[row[0]] : x[0], s[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) s[k] += (row ? x[row[i + k]] : x[i + k]) - first;
  for (; i < n; i++) s[0] += (row ? x[row[i]] : x[i]) - first;
  return first + ((s[0] + s[1]) + (s[2] + s[3])) / (double)n;
}

double scant_column_mean_known(const double *x, size_t rows, size_t known) {
  size_t start = 0;
  while (isnan(x[start])) start++;
  double first = x[start], s = 0;
  for (size_t r = start; r < rows; r++) s += isnan(x[r]) ? 0 : x[r] - first;
  return first + s / (double)known;
}
