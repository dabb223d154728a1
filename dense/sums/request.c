/* Requests as bytes: "scantask", version, kind (32 bits each), attributes (64), the choice of blocks (64, 64, 32), then
 * what the kind needs.  Requests are made and read within one fit, so they have no digest; but nothing in them is
 * believed. */
#include "sums/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "moments/pairs.h"
#include "sums/little.h"

static const char magic[] = "scantask";

enum { MAGIC = 8, VERSION = 1, HEAD = MAGIC + 4 + 4 + 8 + 8 + 8 + 4 };

static int has_normal(scant_request_kind kind) {
  return kind == SCANT_REQUEST_EXPECT || kind == SCANT_REQUEST_OWN;
}

static double encoded_size(const scant_request *q, int has_factor) {
  double d = (double)q->dimension, n = (double)q->variables, size = HEAD;
  if (has_normal(q->kind)) size += 8 + 4 * d + 8 * (3 * n + n * (n + 1) / 2);
  if (q->kind == SCANT_REQUEST_OWN) size += 8 + 4 + (has_factor ? 8 * n : 0);
  if (q->kind == SCANT_REQUEST_PAIRS) size += 8 * (d + 1);
  return size;
}

/* ---- writing --------------------------------------------------------------------------- */

static void put_normal(unsigned char **to, const scant_request *q) {
  size_t n = q->variables;
  scant_put_64(to, n);
  scant_put_32s(to, q->variable, q->dimension);
  scant_put_reals(to, q->center, n);
  scant_put_reals(to, q->unit, n);
  scant_put_reals(to, q->mean, n);
  for (size_t i = 0; i < n; i++) scant_put_reals(to, q->covariance + i * n, i + 1);
}

