/* Watching the row gaussian while it thinks, and telling it to stop: at every moment that there is. */
#include <stdlib.h>

#include "lapack.h"
#include "sample.h"

enum { ROWS = 90, LOGGED = 4000 };

/* Stops at its call number `stop_at` (0: never) and at all that follow. */
typedef struct {
  size_t calls, stop_at;
  scant_thought last, log[LOGGED];
} watcher;

static int watch(void *user, const scant_thought *thought) {
  watcher *w = user;
  w->last = *thought;
  if (w->calls < LOGGED) w->log[w->calls] = *thought;
  w->calls++;
  return w->stop_at && w->calls >= w->stop_at;
}

static scant_settings watched(watcher *w, const char *list) {
  scant_settings s = gaussian(list);
  s.runtime.watch = watch;
  s.runtime.watcher = w;
  *w = (watcher){0};
  return s;
}

static void restart(watcher *w, size_t stop_at) {
  w->calls = 0;
  w->stop_at = stop_at;
}

typedef struct {
  double w[D], intercept;
} regressor;

static regressor read_from(const scant_learner *l) {
  regressor r;
  scant_learner_weights(l, r.w, &r.intercept);
  return r;
}

static int same(const regressor *a, const regressor *b) {
  return !memcmp(a->w, b->w, sizeof a->w) && a->intercept == b->intercept;
}

static double squared_error(const regressor *r, const sample *s) {
  double sum = 0;
  for (size_t row = 0; row < s->rows; row++) {
    double error_of = s->y[row] - r->intercept;
    for (size_t j = 0; j < D; j++) error_of -= r->w[j] * s->x[row * D + j];
    sum += error_of * error_of / (double)s->rows;
  }
  return sum;
}

static int is_definite(const scant_normal *normal) {
  size_t n = normal->n;
  double *factor = malloc(n * n * sizeof *factor);
  memcpy(factor, normal->covariance, n * n * sizeof *factor);
  int good = !LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, factor, (lapack_int)n);
  free(factor);
  return good;
}

/* ---- watching -------------------------------------------------------------------------- */

TEST(whoever_watches_changes_nothing_and_is_told_in_order) {
  sample s = sample_new(ROWS, D, 15);
  scant_learner *alone = learned("k=4", &s, ROWS);
  static watcher w;
  scant_learner *l = engine_learner(watched(&w, "k=4"), D);
  teach(l, &s, 0, ROWS);
  CHECK(w.calls > 0 && !w.last.reading); /* for the looks */
  restart(&w, 0);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK && w.calls > 10 && w.calls <= LOGGED);
  regressor a = read_from(alone), b = read_from(l);
  CHECK(same(&a, &b));
  CHECK(w.log[0].prior == 1 && w.log[0].priors == SCANT_TRIALS_MOST && w.log[0].steps == 0);
  for (size_t i = 0; i < w.calls; i++) {
    const scant_thought *now = &w.log[i], *before = i ? now - 1 : now;
    CHECK(now->reading && !strcmp(now->algorithm, "gaussian"));
    CHECK(now->steps >= before->steps && now->steps <= before->steps + 3);
    CHECK(now->prior == before->prior || now->prior == before->prior + 1 || now->prior == 0);
    CHECK(now->prior <= now->priors && (before->prior || !now->prior));
  }
  CHECK(w.last.prior == 0 && w.last.steps > 100);
  size_t calls = w.calls;
  CHECK(scant_learner_finish(l, &error) == SCANT_OK && w.calls == calls); /* there is nothing to think about */
  scant_learner_free(alone);
  scant_learner_free(l);
  sample_free(&s);
}

/* That of the fit that the law was made with. */
static regressor read_law(scant_learner *l) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  scant_gaussian_fit fit = s->fit;
  s->fit = s->law_fit;
  regressor r = read_from(l);
  s->fit = fit;
  return r;
}

/* ---- stopping a regressor ----------------------------------------------------------------- */

