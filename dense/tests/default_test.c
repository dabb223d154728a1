/* What `default` stands for: the rule on both sides of its limit, options, prices, engines, and that nothing is
 * chosen anew by what goes on. */
#include <math.h>

#include "engine.h"
#include "fits.h"
#include "price/prices.h"

static scant_error why;

/* Settings that name no algorithm, with engines. */
static scant_settings unnamed(const char *list) {
  scant_settings s;
  scant_settings_init(&s);
  settings_add(&s, list);
  s.runtime.engines = scant_dense_engines();
  return s;
}

static int is_named(const scant_settings *s, const char *name) {
  return !strcmp(s->learning.algorithm, name);
}

/* The settings take this algorithm, and the reason has these words. */
static void takes(scant_settings s, size_t d, uint64_t m, const char *algorithm, const char *words, int line) {
  scant_settings given = s;
  why.text[0] = 0;
  check_that(scant_settings_choose(&s, d, m, NULL, &why) == 1, "chosen", __FILE__, line);
  if (!check_that(is_named(&s, algorithm), algorithm, __FILE__, line)) printf("#   %s\n", why.text);
  check_says(why.text, words, __FILE__, line);
  check_that(scant_settings_choose(&given, d, m, NULL, NULL) == 1 && is_named(&given, algorithm), "without a reason",
             __FILE__, line);
  s.learning.algorithm = given.learning.algorithm = SCANT_DEFAULT_ALGORITHM;
  check_that(memcmp(&s, &given, sizeof s) == 0, "nothing else changed", __FILE__, line);
}

#define TAKES(list, d, m, algorithm, words) takes(unnamed(list), d, m, algorithm, words, __LINE__)

/* ---- the rule ------------------------------------------------------------------- */

TEST(it_is_what_the_table_of_options_has) {
  scant_settings s;
  scant_settings_init(&s);
  CHECK(is_named(&s, SCANT_DEFAULT_ALGORITHM) && !scant_settings_is_given(&s, scant_option_find("algorithm")));
  CHECK(!scant_algorithm_find(SCANT_DEFAULT_ALGORITHM));
  CHECK(SCANT_DEFAULT_WORK >= 8.0 * 784 * 784 * 784 + 12040 * 64); /* MNIST at K = 4 is inside */
}

TEST(examples_times_k_cubed_and_attributes_cubed) {
  for (size_t d = 20; d <= 200; d += 90)
    for (size_t k = 2; k <= d; k = 3 * k + 1) {
      double cube = (double)(k * k * k), left = SCANT_DEFAULT_WORK - 8 * (double)(d * d * d);
      uint64_t most = (uint64_t)floor(left / cube);
      char list[32];
      snprintf(list, sizeof list, "k=%zu", k);
      TAKES(list, d, most, "gaussian", "m K^3 + 8 d^3 = ");
      TAKES(list, d, most, "gaussian", "at most");
      TAKES(list, d, most + 1, "auto", "above");
      TAKES(list, d, 0, "gaussian", "8 d^3 = ");
    }
}

TEST(attributes_alone_where_examples_are_not_known) {
  size_t most = (size_t)floor(cbrt(SCANT_DEFAULT_WORK / 8));
  while (8 * pow((double)most + 1, 3) <= SCANT_DEFAULT_WORK) most++;
  while (8 * pow((double)most, 3) > SCANT_DEFAULT_WORK) most--;
  TAKES("k=4", most, 0, "gaussian", "8 d^3 = ");
  TAKES("k=4", most + 1, 0, "auto", "8 d^3 = ");
  CHECK(!strstr(why.text, "m K^3"));
  TAKES("k=4", most + 1, 1, "auto", "m K^3 + 8 d^3");
}

TEST(a_named_algorithm_stays) {
  for (size_t i = 0; scant_algorithm_at(i); i++) {
    scant_settings s = unnamed("k=4"), before;
    s.learning.algorithm = scant_algorithm_at(i)->name;
    memcpy(&before, &s, sizeof s);
    CHECK(scant_settings_choose(&s, 10, 10, NULL, &why) == 0 && memcmp(&before, &s, sizeof s) == 0);
  }
}

