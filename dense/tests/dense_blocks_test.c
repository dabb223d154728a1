/* Examples of a block share a look: nothing that leaves examples out splits a block, blocks are the units of error
 * bars, and a block that is worked on at once gives what its rows give. */
#include "allocations.h"
#include "gaussian/gaussian.h"
#include "gaussian/seen.h"
#include "moments/moments_problem.h"
#include "direct.h"
#include "engine.h"
#include "model/errors.h"
#include "states.h"

static scant_error error;

/* ---- answers in blocks ---------------------------------------------------------------- */

/* Blocks of any size up to `most`, each with a pattern of its own; of one value in ten nothing is known if `holes`.
 * Targets tell the examples apart.  `whole`: the same without blocks. */
static void add_blocks(scant_answers *looks, scant_answers *whole, size_t blocks, size_t most, int holes,
                       uint64_t seed) {
  uint32_t attributes[DIRECT_MOST];
  double values[DIRECT_MOST], y = 0;
  for (size_t b = 0; b < blocks; b++) {
    size_t count = 0, rows = 1 + (size_t)((double)most * (random_real(&seed) + 1) / 2.0001);
    for (size_t j = 0; j < looks->dimension; j++)
      if (random_real(&seed) < 0) attributes[count++] = (uint32_t)j;
    for (size_t r = 0; r < rows; r++, y++) {
      for (size_t i = 0; i < count; i++)
        values[i] = holes && random_real(&seed) < -0.8 ? NAN : random_normal(&seed) + attributes[i] * 0.1;
      CHECK(scant_answers_add(looks, &(uint32_t){(uint32_t)b}, count, attributes, values, y));
      if (whole) CHECK(scant_answers_add(whole, NULL, count, attributes, values, y));
    }
  }
}

/* How often each example is in `seen`, by its target. */
static void count_examples(const scant_seen *seen, size_t *times) {
  for (size_t e = 0; e < seen->examples; e++) times[(size_t)seen->value[seen->first[e + 1] - 1]]++;
}

