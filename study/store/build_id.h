/* Which build writes a study: the ledger says so, since the last bits of a learner may depend on it. */
#ifndef SCANT_STUDY_BUILD_H
#define SCANT_STUDY_BUILD_H

const char *study_build(void);
/* Is this the build of an event, which may say more after a ';'? */
int study_is_build(const char *reason);

#endif
