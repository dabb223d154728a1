/* Offers, stopping rules and what is bought under them, against dense linear algebra and a naive loop. */
#include "gaussians.h"
#include "joint/joint.h"
#include "model/query.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, COUNT = D - 1 };
#define NORMAL_95 1.6448536269514722

static scant_error error;
static table data;
static scant_prices *prices;

/* Attribute j has the place j - 1, but for 0; 1 is not known. */
static unsigned bit_of(size_t attribute) {
  return attribute == 1 ? 0 : 1u << (attribute ? attribute - 1 : 0);
}

static scant_prices *make_prices(void) {
  static const uint64_t costs[D] = {0, 10, 250, 100, 30, 0, 1, 80, 70, 500, 20, 40};
  static const uint32_t panels[D] = {0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0};
  scant_prices *made = NULL;
  CHECK(scant_prices_new(&made, D, costs, panels, &error) == SCANT_OK);
  return made;
}

/* All members of an attribute's item, as bits of attributes. */
static unsigned item_of(const scant_prices *p, uint32_t attribute) {
  unsigned members = 1u << attribute;
  uint32_t group = p ? scant_prices_group(p, attribute) : 0;
  for (uint32_t i = 0; group && i < D; i++)
    if (scant_prices_group(p, i) == group) members |= 1u << i;
  return members;
}

static uint64_t cost_of(const scant_prices *p, unsigned members) {
  uint64_t cost = 0;
  for (uint32_t i = 0; p && i < D; i++)
    if (members >> i & 1) cost += scant_prices_cost(p, i);
  return cost;
}

/* Known attributes as places. */
static unsigned places_of(unsigned attributes) {
  unsigned places = 0;
  for (size_t i = 0; i < D; i++)
    if (attributes >> i & 1) places |= bit_of(i);
  return places;
}

static double variance_given(const scant_model *m, unsigned attributes, const double *x, double *mean) {
  double variance;
  expect_directly(m->gaussian, places_of(attributes), x, mean, &variance);
  return variance;
}

static double predictive(const scant_model *m, double variance) {
  double s = scant_gaussian_covariance(m->gaussian, COUNT, COUNT);
  return variance + m->gaussian->excess * (s - variance);
}

/* ---- offers ----------------------------------------------------------------- */

/* Every offer is what the conditional variance will be, by dense linear algebra; the best is what is asked for next. */
static void check_offers(const scant_model *m, const scant_prices *p, uint64_t seed) {
  static const double x[D] = {0};
  scant_query *q = NULL;
  CHECK(scant_query_new(&q, m, p, &error) == SCANT_OK);
  unsigned told = 0;
  for (int step = 0; step < 6; step++) {
    scant_offer offers[D], few[2];
    uint32_t next = 0;
    size_t count = scant_query_offers(q, 0.9, UINT64_MAX, offers, D);
    CHECK(count > 0 && scant_query_next(q, &next) && offers[0].attribute == next);
    CHECK(scant_query_offers(q, 0.9, UINT64_MAX, few, 2) == (count < 2 ? count : 2));
    CHECK(few[0].attribute == offers[0].attribute && (count < 2 || few[1].attribute == offers[1].attribute));
    double mean, now = variance_given(m, told, x, &mean), last = INFINITY;
    int paid = 0;
    for (size_t i = 0; i < count; i++) {
      unsigned members = item_of(p, offers[i].attribute);
      double after = variance_given(m, told | members, x, &mean);
      CHECK(!(told >> offers[i].attribute & 1));
      CHECK_NEAR(offers[i].variance, predictive(m, after), 1e-9 * now);
      CHECK_NEAR(offers[i].width, 2 * NORMAL_95 * sqrt(predictive(m, after)), 1e-9 * sqrt(now));
      CHECK(isnan(offers[i].sure) && isnan(offers[i].moves));
      uint64_t price = members & told ? 0 : cost_of(p, members);
      CHECK(offers[i].price == price && scant_query_price(q, offers[i].attribute) == price);
      double worth = (now - after) / (p && price ? (double)price : 1);
      if (p && price && !paid) paid = 1, last = INFINITY; /* free ones came first */
      CHECK(!p || price || !paid);
      CHECK_AT_MOST(worth, last * (1 + 1e-9));
      last = worth;
    }
    uint32_t tell = offers[random_below(&seed, count)].attribute;
    CHECK(scant_query_tell(q, tell, 0, &error) == SCANT_OK); /* of a group only this one */
    told |= 1u << tell;
  }
  CHECK(scant_query_offers(q, 0.9, 0, NULL, 0) == 0);
  scant_query_free(q);
}

