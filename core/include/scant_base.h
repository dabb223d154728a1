/* The base of the libraries beside libscant, and of front ends in C: sentences of errors, checked memory, numbers as
 * text, files that are replaced whole, hashes, amounts of money and threads.  libscant itself is built on it.  To
 * learn, scant.h is enough.  Until version 1.0 it may change with every version. */
#ifndef SCANT_BASE_H
#define SCANT_BASE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status and sentences ------------------------------------------------------ */

/* Writes the sentence, if error is not NULL. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
SCANT_API void
scant_error_write(scant_error *error, const char *format, ...);

/* Writes the sentence and has the value `status`, so that a failure is one line:
 *   return scant_fail(error, SCANT_DATA, "...", ...);
 * A macro, so that compilers and analysers see which status comes back. */
#define scant_fail(error, status, ...) (scant_error_write((error), __VA_ARGS__), (scant_status)(status))

/* Hands a failure on to the caller. */
#define SCANT_TRY(call)                                        \
  do {                                                         \
    scant_status scant_try_status = (call);                    \
    if (scant_try_status != SCANT_OK) return scant_try_status; \
  } while (0)

/* Fails because an allocation did. */
#define scant_fail_memory(error) scant_fail((error), SCANT_MEMORY, "out of memory")

/* ---- memory -------------------------------------------------------------------- */

/* `count` zeroed elements; NULL if memory is short.  A count of 0 still gives a pointer that can be freed. */
SCANT_API void *scant_array(size_t count, size_t size);

/* Grows an array from *capacity elements to at least `needed`, by doubling.  0, and nothing changed: out of memory. */
SCANT_API int scant_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size);

/* A copy of the first `length` bytes, ended with a NUL. */
SCANT_API char *scant_copy_text(const char *text, size_t length);

/* ---- text and numbers ---------------------------------------------------------- */

/* The same in every locale. */

/* Enough for any double with 17 digits. */
#define SCANT_NUMBER_LENGTH 32

/* Reads the whole of text[0 .. length) as a decimal number of up to 4,000 characters, correctly rounded; blanks around
 * it are allowed.  "nan", "inf" and "infinity" in any case and with a sign are read as such (callers refuse them with
 * their own sentence).  Returns 0 if it is anything else (empty, hexadecimal, trailing text). */
SCANT_API int scant_parse_real(const char *text, size_t length, double *value);

/* Reads the whole of text as an unsigned whole number; 0 on anything else. */
SCANT_API int scant_parse_count(const char *text, size_t length, uint64_t *value);

/* Is text[0 .. length) well-formed UTF-8? */
SCANT_API int scant_text_is_utf8(const char *text, size_t length);

/* Takes blanks off both ends. */
static inline void scant_text_trim(const char **text, size_t *length) {
  while (*length && (**text == ' ' || **text == '\t')) ++*text, --*length;
  while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) --*length;
}

/* Writes a double so that it reads back to the same bits (17 digits). */
SCANT_API int scant_format_real(char *text, size_t size, double value);

/* The same with as few digits as read back to the same bits: 0.2, not 0.20000000000000001. */
SCANT_API int scant_format_shortest(char *text, size_t size, double value);

/* FNV-1a, 64 bits: every step is a bijection of the state, so a change of any single byte is always noticed. */
#define SCANT_HASH_START 0xcbf29ce484222325u
SCANT_API uint64_t scant_hash(uint64_t state, const void *bytes, size_t length);

/* How many letters must be put in, taken out or changed to make one text of the other, whatever their case
 * (Levenshtein's distance); of texts of up to SCANT_TEXT_COMPARED bytes. */
enum { SCANT_TEXT_COMPARED = 64 };
SCANT_API size_t scant_text_distance(const char *a, size_t n, const char *b, size_t m);

/* May the one have been meant by the other, if that is their distance: does half of the longer one stay? */
static inline int scant_text_is_near(size_t distance, size_t n, size_t m) {
  return 2 * distance <= (n > m ? n : m);
}

/* ---- paths and fields in sentences ----------------------------------------------- */

/* The path, or the end of a long one. */
SCANT_API const char *scant_path_show(const char *path);

/* For "%.*s": how many of the first `length` bytes fit into a sentence, without half a UTF-8 character. */
SCANT_API int scant_text_clip(const char *text, size_t length);

/* Has a field nothing but blanks? */
SCANT_API int scant_field_is_empty(const char *text, size_t length);

/* ---- small files of CSV ------------------------------------------------------------ */

/* A file that somebody wrote by hand, field by field. */
typedef struct scant_csv_words {
  const char *path;
  size_t line; /* in which the current row begins, from 1 */
  char *next;  /* where the next word goes: the caller's room */
  /* private */
  void *file;
  const char *cursor, *end, *row;
  int ended; /* the word before was the last of its row */
} scant_csv_words;

