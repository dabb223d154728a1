/* Data for the demonstration, made here: crooked threes and fives.
 *
 *   digits COUNT SEED > FILE.csv
 *
 * Each image is 14 x 14 pixels between 0 and 1: the glyph of a 3 (target -1) or
 * a 5 (target +1), shifted, turned, sheared, stretched and blurred at random,
 * with noise.  Like the paper's task, small enough to make in a second. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 14, WIDE = 5, HIGH = 7 };

static const char *const three[HIGH] = {"#####", "....#", "...#.", "..##.", "....#", "#...#", ".###."};
static const char *const five[HIGH] = {"#####", "#....", "####.", "....#", "....#", "#...#", ".###."};

static uint64_t state;

/* splitmix64, to (0, 1) */
static double unit(void) {
  uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) {
  return sqrt(-2 * log(unit())) * cos(6.283185307179586 * unit());
}

/* Ink at a point of the glyph, whose middle is (0, 0): each dot is a blot. */
static double ink(const char *const *glyph, double x, double y, double width) {
  double sum = 0;
  for (int r = 0; r < HIGH; r++) {
    for (int c = 0; c < WIDE; c++) {
      if (glyph[r][c] != '#') continue;
      double dx = x - (c - (WIDE - 1) / 2.0), dy = y - (r - (HIGH - 1) / 2.0);
      sum += exp(-(dx * dx + dy * dy) / (2 * width * width));
    }
  }
  return sum > 1 ? 1 : sum;
}

static void print_image(int is_five) {
  double angle = 0.15 * normal(), shear = 0.2 * normal(), size = 0.62 * exp(0.1 * normal());
  double left = 0.9 * normal(), down = 0.9 * normal(), width = 0.45 * exp(0.25 * normal());
  for (int r = 0; r < SIDE; r++) {
    for (int c = 0; c < SIDE; c++) {
      double u = c - (SIDE - 1) / 2.0 - left, v = r - (SIDE - 1) / 2.0 - down;
      double x = size * (cos(angle) * u + sin(angle) * v) + shear * v, y = size * (cos(angle) * v - sin(angle) * u);
      double value = ink(is_five ? five : three, x, y, width) + 0.05 * normal();
      printf("%.3g,", value < 0 ? 0 : value > 1 ? 1 : value);
    }
  }
  printf("%d\n", is_five ? 1 : -1);
}

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: digits COUNT SEED > FILE.csv\n");
    return 2;
  }
  long images = strtol(words[1], NULL, 10);
  state = strtoull(words[2], NULL, 10);
  for (int r = 1; r <= SIDE; r++)
    for (int c = 1; c <= SIDE; c++) printf("r%dc%d,", r, c);
  printf("digit\n");
  for (long i = 0; i < images; i++) print_image(unit() < 0.5);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