TEST(offers_are_the_variances_that_will_be) {
  for (uint64_t seed = 1; seed < 6; seed++) {
    scant_model *m = gaussian_model(D, seed, "k=4");
    m->gaussian->excess = 0.25 * (double)(seed - 1);
    check_offers(m, NULL, seed);
    check_offers(m, prices, seed);
    scant_model_free(m);
  }
}

typedef struct {
  double most;  /* E max(p', 1 - p') */
  double right; /* how often the value that is the likelier one then is the target */
  double moves;
} ahead;

/* What is expected after a purchase, on a fine grid of the mean that it makes, given either value of the target. */
static ahead integrate(const scant_gaussian *g, double mean, double v, double lowers) {
  double p = scant_gaussian_probability(g, mean, v), mass = 0, after = v - lowers;
  double spread = sqrt(lowers * (1 - lowers / v) + g->excess * lowers);
  ahead sum = {0, 0, 0};
  for (int value = 0; value < 2; value++) {
    double center = mean + lowers * (g->values[value] - mean) / v;
    for (int i = -4000; i <= 4000; i++) {
      double z = i / 500.0, weight = (value ? p : 1 - p) * exp(-z * z / 2);
      double q = scant_gaussian_probability(g, center + spread * z, after);
      sum.most += weight * fmax(q, 1 - q);
      sum.right += weight * ((q >= 0.5) == value);
      sum.moves += weight * (q - p) * (q - p);
      mass += weight;
    }
  }
  return (ahead){sum.most / mass, sum.right / mass, sqrt(sum.moves / mass)};
}

static void check_ahead(const scant_gaussian *g, double mean, double v, double drop) {
  scant_offer e = {.variance = drop};
  scant_gaussian_foresee(g, mean, v, 0.9, 0, &e);
  double p = scant_gaussian_probability(g, mean, v), now = fmax(p, 1 - p);
  ahead wanted = integrate(g, mean, v, drop);
  if (!(g->excess > 0)) CHECK_NEAR(e.sure, wanted.most, 2e-6); /* probabilities are right */
  CHECK_NEAR(e.sure, fmax(wanted.right, now), 2e-3);
  CHECK_NEAR(e.moves, wanted.moves, 1e-5 * wanted.moves);
  CHECK_AT_MOST(now, e.sure);
  CHECK(isnan(e.width));
}

TEST(how_sure_a_purchase_makes_is_the_integral) {
  scant_model *m = gaussian_model(4, 3, "k=2");
  scant_gaussian *g = m->gaussian;
  double s = scant_gaussian_covariance(g, g->count, g->count);
  g->two_valued = 1;
  for (int c = 0; c < 4; c++) {
    double share = 0.2 + 0.2 * c, half = sqrt(s / (4 * share * (1 - share)));
    g->excess = c == 3 ? 0.2 : 0;
    g->values[0] = g->mean[g->count] - 2 * half * share; /* so that mean and variance are those of the two values */
    g->values[1] = g->values[0] + 2 * half;
    for (double known = 0; known < 0.7; known += 0.3)
      for (double lowers = 0.05; lowers < 0.6; lowers += 0.2)
        for (double at = -1; at <= 1; at += 0.4)
          check_ahead(g, g->mean[g->count] + at * sqrt(known * s), (1 - known) * s, lowers * (1 - known) * s);
  }
  scant_model_free(m);
}

TEST(widths_of_logarithms_are_expected_in_units_of_y) {
  scant_model *m = gaussian_model(4, 3, "k=2");
  scant_gaussian *g = m->gaussian;
  g->excess = 0.2;
  double s = scant_gaussian_covariance(g, g->count, g->count), sum = 0, mass = 0;
  double v = 0.6 * s, drop = 0.2 * s, mean = 0.3, pv = 0.4 * s + 0.2 * 0.6 * s;
  for (int i = -4000; i <= 4000; i++) {
    double z = i / 400.0, weight = exp(-z * z / 2), at = mean + sqrt(drop) * z;
    sum += weight * (expm1(at + NORMAL_95 * sqrt(pv)) - expm1(at - NORMAL_95 * sqrt(pv)));
    mass += weight;
  }
  scant_offer e = {.variance = drop}, without = e;
  scant_gaussian_foresee(g, mean, v, 0.9, 1, &e);
  scant_gaussian_foresee(g, mean, v, 0, 1, &without);
  CHECK_NEAR(e.width, sum / mass, 1e-6 * sum / mass);
  CHECK(isnan(without.width));
  scant_model_free(m);
}

