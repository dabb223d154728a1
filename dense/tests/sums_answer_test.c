/* What sums say to requests is what the rows themselves say. */
#include "gaussian/own_error.h"
#include "sums_world.h"

/* ---- as the rows say ------------------------------------------------------------------------- */

TEST(an_expectation_is_that_of_the_rows) {
  for (uint64_t seed = 1; seed < 5; seed++)
    for (size_t c = 0; c < CHOICES; c++) {
      world w = world_new(12, FEW_HOLES, seed);
      scant_answers rows = rows_of(&w, choices[c]);
      scant_seen seen = {0};
      scant_expectation *x = NULL;
      scant_request q = request_of(&w, SCANT_REQUEST_EXPECT, choices[c]);
      size_t n = w.at.n;
      CHECK(scant_seen_new(&seen, &rows, &w.frame, 0, 0) && scant_expectation_new(&x, &seen, 1));
      scant_em_sums sums;
      scant_expect(x, &seen, &w.at, &sums);
      double likelihood = sums.likelihood * (double)seen.examples, largest = 1;
      scant_reply r = ask_all(&w, &q);
      CHECK(r.examples == seen.examples && r.variables == n && r.blocks > 0);
      CHECK_NEAR(r.likelihood, likelihood, 1e-11 * fabs(likelihood));
      for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(sums.m[i]));
      for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(r.g[i], sums.g[i], 1e-11 * largest);
        for (size_t j = 0; j <= i; j++) CHECK_NEAR(r.m[scant_pairs_at(i, j)], sums.m[i * n + j], 1e-11 * largest);
      }
      scant_reply_free(&r);
      scant_expectation_free(x);
      scant_seen_free(&seen);
      scant_answers_free(&rows);
      world_free(&w);
    }
}

/* The sums over blocks by their definition, each block measured on its own. */
static scant_own_sums own_by_blocks(const world *w, scant_chosen_blocks chosen, const double *factor, double penalty) {
  scant_own_sums sums = {0};
  for (size_t i = 0; i < w->count; i++) {
    scant_chosen_blocks one = {1000, w->blocks[i].number, 0};
    if (!scant_is_chosen(chosen, w->blocks[i].number)) continue;
    scant_answers rows = rows_of(w, one);
    scant_seen seen = {0};
    scant_own own;
    CHECK(scant_seen_new(&seen, &rows, &w->frame, 0, 0));
    CHECK(scant_own_measure(&seen, &w->at, factor, penalty, &own, &error) == SCANT_OK);
    double n = (double)seen.examples;
    sums.error += n * own.error;
    sums.variance += n * own.variance;
    sums.expected += n * own.expected;
    sums.rows2 += n * n;
    sums.error2 += n * n * own.error;
    sums.square2 += n * n * own.error * own.error;
    scant_seen_free(&seen);
    scant_answers_free(&rows);
  }
  return sums;
}

TEST(the_own_error_is_that_of_the_rows) {
  for (uint64_t seed = 1; seed < 5; seed++)
    for (size_t c = 0; c < CHOICES; c++) {
      world w = world_new(12, FEW_HOLES, seed);
      scant_request q = request_of(&w, SCANT_REQUEST_OWN, choices[c]);
      if (c % 2) q.factor = NULL, q.penalty = 0.3;
      scant_own_sums wanted = own_by_blocks(&w, choices[c], q.factor, q.penalty);
      scant_reply r = ask_all(&w, &q);
      CHECK_NEAR(r.own.error, wanted.error, 1e-10 * wanted.error);
      CHECK_NEAR(r.own.variance, wanted.variance, 1e-10 * wanted.variance);
      CHECK_NEAR(r.own.expected, wanted.expected, 1e-10 * wanted.variance);
      CHECK_NEAR(r.own.rows2, wanted.rows2, 0);
      CHECK_NEAR(r.own.error2, wanted.error2, 1e-10 * wanted.error2);
      CHECK_NEAR(r.own.square2, wanted.square2, 1e-10 * wanted.square2);
      scant_reply_free(&r);
      world_free(&w);
    }
}

