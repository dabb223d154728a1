/* Replies add up; as bytes they are "scantsay", version, kind (32 bits each), blocks, examples, attributes, variables
 * (64 each), and what the kind has.  Nothing in them is believed. */
#include "sums/reply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "sums/little.h"
#include "sums/sparse_bytes.h"

static const char magic[] = "scantsay";

enum { MAGIC = 8, VERSION = 1, HEAD = MAGIC + 4 + 4 + 4 * 8, OWN = sizeof(scant_own_sums) / sizeof(double) };

/* ---- memory ---------------------------------------------------------------------------- */

void scant_reply_free(scant_reply *reply) {
  free(reply->marginals);
  free(reply->m);
  free(reply->g);
  for (size_t i = 0; reply->folds && i < SCANT_REPLY_FOLDS; i++) scant_pairs_free(&reply->folds[i]);
  free(reply->folds);
  *reply = (scant_reply){.kind = reply->kind, .dimension = reply->dimension, .variables = reply->variables};
}

/* Arrays of zeros of the sizes that the reply says; after a failure it is to be freed. */
int scant_reply_fill(scant_reply *reply) {
  scant_reply *r = reply;
  size_t n = r->variables;
  int good = 1;
  switch (r->kind) {
    case SCANT_REQUEST_MARGINALS:
      return (r->marginals = scant_array(r->dimension + 1, sizeof *r->marginals)) != NULL;
    case SCANT_REQUEST_EXPECT:
      r->m = scant_array(scant_pairs_triangle(n), sizeof *r->m);
      r->g = scant_array(n, sizeof *r->g);
      return r->m && r->g;
    case SCANT_REQUEST_PAIRS:
      r->folds = scant_array(SCANT_REPLY_FOLDS, sizeof *r->folds);
      for (size_t i = 0; i < SCANT_REPLY_FOLDS && r->folds && good; i++)
        good = scant_pairs_new(&r->folds[i], r->dimension);
      return r->folds && good;
    default:
      return 1;
  }
}

/* ---- adding up ------------------------------------------------------------------------- */

/* Two votes: what each leads by is set against the other. */
static void vote(scant_marginal *to, const scant_marginal *from) {
  uint64_t lead = to->known - 2 * to->active, other = from->known - 2 * from->active;
  to->active += from->active;
  if (to->common == from->common || !other) return;
  to->active += lead < other ? lead : other;
  if (other > lead) to->common = from->common;
}

void scant_marginal_take(scant_marginal *to, const scant_marginal *from) {
  to->bought += from->bought;
  to->blocks += from->blocks;
  if (!from->known) return;
  if (!to->known) {
    uint64_t bought = to->bought, blocks = to->blocks;
    *to = *from;
    to->bought = bought;
    to->blocks = blocks;
    return;
  }
  double n = (double)to->known, m = (double)from->known, off = from->mean - to->mean;
  vote(to, from);
  to->known += from->known;
  to->spread += from->spread + off * off * (n * m / (n + m));
  to->mean += off * (m / (n + m));
  if (from->low < to->low) to->low = from->low;
  if (from->high > to->high) to->high = from->high;
}

void scant_own_take(scant_own_sums *to, const scant_own_sums *from) {
  to->error += from->error;
  to->variance += from->variance;
  to->expected += from->expected;
  to->rows2 += from->rows2;
  to->error2 += from->error2;
  to->square2 += from->square2;
}

static void take_expectation(scant_reply *to, const scant_reply *from) {
  for (size_t i = 0; i < scant_pairs_triangle(to->variables); i++) to->m[i] += from->m[i];
  for (size_t i = 0; i < to->variables; i++) to->g[i] += from->g[i];
  to->likelihood += from->likelihood;
}

static int pairs_fit(const scant_reply *to, const scant_reply *from) {
  for (size_t i = 0; i < SCANT_REPLY_FOLDS; i++)
    if (to->folds[i].examples + from->folds[i].examples > UINT32_MAX) return 0;
  return 1;
}

scant_status scant_reply_take(scant_reply *to, scant_reply *from, scant_error *error) {
  if (to->kind != from->kind || to->dimension != from->dimension || to->variables != from->variables)
    return scant_fail(error, SCANT_DATA, "these replies are not of one request");
  if (!to->blocks) {
    scant_reply empty = *to;
    *to = *from;
    *from = empty;
  }
  if (from->blocks) {
    if (to->kind == SCANT_REQUEST_PAIRS && !pairs_fit(to, from)) return scant_pairs_fail_count(error);
    if (to->kind == SCANT_REQUEST_MARGINALS)
      for (size_t j = 0; j <= to->dimension; j++) scant_marginal_take(&to->marginals[j], &from->marginals[j]);
    if (to->kind == SCANT_REQUEST_EXPECT) take_expectation(to, from);
    if (to->kind == SCANT_REQUEST_OWN) scant_own_take(&to->own, &from->own);
    if (to->kind == SCANT_REQUEST_PAIRS)
      for (size_t i = 0; i < SCANT_REPLY_FOLDS; i++) scant_pairs_merge(&to->folds[i], &from->folds[i]);
    to->blocks += from->blocks;
    to->examples += from->examples;
  }
  scant_reply_free(from);
  return SCANT_OK;
}