TEST(parts_never_split_a_block) {
  enum { DIMENSION = 6, BLOCKS = 47, MOST = 9 };
  static const size_t parts[] = {2, 5, SCANT_ERROR_GROUPS};
  scant_answers looks = {.dimension = DIMENSION};
  scant_frame frame = plain_frame(DIMENSION);
  size_t times[BLOCKS * (MOST + 1)], split = 0;
  add_blocks(&looks, NULL, BLOCKS, MOST, 1, 4);
  CHECK(scant_answers_blocks(&looks) == BLOCKS && looks.examples > 3 * BLOCKS);
  for (size_t p = 0; p < 3; p++)
    for (size_t part = 0; part < parts[p]; part++)
      for (size_t kind = 0; kind < 3; kind++) { /* the part alone, all others, and the part twice */
        scant_seen seen = {0};
        CHECK(kind ? scant_seen_times(&seen, &looks, &frame, parts[p], part, kind == 1 ? 0 : 2)
                   : scant_seen_new(&seen, &looks, &frame, parts[p], part));
        memset(times, 0, sizeof times);
        count_examples(&seen, times);
        for (size_t e = 0; e < looks.examples; e++) {
          size_t own = looks.block[e] % parts[p] == part;
          CHECK(times[e] == (kind == 0 ? own : kind == 1 ? !own : 1 + own));
          split += e && looks.block[e] == looks.block[e - 1] && times[e] != times[e - 1];
        }
        scant_seen_free(&seen);
      }
  CHECK(split == 0);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

/* ---- a block at once --------------------------------------------------------------------- */

static void check_same_steps(size_t most, int holes) {
  enum { DIMENSION = 9, BLOCKS = 60, N = DIMENSION + 1 };
  scant_answers looks = {.dimension = DIMENSION}, whole = {.dimension = DIMENSION};
  scant_moments y = {0};
  scant_seen seen[2] = {{0}, {0}};
  scant_normal normal[2];
  scant_own own[2];
  scant_em_options options = {.steps = 30, .threads = 1, .noise = 3};
  double likelihood[2];
  add_blocks(&looks, &whole, BLOCKS, most, holes, 8 + most);
  for (size_t e = 0; e < whole.examples; e++) { /* targets that have to do with the values */
    looks.y[e] = whole.y[e] = sin((double)e) + (whole.size[e] ? whole.value[whole.first[e]] : 0);
    scant_moments_add(&y, whole.y[e]);
  }
  scant_frame frame = {0};
  CHECK(scant_frame_new(&frame, &whole, 3, &y) && frame.variables == N);
  CHECK(scant_seen_new(&seen[0], &looks, &frame, 0, 0) && scant_seen_new(&seen[1], &whole, &frame, 0, 0));
  CHECK((most < 8 || seen[0].sums) && !seen[1].sums && seen[0].blocks == BLOCKS);
  for (int i = 0; i < 2; i++) {
    CHECK(scant_normal_new(&normal[i], N));
    scant_normal_reset(&normal[i]);
    CHECK(scant_em_run(&seen[i], &options, &normal[i], &likelihood[i], NULL, NULL, &error) == SCANT_OK);
    CHECK(scant_own_measure(&seen[i], &normal[0], frame.factor, 0.01, &own[i], &error) == SCANT_OK);
  }
  CHECK_NEAR(likelihood[0], likelihood[1], 1e-9);
  for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal[0].covariance[i], normal[1].covariance[i], 1e-8);
  for (size_t i = 0; i < N; i++) CHECK_NEAR(normal[0].mean[i], normal[1].mean[i], 1e-8);
  CHECK_NEAR(own[0].error, own[1].error, 1e-11);
  CHECK_NEAR(own[0].variance, own[1].variance, 1e-11);
  CHECK_NEAR(own[0].expected, own[1].expected, 1e-11);
  for (int i = 0; i < 2; i++) {
    scant_normal_free(&normal[i]);
    scant_seen_free(&seen[i]);
  }
  scant_frame_free(&frame);
  scant_answers_free(&looks);
  scant_answers_free(&whole);
}

TEST(an_em_on_blocks_is_that_on_their_rows) {
  static const size_t most[] = {1, 4, 8, 40, 700};
  for (size_t i = 0; i < 5; i++)
    for (int holes = 0; holes < 2; holes++) check_same_steps(most[i], holes);
}

/* ---- error bars ----------------------------------------------------------------------------- */

enum { BLOCKS = 24, ROWS = 15, RUNS = 400 };

/* One attribute, y = x/2 + an effect of the block + noise.  Returns the squared error of y predicted as x/2. */
static double draw_world(scant_answers *looks, int in_blocks, uint64_t seed) {
  double sum = 0;
  uint32_t attribute = 0;
  for (size_t b = 0; b < BLOCKS; b++) {
    double effect = 1.5 * random_normal(&seed);
    for (size_t r = 0; r < ROWS; r++) {
      double x = random_normal(&seed), left = effect + random_normal(&seed);
      sum += left * left;
      CHECK(in_blocks ? scant_answers_add(looks, &(uint32_t){(uint32_t)b}, 1, &attribute, &x, x / 2 + left)
                      : scant_answers_add(looks, NULL, 1, &attribute, &x, x / 2 + left));
    }
  }
  return sum / (BLOCKS * ROWS);
}

typedef struct {
  double sum, squares;
} tally;

static void count_in(tally *t, double x) {
  t->sum += x;
  t->squares += x * x;
}

/* The mean in units of its standard error. */
static double sigmas(const tally *t) {
  double mean = t->sum / RUNS;
  return mean / sqrt((t->squares / RUNS - mean * mean) / RUNS);
}

/* With the true weights the mean squared error is known: what it is off by, squared, is on average what the variance of
 * the mean says, if its units are right. */
