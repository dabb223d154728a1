/* Who answers an expectation step by asking: the sums of blocks that an asker has (reply.h). */
#ifndef SCANT_DENSE_SUMS_SUMS_EXPECTER_H
#define SCANT_DENSE_SUMS_SUMS_EXPECTER_H

#include "gaussian/expecter.h"
#include "sums/reply.h"

typedef struct scant_asking {
  const scant_asker *asker;
  const scant_frame *frame;
  scant_chosen_blocks chosen;
  uint64_t examples; /* of the chosen blocks: every reply must be of as many */
  scant_reply reply; /* the last one */
  double *m;         /* its M, n x n, the lower triangle */
} scant_asking;

/* 0: out of memory, and scant_asking_free is still due. */
int scant_asking_new(scant_asking *asking, const scant_asker *asker, const scant_frame *frame,
                     scant_chosen_blocks chosen, uint64_t examples);
void scant_asking_free(scant_asking *asking);

/* It must outlive the result. */
scant_expecter scant_asking_expecter(scant_asking *asking);

#endif
