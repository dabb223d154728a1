/* Files of costs, and prices in models and checkpoints. */
#include "changed.h"
#include "fits.h"
#include "fit/fit.h"
#include "price/prices.h"
#include "model/model.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data;
static scant_error error;

/* ---- files ----------------------------------------------------------------------- */

static scant_status load_costs(const char *text, const char *names, scant_prices **prices) {
  char table_of_two[200];
  snprintf(table_of_two, sizeof table_of_two, "%s,y\n1,2,3,4\n5,6,7,8\n", names);
  scant_settings settings = file_settings();
  scant_source *source = file_open(file_text("names.csv", table_of_two), &settings, SCANT_TARGET_REQUIRED);
  error.text[0] = 0;
  scant_status status = scant_prices_load(prices, file_text("costs.csv", text), source, &error);
  scant_source_free(source);
  return status;
}

TEST(costs_are_found_by_name_in_any_order) {
  static const char *const texts[] = {"attribute,cost\nc,3\na,1\nb,0.25\n",
                                      "attribute,cost\r\nc,3\r\na,1\r\nb,0.25\r\n",
                                      "attribute,cost,group\nc,3,\na,1,\nb,0.25,",
                                      "\xef\xbb\xbf"
                                      "attribute,cost\nc,3.00\na,1e0\nb,.25\n\n",
                                      "\"attribute\",\"cost\"\n\"c\",\"3\"\n\"a\",1\nb,0.25\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    scant_prices *p = NULL;
    if (!CHECK(load_costs(texts[i], "a,b,c", &p) == SCANT_OK)) printf("#   %zu: %s\n", i, error.text);
    CHECK(p && p->attribute_cost[0] == 100 && p->attribute_cost[1] == 25 && p->attribute_cost[2] == 300);
    CHECK(p && p->items == 3);
    scant_prices_free(p);
  }
}

TEST(panels_are_numbered_by_their_first_attributes) {
  scant_prices *p = NULL;
  CHECK(load_costs("attribute,cost,group\nc,3,a\n\"a, \"\"x\"\"\",1,z\nb,2,z\n", "\"a, \"\"x\"\"\",b,c", &p) ==
        SCANT_OK);
  CHECK(p && p->group[0] == 1 && p->group[1] == 1 && p->group[2] == 2 && p->items == 2 && p->cost[0] == 300);
  scant_prices_free(p);
}

