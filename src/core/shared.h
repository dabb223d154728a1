/* What the libraries beside libscant, libscant-dense and libscant-study, use of its
 * insides: exported, but in no public header, and free to change with every version. */
#ifndef SCANT_CORE_SHARED_H
#define SCANT_CORE_SHARED_H

#include "scant.h"

#define SCANT_SHARED SCANT_API

#endif