/* ---- rules --------------------------------------------------------------------- */

typedef struct {
  uint32_t order[D];
  size_t count;
  uint64_t items, money;
  scant_verdict verdict;
} run;

static int rule_met(const scant_model *m, unsigned known, const double *x, const scant_stop *stop, scant_verdict *why) {
  double mean, v = variance_given(m, known, x, &mean), pv = predictive(m, v);
  if (stop->sure > 0) {
    double p = scant_gaussian_probability(m->gaussian, mean, v);
    *why = SCANT_VERDICT_SURE;
    if (fmax(p, 1 - p) >= stop->sure) return 1;
  }
  int logs = m->settings.reading.log_target;
  double low = mean - NORMAL_95 * sqrt(pv), high = mean + NORMAL_95 * sqrt(pv);
  *why = SCANT_VERDICT_WIDTH;
  return stop->width > 0 && (logs ? expm1(high) - expm1(low) : high - low) <= stop->width;
}

/* The naive loop: every item's variance anew at each step. */
static run buy_naively(const scant_model *m, const scant_prices *p, const double *x, const scant_stop *stop,
                       unsigned have) {
  run r = {0};
  unsigned asked = 0, known = 0;
  for (uint32_t i = 0; i < D; i++)
    if (have & item_of(p, i)) asked |= 1u << i, known |= isnan(x[i]) ? 0 : 1u << i;
  for (;;) {
    double mean, now = variance_given(m, known, x, &mean), best = -1;
    uint32_t take = D;
    int free = 0, dear = 0;
    for (uint32_t i = 0; i < D; i++) {
      unsigned members = item_of(p, i);
      double drop = now - variance_given(m, known | (members & ~asked), x, &mean);
      uint64_t cost = cost_of(p, members);
      if ((asked & members) == members || i != (uint32_t)__builtin_ctz(members) ||
          !(drop > 1e-10 * scant_gaussian_covariance(m->gaussian, COUNT, COUNT)))
        continue;
      if (stop->spend && r.money + cost > stop->spend) {
        dear = 1;
        continue;
      }
      int nothing = p && !cost;
      double worth = drop / (p && cost ? (double)cost : 1);
      if (take < D && (nothing < free || (nothing == free && worth <= best))) continue;
      take = i, free = nothing, best = worth;
    }
    if (!free && rule_met(m, known, x, stop, &r.verdict)) return r;
    r.verdict = dear ? SCANT_VERDICT_SPEND : SCANT_VERDICT_NOTHING;
    if (take == D) return r;
    r.verdict = SCANT_VERDICT_K;
    if (!free && stop->k && r.items == stop->k) return r;
    unsigned members = item_of(p, take);
    r.items += !free;
    r.money += cost_of(p, members);
    for (uint32_t i = 0; i < D; i++)
      if (members >> i & 1) r.order[r.count++] = i;
    asked |= members;
    for (uint32_t i = 0; i < D; i++)
      if ((members >> i & 1) && !isnan(x[i])) known |= 1u << i;
  }
}

typedef struct {
  const scant_model *model;
  const scant_buying *how;
  unsigned have;
  uint64_t verdicts[SCANT_VERDICTS], covered, right, items, money, rows;
} checker;

