/* A chart of bars, for chart.c. */
#ifndef SCANT_CLI_CHART_BARS_H
#define SCANT_CLI_CHART_BARS_H

#include "chart.h"

/* How high the bars of a chart are together. */
double chart_bars_height(const chart *c);

/* Draws them from `top` on, between `left` and `right`. */
void chart_bars_draw(svg_text *p, const chart *c, double left, double right, double top);

#endif
