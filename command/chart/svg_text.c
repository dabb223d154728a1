#include "svg_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "scant_base.h"

static int reserve(svg_text *p, size_t more) {
  if (!p->failed && !scant_grow(&p->text, &p->room, p->length + more + 1, 1)) p->failed = 1;
  return !p->failed;
}

void svg_put(svg_text *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  size_t room = p->room - p->length;
  int length = vsnprintf(p->text ? p->text + p->length : NULL, room, format, list);
  va_end(list);
  if (length < 0 || !reserve(p, (size_t)length)) return;
  if ((size_t)length >= room) { /* it did not fit */
    va_start(list, format);
    vsnprintf(p->text + p->length, (size_t)length + 1, format, list);
    va_end(list);
  }
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

scant_status svg_save_at(svg_text *p, const char *path, scant_error *error) {
  scant_status status =
      p->failed ? scant_fail_memory(error) : scant_file_replace(path, p->text ? p->text : "", p->length, error);
  svg_free(p);
  return status;
}

scant_status svg_save(svg_text *p, const char *folder, const char *name, const char *end, scant_error *error) {
  svg_text path = {0};
  svg_put(&path, "%s/%s%s", folder, name, end);
  p->failed |= path.failed;
  scant_status status = svg_save_at(p, path.text, error);
  svg_free(&path);
  return status;
}

void svg_free(svg_text *p) {
  free(p->text);
  *p = (svg_text){0};
}
