#include "sums/sums_expecter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int scant_asking_new(scant_asking *asking, const scant_asker *asker, const scant_frame *frame,
                     scant_chosen_blocks chosen, uint64_t examples) {
  *asking = (scant_asking){.asker = asker, .frame = frame, .chosen = chosen, .examples = examples};
  asking->m = scant_array(frame->variables * frame->variables, sizeof *asking->m);
  return asking->m != NULL;
}

void scant_asking_free(scant_asking *asking) {
  scant_reply_free(&asking->reply);
  free(asking->m);
  asking->m = NULL;
}

/* Sums that change, or parts that did not answer, would make an EM of nothing in particular. */
static scant_status ask(scant_asking *a, const scant_request *request, scant_error *error) {
  scant_reply_free(&a->reply);
  a->reply = (scant_reply){0};
  SCANT_TRY(scant_asker_ask(a->asker, request, &a->reply, error));
  if (a->reply.examples == a->examples) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the replies are of %llu examples, and were of %llu before",
                    (unsigned long long)a->reply.examples, (unsigned long long)a->examples);
}

static scant_status expect(void *user, const scant_normal *at, scant_em_sums *sums, scant_error *error) {
  scant_asking *a = user;
  size_t n = at->n;
  scant_request request = {.kind = SCANT_REQUEST_EXPECT, .chosen = a->chosen};
  scant_request_at(&request, a->frame, at);
  SCANT_TRY(ask(a, &request, error));
  const double *row = a->reply.m;
  for (size_t i = 0; i < n; i++) {
    memcpy(a->m + i * n, row, (i + 1) * sizeof *row);
    row += i + 1;
  }
  *sums = (scant_em_sums){a->m, a->reply.g, a->reply.likelihood / (double)a->examples};
  return SCANT_OK;
}

static scant_status own(void *user, const scant_normal *at, const double *factor, double penalty, scant_own *measured,
                        scant_error *error) {
  scant_asking *a = user;
  scant_request request = {.kind = SCANT_REQUEST_OWN, .chosen = a->chosen, .factor = factor, .penalty = penalty};
  scant_request_at(&request, a->frame, at);
  SCANT_TRY(ask(a, &request, error));
  const scant_own_sums *s = &a->reply.own;
  double examples = (double)a->examples;
  *measured = (scant_own){.error = s->error / examples,
                          .variance = s->variance / examples,
                          .expected = s->expected / examples,
                          .blocks = (double)a->reply.blocks,
                          .examples = examples,
                          .squares = s->rows2,
                          .weighted = s->error2,
                          .weighted_squares = s->square2};
  if (!isfinite(measured->error + measured->weighted_squares))
    return scant_fail(error, SCANT_DATA, "the targets can't be predicted from the looks");
  return SCANT_OK;
}

scant_expecter scant_asking_expecter(scant_asking *asking) {
  return (scant_expecter){asking->frame->variables, (double)asking->examples, asking, expect, own, NULL, NULL};
}
