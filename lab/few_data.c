/* What few learns and predicts: images of MNIST, or a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "few.h"

enum { IMAGES_K = 56, ROWS_FEWEST = 20 };

static scant_status choose_k(few_data *data, uint64_t preset, scant_error *error) {
  size_t d = data->set.d;
  if (data->k > d) {
    snprintf(error->text, sizeof error->text, "k = %llu is more than the %zu attributes of the data",
             (unsigned long long)data->k, d);
    return SCANT_USAGE;
  }
  if (!data->k) data->k = preset < d ? preset : d;
  return SCANT_OK;
}

scant_status few_load_images(few_data *data, const char *folder, const char *pair, scant_error *error) {
  scant_status status = images_load(&data->set, folder, pair, error);
  if (status != SCANT_OK) return status;
  size_t comma = strcspn(pair, ","); /* there is one: classes were read by it */
  snprintf(data->title, sizeof data->title, "MNIST %.*s vs %.20s", (int)comma, pair, pair + comma + 1);
  if (!(data->held_out > 0)) data->held_out = 0.1;
  return choose_k(data, IMAGES_K, error);
}

/* ---- tables --------------------------------------------------------------------- */

static scant_status read_rows(few_data *data, scant_source *source, scant_error *error) {
  image_set *m = &data->set;
  m->n = scant_source_rows(source);
  m->d = scant_source_dimension(source);
  if (m->n < ROWS_FEWEST) {
    snprintf(error->text, sizeof error->text, "there are %zu examples, and at least %d are needed", m->n, ROWS_FEWEST);
    return SCANT_DATA;
  }
  m->x = malloc(m->n * m->d * sizeof *m->x);
  m->y = malloc(m->n * sizeof *m->y);
  if (!m->x || !m->y) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return SCANT_MEMORY;
  }
  scant_status status = SCANT_OK;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; status == SCANT_OK && i < m->n; i++) {
    double *row = m->x + i * m->d;
    status = scant_source_row(source, i, row, error);
    m->y[i] = scant_source_target(source, i);
    low = fmin(low, m->y[i]);
    high = fmax(high, m->y[i]);
    for (size_t j = 0; status == SCANT_OK && j < m->d; j++) data->has_holes |= isnan(row[j]);
  }
  data->range = high - low;
  if (status != SCANT_OK || data->range > 0) return status;
  snprintf(error->text, sizeof error->text, "the target is the same in all examples");
  return SCANT_DATA;
}

static void set_title(few_data *data, const char *path, int log_target) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  snprintf(data->title, sizeof data->title, "%.80s%s", name, log_target ? ", learned as log(1 + y)" : "");
}

scant_status few_load_table(few_data *data, const char *path, const scant_settings *settings, scant_error *error) {
  scant_settings reading = *settings;
  scant_source *source = NULL;
  data->log_target = settings->reading.log_target;
  reading.reading.log_target = 0; /* targets are compared as they are; a fit takes their logarithms itself */
  scant_status status = scant_source_open(&source, path, &reading, SCANT_TARGET_REQUIRED, error);
  if (status == SCANT_OK) status = read_rows(data, source, error);
  scant_source_free(source);
  if (status != SCANT_OK) return status;
  set_title(data, path, data->log_target);
  if (!(data->held_out > 0)) data->held_out = 0.3;
  return choose_k(data, (data->set.d + 2) / 3 < 2 ? 2 : (data->set.d + 2) / 3, error);
}