static void check_stopped(scant_learner *l, watcher *w, size_t n, const sample *s, double mean_error,
                          const regressor *before, int fitted) {
  restart(w, n);
  if (!CHECK(scant_learner_finish(l, &error) == SCANT_OK)) printf("#   stopped at %zu: %s\n", n, error.text);
  CHECK(w->calls == n); /* it is not asked again */
  regressor r = read_from(l);
  for (size_t j = 0; j < D; j++) CHECK(isfinite(r.w[j]));
  CHECK(isfinite(r.intercept) && squared_error(&r, s) < mean_error);
  CHECK(is_definite(&scant_gaussian_of(l)->fit.normal));
  if (fitted) CHECK(same(&r, before) == (w->last.prior == 1)); /* that of the law, until a prior was tried */
  scant_learner_facts facts;
  scant_learner_get_facts(l, &facts);
  CHECK(isfinite(facts.likelihood) == (!fitted || w->last.prior != 1)); /* what is known of a law is not told */
}

/* `fresh` learners come from a file: they have the looks, and no regressor yet. */
static void check_every_stop(const char *list, int fresh) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, list);
  scant_learner *whole = engine_learner(settings, D);
  teach(whole, &s, 0, ROWS);
  regressor before = read_law(whole), nothing = {{0}, 0};
  char *text = learner_text(whole);
  scant_learner *l = NULL;
  CHECK(engine_reload(whole, &settings, &l, &error) == SCANT_OK);
  restart(&w, 0);
  CHECK(scant_learner_finish(whole, &error) == SCANT_OK);
  size_t calls = w.calls;
  regressor wanted = read_from(whole);
  for (size_t row = 0; row < ROWS; row++) nothing.intercept += s.y[row] / ROWS;
  for (size_t n = 1; n <= calls; n++) {
    scant_learner *one = NULL;
    restart(&w, 0);
    if (fresh) {
      CHECK(engine_reload(l, &settings, &one, &error) == SCANT_OK);
    } else {
      one = engine_learner(settings, D);
      teach(one, &s, 0, ROWS);
    }
    check_stopped(one, &w, n, &s, squared_error(&nothing, &s), &before, !fresh);
    regressor cut = read_from(one);
    restart(&w, 1);
    CHECK(scant_learner_finish(one, &error) == SCANT_OK && w.calls == 1);
    regressor again = read_from(one);
    CHECK(same(&cut, &again)); /* told to stop at once, it stays what it is */
    restart(&w, 0);
    CHECK(scant_learner_finish(one, &error) == SCANT_OK && w.calls == calls);
    again = read_from(one);
    CHECK(same(&again, &wanted)); /* and all that follows is as if nothing had been */
    char *now = learner_text(one);
    CHECK(strcmp(text, now) == 0);
    free(now);
    scant_learner_free(one);
  }
  printf("# %zu moments\n", calls);
  free(text);
  scant_learner_free(l);
  scant_learner_free(whole);
  sample_free(&s);
}

TEST(stopped_anywhere_it_has_a_regressor) {
  check_every_stop("k=4", 0);
}

TEST(stopped_anywhere_it_has_a_regressor_though_there_was_none_before) {
  check_every_stop("k=4", 1);
}

/* Which of the halves hears of it first depends on the threads, but what comes out is sound. */
/* The law may be as new as the regressor that was stopped and took its place: it is still not the one to read. */
TEST(what_stood_in_for_a_stopped_regressor_is_made_anew) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_learner *l = engine_learner(watched(&w, "k=4"), D);
  scant_gaussian_state *state = scant_gaussian_of(l);
  size_t row = 0;
  for (; row < ROWS && (row < 60 || state->renew_at > l->told); row++) teach(l, &s, row, row + 1);
  scant_look *look = NULL;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  CHECK(row < ROWS && scant_learner_ask(l, look, &error) == SCANT_OK && state->law_fitted_at == l->told + 1);
  CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  restart(&w, 1);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK && state->fitted_at == l->told + 1 && !state->fit.read);
  restart(&w, 0);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK && w.calls > 1 && state->fit.read);
  scant_look_free(look);
  scant_learner_free(l);
  sample_free(&s);
}

