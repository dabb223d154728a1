/* Models in files of which one part is another, with a checksum that is right. */
#ifndef SCANT_TESTS_CHANGED_H
#define SCANT_TESTS_CHANGED_H

#include "base/text.h"
#include "files.h"

/* Writes the text of a model with one part replaced; returns the path. */
static inline const char *file_changed(const char *name, const char *text, const char *from, const char *to) {
  static const char tail[] = ",\n  \"checksum\": \"";
  const char *end = strstr(text, tail), *place = strstr(text, from);
  if (!CHECK(end && place && place < end)) {
    printf("#   there is no %s\n", from);
    return file_write(name, "", 0);
  }
  char *changed = malloc(strlen(text) + strlen(to) + 64);
  int body = sprintf(changed, "%.*s%s%.*s", (int)(place - text), text, to, (int)(end - place - (long)strlen(from)),
                     place + strlen(from));
  int all = body + sprintf(changed + body, "%s%016llx\"\n}\n", tail,
                           (unsigned long long)scant_hash(SCANT_HASH_START, changed, (size_t)body));
  const char *path = file_write(name, changed, (size_t)all);
  free(changed);
  return path;
}

#endif
