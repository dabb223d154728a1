/* The fast AER against the algorithm of [CSS11]. */
#include "replay.h"

static void aer(const char *list, size_t d, size_t k, double offset) {
  compare(&(match){.list = list, .round = paper_aer, .d = d, .k = k, .steps = 2000, .size = 1, .offset = offset});
}

static const struct { size_t d, K; } sizes[] = {{2, 2}, {7, 4}, {7, 6}, {80, 24}, {150, 56}};

TEST(w_is_that_of_the_paper_at_every_step) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int way = 0; way<4; way += sizes[i].d> 20 ? 3 : 1) {
      char list[96];
      snprintf(list, sizeof list, "algorithm=aer k=%zu penalty=%s center=%s", sizes[i].K, way % 2 ? "0.5" : "auto",
               way / 2 ? "yes" : "no");
      aer(list, sizes[i].d, sizes[i].K / 2, way / 2 ? 2 : 0);
    }
}

TEST(large_steps_are_those_of_the_paper) {
  aer("algorithm=aer k=4 radius=0.3 penalty=0.01", 7, 2, 0);
  aer("algorithm=aer k=64 radius=3 penalty=0.1 center=yes", 80, 32, 1);
}

TEST(lambda_is_that_of_the_proof) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    pair p;
    char list[32];
    snprintf(list, sizeof list, "algorithm=aer k=%zu", sizes[i].K);
    pair_open(&p, &(match){.list = list, .d = sizes[i].d, .k = sizes[i].K / 2, .steps = 1000});
    CHECK_NEAR(p.fast->w.penalty / (double)paper_aer_lambda(&p.oracle, 1000), 1, 1e-14);
    pair_close(&p);
  }
}

int main(void) {
  RUN(w_is_that_of_the_paper_at_every_step);
  RUN(large_steps_are_those_of_the_paper);
  RUN(lambda_is_that_of_the_proof);
  return check_done();
}