scant_status scant_request_encode(const scant_request *request, unsigned char **bytes, size_t *size,
                                  scant_error *error) {
  const scant_request *q = request;
  double wanted = encoded_size(q, q->factor != NULL);
  unsigned char *made = wanted < (double)(SIZE_MAX / 4) ? scant_array((size_t)wanted, 1) : NULL, *to = made;
  if (!made) return scant_fail_memory(error);
  memcpy(to, magic, MAGIC);
  to += MAGIC;
  scant_put_32(&to, VERSION);
  scant_put_32(&to, (uint32_t)q->kind);
  scant_put_64(&to, q->dimension);
  scant_put_64(&to, q->chosen.parts);
  scant_put_64(&to, q->chosen.part);
  scant_put_32(&to, q->chosen.invert != 0);
  if (has_normal(q->kind)) put_normal(&to, q);
  if (q->kind == SCANT_REQUEST_OWN) {
    scant_put_real(&to, q->penalty);
    scant_put_32(&to, q->factor != NULL);
    if (q->factor) scant_put_reals(&to, q->factor, q->variables);
  }
  if (q->kind == SCANT_REQUEST_PAIRS) {
    scant_put_reals(&to, q->origin, q->dimension);
    scant_put_real(&to, q->origin_y);
  }
  *bytes = made;
  *size = (size_t)wanted;
  return SCANT_OK;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Where the arrays of a decoded request are. */
typedef struct {
  uint32_t *variable;
  double *reals;
} arrays;

void scant_request_free(scant_request *request) {
  arrays *a = request->owned;
  if (a) {
    free(a->variable);
    free(a->reals);
    free(a);
  }
  *request = (scant_request){0};
}

static int all_finite(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* Each variable but the target's belongs to one attribute. */
static int good_variables(const uint32_t *variable, size_t d, size_t n, double *scratch) {
  size_t found = 0;
  memset(scratch, 0, n * sizeof *scratch);
  for (size_t j = 0; j < d; j++) {
    if (variable[j] == SCANT_NO_VARIABLE) continue;
    if (variable[j] + (size_t)1 >= n || scratch[variable[j]] != 0) return 0;
    scratch[variable[j]] = 1;
    found++;
  }
  return found + 1 == n;
}

static int get_normal(scant_request *q, arrays *a, scant_bytes_left *from) {
  size_t n = q->variables, d = q->dimension;
  double *center = a->reals, *unit = center + n, *mean = unit + n, *covariance = mean + n;
  scant_get_32s(from, a->variable, d);
  if (!good_variables(a->variable, d, n, mean)) return 0;
  scant_get_reals(from, center, n);
  scant_get_reals(from, unit, n);
  scant_get_reals(from, mean, n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) covariance[i * n + j] = covariance[j * n + i] = scant_get_real(from);
  for (size_t i = 0; i < n; i++)
    if (!(unit[i] > 0)) return 0;
  q->variable = a->variable;
  q->center = center;
  q->unit = unit;
  q->mean = mean;
  q->covariance = covariance;
  return all_finite(a->reals, 3 * n + n * n);
}

static int get_own(scant_request *q, arrays *a, scant_bytes_left *from, int has_factor) {
  size_t n = q->variables;
  double *factor = a->reals + 3 * n + n * n;
  if (!(q->penalty >= 0) || !isfinite(q->penalty)) return 0;
  if (!has_factor) return 1;
  scant_get_reals(from, factor, n);
  for (size_t i = 0; i < n; i++)
    if (!(factor[i] >= 0)) return 0; /* infinity is allowed */
  q->factor = factor;
  return 1;
}

static int get_origin(scant_request *q, arrays *a, scant_bytes_left *from) {
  scant_get_reals(from, a->reals, q->dimension);
  q->origin = a->reals;
  q->origin_y = scant_get_real(from);
  return all_finite(a->reals, q->dimension) && isfinite(q->origin_y);
}

/* The body, whose size was found to be what the head calls for. */
static scant_status get_body(scant_request *q, scant_bytes_left *from, int has_factor, scant_error *error) {
  size_t n = q->variables, d = q->dimension;
  arrays *a = scant_array(1, sizeof *a);
  if (!a) return scant_fail_memory(error);
  q->owned = a;
  a->variable = scant_array(has_normal(q->kind) ? d : 0, sizeof *a->variable);
  a->reals = scant_array(has_normal(q->kind)              ? n * (n + 4)
                         : q->kind == SCANT_REQUEST_PAIRS ? d
                                                          : 0, /* no more than the bytes that are there call for */
                         sizeof *a->reals);
  if (!a->variable || !a->reals) return scant_fail_memory(error);
  int good = 1;
  if (has_normal(q->kind)) good = get_normal(q, a, from);
  if (good && q->kind == SCANT_REQUEST_OWN) {
    q->penalty = scant_get_real(from);
    scant_get_32(from);
    good = get_own(q, a, from, has_factor);
  }
  if (good && q->kind == SCANT_REQUEST_PAIRS) good = get_origin(q, a, from);
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the request is damaged: its numbers are none of a request");
}

static scant_status get_all(scant_request *q, scant_bytes_left from, size_t size, scant_error *error) {
  int has_factor = 0;
  if (has_normal(q->kind)) q->variables = (size_t)scant_get_64(&from);
  if (has_normal(q->kind) && (!q->variables || q->variables - 1 > q->dimension))
    return scant_fail(error, SCANT_DATA, "the request is damaged: it has %zu variables", q->variables);
  if (q->kind == SCANT_REQUEST_OWN) { /* a flag near the end says whether there are factors, and so decides the size */
    scant_bytes_left flag = from;
    double before = encoded_size(q, 0) - HEAD - 8 - 4;
    if (!(before <= (double)flag.left)) return scant_fail(error, SCANT_DATA, "the request is damaged: it is cut off");
    flag.at += (size_t)before;
    flag.left -= (size_t)before;
    uint32_t found = scant_get_32(&flag);
    if (flag.short_of || found > 1) return scant_fail(error, SCANT_DATA, "the request is damaged: it is cut off");
    has_factor = (int)found;
  }
  if (encoded_size(q, has_factor) != (double)size)
    return scant_fail(error, SCANT_DATA, "the request is damaged: it has %zu bytes", size);
  return get_body(q, &from, has_factor, error);
}

scant_status scant_request_decode(scant_request *request, const unsigned char *bytes, size_t size, scant_error *error) {
  scant_request q = {0};
  if (size < HEAD || memcmp(bytes, magic, MAGIC) != 0)
    return scant_fail(error, SCANT_DATA, "these %zu bytes are no request", size);
  scant_bytes_left from = {bytes + MAGIC, size - MAGIC, 0};
  uint32_t version = scant_get_32(&from), kind = scant_get_32(&from);
  if (version != VERSION)
    return scant_fail(error, SCANT_DATA, "the request has version %lu, and this library reads version %d",
                      (unsigned long)version, VERSION);
  q.kind = (scant_request_kind)kind;
  uint64_t dimension = scant_get_64(&from);
  q.dimension = (size_t)dimension;
  q.chosen.parts = scant_get_64(&from);
  q.chosen.part = scant_get_64(&from);
  uint32_t invert = scant_get_32(&from);
  q.chosen.invert = (int)invert;
  if (kind < SCANT_REQUEST_MARGINALS || kind >= SCANT_REQUEST_KINDS || !dimension || dimension > SIZE_MAX / 64 ||
      invert > 1)
    return scant_fail(error, SCANT_DATA, "the request is damaged: its head says what can't be");
  scant_status status = get_all(&q, from, size, error);
  if (status == SCANT_OK)
    *request = q;
  else
    scant_request_free(&q);
  return status;
}
