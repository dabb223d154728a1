/* Constrained lasso: an active-set method for the penalised form, and a Newton search for the penalty whose solution
 * has the wanted 1-norm.
 *
 *   minimise  F(w) = 1/2 w'Gw - c'w + lambda ||w||_1,   G = X'X/n, c = X'y/n
 *
 * Invariant between steps: the signs of the active weights are fixed, F falls with every step that moves, and an
 * attribute leaves when its weight reaches 0; so no set of signs comes back and the method is finite (feature-sign
 * search, Lee, Battle, Raina, Ng, NIPS 2006, with steps that stop at 0). */
#include "full/full.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

struct scant_lasso {
  size_t n, d;
  double *gram; /* d x d, both triangles */
  double *c;
  double largest; /* max |c|: the smallest penalty whose solution is 0 */
};

/* One solution on its way.  L (row-major, lower, room for `capacity` rows)
 * satisfies L L' = G restricted to active[0..count). */
typedef struct walk {
  const scant_lasso *lasso;
  size_t count, capacity;
  size_t *active;
  char *state; /* per attribute: OUT, IN or BLOCKED */
  double *w, *gradient;
  double *sign, *goal; /* per active attribute */
  double *factor;
  double lambda;
  double tolerance; /* of the optimality conditions, absolute */
  size_t steps;
  size_t newest; /* the attribute admitted last, until it has moved */
  scant_arrays arrays;
} walk;

enum { OUT, IN, BLOCKED };

/* A new attribute counts as a combination of the active ones when less than
 * this part of its square is left over: below it, the factor is rounding. */
#define COLLINEAR 1e-11
/* and below this its remaining square is nothing but rounding. */
#define ROUNDING 1e-13

void scant_lasso_free(scant_lasso *lasso) {
  if (!lasso) return;
  free(lasso->gram);
  free(lasso->c);
  free(lasso);
}

static scant_status prepare(scant_lasso *l, const scant_dense *p, scant_error *error) {
  size_t d = p->d;
  int n = (int)p->n;
  l->n = p->n;
  l->d = d;
  if (d > SIZE_MAX / sizeof(double) / d) return scant_fail_memory(error);
  l->gram = scant_array(d * d, sizeof *l->gram);
  l->c = scant_array(d, sizeof *l->c);
  if (!l->gram || !l->c) return scant_fail_memory(error);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)d, n, 1 / (double)n, p->x, (int)d, 0, l->gram, (int)d);
  cblas_dgemv(CblasColMajor, CblasNoTrans, (int)d, n, 1 / (double)n, p->x, (int)d, p->y, 1, 0, l->c, 1);
  for (size_t j = 0; j < d; j++) {
    if (!isfinite(l->gram[j * d + j]) || !isfinite(l->c[j]))
      return scant_fail(error, SCANT_DATA, "attribute %zu is too large to be squared: scale it", j + 1);
    for (size_t k = j + 1; k < d; k++) l->gram[k * d + j] = l->gram[j * d + k];
    l->largest = fmax(l->largest, fabs(l->c[j]));
  }
  return SCANT_OK;
}

scant_status scant_lasso_new(scant_lasso **lasso, const scant_dense *problem, scant_error *error) {
  *lasso = NULL;
  SCANT_TRY(scant_dense_check(problem, error));
  scant_lasso *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  scant_status status = prepare(l, problem, error);
  if (status != SCANT_OK)
    scant_lasso_free(l);
  else
    *lasso = l;
  return status;
}