/* ---- what else decides ------------------------------------------------------------- */

/* Each option that was given and that one of the two does not take selects the other, and none else does. */
TEST(options_select) {
  const scant_algorithm *dense = scant_algorithm_find("gaussian"), *streaming = scant_algorithm_find("auto");
  const scant_option *o;
  int selecting = 0;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!o->preset || !strcmp(o->name, "algorithm")) continue;
    scant_settings s = unnamed("k=4");
    CHECK(scant_settings_set(&s, o->name, o->preset, NULL) == SCANT_OK);
    int learner = (o->scope & SCANT_SCOPE_LEARNER) != 0, of_dense = !learner || scant_algorithm_takes(dense, o->name),
        of_streaming = !learner || scant_algorithm_takes(streaming, o->name);
    takes(s, 10, 10, of_streaming && !of_dense ? "auto" : "gaussian", of_streaming != of_dense ? o->name : "m K^3",
          __LINE__);
    selecting += of_streaming != of_dense;
    scant_error said = {""};
    CHECK(scant_settings_resolve(&s, &said) == (of_dense || of_streaming ? SCANT_OK : SCANT_USAGE));
    if (!of_dense && !of_streaming) {
      CHECK_SAYS(said.text, o->name);
      CHECK_SAYS(said.text, "neither gaussian nor auto");
      CHECK_SAYS(said.text, "option algorithm");
    }
  }
  CHECK(selecting >= 4);
  TAKES("k=4 like-units=yes observed=yes", 10, 10, "auto", "like-units");
  TAKES("k=4 passes=2", 10, 10, "auto", "one pass");
  TAKES("observed=yes", 900, 1000000, "gaussian", "observed"); /* whatever the size: nothing else can learn from it */
}

TEST(without_its_engine) {
  scant_settings s = unnamed("k=4");
  s.runtime.engines = NULL;
  takes(s, 10, 10, "auto", "no engine of gaussian", __LINE__);
  const scant_engine *const *all = scant_dense_engines();
  s.runtime.engines = all + 1; /* all but that of gaussian, which is the first */
  takes(s, 10, 10, "auto", "no engine", __LINE__);
  scant_learner *l = NULL;
  CHECK(scant_learner_new(&l, &s, 10, 10, &why) == SCANT_OK && !strcmp(scant_learner_algorithm(l), "auto"));
  scant_learner_free(l);
  s = unnamed("k=4");
  CHECK(scant_learner_new(&l, &s, 10, 10, &why) == SCANT_OK && !strcmp(scant_learner_algorithm(l), "gaussian"));
  scant_learner_free(l);
}

/* While the looks of gaussian do not follow prices, auto is taken where there are any. */
TEST(prices) {
  static const uint64_t costs[4] = {100, 200, 0, 300};
  scant_prices *prices = NULL;
  int follows = scant_algorithm_takes(scant_algorithm_find("gaussian"), "spend");
  CHECK(scant_prices_new(&prices, 4, costs, NULL, NULL) == SCANT_OK);
  scant_settings s = unnamed("k=3");
  CHECK(scant_settings_choose(&s, 4, 10, prices, &why) == 1 && is_named(&s, follows ? "gaussian" : "auto"));
  CHECK_SAYS(why.text, follows ? "m K^3" : "prices");
  scant_prices_free(prices);
}

TEST(resolving_checks_and_leaves_it) {
  scant_settings s = unnamed("k=4"), before;
  memcpy(&before, &s, sizeof s);
  CHECK(scant_settings_resolve(&s, &why) == SCANT_OK && memcmp(&before, &s, sizeof s) == 0);
  s = unnamed("");
  CHECK(scant_settings_resolve(&s, &why) == SCANT_USAGE);
  CHECK_SAYS(why.text, "k is missing");
  s = unnamed("k=4 passes=3");
  CHECK(scant_settings_resolve(&s, &why) == SCANT_USAGE);
  CHECK_SAYS(why.text, "3 passes");
}

/* ---- fits ---------------------------------------------------------------------------- */

enum { WIDE = 200 };

