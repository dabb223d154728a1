/* Two digits of MNIST in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"

static scant_status fail(scant_error *error, scant_status status, const char *text) {
  snprintf(error->text, sizeof error->text, "%s", text);
  return status;
}

/* Appends the images of one file. */
static scant_status append(image_set *m, const char *folder, const char *part, const char *pair, scant_error *error) {
  char data[1024], labels[1024];
  snprintf(data, sizeof data, "%s/%s-images-idx3-ubyte", folder, part);
  snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
  scant_settings settings;
  scant_source *source;
  scant_settings_init(&settings);
  settings.labels = labels;
  settings.classes = pair;
  scant_status status = scant_source_open(&source, data, &settings, SCANT_TARGET_REQUIRED, error);
  if (status != SCANT_OK) return status;
  size_t rows = scant_source_rows(source), d = scant_source_dimension(source);
  if (m->n && d != m->d) status = fail(error, SCANT_DATA, "the two files of images have different sizes");
  double *x = status ? NULL : realloc(m->x, (m->n + rows) * d * sizeof *x);
  if (x) m->x = x;
  double *y = x ? realloc(m->y, (m->n + rows) * sizeof *y) : NULL;
  if (y) m->y = y;
  if (status == SCANT_OK && !y) status = fail(error, SCANT_MEMORY, "out of memory");
  m->d = d;
  for (size_t i = 0; status == SCANT_OK && i < rows; i++) {
    double *row = m->x + (m->n + i) * d;
    status = scant_source_row(source, i, row, error);
    for (size_t j = 0; j < d; j++) row[j] /= 255;
    m->y[m->n + i] = scant_source_target(source, i);
  }
  m->n += rows;
  scant_source_free(source);
  return status;
}

static void scale_rows(image_set *m) {
  for (size_t i = 0; i < m->n; i++) {
    const double *x = m->x + i * m->d;
    double *u = m->unit + i * m->d, norm = 0;
    for (size_t j = 0; j < m->d; j++) norm += x[j] * x[j];
    m->norm[i] = norm > 0 ? sqrt(norm) : 1;
    for (size_t j = 0; j < m->d; j++) u[j] = x[j] / m->norm[i];
  }
}

/* Keeps the pixels as bytes, if that is what they are. */
static void find_bytes(image_set *m) {
  int good = 1;
  for (size_t i = 0; good && i < m->n * m->d; i++) {
    double value = nearbyint(255 * m->x[i]);
    good = value >= 0 && value <= 255 && value / 255 == m->x[i];
    if (good) m->pixel[i] = (unsigned char)value;
  }
  if (good) return;
  free(m->pixel);
  m->pixel = NULL;
}

static int find_ink(image_set *m) {
  size_t count = 0;
  m->ink_start = malloc((m->n + 1) * sizeof *m->ink_start);
  m->ink = malloc((m->n * m->d + 1) * sizeof *m->ink);
  if (!m->ink_start || !m->ink) return 0;
  for (size_t i = 0; i < m->n; i++) {
    m->ink_start[i] = count;
    for (size_t j = 0; j < m->d; j++)
      if (m->x[i * m->d + j] != 0) m->ink[count++] = (uint32_t)j;
  }
  m->ink_start[m->n] = count;
  uint32_t *fitting = realloc(m->ink, (count + 1) * sizeof *fitting);
  if (fitting) m->ink = fitting;
  return 1;
}

scant_status images_load(image_set *images, const char *folder, const char *pair, scant_error *error) {
  *images = (image_set){0};
  scant_status status = append(images, folder, "train", pair, error);
  if (status == SCANT_OK) status = append(images, folder, "t10k", pair, error);
  if (status == SCANT_OK) {
    images->unit = malloc(images->n * images->d * sizeof *images->unit);
    images->norm = malloc(images->n * sizeof *images->norm);
    images->pixel = malloc(images->n * images->d);
    if (!images->unit || !images->norm || !images->pixel || !find_ink(images))
      status = fail(error, SCANT_MEMORY, "out of memory");
  }
  if (status == SCANT_OK) {
    scale_rows(images);
    find_bytes(images);
  }
  if (status != SCANT_OK) images_free(images);
  return status;
}

void images_free(image_set *images) {
  free(images->x);
  free(images->y);
  free(images->unit);
  free(images->norm);
  free(images->pixel);
  free(images->ink_start);
  free(images->ink);
  *images = (image_set){0};
}