static scant_status check_bought(void *user, size_t row, const scant_bought *b, scant_error *unused) {
  checker *c = user;
  const scant_prices *p = c->how->prices;
  const scant_gaussian *g = c->model->gaussian;
  run wanted = buy_naively(c->model, p, data.x[row], &c->how->stop, c->have);
  (void)unused;
  CHECK(b->verdict == wanted.verdict && b->items == wanted.items && b->money == wanted.money);
  CHECK(b->count == wanted.count && (!c->how->stop.spend || b->money <= c->how->stop.spend));
  unsigned known = 0;
  uint64_t sum = 0;
  for (size_t i = 0; i < b->count && i < wanted.count; i++) {
    uint32_t a = b->purchases[i].attribute;
    CHECK(a == wanted.order[i] && b->purchases[i].price == (p ? scant_prices_cost(p, a) : 0));
    CHECK(isnan(data.x[row][a]) ? isnan(b->purchases[i].value) : b->purchases[i].value == data.x[row][a]);
    sum += b->purchases[i].price;
    if (!isnan(data.x[row][a])) known |= 1u << a;
  }
  CHECK(sum == b->money);
  for (uint32_t i = 0; i < D; i++)
    if ((c->have & item_of(p, i)) && !isnan(data.x[row][i])) known |= 1u << i;
  double mean, v = variance_given(c->model, known, data.x[row], &mean);
  if (g->two_valued) {
    double upper = scant_gaussian_probability(g, mean, v);
    CHECK_NEAR(b->sure, fmax(upper, 1 - upper), 1e-9);
    CHECK(b->value == g->values[upper >= 0.5]);
    c->right += b->value == data.y[row];
  } else {
    CHECK_NEAR(b->prediction.mean, c->model->settings.reading.log_target ? expm1(mean) : mean,
               1e-8 * (1 + fabs(b->prediction.mean)));
    CHECK(isnan(b->sure) && isnan(b->value));
  }
  c->verdicts[b->verdict]++;
  c->covered += b->prediction.low <= data.y[row] && data.y[row] <= b->prediction.high;
  c->items += b->items;
  c->money += b->money;
  c->rows++;
  return SCANT_OK;
}

/* Buys by the rules; the scores must be those of what was bought.  Returns the verdicts that came, as bits. */
static unsigned check_rules(const scant_model *m, const scant_buying *how, unsigned have) {
  scant_source *source = table_source(&data);
  checker c = {.model = m, .how = how, .have = have};
  scant_ledger ledger = {0}, other = {0};
  scant_bought_scores s;
  CHECK(scant_model_buy(m, source, how, check_bought, &c, &ledger, &error) == SCANT_OK && c.rows == N);
  CHECK(ledger.attributes_bought == c.items && ledger.money_spent == c.money);
  unsigned seen = 0;
  if (!m->settings.reading.log_target) {
    CHECK(scant_model_evaluate_bought(m, source, how, &s, &other, &error) == SCANT_OK);
    CHECK(!memcmp(&ledger, &other, sizeof ledger) && s.two_valued == m->gaussian->two_valued);
    uint64_t covered = 0, right = 0;
    for (int v = 0; v < SCANT_VERDICTS; v++) {
      CHECK(s.by[v].examples == c.verdicts[v]);
      covered += s.by[v].covered;
      right += s.by[v].right;
    }
    CHECK(covered == c.covered && right == c.right);
    CHECK_NEAR(s.all.coverage, (double)c.covered / N, 1e-12);
    CHECK_NEAR(s.all.bought, (double)c.items / N, 1e-12);
    CHECK_NEAR(s.all.money, (double)c.money / N, 1e-9);
    if (s.two_valued) CHECK_NEAR(s.right, (double)c.right / N, 1e-12);
    CHECK(s.two_valued || (isnan(s.right) && isnan(s.sure)));
  }
  for (int v = 0; v < SCANT_VERDICTS; v++) seen |= c.verdicts[v] ? 1u << v : 0;
  scant_source_free(source);
  return seen;
}

TEST(rules_stop_where_a_naive_loop_does) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  double s = scant_gaussian_covariance(m->gaussian, COUNT, COUNT), whole = 2 * NORMAL_95 * sqrt(s);
  unsigned seen = 0;
  m->gaussian->excess = 0.05;
  for (int priced = 0; priced < 2; priced++)
    for (uint64_t k = 0; k < 8; k += 3)
      for (uint64_t spend = 0; spend <= (priced ? 600 : 0); spend += 120)
        for (int w = 0; w < 4; w++) {
          scant_stop stop = {k, spend, w * 0.3 * whole, 0};
          scant_buying how = {priced ? prices : NULL, stop, 0.9, NULL};
          seen |= check_rules(m, &how, 0);
        }
  CHECK(seen == (1u << SCANT_VERDICTS) - 1 - (1u << SCANT_VERDICT_BUY) - (1u << SCANT_VERDICT_SURE));
  scant_model_free(m);
}

