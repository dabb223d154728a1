/* Requests as bytes: "scantask", version, kind (32 bits each), attributes (64), the choice of blocks (64, 64, 32), then
 * what the kind needs.  Requests are made and read within one fit, so they have no digest. */
#include "sums/request.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "bytes.h"

enum { HEAD = SCANT_CODED_HEAD + 4 + 8 + 8 + 8 + 4 };

static int has_normal(const scant_request *q) {
  return q->kind == SCANT_REQUEST_EXPECT || q->kind == SCANT_REQUEST_OWN;
}

static void code_head(scant_coder *c, scant_request *q) {
  uint32_t kind = q->kind, invert = q->chosen.invert != 0;
  scant_code_32s(c, &kind, 1);
  scant_code_size(c, &q->dimension);
  scant_code_64s(c, &q->chosen.parts, 1);
  scant_code_64s(c, &q->chosen.part, 1);
  scant_code_32s(c, &invert, 1);
  c->bad = c->bad || invert > 1;
  if (c->mode == SCANT_CODER_READS) {
    q->kind = (scant_request_kind)kind;
    q->chosen.invert = (int)invert;
  }
  if (has_normal(q)) scant_code_size(c, &q->variables);
}

/* Reading fills the arrays, for which there is room; where there are no factors `factor` becomes NULL. */
static void code_body(scant_coder *c, scant_request *q) {
  size_t n = q->variables;
  uint32_t has_factor = q->factor != NULL;
  if (has_normal(q)) {
    scant_code_32s(c, (uint32_t *)q->variable, q->dimension);
    scant_code_reals(c, (double *)q->center, n);
    scant_code_reals(c, (double *)q->unit, n);
    scant_code_reals(c, (double *)q->mean, n);
    scant_code_symmetric(c, (double *)q->covariance, n);
  }
  if (q->kind == SCANT_REQUEST_OWN) {
    scant_code_reals(c, &q->penalty, 1);
    scant_code_32s(c, &has_factor, 1);
    c->bad = c->bad || has_factor > 1;
    if (c->mode == SCANT_CODER_READS && !has_factor) q->factor = NULL;
    if (has_factor) scant_code_reals(c, (double *)q->factor, n);
  }
  if (q->kind == SCANT_REQUEST_PAIRS) {
    scant_code_reals(c, (double *)q->origin, q->dimension);
    scant_code_reals(c, &q->origin_y, 1);
  }
}

static void code(scant_coder *c, void *request) {
  code_head(c, request);
  code_body(c, request);
}

static const scant_coded_kind coded = {"scantask", 1, "no request", "the request has", code};

scant_status scant_request_encode(const scant_request *request, unsigned char **bytes, size_t *size,
                                  scant_error *error) {
  return scant_encode(&coded, request, 0, bytes, size, error);
}

/* ---- reading --------------------------------------------------------------------------- */

void scant_request_free(scant_request *request) {
  free(request->owned);
  *request = (scant_request){0};
}

/* Each variable but the target's belongs to one attribute.  found: room for n. */
static int good_variables(const uint32_t *variable, size_t d, size_t n, double *found) {
  size_t count = 0;
  for (size_t j = 0; j < d; j++) {
    if (variable[j] == SCANT_NO_VARIABLE) continue;
    if (variable[j] + (size_t)1 >= n || found[variable[j]] != 0) return 0;
    found[variable[j]] = 1;
    count++;
  }
  return count + 1 == n;
}

/* Room for the arrays, in one piece; in units of doubles it is no more than the bytes that are there call for. */
static int make_room(scant_request *q, double **found) {
  size_t n = q->variables, d = q->dimension;
  size_t count = has_normal(q) ? n * (n + 5) + (d + 1) / 2 : q->kind == SCANT_REQUEST_PAIRS ? d : 0;
  double *room = q->owned = scant_array(count, sizeof *room);
  if (!room) return 0;
  q->origin = q->center = room;
  q->unit = room + n;
  q->mean = room + 2 * n;
  q->factor = q->kind == SCANT_REQUEST_OWN ? room + 3 * n : NULL;
  *found = room + 4 * n;
  q->covariance = room + 5 * n;
  q->variable = (void *)(room + n * (n + 5));
  return 1;
}

/* Are the numbers those of a request? */
static int is_good(const scant_request *q, double *found) {
  size_t n = q->variables;
  if (q->kind == SCANT_REQUEST_PAIRS) return scant_all_finite(q->origin, q->dimension) && isfinite(q->origin_y);
  if (!has_normal(q)) return 1;
  if (!good_variables(q->variable, q->dimension, n, found) || !scant_all_finite(q->center, 3 * n) ||
      !scant_all_finite(q->covariance, n * n) || !(q->penalty >= 0) || !isfinite(q->penalty))
    return 0;
  for (size_t i = 0; i < n; i++)
    if (!(q->unit[i] > 0) || (q->factor && !(q->factor[i] >= 0))) return 0; /* a factor may be infinite */
  return 1;
}

static scant_status read_body(scant_request *q, scant_coder *c, size_t size, scant_error *error) {
  double *found;
  scant_coder counted = {.mode = SCANT_CODER_COUNTS};
  code_body(&counted, q);
  if (counted.count > (double)c->left) return scant_fail(error, SCANT_DATA, "the request is damaged: it is cut off");
  if (!make_room(q, &found)) return scant_fail_memory(error);
  code_body(c, q);
  if (c->bad || c->left) return scant_fail(error, SCANT_DATA, "the request is damaged: it has %zu bytes", size);
  if (is_good(q, found)) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the request is damaged: its numbers are none of a request");
}

scant_status scant_request_decode(scant_request *request, const unsigned char *bytes, size_t size, scant_error *error) {
  scant_request q = {0};
  scant_coder c;
  SCANT_TRY(scant_decode(&coded, bytes, size, HEAD, &c, error));
  code_head(&c, &q);
  if (c.bad || q.kind < SCANT_REQUEST_MARGINALS || q.kind >= SCANT_REQUEST_KINDS || !q.dimension ||
      q.dimension > SIZE_MAX / 64)
    return scant_fail(error, SCANT_DATA, "the request is damaged: its head says what can't be");
  if (has_normal(&q) && (!q.variables || q.variables - 1 > q.dimension))
    return scant_fail(error, SCANT_DATA, "the request is damaged: it has %zu variables", q.variables);
  scant_status status = read_body(&q, &c, size, error);
  if (status == SCANT_OK)
    *request = q;
  else
    scant_request_free(&q);
  return status;
}
