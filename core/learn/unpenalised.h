/* Which attributes are read unpenalised (option errors-of). */
#ifndef SCANT_LEARN_UNPENALISED_H
#define SCANT_LEARN_UNPENALISED_H

#include "scant_base.h"
#include "scant.h"
#include "scant_replay.h"

/* Marks the attributes of a list: "all", or names separated by commas, which they may hold themselves; numbers from
 * 1 where attributes have no names (`name` NULL: none has).  SCANT_USAGE names what is no attribute, or comes twice. */
scant_status scant_unpenalised_parse(const char *list, size_t dimension, scant_attribute_name *name, const void *user,
                                     unsigned char *marks, scant_error *error);

/* Makes the learner read them so; NULL: none.  The marks are copied. */
scant_status scant_unpenalised_set(scant_learner *learner, const unsigned char *marks, scant_error *error);

#endif
