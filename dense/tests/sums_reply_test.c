/* Replies of sums: the same bits whatever the threads, parts and bytes between; what is wrong is refused. */
#include "allocations.h"
#include "bytes.h"
#include "sums_world.h"

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
  CHECK_SAYS(error.text, "more than 4294967295 examples, and moments counts no further: take fewer, or gaussian");
  b.folds[3].examples = 0;
  CHECK(scant_reply_take(&a, &b, &error) == SCANT_OK && a.blocks == 2 && !b.folds);
  scant_reply_free(&a);
  scant_reply_free(&b);
}

TEST(arrays_of_zeros_come_back_to_the_bit) {
  enum { MOST = 70 };
  uint64_t seed = 6;
  for (size_t count = 0; count <= MOST; count++)
    for (uint64_t share = 0; share < 10; share++)
      for (size_t width = 4; width <= 8; width += 4) {
        double reals[MOST] = {0}, reals_back[MOST] = {0};
        uint32_t counts[MOST] = {0}, counts_back[MOST] = {0};
        size_t set = 0;
        for (size_t i = 0; i < count; i++) {
          if (random_below(&seed, 9) >= share) continue;
          reals[i] = random_below(&seed, 3) ? random_normal(&seed) : random_below(&seed, 2) ? -0.0 : NAN;
          counts[i] = 1 + (uint32_t)random_below(&seed, 1u << 31);
          set++;
        }
        void *from = width == 8 ? (void *)reals : counts;
        void *to = width == 8 ? (void *)reals_back : counts_back;
        scant_coder counter = {.mode = SCANT_CODER_COUNTS};
        scant_code_sparse(&counter, from, width, count);
        size_t size = (size_t)counter.count, plain = 4 + count * width, bits = 4 + (count + 7) / 8 + set * width;
        unsigned char *bytes = malloc(size);
        scant_coder writer = {.mode = SCANT_CODER_WRITES, .to = bytes};
        scant_code_sparse(&writer, from, width, count);
        scant_coder reader = {.mode = SCANT_CODER_READS, .from = bytes, .left = size};
        CHECK(size == (bits < plain ? bits : plain) && writer.to == bytes + size);
        scant_code_sparse(&reader, to, width, count);
        CHECK(!reader.bad && !reader.left && !memcmp(from, to, count * width));
        free(bytes);
      }
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
  RUN(threads_do_not_change_a_bit);
  RUN(parts_of_whole_groups_do_not_change_a_bit);
  RUN(an_asker_of_bytes_says_the_same);
  RUN(a_reply_of_nothing_merges_to_the_other);
  RUN(what_is_wrong_is_refused);
  RUN(pairs_count_their_examples);
  RUN(arrays_of_zeros_come_back_to_the_bit);
  RUN(replies_of_few_blocks_are_short);
  RUN(damaged_requests_and_replies_are_harmless);
  RUN(without_memory_there_is_no_reply);
  return check_done();
}
