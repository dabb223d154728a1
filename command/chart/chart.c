#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 760, LEFT = 66, TOP = 40, BELOW = 58, LINE = 17, END = 4 };
#define GREY "#666666"

static const char *const colours[] = {"#1b6e3c", "#1f5fa8", "#b5332e", "#7a4ea3", "#c27c0e",
                                      "#0e8a8a", GREY,      "#d4478c", "#8a5a2b"};

static const char *colour_of(const chart_series *s) {
  return s->colour < 0 ? GREY : colours[(size_t)s->colour % (sizeof colours / sizeof *colours)];
}

/* A chart whose ranges and place on the page are known. */
typedef struct {
  const chart *chart;
  chart_axis x, y;
  double left, right, top, bottom; /* of the plot */
} frame;

static int shown(const frame *f, const chart_point *q) {
  return isfinite(q->x) && isfinite(q->y) && (!f->x.logarithmic || q->x > 0) && (!f->y.logarithmic || q->y > 0);
}

static double share_of(const chart_axis *a, double value) {
  double inside = fmin(fmax(value, a->low), a->high);
  return a->logarithmic ? log(inside / a->low) / log(a->high / a->low) : (inside - a->low) / (a->high - a->low);
}

static double across(const frame *f, double x) {
  return f->left + share_of(&f->x, x) * (f->right - f->left);
}

static double down(const frame *f, double y) {
  return f->bottom - share_of(&f->y, y) * (f->bottom - f->top);
}

/* Puts what a <text> shows, and its end. */
static void end_text(svg_text *p, const char *text) {
  svg_put_escaped(p, text);
  svg_put(p, "</text>\n");
}

/* ---- axes ------------------------------------------------------------------ */

static void widen(chart_axis *a, double low, double high) {
  if (!(low <= high)) { /* there is no point */
    low = 1;
    high = 10;
  }
  double room = a->logarithmic ? pow(high / low, 0.04) : 0.04 * (high - low);
  if (low == high) room = a->logarithmic ? 1.5 : fmax(fabs(low), 1) / 10;
  a->low = a->logarithmic ? low / room : low - room;
  a->high = a->logarithmic ? high * room : high + room;
}

static void settle_ranges(frame *f) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (size_t c = 0; c < f->chart->series_count; c++) {
    const chart_series *s = &f->chart->series[c];
    for (size_t i = 0; i < s->count; i++) {
      if (!shown(f, &s->points[i])) continue;
      low[0] = fmin(low[0], s->points[i].x);
      high[0] = fmax(high[0], s->points[i].x);
      low[1] = fmin(low[1], s->points[i].y);
      high[1] = fmax(high[1], s->points[i].y);
    }
  }
  if (f->x.low == 0 && f->x.high == 0) widen(&f->x, low[0], high[0]);
  if (f->y.low == 0 && f->y.high == 0) widen(&f->y, low[1], high[1]);
}

/* On logarithmic axes 10000 is 10^4 and 20000 is 2*10^4. */
static void put_number(svg_text *p, const chart_axis *a, double value) {
  double power = value > 0 ? floor(log10(value) + 1e-9) : 0, rest = value / pow(10, power);
  if (a->decimals)
    svg_put(p, "%.*f", a->decimals, value);
  else if (!a->logarithmic || (power < 4 && power > -3))
    svg_put(p, "%.10g", value);
  else if (rest < 1 + 1e-9)
    svg_put(p, "10<tspan dy=\"-5\" font-size=\"10\">%.0f</tspan>", power);
  else
    svg_put(p, "%.10g·10<tspan dy=\"-5\" font-size=\"10\">%.0f</tspan>", rest, power);
}

