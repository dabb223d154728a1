/* The Gaussian of a model in its file: there and back to the bit, and damage. */
#include "base/text.h"
#include "changed.h"
#include "gaussians.h"

enum { D = 5 };

static scant_error error;

static scant_model *make_model(void) {
  scant_model *m = gaussian_model(D, 3, "algorithm=auto k=3");
  scant_gaussian *g = m->gaussian;
  free(g->quantiles);
  g->quantile_count = 3;
  g->quantiles = malloc(3 * sizeof *g->quantiles);
  memcpy(g->quantiles, (double[]){-1.5, 0.25, 0.25}, 3 * sizeof(double));
  g->excess = 1.0 / 3;
  g->two_valued = 1;
  g->values[0] = -0.5;
  g->values[1] = 2;
  return m;
}

TEST(a_loaded_gaussian_is_the_saved_one) {
  for (int two_valued = 0; two_valued < 2; two_valued++) {
    scant_model *m = make_model(), *back = NULL;
    m->gaussian->two_valued = two_valued;
    char *text = model_text(m, file_path("model.json"));
    if (!CHECK(scant_model_load(&back, file_path("model.json"), &error) == SCANT_OK)) printf("#   %s\n", error.text);
    if (!back) return;
    char *again = model_text(back, file_path("again.json"));
    const scant_gaussian *a = m->gaussian, *b = back->gaussian;
    CHECK(strcmp(text, again) == 0 && scant_model_is_gaussian(back));
    CHECK(b->count == a->count && b->quantile_count == 3 && b->two_valued == two_valued && b->excess == a->excess);
    CHECK(memcmp(a->attributes, b->attributes, a->count * sizeof *a->attributes) == 0);
    CHECK(memcmp(a->mean, b->mean, (a->count + 1) * sizeof *a->mean) == 0);
    CHECK(memcmp(a->covariance, b->covariance, (a->count + 1) * (a->count + 2) / 2 * sizeof *a->covariance) == 0);
    CHECK(memcmp(a->quantiles, b->quantiles, 3 * sizeof *a->quantiles) == 0);
    CHECK(!two_valued || memcmp(a->values, b->values, sizeof a->values) == 0);
    free(text);
    free(again);
    scant_model_free(m);
    scant_model_free(back);
  }
  scant_gaussian_free(NULL);
}

/* A Gaussian that knows no attribute at all predicts the mean. */
TEST(a_gaussian_of_the_target_alone_is_fine) {
  scant_model *m = make_model(), *back = NULL;
  scant_prediction p;
  scant_query *q = NULL;
  uint32_t attribute;
  scant_gaussian_free(m->gaussian);
  m->gaussian = NULL;
  CHECK(scant_gaussian_new(&m->gaussian, 0, 0, &error) == SCANT_OK);
  m->gaussian->mean[0] = 3;
  m->gaussian->covariance[0] = 4;
  free(model_text(m, file_path("model.json")));
  CHECK(scant_model_load(&back, file_path("model.json"), &error) == SCANT_OK);
  CHECK(scant_query_new(&q, back, NULL, &error) == SCANT_OK && !scant_query_next(q, &attribute));
  CHECK(scant_query_tell(q, 2, 9, &error) == SCANT_OK);
  scant_query_predict(q, 0, &p);
  CHECK(p.mean == 3 && p.variance == 4);
  scant_query_free(q);
  scant_model_free(m);
  scant_model_free(back);
}

/* Loads the good file with one part replaced and the checksum made right. */
static scant_status load_changed(const char *from, const char *to) {
  scant_model *m = make_model(), *back = NULL;
  double c[] = {1, 0.5, 4, 0, 0, 1, 0, 0, 0.5, 1, 0.25, 0.25, 0.25, 0.25, 1};
  memcpy(m->gaussian->covariance, c, sizeof c);
  memcpy(m->gaussian->mean, (double[]){1, 2, 3, 4, 5}, 5 * sizeof(double));
  m->gaussian->excess = 0.5;
  char *text = model_text(m, file_path("good.json"));
  scant_status status = scant_model_load(&back, file_changed("changed.json", text, from, to), &error);
  CHECK((status == SCANT_OK) == (back != NULL));
  scant_model_free(back);
  scant_model_free(m);
  free(text);
  return status;
}

#define COVARIANCE "\"covariance\": [1, 0.5, 4, 0, 0, 1, 0, 0, 0.5, 1, 0.25, 0.25, 0.25, 0.25, 1]"

