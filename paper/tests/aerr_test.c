/* The fast AERR against Algorithm 1. */
#include "replay.h"

static void aerr(const char *list, size_t d, size_t k, size_t residual, int tied, double offset) {
  compare(&(match){.list = list,
                   .round = paper_aerr,
                   .d = d,
                   .k = k,
                   .residual = residual,
                   .steps = 2000,
                   .tied = tied,
                   .size = 1 / sqrt((double)d),
                   .offset = offset});
}

static const struct { size_t d, K; } sizes[] = {{2, 2}, {7, 3}, {7, 6}, {80, 24}, {150, 56}};

/* The theorem's step size, for every way to look and to centre. */
TEST(w_is_that_of_the_paper_at_every_step) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int way = 0; way<4; way += sizes[i].d> 20 ? 3 : 1) {
      char list[96];
      snprintf(list, sizeof list, "algorithm=aerr k=%zu replacement=%s center=%s", sizes[i].K, way % 2 ? "no" : "yes",
               way / 2 ? "yes" : "no");
      aerr(list, sizes[i].d, sizes[i].K - 1, 1, 0, way / 2 ? 2 : 0);
    }
}

/* The average is lazy: a step of 2^14 times w costs it as many units in the last place. */
TEST(large_steps_are_those_of_the_paper) {
  match m = {.round = paper_aerr, .residual = 1, .steps = 2000, .tied = 1, .size = 1, .of_means = 1e-11};
  static const struct {
    const char *list;
    size_t d, k, residual;
  } cases[] = {{"algorithm=aerr k=3 eta=0.5", 7, 2, 1},
               {"algorithm=aerr k=4 eta=0.5 radius=0.7 residual-looks=2", 7, 2, 2},
               {"algorithm=aerr k=9 eta=0.5 center=yes replacement=no", 80, 8, 1},
               {"algorithm=aerr k=64 radius=0.3 eta=1", 80, 63, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    m.list = cases[i].list;
    m.d = cases[i].d;
    m.k = cases[i].k;
    m.residual = cases[i].residual;
    compare(&m);
  }
}

/* The scale of AERR shrinks by every projection; it is folded back before it leaves the range of a double. */
TEST(huge_steps_do_not_break_the_scale) {
  aerr("algorithm=aerr k=3 eta=1e12", 7, 2, 1, 1, 0);
  aerr("algorithm=aerr k=3 eta=1e-3 radius=1e-90", 7, 2, 1, 1, 0);
}

TEST(without_a_horizon_eta_adapts_as_stated) {
  for (int i = 0; i < 2; i++)
    compare(&(match){.list = i ? "algorithm=aerr k=24 average=all" : "algorithm=aerr k=3 average=all",
                     .round = paper_aerr,
                     .d = i ? 80 : 7,
                     .k = i ? 23 : 2,
                     .steps = 2000,
                     .unknown = 1,
                     .tied = 1,
                     .size = 0.4});
}

TEST(units_of_x_bound_change_nothing) {
  aerr("algorithm=aerr k=4 x-bound=4", 12, 3, 1, 0, 0);
  aerr("algorithm=aerr k=4 x-bound=0.3 center=yes", 12, 3, 1, 0, 1);
}

TEST(eta_is_that_of_theorem_3_1) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    pair p;
    char list[32];
    snprintf(list, sizeof list, "algorithm=aerr k=%zu", sizes[i].K);
    pair_open(&p, &(match){.list = list, .d = sizes[i].d, .k = sizes[i].K - 1, .steps = 1000});
    CHECK_NEAR(p.fast->eta, (double)paper_aerr_eta(&p.oracle, 1000), 1e-15);
    pair_close(&p);
  }
}

int main(void) {
  RUN(w_is_that_of_the_paper_at_every_step);
  RUN(large_steps_are_those_of_the_paper);
  RUN(huge_steps_do_not_break_the_scale);
  RUN(without_a_horizon_eta_adapts_as_stated);
  RUN(units_of_x_bound_change_nothing);
  RUN(eta_is_that_of_theorem_3_1);
  return check_done();
}
