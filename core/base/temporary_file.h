/* The temporary file beside one that is being replaced.
 *
 * Its name is that of the file, ".scant-", the writer's process, "-", a number and
 * ".tmp".  Its writer holds a lock on it until it has its last name, and the system
 * lets go of that lock when the writer ends, however it ends.  So a file with such a
 * name and a free lock was left behind by a writer that is gone.
 */
#ifndef SCANT_BASE_TEMPORARY_FILE_H
#define SCANT_BASE_TEMPORARY_FILE_H

#include <stddef.h>

/* A new one, locked, open for writing; `name` gets its name.  -1: errno says why. */
int scant_temporary_file_create(const char *path, char *name, size_t size);

/* Removes the temporary files of writers that are gone. One that can't be removed, or whose writer may still
 * run, stays. */
void scant_temporary_file_clean(const char *path);

#endif
