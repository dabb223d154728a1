/* Learning from sums of blocks: against closed forms, against rows in memory, the same bits wherever the sums are. */
#include "allocations.h"
#include "blas.h"
#include "sums/sums_fit.h"
#include "direct.h"
#include "scant_dense.h"
#include "table_of_blocks.h"

static scant_error error;

static scant_sums_fit *learn_of(const scant_sums *const *parts, size_t count, const char *list, size_t d,
                                uint64_t threads, int final) {
  scant_settings settings = settings_from(list);
  scant_asker *asker = NULL;
  scant_sums_fit *fit = NULL;
  settings.runtime.threads = threads;
  CHECK(scant_asker_here(&asker, parts, count, threads, &error) == SCANT_OK);
  if (!CHECK(scant_sums_learn(&fit, &settings, d, asker, final, &error) == SCANT_OK)) printf("# %s\n", error.text);
  scant_asker_here_free(asker);
  return fit;
}

static scant_sums_fit *learn(const scant_sums *sums, const char *list, size_t d) {
  return learn_of(&sums, 1, list, d, 1, 1);
}

/* ---- closed forms -------------------------------------------------------------------------- */

/* Where all of every row is bought, EM ends after a step: its covariance is that of the rows, standardised, mixed with
 * the prior, and the regressor is ridge on that. */
TEST(complete_data_give_ridge_with_the_prior) {
  enum { D = 7, BLOCKS = 6, ROWS = 25, M = BLOCKS * ROWS };
  blocks_table t = table_new(D, ROWS, 0.5, 1);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, D);
  scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=7 clip=none", D);
  const scant_gaussian_fit *g = &fit->gaussian;
  const scant_frame *f = &g->frame;
  double x[M][TABLE_MOST], w[D], intercept;
  real z[M][D + 1], mean[D + 1] = {0}, s[(D + 1) * (D + 1)], a[D * D], b[D];
  for (size_t e = 0; e < M; e++) x[e][D] = table_row(&t, e / ROWS, e % ROWS, x[e]);
  for (size_t j = 0; j <= D; j++)
    for (size_t e = 0; e < M; e++) {
      z[e][j] = ((real)x[e][j] - f->center[j]) / f->unit[j];
      mean[j] += z[e][j] / M;
    }
  for (size_t i = 0; i <= D; i++)
    for (size_t j = 0; j <= D; j++) {
      real sum = i == j ? g->choice.noise : 0;
      for (size_t e = 0; e < M; e++) sum += (z[e][i] - mean[i]) * (z[e][j] - mean[j]);
      s[i * (D + 1) + j] = sum / (M + (real)g->choice.noise);
      CHECK_NEAR(g->normal.covariance[i * (D + 1) + j], (double)s[i * (D + 1) + j], 1e-9);
    }
  for (size_t i = 0; i < D; i++) {
    b[i] = s[D * (D + 1) + i];
    for (size_t j = 0; j < D; j++)
      a[i * D + j] = s[i * (D + 1) + j] * (i == j ? (real)f->factor[i] + g->choice.penalty : 1);
  }
  solve_directly(a, b, D);
  scant_sums_fit_weights(fit, w, &intercept);
  real rest = f->center[D] + f->unit[D] * mean[D];
  for (size_t j = 0; j < D; j++) {
    real weight = b[j] * f->unit[D] / f->unit[j] * g->choice.scale;
    CHECK_NEAR(w[j], (double)weight, 1e-8 * (1 + fabs(w[j])));
    rest -= weight * (f->center[j] + f->unit[j] * mean[j]);
  }
  CHECK_NEAR(intercept, (double)rest, 1e-8 * (1 + fabs(intercept)));
  CHECK_AT_MOST(table_risk(&t, w, intercept), 0.4 * table_variance(&t)); /* a quarter of it is noise */
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

