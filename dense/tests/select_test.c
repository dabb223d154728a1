/* Forward selection of items, against selections that solve every regression anew. */
#include "gaussian/select.h"

#include "allocations.h"
#include "gaussians.h"

enum { N = 10, P = N - 1 };

static const size_t single[P + 1] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, variables[P] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
/* Groups of two, of three and of none. */
static const size_t grouped[7] = {0, 1, 3, 3, 6, 8, 9}, shuffled[P] = {4, 7, 1, 0, 8, 3, 6, 2, 5};

static scant_items items_from(size_t count, const size_t *first, const size_t *variable) {
  scant_items items;
  CHECK(scant_items_new(&items, count, P));
  memcpy(items.first, first, (count + 1) * sizeof *first);
  memcpy(items.variable, variable, P * sizeof *variable);
  for (size_t g = 0; g < count; g++) items.value[g] = items.cost[g] = 1;
  return items;
}

static void random_covariance(uint64_t *draw, double *s) {
  double load[N][N];
  for (size_t i = 0; i < N * N; i++) load[i / N][i % N] = random_normal(draw);
  for (size_t i = 0; i < N * N; i++) {
    s[i] = i / N == i % N ? 0.2 : 0;
    for (size_t k = 0; k < N; k++) s[i] += load[i / N][k] * load[i % N][k];
  }
}

/* c' G^-1 c over the variables of the items of `chosen`, G with the diagonal raised. */
static double explain(const scant_items *items, const double *s, const double *factor, double penalty,
                      const int *chosen) {
  long double a[P * P], b[P];
  size_t places[P], count = 0;
  double sum = 0;
  for (size_t g = 0; g < items->count; g++)
    for (size_t i = items->first[g]; chosen[g] && i < items->first[g + 1]; i++) places[count++] = items->variable[i];
  for (size_t i = 0; i < count; i++) {
    b[i] = s[P * N + places[i]];
    for (size_t j = 0; j < count; j++)
      a[i * count + j] = s[places[i] * N + places[j]] * (i == j ? factor[places[i]] + penalty : 1);
  }
  solve_directly(a, b, count);
  for (size_t i = 0; i < count; i++) sum += (double)b[i] * s[P * N + places[i]];
  return sum;
}

/* The same selection by solving anew whatever is tried. */
static void select_directly(const scant_items *items, const double *s, const double *factor, size_t most, double money,
                            double *gain) {
  int chosen[P] = {0};
  double before = 0, spent = 0;
  memset(gain, 0, items->count * sizeof *gain);
  for (size_t k = 0;; k++) {
    size_t best = items->count;
    double top = 0, explained = 0;
    int known = 0;
    for (size_t g = 0; g < items->count && !known; g++) {
      if (chosen[g] || items->first[g] == items->first[g + 1]) continue;
      known = isinf(items->value[g]);
      chosen[g] = 1;
      double all = explain(items, s, factor, 0.05, chosen), x = (all - before) * items->value[g];
      chosen[g] = 0;
      if (x > top || known) top = x, explained = all, best = g;
    }
    if (!known && (most-- == 0 || spent >= money)) return;
    if (best == items->count) return;
    spent += known ? 0 : items->cost[best];
    chosen[best] = 1;
    gain[best] = (explained - before) / s[N * N - 1];
    before = explained;
  }
}

static void check_selection(const scant_items *items, uint64_t seed, size_t most, double money) {
  uint64_t draw = seed;
  double s[N * N], mean[N] = {0}, factor[N], gain[P], wanted[P];
  random_covariance(&draw, s);
  for (size_t j = 0; j < P; j++) factor[j] = seed < 3 ? 1 : 1 + fabs(random_real(&draw));
  scant_normal normal = {N, mean, s};
  select_directly(items, s, factor, most, money, wanted);
  CHECK(scant_items_select(items, &normal, factor, 0.05, most, money, gain));
  for (size_t g = 0; g < items->count; g++) CHECK_NEAR(gain[g], wanted[g], 1e-10);
}

