/* Any loss under a strict K: every outcome enumerated.  Unbiased for squared
 * loss, exact at K = d, and for the others far less biased than plugging the
 * mean of the looks in. */
#include "estimate/stopped_gradient.h"
#include "losses.h"
#include "problem.h"
#include "richardson_naive.h"

#define TIGHT 1e-12

static const double W[6] = {0.5, -0.25, 0.4, 0.125}, X[6] = {0.5, -0.3, 0.8, 0.7};
static const double EXPLORE[6] = {1, 0.3, 1, 0.5}, FOLLOW[6] = {0.4, 0.2, 0.3, 0.1};

typedef struct outcome {
  double total, gradient[6], bias, plug_in[6], q[6];
  uint32_t most, fewest, most_draws;
} outcome;

/* f'(the mean of the draws and what is certain) x~: what one would do first. */
static void plug_in(const scant_look *look, const double *x, double y, const scant_loss_form *form, double *g) {
  double t[6], a[6];
  scant_ustatistic u = scant_ustatistic_of(look, x, NULL, t, a);
  double s = u.certain + look->intercept + (u.draws > 0 ? u.drawn / u.draws : 0),
         phi = scant_loss_derivative(form, s, y);
  for (uint32_t i = 0; i < look->count; i++) g[i] = phi * x[i] * (a[i] > 0 ? a[i] / u.draws : 1);
}

