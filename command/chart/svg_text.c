#include "svg_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int reserve(svg_text *p, size_t more) {
  if (p->failed) return 0;
  if (p->length + more + 1 <= p->room) return 1;
  size_t room = 2 * (p->length + more + 1);
  char *text = realloc(p->text, room);
  if (!text) {
    p->failed = 1;
    return 0;
  }
  p->text = text;
  p->room = room;
  return 1;
}

void svg_put(svg_text *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (length < 0 || !reserve(p, (size_t)length)) return;
  va_start(list, format);
  vsnprintf(p->text + p->length, (size_t)length + 1, format, list);
  va_end(list);
  p->length += (size_t)length;
}

void svg_put_escaped(svg_text *p, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      svg_put(p, "&lt;");
    else if (*text == '&')
      svg_put(p, "&amp;");
    else
      svg_put(p, "%c", *text);
  }
}

scant_status svg_save(svg_text *p, const char *folder, const char *name, const char *end, scant_error *error) {
  svg_text path = {0};
  svg_put(&path, "%s/%s%s", folder, name, end);
  scant_status status = SCANT_MEMORY;
  if (p->failed || path.failed)
    snprintf(error->text, sizeof error->text, "out of memory");
  else
    status = scant_file_replace(path.text, p->text ? p->text : "", p->length, error);
  svg_free(&path);
  svg_free(p);
  return status;
}

void svg_free(svg_text *p) {
  free(p->text);
  *p = (svg_text){0};
}
