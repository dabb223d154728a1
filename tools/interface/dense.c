/* A program that learns with an engine of libscant-dense. */
#include <scant_dense.h>
#include <stdio.h>

enum { ROWS = 40, D = 3 };

int main(void) {
  static double x[ROWS * D], y[ROWS];
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < D; j++) x[i * D + j] = (double)((i * (j + 3) + j) % 7) - 3;
    y[i] = 2 * x[i * D] - x[i * D + 2];
  }
  scant_settings settings;
  scant_error error = {""};
  scant_source *source;
  scant_fit *fit;
  scant_model *model;
  int done;
  scant_settings_init(&settings);
  settings.runtime.engines = scant_dense_engines();
  if (scant_settings_set(&settings, "algorithm", "full-ridge", &error) ||
      scant_settings_set(&settings, "radius", "10", &error) ||
      scant_source_wrap(&source, SCANT_FLOAT64, x, ROWS, D, D * sizeof *x, sizeof *x, y, &error) ||
      scant_fit_new(&fit, &settings, source, &error) || scant_fit_advance(fit, UINT64_MAX, &done, &error) ||
      scant_fit_model(fit, 0, &model, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  const double *w = scant_model_weights(model);
  printf("%.6f %.6f %.6f\n", w[0], w[1] * w[1] < 1e-18 ? 0 : w[1], w[2]);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  return 0;
}