static void draw_tick(svg_text *p, const frame *f, int vertical, double value) {
  if (vertical) {
    double y = down(f, value);
    svg_put(p, "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e6e6e6\"/>\n", f->left, f->right, y, y);
    svg_put(p, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", f->left - 8, y + 4);
  } else {
    svg_put(p, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">", across(f, value), f->bottom + 20);
  }
  put_number(p, vertical ? &f->y : &f->x, value);
  svg_put(p, "</text>\n");
}

/* Powers of ten, with 2 and 5 of each between them where there are few. */
static void draw_log_ticks(svg_text *p, const frame *f, int vertical) {
  const chart_axis *a = vertical ? &f->y : &f->x;
  int few = a->high / a->low < 300;
  for (int power = (int)floor(log10(a->low)); pow(10, power) <= a->high * (1 + 1e-9); power++) {
    static const double steps[] = {1, 2, 5};
    for (size_t i = 0; i < (few ? 3 : 1); i++) {
      double value = steps[i] * pow(10, power);
      if (value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9)) draw_tick(p, f, vertical, value);
    }
  }
}

/* Five to ten round numbers. */
static void draw_linear_ticks(svg_text *p, const frame *f, int vertical) {
  const chart_axis *a = vertical ? &f->y : &f->x;
  double step = pow(10, floor(log10((a->high - a->low) / 5)));
  if ((a->high - a->low) / step > 25) step *= 5;
  if ((a->high - a->low) / step > 10) step *= 2;
  if (a->whole && step < 1) step = 1;
  double first = ceil(a->low / step - 1e-9) * step;
  for (int i = 0; first + i * step <= a->high + 1e-9 * step; i++) draw_tick(p, f, vertical, first + i * step);
}

static void draw_axis(svg_text *p, const frame *f, int vertical) {
  const chart_axis *a = vertical ? &f->y : &f->x;
  for (size_t i = 0; i < (a->ticks ? a->tick_count : 0); i++)
    if (a->ticks[i] >= a->low && a->ticks[i] <= a->high) draw_tick(p, f, vertical, a->ticks[i]);
  if (!a->ticks && a->logarithmic) draw_log_ticks(p, f, vertical);
  if (!a->ticks && !a->logarithmic) draw_linear_ticks(p, f, vertical);
  if (vertical)
    svg_put(p, "<text transform=\"translate(16 %.0f) rotate(-90)\" text-anchor=\"middle\">", (f->top + f->bottom) / 2);
  else
    svg_put(p, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">", (f->left + f->right) / 2, f->bottom + 42);
  end_text(p, a->label);
}

/* ---- curves ---------------------------------------------------------------- */

static void put_stroke(svg_text *p, const chart_series *s) {
  static const char *const looks[] = {
      [CHART_SOLID] = "stroke-width=\"2.2\"",
      [CHART_BOLD] = "stroke-width=\"3.6\"",
      [CHART_THIN] = "stroke-width=\"1.2\" opacity=\"0.45\"",
      [CHART_WIDE] = "stroke-width=\"6\" opacity=\"0.18\"",
      [CHART_DASHED] = "stroke-width=\"1.6\" stroke-dasharray=\"7 5\"",
  };
  svg_put(p, "stroke=\"%s\" %s", colour_of(s), looks[s->style]);
}

/* The highs, from left to right, and the lows, back. */
static void draw_band(svg_text *p, const frame *f, const chart_series *s) {
  svg_put(p, "<polygon fill=\"%s\" opacity=\"0.12\" points=\"", colour_of(s));
  for (size_t i = 0; i < 2 * s->count; i++) {
    const chart_point *q = &s->points[i < s->count ? i : 2 * s->count - 1 - i];
    if (shown(f, q)) svg_put(p, "%.1f,%.1f ", across(f, q->x), down(f, i < s->count ? q->high : q->low));
  }
  svg_put(p, "\"/>\n");
}

static void draw_series(svg_text *p, const frame *f, const chart_series *s) {
  int behind = s->style == CHART_WIDE;
  if (s->style == CHART_BAND) {
    draw_band(p, f, s);
    return;
  }
  svg_put(p, "<polyline fill=\"none\" ");
  put_stroke(p, s);
  svg_put(p, " points=\"");
  for (size_t i = 0; i < s->count; i++)
    if (shown(f, &s->points[i])) svg_put(p, "%.1f,%.1f ", across(f, s->points[i].x), down(f, s->points[i].y));
  svg_put(p, "\"/>\n");
  for (size_t i = 0; i < s->count; i++) {
    const chart_point *q = &s->points[i];
    if (!shown(f, q) || (q->low == 0 && q->high == 0)) continue;
    double x = across(f, q->x) + (behind ? 2 : 0); /* so that the bars in front do not hide it */
    svg_put(p, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" opacity=\"%.2f\"/>\n", x, x,
            down(f, q->low), down(f, q->high), colour_of(s), behind ? 0.35 : 0.9);
  }
}