scant_status scant_reply_merge(const unsigned char *a, size_t a_size, const unsigned char *b, size_t b_size,
                               unsigned char **merged, size_t *size, scant_error *error) {
  scant_reply to = {0}, from = {0};
  scant_status status = scant_reply_decode(&to, a, a_size, error);
  if (status == SCANT_OK) status = scant_reply_decode(&from, b, b_size, error);
  if (status == SCANT_OK) status = scant_reply_take(&to, &from, error);
  if (status == SCANT_OK) status = scant_reply_encode(&to, merged, size, error);
  scant_reply_free(&to);
  scant_reply_free(&from);
  return status;
}

/* ---- as bytes -------------------------------------------------------------------------- */

/* Bytes of sums over pairs, and what they are at least. */
static double pairs_size(const scant_pairs *p) {
  size_t d = p->d, triangle = scant_pairs_triangle(d);
  return 24 + (double)scant_sparse_size(p->count, sizeof *p->count, triangle) +
         (double)scant_sparse_size(p->product, sizeof *p->product, triangle) +
         (double)scant_sparse_size(p->sum, sizeof *p->sum, d * d) + 16 * (double)d;
}

static double pairs_least(double d) {
  return 24 + 2 * scant_sparse_least(d * (d + 1) / 2) + scant_sparse_least(d * d) + 16 * d;
}

static double encoded_size(const scant_reply *r) {
  double size = HEAD;
  if (!r->blocks) return size;
  if (r->kind == SCANT_REQUEST_MARGINALS) size += 72 * ((double)r->dimension + 1);
  if (r->kind == SCANT_REQUEST_EXPECT)
    size += 8 * (1 + (double)r->variables) +
            (double)scant_sparse_size(r->m, sizeof *r->m, scant_pairs_triangle(r->variables));
  if (r->kind == SCANT_REQUEST_OWN) size += 8 * OWN;
  if (r->kind == SCANT_REQUEST_PAIRS)
    for (size_t i = 0; i < SCANT_REPLY_FOLDS; i++) size += pairs_size(&r->folds[i]);
  return size;
}

/* The same for what is to be read, before there is room for it. */
static double least_size(const scant_reply *r) {
  double d = (double)r->dimension, n = (double)r->variables, size = HEAD;
  if (!r->blocks) return size;
  if (r->kind == SCANT_REQUEST_MARGINALS) size += 72 * (d + 1);
  if (r->kind == SCANT_REQUEST_EXPECT) size += 8 * (1 + n) + scant_sparse_least(n * (n + 1) / 2);
  if (r->kind == SCANT_REQUEST_OWN) size += 8 * OWN;
  if (r->kind == SCANT_REQUEST_PAIRS) size += SCANT_REPLY_FOLDS * pairs_least(d);
  return size;
}

static void put_pairs(unsigned char **to, const scant_pairs *p) {
  size_t d = p->d, triangle = scant_pairs_triangle(d);
  scant_put_64(to, p->examples);
  scant_put_real(to, p->y);
  scant_put_real(to, p->yy);
  scant_put_sparse(to, p->count, sizeof *p->count, triangle);
  scant_put_sparse(to, p->product, sizeof *p->product, triangle);
  scant_put_sparse(to, p->sum, sizeof *p->sum, d * d);
  scant_put_reals(to, p->y_sum, d);
  scant_put_reals(to, p->y_product, d);
}

static void put_body(unsigned char **to, const scant_reply *r) {
  const scant_own_sums *o = &r->own;
  switch (r->kind) {
    case SCANT_REQUEST_MARGINALS:
      for (size_t j = 0; j <= r->dimension; j++) {
        const scant_marginal *m = &r->marginals[j];
        scant_put_64(to, m->bought);
        scant_put_64(to, m->known);
        scant_put_64(to, m->blocks);
        scant_put_64(to, m->active);
        scant_put_reals(to, (const double[]){m->mean, m->spread, m->low, m->high, m->common}, 5);
      }
      break;
    case SCANT_REQUEST_EXPECT:
      scant_put_real(to, r->likelihood);
      scant_put_sparse(to, r->m, sizeof *r->m, scant_pairs_triangle(r->variables));
      scant_put_reals(to, r->g, r->variables);
      break;
    case SCANT_REQUEST_OWN:
      scant_put_reals(to, (const double[]){o->error, o->variance, o->expected, o->rows2, o->error2, o->square2}, OWN);
      break;
    default:
      for (size_t i = 0; i < SCANT_REPLY_FOLDS; i++) put_pairs(to, &r->folds[i]);
  }
}

