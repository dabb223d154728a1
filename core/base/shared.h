/* Functions inside libscant that libscant-dense and libscant-study use. They are exported but in no public
 * header, and may change with every version. */
#ifndef SCANT_CORE_SHARED_H
#define SCANT_CORE_SHARED_H

#include "scant.h"

#define SCANT_SHARED SCANT_API

#endif
