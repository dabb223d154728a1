/* What sums say to requests: the same as the rows themselves, whatever the threads, parts and bytes between. */
#include "allocations.h"
#include "blocks.h"
#include "dense/gaussian/own.h"
#include "dense/sums/reply.h"
#include "direct.h"

static scant_error error;

enum { BLOCKS = 60 }; /* five groups: their tree is no chain */

/* ---- blocks, as rows and as sums ------------------------------------------------------------ */

typedef struct {
  made_block blocks[BLOCKS];
  size_t count;
  scant_sums *sums;
  scant_answers all;
  scant_frame frame;
  scant_normal at;
  double factor[BLOCKS_D + 1], origin[BLOCKS_D];
} world;

/* The rows of the chosen blocks. */
static scant_answers rows_of(const world *w, scant_chosen_blocks chosen) {
  scant_answers rows = {.dimension = BLOCKS_D};
  for (size_t i = 0; i < w->count; i++) {
    const made_block *b = &w->blocks[i];
    for (size_t r = 0; scant_is_chosen(chosen, b->number) && r < b->rows; r++) {
      uint32_t attributes[BLOCKS_D];
      double values[BLOCKS_D];
      size_t known = 0;
      for (size_t c = 0; c < b->count; c++) {
        attributes[known] = b->attributes[c];
        values[known] = block_value(b, c, r);
        known += isnan(values[known]) ? 0 : 1;
      }
      CHECK(scant_answers_add(&rows, known, attributes, values, b->y[r]));
    }
  }
  return rows;
}

/* Numbers 0, 1, 2, ... with every seventh left out. */
static world world_new(size_t count, holes most, uint64_t seed) {
  world w = {.count = count};
  for (size_t i = 0; i < count; i++)
    w.blocks[i] = block_new(i + i / 6, 1 + random_below(&seed, 30), random_below(&seed, BLOCKS_D + 1),
                            (holes)(i % ((size_t)most + 1)), seed + i);
  w.sums = sums_of(w.blocks, count, NULL, NULL);
  w.all = rows_of(&w, (scant_chosen_blocks){0});
  scant_moments y = {0};
  for (size_t e = 0; e < w.all.examples; e++) scant_moments_add(&y, w.all.y[e]);
  CHECK(scant_frame_new(&w.frame, &w.all, 0, &y));
  size_t n = w.frame.variables;
  double covariance[(BLOCKS_D + 1) * (BLOCKS_D + 1)], mean[BLOCKS_D + 1];
  random_covariance(n, n, 0.3, &seed, covariance);
  for (size_t i = 0; i < n; i++) mean[i] = random_normal(&seed) / 4, w.factor[i] = 1 + fabs(random_real(&seed));
  for (size_t j = 0; j < BLOCKS_D; j++) w.origin[j] = 100 * (double)j + random_real(&seed);
  w.factor[1] = INFINITY;
  w.at = normal_from(n, mean, covariance);
  return w;
}

static void world_free(world *w) {
  blocks_free(w->blocks, w->count);
  scant_sums_free(w->sums);
  scant_answers_free(&w->all);
  scant_frame_free(&w->frame);
  scant_normal_free(&w->at);
}

static scant_request request_of(const world *w, scant_request_kind kind, scant_chosen_blocks chosen) {
  scant_request q = {.kind = kind, .dimension = BLOCKS_D, .chosen = chosen};
  if (kind == SCANT_REQUEST_EXPECT || kind == SCANT_REQUEST_OWN) scant_request_at(&q, &w->frame, &w->at);
  if (kind == SCANT_REQUEST_OWN) q.factor = w->factor, q.penalty = 0.01;
  if (kind == SCANT_REQUEST_PAIRS) q.origin = w->origin, q.origin_y = -4;
  return q;
}

