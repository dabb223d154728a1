/* Blocks as rows and as sums, and requests to them. */
#ifndef SCANT_TESTS_SUMS_WORLD_H
#define SCANT_TESTS_SUMS_WORLD_H

#include "blocks.h"
#include "sums/reply.h"
#include "direct.h"

static scant_error error; /* where calls put their sentences */

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
static inline scant_answers rows_of(const world *w, scant_chosen_blocks chosen) {
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
      CHECK(scant_answers_add(&rows, NULL, known, attributes, values, b->y[r]));
    }
  }
  return rows;
}

/* Numbers 0, 1, 2, ... with every seventh left out. */
static inline world world_new(size_t count, holes most, uint64_t seed) {
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

static inline void world_free(world *w) {
  blocks_free(w->blocks, w->count);
  scant_sums_free(w->sums);
  scant_answers_free(&w->all);
  scant_frame_free(&w->frame);
  scant_normal_free(&w->at);
}

static inline scant_request request_of(const world *w, scant_request_kind kind, scant_chosen_blocks chosen) {
  scant_request q = {.kind = kind, .dimension = BLOCKS_D, .chosen = chosen};
  if (kind == SCANT_REQUEST_EXPECT || kind == SCANT_REQUEST_OWN) scant_request_at(&q, &w->frame, &w->at);
  if (kind == SCANT_REQUEST_OWN) q.factor = w->factor, q.penalty = 0.01;
  if (kind == SCANT_REQUEST_PAIRS) q.origin = w->origin, q.origin_y = -4;
  return q;
}

static inline scant_reply ask(const scant_sums *const *parts, size_t count, uint64_t threads, const scant_request *q) {
  scant_asker *asker = NULL;
  scant_reply reply = {0};
  CHECK(scant_asker_here(&asker, parts, count, threads, &error) == SCANT_OK);
  if (!CHECK(scant_asker_ask(asker, q, &reply, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_asker_here_free(asker);
  return reply;
}

static inline scant_reply ask_all(const world *w, const scant_request *q) {
  return ask((const scant_sums *const[]){w->sums}, 1, 1, q);
}

static const scant_chosen_blocks choices[] = {{0, 0, 0}, {2, 1, 0}, {5, 3, 0}, {5, 3, 1}, {2, 0, 1}};

enum { CHOICES = sizeof choices / sizeof *choices };

#endif
