/* The row gaussian through checkpoints, and out of memory. */
#include <lapacke.h>

#include "base/text.h"
#include "fail.h"
#include "sample.h"

/* ---- checkpoints --------------------------------------------------------------------------- */

static scant_status restored(scant_learner **l, const char *list, size_t dimension, const char *text) {
  scant_json json = {0};
  *l = open_learner(list, dimension);
  scant_status status = scant_json_parse(&json, text, strlen(text), &error);
  if (status == SCANT_OK) status = scant_learner_restore(*l, &json, 0, &error);
  scant_json_free(&json);
  return status;
}

TEST(it_resumes_to_the_same_bits) {
  static const char *const lists[] = {"k=4", "observed=yes"};
  sample s = sample_new(N, D, 15);
  for (size_t i = 0; i < N * D; i += 7) s.x[i] = NAN;
  for (size_t r = 0; r < 2; r++) {
    scant_learner *whole = learned(lists[r], &s, 120), *l = NULL;
    double w[2][D], c[2];
    scant_learner_weights(whole, w[0], &c[0]);
    char *wanted = learner_text(whole);
    static const size_t cuts[] = {0, 5, 19, 20, 21, 28, 29, 60, 119, 120};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
      scant_learner *first = open_learner(lists[r], D);
      teach(first, &s, 0, cuts[i]);
      char *text = learner_text(first);
      if (!CHECK(restored(&l, lists[r], D, text) == SCANT_OK)) printf("#   %s\n", error.text);
      CHECK(same_state(first, l));
      teach(l, &s, cuts[i], 120);
      CHECK(scant_learner_finish(l, &error) == SCANT_OK);
      scant_learner_weights(l, w[1], &c[1]);
      CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
      char *got = learner_text(l);
      CHECK(strcmp(wanted, got) == 0);
      free(text);
      free(got);
      scant_learner_free(first);
      scant_learner_free(l);
    }
    free(wanted);
    scant_learner_free(whole);
  }
  sample_free(&s);
}

/* Both rows with engines, with a look open, as texts of their own. */
TEST(kept_learners_go_on_with_the_same_bits) {
  static const char *const rows[] = {"algorithm=gaussian threads=1", "algorithm=moments threads=1"};
  static const size_t cuts[] = {0, 1, 60};
  sample s = sample_new(N, D, 15);
  for (size_t i = 0; i < 6; i++) {
    scant_settings settings = engine_settings(rows[i / 3], "k=4 max-open=3");
    scant_learner *one = engine_learner(settings, D), *two = NULL;
    teach(one, &s, 0, cuts[i % 3]);
    scant_look *open = look_for(one), *same = NULL;
    CHECK(scant_learner_ask(one, open, &error) == SCANT_OK);
    char *text = NULL, *again = NULL;
    size_t length;
    CHECK(scant_look_save(open, &text, &length, &error) == SCANT_OK);
    CHECK(scant_look_load(&same, text, length, &error) == SCANT_OK);
    scant_text_free(text);
    CHECK(scant_learner_save(one, &text, &length, &error) == SCANT_OK);
    CHECK(scant_learner_load(&two, text, length, NULL, &error) == SCANT_USAGE && !two);
    CHECK_SAYS(error.text, "needs an engine");
    if (!CHECK(scant_learner_load(&two, text, length, &settings, &error) == SCANT_OK)) printf("#   %s\n", error.text);
    teach(one, &s, 60, 90);
    teach(two, &s, 60, 90);
    CHECK(tell_row(one, open, &s, 91) == SCANT_OK && tell_row(two, same, &s, 91) == SCANT_OK);
    teach(one, &s, 92, 110);
    teach(two, &s, 92, 110);
    CHECK(scant_learner_finish(one, &error) == SCANT_OK && scant_learner_finish(two, &error) == SCANT_OK);
    double w[2][D], c[2];
    scant_learner_weights(one, w[0], &c[0]);
    scant_learner_weights(two, w[1], &c[1]);
    CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
    scant_text_free(text);
    CHECK(scant_learner_save(one, &text, &length, &error) == SCANT_OK);
    CHECK(scant_learner_save(two, &again, &length, &error) == SCANT_OK);
    CHECK(strcmp(text, again) == 0);
    scant_text_free(text);
    scant_text_free(again);
    scant_look_free(open);
    scant_look_free(same);
    scant_learner_free(one);
    scant_learner_free(two);
  }
  sample_free(&s);
}