static scant_reply ask(const scant_sums *const *parts, size_t count, uint64_t threads, const scant_request *q) {
  scant_asker *asker = NULL;
  scant_reply reply = {0};
  CHECK(scant_asker_here(&asker, parts, count, threads, &error) == SCANT_OK);
  if (!CHECK(scant_asker_ask(asker, q, &reply, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_asker_here_free(asker);
  return reply;
}

static scant_reply ask_all(const world *w, const scant_request *q) {
  return ask((const scant_sums *const[]){w->sums}, 1, 1, q);
}

static const scant_chosen_blocks choices[] = {{0, 0, 0}, {2, 1, 0}, {5, 3, 0}, {5, 3, 1}, {2, 0, 1}};

enum { CHOICES = sizeof choices / sizeof *choices };

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
      double likelihood = scant_expect(x, &seen, &w.at) * (double)seen.examples, largest = 1;
      scant_reply r = ask_all(&w, &q);
      CHECK(r.examples == seen.examples && r.variables == n && r.blocks > 0);
      CHECK_NEAR(r.likelihood, likelihood, 1e-11 * fabs(likelihood));
      for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(scant_expectation_m(x)[i]));
      for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(r.g[i], scant_expectation_g(x)[i], 1e-11 * largest);
        for (size_t j = 0; j <= i; j++)
          CHECK_NEAR(r.m[scant_pairs_at(i, j)], scant_expectation_m(x)[i * n + j], 1e-11 * largest);
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

/* ---- the same bits ------------------------------------------------------------------------------ */

typedef struct {
  unsigned char *bytes;
  size_t size;
} text;

static text encoded(const scant_reply *r) {
  text t = {0};
  CHECK(scant_reply_encode(r, &t.bytes, &t.size, NULL) == SCANT_OK);
  return t;
}

static int same_text(text a, text b) {
  return a.size == b.size && !memcmp(a.bytes, b.bytes, a.size);
}

/* Parts of `size` numbers each. */
static size_t cut(const world *w, uint64_t size, scant_sums **parts) {
  size_t count = (size_t)(w->blocks[w->count - 1].number / size + 1);
  for (size_t p = 0; p < count; p++) {
    parts[p] = sums_new();
    for (size_t i = 0; i < w->count; i++)
      if (w->blocks[i].number / size == p) CHECK(sums_add(parts[p], &w->blocks[i], NULL, NULL, NULL) == SCANT_OK);
  }
  return count;
}

static text ask_parts(scant_sums *const *parts, size_t count, uint64_t threads, const scant_request *q) {
  scant_reply r = ask((const scant_sums *const *)parts, count, threads, q);
  text t = encoded(&r);
  scant_reply_free(&r);
  return t;
}

TEST(threads_do_not_change_a_bit) {
  world w = world_new(BLOCKS, MANY_HOLES, 4);
  scant_sums *parts[BLOCKS * 2];
  for (uint64_t size = 1; size < 80; size *= 3) {
    size_t count = cut(&w, size, parts);
    for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++)
      for (size_t c = 0; c < CHOICES; c++) {
        scant_request q = request_of(&w, (scant_request_kind)kind, choices[c]);
        text wanted = ask_parts(parts, count, 1, &q);
        for (uint64_t threads = 2; threads <= 8; threads *= 2) {
          text found = ask_parts(parts, count, threads, &q);
          CHECK(same_text(wanted, found));
          free(found.bytes);
        }
        free(wanted.bytes);
      }
    for (size_t p = 0; p < count; p++) scant_sums_free(parts[p]);
  }
  world_free(&w);
}

TEST(parts_of_whole_groups_do_not_change_a_bit) {
  world w = world_new(BLOCKS, MANY_HOLES, 4);
  scant_sums *parts[BLOCKS * 2];
  for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++)
    for (size_t c = 0; c < CHOICES; c++) {
      scant_request q = request_of(&w, (scant_request_kind)kind, choices[c]);
      text wanted = ask_parts(&w.sums, 1, 2, &q);
      for (uint64_t size = SCANT_SUMS_GROUP; size < 100; size *= 2) {
        size_t count = cut(&w, size, parts);
        text found = ask_parts(parts, count, 2, &q);
        CHECK(same_text(wanted, found));
        free(found.bytes);
        for (size_t p = 0; p < count; p++) scant_sums_free(parts[p]);
      }
      free(wanted.bytes);
    }
  world_free(&w);
}

/* As a cluster does it: each part answers bytes with bytes, and neighbours are merged level by level. */
typedef struct {
  scant_sums **parts;
  size_t count;
} cluster;