TEST(error_bars_over_blocks_cover_and_over_rows_do_not) {
  static const double covariance[4] = {1, 0.5, 0.5, 0.25 + 1 + 2.25}, expected = 1 + 2.25;
  scant_normal at = normal_from(2, NULL, covariance);
  scant_frame frame = plain_frame(1);
  tally of_blocks = {0}, of_rows = {0}, of_losses = {0}, real_one = {0};
  double row_variance = 0;
  for (size_t run = 0; run < RUNS; run++) {
    scant_answers looks = {.dimension = 1}, rows = {.dimension = 1};
    scant_seen seen[2] = {{0}, {0}};
    scant_own own[2];
    double error_here = draw_world(&looks, 1, 100 + run), loss[BLOCKS * ROWS], variance;
    CHECK_NEAR(draw_world(&rows, 0, 100 + run), error_here, 1e-12);
    CHECK(scant_seen_new(&seen[0], &looks, &frame, 0, 0) && scant_seen_new(&seen[1], &rows, &frame, 0, 0));
    for (int i = 0; i < 2; i++) {
      CHECK(scant_own_measure(&seen[i], &at, NULL, 0, &own[i], &error) == SCANT_OK);
      CHECK_NEAR(own[i].error, error_here, 1e-9);
    }
    for (size_t e = 0; e < BLOCKS * ROWS; e++) loss[e] = pow(looks.y[e] - looks.value[e] / 2, 2);
    CHECK_NEAR(scant_loss_mean(&seen[0], loss, &variance), error_here, 1e-9);
    double off = pow(error_here - expected, 2), by_rows = (own[1].spread - pow(own[1].error, 2)) / (BLOCKS * ROWS);
    count_in(&of_blocks, scant_own_variance_of_mean(own, 1) - off);
    count_in(&of_rows, by_rows - off);
    count_in(&of_losses, variance - off);
    count_in(&real_one, off);
    row_variance += by_rows;
    for (int i = 0; i < 2; i++) scant_seen_free(&seen[i]);
    scant_answers_free(&looks);
    scant_answers_free(&rows);
  }
  printf("# %g sigma over blocks, %g of losses, %g over rows, whose variance is %g of the true one\n",
         sigmas(&of_blocks), sigmas(&of_losses), sigmas(&of_rows), row_variance / real_one.sum);
  CHECK_AT_MOST(fabs(sigmas(&of_blocks)), 5);
  CHECK_AT_MOST(fabs(sigmas(&of_losses)), 5);
  CHECK_AT_MOST(sigmas(&of_rows), -5);
  CHECK_AT_MOST(row_variance, 0.3 * real_one.sum);
  scant_normal_free(&at);
  scant_frame_free(&frame);
}

