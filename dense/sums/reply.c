/* Replies add up; as bytes they are "scantsay", version, kind (32 bits each), blocks, examples, attributes, variables
 * (64 each), and what the kind has. */
#include "sums/reply.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "bytes.h"

enum { HEAD = SCANT_CODED_HEAD + 4 + 4 * 8, OWN = sizeof(scant_own_sums) / sizeof(double) };

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
int scant_reply_fill(scant_reply *r) {
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

static void code_head(scant_coder *c, scant_reply *r) {
  uint32_t kind = r->kind;
  scant_code_32s(c, &kind, 1);
  if (c->mode == SCANT_CODER_READS) r->kind = (scant_request_kind)kind;
  scant_code_64s(c, &r->blocks, 1);
  scant_code_64s(c, &r->examples, 1);
  scant_code_size(c, &r->dimension);
  scant_code_size(c, &r->variables);
}

static void code_marginal(scant_coder *c, scant_marginal *m) {
  uint64_t *const counts[] = {&m->bought, &m->known, &m->blocks, &m->active};
  double *const reals[] = {&m->mean, &m->spread, &m->low, &m->high, &m->common};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) scant_code_64s(c, counts[i], 1);
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) scant_code_reals(c, reals[i], 1);
}

static void code_pairs(scant_coder *c, scant_pairs *p) {
  size_t d = p->d, triangle = scant_pairs_triangle(d);
  scant_code_64s(c, &p->examples, 1);
  scant_code_reals(c, &p->y, 1);
  scant_code_reals(c, &p->yy, 1);
  scant_code_sparse(c, p->count, sizeof *p->count, triangle);
  scant_code_sparse(c, p->product, sizeof *p->product, triangle);
  scant_code_sparse(c, p->sum, sizeof *p->sum, d * d);
  scant_code_reals(c, p->y_sum, d);
  scant_code_reals(c, p->y_product, d);
}

static void code_body(scant_coder *c, scant_reply *r) {
  scant_own_sums *o = &r->own;
  double *const own[OWN] = {&o->error, &o->variance, &o->expected, &o->rows2, &o->error2, &o->square2};
  switch (r->kind) {
    case SCANT_REQUEST_MARGINALS:
      for (size_t j = 0; j <= r->dimension; j++) code_marginal(c, &r->marginals[j]);
      break;
    case SCANT_REQUEST_EXPECT:
      scant_code_reals(c, &r->likelihood, 1);
      scant_code_sparse(c, r->m, sizeof *r->m, scant_pairs_triangle(r->variables));
      scant_code_reals(c, r->g, r->variables);
      break;
    case SCANT_REQUEST_OWN:
      for (size_t i = 0; i < OWN; i++) scant_code_reals(c, own[i], 1);
      break;
    default:
      for (size_t i = 0; i < SCANT_REPLY_FOLDS; i++) code_pairs(c, &r->folds[i]);
  }
}

static void code(scant_coder *c, void *object) {
  scant_reply *r = object;
  code_head(c, r);
  if (r->blocks) code_body(c, r);
}

static const scant_coded_kind coded = {"scantsay", 1, "no reply", "the reply has", code};

scant_status scant_reply_encode(const scant_reply *reply, unsigned char **bytes, size_t *size, scant_error *error) {
  return scant_encode(&coded, reply, 0, bytes, size, error);
}

/* The least bytes of what is to be read, before there is room for it. */
static double least_size(const scant_reply *r) {
  double d = (double)r->dimension, n = (double)r->variables, triangle = d * (d + 1) / 2;
  if (!r->blocks) return HEAD;
  if (r->kind == SCANT_REQUEST_MARGINALS) return HEAD + 72 * (d + 1);
  if (r->kind == SCANT_REQUEST_EXPECT) return HEAD + 8 * (1 + n) + scant_sparse_least(n * (n + 1) / 2);
  if (r->kind == SCANT_REQUEST_OWN) return HEAD + 8 * OWN;
  return HEAD + SCANT_REPLY_FOLDS * (24 + 2 * scant_sparse_least(triangle) + scant_sparse_least(d * d) + 16 * d);
}

/* Are the numbers those of a reply? */
static int is_good(const scant_reply *r) {
  for (size_t j = 0; r->marginals && j <= r->dimension; j++) {
    const scant_marginal *m = &r->marginals[j];
    if (m->bought > r->examples || m->known > m->bought || m->blocks > r->blocks || m->active > m->known / 2 ||
        !isfinite(m->mean) || !(m->spread >= 0) || !(m->low <= m->high) || !isfinite(m->common))
      return 0;
  }
  for (size_t f = 0; r->folds && f < SCANT_REPLY_FOLDS; f++) {
    const scant_pairs *p = &r->folds[f];
    if (p->examples > UINT32_MAX) return 0;
    for (size_t i = 0; i < scant_pairs_triangle(p->d); i++)
      if (p->count[i] > p->examples) return 0;
  }
  return 1;
}

scant_status scant_reply_decode(scant_reply *reply, const unsigned char *bytes, size_t size, scant_error *error) {
  scant_reply r = {0};
  scant_coder c;
  SCANT_TRY(scant_decode(&coded, bytes, size, HEAD, &c, error));
  code_head(&c, &r);
  if (c.bad || r.kind < SCANT_REQUEST_MARGINALS || r.kind >= SCANT_REQUEST_KINDS || r.examples < r.blocks ||
      (!r.blocks && r.examples) || least_size(&r) > (double)size)
    return scant_fail(error, SCANT_DATA, "the reply is damaged: its head says what can't be");
  int has_room = !r.blocks || scant_reply_fill(&r);
  if (has_room && r.blocks) code_body(&c, &r);
  if (has_room && !c.bad && !c.left && is_good(&r)) {
    *reply = r;
    return SCANT_OK;
  }
  scant_reply_free(&r);
  return has_room ? scant_fail(error, SCANT_DATA, "the reply is damaged: its numbers are none of a reply")
                  : scant_fail_memory(error);
}