static scant_status ask_cluster(void *user, const unsigned char *request, size_t size, unsigned char **reply,
                                size_t *reply_size, scant_error *e) {
  const cluster *k = user;
  text level[2 * BLOCKS];
  for (size_t p = 0; p < k->count; p++)
    if (scant_sums_answer(k->parts[p], request, size, &level[p].bytes, &level[p].size, e)) return SCANT_DATA;
  for (size_t left = k->count; left > 1; left = (left + 1) / 2)
    for (size_t i = 0; i < left; i += 2) {
      text a = level[i], b = i + 1 < left ? level[i + 1] : (text){0};
      level[i / 2] = a;
      if (!b.bytes) continue;
      CHECK(scant_reply_merge(a.bytes, a.size, b.bytes, b.size, &level[i / 2].bytes, &level[i / 2].size, e) ==
            SCANT_OK);
      scant_bytes_free(a.bytes);
      scant_bytes_free(b.bytes);
    }
  *reply = level[0].bytes;
  *reply_size = level[0].size;
  return SCANT_OK;
}

TEST(an_asker_of_bytes_says_the_same) {
  world w = world_new(BLOCKS, MANY_HOLES, 6);
  scant_sums *parts[2 * BLOCKS];
  for (uint64_t size = 1; size < 80; size *= 4) {
    cluster k = {parts, cut(&w, size, parts)};
    scant_asker asker = {ask_cluster, &k};
    for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++)
      for (size_t c = 0; c < CHOICES; c++) {
        scant_request q = request_of(&w, (scant_request_kind)kind, choices[c]);
        if (c == 1) q.factor = NULL;
        scant_reply r = {0};
        text wanted = ask_parts(parts, k.count, 1, &q);
        CHECK(scant_asker_ask(&asker, &q, &r, &error) == SCANT_OK);
        text found = encoded(&r);
        CHECK(same_text(wanted, found));
        scant_reply_free(&r);
        free(wanted.bytes);
        free(found.bytes);
      }
    for (size_t p = 0; p < k.count; p++) scant_sums_free(parts[p]);
  }
  world_free(&w);
}

/* ---- nothing, and what is wrong -------------------------------------------------------------- */

TEST(a_reply_of_nothing_merges_to_the_other) {
  world w = world_new(5, MANY_HOLES, 2);
  scant_sums *parts[4] = {sums_new(), sums_new(), w.sums, sums_new()};
  for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++) {
    scant_request q = request_of(&w, (scant_request_kind)kind, (scant_chosen_blocks){0});
    text nothing = ask_parts(parts, 2, 1, &q), wanted = ask_parts(&w.sums, 1, 1, &q),
         found = ask_parts(parts, 4, 2, &q), merged;
    CHECK(same_text(wanted, found) && nothing.size < 60);
    for (int order = 0; order < 2; order++) {
      text a = order ? nothing : wanted, b = order ? wanted : nothing;
      CHECK(scant_reply_merge(a.bytes, a.size, b.bytes, b.size, &merged.bytes, &merged.size, &error) == SCANT_OK);
      CHECK(same_text(merged, wanted));
      free(merged.bytes);
    }
    free(nothing.bytes);
    free(wanted.bytes);
    free(found.bytes);
  }
  scant_sums_free(parts[0]);
  scant_sums_free(parts[1]);
  scant_sums_free(parts[3]);
  world_free(&w);
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