static void check_pairs(const scant_pairs *found, const scant_pairs *wanted) {
  size_t d = BLOCKS_D;
  double n = (double)wanted->examples + 1;
  CHECK(found->examples == wanted->examples &&
        !memcmp(found->count, wanted->count, scant_pairs_triangle(d) * sizeof *found->count));
  CHECK_NEAR(found->y, wanted->y, 1e-11 * n * 10);
  CHECK_NEAR(found->yy, wanted->yy, 1e-11 * wanted->yy);
  for (size_t i = 0; i < d; i++) {
    double si = sqrt(wanted->product[scant_pairs_at(i, i)]);
    CHECK_NEAR(found->y_sum[i], wanted->y_sum[i], 1e-11 * n * 10);
    CHECK_NEAR(found->y_product[i], wanted->y_product[i], 1e-11 * si * sqrt(wanted->yy));
    for (size_t j = 0; j < d; j++) {
      double sj = sqrt(wanted->product[scant_pairs_at(j, j)]);
      CHECK_NEAR(found->sum[i * d + j], wanted->sum[i * d + j], 1e-11 * si * sqrt(n));
      CHECK_NEAR(found->product[scant_pairs_at(i, j)], wanted->product[scant_pairs_at(i, j)], 1e-11 * si * sj);
    }
  }
}

/* Available cases count as well: exactly. */
TEST(pairs_are_those_of_the_rows) {
  for (uint64_t seed = 1; seed < 5; seed++) {
    world w = world_new(20, MANY_HOLES, seed);
    scant_request q = request_of(&w, SCANT_REQUEST_PAIRS, (scant_chosen_blocks){0});
    scant_reply r = ask_all(&w, &q);
    int available = 0;
    for (size_t i = 0; i < w.sums->count; i++) available += w.sums->records[i]->together != NULL;
    CHECK(available > 0);
    for (uint64_t fold = 0; fold < SCANT_REPLY_FOLDS; fold++) {
      scant_answers rows = rows_of(&w, (scant_chosen_blocks){SCANT_REPLY_FOLDS, fold, 0});
      scant_pairs wanted = {0};
      CHECK(scant_pairs_new(&wanted, BLOCKS_D));
      for (size_t e = 0; e < rows.examples; e++) {
        double x[BLOCKS_D];
        size_t first = rows.first[e], known = rows.first[e + 1] - first;
        for (size_t k = 0; k < known; k++) x[k] = rows.value[first + k] - w.origin[rows.attribute[first + k]];
        scant_pairs_add(&wanted, known, rows.attribute + first, x, rows.y[e] + 4);
      }
      check_pairs(&r.folds[fold], &wanted);
      scant_pairs_free(&wanted);
      scant_answers_free(&rows);
    }
    scant_reply_free(&r);
    world_free(&w);
  }
}

TEST(marginals_are_those_of_the_rows) {
  for (size_t c = 0; c < CHOICES; c++) {
    world w = world_new(30, MANY_HOLES, 3);
    scant_request q = request_of(&w, SCANT_REQUEST_MARGINALS, choices[c]);
    scant_reply r = ask_all(&w, &q);
    scant_answers rows = rows_of(&w, choices[c]);
    uint64_t bought[BLOCKS_D] = {0}, blocks = 0;
    for (size_t i = 0; i < w.count; i++) {
      if (!scant_is_chosen(choices[c], w.blocks[i].number)) continue;
      blocks++;
      for (size_t k = 0; k < w.blocks[i].count; k++) bought[w.blocks[i].attributes[k]] += w.blocks[i].rows;
    }
    CHECK(r.blocks == blocks && r.examples == rows.examples);
    for (size_t j = 0; j <= BLOCKS_D; j++) {
      const scant_marginal *m = &r.marginals[j];
      scant_moments wanted = {0};
      double low = INFINITY, high = -INFINITY;
      uint64_t zeros = 0;
      for (size_t e = 0; e < rows.examples; e++)
        for (size_t k = rows.first[e]; k < rows.first[e + 1] + (j == BLOCKS_D); k++) {
          int is_target = k == rows.first[e + 1];
          if (is_target ? j < BLOCKS_D : rows.attribute[k] != j) continue;
          double x = is_target ? rows.y[e] : rows.value[k];
          scant_moments_add(&wanted, x);
          low = fmin(low, x);
          high = fmax(high, x);
          zeros += x == 0;
        }
      CHECK(m->known == wanted.count && m->blocks <= blocks && m->bought == (j < BLOCKS_D ? bought[j] : rows.examples));
      if (!wanted.count) continue;
      CHECK(m->low == low && m->high == high);
      CHECK_NEAR(m->mean, wanted.mean, 1e-12 * (fabs(wanted.mean) + 1));
      CHECK_NEAR(m->spread, wanted.spread, 1e-10 * wanted.spread);
      double far = fmax(high - m->mean, m->mean - low);
      CHECK_NEAR(scant_marginal_largest(m), far * far, 1e-12 * far * far);
      CHECK(m->active <= m->known / 2);
      /* mostly 0: nobody can cancel more than what is not 0, and what is not 0 cancels itself at most in pairs */
      if (j == 4) CHECK(m->common == 0 && m->active <= m->known - zeros && 2 * m->active >= m->known - zeros);
      if (j == 7) CHECK(m->active == 0 && m->common == 0.1 && m->spread == 0);
      if (j != 4 && j != 7) CHECK(m->active >= m->known / 2 - m->blocks);
    }
    scant_answers_free(&rows);
    scant_reply_free(&r);
    world_free(&w);
  }
}

