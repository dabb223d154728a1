#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void scant_error_write(scant_error *error, const char *format, ...) {
  if (!error) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  /* Messages quote names and fields of files.  Control characters in them are replaced, so that a message
   * stays one line and a terminal does not obey it. */
  for (char *c = error->text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
}