TEST(bad_files_are_refused_with_the_line) {
  static const struct {
    const char *text, *words;
  } cases[] = {{"", "empty"},
               {"\n\n", "empty"},
               {"attribute\na\n", "two fields"},
               {"name,cost\na,1\n", "the first line must be"},
               {"attribute,cost,panel\na,1,\n", "the first line must be"},
               {"attribute,cost\na,1\nb,2\n", "no cost of attribute 'c'"},
               {"attribute,cost\n", "no cost of attribute 'a'"},
               {"attribute,cost\na,1\nb,2\nd,3\n", "line 4: 'd' is no attribute"},
               {"attribute,cost\na,1\nb,2\n3,3\n", "'3' is no attribute"},
               {"attribute,cost\na,1\na,2\n", "line 3: 'a' has a cost already"},
               {"attribute,cost\na,-1\n", "line 2: '-1' is negative"},
               {"attribute,cost\na,0.001\n", "two decimals"},
               {"attribute,cost\na,free\n", "'free' is not a cost"},
               {"attribute,cost\na,\n", "is not a cost"},
               {"attribute,cost\na,nan\n", "is not a cost"},
               {"attribute,cost\na,inf\n", "is not a cost"},
               {"attribute,cost\na,1e300\n", "too large"},
               {"attribute,cost\na,4e13\nb,4e13\n", "line 3: the costs so far"},
               {"attribute,cost\na,1,x\n", "two fields"},
               {"attribute,cost,group\na,1\n", "three fields"},
               {"attribute,cost\n\na,1\n", "line 2: there must be two fields"},
               {"attribute,cost\n\"a,1\n", "never closed"},
               {"attribute,cost\na,\"1\"x\n", "closing quote"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scant_prices *p = NULL;
    CHECK(load_costs(cases[i].text, "a,b,c", &p) == SCANT_DATA && !p);
    CHECK_SAYS(error.text, cases[i].words);
    CHECK_SAYS(error.text, "costs.csv");
  }
}

/* ---- fits -------------------------------------------------------------------------- */

static const char *costs_file(void) {
  char text[1000] = "attribute,cost,group\n";
  for (int i = 0; i < D; i++)
    sprintf(text + strlen(text), "%d,%.2f,%s\n", i + 1, i % 4 ? 0.35 * i : 0, i % 5 == 1 ? "p" : i % 5 == 2 ? "q" : "");
  return file_text("twelve.csv", text);
}

static scant_fit *priced_fit(const char *list, scant_source *source) {
  scant_settings settings = settings_from(list);
  settings.run.costs = costs_file();
  return fit_with(&settings, source);
}

static const char *const PRICED[] = {"algorithm=auto k=8 passes=2 spend=40.01",
                                     "algorithm=auto spend=33 passes=3 budget-cost=600",
                                     "algorithm=ridge k=4 budget-cost=300 average=half",
                                     "algorithm=lasso k=4 passes=2 spend=60 thrift=no",
                                     "k=4 budget-cost=200 passes=2",
                                     "algorithm=coinflip k=4 budget-cost=300",
                                     "algorithm=online-ridge budget-cost=300"};
enum { PRICED_COUNT = sizeof PRICED / sizeof *PRICED };

TEST(a_checkpoint_resumes_to_the_same_bits) {
  for (size_t i = 0; i < PRICED_COUNT; i++) {
    scant_source *source = table_source(&data);
    scant_fit *whole = priced_fit(PRICED[i], source), *first = priced_fit(PRICED[i], source), *second = NULL;
    advance(whole, ALL);
    for (int part = 0; part < 3; part++) { /* stopped three times, in both passes */
      int done = advance(first, part == 1 ? N : N / 3);
      scant_model *model = NULL;
      free(fit_text(first, 1)); /* through a file */
      CHECK(scant_model_load(&model, file_path("fit.json"), &error) == SCANT_OK);
      if (!CHECK(scant_fit_resume(&second, model, NULL, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
      CHECK(scant_fit_horizon(second) == scant_fit_horizon(whole) && done == second->finished);
      scant_settings given;
      scant_settings_init(&given);
      given.run.costs = costs_file();
      CHECK(scant_fit_resume(&first, model, &given, source, &error) == SCANT_USAGE);
      CHECK_SAYS(error.text, "costs");
      scant_fit_free(first);
      first = second;
      scant_model_free(model);
    }
    advance(first, ALL);
    char *one = fit_text(whole, 1), *two = fit_text(first, 1);
    if (!CHECK(strcmp(one, two) == 0)) printf("#   %s\n", PRICED[i]);
    free(one);
    free(two);
    scant_fit_free(whole);
    scant_fit_free(first);
    scant_source_free(source);
  }
}

TEST(no_example_costs_more_than_spend_over_all_passes) {
  scant_source *source = table_source(&data);
  for (size_t i = 0; i < PRICED_COUNT; i++) {
    scant_fit *fit = priced_fit(PRICED[i], source);
    uint64_t spend = 0, budget = 0, most = 0;
    advance(fit, ALL);
    scant_money_of(fit->terms.settings.learning.spend, &spend);
    scant_money_of(fit->terms.settings.run.budget_cost, &budget);
    for (size_t row = 0; fit->meter->paid && row < N; row++)
      if (fit->meter->paid[row] > most) most = fit->meter->paid[row];
    CHECK(!spend || (most <= spend && (i > 1 || most > spend / 2)));
    CHECK(!budget || fit->meter->ledger.money_spent <= budget);
    CHECK(fit->meter->ledger.examples == fit->train_count * fit->terms.settings.learning.passes ||
          (fit->spent && budget));
    scant_fit_free(fit);
  }
  scant_source_free(source);
}

/* The horizon is what the money will pay for, about; where it pays for all, all. */
TEST(a_budget_of_money_shortens_the_horizon) {
  enum { SEEDS = 8 };
  static const struct {
    const char *list;
    double money;
  } cases[] = {{"k=4 budget-cost=", 60},
               {"algorithm=online-ridge budget-cost=", 100},
               {"algorithm=coinflip k=6 budget-cost=", 100},
               {"algorithm=auto k=4 thrift=no budget-cost=", 50},
               {"algorithm=aer k=4 budget-cost=", 60}};
  scant_source *source = table_source(&data);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char list[100];
    snprintf(list, sizeof list, "%s%g", cases[i].list, cases[i].money);
    double horizon = 0, took = 0;
    for (int seed = 1; seed <= SEEDS; seed++) { /* a handful of examples each: looks differ in what they cost */
      char seeded[120];
      snprintf(seeded, sizeof seeded, "%s seed=%d", list, seed);
      scant_fit *fit = priced_fit(seeded, source);
      advance(fit, ALL);
      CHECK(fit->spent);
      horizon = (double)scant_fit_horizon(fit);
      took += (double)scant_fit_ledger(fit)->examples / SEEDS;
      scant_fit_free(fit);
    }
    if (!CHECK(horizon < N && horizon > 0.6 * took && horizon < 1.7 * took + 2))
      printf("#   %s: horizon %g, took %g\n", list, horizon, took);
    snprintf(list, sizeof list, "%s%g", cases[i].list, 100 * cases[i].money);
    scant_fit *fit = priced_fit(list, source);
    CHECK(scant_fit_horizon(fit) == N && !fit->spent);
    scant_fit_free(fit);
  }
  scant_source_free(source);
}

/* ---- damage ---------------------------------------------------------------------------- */

/* Loads the text with one part replaced. */
static scant_status load_changed(const char *text, const char *from, const char *to, scant_model **model) {
  *model = NULL;
  return scant_model_load(model, file_changed("changed.json", text, from, to), &error);
}

TEST(prices_that_no_fit_can_have_had_are_refused) {
  static const struct {
    const char *from, *to, *words;
  } changes[] = {{"\"costs\": [0", "\"costs\": [1", "purchases"},
                 {"\"costs\": [0", "\"costs\": [0, 0", "costs"},
                 {"\"costs\": [0", "\"costs\": [-1", "costs"},
                 {"\"costs\": [0", "\"costs\": [0.5", "costs"},
                 {"\"costs\": [0", "\"costs\": [18446744073709551615", "counted"},
                 {"\"costs\": [", "\"prices\": [", "costs"},
                 {"\"panels\": [0", "\"panels\": [13", "panels"},
                 {"\"panels\": [0", "\"panels\": [1", "group"},
                 {"\"panels\": [", "\"groups\": [", "purchases"},
                 {"\"money_spent\": ", "\"money_spent\": 1", "purchases"},
                 {"\"money_spent\": ", "\"money\": ", "money_spent"},
                 {"\"spend\": 40.01", "\"spend\": 4", "ledger"},
                 {"\"spend\": 40.01", "\"spend\": 40.001", "two decimals"},
                 {"\"budget_cost\": 0", "\"budget_cost\": 1", "ledger"},
                 {"\"purchases\": [80", "\"purchases\": [81", "examples"},
                 {"\"thrift\": true,", "", "thrift"}};
  scant_source *source = table_source(&data);
  scant_fit *fit = priced_fit(PRICED[0], source);
  advance(fit, ALL);
  char *text = fit_text(fit, 1);
  scant_model *model;
  CHECK(load_changed(text, "\"spend\"", "\"spend\"", &model) == SCANT_OK);
  CHECK(model && scant_prices_cost(scant_model_prices(model), 1) == 35);
  scant_model_free(model);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (!CHECK(load_changed(text, changes[i].from, changes[i].to, &model) == SCANT_DATA && !model))
      printf("#   %s\n", changes[i].to);
    CHECK_SAYS(error.text, changes[i].words);
  }
  /* What was paid for each example is looked at when the fit goes on. */
  static const char *const paid[] = {"\"paid\": [4002, ", "\"paid\": [0, ", "\"paid\": [1e9, ", "\"paid\": ["};
  char first[64];
  const char *start = strstr(text, "\"paid\": [");
  snprintf(first, sizeof first, "%.*s", (int)(strchr(start, ',') - start) + 2, start);
  for (size_t i = 0; i < sizeof paid / sizeof *paid; i++) {
    scant_fit *second = NULL;
    CHECK(load_changed(text, first, paid[i], &model) == SCANT_OK);
    CHECK(scant_fit_resume(&second, model, NULL, source, &error) == SCANT_DATA && !second);
    CHECK_SAYS(error.text, "'paid'");
    scant_model_free(model);
  }
  free(text);
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  files_begin();
  table_fill(&data, 6);
  RUN(costs_are_found_by_name_in_any_order);
  RUN(panels_are_numbered_by_their_first_attributes);
  RUN(bad_files_are_refused_with_the_line);
  RUN(a_checkpoint_resumes_to_the_same_bits);
  RUN(no_example_costs_more_than_spend_over_all_passes);
  RUN(a_budget_of_money_shortens_the_horizon);
  RUN(prices_that_no_fit_can_have_had_are_refused);
  files_end();
  return check_done();
}