static scant_status walk_new(walk *k, const scant_lasso *lasso, scant_error *error) {
  size_t d = lasso->d, most = lasso->n < d ? lasso->n : d;
  memset(k, 0, sizeof *k);
  k->lasso = lasso;
  k->capacity = most + 1; /* one more than the rank, while one is on its way out */
  k->active = scant_arrays_add(&k->arrays, k->capacity, sizeof *k->active);
  k->state = scant_arrays_add(&k->arrays, d, sizeof *k->state);
  k->w = scant_arrays_add(&k->arrays, 2 * d + 2 * k->capacity, sizeof *k->w);
  k->factor = scant_arrays_add(&k->arrays, k->capacity * k->capacity, sizeof *k->factor);
  if (k->arrays.failed) {
    scant_arrays_free(&k->arrays);
    return scant_fail_memory(error);
  }
  k->gradient = k->w + d;
  k->sign = k->gradient + d;
  k->goal = k->sign + k->capacity;
  k->lambda = lasso->largest;
  k->tolerance = 1e-13 * lasso->largest;
  return SCANT_OK;
}

/* v := (L L')^-1 v over the active attributes. */
static void factor_solve(const walk *k, double *v) {
  int a = (int)k->count, room = (int)k->capacity;
  if (a == 0) return;
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, a, k->factor, room, v, 1);
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, a, k->factor, room, v, 1);
}

/* Appends attribute j to the factor; false, with nothing changed but the unused row, if it is a combination of the
 * active ones.  *rest is what is left of its square. */
static int factor_append(walk *k, size_t j, double *rest) {
  size_t a = k->count, d = k->lasso->d;
  const double *column = k->lasso->gram + j * d;
  if (a >= k->capacity) {
    *rest = 0;
    return 0;
  }
  double *row = k->factor + a * k->capacity;
  for (size_t i = 0; i < a; i++) row[i] = column[k->active[i]];
  if (a)
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)a, k->factor, (int)k->capacity, row, 1);
  *rest = column[j] - (a ? cblas_ddot((int)a, row, 1, row, 1) : 0);
  if (!(*rest > COLLINEAR * column[j])) return 0;
  row[a] = sqrt(*rest);
  return 1;
}

static void enter(walk *k, size_t j, double sign) {
  k->active[k->count] = j;
  k->sign[k->count] = sign;
  k->state[j] = IN;
  k->newest = j;
  k->count++;
}

/* Takes out the active attribute at `place`: the rows below it move up and
 * rotations of neighbouring columns make the factor triangular again. */
static void leave(walk *k, size_t place) {
  size_t last = k->count - 1, room = k->capacity;
  double *f = k->factor;
  k->w[k->active[place]] = 0;
  k->state[k->active[place]] = OUT;
  for (size_t i = place; i < last; i++) {
    k->active[i] = k->active[i + 1];
    k->sign[i] = k->sign[i + 1];
    memcpy(f + i * room, f + (i + 1) * room, (i + 2) * sizeof *f);
  }
  k->count = last;
  for (size_t j = place; j < last; j++) {
    double a = f[j * room + j], b = f[j * room + j + 1], length = hypot(a, b);
    double cosine = a / length, sine = b / length;
    f[j * room + j] = length;
    for (size_t i = j + 1; i < last; i++) {
      double left = f[i * room + j], right = f[i * room + j + 1];
      f[i * room + j] = cosine * left + sine * right;
      f[i * room + j + 1] = cosine * right - sine * left;
    }
  }
}

static void gradient_update(walk *k) {
  size_t d = k->lasso->d;
  for (size_t j = 0; j < d; j++) k->gradient[j] = -k->lasso->c[j];
  for (size_t i = 0; i < k->count; i++) {
    size_t j = k->active[i];
    cblas_daxpy((int)d, k->w[j], k->lasso->gram + j * d, 1, k->gradient, 1);
  }
}

/* Moves the active weights by `most` times `direction`, or less if one of them would change its sign; that one leaves.
 * Without such a one an infinite move is none.  Returns the part made and whether one left. */
static double move(walk *k, const double *direction, double most, int *left) {
  double part = most;
  size_t place = k->count;
  for (size_t i = 0; i < k->count; i++) {
    double to = direction[i] * k->sign[i], from = k->w[k->active[i]] * k->sign[i];
    if (to < 0 && from + part * to <= 0) {
      part = fmax(0, -from / to);
      place = i;
    }
  }
  *left = place < k->count;
  if (isinf(part)) return 0;
  for (size_t i = 0; i < k->count; i++) k->w[k->active[i]] += part * direction[i];
  if (*left) {
    size_t gone = k->active[place];
    leave(k, place);
    /* An attribute that leaves before it moved was let in by rounding.  Without a block it would come and go
     * for ever. */
    if (gone == k->newest && part == 0) k->state[gone] = BLOCKED;
  }
  if (part > 0) k->newest = SIZE_MAX;
  return part;
}

