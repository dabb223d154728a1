/* Replacing a file whole or not at all, with what is written bit by bit.
 *
 * It is written beside the file and renamed at the end (core/beside.h says under what name), as scant_file_replace
 * does with bytes that are all at hand.  Signals do not wait meanwhile: whoever handles them removes what
 * scant_replacing_name names. */
#ifndef SCANT_CORE_FILE_H
#define SCANT_CORE_FILE_H

#include "base/shared.h"
#include "scant.h"

typedef struct scant_replacing scant_replacing;

/* A path that is no regular file (a pipe, /dev/stdout) is written to directly. */
SCANT_SHARED scant_status scant_replacing_begin(scant_replacing **replacing, const char *path, scant_error *error);
SCANT_SHARED scant_status scant_replacing_add(scant_replacing *replacing, const char *bytes, size_t length,
                                              scant_error *error);
/* Goes back to the first byte, to write over what is there.  It fails on what is written to directly. */
scant_status scant_replacing_rewind(scant_replacing *replacing, scant_error *error);
/* Syncs and renames, and frees it, also on failure: then the file is as it was. */
SCANT_SHARED scant_status scant_replacing_end(scant_replacing *replacing, scant_error *error);
/* Leaves the file as it was.  NULL is allowed. */
SCANT_SHARED void scant_replacing_abandon(scant_replacing *replacing);

/* Do both replace or make the same file, whatever it was called? */
SCANT_SHARED int scant_replacing_is_same(const scant_replacing *a, const scant_replacing *b);

/* The name of the file beside it; NULL: it is written to directly. */
const char *scant_replacing_name(const scant_replacing *replacing);

#endif