TEST(sure_depends_on_the_values) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  scant_gaussian *g = m->gaussian;
  double before[N];
  g->two_valued = 1;
  g->values[0] = g->mean[COUNT] - 1.5 * sqrt(scant_gaussian_covariance(g, COUNT, COUNT));
  g->values[1] = g->mean[COUNT] + 1.5 * sqrt(scant_gaussian_covariance(g, COUNT, COUNT));
  for (size_t row = 0; row < N; row++) {
    before[row] = data.y[row];
    data.y[row] = g->values[row % 3 > 0];
  }
  unsigned seen = 0;
  for (int priced = 0; priced < 2; priced++)
    for (double sure = 0.6; sure < 1; sure += 0.13) {
      scant_buying how = {priced ? prices : NULL, {4, priced ? 400 : 0, 0, sure}, 0.9, NULL};
      seen |= check_rules(m, &how, 0);
    }
  CHECK(seen & 1u << SCANT_VERDICT_SURE && seen & 1u << SCANT_VERDICT_K);
  memcpy(data.y, before, sizeof before);
  scant_model_free(m);
}

/* Under log-target the width depends on the values, too. */
TEST(widths_of_logarithms_are_in_units_of_y) {
  scant_model *m = gaussian_model(D, 4, "k=4");
  m->settings.reading.log_target = 1;
  for (size_t i = 0; i <= COUNT; i++) /* a target small enough for exp */
    m->gaussian->covariance[COUNT * (COUNT + 1) / 2 + i] *= i < COUNT ? 0.1 : 0.01;
  unsigned seen = 0;
  for (double w = 0.5; w < 40; w *= 2) {
    scant_buying how = {NULL, {0, 0, w, 0}, 0.9, NULL};
    seen |= check_rules(m, &how, 0);
  }
  CHECK(seen & 1u << SCANT_VERDICT_WIDTH);
  scant_model_free(m);
}

TEST(what_is_there_already_costs_nothing) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  for (unsigned have = 1; have < 1u << D; have = have * 5 + 3) {
    unsigned char flags[D];
    for (size_t i = 0; i < D; i++) flags[i] = have >> i & 1;
    for (int priced = 0; priced < 2; priced++) {
      scant_buying how = {priced ? prices : NULL, {3, priced ? 300 : 0, 0, 0}, 0.9, flags};
      check_rules(m, &how, have);
    }
  }
  scant_model_free(m);
}

static scant_status copy_prediction(void *user, size_t row, const scant_bought *b, scant_error *unused) {
  (void)unused;
  ((scant_prediction *)user)[row] = b->prediction;
  return SCANT_OK;
}

static scant_status refuse_third(void *user, size_t row, const scant_bought *b, scant_error *failure) {
  (void)user, (void)b;
  if (row < 2) return SCANT_OK;
  strcpy(failure->text, "enough");
  return SCANT_STOPPED;
}

TEST(with_k_alone_it_is_what_it_was) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  scant_source *source = table_source(&data);
  scant_ledger ledgers[2];
  for (int priced = 0; priced < 2; priced++)
    for (uint64_t k = 1; k <= D; k++) {
      scant_prediction few[N], bought[N];
      scant_buying how = {priced ? prices : NULL, {k, 0, 0, 0}, 0.8, NULL};
      CHECK(scant_model_predict_few(m, source, k, how.prices, 0.8, few, &ledgers[0], &error) == SCANT_OK);
      CHECK(scant_model_buy(m, source, &how, copy_prediction, bought, &ledgers[1], &error) == SCANT_OK);
      CHECK(!memcmp(few, bought, sizeof few) && !memcmp(&ledgers[0], &ledgers[1], sizeof *ledgers));
    }
  scant_buying how = {NULL, {2, 0, 0, 0}, 0, NULL};
  CHECK(scant_model_buy(m, source, &how, refuse_third, NULL, &ledgers[0], &error) == SCANT_STOPPED);
  CHECK(!strcmp(error.text, "enough") && ledgers[0].examples == 3);
  scant_source_free(source);
  scant_model_free(m);
}

