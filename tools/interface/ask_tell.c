/* A program as a user of the installed library writes it: a learner that is
 * told values of the caller's own, and a fit of a table in memory. */
#include <scant.h>
#include <stdio.h>

int main(void) {
  double x[4][3] = {{1, 0, 0.5}, {0, 1, 0.5}, {-1, 0, 0.25}, {0, -1, 0.125}}, y[4] = {0.5, -0.25, -0.5, 0.25};
  double w[3], intercept;
  scant_settings settings;
  scant_learner *learner;
  scant_look *look;
  scant_source *source;
  scant_fit *fit;
  scant_model *model;
  scant_error error;
  int done;

  scant_settings_init(&settings);
  if (scant_settings_set(&settings, "k", "2", &error) || scant_learner_new(&learner, &settings, 3, 40000, &error) ||
      scant_look_new(&look, learner, &error)) {
    puts(error.text);
    return 1;
  }
  for (int t = 0; t < 40000; t++) {
    double values[3];
    if (scant_learner_ask(learner, look, &error)) return puts(error.text), 1;
    for (unsigned i = 0; i < look->count; i++) values[i] = x[t % 4][look->attributes[i]];
    if (scant_learner_tell(learner, look, look->count, look->attributes, values, y[t % 4], &error))
      return puts(error.text), 1;
  }
  scant_learner_weights(learner, w, &intercept);
  printf("%d %d %d\n", w[0] > 0.3, w[1]<-0.1, intercept> - 0.1 && intercept < 0.1);
  scant_look_free(look);
  scant_learner_free(learner);

  if (scant_source_wrap(&source, SCANT_FLOAT64, x, 4, 3, sizeof x[0], sizeof x[0][0], y, &error) ||
      scant_fit_new(&fit, &settings, source, &error) || scant_fit_advance(fit, 100, &done, &error) ||
      scant_fit_model(fit, 0, &model, &error)) {
    puts(error.text);
    return 1;
  }
  printf("%d %llu\n", done, (unsigned long long)scant_fit_ledger(fit)->examples);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  return 0;
}
