/* Counts allocations, and makes chosen ones fail.  Link with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign: then every
 * call from the library and from the test comes through here, and none from other
 * libraries. */
#ifndef SCANT_TESTS_ALLOCATIONS_H
#define SCANT_TESTS_ALLOCATIONS_H

/* Starts counting from 0, with no failures. */
void allocations_reset(void);

/* Starts counting from 0; the n-th allocation from now fails, and with
 * `forever` every one after it too. */
void allocations_fail(unsigned long n, int forever);

/* Calls since the last of the above, and how many of them were made to fail. */
unsigned long allocations_count(void);
unsigned long allocations_failed(void);

#endif
