/* Which attributes are read unpenalised (option errors-of). */
#ifndef SCANT_LEARN_UNPENALISED_H
#define SCANT_LEARN_UNPENALISED_H

#include "base/shared.h"
#include "scant.h"

/* The name of an attribute; NULL: it has none. */
typedef const char *scant_attribute_name(const void *user, size_t attribute);

/* Marks the attributes of a list: "all", or names separated by commas, which they may hold themselves; numbers from
 * 1 where attributes have no names (`name` NULL: none has).  SCANT_USAGE names what is no attribute, or comes twice. */
SCANT_SHARED scant_status scant_unpenalised_parse(const char *list, size_t dimension, scant_attribute_name *name,
                                                  const void *user, unsigned char *marks, scant_error *error);

/* Makes the learner read them so; NULL: none.  The marks are copied. */
SCANT_SHARED scant_status scant_unpenalised_set(scant_learner *learner, const unsigned char *marks, scant_error *error);

#endif
