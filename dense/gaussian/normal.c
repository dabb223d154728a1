#include "gaussian/normal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int scant_normal_new(scant_normal *normal, size_t n) {
  scant_normal made = {
      .n = n, .mean = scant_array(n, sizeof(double)), .covariance = scant_array(n * n, sizeof(double))};
  if (!made.mean || !made.covariance) {
    scant_normal_free(&made);
    return 0;
  }
  *normal = made;
  return 1;
}

void scant_normal_free(scant_normal *normal) {
  free(normal->mean);
  free(normal->covariance);
  *normal = (scant_normal){0};
}

void scant_normal_copy(scant_normal *to, const scant_normal *from) {
  memcpy(to->mean, from->mean, from->n * sizeof *to->mean);
  memcpy(to->covariance, from->covariance, from->n * from->n * sizeof *to->covariance);
}

void scant_normal_reset(scant_normal *normal) {
  size_t n = normal->n;
  memset(normal->mean, 0, n * sizeof *normal->mean);
  memset(normal->covariance, 0, n * n * sizeof *normal->covariance);
  for (size_t i = 0; i < n; i++) normal->covariance[i * n + i] = 1;
}