TEST(rules_that_can_not_be_are_refused) {
  scant_model *m = gaussian_model(D, 3, "k=4"), *plain = NULL;
  scant_source *source = table_source(&data);
  scant_prediction p[N];
  scant_bought_scores scores;
  static const struct {
    scant_stop stop;
    double level;
    scant_status status;
    const char *words;
  } bad[] = {
      {{D + 1, 0, 0, 0}, 0.9, SCANT_DATA, "k = 13"},      {{0, 100, 0, 0}, 0.9, SCANT_USAGE, "spend needs prices"},
      {{0, 0, -1, 0}, 0.9, SCANT_USAGE, "above 0"},       {{0, 0, NAN, 0}, 0.9, SCANT_USAGE, "above 0"},
      {{0, 0, INFINITY, 0}, 0.9, SCANT_USAGE, "above 0"}, {{0, 0, 1, 0}, 0, SCANT_USAGE, "level"},
      {{0, 0, 0, 0.5}, 0.9, SCANT_USAGE, "above 0.5"},    {{0, 0, 0, 1}, 0.9, SCANT_USAGE, "below 1"},
      {{0, 0, 0, NAN}, 0.9, SCANT_USAGE, "below 1"},      {{0, 0, 0, 0.9}, 0.9, SCANT_USAGE, "two values"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    scant_buying how = {NULL, bad[i].stop, bad[i].level, NULL};
    CHECK(scant_stop_check(&bad[i].stop, m, NULL, bad[i].level, &error) == bad[i].status);
    CHECK_SAYS(error.text, bad[i].words);
    CHECK(scant_model_buy(m, source, &how, copy_prediction, p, NULL, &error) == bad[i].status);
    CHECK(scant_model_evaluate_bought(m, source, &how, &scores, NULL, &error) == bad[i].status);
  }
  scant_buying all = {0};
  CHECK(scant_model_new(&plain, D, &error) == SCANT_OK);
  CHECK(scant_model_buy(plain, source, &all, copy_prediction, p, NULL, &error) == SCANT_USAGE);
  CHECK(scant_model_evaluate_bought(plain, source, &all, &scores, NULL, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "algorithm gaussian");
  CHECK(!scant_verdict_name(SCANT_VERDICTS) && !strcmp(scant_verdict_name(SCANT_VERDICT_NOTHING), "nothing"));
  scant_source_free(source);
  scant_model_free(plain);
  scant_model_free(m);
}

/* A query that is asked with other rules chooses anew, and back. */
TEST(choices_under_a_limit_are_not_mixed_up) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  scant_query *q = NULL;
  CHECK(scant_query_new(&q, m, prices, &error) == SCANT_OK);
  uint32_t first = 0, limited, again;
  for (int cheaper = 0; !cheaper;) { /* until something dear comes before something cheap */
    scant_offer offers[D];
    size_t count = scant_query_offers(q, 0.9, UINT64_MAX, offers, D);
    if (!CHECK(count > 1)) break;
    for (size_t i = 1; i < count; i++) cheaper |= offers[i].price && offers[i].price < offers[0].price;
    first = offers[0].attribute;
    if (!cheaper) CHECK(scant_query_tell(q, first, 1, &error) == SCANT_OK);
  }
  scant_stop stop = {.spend = scant_query_price(q, first) - 1}, none = {.spend = 1};
  CHECK(scant_query_decide(q, &stop, 0.9, 0, 0, &limited) == SCANT_VERDICT_BUY && limited != first);
  CHECK(scant_query_price(q, limited) <= stop.spend);
  CHECK(scant_query_decide(q, &stop, 0.9, 0, stop.spend + 7, &limited) == SCANT_VERDICT_SPEND);
  CHECK(scant_query_decide(q, &none, 0.9, 0, 0, &limited) == SCANT_VERDICT_SPEND);
  CHECK(scant_query_decide(q, NULL, 0.9, 99, 0, &again) == SCANT_VERDICT_BUY && again == first);
  CHECK(scant_query_next(q, &again) && again == first);
  scant_query_free(q);
  scant_model_free(m);
}

int main(void) {
  table_fill(&data, 6);
  table_punch(&data, 7);
  prices = make_prices();
  RUN(offers_are_the_variances_that_will_be);
  RUN(how_sure_a_purchase_makes_is_the_integral);
  RUN(widths_of_logarithms_are_expected_in_units_of_y);
  RUN(rules_stop_where_a_naive_loop_does);
  RUN(sure_depends_on_the_values);
  RUN(widths_of_logarithms_are_in_units_of_y);
  RUN(what_is_there_already_costs_nothing);
  RUN(with_k_alone_it_is_what_it_was);
  RUN(rules_that_can_not_be_are_refused);
  RUN(choices_under_a_limit_are_not_mixed_up);
  scant_prices_free(prices);
  return check_done();
}
