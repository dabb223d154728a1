/* Attributes that errors-of names: their weights are unpenalised, looks follow them, and names are checked. */
#include "gaussian/normal.h"
#include "fitted.h"
#include "states.h"

/* Solved directly: the penalty is on the diagonal of all but two. */
static void check_weights(const scant_gaussian_fit *f, const double *w) {
  long double a[D * D], b[D];
  if (!CHECK(f->frame.variables == D + 1)) return;
  for (size_t i = 0; i < D; i++) {
    b[i] = f->normal.covariance[D * (D + 1) + i];
    for (size_t j = 0; j < D; j++) a[i * D + j] = f->normal.covariance[i * (D + 1) + j];
    if (i != 2 && i != 7) a[i * D + i] *= (long double)f->frame.factor[i] + f->choice.penalty;
  }
  solve_directly(a, b, D);
  for (size_t j = 0; j < D; j++) CHECK_NEAR(w[j], (double)b[j] * f->frame.unit[D] / f->frame.unit[j], 1e-9);
}

/* Reading otherwise and back leaves everything as it was. */
TEST(a_learner_is_read_unpenalised_and_back) {
  sample s = sample_new(N, D, 12);
  scant_learner *l = learned("k=5", &s, N);
  static const uint32_t some[] = {2, 7}, wrong[] = {D};
  double w[3][D], c[3];
  char *before = learner_text(l);
  scant_learner_weights(l, w[0], &c[0]);
  CHECK(scant_learner_unpenalise(l, some, 2, &error) == SCANT_OK && scant_learner_finish(l, &error) == SCANT_OK);
  const scant_gaussian_fit *f = &gaussian_of(l)->fit;
  CHECK(f->choice.noise == SCANT_PLAIN_NOISE && f->choice.scale == 1 && f->choice.penalty > 0);
  for (size_t v = 0; v + 1 < f->frame.variables; v++) {
    int named = f->frame.attribute[v] == 2 || f->frame.attribute[v] == 7;
    CHECK(f->frame.plain[v] == named && (!named || f->frame.factor[v] == 1));
  }
  scant_learner_weights(l, w[1], &c[1]);
  check_weights(f, w[1]);
  CHECK(scant_learner_unpenalise(l, wrong, 1, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "there is no attribute 14");
  CHECK(scant_learner_unpenalise(l, NULL, 0, &error) == SCANT_OK && scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_weights(l, w[2], &c[2]);
  char *after = learner_text(l);
  CHECK(memcmp(w[0], w[1], sizeof w[0]) != 0 && !memcmp(w[0], w[2], sizeof w[0]) && c[0] == c[2]);
  CHECK(!strcmp(before, after));
  free(before);
  free(after);
  scant_learner_free(l);
  sample_free(&s);
}

/* What is named is looked at, whether it predicts or not. */
TEST(looks_follow_what_is_named) {
  sample s = sample_new(N, D, 13);
  uint64_t seed = 4;
  for (size_t row = 0; row < N; row++) s.x[row * D + 5] = random_normal(&seed); /* tells nothing */
  fitted plain = fit_of(&s, gaussian("k=3 errors=yes"), 0), named = fit_of(&s, naming("k=3", "6"), 0);
  uint64_t before = scant_model_purchases(plain.model)[5], now = scant_model_purchases(named.model)[5];
  CHECK(now > before + before / 4);
  CHECK(scant_model_ledger(plain.model)->attributes_bought == scant_model_ledger(named.model)->attributes_bought);
  fitted_free(&plain);
  fitted_free(&named);
  sample_free(&s);
}

static void check_names(scant_source *source, const char *list, const char *words) {
  scant_settings settings = gaussian("k=3");
  scant_fit *fit = NULL;
  CHECK(scant_settings_set(&settings, "errors-of", list, NULL) == SCANT_OK);
  error.text[0] = 0;
  CHECK(scant_fit_new(&fit, &settings, source, &error) == (words ? SCANT_USAGE : SCANT_OK));
  if (words) CHECK_SAYS(error.text, words);
  scant_fit_free(fit);
}

TEST(names_are_checked) {
  sample s = sample_new(N, D, 14);
  scant_source *source = source_of(&s);
  static const char *const names[D] = {"a", "all", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
  check_names(source, "1,14", NULL);
  check_names(source, "15",
              "errors-of names '15', which is no attribute: without names they are numbered from 1 to 14");
  check_names(source, "0", "names '0'");
  check_names(source, "", "names ''");
  CHECK(scant_source_set_names(source, names, "y", NULL) == SCANT_OK);
  check_names(source, "a,n", NULL);
  check_names(source, "a,aln", "errors-of names 'aln', which is no attribute; the nearest name is 'all'");
  check_names(source, "a,c,a", "errors-of names 'a' twice");
  scant_settings settings = naming("k=3", "all");
  scant_fit *fit = NULL;
  CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK); /* an attribute may be called so */
  CHECK(fit->learner->unpenalised[1] && !fit->learner->unpenalised[0]);
  scant_fit_free(fit);
  scant_source_free(source);
  sample_free(&s);
}

/* `default` takes gaussian for it. */
TEST(errors_of_selects_gaussian) {
  sample s = sample_new(N, D, 15);
  scant_settings settings = naming("k=3", "all");
  settings.learning.algorithm = SCANT_DEFAULT_ALGORITHM;
  fitted f = fit_of(&s, settings, 1);
  CHECK(!strcmp(scant_model_settings(f.model)->learning.algorithm, "gaussian") && scant_model_errors(f.model));
  CHECK_SAYS(scant_fit_choice(f.fit), "only it takes errors-of");
  fitted_free(&f);
  sample_free(&s);
}

int main(void) {
  RUN(a_learner_is_read_unpenalised_and_back);
  RUN(looks_follow_what_is_named);
  RUN(names_are_checked);
  RUN(errors_of_selects_gaussian);
  return check_done();
}