TEST(what_is_wrong_is_refused) {
  world w = world_new(6, WHOLE, 2);
  scant_sums *small = NULL;
  scant_asker *asker = NULL;
  scant_request q = request_of(&w, SCANT_REQUEST_MARGINALS, (scant_chosen_blocks){0});
  scant_reply r = {0};
  CHECK(scant_sums_new(&small, 3, NULL) == SCANT_OK);
  CHECK(scant_asker_here(&asker, (const scant_sums *const[]){w.sums, small}, 2, 1, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "part 1 is of 3 attributes, and part 0 of 9");
  CHECK(scant_asker_here(&asker, (const scant_sums *const[]){w.sums, w.sums}, 2, 1, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "block 0 is in two parts");
  CHECK(scant_asker_here(&asker, NULL, 0, 1, &error) == SCANT_MISUSE);
  CHECK(scant_asker_here(&asker, (const scant_sums *const[]){small}, 1, 1, &error) == SCANT_OK);
  CHECK(scant_asker_ask(asker, &q, &r, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "the request is of 9 attributes, and the sums are of 3");
  scant_asker_here_free(asker);
  scant_asker_here_free(NULL);
  /* replies to two requests */
  scant_reply a = ask_all(&w, &q), b;
  q = request_of(&w, SCANT_REQUEST_EXPECT, (scant_chosen_blocks){0});
  b = ask_all(&w, &q);
  CHECK(scant_reply_take(&a, &b, &error) == SCANT_DATA && a.marginals && b.m);
  scant_reply_free(&a);
  scant_reply_free(&b);
  scant_sums_free(small);
  world_free(&w);
}

/* Too many examples for the counts of pairs. */
TEST(pairs_count_their_examples) {
  scant_reply a = {.kind = SCANT_REQUEST_PAIRS, .dimension = 1, .blocks = 1, .examples = UINT32_MAX}, b = a;
  a.folds = calloc(SCANT_REPLY_FOLDS, sizeof *a.folds);
  b.folds = calloc(SCANT_REPLY_FOLDS, sizeof *b.folds);
  for (int i = 0; i < SCANT_REPLY_FOLDS; i++) CHECK(scant_pairs_new(&a.folds[i], 1) && scant_pairs_new(&b.folds[i], 1));
  a.folds[3].examples = UINT32_MAX;
  b.folds[3].examples = 1;
  CHECK(scant_reply_take(&a, &b, &error) == SCANT_DATA && a.blocks == 1);
  CHECK_SAYS(error.text, "more than 4294967295 examples");
  b.folds[3].examples = 0;
  CHECK(scant_reply_take(&a, &b, &error) == SCANT_OK && a.blocks == 2 && !b.folds);
  scant_reply_free(&a);
  scant_reply_free(&b);
}

/* A part of few blocks shows few pairs, and its reply is short; with all pairs it is as long as its numbers. */
TEST(replies_of_few_blocks_are_short) {
  enum { D = 200 };
  double values[5 * 8], y[8], center[D + 1] = {0}, unit[D + 1], mean[D + 1] = {0}, origin[D] = {0};
  static double covariance[(D + 1) * (D + 1)];
  uint32_t variable[D];
  uint64_t seed = 4;
  scant_sums *s = NULL;
  CHECK(scant_sums_new(&s, D, NULL) == SCANT_OK);
  for (size_t i = 0; i < 40; i++) values[i] = random_normal(&seed), y[i % 8] = random_normal(&seed);
  CHECK(scant_sums_add(s, 3, 8, 5, (const uint32_t[]){190, 7, 8, 100, 0}, values, y, NULL, NULL, &error) == SCANT_OK);
  for (size_t i = 0; i <= D; i++)
    unit[i] = covariance[i * (D + 2)] = 1, variable[i < D ? i : 0] = i < D ? (uint32_t)i : 0;
  scant_request q = {.kind = SCANT_REQUEST_EXPECT,
                     .dimension = D,
                     .variables = D + 1,
                     .variable = variable,
                     .center = center,
                     .unit = unit,
                     .mean = mean,
                     .covariance = covariance,
                     .origin = origin};
  for (int k = 0; k < 2; k++, q.kind = SCANT_REQUEST_PAIRS) {
    scant_reply r = ask((const scant_sums *const[]){s}, 1, 1, &q), back = {0};
    text t = encoded(&r), again;
    CHECK_AT_MOST((double)t.size, k ? 5 * (24 + 16 * D + 2 * D * D / 8.0) + 800 : 60 + 8 * D + D * D / 16.0 + 300);
    CHECK(scant_reply_decode(&back, t.bytes, t.size, &error) == SCANT_OK);
    again = encoded(&back);
    CHECK(same_text(t, again));
    if (!k)
      CHECK(!memcmp(r.m, back.m, scant_pairs_triangle(D + 1) * sizeof *r.m) && !memcmp(r.g, back.g, sizeof center));
    if (k)
      CHECK(!memcmp(r.folds[3].sum, back.folds[3].sum, D * D * sizeof *r.folds->sum) && back.folds[3].examples == 8);
    scant_reply_free(&r);
    scant_reply_free(&back);
    free(t.bytes);
    free(again.bytes);
  }
  scant_sums_free(s);
}

/* Every byte of a request and of a reply, and every length: refused, or read as something that is whole. */
static void damage_request(text t) {
  for (size_t i = 0; i < t.size; i++)
    for (int bit = 0; bit < 8; bit += 3) {
      scant_request q = {0};
      t.bytes[i] ^= (unsigned char)(1 << bit);
      scant_status status = scant_request_decode(&q, t.bytes, t.size, &error);
      CHECK(status == SCANT_OK || status == SCANT_DATA || status == SCANT_MEMORY);
      if (i < 12) CHECK(status == SCANT_DATA);
      scant_request_free(&q);
      t.bytes[i] ^= (unsigned char)(1 << bit);
    }
  for (size_t size = 0; size < t.size; size++) {
    scant_request q = {0};
    unsigned char *copy = malloc(size ? size : 1); /* a sanitizer sees what is read past the end */
    memcpy(copy, t.bytes, size);
    CHECK(scant_request_decode(&q, copy, size, &error) == SCANT_DATA);
    free(copy);
  }
}

static void damage_reply(text t) {
  for (size_t i = 0; i < t.size; i++)
    for (int bit = 0; bit < 8; bit += 3) {
      scant_reply r = {0};
      t.bytes[i] ^= (unsigned char)(1 << bit);
      scant_status status = scant_reply_decode(&r, t.bytes, t.size, &error);
      CHECK(status == SCANT_OK || status == SCANT_DATA || status == SCANT_MEMORY);
      if (i < 12) CHECK(status == SCANT_DATA);
      scant_reply_free(&r);
      t.bytes[i] ^= (unsigned char)(1 << bit);
    }
  for (size_t size = 0; size < t.size; size++) {
    scant_reply r = {0};
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, t.bytes, size);
    CHECK(scant_reply_decode(&r, copy, size, &error) == SCANT_DATA);
    free(copy);
  }
}

TEST(damaged_requests_and_replies_are_harmless) {
  world w = world_new(6, MANY_HOLES, 2);
  for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++) {
    scant_request q = request_of(&w, (scant_request_kind)kind, choices[3]);
    text request = {0}, reply = ask_parts(&w.sums, 1, 1, &q);
    CHECK(scant_request_encode(&q, &request.bytes, &request.size, NULL) == SCANT_OK);
    damage_request(request);
    damage_reply(reply);
    free(request.bytes);
    free(reply.bytes);
  }
  world_free(&w);
}

TEST(without_memory_there_is_no_reply) {
  world w = world_new(8, MANY_HOLES, 2);
  scant_sums *parts[2 * BLOCKS];
  cluster k = {parts, cut(&w, 4, parts)};
  for (int kind = SCANT_REQUEST_MARGINALS; kind < SCANT_REQUEST_KINDS; kind++) {
    scant_request q = request_of(&w, (scant_request_kind)kind, (scant_chosen_blocks){0});
    text request = {0}, wanted = ask_parts(&w.sums, 1, 1, &q);
    CHECK(scant_request_encode(&q, &request.bytes, &request.size, NULL) == SCANT_OK);
    for (int step = 0; step < 3; step++)
      for (unsigned long n = 1;; n++) {
        text found = {0};
        scant_asker *asker = NULL;
        scant_reply r = {0};
        error.text[0] = 0;
        allocations_fail(n, n % 2);
        scant_status status =
            step == 0   ? scant_sums_answer(w.sums, request.bytes, request.size, &found.bytes, &found.size, &error)
            : step == 1 ? scant_reply_merge(wanted.bytes, wanted.size, wanted.bytes, wanted.size, &found.bytes,
                                            &found.size, &error)
                        : scant_asker_here(&asker, (const scant_sums *const *)parts, k.count, 1, &error);
        if (step == 2 && status == SCANT_OK) status = scant_asker_ask(asker, &q, &r, &error);
        unsigned long failed = allocations_failed();
        allocations_reset();
        CHECK(status == (failed ? SCANT_MEMORY : SCANT_OK) && (!failed || !found.bytes));
        if (failed) CHECK_SAYS(error.text, "out of memory");
        scant_bytes_free(found.bytes);
        scant_reply_free(&r);
        scant_asker_here_free(asker);
        if (!failed) break;
      }
    free(request.bytes);
    free(wanted.bytes);
  }
  for (size_t p = 0; p < k.count; p++) scant_sums_free(parts[p]);
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
  RUN(threads_do_not_change_a_bit);
  RUN(parts_of_whole_groups_do_not_change_a_bit);
  RUN(an_asker_of_bytes_says_the_same);
  RUN(a_reply_of_nothing_merges_to_the_other);
  RUN(an_impossible_covariance_is_not_a_number);
  RUN(what_is_wrong_is_refused);
  RUN(pairs_count_their_examples);
  RUN(replies_of_few_blocks_are_short);
  RUN(damaged_requests_and_replies_are_harmless);
  RUN(without_memory_there_is_no_reply);
  return check_done();
}