/* The best weights for the active attributes: goal = G_AA^-1 (c - lambda s),
 * step by step while attributes leave on the way. */
static void settle(walk *k) {
  int left = 1;
  while (left && k->count) {
    for (size_t i = 0; i < k->count; i++) k->goal[i] = k->lasso->c[k->active[i]] - k->lambda * k->sign[i];
    factor_solve(k, k->goal);
    for (size_t i = 0; i < k->count; i++) k->goal[i] -= k->w[k->active[i]];
    move(k, k->goal, 1, &left);
    k->steps++;
  }
}

/* One step of iterative refinement: the rounding errors of many updates of the factor show in the gradient
 * and are corrected.  True if an attribute left. */
static int refine(walk *k) {
  int left;
  double worst = 0;
  for (size_t i = 0; i < k->count; i++) {
    k->goal[i] = -(k->gradient[k->active[i]] + k->lambda * k->sign[i]);
    worst = fmax(worst, fabs(k->goal[i]));
  }
  if (!(worst > k->tolerance / 4)) return 0;
  factor_solve(k, k->goal);
  move(k, k->goal, 1, &left);
  gradient_update(k);
  return left;
}

/* Attribute j is a combination of the active ones: F is (nearly) linear along the direction that trades it for them,
 * and falls, so that one of them must reach 0 and leave.  Repeated until j fits into the factor.  False if nothing
 * gives way, which only rounding can cause. */
static int trade(walk *k, size_t j, double sign, double rest, double slope) {
  size_t d = k->lasso->d;
  const double *column = k->lasso->gram + j * d;
  for (;;) {
    int left;
    for (size_t i = 0; i < k->count; i++) k->goal[i] = -sign * column[k->active[i]];
    factor_solve(k, k->goal);
    double part = move(k, k->goal, rest > ROUNDING * column[j] ? slope / rest : INFINITY, &left);
    k->w[j] += sign * part;
    k->steps++;
    int fits = left ? factor_append(k, j, &rest) : 0;
    if (!left && part > 0 && k->count < k->capacity) {
      k->factor[k->count * k->capacity + k->count] = sqrt(rest);
      fits = 1;
    }
    if (fits) enter(k, j, sign);
    if (fits || !left) break;
  }
  if (k->state[j] != IN) k->w[j] = 0;
  return k->state[j] == IN;
}

/* Lets in the attribute whose condition |g_j| <= lambda is violated most; false if there is none. */
static int admit(walk *k) {
  size_t best = 0, d = k->lasso->d;
  double excess = k->tolerance, rest;
  int found = 0;
  for (size_t j = 0; j < d; j++)
    if (k->state[j] == OUT && fabs(k->gradient[j]) - k->lambda > excess) {
      excess = fabs(k->gradient[j]) - k->lambda;
      best = j;
      found = 1;
    }
  if (!found) return 0;
  double sign = k->gradient[best] > 0 ? -1 : 1;
  if (factor_append(k, best, &rest))
    enter(k, best, sign);
  else if (!trade(k, best, sign, rest, excess))
    k->state[best] = BLOCKED;
  return 1;
}

static int unblock(walk *k) {
  int some = 0;
  for (size_t j = 0; j < k->lasso->d; j++)
    if (k->state[j] == BLOCKED) {
      k->state[j] = OUT;
      some = 1;
    }
  return some;
}

/* The solution for k->lambda, from wherever the walk is.  Blocked attributes are tried again once the others
 * have settled. */
