/* The inside of sums: records by block number. */
#ifndef SCANT_DENSE_SUMS_SUMS_H
#define SCANT_DENSE_SUMS_SUMS_H

#include "sums/record.h"

struct scant_sums {
  size_t dimension;
  size_t count, room;
  scant_record **records; /* ascending by block */
  uint64_t limits; /* a hash of the limits by which values were clipped; 0: they were not, or there are no blocks */
};

/* May blocks whose values were clipped by limits with this hash (0: not clipped) be put beside those of the sums?
 * SCANT_DATA: no, since one value would count as several. */
scant_status scant_sums_check_limits(const scant_sums *sums, uint64_t limits, scant_error *error);

/* Are values of these blocks clipped?  Of no blocks: no. */
static inline int scant_sums_limited(const scant_sums *sums) {
  return sums->count && !sums->records[0]->limits;
}

/* block_look.c: draws k of the leaves of `room` (k not above their number) into attributes, in the order of the draws,
 * and returns how many they are: fewer if fewer have a chance.  follow NULL: there is no law yet, and all explore.
 * explore NULL: evenly. */
size_t scant_block_draw(scant_rng *rng, scant_sumtree *room, uint32_t k, const double *follow, const double *explore,
                        uint32_t *attributes);

#endif