static void draw_legend(svg_text *p, const frame *f) {
  double y = f->top + 16;
  for (size_t c = 0; c < f->chart->series_count; c++) {
    const chart_series *s = &f->chart->series[c];
    if (!s->name || s->style == CHART_BAND) continue;
    svg_put(p, "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" ", f->right + 14, f->right + 38, y - 4, y - 4);
    put_stroke(p, s);
    svg_put(p, "/>\n<text x=\"%.0f\" y=\"%.1f\" fill=\"%s\">", f->right + 44, y, colour_of(s));
    end_text(p, s->name);
    y += 22;
  }
}

/* ---- bars ------------------------------------------------------------------ */

enum { STEP = 19, THICK = 13, VALUES = 90, BESIDE = 12, NAMES_MOST = 330 };

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

/* Draws them from `top` on, between `left` and `right`. */
static void draw_bars(svg_text *p, const chart *c, double left, double right, double top) {
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

/* ---- the picture ----------------------------------------------------------- */

static size_t caption_count(const chart *c) {
  size_t n = 0;
  while (n < CHART_CAPTIONS && c->captions[n]) n++;
  return n;
}

static int is_plot(const chart *c) {
  return !c->bars && c->series_count > 0;
}

/* Bars have no axis below them. */
static double below(const chart *c) {
  return is_plot(c) ? BELOW : c->bars ? LINE : 0;
}

static double plot_height(const chart *c) {
  if (!is_plot(c)) return c->bars ? STEP * (double)c->bar_count : 0;
  return c->plot_height ? c->plot_height : 364;
}

static double height_of(const chart *c) {
  return TOP + plot_height(c) + below(c) + LINE * (double)caption_count(c) + END;
}

static void draw_curves(svg_text *p, const chart *c, double top, double right) {
  frame f = {c, c->x, c->y, LEFT, right, top, top + plot_height(c)};
  settle_ranges(&f);
  draw_axis(p, &f, 1);
  draw_axis(p, &f, 0);
  for (size_t i = 0; i < c->series_count; i++) draw_series(p, &f, &c->series[i]);
  draw_legend(p, &f);
}

static void draw_panel(svg_text *p, const chart *c, double top) {
  double plot_top = top + TOP, bottom = plot_top + plot_height(c);
  svg_put(p, "<text x=\"%d\" y=\"%.0f\" font-size=\"15\">", LEFT, top + 22);
  end_text(p, c->title);
  if (c->bars)
    draw_bars(p, c, 0, WIDTH, plot_top);
  else if (is_plot(c))
    draw_curves(p, c, plot_top, WIDTH - (c->legend_width ? c->legend_width : 140));
  for (size_t i = 0; i < caption_count(c); i++) {
    svg_put(p, "<text x=\"%d\" y=\"%.0f\" font-size=\"12\" fill=\"#555\">", LEFT,
            bottom + below(c) + LINE * (double)i + 8);
    end_text(p, c->captions[i]);
  }
}

void chart_draw(svg_text *p, const chart *charts, size_t count) {
  double height = 0, top = 0;
  for (size_t i = 0; i < count; i++) height += height_of(&charts[i]);
  svg_put(p,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" "
          "font-size=\"13\" fill=\"#333\">\n<rect width=\"%d\" height=\"%.0f\" fill=\"white\"/>\n",
          WIDTH, height, WIDTH, height);
  for (size_t i = 0; i < count; i++) {
    draw_panel(p, &charts[i], top);
    top += height_of(&charts[i]);
  }
  svg_put(p, "</svg>\n");
}

void chart_name_file(const char *path, int parts, char *name, size_t size) {
  const char *start = path + strlen(path);
  for (int slashes = 0; start > path; start--) {
    slashes += start[-1] == '/';
    if (slashes == parts) break;
  }
  snprintf(name, size, "%s", start);
  for (char *c = name; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
}