/* Blocks of unequal size, by the formula. */
TEST(the_variance_of_a_mean_is_over_blocks) {
  enum { DIMENSION = 4, MANY = 30 };
  scant_answers looks = {.dimension = DIMENSION};
  scant_frame frame = plain_frame(DIMENSION);
  scant_seen seen = {0};
  uint64_t seed = 3;
  add_blocks(&looks, NULL, MANY, 7, 1, 5);
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
  double *loss = calloc(looks.examples, sizeof *loss), sum[MANY] = {0}, rows[MANY] = {0}, mean = 0, wanted = 0;
  double n = (double)looks.examples, variance;
  for (size_t e = 0; e < looks.examples; e++) {
    loss[e] = fabs(random_normal(&seed)) + looks.block[e] % 3;
    sum[looks.block[e]] += loss[e];
    rows[looks.block[e]]++;
    mean += loss[e] / n;
  }
  for (size_t b = 0; b < MANY; b++) wanted += pow(rows[b] * (sum[b] / rows[b] - mean) / n, 2) * MANY / (MANY - 1.0);
  CHECK_NEAR(scant_loss_mean(&seen, loss, &variance), mean, 1e-12);
  CHECK_NEAR(variance, wanted, 1e-12);
  scant_own own = {.error = mean, .blocks = MANY, .examples = n};
  for (size_t b = 0; b < MANY; b++) {
    own.squares += rows[b] * rows[b];
    own.weighted += rows[b] * sum[b];
    own.weighted_squares += sum[b] * sum[b];
  }
  CHECK_NEAR(scant_own_variance_of_mean(&own, 1), wanted, 1e-12);
  own.blocks = 1;
  CHECK(isinf(scant_own_variance_of_mean(&own, 1)));
  free(loss);
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

/* A group is judged whole. */
TEST(losses_are_of_whole_blocks) {
  enum { DIMENSION = 4, MANY = 45 };
  scant_answers looks = {.dimension = DIMENSION};
  scant_frame frame = plain_frame(DIMENSION);
  scant_seen seen = {0};
  scant_normal normal;
  double c[DIMENSION + 2] = {0.5, 0, -1, 0, 1, 0.1};
  add_blocks(&looks, NULL, MANY, 7, 1, 6);
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0) && scant_normal_new(&normal, DIMENSION + 1));
  scant_normal_reset(&normal);
  double *loss = calloc(looks.examples, sizeof *loss);
  for (size_t group = 0; group < SCANT_ERROR_GROUPS; group++) {
    for (size_t e = 0; e < looks.examples; e++) loss[e] = -1;
    CHECK(scant_losses_of(&normal, c, &seen, group, loss, &error) == SCANT_OK);
    for (size_t e = 0; e < looks.examples; e++) CHECK((loss[e] >= 0) == (looks.block[e] % SCANT_ERROR_GROUPS == group));
  }
  free(loss);
  scant_normal_free(&normal);
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

/* ---- learners --------------------------------------------------------------------------------- */

enum { D = 8 };