/* With K = d = 200 a few hundred examples are the limit. */
static uint64_t most_examples(void) {
  return (uint64_t)floor((SCANT_DEFAULT_WORK - 8.0 * WIDE * WIDE * WIDE) / ((double)WIDE * WIDE * WIDE));
}

static scant_source *wide_source(size_t rows) {
  static double *x, *y;
  scant_source *source = NULL;
  x = calloc(rows * WIDE, sizeof *x);
  y = calloc(rows, sizeof *y);
  uint64_t state = 1;
  for (size_t i = 0; i < rows * WIDE; i++) x[i] = random_real(&state);
  for (size_t i = 0; i < rows; i++) y[i] = random_real(&state);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, rows, WIDE, WIDE * sizeof *x, sizeof *x, y, NULL) == SCANT_OK);
  return source; /* its arrays last as long as the program */
}

static void fit_takes(scant_source *source, const char *list, const char *algorithm, int line) {
  scant_settings s = unnamed(list);
  scant_fit *fit = fit_with(&s, source);
  check_that(is_named(scant_fit_settings(fit), algorithm), list, __FILE__, line);
  check_that(!strcmp(scant_learner_algorithm(scant_fit_learner(fit)), algorithm), list, __FILE__, line);
  check_says(scant_fit_choice(fit), "8 d^3", __FILE__, line);
  scant_fit_free(fit);
}

/* The examples that will be bought from count: not those that are held out or left over. */
TEST(fits_count_their_examples) {
  uint64_t most = most_examples();
  scant_source *source = wide_source((size_t)most + 1);
  char list[80];
  fit_takes(source, "k=200", "auto", __LINE__);
  fit_takes(source, "k=199", "gaussian", __LINE__);
  snprintf(list, sizeof list, "k=200 examples=%llu", (unsigned long long)most);
  fit_takes(source, list, "gaussian", __LINE__);
  snprintf(list, sizeof list, "k=200 split=%.9g", 1 / ((double)most + 1));
  fit_takes(source, list, "gaussian", __LINE__);
  snprintf(list, sizeof list, "k=200 budget=%llu", (unsigned long long)most * 200);
  fit_takes(source, list, "gaussian", __LINE__);
  snprintf(list, sizeof list, "k=200 budget=%llu", (unsigned long long)most * 200 + 1);
  fit_takes(source, list, "auto", __LINE__);
  scant_settings s = unnamed("k=200");
  scant_fit *fit = NULL;
  CHECK(scant_fit_stream(&fit, &s, source, &why) == SCANT_OK && is_named(scant_fit_settings(fit), "gaussian"));
  CHECK(!strncmp(scant_fit_choice(fit), "8 d^3", 5));
  scant_fit_free(fit);
  s = unnamed("k=201");
  CHECK(scant_fit_new(&fit, &s, source, &why) == SCANT_DATA);
  CHECK_SAYS(why.text, "more than the 200 attributes");
  s = unnamed("k=20 memory=1e-9");
  CHECK(scant_fit_new(&fit, &s, source, &why) == SCANT_DATA);
  CHECK_SAYS(why.text, "gaussian needs");
  CHECK_SAYS(why.text, "option algorithm auto");
  scant_source_free(source);
}

/* The same bits as by name. */
TEST(fits_are_those_of_what_was_taken) {
  static table data;
  table_fill(&data, 1);
  static const char *const lists[][2] = {{"k=4", "gaussian"}, {"k=4 like-units=yes", "auto"}};
  for (size_t i = 0; i < 2; i++) {
    scant_source *source = table_source(&data);
    scant_settings s = unnamed(lists[i][0]), by_name = s;
    by_name.learning.algorithm = lists[i][1];
    char *chosen = fitted_text(&s, source), *named = fitted_text(&by_name, source);
    CHECK(chosen && named && !strcmp(chosen, named) && !strstr(chosen, SCANT_DEFAULT_ALGORITHM));
    scant_fit *fit = fit_with(&by_name, source);
    CHECK(scant_fit_choice(fit) == NULL);
    scant_fit_free(fit);
    free(chosen);
    free(named);
    scant_source_free(source);
  }
}

