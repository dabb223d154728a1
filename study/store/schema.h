/* The tables of the file. */
#ifndef SCANT_STUDY_SCHEMA_H
#define SCANT_STUDY_SCHEMA_H

extern const char study_schema[];

/* A name without what people mistype: blanks (also those that do not break) and the kinds of dashes that word
 * processors put in place of '-'; case does not count.  Indices have this expression, so it stays as it is.  It uses
 * nothing that an extension of SQLite changes, as some change lower(). */
#define STUDY_FOLD(name)                                                                                       \
  "replace(replace(replace(replace(replace(replace(" name                                                      \
  ", ' ', ''), char(160), ''), char(8239), ''), char(8208), '-'), char(8211), '-'), char(8722), '-') COLLATE " \
  "NOCASE"
#define STUDY_APPLICATION 0x53434e54 /* "SCNT" */
#define STUDY_VERSION 2

#endif