static outcome enumerate(const char *settings, size_t d, double bias, double y) {
  scant_settings s = problem_settings("svr", settings);
  scant_learner *l;
  scant_look *look;
  scant_error error;
  enumeration e;
  outcome o = {.fewest = UINT32_MAX};
  CHECK(scant_learner_new(&l, &s, d, 0, &error) == SCANT_OK && scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t i = 0; i < d; i++) l->w.at[i].shape = W[i] / l->w.scale;
  l->w.at[d].shape = bias / l->w.scale;
  problem_set_law(l, EXPLORE, FOLLOW);
  enumerate_start(&e, l);
  do {
    double seen[6], g[7], other[6];
    enumerate_begin_run(&e);
    if (!CHECK(scant_learner_ask(l, look, &error) == SCANT_OK)) break;
    CHECK(scant_look_check(look, &l->looks, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      seen[i] = X[look->attributes[i]];
      o.q[look->attributes[i]] = look->gradient_probability[i];
    }
    o.bias += e.probability * scant_richardson_gradient(look, seen, y, &l->loss, g);
    plug_in(look, seen, y, &l->loss, other);
    for (uint32_t i = 0; i < look->count; i++) {
      o.gradient[look->attributes[i]] += e.probability * g[i];
      o.plug_in[look->attributes[i]] += e.probability * other[i];
    }
    o.total += e.probability;
    if (look->count > o.most) o.most = look->count;
    if (look->gradient_total < o.fewest) o.fewest = look->gradient_total;
    if (look->gradient_total > o.most_draws) o.most_draws = look->gradient_total;
    scant_learner_cancel(l, look, &error);
  } while (enumerate_next(&e));
  enumerate_stop(l);
  scant_look_free(look);
  scant_learner_free(l);
  return o;
}

/* One attribute again and again: drawing stops at twice as many draws as attributes. */
TEST(draws_are_at_most_twice_the_attributes) {
  static const double explore[4] = {1, 1e-15, 1e-15, 1e-15}, follow[4] = {0};
  scant_settings s = problem_settings("svr", "k=3 loss=squared");
  scant_learner *l;
  scant_look *look;
  scant_error error;
  CHECK(scant_learner_new(&l, &s, 4, 0, &error) == SCANT_OK && scant_look_new(&look, l, &error) == SCANT_OK);
  problem_set_law(l, explore, follow);
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == 1 && look->gradient_total == 6);
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(squared_loss_is_unbiased) {
  outcome o = enumerate("k=3 loss=squared", 4, 0.3, 0.4);
  double residual = dot(W, X, 4) + 0.3 - 0.4;
  CHECK_NEAR(o.total, 1, TIGHT);
  CHECK_NEAR(o.bias, residual, TIGHT);
  for (size_t i = 0; i < 4; i++) CHECK_NEAR(o.gradient[i], residual * X[i], TIGHT);
  CHECK(o.most == 3 && o.fewest >= 3 && o.most_draws == 6); /* twice as many draws as attributes, at most */
}

static const char *const losses[] = {"insensitive tube=0.2 smoothing=0.5", "absolute smoothing=0.5",
                                     "hinge smoothing=0.5", "huber tube=0.3", "logistic"};

TEST(at_k_equal_d_it_is_exact) {
  for (size_t r = 0; r < 5; r++) {
    char text[64];
    snprintf(text, sizeof text, "k=4 loss=%s", losses[r]);
    outcome o = enumerate(text, 4, 0.3, 1);
    scant_settings s = problem_settings("svr", text);
    scant_loss_form form = {(scant_loss)s.learning.loss, s.learning.tube, s.learning.smoothing};
    double derivative = scant_loss_derivative(&form, dot(W, X, 4) + 0.3, 1);
    CHECK_NEAR(o.bias, derivative, TIGHT);
    for (size_t i = 0; i < 4; i++) CHECK_NEAR(o.gradient[i], derivative * X[i], TIGHT);
  }
}

/* The same expectation once more without a learner: every sequence of draws from the
 * law, until one more would be a fourth attribute of K = 3 or the seventh draw. */
typedef struct sequences {
  const scant_loss_form *form;
  double q[4], bias, y;
  int drawn[6];
  long double gradient[4], certain, total; /* expectations */
} sequences;

static void end_of_sequence(sequences *s, int n, long double probability) {
  long double u[6], others[6];
  int half[6], others_half[6];
  for (int a = 0; a < n; a++) {
    u[a] = (long double)W[s->drawn[a]] * X[s->drawn[a]] / s->q[s->drawn[a]];
    half[a] = a % 2; /* every second draw is of the second half */
  }
  for (int a = 0; a < n; a++) {
    int i = s->drawn[a], m = 0;
    for (int b = 0; b < n; b++) {
      if (b == a) continue;
      others[m] = s->drawn[b] == i ? 0 : u[b];
      others_half[m++] = half[b];
    }
    long double f = naive_f(s->form, s->bias + (long double)W[i] * X[i], others, others_half, (uint32_t)m, s->y);
    s->gradient[i] += probability * X[i] / (n * s->q[i]) * f;
  }
  s->certain += probability * naive_f(s->form, s->bias, u, half, (uint32_t)n, s->y);
  s->total += probability;
}

static void go_on(sequences *s, int n, unsigned met, long double probability) {
  if (n == 6) {
    end_of_sequence(s, n, probability);
    return;
  }
  for (int i = 0; i < 4; i++) {
    unsigned now = met | 1u << i;
    s->drawn[n] = i;
    if (now == 15)
      end_of_sequence(s, n, probability * s->q[i]); /* this draw is dropped */
    else
      go_on(s, n + 1, now, probability * s->q[i]);
  }
}

/* What the expectation must be, for K = 3 of 4 attributes: with the probabilities in use, which are those of the law
 * up to what sample/inverse.h leaves to the last one, 2^-30. */
static sequences every_sequence(const scant_loss_form *form, double bias, double y, const double *q) {
  sequences s = {.form = form, .bias = bias, .y = y};
  double explore = 0, follow = 0;
  for (int i = 0; i < 4; i++) explore += EXPLORE[i], follow += FOLLOW[i];
  for (int i = 0; i < 4; i++) CHECK_NEAR(q[i], EXPLORE[i] / explore / 2 + FOLLOW[i] / follow / 2, 0x1.1p-30);
  memcpy(s.q, q, sizeof s.q);
  go_on(&s, 0, 0, 1);
  return s;
}

TEST(other_losses_are_less_biased_than_plugging_in) {
  for (size_t r = 0; r < 5; r++) {
    char text[64];
    snprintf(text, sizeof text, "k=3 loss=%s", losses[r]);
    scant_settings s = problem_settings("svr", text);
    scant_loss_form form = {(scant_loss)s.learning.loss, s.learning.tube, s.learning.smoothing};
    double ours = 0, theirs = 0;
    for (int y = -1; y <= 1; y += 2) {
      outcome o = enumerate(text, 4, 0.1, y);
      double derivative = scant_loss_derivative(&form, dot(W, X, 4) + 0.1, y);
      CHECK_NEAR(o.total, 1, 1e-11);
      sequences exact = every_sequence(&form, 0.1, y, o.q);
      CHECK_NEAR((double)exact.total, 1, TIGHT);
      CHECK_NEAR(o.bias, (double)exact.certain, TIGHT);
      for (size_t i = 0; i < 4; i++) CHECK_NEAR(o.gradient[i], (double)exact.gradient[i], TIGHT);
      for (size_t i = 0; i < 4; i++) {
        ours = fmax(ours, fabs(o.gradient[i] - derivative * X[i]));
        theirs = fmax(theirs, fabs(o.plug_in[i] - derivative * X[i]));
      }
    }
    printf("# %s: largest bias %.4f, of plugging in %.4f\n", losses[r], ours, theirs);
    CHECK(ours < theirs);
  }
}

/* Derivatives are those of the values. */
TEST(derivatives_are_slopes) {
  for (size_t r = 0; r < 5; r++) {
    char text[64];
    snprintf(text, sizeof text, "k=3 loss=%s", losses[r]);
    scant_settings s = problem_settings("svr", text);
    scant_loss_form form = {(scant_loss)s.learning.loss, s.learning.tube, s.learning.smoothing};
    for (double u = -3.03; u <= 3; u += 0.37) /* not on huber's corners */
      for (int y = -1; y <= 1; y += 2) {
        double h = 1e-5;
        double slope = (loss_value(&form, u + h, y) - loss_value(&form, u - h, y)) / (2 * h);
        CHECK_NEAR(scant_loss_derivative(&form, u, y), slope, 1e-6);
      }
  }
  /* and values go on where a loss changes its form: the differences are the integrals */
  for (size_t r = 0; r < 5; r++) {
    char text[64];
    snprintf(text, sizeof text, "k=3 loss=%s", losses[r]);
    scant_settings s = problem_settings("svr", text);
    scant_loss_form form = {(scant_loss)s.learning.loss, s.learning.tube, s.learning.smoothing};
    for (int y = -1; y <= 1; y += 2) {
      enum { STEPS = 6000 };
      double h = 6.0 / STEPS, sum = 0;
      for (int i = 0; i < STEPS; i++) { /* by the trapezoid rule, its error below h^2 */
        double u = -3 + h * i;
        sum += h / 2 * (scant_loss_derivative(&form, u, y) + scant_loss_derivative(&form, u + h, y));
        CHECK_NEAR(loss_value(&form, u + h, y) - loss_value(&form, -3, y), sum, h * h);
      }
    }
  }
  scant_loss_form logistic = {SCANT_LOSS_LOGISTIC, 0, 1};
  CHECK(loss_value(&logistic, -1e4, 1) == 1e4 && loss_value(&logistic, 1e4, 1) == 0);
  CHECK(scant_loss_derivative(&logistic, -1e4, 1) == -1 && scant_loss_derivative(&logistic, 1e4, 1) == 0);
}

int main(void) {
  RUN(draws_are_at_most_twice_the_attributes);
  RUN(squared_loss_is_unbiased);
  RUN(at_k_equal_d_it_is_exact);
  RUN(other_losses_are_less_biased_than_plugging_in);
  RUN(derivatives_are_slopes);
  return check_done();
}