/* A fit of one source after another, and the same kept in between. */
TEST(kept_streams_go_on_with_the_same_bits) {
  static const char *const lists[] = {"algorithm=gaussian k=4 threads=1", "algorithm=moments k=4 threads=1",
                                      "algorithm=gaussian observed=yes threads=1"};
  sample s = sample_new(90, D, 15);
  scant_source *source[3];
  for (size_t i = 0; i < 3; i++)
    CHECK(scant_source_wrap(&source[i], SCANT_FLOAT64, s.x + 30 * i * D, 30, D, D * sizeof(double), sizeof(double),
                            s.y + 30 * i, &error) == SCANT_OK);
  for (size_t r = 0; r < 3; r++) {
    scant_settings settings = engine_settings(lists[r], "");
    char *texts[2] = {NULL, NULL};
    for (int keep = 0; keep < 2; keep++) {
      scant_fit *fit = NULL;
      scant_model *model = NULL;
      size_t length;
      int done = 0;
      CHECK(scant_fit_stream(&fit, &settings, source[0], &error) == SCANT_OK);
      for (size_t i = 1; i < 3; i++) {
        CHECK(scant_fit_advance(fit, 1000, &done, &error) == SCANT_OK && done);
        if (!keep) {
          CHECK(scant_fit_feed(fit, source[i], &error) == SCANT_OK);
          continue;
        }
        scant_learner *learner = NULL;
        CHECK(engine_reload(scant_fit_learner(fit), &settings, &learner, &error) == SCANT_OK);
        CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
        scant_fit_free(fit);
        if (!CHECK(scant_fit_continue(&fit, model, learner, source[i], &error) == SCANT_OK))
          printf("#   %s\n", error.text);
        scant_model_free(model);
      }
      CHECK(scant_fit_advance(fit, 1000, &done, &error) == SCANT_OK && done);
      CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
      CHECK(scant_fit_ledger(fit)->examples == 90);
      CHECK(scant_model_write(model, &texts[keep], &length, &error) == SCANT_OK);
      scant_model_free(model);
      scant_fit_free(fit);
    }
    CHECK(strcmp(texts[0], texts[1]) == 0);
    scant_text_free(texts[0]);
    scant_text_free(texts[1]);
  }
  for (size_t i = 0; i < 3; i++) scant_source_free(source[i]);
  sample_free(&s);
}

/* The text with what follows "key": replaced up to the end of its value. */
static char *changed(const char *text, const char *key, const char *value) {
  char name[64], *made = malloc(strlen(text) + strlen(value) + 1);
  snprintf(name, sizeof name, "\"%s\":", key);
  const char *at = strstr(text, name);
  if (!CHECK(at != NULL)) return strcpy(made, text);
  at += strlen(name);
  const char *end = at;
  for (int depth = 0, quoted = 0; depth > 0 || quoted || (*end != ',' && *end != '}'); end++) {
    if (*end == '"') quoted = !quoted;
    if (*end == '[') depth++;
    if (*end == ']') depth--;
  }
  sprintf(made, "%.*s%s%s", (int)(at - text), text, value, end);
  return made;
}

enum { FEW = 3 };

/* A learner of a few attributes that was told 30 looks. */
static scant_learner *few_told(void) {
  sample s = sample_new(60, FEW, 16);
  scant_learner *l = open_learner("k=2", FEW);
  teach(l, &s, 0, 30);
  sample_free(&s);
  return l;
}

/* This text is no state: the sentence has the words. */
static void check_no_state(const char *text, const char *words) {
  scant_learner *again = NULL;
  error.text[0] = 0;
  CHECK(restored(&again, "k=2", FEW, text) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  scant_learner_free(again);
}

TEST(a_damaged_state_is_refused) {
  static const char *const changes[][3] = {
      {"renew_at", "0", "out of range"},
      {"renew_at", "-1", "renew_at"},
      {"chosen_at", "1000", "out of range"},
      {"chosen_at", "\"x\"", "chosen_at"},
      {"noise", "0", "out of range"},
      {"noise", "-1", "out of range"},
      {"noise", "\"x\"", "noise"},
      {"noise", "null", "noise"},
      {"follow", "[1]", "follow"},
      {"follow", "[-1,1,1]", "out of range"},
      {"follow", "[null,1,1]", "follow"},
      {"explore", "[1,1,0]", "out of range"},
      {"explore", "[1,1]", "explore"},
      {"looks", "1", "looks"},
      {"sizes", "\"\"", "sizes"},
      {"sizes", "\"?\"", "sizes"},
      {"attributes", "\"AAAA\"", "attributes"},
      {"values", "\"AAAA\"", "values"},
      {"targets", "3", "targets"},
  };
  scant_learner *l = few_told(), *again = NULL;
  char *text = learner_text(l);
  CHECK(restored(&again, "k=2", FEW, text) == SCANT_OK);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char *bad = changed(text, changes[i][0], changes[i][1]);
    int before = check_failures;
    check_no_state(bad, changes[i][2]);
    if (check_failures > before) printf("#   %s: %s\n", changes[i][0], changes[i][1]);
    free(bad);
  }
  free(text);
  scant_learner_free(again);
  scant_learner_free(l);
}