scant_status scant_reply_encode(const scant_reply *reply, unsigned char **bytes, size_t *size, scant_error *error) {
  double wanted = encoded_size(reply);
  unsigned char *made = wanted < (double)(SIZE_MAX / 4) ? scant_array((size_t)wanted, 1) : NULL, *to = made;
  if (!made) return scant_fail_memory(error);
  memcpy(to, magic, MAGIC);
  to += MAGIC;
  scant_put_32(&to, VERSION);
  scant_put_32(&to, (uint32_t)reply->kind);
  scant_put_64(&to, reply->blocks);
  scant_put_64(&to, reply->examples);
  scant_put_64(&to, reply->dimension);
  scant_put_64(&to, reply->variables);
  if (reply->blocks) put_body(&to, reply);
  *bytes = made;
  *size = (size_t)wanted;
  return SCANT_OK;
}

static int get_marginals(scant_bytes_left *from, scant_reply *r) {
  for (size_t j = 0; j <= r->dimension; j++) {
    scant_marginal *m = &r->marginals[j];
    m->bought = scant_get_64(from);
    m->known = scant_get_64(from);
    m->blocks = scant_get_64(from);
    m->active = scant_get_64(from);
    m->mean = scant_get_real(from);
    m->spread = scant_get_real(from);
    m->low = scant_get_real(from);
    m->high = scant_get_real(from);
    m->common = scant_get_real(from);
    if (m->bought > r->examples || m->known > m->bought || m->blocks > r->blocks || m->active > m->known / 2 ||
        !isfinite(m->mean) || !(m->spread >= 0) || !(m->low <= m->high) || !isfinite(m->common))
      return 0;
  }
  return 1;
}

static int get_pairs(scant_bytes_left *from, scant_pairs *p) {
  size_t d = p->d, triangle = scant_pairs_triangle(d);
  p->examples = scant_get_64(from);
  if (p->examples > UINT32_MAX) return 0;
  p->y = scant_get_real(from);
  p->yy = scant_get_real(from);
  if (!scant_get_sparse(from, p->count, sizeof *p->count, triangle) ||
      !scant_get_sparse(from, p->product, sizeof *p->product, triangle) ||
      !scant_get_sparse(from, p->sum, sizeof *p->sum, d * d))
    return 0;
  for (size_t i = 0; i < triangle; i++)
    if (p->count[i] > p->examples) return 0;
  scant_get_reals(from, p->y_sum, d);
  scant_get_reals(from, p->y_product, d);
  return 1;
}

static int get_body(scant_bytes_left *from, scant_reply *r) {
  scant_own_sums *o = &r->own;
  int good = 1;
  switch (r->kind) {
    case SCANT_REQUEST_MARGINALS:
      return get_marginals(from, r);
    case SCANT_REQUEST_EXPECT:
      r->likelihood = scant_get_real(from);
      good = scant_get_sparse(from, r->m, sizeof *r->m, scant_pairs_triangle(r->variables));
      scant_get_reals(from, r->g, r->variables);
      return good;
    case SCANT_REQUEST_OWN:
      o->error = scant_get_real(from);
      o->variance = scant_get_real(from);
      o->expected = scant_get_real(from);
      o->rows2 = scant_get_real(from);
      o->error2 = scant_get_real(from);
      o->square2 = scant_get_real(from);
      return 1;
    default:
      for (size_t i = 0; good && i < SCANT_REPLY_FOLDS; i++) good = get_pairs(from, &r->folds[i]);
      return good;
  }
}

scant_status scant_reply_decode(scant_reply *reply, const unsigned char *bytes, size_t size, scant_error *error) {
  scant_reply r = {0};
  if (size < HEAD || memcmp(bytes, magic, MAGIC) != 0)
    return scant_fail(error, SCANT_DATA, "these %zu bytes are no reply", size);
  scant_bytes_left from = {bytes + MAGIC, size - MAGIC, 0};
  uint32_t version = scant_get_32(&from), kind = scant_get_32(&from);
  if (version != VERSION)
    return scant_fail(error, SCANT_DATA, "the reply has version %lu, and this library reads version %d",
                      (unsigned long)version, VERSION);
  r.kind = (scant_request_kind)kind;
  r.blocks = scant_get_64(&from);
  r.examples = scant_get_64(&from);
  r.dimension = (size_t)scant_get_64(&from);
  r.variables = (size_t)scant_get_64(&from);
  if (kind < SCANT_REQUEST_MARGINALS || kind >= SCANT_REQUEST_KINDS || r.examples < r.blocks ||
      (!r.blocks && r.examples) || least_size(&r) > (double)size)
    return scant_fail(error, SCANT_DATA, "the reply is damaged: its head says what can't be");
  int has_room = !r.blocks || scant_reply_fill(&r),
      good = has_room && (!r.blocks || get_body(&from, &r)) && !from.left && !from.short_of;
  if (good) {
    *reply = r;
    return SCANT_OK;
  }
  scant_reply_free(&r);
  return has_room ? scant_fail(error, SCANT_DATA, "the reply is damaged: its numbers are none of a reply")
                  : scant_fail_memory(error);
}