/* Attribute 0 is one value in all rows of a block, as the date of a measurement is. */
TEST(what_varies_between_blocks_alone_has_a_weight) {
  static const char *const lists[] = {"algorithm=gaussian k=3 clip=none", "algorithm=moments k=3 clip=none"};
  enum { D = 5, ROWS = 20, BLOCKS = 120 };
  scant_sums *sums = NULL;
  uint64_t seed = 12;
  CHECK(scant_sums_new(&sums, D, NULL) == SCANT_OK);
  for (uint64_t b = 0; b < BLOCKS; b++) {
    uint32_t look[D];
    size_t count;
    double values[D * ROWS], y[ROWS], of_block = random_normal(&seed);
    CHECK(scant_block_look(D, 3, 1, b, NULL, NULL, look, &count, NULL) == SCANT_OK);
    for (size_t r = 0; r < ROWS; r++) {
      double x[D] = {of_block};
      for (size_t j = 1; j < D; j++) x[j] = random_normal(&seed);
      y[r] = 2 * x[0] + x[1] + 0.5 * random_normal(&seed);
      for (size_t c = 0; c < count; c++) values[c * ROWS + r] = x[look[c]];
    }
    CHECK(scant_sums_add(sums, b, ROWS, count, look, values, y, NULL, NULL, &error) == SCANT_OK);
  }
  for (size_t i = 0; i < 2; i++) {
    double w[D], intercept;
    scant_sums_fit *fit = learn(sums, lists[i], D);
    scant_sums_fit_weights(fit, w, &intercept);
    CHECK(w[1] > 0.5);
    CHECK_NEAR(w[0] / w[1], 2, 0.3); /* both are shrunk */
    scant_sums_fit_free(fit);
  }
  scant_sums_free(sums);
}

/* Attribute 2 is the same throughout each block; so far it was bought in one, attribute 3 in three that have the same
 * value of it.  A thousand rows that agree are one block that says so. */
TEST(what_never_varied_is_explored_less_by_the_block) {
  enum { D = 4, ROWS = 1000, BLOCKS = 20 };
  scant_sums *sums = NULL;
  uint64_t seed = 3;
  double *values = malloc((D + 1) * ROWS * sizeof *values), *y = values + D * ROWS;
  CHECK(scant_sums_new(&sums, D, NULL) == SCANT_OK);
  for (uint64_t b = 0; b < BLOCKS; b++) {
    uint32_t look[] = {0, 1, b == 7 ? 2 : 3};
    size_t count = b == 7 || b % 6 == 3 ? 3 : 2;
    for (size_t r = 0; r < ROWS; r++) {
      for (size_t c = 0; c < 2; c++) values[c * ROWS + r] = random_normal(&seed);
      values[2 * ROWS + r] = 5;
      y[r] = values[r] + random_normal(&seed);
    }
    CHECK(scant_sums_add(sums, b, ROWS, count, look, values, y, NULL, NULL, &error) == SCANT_OK);
  }
  for (int i = 0; i < 2; i++) {
    double follow[D], explore[D];
    scant_sums_fit *fit = learn(sums, i ? "algorithm=moments k=3 clip=none" : "algorithm=gaussian k=3 clip=none", D);
    scant_sums_fit_law(fit, follow, explore);
    CHECK_NEAR(explore[2] / explore[0], 1, 1e-12);
    CHECK_NEAR(explore[3] / explore[0], 2. / (2 + 3), 1e-12);
    scant_sums_fit_free(fit);
  }
  scant_sums_free(sums);
  free(values);
}

/* ---- rows in memory -------------------------------------------------------------------------- */

/* What the looks bought, row by row; with `blocks` as examples of blocks. */
static scant_answers rows_of(const blocks_table *t, uint64_t count, uint64_t k, int blocks) {
  scant_answers rows = {.dimension = t->d};
  for (uint64_t b = 0; b < count; b++) {
    uint32_t look[TABLE_MOST];
    size_t have;
    CHECK(scant_block_look(t->d, k, t->seed, b, NULL, NULL, look, &have, NULL) == SCANT_OK);
    for (size_t r = 0; r < t->rows; r++) {
      double x[TABLE_MOST], values[TABLE_MOST], y = table_row(t, b, r, x);
      for (size_t c = 0; c < have; c++) values[c] = x[look[c]];
      CHECK(blocks ? scant_answers_add(&rows, &(uint32_t){(uint32_t)b}, have, look, values, y)
                   : scant_answers_add(&rows, NULL, have, look, values, y));
    }
  }
  return rows;
}

