#include "scant_base.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clinger: a mantissa below 2^53 times or over a power of ten up to 10^22 is one correctly rounded operation. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

static int bit_length(uint64_t x) {
  int length = 0;
  for (int step = 32; step; step /= 2)
    if (x >> step) x >>= step, length += step;
  return length + (x > 0);
}

/* mantissa / 10^places, where that is not exact: numbers with 16 to 19 digits, as programs print doubles.  The quotient
 * is made with 62 or 63 bits, the last of which is set if anything was left over, so that making a double of it rounds
 * once and rightly. */
static double divide(uint64_t mantissa, int places) {
  uint64_t power = 1;
  for (int i = 0; i < places; i++) power *= 10;
  int shift = 62 - bit_length(mantissa) + bit_length(power); /* the dividend stays below 2^126 */
  wide dividend = (wide)mantissa << shift;
  uint64_t quotient = (uint64_t)(dividend / power);
  quotient |= quotient * (wide)power != dividend;
  return ldexp((double)quotient, -shift);
}

enum { MOST_PLACES = 19 }; /* 10^19 < 2^64 */

#else

static double divide(uint64_t mantissa, int places) {
  (void)mantissa, (void)places;
  return 0;
}

enum { MOST_PLACES = 0 };

#endif

/* 767 digits tell any double from its neighbours. */
#define LONGEST_NUMBER 4000

/* Other numbers go to strtod, which needs a NUL and the decimal point of the locale. */
static int parse_slowly(const char *text, size_t length, double *value) {
  char copy[LONGEST_NUMBER + 1];
  if (length > LONGEST_NUMBER) return 0;
  memcpy(copy, text, length);
  copy[length] = 0;
  char *end;
  *value = strtod(copy, &end);
  char *point = strchr(copy, '.');
  int whole = end == copy + length;
  if (!whole && point) { /* this locale has another decimal point: find it */
    char sample[16];
    snprintf(sample, sizeof sample, "%.1f", 0.5);
    size_t width = strlen(sample) - 2; /* between "0" and "5" */
    char local[LONGEST_NUMBER + sizeof sample];
    snprintf(local, sizeof local, "%.*s%.*s%s", (int)(point - copy), copy, (int)width, sample + 1, point + 1);
    *value = strtod(local, &end);
    whole = *end == 0 && end != local;
  }
  return whole;
}

static int is_word(const char *text, size_t length, const char *word) {
  if (strlen(word) != length) return 0;
  for (size_t i = 0; i < length; i++)
    if ((text[i] | 0x20) != word[i]) return 0;
  return 1;
}

int scant_parse_real(const char *text, size_t length, double *value) {
  scant_text_trim(&text, &length);
  const char *c = text, *end = text + length;
  int negative = 0;
  if (c < end && (*c == '-' || *c == '+')) negative = *c++ == '-';
  size_t rest = (size_t)(end - c);
  if (is_word(c, rest, "nan")) return *value = NAN, 1;
  if (is_word(c, rest, "inf") || is_word(c, rest, "infinity")) return *value = negative ? -INFINITY : INFINITY, 1;
  uint64_t mantissa = 0;
  int digits = 0, significant = 0, exponent = 0, seen_point = 0;
  for (; c < end; c++) {
    if (*c == '.' && !seen_point) {
      seen_point = 1;
    } else if (*c >= '0' && *c <= '9') {
      digits++;
      if (significant < 19) {
        mantissa = mantissa * 10 + (uint64_t)(*c - '0');
        significant += mantissa != 0;
        exponent -= seen_point;
      } else {
        significant++; /* too long for the fast way */
      }
    } else {
      break;
    }
  }
  if (!digits) return 0;
  if (c < end && (*c == 'e' || *c == 'E')) {
    c++;
    int sign = 1, power = 0;
    if (c < end && (*c == '-' || *c == '+')) sign = *c++ == '-' ? -1 : 1;
    if (c == end) return 0;
    for (; c < end && *c >= '0' && *c <= '9'; c++)
      if (power < 100000) power = power * 10 + (*c - '0');
    exponent += sign * power;
  }
  if (c != end) return 0;
  if (significant <= 19 && mantissa < (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
    double m = (double)mantissa;
    m = exponent < 0 ? m / exact_powers[-exponent] : m * exact_powers[exponent];
    *value = negative ? -m : m;
    return 1;
  }
  if (significant <= 19 && mantissa && exponent < 0 && exponent >= -MOST_PLACES) {
    double m = divide(mantissa, -exponent);
    *value = negative ? -m : m;
    return 1;
  }
  return parse_slowly(text, length, value);
}

int scant_parse_count(const char *text, size_t length, uint64_t *value) {
  uint64_t n = 0;
  if (!length) return 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return 0;
    unsigned digit = (unsigned)(text[i] - '0');
    if (n > (UINT64_MAX - digit) / 10) return 0;
    n = n * 10 + digit;
  }
  *value = n;
  return 1;
}

int scant_text_is_utf8(const char *text, size_t length) {
  const unsigned char *c = (const unsigned char *)text, *end = c + length;
  while (c < end) {
    unsigned lead = *c++, more = lead < 0x80   ? 0
                                 : lead < 0xc2 ? 9
                                 : lead < 0xe0 ? 1
                                 : lead < 0xf0 ? 2
                                 : lead < 0xf5 ? 3
                                               : 9;
    if (more > 3 || more > (size_t)(end - c)) return 0;
    /* overlong forms, surrogates, and what is past U+10FFFF */
    if ((lead == 0xe0 && *c < 0xa0) || (lead == 0xed && *c > 0x9f) || (lead == 0xf0 && *c < 0x90) ||
        (lead == 0xf4 && *c > 0x8f))
      return 0;
    for (; more; more--)
      if ((*c++ & 0xc0) != 0x80) return 0;
  }
  return 1;
}

static int format_digits(char *text, size_t size, double value, int digits) {
  char local[SCANT_NUMBER_LENGTH * 2];
  snprintf(local, sizeof local, "%.*g", digits, value);
  /* Whatever this locale puts between the digits is the decimal point. */
  char clean[SCANT_NUMBER_LENGTH * 2];
  size_t n = 0;
  for (const char *c = local; *c; c++) {
    int plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '-' || *c == '+';
    if (plain)
      clean[n++] = *c;
    else if (n && clean[n - 1] != '.')
      clean[n++] = '.';
  }
  clean[n] = 0;
  return snprintf(text, size, "%s", clean);
}

int scant_format_real(char *text, size_t size, double value) {
  return format_digits(text, size, value, 17);
}

int scant_format_shortest(char *text, size_t size, double value) {
  char best[SCANT_NUMBER_LENGTH * 2];
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    int length = format_digits(best, sizeof best, value, digits);
    if (scant_parse_real(best, (size_t)length, &back) && back == value) break;
  }
  return snprintf(text, size, "%s", best);
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t scant_text_distance(const char *a, size_t n, const char *b, size_t m) {
  size_t row[SCANT_TEXT_COMPARED + 1];
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t changed = corner + (lower(a[i - 1]) != lower(b[j - 1]));
      corner = row[j];
      size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      row[j] = changed < least ? changed : least;
    }
  }
  return row[m];
}