/* Opens a file, compressed or not; SCANT_DATA if it has a NUL byte. */
SCANT_API scant_status scant_csv_words_open(scant_csv_words *words, const char *path, scant_error *error);
SCANT_API void scant_csv_words_close(scant_csv_words *words);

/* The most bytes that all words together can take, and the most words and rows that there can be. */
SCANT_API size_t scant_csv_words_room(const scant_csv_words *words, size_t *fields, size_t *rows);

static inline int scant_csv_words_end(const scant_csv_words *words) {
  return words->cursor == words->end;
}

/* The next word, as scant_csv_cell was given it, at words->next, which moves on; *last: it ends its row. */
SCANT_API scant_status scant_csv_words_next(scant_csv_words *words, const char **text, int *last, scant_error *error);

/* SCANT_DATA about the current row, with `word` in quotes behind it (NULL: none). */
SCANT_API scant_status scant_csv_words_refuse(const scant_csv_words *words, const char *what, const char *word,
                                              scant_error *error);

/* ---- replacing files ----------------------------------------------------------- */

/* Replacing a file whole or not at all, as scant_file_replace, by bytes that come in parts.  They are written beside
 * the file, which is renamed at the end.  Signals do not wait: their handler removes scant_replacing_name. */
typedef struct scant_replacing scant_replacing;

/* A path that is no regular file (a pipe, /dev/stdout) is written to directly. */
SCANT_API scant_status scant_replacing_begin(scant_replacing **replacing, const char *path, scant_error *error);
SCANT_API scant_status scant_replacing_add(scant_replacing *replacing, const char *bytes, size_t length,
                                           scant_error *error);
/* Goes back to the first byte, to write over what is there.  It fails on a path that is written to directly. */
SCANT_API scant_status scant_replacing_rewind(scant_replacing *replacing, scant_error *error);
/* Syncs and renames, and frees it, also on failure: then the file is as it was. */
SCANT_API scant_status scant_replacing_end(scant_replacing *replacing, scant_error *error);
/* Leaves the file as it was.  NULL is allowed. */
SCANT_API void scant_replacing_abandon(scant_replacing *replacing);

/* Do both replace or make the same file, whatever it was called? */
SCANT_API int scant_replacing_is_same(const scant_replacing *a, const scant_replacing *b);

/* The name of the file beside it; NULL: it is written to directly. */
SCANT_API const char *scant_replacing_name(const scant_replacing *replacing);

/* ---- hashes -------------------------------------------------------------------- */

/* SHA-256 [FIPS 180-4], so that anybody can compute what `sha256sum` computes. */

typedef struct scant_sha256 {
  uint32_t state[8];
  uint64_t length; /* in bytes, so far */
  unsigned char block[64];
} scant_sha256;

#define SCANT_SHA256_TEXT 65 /* 64 hexadecimal digits and the 0 at the end */

SCANT_API void scant_sha256_begin(scant_sha256 *sum);
SCANT_API void scant_sha256_add(scant_sha256 *sum, const void *bytes, size_t length);
/* Writes the digits of the sum.  It must be begun anew after that. */
SCANT_API void scant_sha256_end(scant_sha256 *sum, char text[SCANT_SHA256_TEXT]);

/* Ends with the first 64 bits of the sum. */
SCANT_API uint64_t scant_sha256_first(scant_sha256 *sum);

/* SipHash-2-4 [Aumasson and Bernstein, 2012]: without its key a hash can't be computed, and no guess tested. */
enum { SCANT_SIPHASH_KEY = 16 };

SCANT_API uint64_t scant_siphash(const unsigned char key[SCANT_SIPHASH_KEY], const void *bytes, size_t length);

/* ---- money --------------------------------------------------------------------- */

/* Money is counted in hundredths, so that sums are exact. */

/* Hundredths up to here are exact as a double. */
#define SCANT_MONEY_MOST (UINT64_C(1) << 52)

/* An amount in hundredths; 0 if it has more decimals than two, is negative, or is too large to be counted exactly. */
static inline int scant_money_of(double x, uint64_t *hundredths) {
  double rounded = round(100 * x);
  /* the quotient is the double nearest to the amount; no tolerance would suit small and large amounts alike */
  if (!(x >= 0) || !(rounded <= (double)SCANT_MONEY_MOST) || x != rounded / 100) return 0;
  *hundredths = (uint64_t)rounded;
  return 1;
}

/* ---- threads ------------------------------------------------------------------- */

/* Independent jobs on several threads. The results do not depend on which thread does which job. */

/* `error` holds "out of memory" at the start, since that is the most common failure. */
typedef scant_status (*scant_job)(void *user, size_t job, scant_error *error);

/* Runs jobs 0 .. jobs-1, begun in that order, on up to `threads` threads; the calling thread is one of them, and does
 * job 0. After a failure no further job begins. The failure of the lowest job that failed is returned. */
SCANT_API scant_status scant_jobs_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
