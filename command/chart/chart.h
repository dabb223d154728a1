/* A picture of curves as SVG: one or more charts below each other, each with a
 * title, two axes, a legend at its right (or bars with names) and lines of text below.
 * One with neither curves nor bars is its title and the lines. */
#ifndef SCANT_CLI_CHART_H
#define SCANT_CLI_CHART_H

#include "svg_text.h"

typedef enum {
  CHART_SOLID,
  CHART_BOLD,
  CHART_THIN,
  CHART_WIDE, /* broad and faint, behind the others */
  CHART_DASHED,
  CHART_BAND /* no line: the area between the points' lows and highs */
} chart_style;

typedef struct chart_point {
  double x, y;
  double low, high; /* of the error bar, or of the band; both 0: none */
} chart_point;

/* Points that are not finite are left out, and on a logarithmic axis those that
 * are not positive. */
typedef struct chart_series {
  const char *name; /* in the legend; NULL: it is not in the legend */
  int colour;       /* chart_colour's; -1: grey */
  chart_style style;
  const chart_point *points;
  size_t count;
} chart_series;

typedef struct chart_axis {
  const char *label;
  int logarithmic;
  double low, high;    /* both 0: the range of the points */
  const double *ticks; /* NULL: they are chosen */
  size_t tick_count;
  int decimals; /* of the numbers at the ticks; 0: as many as they need */
  int whole;    /* it counts something: no ticks between whole numbers */
} chart_axis;

/* A bar of a chart that has bars in place of axes and curves. */
typedef struct chart_bar {
  const char *name;
  double value; /* 0 or more */
} chart_bar;

#define CHART_CAPTIONS 4

typedef struct chart {
  const char *title;
  chart_axis x, y;
  const chart_series *series; /* drawn in this order */
  size_t series_count;
  const char *captions[CHART_CAPTIONS]; /* up to the first NULL */
  int legend_width;                     /* 0: 140 */
  int plot_height;                      /* 0: 364 */
  const chart_bar *bars;                /* from top to bottom; NULL: axes and curves */
  size_t bar_count;
  int bar_decimals; /* of the numbers at the bars */
} chart;

/* Puts the whole SVG file. */
void chart_draw(svg_text *p, const chart *charts, size_t count);

/* The last parts of a path; what is not plain ASCII becomes '?', so that any XML reader takes it. */
void chart_name_file(const char *path, int parts, char *name, size_t size);

#endif
