/* LAPACK with work arrays of our own: LAPACKE prints to standard output when it can't allocate them.  As there, the
 * size is what LAPACK asks for, so the bits are the same.  Matrices are column-major with leading dimension n (or as
 * said).  All return 0; LAPACK_WORK_MEMORY_ERROR; or another number if LAPACK failed or was given NaN. */
#ifndef SCANT_DENSE_LAPACK_H
#define SCANT_DENSE_LAPACK_H

#include <lapacke.h>
#include <stddef.h>

/* All eigenvalues, ascending, and eigenvectors in the place of the matrix, of which the
 * triangle ('L' or 'U') is read. */
lapack_int scant_lapack_eigen(char triangle, size_t n, double *matrix, double *values);

/* Reflections to tridiagonal form of a lower triangle; eigenvectors of that form; Q or Q' times a vector. */
lapack_int scant_lapack_tridiagonal(size_t n, double *matrix, double *diagonal, double *beside, double *tau);
lapack_int scant_lapack_tridiagonal_eigen(size_t n, double *diagonal, double *beside, double *vectors);
lapack_int scant_lapack_tridiagonal_times(char transposed, size_t n, const double *matrix, const double *tau,
                                          double *vector);

/* QR of rows x columns; Q times a vector of rows. */
lapack_int scant_lapack_qr(size_t rows, size_t columns, double *matrix, double *tau);
lapack_int scant_lapack_qr_times(size_t rows, size_t columns, const double *matrix, const double *tau, double *vector);

#endif