TEST(blocks_are_chosen_by_their_number) {
  for (uint64_t b = 0; b < 20; b++) {
    CHECK(scant_is_chosen((scant_chosen_blocks){0, 3, 0}, b) && scant_is_chosen((scant_chosen_blocks){0, 0, 1}, b));
    CHECK(scant_is_chosen((scant_chosen_blocks){5, 3, 0}, b) == (b == 3 || b == 8 || b == 13 || b == 18));
    CHECK(scant_is_chosen((scant_chosen_blocks){5, 3, 1}, b) != (b == 3 || b == 8 || b == 13 || b == 18));
  }
}

/* Blocks of constants: what has a majority in each block is set against each other. */
TEST(votes_of_blocks_are_set_against_each_other) {
  static const double constants[] = {0, 1, 0, 2}, y[6] = {0};
  static const size_t rows[] = {6, 4, 3, 5};
  static const uint64_t active[] = {0, 4, 4, 9};
  static const double common[] = {0, 0, 0, 0};
  scant_sums *s = sums_new();
  for (uint64_t b = 0; b < 4; b++) {
    double values[6];
    for (size_t r = 0; r < rows[b]; r++) values[r] = constants[b];
    CHECK(scant_sums_add(s, b, rows[b], 1, (const uint32_t[]){5}, values, y, NULL, NULL, &error) == SCANT_OK);
    scant_request q = {.kind = SCANT_REQUEST_MARGINALS, .dimension = BLOCKS_D};
    scant_reply r = ask((const scant_sums *const[]){s}, 1, 1, &q);
    CHECK(r.marginals[5].active == active[b] && r.marginals[5].common == common[b] && r.marginals[5].blocks == b + 1);
    scant_reply_free(&r);
  }
  scant_sums_free(s);
}

/* With every value there available cases are the plain ones: so what they say tends to that as holes become few. */
TEST(available_cases_say_what_the_block_says) {
  made_block b = block_new(0, 4000, BLOCKS_D, WHOLE, 11), holed = block_new(0, 4000, BLOCKS_D, WHOLE, 11);
  uint64_t seed = 5;
  for (size_t i = 0; i < b.rows * b.count; i++)
    if (random_below(&seed, 50) == 0) holed.values[i] = NAN;
  scant_sums *s = sums_of(&b, 1, NULL, NULL), *t = sums_of(&holed, 1, NULL, NULL);
  CHECK(!s->records[0]->together && t->records[0]->together);
  const scant_pattern *p = &s->records[0]->pattern[0], *q = &t->records[0]->pattern[0];
  for (size_t i = 0; i <= BLOCKS_D; i++)
    for (size_t j = 0; j <= i; j++) {
      double unit = sqrt(p->scatter[scant_pairs_at(i, i)] * p->scatter[scant_pairs_at(j, j)]);
      CHECK_NEAR(q->scatter[scant_pairs_at(i, j)], p->scatter[scant_pairs_at(i, j)], 0.02 * unit);
    }
  scant_sums_free(s);
  scant_sums_free(t);
  block_free(&b);
  block_free(&holed);
}

TEST(an_impossible_covariance_is_not_a_number) {
  world w = world_new(12, WHOLE, 2);
  size_t n = w.at.n;
  for (size_t i = 0; i < n * n; i++) w.at.covariance[i] = i % (n + 1) ? 2 : 1; /* correlations of 2 */
  scant_request q = request_of(&w, SCANT_REQUEST_EXPECT, (scant_chosen_blocks){0});
  scant_reply r = ask_all(&w, &q);
  CHECK(isnan(r.likelihood));
  scant_reply_free(&r);
  q = request_of(&w, SCANT_REQUEST_OWN, (scant_chosen_blocks){0});
  r = ask_all(&w, &q);
  CHECK(isnan(r.own.error) && isnan(r.own.square2));
  scant_reply_free(&r);
  world_free(&w);
}

int main(void) {
  RUN(an_expectation_is_that_of_the_rows);
  RUN(the_own_error_is_that_of_the_rows);
  RUN(pairs_are_those_of_the_rows);
  RUN(marginals_are_those_of_the_rows);
  RUN(blocks_are_chosen_by_their_number);
  RUN(votes_of_blocks_are_set_against_each_other);
  RUN(available_cases_say_what_the_block_says);
  RUN(an_impossible_covariance_is_not_a_number);
  return check_done();
}