TEST(stopped_on_several_threads) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, "k=4 threads=3");
  scant_learner *whole = engine_learner(settings, D);
  teach(whole, &s, 0, ROWS);
  restart(&w, 0);
  CHECK(scant_learner_finish(whole, &error) == SCANT_OK);
  size_t calls = w.calls;
  regressor wanted = read_from(whole);
  for (size_t n = 1; n <= calls; n += 7) {
    restart(&w, 0);
    scant_learner *one = engine_learner(settings, D);
    teach(one, &s, 0, ROWS);
    restart(&w, n);
    CHECK(scant_learner_finish(one, &error) == SCANT_OK && w.calls == n);
    CHECK(is_definite(&scant_gaussian_of(one)->fit.normal));
    restart(&w, 0);
    CHECK(scant_learner_finish(one, &error) == SCANT_OK && w.calls == calls);
    regressor again = read_from(one);
    CHECK(same(&again, &wanted));
    scant_learner_free(one);
  }
  scant_learner_free(whole);
  sample_free(&s);
}

/* The choice is the best of those that were tried, and no other. */
TEST(a_choice_that_is_stopped_is_the_best_so_far) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, "k=4");
  scant_learner *l = engine_learner(settings, D);
  teach(l, &s, 0, ROWS);
  const scant_gaussian_state *state = scant_gaussian_of(l);
  const scant_frame *frame = &state->law_fit.frame;
  scant_trial all[SCANT_TRIALS_MOST], some[SCANT_TRIALS_MOST];
  scant_choice choice;
  scant_normal start = {0};
  size_t tried = 0, got;
  scant_thinking thinking;
  scant_em_options o = {.steps = 45, .settled = 2e-3, .threads = 1};
  CHECK(scant_normal_new(&start, frame->variables));
  CHECK(scant_choose(&state->looks, frame, &o, &choice, &start, all, &tried, &error) == SCANT_OK && tried > 2);
  o.thinking = &thinking;
  for (size_t n = 1, ended = 0; !ended; n++) {
    restart(&w, n);
    scant_thinking_begin(&thinking, &settings.runtime, "gaussian", 1);
    choice = (scant_choice){.noise = -1};
    scant_normal_reset(&start);
    CHECK(scant_choose(&state->looks, frame, &o, &choice, &start, some, &got, &error) == SCANT_OK);
    ended = !thinking.stopped;
    scant_thinking_end(&thinking);
    CHECK(got == (ended ? tried : w.last.prior - 1));
    CHECK(!memcmp(all, some, got * sizeof *all));
    size_t best = 0;
    for (size_t i = 1; i < got; i++)
      if (all[i].own <= all[best].own) best = i;
    CHECK(choice.noise == (got ? all[best].noise : -1));
    CHECK(is_definite(&start));
    if (!got) CHECK(start.covariance[1] == 0 && start.covariance[0] == 1);
  }
  scant_normal_free(&start);
  scant_learner_free(l);
  sample_free(&s);
}

/* ---- stopping an ask --------------------------------------------------------------------- */

TEST(a_look_is_never_chosen_by_what_was_cut_short) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, "k=4");
  scant_learner *plain = open_learner("k=4", D), *l = engine_learner(settings, D);
  scant_look *wanted = look_for(plain), *look = look_for(l);
  size_t stops = 0;
  for (size_t row = 0; row < ROWS; row++) {
    char *before = learner_text(l);
    for (size_t n = 1;; n++) { /* at every call of the renewal, if there is one */
      restart(&w, n);
      scant_status status = scant_learner_ask(l, look, &error);
      if (status == SCANT_OK) break;
      stops++;
      CHECK(status == SCANT_STOPPED && w.calls == n && !w.last.reading && look->count == 0);
      CHECK_SAYS(error.text, "stopped");
      char *after = learner_text(l);
      CHECK(strcmp(before, after) == 0);
      free(after);
    }
    free(before);
    CHECK(scant_learner_ask(plain, wanted, &error) == SCANT_OK && wanted->count == look->count);
    CHECK(!memcmp(wanted->attributes, look->attributes, look->count * sizeof *look->attributes));
    CHECK(tell_row(l, look, &s, row) == SCANT_OK && tell_row(plain, wanted, &s, row) == SCANT_OK);
  }
  printf("# %zu stops\n", stops);
  CHECK(stops > 100);
  char *a = learner_text(plain), *b = learner_text(l);
  CHECK(strcmp(a, b) == 0);
  free(a);
  free(b);
  scant_look_free(look);
  scant_look_free(wanted);
  scant_learner_free(plain);
  scant_learner_free(l);
  sample_free(&s);
}

