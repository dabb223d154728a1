/* The temporary names of files of looks (scant_replay.h). */
#ifndef SCANT_FIT_LOOKS_FILE_H
#define SCANT_FIT_LOOKS_FILE_H

#include "scant_replay.h"

/* The temporary name of either file; NULL: none. */
const char *scant_looks_file_beside(const scant_looks_file *file, int pairs);

#endif
