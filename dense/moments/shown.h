/* Which attributes have shown themselves: at least four of their values were not the most common one.
 *
 * An attribute that was off its common value once or twice has not shown how far off it can be: a pixel that
 * was 1/255 twice would get a weight that ruins the predictions where it is 1.  The first four distinct
 * values of an attribute are counted; a fifth settles it.  So those of several machines add up exactly.
 */
#ifndef SCANT_DENSE_SHOWN_H
#define SCANT_DENSE_SHOWN_H

#include <stddef.h>
#include <stdint.h>

enum { SCANT_SHOWN_VALUES = 4 };

/* A first count that says that the attribute is known. */
#define SCANT_SHOWN_KNOWN UINT32_MAX

typedef struct scant_shown {
  double *value;   /* SCANT_SHOWN_VALUES per attribute, in the order they came */
  uint32_t *count; /* of each; 0 past the last */
} scant_shown;

int scant_shown_new(scant_shown *shown, size_t dimension); /* 0: out of memory */
void scant_shown_free(scant_shown *shown);

/* A value that came `times` times, one at least. */
void scant_shown_add(scant_shown *shown, size_t attribute, double value, uint32_t times);
void scant_shown_merge(scant_shown *shown, const scant_shown *other, size_t attribute);

static inline int scant_shown_is_known(const scant_shown *shown, size_t attribute) {
  return shown->count[SCANT_SHOWN_VALUES * attribute] == SCANT_SHOWN_KNOWN;
}

/* Can it have come from `values` values of the attribute? */
int scant_shown_is_possible(const scant_shown *shown, size_t attribute, uint64_t values);

#endif
