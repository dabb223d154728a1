#include "chart_bars.h"

#include <math.h>
#include <string.h>

enum { STEP = 19, THICK = 13, VALUES = 90, BESIDE = 12, NAMES_MOST = 330 };

double chart_bars_height(const chart *c) {
  return STEP * (double)c->bar_count;
}

/* ---- names ------------------------------------------------------------------- */

static size_t character_length(const char *text) {
  size_t length = 1;
  while (((unsigned char)text[length] & 0xc0) == 0x80) length++;
  return length;
}

/* About how wide a character is at this size of letters, rather more than less: nobody knows in which font it will be
 * shown. */
static double character_width(const char *text) {
  unsigned char c = (unsigned char)*text;
  if (c >= 0xe0) return 14;
  if (c >= 0x80) return 9;
  if (strchr("fijlrtI .,:;'|!()[]-/", c)) return 5.5;
  if (strchr("mwMW@%", c)) return 13;
  return c >= 'A' && c <= 'Z' ? 10 : 8.4;
}

/* How many bytes of a name fit into `room`. */
static size_t fitting(const char *name, double room, double *width) {
  size_t length = 0;
  *width = 0;
  while (name[length]) {
    double more = character_width(name + length);
    if (*width + more > room) break;
    *width += more;
    length += character_length(name + length);
  }
  return length;
}

/* As wide as the longest name, within reason. */
static double names_width(const chart *c) {
  double most = 0, width;
  for (size_t i = 0; i < c->bar_count; i++) {
    int cut = c->bars[i].name[fitting(c->bars[i].name, NAMES_MOST, &width)] != 0;
    most = fmax(most, cut ? NAMES_MOST : width);
  }
  return most;
}

/* A name that is too long loses its end. */
static void put_name(svg_text *p, const char *name, double room) {
  double width;
  char cut[4 * NAMES_MOST];
  size_t length = fitting(name, room, &width);
  if (!name[length]) {
    svg_put_escaped(p, name);
    return;
  }
  length = fitting(name, room - character_width("…"), &width);
  memcpy(cut, name, length);
  cut[length] = 0;
  svg_put_escaped(p, cut);
  svg_put(p, "…");
}

void chart_bars_draw(svg_text *p, const chart *c, double left, double right, double top) {
  double room = names_width(c), start = left + BESIDE + room + 8, most = 0;
  for (size_t i = 0; i < c->bar_count; i++) most = fmax(most, c->bars[i].value);
  for (size_t i = 0; i < c->bar_count; i++) {
    const chart_bar *b = &c->bars[i];
    double y = top + STEP * (double)i, width = most > 0 ? b->value / most * (right - VALUES - start) : 0;
    svg_put(p, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", start - 8, y + THICK - 2);
    put_name(p, b->name, room);
    svg_put(p, "</text>\n<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#1f5fa8\"/>\n", start, y,
            width, THICK);
    svg_put(p, "<text x=\"%.1f\" y=\"%.1f\">%.*f</text>\n", start + width + 6, y + THICK - 2, c->bar_decimals,
            b->value);
  }
}
