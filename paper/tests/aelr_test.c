/* The fast AELR against Algorithm 2. */
#include "replay.h"

static void aelr(const char *list, size_t d, size_t k, size_t residual, double offset) {
  compare(&(match){.list = list,
                   .round = paper_aelr,
                   .d = d,
                   .k = k,
                   .residual = residual,
                   .steps = 2000,
                   .size = 0.9,
                   .offset = offset});
}

static const struct { size_t d, K; } sizes[] = {{2, 2}, {7, 3}, {7, 6}, {80, 24}, {150, 56}};

/* The theorem's step size, for every way to look and to centre. */
TEST(w_is_that_of_the_paper_at_every_step) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int way = 0; way<4; way += sizes[i].d> 20 ? 3 : 1) {
      char list[96];
      snprintf(list, sizeof list, "algorithm=aelr k=%zu replacement=%s center=%s", sizes[i].K, way % 2 ? "no" : "yes",
               way / 2 ? "yes" : "no");
      aelr(list, sizes[i].d, sizes[i].K - 1, 1, way / 2 ? 2 : 0);
    }
}

TEST(large_steps_are_those_of_the_paper) {
  aelr("algorithm=aelr k=4 eta=0.3 radius=2", 7, 3, 1, 0);
  aelr("algorithm=aelr k=4 eta=0.3 radius=2 residual-looks=2 replacement=no", 7, 2, 2, 0);
  aelr("algorithm=aelr k=64 eta=0.2 radius=3 center=yes", 80, 63, 1, 1);
  aelr("algorithm=aelr k=4 eta=50", 7, 3, 1, 0); /* every step is clipped, and theta runs away */
}

TEST(without_a_horizon_eta_adapts_as_stated) {
  for (int i = 0; i < 2; i++)
    compare(&(match){.list = i ? "algorithm=aelr k=24 average=all" : "algorithm=aelr k=3 average=all",
                     .round = paper_aelr,
                     .d = i ? 80 : 7,
                     .k = i ? 23 : 2,
                     .steps = 2000,
                     .unknown = 1,
                     .size = 0.9});
}

TEST(eta_is_that_of_the_proof_of_theorem_3_4) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    pair p;
    char list[48];
    snprintf(list, sizeof list, "algorithm=aelr k=%zu radius=3", sizes[i].K);
    pair_open(&p, &(match){.list = list, .d = sizes[i].d, .k = sizes[i].K - 1, .steps = 1000});
    CHECK_NEAR(p.fast->eta, (double)paper_aelr_eta(&p.oracle, 1000), 1e-15);
    pair_close(&p);
  }
}

int main(void) {
  RUN(w_is_that_of_the_paper_at_every_step);
  RUN(large_steps_are_those_of_the_paper);
  RUN(without_a_horizon_eta_adapts_as_stated);
  RUN(eta_is_that_of_the_proof_of_theorem_3_4);
  return check_done();
}