/* ---- stopping a fit ------------------------------------------------------------------------ */

static char *fit_text(const scant_fit *fit, int checkpoint) {
  scant_model *model = NULL;
  char *text = NULL;
  size_t length;
  CHECK(scant_fit_model(fit, checkpoint, &model, &error) == SCANT_OK);
  CHECK(scant_model_write(model, &text, &length, &error) == SCANT_OK);
  scant_model_free(model);
  return text;
}

/* Stops when a fit has thought for a while, keeps it, goes on from there, and so on to its end. */
TEST(a_fit_that_is_stopped_and_resumed_ends_with_the_same_bits) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, "k=4");
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  int done = 0;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, s.x, ROWS, D, D * sizeof(double), sizeof(double), s.y, &error) ==
        SCANT_OK);
  CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK);
  CHECK(scant_fit_advance(fit, 1000, &done, &error) == SCANT_OK && done);
  char *wanted = fit_text(fit, 0);
  scant_fit_free(fit);
  CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK);
  size_t stops = 0;
  for (done = 0; !done; stops++) {
    restart(&w, 5 + 20 * stops);
    scant_status status = scant_fit_advance(fit, 1000, &done, &error);
    CHECK(status == SCANT_OK || status == SCANT_STOPPED);
    char *text = fit_text(fit, 1); /* still told to stop */
    scant_model *kept = NULL;
    if (!CHECK(scant_model_read(&kept, text, strlen(text), &error) == SCANT_OK)) printf("#   %s\n", error.text);
    scant_fit_free(fit);
    CHECK(scant_fit_resume(&fit, kept, &settings, source, &error) == SCANT_OK);
    CHECK(scant_fit_ledger(fit)->examples == scant_model_ledger(kept)->examples);
    scant_model_free(kept);
    scant_text_free(text);
  }
  restart(&w, 60);
  char *cut = fit_text(fit, 0);
  CHECK(stops > 2 && w.calls == 60 && strcmp(cut, wanted) != 0);
  restart(&w, 0);
  char *got = fit_text(fit, 0);
  CHECK(strcmp(got, wanted) == 0);
  scant_text_free(cut);
  scant_text_free(got);
  scant_text_free(wanted);
  scant_fit_free(fit);
  scant_source_free(source);
  sample_free(&s);
}

/* The pointers stay with the learner: no model has them. */
TEST(nobody_watches_what_goes_on_from_a_model) {
  sample s = sample_new(ROWS, D, 15);
  static watcher w;
  scant_settings settings = watched(&w, "k=4");
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, s.x, ROWS, D, D * sizeof(double), sizeof(double), s.y, &error) ==
        SCANT_OK);
  CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK);
  CHECK(!scant_fit_settings(fit)->runtime.watch && !scant_fit_settings(fit)->runtime.watcher);
  CHECK(scant_fit_advance(fit, 1000, &done, &error) == SCANT_OK);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(!scant_model_settings(model)->runtime.watch && !scant_model_settings(model)->runtime.watcher);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  sample_free(&s);
}

int main(void) {
  RUN(whoever_watches_changes_nothing_and_is_told_in_order);
  RUN(stopped_anywhere_it_has_a_regressor);
  RUN(stopped_anywhere_it_has_a_regressor_though_there_was_none_before);
  RUN(what_stood_in_for_a_stopped_regressor_is_made_anew);
  RUN(stopped_on_several_threads);
  RUN(a_choice_that_is_stopped_is_the_best_so_far);
  RUN(a_look_is_never_chosen_by_what_was_cut_short);
  RUN(a_fit_that_is_stopped_and_resumed_ends_with_the_same_bits);
  RUN(nobody_watches_what_goes_on_from_a_model);
  return check_done();
}