/* Tells so many blocks; row r of block b has a value that names it. */
static void tell_blocks(scant_learner *l, size_t first, size_t after, size_t rows) {
  scant_look *look = look_for(l);
  for (size_t b = first; b < after; b++) {
    double values[64 * D], y[64];
    size_t count = 1 + (rows - 1) * (b % 3) / 2; /* some are shorter */
    uint64_t seed = 1000 * b + 7;
    if (!CHECK(scant_learner_ask(l, look, &error) == SCANT_OK)) printf("#   %s\n", error.text);
    for (size_t r = 0; r < count; r++) {
      double hidden[3] = {random_normal(&seed), random_normal(&seed), random_normal(&seed)};
      y[r] = hidden[0] - hidden[1] / 2 + random_normal(&seed) / 2;
      for (uint32_t i = 0; i < look->count; i++) {
        values[r * look->count + i] = hidden[look->attributes[i] % 3] + random_normal(&seed) / 3;
        if (random_real(&seed) < -0.95) values[r * look->count + i] = NAN;
      }
    }
    if (!CHECK(scant_learner_tell_block(l, look, count, values, y, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  }
  scant_look_free(look);
}

static size_t rows_of(size_t block, size_t rows) {
  return 1 + (rows - 1) * (block % 3) / 2;
}

TEST(folds_of_moments_take_whole_blocks) {
  static const char *const lists[] = {"k=3 block=9", "k=3 block=9 clip=3"};
  for (size_t i = 0; i < 2; i++) {
    scant_learner *l = engine_learner(engine_settings("algorithm=moments threads=1", lists[i]), D);
    const scant_moments_state *s = moments_of(l);
    for (size_t told = 0; told < 60; told++) {
      uint64_t wanted[SCANT_MOMENTS_FOLDS] = {0}, all = 0;
      int held = i == 1 && told <= s->freeze_at;
      for (size_t b = 0; b < told; b++) wanted[b % SCANT_MOMENTS_FOLDS] += rows_of(b, 9);
      for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) {
        CHECK(s->fold[f].examples == (held ? 0 : wanted[f]));
        all += wanted[f];
      }
      CHECK(l->block == told && l->told == all);
      if (held) CHECK(s->held.examples == all && (!told || s->held.block[all - 1] == told - 1));
      tell_blocks(l, told, told + 1, 9);
    }
    CHECK(s->renew_at > 60 && s->span_count > 1); /* by blocks: 10 or 11 looks first, and half as many again */
    CHECK(s->spans[0].examples > 10 * 3);
    scant_learner_free(l);
  }
}

/* Half of the values explore and the others follow from the first renewal on, which is at 20 looks, not at 20 rows. */
TEST(the_law_is_renewed_by_the_number_of_looks) {
  scant_learner *l = engine_learner(engine_settings("algorithm=gaussian threads=1", "k=3 block=20"), D);
  tell_blocks(l, 0, 20, 20);
  CHECK(l->told > 100 && !gaussian_of(l)->chosen_at);
  tell_blocks(l, 20, 21, 20);
  CHECK(gaussian_of(l)->chosen_at == 20 && gaussian_of(l)->renew_at == 28);
  CHECK(scant_answers_blocks(&gaussian_of(l)->looks) == 21);
  scant_learner_free(l);
}

/* One block, or three, can't be halved: there is a regressor, and no risk. */
TEST(few_blocks_have_a_regressor_and_no_risk) {
  static const size_t blocks[] = {1, 3, 4, 12};
  for (size_t i = 0; i < 4; i++) {
    scant_learner *l = engine_learner(engine_settings("algorithm=gaussian threads=1", "k=8 block=60"), D);
    scant_learner_facts facts;
    double w[D], intercept, size = 0;
    tell_blocks(l, 2, 2 + blocks[i], 60); /* the first is of 60 rows */
    if (!CHECK(scant_learner_finish(l, &error) == SCANT_OK)) printf("#   %s\n", error.text);
    scant_learner_get_facts(l, &facts);
    scant_learner_weights(l, w, &intercept);
    for (size_t j = 0; j < D; j++) size += fabs(w[j]);
    CHECK(size > 0.1 && isfinite(intercept));
    CHECK(isfinite(facts.risk) == (blocks[i] >= 4) && isfinite(facts.risk_error) == (blocks[i] >= 4));
    scant_learner_free(l);
  }
}

/* The same rows with the same looks, with a strong effect of the block: as rows their errors look independent. */
TEST(risks_of_blocks_are_less_certain_than_those_of_rows) {
  static const char *const lists[] = {"k=8 block=20 clip=none", "k=8 clip=none"};
  double risk[2], risk_error[2];
  for (int i = 0; i < 2; i++) {
    scant_learner *l = engine_learner(engine_settings("algorithm=gaussian threads=1", lists[i]), D);
    scant_look *look = look_for(l);
    scant_learner_facts facts;
    uint64_t seed = 5;
    for (size_t b = 0; b < 24; b++) {
      double values[20 * D], y[20], effect = 2 * random_normal(&seed);
      for (size_t r = 0; r < 20; r++) {
        for (size_t j = 0; j < D; j++) values[r * D + j] = random_normal(&seed);
        y[r] = values[r * D] + effect + random_normal(&seed) / 2;
      }
      for (size_t r = 0; r < (i ? 20 : 1); r++) {
        CHECK(scant_learner_ask_all(l, look, &error) == SCANT_OK && look->count == D);
        CHECK(scant_learner_tell_block(l, look, i ? 1 : 20, values + r * D, y + r, &error) == SCANT_OK);
      }
    }
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_learner_get_facts(l, &facts);
    risk[i] = facts.risk;
    risk_error[i] = facts.risk_error;
    scant_look_free(look);
    scant_learner_free(l);
  }
  printf("# risk %g +- %g by blocks, %g +- %g by rows\n", risk[0], risk_error[0], risk[1], risk_error[1]);
  CHECK_AT_MOST(2 * risk_error[1], risk_error[0]);
  CHECK_NEAR(risk[0], 4.25, 5 * risk_error[0]);
}

/* Every look for n rows in place of one: as many chances, and all counts are n times as large. */
TEST(counts_of_pairs_are_believed_by_looks) {
  for (double n = 1; n < 100; n *= 3)
    for (double chance = 0; chance <= 1; chance += 0.25)
      for (double count = 0; count < 30; count += 7)
        CHECK_NEAR(scant_moments_pair_rate(n * count, n * 9.5, chance, n),
                   n * scant_moments_pair_rate(count, 9.5, chance, 1), 1e-9 * n);
}

static void check_judged(scant_learner *l, int wanted) {
  double risk, risk_error;
  CHECK(scant_engine_judge(l, NULL, &risk, &risk_error, &error) == SCANT_OK);
  CHECK(isfinite(risk) == wanted && isfinite(risk_error) == wanted);
}

TEST(a_judge_needs_two_blocks) {
  scant_learner *l = engine_learner(engine_settings("algorithm=gaussian threads=1", "k=8 block=60"), D);
  tell_blocks(l, 2, 3, 60);
  check_judged(l, 0);
  tell_blocks(l, 3, 12, 60);
  check_judged(l, 1);
  scant_learner_free(l);
}

TEST(threads_do_not_change_a_bit) {
  static const char *const lists[] = {"k=4 block=30 threads=1", "k=4 block=30 threads=3"};
  static const char *const rows[] = {"algorithm=gaussian", "algorithm=moments clip=3"};
  for (size_t a = 0; a < 2; a++) {
    double w[2][D], intercept[2], risk[2][4];
    for (int i = 0; i < 2; i++) {
      scant_learner *l = engine_learner(engine_settings(rows[a], lists[i]), D);
      scant_learner_facts facts;
      tell_blocks(l, 0, 60, 30);
      CHECK(scant_learner_finish(l, &error) == SCANT_OK);
      scant_learner_weights(l, w[i], &intercept[i]);
      scant_learner_get_facts(l, &facts);
      risk[i][0] = facts.risk;
      risk[i][1] = facts.risk_error;
      risk[i][2] = risk[i][3] = 0;
      if (!a) CHECK(scant_engine_judge(l, NULL, &risk[i][2], &risk[i][3], &error) == SCANT_OK && risk[i][3] > 0);
      scant_learner_free(l);
    }
    CHECK(!memcmp(w[0], w[1], sizeof *w) && intercept[0] == intercept[1] && !memcmp(risk[0], risk[1], sizeof *risk));
  }
}

/* ---- checkpoints --------------------------------------------------------------------------------- */

static void check_goes_on(const char *row, const char *list, size_t stop) {
  scant_settings settings = engine_settings(row, list);
  scant_learner *one = engine_learner(settings, D), *two = engine_learner(settings, D), *again = NULL;
  char *text[2];
  size_t length[2];
  tell_blocks(one, 0, 40, 9);
  tell_blocks(two, 0, stop, 9);
  if (!CHECK(engine_reload(two, &settings, &again, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  tell_blocks(again, stop, 40, 9);
  CHECK(scant_learner_finish(one, &error) == SCANT_OK && scant_learner_finish(again, &error) == SCANT_OK);
  CHECK(scant_learner_save(one, &text[0], &length[0], &error) == SCANT_OK);
  CHECK(scant_learner_save(again, &text[1], &length[1], &error) == SCANT_OK);
  CHECK(length[0] == length[1] && !memcmp(text[0], text[1], length[0]));
  double w[2][D], b[2];
  scant_learner_weights(one, w[0], &b[0]);
  scant_learner_weights(again, w[1], &b[1]);
  CHECK(!memcmp(w[0], w[1], sizeof *w) && b[0] == b[1]);
  scant_text_free(text[0]);
  scant_text_free(text[1]);
  scant_learner_free(one);
  scant_learner_free(two);
  scant_learner_free(again);
}

TEST(a_checkpoint_goes_on_with_its_blocks) {
  static const size_t stops[] = {0, 1, 7, 10, 11, 12, 30};
  for (size_t i = 0; i < 7; i++) {
    check_goes_on("algorithm=gaussian threads=1", "k=3 block=9", stops[i]);
    check_goes_on("algorithm=moments threads=1", "k=3 block=9", stops[i]);
    check_goes_on("algorithm=moments threads=1", "k=3 block=9 clip=3", stops[i]);
  }
}

/* Blocks that no learner can have been told. */
TEST(impossible_blocks_are_refused) {
  scant_settings settings = engine_settings("algorithm=gaussian threads=1", "k=3 block=9");
  scant_learner *l = engine_learner(settings, D);
  tell_blocks(l, 0, 12, 9);
  scant_answers *looks = &gaussian_of(l)->looks;
  size_t last = looks->examples - 1;
  const struct {
    size_t place;
    uint32_t block;
  } bad[] = {{0, 1}, {last, 12}, {last, 3}, {5, 40}, {6, 0}};
  for (size_t i = 0; i < 5; i++) {
    uint32_t kept = looks->block[bad[i].place];
    scant_learner *again = NULL;
    if (kept == bad[i].block) continue;
    looks->block[bad[i].place] = bad[i].block;
    CHECK(engine_reload(l, &settings, &again, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "example_blocks");
    looks->block[bad[i].place] = kept;
    scant_learner_free(again);
  }
  scant_learner_free(l);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static int tell_one(scant_learner *l, scant_look *look) {
  double values[9 * D], y[9];
  for (size_t i = 0; i < 9 * (size_t)look->count; i++) values[i] = (double)(i % 7);
  for (size_t r = 0; r < 9; r++) y[r] = (double)(r % 4);
  return scant_learner_tell_block(l, look, 9, values, y, &error) == SCANT_OK;
}

/* A block is told whole or not at all. */
TEST(without_memory_nothing_of_a_block_is_told) {
  static const char *const rows[] = {"algorithm=gaussian threads=1", "algorithm=moments threads=1 clip=3"};
  for (size_t i = 0; i < 2; i++) {
    scant_learner *l = engine_learner(engine_settings(rows[i], "k=3 block=9"), D);
    scant_look *look = look_for(l);
    unsigned long failures = 0;
    for (size_t b = 0; b < 16; b++) { /* moments freeze their limits meanwhile */
      CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
      uint64_t told = l->told, block = l->block;
      for (unsigned long n = 1;; n++) {
        allocations_fail(n, 0);
        int good = tell_one(l, look);
        failures += allocations_failed();
        allocations_reset();
        if (good) break;
        if (!CHECK(l->told == told && l->block == block && n < 100)) break;
      }
      CHECK(l->told == told + 9 && l->block == block + 1);
    }
    CHECK(failures > 3 && (!i || moments_of(l)->frozen));
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_look_free(look);
    scant_learner_free(l);
  }
}

int main(void) {
  RUN(parts_never_split_a_block);
  RUN(an_em_on_blocks_is_that_on_their_rows);
  RUN(error_bars_over_blocks_cover_and_over_rows_do_not);
  RUN(the_variance_of_a_mean_is_over_blocks);
  RUN(losses_are_of_whole_blocks);
  RUN(folds_of_moments_take_whole_blocks);
  RUN(the_law_is_renewed_by_the_number_of_looks);
  RUN(few_blocks_have_a_regressor_and_no_risk);
  RUN(risks_of_blocks_are_less_certain_than_those_of_rows);
  RUN(counts_of_pairs_are_believed_by_looks);
  RUN(a_judge_needs_two_blocks);
  RUN(threads_do_not_change_a_bit);
  RUN(a_checkpoint_goes_on_with_its_blocks);
  RUN(impossible_blocks_are_refused);
  RUN(without_memory_nothing_of_a_block_is_told);
  return check_done();
}
