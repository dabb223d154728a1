/* Texts that Scant keeps: a JSON object from its kind and version to a checksum of all before it. */
#ifndef SCANT_CORE_DOCUMENT_H
#define SCANT_CORE_DOCUMENT_H

#include "scant_json.h"

typedef struct scant_document {
  const char *format;  /* the field of this name */
  const char *title;   /* in sentences: "a model file" */
  const char *holder;  /* in the sentence about a wrong checksum: "file", "text" */
  int oldest, version; /* the versions that are read; the last one is written */
} scant_document;

/* Begins an empty text. */
void scant_document_open(const scant_document *document, scant_json_writer *out);

/* Ends the text and hands it over, ended by 0, for free().  `out` is empty afterwards, also after SCANT_MEMORY. */
scant_status scant_document_close(scant_json_writer *out, char **text, size_t *length, scant_error *error);

/* Parses a text; SCANT_DATA, with nothing to free, unless it is whole, of this kind and of a version that is read. */
scant_status scant_document_parse(const scant_document *document, scant_json *json, const char *text, size_t length,
                                  scant_error *error);

#endif