/* The EM of sums, with the frame and the prior of a fit, is that of its rows. */
static void em_is_that_of_rows(size_t rows_per_block, uint64_t blocks) {
  enum { D = 9, K = 4 };
  blocks_table t = table_new(D, rows_per_block, 0.5, 2);
  scant_answers rows = rows_of(&t, blocks, K, 1);
  scant_sums *sums = table_sums(&t, 0, blocks, K);
  const scant_sums *part = sums;
  scant_asker *asker = NULL;
  CHECK(scant_asker_here(&asker, &part, 1, 1, &error) == SCANT_OK);
  scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=4 clip=none", D);
  const scant_frame *frame = &fit->gaussian.frame;
  for (size_t h = 0; h < 2; h++) { /* also of a half */
    scant_seen seen = {0};
    scant_asking asking = {0};
    scant_normal by_rows, by_sums;
    scant_chosen_blocks chosen = {.parts = h ? 2 : 0, .part = 1};
    scant_em_options o = {.steps = 60, .threads = 1, .noise = fit->gaussian.choice.noise};
    double likelihood[2];
    scant_own own[2];
    CHECK(scant_normal_new(&by_rows, D + 1) && scant_normal_new(&by_sums, D + 1));
    CHECK(scant_seen_new(&seen, &rows, frame, h ? 2 : 0, 1));
    CHECK(scant_asking_new(&asking, asker, frame, chosen, seen.examples));
    scant_expecter by = scant_asking_expecter(&asking);
    scant_normal_reset(&by_rows);
    scant_normal_reset(&by_sums);
    CHECK(scant_em_run(&seen, &o, &by_rows, &likelihood[0], NULL, NULL, &error) == SCANT_OK);
    CHECK(scant_em_run_by(&by, &o, &by_sums, &likelihood[1], NULL, NULL, &error) == SCANT_OK);
    CHECK_NEAR(likelihood[1], likelihood[0], 1e-9);
    for (size_t i = 0; i < (D + 1) * (D + 1); i++) CHECK_NEAR(by_sums.covariance[i], by_rows.covariance[i], 1e-7);
    for (size_t i = 0; i <= D; i++) CHECK_NEAR(by_sums.mean[i], by_rows.mean[i], 1e-7);
    CHECK(scant_own_measure(&seen, &by_rows, frame->factor, 0.001, &own[0], &error) == SCANT_OK);
    CHECK(by.own(by.user, &by_rows, frame->factor, 0.001, &own[1], &error) == SCANT_OK);
    CHECK_NEAR(own[1].error, own[0].error, 1e-9);
    CHECK_NEAR(own[1].variance, own[0].variance, 1e-9);
    CHECK_NEAR(own[1].expected, own[0].expected, 1e-9);
    CHECK(own[1].blocks == own[0].blocks && own[1].examples == own[0].examples);
    CHECK_NEAR(scant_own_variance_of_mean(&own[1], 1), scant_own_variance_of_mean(&own[0], 1), 1e-9);
    scant_asking_free(&asking);
    scant_seen_free(&seen);
    scant_normal_free(&by_rows);
    scant_normal_free(&by_sums);
  }
  scant_sums_fit_free(fit);
  scant_asker_here_free(asker);
  scant_sums_free(sums);
  scant_answers_free(&rows);
}

TEST(blocks_of_one_row_are_rows) {
  em_is_that_of_rows(1, 150);
}

TEST(blocks_of_many_rows_are_their_rows) {
  em_is_that_of_rows(12, 31);
}

/* Shares of all examples, each about a third of the one before. */
static size_t list_weights(double examples, double *weights) {
  size_t count = 0;
  for (double w = 0.3 * examples; count < 16 && w >= 0.05; w *= 0.31623) weights[count++] = w;
  return count;
}

