/* The results of a figure as CSV and as SVG. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

/* ---- a text that grows ---------------------------------------------------- */

typedef struct {
  char *text;
  size_t length, room;
  int failed;
} page;

static void put(page *p, const char *format, ...) {
  char line[1024];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (length < 0 || (size_t)length >= sizeof line) length = (int)sizeof line - 1;
  if (p->length + (size_t)length + 1 > p->room) {
    size_t room = 2 * (p->length + (size_t)length + 1);
    char *text = realloc(p->text, room);
    if (!text) {
      p->failed = 1;
      return;
    }
    p->text = text;
    p->room = room;
  }
  memcpy(p->text + p->length, line, (size_t)length + 1);
  p->length += (size_t)length;
}

static scant_status save(page *p, const char *folder, const char *name, const char *end, scant_error *error) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
  scant_status status = SCANT_MEMORY;
  if (p->failed)
    snprintf(error->text, sizeof error->text, "out of memory");
  else
    status = scant_file_replace(path, p->text, p->length, error);
  free(p->text);
  return status;
}

/* ---- numbers --------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value below which a share of the sorted values lies, interpolated. */
static double quantile(const double *sorted, size_t n, double share) {
  double place = share * (double)(n - 1);
  size_t low = (size_t)place, high = low + 1 < n ? low + 1 : low;
  return sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
}

summary results_summary(const results *r, size_t c, size_t point) {
  summary s = {.attributes = (double)(r->figure->attributes * (point + 1))};
  double *errors = malloc(r->runs * sizeof *errors), n = (double)r->runs, squares = 0;
  if (!errors) return (summary){.mean = NAN, .sd = NAN, .q10 = NAN, .q90 = NAN};
  for (size_t run = 0; run < r->runs; run++) {
    const outcome *o = results_at(r, c, run, point);
    errors[run] = o->error;
    s.mean += o->error / n;
    s.examples += (double)o->examples / n;
    s.bought += (double)o->bought / n;
  }
  for (size_t run = 0; run < r->runs; run++) squares += (errors[run] - s.mean) * (errors[run] - s.mean);
  s.sd = r->runs > 1 ? sqrt(squares / (n - 1)) : 0;
  qsort(errors, r->runs, sizeof *errors, by_value);
  s.q10 = quantile(errors, r->runs, 0.1);
  s.q90 = quantile(errors, r->runs, 0.9);
  free(errors);
  return s;
}

static scant_status write_csv(const results *r, const char *folder, scant_error *error) {
  page p = {0};
  put(&p, "figure,algorithm,attributes,examples,attributes_bought,mean,sd,q10,q90,runs,paper_mean,paper_sd\n");
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t i = 0; i < POINTS; i++) {
      summary s = results_summary(r, c, i);
      const published_point *q = results_published(r, c, i);
      put(&p, "%s,%s,%.0f,%.0f,%.1f,%.6f,%.6f,%.6f,%.6f,%zu,", r->figure->name, r->curves[c]->name, s.attributes,
          s.examples, s.bought, s.mean, s.sd, s.q10, s.q90, r->runs);
      if (q)
        put(&p, "%.6f,%.6f\n", q->mean, q->bar);
      else
        put(&p, ",\n");
    }
  }
  return save(&p, folder, r->figure->name, ".csv", error);
}

/* ---- pictures ---------------------------------------------------------------- */

enum { WIDTH = 760, HEIGHT = 500, LEFT = 66, RIGHT = 140, TOP = 40, BOTTOM = 96 };

typedef struct {
  double low, high, bottom, top; /* of the axes */
  int by_examples;               /* then the axis is logarithmic */
} frame;

static const char *const colours[] = {"#1b6e3c", "#1f5fa8", "#b5332e", "#7a4ea3", "#c27c0e", "#0e8a8a", "#666666"};

static double across(const frame *f, double x) {
  double share = f->by_examples ? log(x / f->low) / log(f->high / f->low) : (x - f->low) / (f->high - f->low);
  return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double down(const frame *f, double y) {
  double share = (fmin(fmax(y, f->bottom), f->top) - f->bottom) / (f->top - f->bottom);
  return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
}

static frame make_frame(const results *r, int by_examples) {
  frame f = {INFINITY, 0, INFINITY, 0, by_examples};
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t i = 0; i < POINTS; i++) {
      summary s = results_summary(r, c, i);
      double x = by_examples ? s.examples : s.attributes;
      f.low = fmin(f.low, x);
      f.high = fmax(f.high, x);
      f.bottom = fmin(f.bottom, s.mean - s.sd);
      f.top = fmax(f.top, s.mean);
    }
  }
  f.bottom = fmax(0, floor(f.bottom * 20 - 0.5) / 20);
  f.top = fmin(1.05, ceil(f.top * 20 + 0.5) / 20);
  if (f.by_examples) {
    f.low /= 1.3;
    f.high *= 1.3;
  } else {
    f.low -= 0.04 * f.high;
    f.high *= 1.02;
  }
  return f;
}