/* ---- nothing is chosen anew ------------------------------------------------------------- */

TEST(a_checkpoint_holds_what_was_taken) {
  static table data;
  table_fill(&data, 1);
  scant_source *source = table_source(&data);
  scant_settings s = unnamed("k=4"), again = s;
  CHECK(scant_settings_set(&again, "algorithm", SCANT_DEFAULT_ALGORITHM, NULL) == SCANT_OK); /* as given, too */
  char *whole = fitted_text(&s, source);
  scant_fit *fit = fit_with(&s, source), *resumed = NULL;
  scant_model *checkpoint = NULL;
  advance(fit, TABLE_ROWS / 2);
  CHECK(scant_fit_model(fit, 1, &checkpoint, &why) == SCANT_OK);
  CHECK(is_named(scant_model_settings(checkpoint), "gaussian"));
  const scant_settings *const given[] = {&s, &again};
  for (size_t i = 0; i < 2; i++) {
    CHECK(scant_fit_resume(&resumed, checkpoint, given[i], source, &why) == SCANT_OK);
    CHECK(scant_fit_choice(resumed) == NULL);
    advance(resumed, 1 << 30);
    char *text = fit_text(resumed, 0);
    CHECK(!strcmp(text, whole));
    free(text);
    scant_fit_free(resumed);
  }
  s.runtime.engines = NULL; /* then it can't go on; it does not begin with auto */
  CHECK(scant_fit_resume(&resumed, checkpoint, &s, source, &why) == SCANT_USAGE);
  CHECK_SAYS(why.text, "needs an engine");
  again = unnamed("k=4 algorithm=auto");
  CHECK(scant_fit_resume(&resumed, checkpoint, &again, source, &why) == SCANT_USAGE);
  CHECK_SAYS(why.text, "algorithm is gaussian");
  free(whole);
  scant_model_free(checkpoint);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(a_kept_learner_names_what_was_taken) {
  scant_settings s = unnamed("k=4");
  scant_learner *l = engine_learner(s, 10), *again = NULL;
  CHECK(engine_reload(l, &s, &again, &why) == SCANT_OK && !strcmp(scant_learner_algorithm(again), "gaussian"));
  scant_learner_free(again);
  s.runtime.engines = NULL;
  CHECK(engine_reload(l, &s, &again, &why) == SCANT_USAGE);
  scant_learner_free(l);
}

TEST(tuning_is_of_auto) {
  static table data;
  table_fill(&data, 1);
  scant_source *source = table_source(&data);
  scant_settings candidates[] = {unnamed("k=4"), unnamed("k=4 like-units=yes"), unnamed("k=4")};
  candidates[2].learning.algorithm = "auto";
  scant_tune *tune = NULL;
  scant_model *model = NULL;
  int done = 0;
  CHECK(scant_tune_new(&tune, candidates, 3, source, &why) == SCANT_OK);
  CHECK(is_named(scant_fit_settings(scant_tune_fit(tune)), "auto"));
  CHECK(scant_tune_advance(tune, 1 << 30, &done, &why) == SCANT_OK && done);
  CHECK(scant_tune_model(tune, 1, &model, &why) == SCANT_OK && is_named(scant_model_settings(model), "auto"));
  scant_model_free(model);
  scant_tune_free(tune);
  candidates[1].learning.algorithm = "gaussian";
  CHECK(scant_tune_new(&tune, candidates, 2, source, &why) == SCANT_USAGE);
  scant_source_free(source);
}

int main(void) {
  files_begin();
  RUN(it_is_what_the_table_of_options_has);
  RUN(examples_times_k_cubed_and_attributes_cubed);
  RUN(attributes_alone_where_examples_are_not_known);
  RUN(a_named_algorithm_stays);
  RUN(options_select);
  RUN(without_its_engine);
  RUN(prices);
  RUN(resolving_checks_and_leaves_it);
  RUN(fits_count_their_examples);
  RUN(fits_are_those_of_what_was_taken);
  RUN(a_checkpoint_holds_what_was_taken);
  RUN(a_kept_learner_names_what_was_taken);
  RUN(tuning_is_of_auto);
  files_end();
  return check_done();
}
