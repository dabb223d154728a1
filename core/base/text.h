/* Numbers to text and back, the same in every locale. */
#ifndef SCANT_CORE_TEXT_H
#define SCANT_CORE_TEXT_H

#include "base/shared.h"
#include <stddef.h>
#include <stdint.h>

/* Enough for any double with 17 digits. */
#define SCANT_NUMBER_LENGTH 32

/* Reads the whole of text[0 .. length) as a decimal number of up to 4,000
 * characters, correctly rounded; blanks around it are allowed.  "nan", "inf" and "infinity" in any case and
 * with a sign are read as such (callers refuse them with their own sentence).
 * Returns 0 if it is anything else (empty, hexadecimal, trailing text). */
SCANT_SHARED int scant_parse_real(const char *text, size_t length, double *value);

/* Reads the whole of text as an unsigned whole number; 0 on anything else. */
int scant_parse_count(const char *text, size_t length, uint64_t *value);

/* Is text[0 .. length) well-formed UTF-8? */
SCANT_SHARED int scant_text_is_utf8(const char *text, size_t length);

/* Writes a double so that it reads back to the same bits (17 digits). */
SCANT_SHARED int scant_format_real(char *text, size_t size, double value);

/* The same with as few digits as read back to the same bits: 0.2, not
 * 0.20000000000000001. */
SCANT_SHARED int scant_format_shortest(char *text, size_t size, double value);

/* FNV-1a, 64 bits: every step is a bijection of the state, so a change of any
 * single byte is always noticed. */
#define SCANT_HASH_START 0xcbf29ce484222325u
SCANT_SHARED uint64_t scant_hash(uint64_t state, const void *bytes, size_t length);

/* How many letters must be put in, taken out or changed to make one text of the other, whatever their case
 * (Levenshtein's distance); of texts of up to SCANT_TEXT_COMPARED bytes. */
enum { SCANT_TEXT_COMPARED = 64 };
size_t scant_text_distance(const char *a, size_t n, const char *b, size_t m);

/* May the one have been meant by the other, if that is their distance: does half of the longer one stay? */
static inline int scant_text_is_near(size_t distance, size_t n, size_t m) {
  return 2 * distance <= (n > m ? n : m);
}

#endif
