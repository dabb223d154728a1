/* The meter's insides, for those who save and restore it. */
#ifndef SCANT_DATA_METER_H
#define SCANT_DATA_METER_H

#include "scant.h"

struct scant_meter {
  scant_source *source;
  uint64_t k, budget; /* 0: no limit */
  scant_ledger ledger;
  uint32_t *bought;    /* attributes bought of each row over all passes, plus 1; 0: not met yet */
  uint64_t *purchases; /* of each attribute */
};

#endif