/* The choice by halves of blocks, that of the fit too, is that of the rows with the same weights. */
TEST(the_choice_is_that_of_rows) {
  enum { D = 9, K = 4, BLOCKS = 40 };
  double weights[16];
  blocks_table t = table_new(D, 6, 0.7, 3);
  size_t count = list_weights(6 * BLOCKS, weights), tried[2];
  scant_answers rows = rows_of(&t, BLOCKS, K, 1);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K);
  const scant_sums *part = sums;
  scant_asker *asker = NULL;
  CHECK(scant_asker_here(&asker, &part, 1, 1, &error) == SCANT_OK);
  scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=4 clip=none", D);
  const scant_frame *frame = &fit->gaussian.frame;
  scant_seen seen[2] = {{0}};
  scant_rows at_hand[2];
  scant_asking asking[2];
  scant_expecter halves[2][2];
  scant_trial trials[2][16];
  scant_choice choice[2];
  for (size_t h = 0; h < 2; h++) {
    CHECK(scant_seen_new(&seen[h], &rows, frame, 2, h));
    at_hand[h] = (scant_rows){.seen = &seen[h]};
    halves[0][h] = scant_rows_expecter(&at_hand[h]);
    CHECK(scant_asking_new(&asking[h], asker, frame, (scant_chosen_blocks){.parts = 2, .part = h}, seen[h].examples));
    halves[1][h] = scant_asking_expecter(&asking[h]);
  }
  for (size_t i = 0; i < 2; i++) {
    scant_choosing choosing = {halves[i], 0, frame, weights, count, 2};
    scant_em_options o = scant_em_to_read;
    scant_normal start;
    o.threads = 1;
    choice[i] = scant_choice_at_first;
    CHECK(scant_normal_new(&start, D + 1));
    CHECK(scant_choose_by(&choosing, &o, &choice[i], &start, trials[i], &tried[i], &error) == SCANT_OK);
    scant_normal_free(&start);
  }
  CHECK(tried[0] == tried[1] && tried[0] > 2);
  for (size_t i = 0; i < tried[0]; i++) {
    CHECK(trials[0][i].noise == trials[1][i].noise && trials[0][i].penalty == trials[1][i].penalty);
    CHECK_NEAR(trials[1][i].own, trials[0][i].own, 1e-6);
    CHECK_NEAR(trials[1][i].own_error, trials[0][i].own_error, 1e-6);
    CHECK_NEAR(trials[1][i].disagreement, trials[0][i].disagreement, 1e-6);
    CHECK_NEAR(trials[1][i].product, trials[0][i].product, 1e-6);
  }
  const scant_choice *made = &fit->gaussian.choice;
  CHECK(made->noise == choice[0].noise && made->penalty == choice[0].penalty);
  CHECK_NEAR(made->risk, choice[0].risk, 1e-6);
  CHECK_NEAR(made->risk_error, choice[0].risk_error, 1e-6);
  for (size_t h = 0; h < 2; h++) {
    scant_seen_free(&seen[h]);
    scant_asking_free(&asking[h]);
  }
  scant_sums_fit_free(fit);
  scant_asker_here_free(asker);
  scant_sums_free(sums);
  scant_answers_free(&rows);
}

/* ---- the same bits ------------------------------------------------------------------------------ */

typedef struct {
  const scant_sums *const *parts;
  size_t count, asked, other_at; /* forgets a part at that request */
} cluster;

/* As engines do it: every part says its bytes, and neighbours merge level by level. */
static scant_status ask_cluster(void *user, const unsigned char *request, size_t size, unsigned char **reply,
                                size_t *reply_size, scant_error *why) {
  cluster *c = user;
  unsigned char *bytes[16];
  size_t sizes[16], count = c->count;
  if (++c->asked == c->other_at) count--;
  for (size_t i = 0; i < count; i++)
    CHECK(scant_sums_answer(c->parts[i], request, size, &bytes[i], &sizes[i], why) == SCANT_OK);
  for (; count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count; i += 2) {
      unsigned char *merged = bytes[i];
      size_t length = sizes[i];
      if (i + 1 < count) {
        CHECK(scant_reply_merge(bytes[i], sizes[i], bytes[i + 1], sizes[i + 1], &merged, &length, why) == SCANT_OK);
        scant_bytes_free(bytes[i]);
        scant_bytes_free(bytes[i + 1]);
      }
      bytes[i / 2] = merged;
      sizes[i / 2] = length;
    }
  *reply = bytes[0];
  *reply_size = sizes[0];
  return SCANT_OK;
}