static void draw_axes(page *p, const frame *f, const results *r) {
  put(p,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" "
      "fill=\"#333\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
      WIDTH, HEIGHT, WIDTH, HEIGHT);
  char digits[64], title[256];
  size_t comma = strcspn(r->pair, ","); /* there is one: classes were read by it */
  snprintf(digits, sizeof digits, "%.*s vs %.20s", (int)comma, r->pair, r->pair + comma + 1);
  snprintf(title, sizeof title, r->figure->title, digits);
  put(p, "<text x=\"%d\" y=\"22\" font-size=\"15\">%s</text>\n", LEFT, title);
  double step = f->top - f->bottom > 0.5 ? 0.1 : 0.05;
  for (int i = 0; f->bottom + i * step < f->top + 1e-9; i++) {
    double y = f->bottom + i * step;
    put(p, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e6e6e6\"/>\n", LEFT, WIDTH - RIGHT, down(f, y),
        down(f, y));
    put(p, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n", LEFT - 8, down(f, y) + 4, y);
  }
  for (size_t i = 0; !f->by_examples && i < POINTS; i += 3) {
    double x = (double)(r->figure->attributes * (i + 1));
    put(p, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", across(f, x), HEIGHT - BOTTOM + 20, x);
  }
  for (int power = 0; f->by_examples && pow(10, power) <= f->high; power++) {
    double x = pow(10, power);
    if (x < f->low) continue;
    put(p, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n", across(f, x), HEIGHT - BOTTOM + 20, x);
  }
  put(p, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">test squared error</text>\n",
      (HEIGHT - BOTTOM + TOP) / 2);
  put(p, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 42,
      f->by_examples ? "examples (labels) seen" : "attributes bought");
}

static void draw_bar(page *p, double x, double low, double high, const char *colour, double opacity) {
  put(p, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" opacity=\"%.2f\"/>\n", x, x, low, high,
      colour, opacity);
}

/* The paper's curve, faint. */
static void draw_published(page *p, const frame *f, const results *r, size_t c, const char *colour) {
  if (!results_published(r, c, 0)) return;
  put(p, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"6\" opacity=\"0.18\" points=\"", colour);
  for (size_t i = 0; i < POINTS; i++) {
    const published_point *q = results_published(r, c, i);
    if (q)
      put(p, "%.1f,%.1f ", across(f, f->by_examples ? (double)q->examples : (double)q->attributes), down(f, q->mean));
  }
  put(p, "\"/>\n");
  for (size_t i = 0; i < POINTS; i++) {
    const published_point *q = results_published(r, c, i);
    if (q)
      draw_bar(p, across(f, f->by_examples ? (double)q->examples : (double)q->attributes) + 2,
               down(f, q->mean - q->bar), down(f, q->mean + q->bar), colour, 0.35);
  }
}

static void draw_curve(page *p, const frame *f, const results *r, size_t c, const char *colour) {
  put(p, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\" points=\"", colour);
  for (size_t i = 0; i < POINTS; i++) {
    summary s = results_summary(r, c, i);
    put(p, "%.1f,%.1f ", across(f, f->by_examples ? s.examples : s.attributes), down(f, s.mean));
  }
  put(p, "\"/>\n");
  for (size_t i = 0; i < POINTS; i++) {
    summary s = results_summary(r, c, i);
    draw_bar(p, across(f, f->by_examples ? s.examples : s.attributes), down(f, s.mean - s.sd), down(f, s.mean + s.sd),
             colour, 0.9);
  }
  double y = TOP + 16 + 22 * (double)c; /* the legend, beside the picture */
  put(p, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2.2\"/>\n", WIDTH - RIGHT + 14,
      WIDTH - RIGHT + 38, y - 4, y - 4, colour);
  put(p, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>\n", WIDTH - RIGHT + 44, y, colour, r->curves[c]->name);
}

static scant_status write_svg(const results *r, int by_examples, const char *folder, scant_error *error) {
  page p = {0};
  frame f = make_frame(r, by_examples);
  draw_axes(&p, &f, r);
  for (size_t c = 0; c < r->curve_count; c++) draw_published(&p, &f, r, c, colours[c % 7]);
  for (size_t c = 0; c < r->curve_count; c++) draw_curve(&p, &f, r, c, colours[c % 7]);
  put(&p,
      "<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"#555\">Mean and standard deviation of %zu splits; wide and "
      "faint: the published curves.</text>\n",
      LEFT, HEIGHT - 30, r->runs);
  put(&p,
      "<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"#555\">At equal attributes a learner that looks at %llu of 784 "
      "pixels sees %.0f times as many labels as one that sees them all.</text>\n",
      LEFT, HEIGHT - 13, (unsigned long long)r->figure->k, 784.0 / (double)r->figure->k);
  put(&p, "</svg>\n");
  return save(&p, folder, r->figure->name, by_examples ? "-examples.svg" : ".svg", error);
}

scant_status figure_write(const results *r, const char *folder, scant_error *error) {
  scant_status status = write_csv(r, folder, error);
  if (status == SCANT_OK) status = write_svg(r, 0, folder, error);
  if (status == SCANT_OK) status = write_svg(r, 1, folder, error);
  return status;
}