/* Arrays of the right length whose numbers are impossible. */
TEST(impossible_looks_are_refused) {
  scant_learner *l = few_told();
  scant_answers *looks = &scant_gaussian_of(l)->looks;
  for (int kind = 0; kind < 8; kind++) {
    uint32_t size = looks->size[3], last = looks->size[29], attribute = looks->attribute[0];
    double value = looks->value[1], y = looks->y[2];
    if (kind == 0) looks->size[3] = 1; /* fewer than there are */
    if (kind == 1) looks->size[3] = 4; /* more than attributes */
    if (kind == 2) looks->size[3] = UINT32_MAX;
    if (kind == 3) looks->attribute[0] = FEW;
    if (kind == 4) looks->attribute[0] = (attribute + 1) % FEW; /* not what the moments counted */
    if (kind == 5) looks->value[1] = NAN;
    if (kind == 6) looks->y[2] = INFINITY;
    if (kind == 7) looks->size[29] = 3; /* past the end */
    char *bad = learner_text(l);
    check_no_state(bad, "looks do not agree");
    free(bad);
    looks->size[3] = size, looks->size[29] = last, looks->attribute[0] = attribute;
    looks->value[1] = value, looks->y[2] = y;
  }
  scant_learner_free(l);
}

/* ---- out of memory --------------------------------------------------------------------- */

/* LAPACKE would say so on standard output, if we let it have memory of its own. */
static int complaints;
void LAPACKE_xerbla(const char *name, lapack_int info) {
  (void)name;
  (void)info;
  complaints++;
}

enum { SMALL = 4 };
static sample small;
static uint64_t digest; /* of what came out */

/* Learns past a renewal, saves, restores into another learner, finishes it and keeps
 * its distribution. */
static scant_status run(void) {
  scant_settings s = gaussian("k=2");
  scant_learner *l = NULL, *again = NULL;
  scant_look *look = NULL;
  scant_model *model = NULL;
  double w[SMALL], intercept;
  scant_status status = scant_learner_new(&l, &s, SMALL, 0, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, l, &error);
  for (size_t row = 0; status == SCANT_OK && row < 23; row++) status = learn_row(l, look, &small, row);
  if (status == SCANT_OK) status = engine_reload(l, &s, &again, &error);
  if (status == SCANT_OK) status = scant_learner_finish(again, &error);
  if (status == SCANT_OK) status = scant_model_new(&model, SMALL, &error);
  if (status == SCANT_OK) status = scant_gaussian_row_keep(again, model, &error);
  if (status == SCANT_OK) {
    scant_learner_weights(again, w, &intercept);
    digest = scant_hash(SCANT_HASH_START, w, sizeof w);
    size_t n = model->gaussian->count + 1;
    digest = scant_hash(digest, model->gaussian->covariance, n * (n + 1) / 2 * sizeof(double));
  }
  scant_model_free(model);
  scant_look_free(look);
  scant_learner_free(again);
  scant_learner_free(l);
  return status;
}

/* Steps allocate alike, so that of the later ones a part is enough. */
TEST(any_allocation_may_fail) {
  CHECK(fail_until_none(run, 60) > 100);
  CHECK(!complaints);
}

/* A call that failed has changed nothing: asked again, it does what it would have
 * done. */
TEST(a_failed_ask_can_be_repeated) {
  sample s = sample_new(40, D, 24);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4", D);
  scant_look *look[2] = {look_for(a), look_for(b)};
  for (size_t row = 0; row < 20; row++)
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
  CHECK(scant_gaussian_of(a)->renew_at == 20 && same_state(a, b));
  unsigned long n = 1;
  for (;; n += 11) {
    allocations_fail(n, 1);
    scant_status status = scant_learner_ask(b, look[1], &error);
    allocations_reset();
    if (status == SCANT_OK) break;
    CHECK(status == SCANT_MEMORY && same_state(a, b));
  }
  CHECK(n > 60 && scant_learner_ask(a, look[0], &error) == SCANT_OK);
  CHECK(same_state(a, b) && !memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

int main(void) {
  small = sample_new(40, SMALL, 23);
  RUN(it_resumes_to_the_same_bits);
  RUN(kept_learners_go_on_with_the_same_bits);
  RUN(kept_streams_go_on_with_the_same_bits);
  RUN(a_damaged_state_is_refused);
  RUN(impossible_looks_are_refused);
  RUN(any_allocation_may_fail);
  RUN(a_failed_ask_can_be_repeated);
  sample_free(&small);
  return check_done();
}
