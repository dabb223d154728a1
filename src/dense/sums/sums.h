/* The inside of sums: records by block number. */
#ifndef SCANT_DENSE_SUMS_SUMS_H
#define SCANT_DENSE_SUMS_SUMS_H

#include "dense/sums/record.h"

struct scant_sums {
  size_t dimension;
  size_t count, room;
  scant_record **records; /* ascending by block */
};

/* Are values of these blocks clipped?  Of no blocks: no. */
static inline int scant_sums_limited(const scant_sums *sums) {
  return sums->count && !sums->records[0]->limits;
}

#endif
