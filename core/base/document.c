#include "base/document.h"

#include <stdio.h>
#include <string.h>

#include "scant_base.h"

#define TAIL_START ",\n  \"checksum\": \""
#define TAIL_END "\"\n}\n"
#define TAIL_LENGTH (sizeof TAIL_START - 1 + 16 + sizeof TAIL_END - 1)

/* The end of a text with this body: its checksum. */
static void write_tail(char tail[TAIL_LENGTH + 1], const char *body, size_t length) {
  uint64_t checksum = scant_hash(SCANT_HASH_START, body, length);
  snprintf(tail, TAIL_LENGTH + 1, TAIL_START "%016llx" TAIL_END, (unsigned long long)checksum);
}

void scant_document_open(const scant_document *document, scant_json_writer *out) {
  out->lines = 1;
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "format", document->format);
  scant_json_count(out, "version", (uint64_t)document->version);
}

scant_status scant_document_close(scant_json_writer *out, char **text, size_t *length, scant_error *error) {
  char tail[TAIL_LENGTH + 1];
  write_tail(tail, out->text ? out->text : "", out->length);
  tail[TAIL_LENGTH - 1] = 0; /* scant_json_take adds the line end */
  scant_json_append(out, tail);
  out->depth = 0; /* the tail closes the object */
  return scant_json_take(out, text, length, error);
}

static int checksum_agrees(const char *text, size_t length) {
  if (length < TAIL_LENGTH) return 0;
  size_t body = length - TAIL_LENGTH;
  char tail[TAIL_LENGTH + 1];
  write_tail(tail, text, body);
  return !memcmp(text + body, tail, TAIL_LENGTH);
}

static scant_status check_whole(const scant_document *d, const scant_json *json, scant_error *error) {
  uint64_t version = 0;
  size_t format = scant_json_member(json, 0, "format");
  const scant_json_node *node = format == SCANT_JSON_NONE ? NULL : &json->nodes[format];
  if (!node || node->type != SCANT_JSON_TEXT || node->length != strlen(d->format) ||
      memcmp(json->text + node->start, d->format, node->length) != 0)
    return scant_fail(error, SCANT_DATA, "it is not %s", d->title);
  SCANT_TRY(scant_json_get_count(json, 0, "version", &version, error));
  if (version < (uint64_t)d->oldest || version > (uint64_t)d->version)
    return scant_fail(error, SCANT_DATA, "it is of version %llu, which this scant does not read",
                      (unsigned long long)version);
  if (!checksum_agrees(json->text, json->length))
    return scant_fail(error, SCANT_DATA, "its checksum is wrong: the %s was changed or damaged", d->holder);
  return SCANT_OK;
}

scant_status scant_document_parse(const scant_document *document, scant_json *json, const char *text, size_t length,
                                  scant_error *error) {
  size_t first = 0;
  while (first < length && strchr(" \t\r\n", text[first]) && text[first]) first++;
  if (first == length || text[first] != '{') return scant_fail(error, SCANT_DATA, "it is not %s", document->title);
  SCANT_TRY(scant_json_parse(json, text, length, error));
  scant_status status = check_whole(document, json, error);
  if (status != SCANT_OK) scant_json_free(json);
  return status;
}
