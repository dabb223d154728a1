/* A text that grows, and is saved whole or not at all. */
#ifndef SCANT_CHART_SVG_TEXT_H
#define SCANT_CHART_SVG_TEXT_H

#include <stddef.h>

#include "scant_base.h"

/* Begins as {0}.  When memory runs out what follows is lost, and saving says so. */
typedef struct svg_text {
  char *text;
  size_t length, room;
  int failed;
} svg_text;

__attribute__((format(printf, 2, 3))) void svg_put(svg_text *p, const char *format, ...);

/* As text of XML. */
void svg_put_escaped(svg_text *p, const char *text);

/* Writes the file and frees the text, also after a failure. */
scant_status svg_save_at(svg_text *p, const char *path, scant_error *error);
/* The same with FOLDER/NAMEEND. */
scant_status svg_save(svg_text *p, const char *folder, const char *name, const char *end, scant_error *error);

void svg_free(svg_text *p);

#endif
