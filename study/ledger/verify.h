/* The ledger done again. */
#ifndef SCANT_STUDY_VERIFY_H
#define SCANT_STUDY_VERIFY_H

#include "scant_study.h"

/* Makes everything that follows from the ledger anew in the transaction at hand.  The learner in memory is stale then.
 */
scant_status study_remake(scant_study *study, scant_error *error);
/* Sees an event of kind ask that was just done again in a twin: its look is in twin->drawn, drawn by twin->learner, if
 * twin->exact; else it was taken as given. */
typedef scant_status study_see(void *user, const scant_study *twin, uint64_t order, scant_error *error);
/* Does the ledger again, as scant_study_verify does, and shows every ask. */
scant_status study_see_asks(scant_study *study, study_see *see, void *user, scant_error *error);

#endif
