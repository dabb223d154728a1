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
  settings.reading.labels = labels;
  settings.reading.classes = pair;
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

static void find_norms(image_set *m) {
  for (size_t i = 0; i < m->n; i++) {
    double norm = 0;
    for (size_t j = 0; j < m->d; j++) norm += m->x[i * m->d + j] * m->x[i * m->d + j];
    m->norm[i] = norm > 0 ? sqrt(norm) : 1;
  }
}

/* Keeps the pixels as bytes, if all values are bytes / 255. */
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

/* 0: out of memory. */
static int find_ink(image_set *m) {
  size_t count = 0;
  for (size_t i = 0; i < m->n * m->d; i++) count += m->x[i] != 0;
  m->ink_start = malloc((m->n + 1) * sizeof *m->ink_start);
  m->ink = malloc((count + 1) * sizeof *m->ink);
  m->ink_x = malloc((count + 1) * sizeof *m->ink_x);
  m->ink_unit = malloc((count + 1) * sizeof *m->ink_unit);
  if (!m->ink_start || !m->ink || !m->ink_x || !m->ink_unit) return 0;
  count = 0;
  for (size_t i = 0; i < m->n; i++) {
    m->ink_start[i] = count;
    for (size_t j = 0; j < m->d; j++) {
      double x = m->x[i * m->d + j];
      if (x == 0) continue;
      m->ink[count] = (uint32_t)j;
      m->ink_x[count] = x;
      m->ink_unit[count++] = x / m->norm[i];
    }
  }
  m->ink_start[m->n] = count;
  return 1;
}

scant_status images_load(image_set *images, const char *folder, const char *pair, scant_error *error) {
  *images = (image_set){0};
  scant_status status = append(images, folder, "train", pair, error);
  if (status == SCANT_OK) status = append(images, folder, "t10k", pair, error);
  if (status == SCANT_OK) {
    images->norm = malloc(images->n * sizeof *images->norm);
    images->pixel = malloc(images->n * images->d);
    if (images->norm) find_norms(images);
    if (images->pixel) find_bytes(images);
    if (!images->norm || !find_ink(images)) status = fail(error, SCANT_MEMORY, "out of memory");
  }
  if (status != SCANT_OK) images_free(images);
  return status;
}

void images_free(image_set *images) {
  free(images->x);
  free(images->y);
  free(images->norm);
  free(images->pixel);
  free(images->ink_start);
  free(images->ink);
  free(images->ink_x);
  free(images->ink_unit);
  *images = (image_set){0};
}
