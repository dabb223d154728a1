#include "bar.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

bar bar_start(const arguments *a) {
  return (bar){progress_clock(), !a->own.quiet && isatty(2)};
}

void bar_show(void *user, double share) {
  const bar *b = user;
  if (!b->shown) return;
  double spent = progress_clock() - b->started;
  char full[41];
  int width = (int)(40 * share);
  memset(full, '#', (size_t)width);
  full[width] = 0;
  fprintf(stderr, "\r[%-40s] %3.0f%%  %.0f s left \033[K", full, 100 * share, ceil(spent * (1 - share) / share));
  if (share >= 1) fputc('\n', stderr);
}