TEST(wrong_contents_are_refused) {
  static const struct {
    const char *from, *to, *words;
  } changes[] = {
      {"\"gaussian\": {", "\"gaussian\": 5, \"x\": {", "'gaussian' is not an object"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 3, 2, 4]", "item 3 of 'attributes'"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 2, 2, 4]", "item 3 of 'attributes'"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 2, 3, 5]", "item 4 of 'attributes'"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 2, 3, 18446744073709551615]", "item 4 of 'attributes'"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 2, 3, -1]", "item 4 of 'attributes'"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 1, 2, 3, 4, 5]", "6 attributes of 5"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": [0, 2, 3]", "'mean' has 5 items, not 4"},
      {"\"attributes\": [0, 2, 3, 4]", "\"attributes\": 7", "'attributes' is not an array"},
      {"\"attributes\": [0, 2, 3, 4]", "\"x\": 7", "'attributes' is missing"},
      {"\"mean\": [1,", "\"mean\": [null,", "item 1 of 'mean'"},
      {"\"mean\": [1,", "\"mean\": [1e999,", "item 1 of 'mean'"},
      {"\"mean\": [1,", "\"mean\": [", "'mean' has 4 items"},
      {COVARIANCE, "\"covariance\": [1, 0.5, 4]", "'covariance' has 3 items, not 15"},
      {COVARIANCE, "\"x\": 1", "'covariance' is missing"},
      {"[1, 0.5, 4,", "[0, 0.5, 4,", "variance 1"},
      {"[1, 0.5, 4,", "[1, 0.5, -4,", "variance 2"},
      {"[1, 0.5, 4,", "[1, 2.1, 4,", "covariance 2, 1"},
      {"[1, 0.5, 4,", "[1, -2.1, 4,", "covariance 2, 1"},
      {"[1, 0.5, 4,", "[1, 1e999, 4,", "item 2 of 'covariance'"},
      {"[1, 0.5, 4, 0, 0, 1,", "[1, 1.8, 4, -0.9, 0, 1,", "not positive definite"},
      {"0.25, 0.25, 0.25, 0.25, 1]", "0.9, 0.25, 0.9, 0.25, 1]", "not positive definite"},
      {"\"excess\": 0.5", "\"excess\": -0.5", "excess"},
      {"\"excess\": 0.5", "\"excess\": null", "excess"},
      {"\"excess\": 0.5,", "", "excess"},
      {"\"target_values\": [-0.5, 2]", "\"target_values\": [2, -0.5]", "target_values"},
      {"\"target_values\": [-0.5, 2]", "\"target_values\": [2, 2]", "target_values"},
      {"\"target_values\": [-0.5, 2]", "\"target_values\": [1, 2, 3]", "target_values"},
      {"\"target_values\": [-0.5, 2]", "\"target_values\": null", "target_values"},
      {"\"quantiles\": [-1.5,", "\"quantiles\": [1.5,", "item 2 of 'quantiles'"},
      {"\"quantiles\": [-1.5,", "\"quantiles\": [\"a\",", "item 1 of 'quantiles'"},
      {"\"quantiles\": [", "\"quantile\": [", "'quantiles' is missing"},
  };
  CHECK(load_changed("\"excess\": 0.5", "\"excess\": 0") == SCANT_OK);
  CHECK(load_changed("\"target_values\": [-0.5, 2],", "") == SCANT_OK);
  CHECK(load_changed("[1, 0.5, 4,", "[1, 2, 4,") == SCANT_OK); /* singular */
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (!CHECK(load_changed(changes[i].from, changes[i].to) == SCANT_DATA)) printf("#   taken: %s\n", changes[i].to);
    CHECK_SAYS(error.text, changes[i].words);
    CHECK_SAYS(error.text, "gaussian");
  }
}

TEST(what_could_not_be_loaded_is_not_saved) {
  for (int i = 0; i < 4; i++) {
    scant_model *m = make_model();
    scant_gaussian *g = m->gaussian;
    if (i == 0) g->mean[2] = NAN;
    if (i == 1) g->covariance[0] = -1;
    if (i == 2) g->excess = INFINITY;
    if (i == 3) g->quantiles[0] = 7;
    CHECK(scant_model_save(m, file_path("odd.json"), &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "gaussian");
    CHECK(access(file_path("odd.json"), F_OK) != 0);
    scant_model_free(m);
  }
}

int main(void) {
  files_begin();
  RUN(a_loaded_gaussian_is_the_saved_one);
  RUN(a_gaussian_of_the_target_alone_is_fine);
  RUN(wrong_contents_are_refused);
  RUN(what_could_not_be_loaded_is_not_saved);
  files_end();
  return check_done();
}
