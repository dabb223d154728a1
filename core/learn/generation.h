/* Which generation of learners this is. */
#ifndef SCANT_LEARN_GENERATION_H
#define SCANT_LEARN_GENERATION_H

/* Raised whenever a learner of any algorithm draws other looks, or learns otherwise from the same, than it did before:
 * studies of another generation are not drawn again to the bit, but take the looks of their ledger. */
#define SCANT_LEARNER_GENERATION 3

#endif
