/* How paths, fields and cells appear in sentences, which have room for 511 bytes.
 *
 * A path or a field may be longer than the whole sentence; the reader must still see what is wrong, and on which line.
 */
#ifndef SCANT_DATA_SENTENCE_H
#define SCANT_DATA_SENTENCE_H

#include "scant_base.h"
#include "scant.h"

/* Enough for "path, line N, column 'name'" as the openers write it. */
#define SCANT_WHERE_LENGTH 384

/* A list of names for a sentence: 'a', 'b' and 'c', or 'a', 'b' and 7 more where the room ends. */
typedef struct scant_listing {
  char *text;
  size_t size, used;
  size_t left; /* names to come */
  int full;
} scant_listing;

/* `count` names will come; the text needs room for a hundred bytes and more. */
scant_listing scant_list_begin(char *text, size_t size, size_t count);
void scant_list_add(scant_listing *list, const char *name, size_t length);

/* "column 'TSH'", or by its number "column 3" if it has no name (NULL). */
void scant_name_show(char *text, size_t size, const char *noun, const char *name, size_t number);

/* The number of the physical line on which `at` stands, counted from 1. */
size_t scant_line_count(const char *text, const char *at);

/* Is it a word that other programs write for a missing value, such as NA? */
int scant_field_means_missing(const char *text, size_t length);

/* SCANT_DATA with the sentence for a field that is no number to learn from: "WHERE: the field is empty", "WHERE: 'abc'
 * is not a number", and so on. */
scant_status scant_field_refuse(const char *where, const char *text, size_t length, scant_error *error);

#endif
