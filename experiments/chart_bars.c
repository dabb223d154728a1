#include "chart_bars.h"

#include <math.h>
#include <stdio.h>

enum { STEP = 19, THICK = 13, NAMES = 150, VALUES = 90, NAME_MOST = 22 };

double chart_bars_height(const chart *c) {
  return STEP * (double)c->bar_count;
}

/* A long name is cut off, between two characters. */
static void put_name(page *p, const char *name) {
  char cut[4 * NAME_MOST + 4];
  size_t length = 0, characters = 0;
  for (; length < sizeof cut - 4 && name[length]; length++) {
    characters += ((unsigned char)name[length] & 0xc0) != 0x80;
    if (characters > NAME_MOST) break;
    cut[length] = name[length];
  }
  snprintf(cut + length, sizeof cut - length, "%s", name[length] ? "…" : "");
  page_put_escaped(p, cut);
}

void chart_bars_draw(page *p, const chart *c, double left, double right, double top) {
  double start = left + NAMES, most = 0;
  for (size_t i = 0; i < c->bar_count; i++) most = fmax(most, c->bars[i].value);
  for (size_t i = 0; i < c->bar_count; i++) {
    const chart_bar *b = &c->bars[i];
    double y = top + STEP * (double)i, width = most > 0 ? b->value / most * (right - VALUES - start) : 0;
    page_put(p, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", start - 8, y + THICK - 2);
    put_name(p, b->name);
    page_put(p, "</text>\n<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#1f5fa8\"/>\n", start, y,
             width, THICK);
    page_put(p, "<text x=\"%.1f\" y=\"%.1f\">%.*f</text>\n", start + width + 6, y + THICK - 2, c->bar_decimals,
             b->value);
  }
}
