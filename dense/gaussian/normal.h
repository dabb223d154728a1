/* A distribution of several variables. */
#ifndef SCANT_DENSE_GAUSSIAN_NORMAL_H
#define SCANT_DENSE_GAUSSIAN_NORMAL_H

#include <stddef.h>

/* mean[n] and covariance, n x n, symmetric, both triangles. */
typedef struct scant_normal {
  size_t n;
  double *mean, *covariance;
} scant_normal;

int scant_normal_new(scant_normal *normal, size_t n); /* 0: out of memory */
void scant_normal_free(scant_normal *normal);
void scant_normal_copy(scant_normal *to, const scant_normal *from); /* of the same size */
void scant_normal_reset(scant_normal *normal);                      /* mean 0, the unit matrix */

#endif
