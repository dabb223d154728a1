/* Texts of ours: a JSON object that begins with what it is and of which version,
 * and ends with a checksum of all before it. */
#ifndef SCANT_CORE_DOCUMENT_H
#define SCANT_CORE_DOCUMENT_H

#include "core/json.h"

typedef struct scant_document {
  const char *format;  /* the field of this name */
  const char *title;   /* in sentences: "a model file" */
  const char *holder;  /* what was damaged if the checksum is wrong: "file", "text" */
  int oldest, version; /* that are read; the last is written */
} scant_document;

/* Begins an empty text. */
void scant_document_open(const scant_document *document, scant_json_writer *out);

/* Ends it and hands it over, ended by 0, for free(); `out` is empty then, on
 * failure (SCANT_MEMORY) too. */
scant_status scant_document_close(scant_json_writer *out, char **text, size_t *length, scant_error *error);

/* Parses a text that is whole, of this kind and of a version that is read, before
 * anything of it is used; else SCANT_DATA, and there is nothing to free. */
scant_status scant_document_parse(const scant_document *document, scant_json *json, const char *text, size_t length,
                                  scant_error *error);

#endif
