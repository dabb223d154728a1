/* The meter's insides, for code that saves and restores it. */
#ifndef SCANT_DATA_METER_H
#define SCANT_DATA_METER_H

#include "scant.h"

struct scant_meter {
  scant_source *source;
  uint64_t k, budget;          /* 0: no limit */
  const scant_prices *prices;  /* NULL: none */
  uint64_t spend, budget_cost; /* in hundredths; 0: no limit */
  uint64_t *paid;              /* for each row over all passes; NULL without a limit */
  uint64_t *seen, round;       /* of each item: the round in which it was last met */
  scant_ledger ledger;
  uint32_t *bought;    /* attributes bought of each row over all passes, plus 1; 0: not met yet */
  uint64_t *purchases; /* of each attribute */
  uint64_t *unknown;   /* those of them that had no value */
  scant_missing missing;
  int observed; /* missing cells are not bought */
};

/* Goes on with the rows of another source of as many attributes, none of which was met before.  SCANT_MEMORY: nothing
 * has changed. */
scant_status scant_meter_turn(scant_meter *meter, scant_source *source, scant_error *error);

#endif
