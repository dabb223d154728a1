/* Texts as cells of CSV that no spreadsheet runs.
 *
 * A spreadsheet takes a cell that begins with = + - @ or a control character for a formula, unless it is a
 * number. Such a text is written with an apostrophe before it.  A text of apostrophes followed by such a text
 * gets one more apostrophe too.  Reading takes one apostrophe away from just these texts, so it gives back
 * what was written.
 */
#include "data/file/csv_cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "scant.h"

/* A number has digits, signs, a point and an exponent alone: "-inf" is no number to a spreadsheet. */
static int is_number(const char *text, size_t length) {
  double value;
  return strspn(text, "0123456789.eE+-") == length && scant_parse_real(text, length, &value) && isfinite(value);
}

/* Is it a formula, behind apostrophes or not? */
static int is_dangerous(const char *text) {
  text += strspn(text, "'");
  return *text && strchr("=+-@\t\r\n", *text) && !is_number(text, strlen(text));
}

const char *scant_csv_unguard(const char *text) {
  return text[0] == '\'' && is_dangerous(text) ? text + 1 : text;
}

static void put(char *cell, size_t size, size_t *length, char c) {
  if (*length + 1 < size) cell[*length] = c;
  ++*length;
}

size_t scant_csv_cell(char *cell, size_t size, const char *text, int quoted) {
  size_t length = 0;
  quoted = quoted || strpbrk(text, ",\"\r\n");
  if (quoted) put(cell, size, &length, '"');
  if (is_dangerous(text)) put(cell, size, &length, '\'');
  for (; *text; text++) {
    if (*text == '"') put(cell, size, &length, '"');
    put(cell, size, &length, *text);
  }
  if (quoted) put(cell, size, &length, '"');
  if (size) cell[length < size ? length : size - 1] = 0;
  return length;
}