static void same(const scant_sums_fit *a, const scant_sums_fit *b) {
  double w[2][TABLE_MOST + 1], law[2][2 * TABLE_MOST];
  scant_learner_facts facts[2];
  size_t d = a->dimension;
  scant_sums_fit_weights(a, w[0], &w[0][d]);
  scant_sums_fit_weights(b, w[1], &w[1][d]);
  CHECK(!memcmp(w[0], w[1], (d + 1) * sizeof **w));
  scant_sums_fit_law(a, law[0], law[0] + d);
  scant_sums_fit_law(b, law[1], law[1] + d);
  CHECK(!memcmp(law[0], law[1], 2 * d * sizeof **law));
  scant_sums_fit_facts(a, &facts[0]);
  scant_sums_fit_facts(b, &facts[1]);
  CHECK(isfinite(facts[0].risk) && facts[0].risk == facts[1].risk && facts[0].risk_error == facts[1].risk_error);
}

TEST(bits_do_not_depend_on_threads_bytes_or_parts) {
  enum { D = 12, K = 4, BLOCKS = 96, PARTS = 6 };
  static const char *const lists[2] = {"algorithm=gaussian k=4 clip=none", "algorithm=moments k=4 clip=none"};
  blocks_table t = table_new(D, 9, 0.5, 4);
  scant_sums *parts[PARTS], *all = table_sums(&t, 0, BLOCKS, K);
  const scant_sums *views[PARTS], *whole = all;
  for (size_t p = 0; p < PARTS; p++) views[p] = parts[p] = table_sums(&t, p * 16, p * 16 + 16, K);
  for (size_t a = 0; a < 2; a++) {
    scant_sums_fit *wanted = learn_of(views, PARTS, lists[a], D, 1, 1), *fit;
    for (uint64_t threads = 2; threads <= 4; threads += 2) {
      fit = learn_of(views, PARTS, lists[a], D, threads, 1);
      same(wanted, fit);
      scant_sums_fit_free(fit);
    }
    fit = learn_of(&whole, 1, lists[a], D, 2, 1);
    same(wanted, fit);
    scant_sums_fit_free(fit);
    cluster c = {views, PARTS};
    scant_asker asker = {ask_cluster, &c};
    scant_settings settings = settings_from(lists[a]);
    CHECK(scant_sums_learn(&fit, &settings, D, &asker, 1, &error) == SCANT_OK);
    same(wanted, fit);
    scant_sums_fit_free(fit);
    scant_sums_fit_free(wanted);
  }
  for (size_t p = 0; p < PARTS; p++) scant_sums_free(parts[p]);
  scant_sums_free(all);
}

/* A part that does not answer is noticed, whenever that is. */
TEST(a_part_that_is_missing_is_noticed) {
  enum { D = 12, K = 4, PARTS = 3 };
  blocks_table t = table_new(D, 9, 0.5, 4);
  scant_sums *parts[PARTS];
  const scant_sums *views[PARTS];
  for (size_t p = 0; p < PARTS; p++) views[p] = parts[p] = table_sums(&t, p * 16, p * 16 + 16, K);
  for (size_t a = 0; a < 2; a++) {
    scant_settings settings = settings_from(a ? "algorithm=moments k=4 clip=none" : "algorithm=gaussian k=4 clip=none");
    for (size_t at = 1; at < (a ? 3 : 60); at += at < 5 ? 1 : 7) {
      cluster c = {views, PARTS, .other_at = at};
      scant_asker asker = {ask_cluster, &c};
      scant_sums_fit *fit = NULL;
      CHECK(scant_sums_learn(&fit, &settings, D, &asker, 1, &error) == SCANT_DATA && !fit);
      CHECK_SAYS(error.text, "examples, and were of");
    }
  }
  for (size_t p = 0; p < PARTS; p++) scant_sums_free(parts[p]);
}

