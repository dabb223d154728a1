/* The fast AESVR against Algorithm 4, in both balls. */
#include "replay.h"

/* Both branches of GenEst must have been taken. */
static void aesvr(const char *list, size_t d, int tied, double offset) {
  const match m = {.list = list,
                   .round = paper_aesvr,
                   .d = d,
                   .steps = 2000,
                   .unknown = !strstr(list, " eta="),
                   .tied = tied,
                   .size = 0.4,
                   .offset = offset};
  pair p;
  pair_open(&p, &m);
  pair_run(&p);
  if (!CHECK(p.singles > 2000) || !CHECK(p.grouped > 20)) printf("# %s: %u and %u\n", list, p.singles, p.grouped);
  pair_close(&p);
}

static const struct { size_t d, K; } sizes[] = {{8, 8}, {12, 9}, {80, 24}};

static void every_way(int norm, const char *more, int tied) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int way = 0; way<4; way += sizes[i].d> 20 ? 3 : 1) {
      char list[160];
      snprintf(list, sizeof list,
               "algorithm=aesvr norm=%d k=%zu smoothing=%s tube=0.1 average=all replacement=%s center=%s%s", norm,
               sizes[i].K, i % 2 ? "1" : "2", way % 2 ? "no" : "yes", way / 2 ? "yes" : "no", more);
      aesvr(list, sizes[i].d, tied, way / 2 ? 2 : 0);
    }
}

TEST(w_is_that_of_the_paper_at_every_step) {
  every_way(2, " eta=0.003", 0);
}

TEST(w_is_that_of_the_paper_at_every_step_in_the_1_norm_ball) {
  every_way(1, " eta=0.003", 0);
  every_way(1, "", 0);
}

TEST(large_steps_are_those_of_the_paper) {
  every_way(2, "", 1);
}

int main(void) {
  RUN(w_is_that_of_the_paper_at_every_step);
  RUN(w_is_that_of_the_paper_at_every_step_in_the_1_norm_ball);
  RUN(large_steps_are_those_of_the_paper);
  return check_done();
}
