/* How replies are made: for those who answer. */
#ifndef SCANT_DENSE_SUMS_REPLY_NEW_H
#define SCANT_DENSE_SUMS_REPLY_NEW_H

#include "sums/reply.h"
#include "sums/sums.h"

/* Arrays of zeros for a reply that has its kind and sizes.  0: out of memory, and it is to be freed. */
int scant_reply_fill(scant_reply *reply);

/* Adds what was said of other values, and of other blocks. */
void scant_marginal_take(scant_marginal *to, const scant_marginal *from);
void scant_own_take(scant_own_sums *to, const scant_own_sums *from);

/* What the records from `first` up to `after` say, added in their order: a reply of nothing if none of them is chosen.
 * To be called with BLAS reserved and calmed.  The caller frees the reply, after a failure, too. */
scant_status scant_records_answer(const scant_sums *sums, size_t first, size_t after, const scant_request *request,
                                  scant_reply *reply, scant_error *error);

#endif