/* ---- the law --------------------------------------------------------------------------------------- */

TEST(the_law_follows_what_explains_the_target) {
  enum { D = 40, K = 6, BLOCKS = 120 };
  blocks_table t = table_new(D, 30, 0.3, 5);
  for (size_t j = 0; j < D; j++) t.w[j] = j == 7 || j == 22 ? 1 : 0;
  t.unit[3] = 0; /* it never varies */
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K);
  const scant_sums *view = sums;
  scant_sums_fit *fit = learn_of(&view, 1, "algorithm=gaussian k=6 clip=none", D, 1, 0);
  double follow[D], explore[D], followed = 0;
  scant_sums_fit_law(fit, follow, explore);
  for (size_t j = 0; j < D; j++) {
    CHECK(follow[j] == 0 || follow[j] == 1);
    CHECK(j == 3 ? explore[j] > 0 && explore[j] < 0.1 : explore[j] == 1);
    followed += follow[j];
  }
  CHECK(follow[7] == 1 && follow[22] == 1 && follow[3] == 0);
  CHECK(followed > 2 && followed <= ceil(sqrt(D * K)));
  scant_sums_fit_free(fit);
  fit = learn_of(&view, 1, "algorithm=moments k=6 clip=none", D, 1, 0);
  double total = 0;
  scant_sums_fit_law(fit, follow, explore);
  for (size_t j = 0; j < D; j++) total += follow[j];
  CHECK_NEAR(total, 1, 1e-12);
  for (size_t j = 0; j < D; j++) CHECK(follow[j] >= 0.375 * explore[j] && (j == 7 || j == 22 || follow[j] < follow[7]));
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

/* Rounds: what is bought by the law of the first blocks teaches more than what is bought evenly. */
TEST(rounds_with_laws_are_worth_it) {
  enum { D = 50, K = 5, BLOCKS = 160 };
  double risk[2] = {0};
  for (uint64_t seed = 1; seed <= 3; seed++)
    for (int laws = 0; laws < 2; laws++) {
      blocks_table t = table_new(D, 30, 0.5, seed);
      double follow[D], explore[D], w[D], intercept;
      scant_sums *sums = table_sums(&t, 0, laws ? 40 : BLOCKS, K);
      const scant_sums *view = sums;
      for (uint64_t have = 40; laws && have < BLOCKS; have *= 2) {
        scant_sums_fit *fit = learn_of(&view, 1, "algorithm=gaussian k=5 clip=none", D, 1, 0);
        scant_sums_fit_law(fit, follow, explore);
        for (uint64_t b = have; b < 2 * have; b++) table_buy(&t, sums, b, K, follow, explore);
        scant_sums_fit_free(fit);
      }
      scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=5 clip=none", D);
      scant_sums_fit_weights(fit, w, &intercept);
      risk[laws] += table_risk(&t, w, intercept) / table_variance(&t) / 3;
      scant_sums_fit_free(fit);
      scant_sums_free(sums);
    }
  printf("# risk with even looks %.3f, with laws %.3f\n", risk[0], risk[1]);
  CHECK(risk[1] < 0.95 * risk[0]);
}

int main(void) {
  RUN(complete_data_give_ridge_with_the_prior);
  RUN(what_varies_between_blocks_alone_has_a_weight);
  RUN(what_never_varied_is_explored_less_by_the_block);
  RUN(blocks_of_one_row_are_rows);
  RUN(blocks_of_many_rows_are_their_rows);
  RUN(the_choice_is_that_of_rows);
  RUN(bits_do_not_depend_on_threads_bytes_or_parts);
  RUN(a_part_that_is_missing_is_noticed);
  RUN(the_law_follows_what_explains_the_target);
  RUN(rounds_with_laws_are_worth_it);
  return check_done();
}
