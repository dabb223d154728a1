/* What is erased, and what that leaves in the file. */
#ifndef SCANT_STUDY_ERASE_H
#define SCANT_STUDY_ERASE_H

#include "scant_study.h"

/* Does an event again of which only a mark is left, or one that erased others. */
scant_status study_redo_erased(scant_study *twin, const scant_study_event *e, scant_error *error);
scant_status study_redo_erase(scant_study *twin, const scant_study_event *e, scant_error *error);
/* Is every event that is erased in the list of an erasure, and the other way round? */
scant_status study_check_erased(scant_study *study, scant_error *error);

/* ---- sweep.c ------------------------------------------------------------- */

/* May bytes of what was erased still be in the file? */
scant_status study_is_unswept(scant_study *study, int *unswept, scant_error *error);
/* Writes the file anew without them, if so.  Waits so long for those who read. */
scant_status study_sweep_if_due(scant_study *study, double seconds, scant_error *error);
/* How long that is where the call is about nothing else. */
double study_patience(const scant_study *study);

/* ---- requests.c ---------------------------------------------------------- */

/* Removes the answers to requests that were about an example, in the transaction at hand. */
scant_status study_forget_example(scant_study *study, const char *example, scant_error *error);

#endif
