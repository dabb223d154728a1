/* A text that grows, and is saved whole or not at all. */
#ifndef SCANT_CLI_PAGE_H
#define SCANT_CLI_PAGE_H

#include <stddef.h>

#include "scant.h"

/* Begins as {0}.  When memory runs out what follows is lost, and saving says so. */
typedef struct page {
  char *text;
  size_t length, room;
  int failed;
} page;

__attribute__((format(printf, 2, 3))) void page_put(page *p, const char *format, ...);

/* As text of XML. */
void page_put_escaped(page *p, const char *text);

/* Writes FOLDER/NAMEEND and frees the page. */
scant_status page_save(page *p, const char *folder, const char *name, const char *end, scant_error *error);

void page_free(page *p);

#endif