static scant_status walk_settle(walk *k, scant_error *error) {
  size_t limit = k->steps + 1000 + 50 * k->lasso->d;
  k->newest = SIZE_MAX;
  unblock(k);
  for (int round = 0; round < 3; round++) {
    do {
      if (k->steps > limit)
        return scant_fail(error, SCANT_DATA, "the lasso does not settle: the data are too degenerate");
      settle(k);
      gradient_update(k);
    } while (refine(k) || admit(k));
    if (!unblock(k)) break;
  }
  return SCANT_OK;
}

static double norm_of(const walk *k) {
  double norm = 0;
  for (size_t i = 0; i < k->count; i++) norm += fabs(k->w[k->active[i]]);
  return norm;
}

/* How fast ||w||_1 falls as lambda grows, signs and active set fixed: s'G_AA^-1 s. */
static double norm_slope(walk *k) {
  if (k->count == 0) return 0;
  memcpy(k->goal, k->sign, k->count * sizeof *k->goal);
  factor_solve(k, k->goal);
  return cblas_ddot((int)k->count, k->goal, 1, k->sign, 1);
}

/* Removes the rest of |norm - radius| that lambda is too coarse for: for a tiny radius one unit in the last
 * place of lambda moves w by much. */
static void norm_meet(walk *k, double radius) {
  int left;
  double slope = norm_slope(k), part = (radius - norm_of(k)) / slope;
  if (part < 0) cblas_dscal((int)k->count, -1, k->goal, 1);
  if (slope > 0) move(k, k->goal, fabs(part), &left);
}

/* Walks to the penalty whose solution has 1-norm `radius`; lambda only falls by a part at a time while no solution
 * beyond the radius is known, since far jumps let in many attributes that must leave again. */
static scant_status walk_reach(walk *k, double radius, scant_error *error) {
  double low = 0, high = k->lasso->largest;
  radius = fmin(radius, DBL_MAX); /* an infinite one never binds */
  for (int step = 0; step < 500; step++) {
    SCANT_TRY(walk_settle(k, error));
    double norm = norm_of(k);
    if (fabs(norm - radius) <= 1e-14 * radius) return SCANT_OK;
    if (norm > radius)
      low = k->lambda;
    else
      high = k->lambda;
    if (high <= 1e-13 * k->lasso->largest) {
      k->lambda = 0; /* the ball does not bind: least squares, to rounding */
      return SCANT_OK;
    }
    double slope = norm_slope(k), next = slope > 0 ? k->lambda + (norm - radius) / slope : 0;
    if (low == 0)
      next = fmax(next, high * 0.3);
    else if (!(next > low && next < high))
      next = low + (high - low) / 2;
    if (fabs(next - k->lambda) <= 2 * DBL_EPSILON * k->lambda) break;
    k->lambda = next;
  }
  norm_meet(k, radius);
  return SCANT_OK;
}

scant_status scant_lasso_path(const scant_lasso *lasso, size_t count, const double *radius, double *w, double *lambda,
                              scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (!(radius[i] > 0)) return scant_fail(error, SCANT_USAGE, "the radius must be above 0, not %g", radius[i]);
    if (i && radius[i] < radius[i - 1]) return scant_fail(error, SCANT_USAGE, "the radii of a path must not fall");
  }
  walk k;
  SCANT_TRY(walk_new(&k, lasso, error));
  scant_status status = SCANT_OK;
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    double *out = w + i * lasso->d;
    /* at the end of the path the solution is that of every larger radius */
    if (lasso->largest > 0 && k.lambda > 0) status = walk_reach(&k, radius[i], error);
    memcpy(out, k.w, lasso->d * sizeof *out);
    lambda[i] = k.lambda;
    double norm = norm_of(&k);
    if (norm > radius[i]) cblas_dscal((int)lasso->d, radius[i] / norm, out, 1);
  }
  scant_arrays_free(&k.arrays);
  return status;
}

scant_status scant_lasso_solve(const scant_lasso *lasso, double radius, double *w, double *lambda, scant_error *error) {
  return scant_lasso_path(lasso, 1, &radius, w, lambda, error);
}