TEST(gains_are_those_of_forward_selection) {
  scant_items items = items_from(P, single, variables);
  for (uint64_t seed = 1; seed <= 5; seed++)
    for (size_t most = 0; most <= P; most += 3) check_selection(&items, seed, most, INFINITY);
  scant_items_free(&items);
}

TEST(a_group_gains_what_its_members_explain_together) {
  scant_items items = items_from(6, grouped, shuffled);
  for (uint64_t seed = 1; seed <= 12; seed++)
    for (size_t most = 0; most <= 6; most++) check_selection(&items, seed, most, INFINITY);
  scant_items_free(&items);
}

TEST(prices_and_what_is_known_count) {
  scant_items items = items_from(6, grouped, shuffled);
  for (uint64_t seed = 1; seed <= 12; seed++) {
    uint64_t draw = seed;
    for (size_t g = 0; g < 6; g++) {
      items.cost[g] = 1 + (double)random_below(&draw, 30);
      items.value[g] = 1 / items.cost[g];
    }
    items.value[seed % 6] = INFINITY;
    if (seed > 6) items.value[4] = INFINITY;
    for (double money = 0; money <= 60; money += 5) {
      check_selection(&items, seed, 6, money);
      check_selection(&items, seed, 2, money);
    }
  }
  scant_items_free(&items);
}

/* Attributes of which the last three follow from the others, without a penalty: as
 * many are not chosen, whatever rounding leaves of them; also within a group. */
TEST(what_follows_from_others_gains_nothing) {
  enum { RANK = P - 3 };
  for (int kind = 0; kind < 2; kind++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      uint64_t draw = seed;
      const size_t two[3] = {0, RANK + 1, P};
      scant_items items = kind ? items_from(2, two, variables) : items_from(P, single, variables);
      double load[N][RANK + 1] = {{0}}, s[N * N] = {0}, mean[N] = {0}, factor[N], gain[P], sum = 0;
      for (size_t i = 0; i < N; i++) {
        factor[i] = 1;
        for (size_t k = 0; k < RANK; k++) load[i][k] = random_normal(&draw);
      }
      load[P][RANK] = 1; /* noise of the target */
      for (size_t i = 0; i < N * N; i++)
        for (size_t k = 0; k <= RANK; k++) s[i] += load[i / N][k] * load[i % N][k];
      scant_normal normal = {N, mean, s};
      CHECK(scant_items_select(&items, &normal, factor, 0, P, INFINITY, gain));
      size_t chosen = 0;
      for (size_t g = 0; g < items.count; g++) sum += gain[g], chosen += gain[g] > 0;
      CHECK(chosen > 0 && chosen <= (kind ? 2 : RANK));
      CHECK_NEAR(sum, 1 - 1 / s[N * N - 1], 1e-8);
      scant_items_free(&items);
    }
}

TEST(memory_may_be_short) {
  scant_items items = items_from(6, grouped, shuffled);
  uint64_t draw = 1;
  double s[N * N], mean[N] = {0}, factor[N], gain[P];
  random_covariance(&draw, s);
  for (size_t j = 0; j < N; j++) factor[j] = 1;
  scant_normal normal = {N, mean, s};
  unsigned long n = 1, failed = 1;
  for (; failed && n < 100; n++) {
    allocations_fail(n, 0);
    int good = scant_items_select(&items, &normal, factor, 0.05, 6, INFINITY, gain);
    failed = allocations_failed();
    allocations_reset();
    CHECK(good == !failed);
  }
  CHECK(n > 5 && n < 100);
  scant_items_free(&items);
}

int main(void) {
  RUN(gains_are_those_of_forward_selection);
  RUN(a_group_gains_what_its_members_explain_together);
  RUN(prices_and_what_is_known_count);
  RUN(what_follows_from_others_gains_nothing);
  RUN(memory_may_be_short);
  return check_done();
}
