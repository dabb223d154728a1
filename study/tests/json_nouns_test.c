/* The JSON of what a study has, field by field: orders, events and results are made by hand, so that every byte of the
 * text is known; what is read from a study is compared with what its functions say. */
#include "json/study_json.h"

#include <time.h>

#include "allocations.h"
#include "base/json.h"
#include "json/study_time.h"
#include "study_support.h"

static scant_study *study;
static const char *path;

/* The document as a text, which is valid; the caller frees it. */
static char *taken(json *out) {
  char *text = NULL;
  size_t length = 0;
  scant_json parsed = {0};
  json_close(out);
  if (!CHECK(json_take(out, &text, &length, &said) == SCANT_OK)) exit(1);
  text[length - 1] = 0; /* its line end */
  if (!CHECK(scant_json_parse(&parsed, text, length - 1, &said) == SCANT_OK)) printf("# %s: %s\n", said.text, text);
  scant_json_free(&parsed);
  return text;
}

static void check_text(json *out, const char *wanted) {
  char *text = taken(out);
  if (!CHECK(!strcmp(text, wanted))) printf("#   %s\n#   %s\n", text, wanted);
  free(text);
}

static json opened(void) {
  json out = {0};
  json_open(&out, NULL, '{');
  return out;
}

/* Nobody waits for an order of the far future: its days are 0 whatever the clock says. */
static const scant_study_line lines[] = {
    {.attribute = 2,
     .price = 174,
     .state = SCANT_LINE_TOLD,
     .value = 5.5,
     .probability = 0.25,
     .note = "confirmed",
     .second = SCANT_SECOND_DIFFERS,
     .second_value = NAN,
     .second_note = "lost"},
    {.attribute = 0, .state = SCANT_LINE_ORDERED, .value = NAN, .probability = NAN, .second_value = NAN},
    {.attribute = 1,
     .price = 1,
     .state = SCANT_LINE_MISSING,
     .value = NAN,
     .probability = 1,
     .note = "refused",
     .second = SCANT_SECOND_AGREES,
     .second_value = NAN},
};
static const scant_study_told extras[] = {{.attribute = 3, .value = -1}};
static const scant_study_order order = {.number = 7,
                                        .example = "P \"7\"",
                                        .state = SCANT_ORDER_PARTLY,
                                        .price = 175,
                                        .spent = 75,
                                        .y = NAN,
                                        .asked_at = "9998-11-15T23:30:00Z",
                                        .asked_by = NULL,
                                        .reason = "",
                                        .age = 3,
                                        .count = 3,
                                        .lines = lines,
                                        .second_y = NAN,
                                        .second_needed = 1,
                                        .extra_count = 1,
                                        .extras = extras};

#define ORDER                                                                                                          \
  "\"order\": 7, \"example\": \"P \\\"7\\\"\", \"state\": \"partly told\", \"asked_at\": \"9998-11-15T23:30:00Z\", "   \
  "\"asked_local\": \"9998-11-16T00:30:00+01:00\", \"asked_by\": null, \"learned_since\": 3, \"price\": 1.75, "        \
  "\"spent\": 0.75, \"target\": \"y\", \"y\": null, \"second\": null, \"second_y\": null, \"second_needed\": true, "   \
  "\"lines\": [{\"name\": \"a2\", \"unit\": \"mg\", \"group\": \"pair\", \"known\": false, \"price\": 1.74, "          \
  "\"state\": \"told\", \"value\": 5.5, \"probability\": 0.25, \"note\": \"confirmed\", \"second\": \"differs\", "     \
  "\"second_value\": null, \"second_note\": \"lost\"}, {\"name\": \"a0\", \"unit\": \"mg\", \"group\": null, "         \
  "\"known\": true, \"price\": 0.00, \"state\": \"ordered\", \"value\": null, \"probability\": null, \"note\": null, " \
  "\"second\": null, \"second_value\": null, \"second_note\": null}, {\"name\": \"a1\", \"unit\": \"mg\", "            \
  "\"group\": null, \"known\": false, \"price\": 0.01, \"state\": \"missing\", \"value\": null, \"probability\": 1, "  \
  "\"note\": \"refused\", \"second\": \"agrees\", \"second_value\": null, \"second_note\": null}], "                   \
  "\"extras\": [{\"name\": \"a3\", \"value\": -1}]"

TEST(an_order_has_its_lines_and_extras) {
  json out = opened();
  study_json_order(&out, study, &order);
  check_text(&out, "{" ORDER "}");
}

TEST(a_row_says_what_is_to_come) {
  json out = opened();
  study_json_row(&out, study, &order);
  check_text(&out, "{" ORDER
                   ", \"days\": 0, \"reason\": null, \"to_come\": [\"a0\", \"y\"], "
                   "\"second_to_come\": [\"a2\"]}");
  scant_study_order failed = order;
  failed.state = SCANT_ORDER_FAILED;
  failed.reason = "moved";
  out = opened();
  study_json_row(&out, study, &failed);
  char *text = taken(&out);
  CHECK_SAYS(text, "\"reason\": \"moved\", \"to_come\": [], \"second_to_come\": []}");
  free(text);
}

TEST(a_comparison_shows_first_entries_only_if_it_may) {
  const scant_study_comparison c = {.agree = 1, .differ = 2, .once = 3, .same_hand = 4};
  scant_study_order both = order;
  json out = opened();
  both.has_y = 1;
  both.y = 1.5;
  both.second = SCANT_SECOND_DIFFERS;
  both.second_y = 2.5;
  study_json_comparison(&out, study, &both, &c, 0);
  check_text(&out,
             "{\"agree\": 1, \"differ\": 2, \"once\": 3, \"same_hand\": 4, "
             "\"differences\": [{\"name\": \"a2\"}, {\"name\": \"y\"}]}");
  out = opened();
  study_json_comparison(&out, study, &both, &c, 1);
  check_text(&out,
             "{\"agree\": 1, \"differ\": 2, \"once\": 3, \"same_hand\": 4, \"differences\": [{\"name\": \"a2\", "
             "\"value\": 5.5, \"note\": \"confirmed\", \"second_value\": null, \"second_note\": \"lost\"}, "
             "{\"name\": \"y\", \"value\": 1.5, \"note\": null, \"second_value\": 2.5, \"second_note\": null}]}");
}

TEST(an_event_has_its_values_and_the_ledger_its_example) {
  const scant_study_told told[] = {{.attribute = -1, .value = 2}, {.attribute = 1, .value = NAN, .note = "lost"}};
  scant_study_event e = {.sequence = 9,
                         .at = "2026-07-15T09:30:00Z",
                         .kind = SCANT_EVENT_TELL,
                         .by = "ann",
                         .via = "page",
                         .example = "P1",
                         .order = 2,
                         .reserved = -350,
                         .spent = 350,
                         .learned = 1,
                         .count = 2,
                         .told = told};
#define EVENT                                                                                                      \
  "\"event\": 9, \"at\": \"2026-07-15T09:30:00Z\", \"local\": \"2026-07-15T10:30:00+01:00\", \"by\": \"ann\", "    \
  "\"via\": \"page\", \"kind\": \"tell\", \"order\": 2, \"reserved\": -3.50, \"spent\": 3.50, \"learned\": true, " \
  "\"reason\": null, \"values\": [{\"name\": \"y\", \"value\": 2, \"note\": null}, "                               \
  "{\"name\": \"a1\", \"value\": null, \"note\": \"lost\"}]"
  json out = opened();
  study_json_event(&out, study, &e);
  check_text(&out, "{" EVENT "}");
  out = opened();
  study_json_ledger_event(&out, study, &e);
  check_text(&out, "{" EVENT ", \"example\": \"P1\", \"erased\": false, \"change\": null}");
  e = (scant_study_event){.sequence = 1,
                          .at = "2026-07-15T09:30:00Z",
                          .kind = SCANT_EVENT_AMEND,
                          .erased = 1,
                          .change = "{\"k\": [2, 3]}",
                          .reason = "more"};
  out = opened();
  study_json_ledger_event(&out, study, &e);
  char *text = taken(&out);
  CHECK_SAYS(text,
             "\"kind\": \"amend\", \"order\": null, \"reserved\": 0.00, \"spent\": 0.00, \"learned\": false, "
             "\"reason\": \"more\", \"values\": [], \"example\": null, \"erased\": true, "
             "\"change\": {\"k\": [2, 3]}}");
  free(text);
}

TEST(results_have_their_fields) {
  const scant_study_traces traces = {1, 2, 3, 4, 1, 550, 605, 7, 8, 9, 10, 1}, none = {0};
  const scant_study_proof proof = {5, 6, 1, 0, 0.5};
  const scant_study_frozen frozen = {.name = "paper", .events = 5, .checksum = 255, .sha256 = "ab"};
  const scant_study_outlook outlook = {
      .error = 0.5, .k = 3, .learned = 20, .examples = INFINITY, .more = INFINITY, .runs = 8, .reached = 3};
  const scant_study_risk risks[] = {{10, 1.5, 0.25}, {20, NAN, NAN}};
  const scant_prediction prediction = {.mean = 1, .low = -1.5, .high = 3.5};
  json out = opened();
  study_json_traces(&out, &traces);
  check_text(&out,
             "{\"events\": 1, \"orders\": 2, \"order\": 3, \"open\": 4, \"imported\": true, \"spent\": 5.50, "
             "\"refunded\": 6.05, \"attributes\": 7, \"looks\": 8, \"unknown\": 9, \"mentions\": 10, "
             "\"unswept\": true}");
  out = opened();
  study_json_traces(&out, &none);
  char *text = taken(&out);
  CHECK_SAYS(text, "\"orders\": 0, \"order\": null, ");
  free(text);
  out = opened();
  study_json_proof(&out, &proof, NULL);
  check_text(&out, "{\"events\": 5, \"orders\": 6, \"same_build\": true, \"same_bits\": false, \"difference\": 0.5}");
  out = opened();
  study_json_proof(&out, &proof, &frozen);
  check_text(&out,
             "{\"events\": 5, \"orders\": 6, \"same_build\": true, \"same_bits\": false, \"difference\": 0.5, "
             "\"frozen\": {\"name\": \"paper\", \"at\": null, \"by\": null, \"events\": 5, "
             "\"ledger\": \"00000000000000ff\", \"sha256\": \"ab\"}}");
  out = opened();
  study_json_outlook(&out, &outlook);
  check_text(&out,
             "{\"error\": 0.5, \"more\": null, \"examples\": null, \"learned\": 20, \"k\": 3, \"runs\": 8, "
             "\"reached\": 3}");
  out = opened();
  study_json_risks(&out, "risks", risks, 2);
  check_text(&out,
             "{\"risks\": [{\"examples\": 10, \"risk\": 1.5, \"risk_error\": 0.25}, "
             "{\"examples\": 20, \"risk\": null, \"risk_error\": null}]}");
  out = opened();
  study_json_prediction(&out, &prediction, 0.5);
  check_text(&out, "{\"prediction\": 1, \"low\": -1.5, \"high\": 3.5, \"level\": 0.5}");
}

TEST(a_forecast_says_whether_the_budget_covers_it) {
  static const struct {
    uint64_t left, attributes_left;
    size_t fresh;
    const char *covered;
  } cases[] = {{UINT64_MAX, UINT64_MAX, 1000, "yes"}, {300, UINT64_MAX, 1, "yes"}, {299, UINT64_MAX, 1, "maybe"},
               {100, UINT64_MAX, 1, "maybe"},         {99, UINT64_MAX, 1, "no"},   {UINT64_MAX, 8, 2, "yes"},
               {UINT64_MAX, 7, 2, "maybe"},           {600, 7, 2, "maybe"},        {199, 100, 2, "no"}};
  const double chance[8] = {1, 0.5};
  study_forecast c = {
      .examples = 5,
      .chance = chance,
      .f = {.draws = 10, .least = 100, .most = 300, .mean = 150.25, .attributes_most = 4, .attributes_mean = 2.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    c.f.left = cases[i].left;
    c.f.attributes_left = cases[i].attributes_left;
    c.fresh = cases[i].fresh;
    CHECK(!strcmp(study_forecast_covers(&c), cases[i].covered));
  }
  json out = opened();
  study_json_forecast(&out, study, &c);
  char *text = taken(&out);
  CHECK_SAYS(text,
             "{\"dry_run\": true, \"examples\": 5, \"new_orders\": 2, \"draws\": 10, \"least\": 1.00, "
             "\"mean\": 1.5025, \"most\": 3.00, \"attributes_mean\": 2.5, \"attributes_most\": 4, \"left\": 1.99, "
             "\"attributes_left\": 100, \"covered\": \"no\", \"chances\": [{\"name\": \"a0\", \"chance\": 1}, "
             "{\"name\": \"a1\", \"chance\": 0.5}, {\"name\": \"a2\", \"chance\": 0}");
  free(text);
}

/* ---- what is read from a study -------------------------------------------------------- */

TEST(the_terms_are_the_catalogue_and_the_settings) {
  json out = opened();
  study_json_terms(&out, study);
  char *text = taken(&out);
  CHECK_SAYS(text,
             "{\"target\": \"y\", \"settings\": {\"algorithm\": \"auto\", \"k\": 3, \"spend\": null, "
             "\"budget\": null, \"budget_cost\": 500.5, \"max_open\": 9, \"seed\": 4}, \"missing_reasons\": "
             "[\"not done\", \"refused\", \"broken\", \"lost\"], \"second_entry\": false, \"priced\": true, "
             "\"attributes\": [{\"name\": \"a0\", \"unit\": \"mg\", \"cost\": 0.00, \"low\": -100, "
             "\"high\": null, \"usual_low\": null, \"usual_high\": null, \"group\": null, \"known\": true, "
             "\"retired\": false}, {\"name\": \"a1\", \"unit\": \"mg\", \"cost\": 1.37, ");
  free(text);
}

TEST(a_change_is_json_and_words) {
  scant_settings settings = settings_of("budget-cost=600");
  char *change = NULL;
  json out = opened();
  GOOD(scant_study_amend(study, NULL, 0, &settings, "more money", 1, &change, &said));
  CHECK(change != NULL);
  GOOD(study_json_change(&out, change, &said));
  char *text = taken(&out), part[600];
  snprintf(part, sizeof part, "{\"change\": %s, \"words\": \"budget-cost 500.5 -> 600\"}", change);
  if (!CHECK(!strcmp(text, part))) printf("#   %s\n#   %s\n", text, part);
  free(text);
  scant_text_free(change);
  out = opened();
  GOOD(study_json_change(&out, NULL, &said));
  check_text(&out, "{\"change\": null, \"words\": null}");
}

/* Numbers of the documents are those that the study says. */
TEST(status_purchases_and_open_orders_are_those_of_the_study) {
  scant_study_status t;
  uint64_t purchases[8], money[8];
  char part[300];
  const scant_study_order *o;
  json out = opened();
  GOOD(scant_study_get_counts(study, &t, &said));
  GOOD(scant_study_purchases(study, purchases, money, &said));
  study_json_status(&out, study, &t);
  GOOD(study_json_purchases(&out, "attributes", study, &said));
  GOOD(study_json_open_orders(&out, "open_orders", study, &said));
  char *text = taken(&out);
  CHECK_SAYS(text,
             "{\"algorithm\": \"auto\", \"k\": 3, \"seed\": 4, \"dimension\": 8, \"target\": \"y\", \"events\": ");
  uint64_t left = 50050 - t.spent - t.reserved;
  snprintf(part, sizeof part, "\"left\": %" PRIu64 ".%02" PRIu64 ", \"attributes_left\": null, \"risk\": null, ",
           left / 100, left % 100);
  CHECK_SAYS(text, part);
  CHECK(t.learned == 4 && t.open == 1 && purchases[0] == 4); /* a0 is always known */
  for (size_t i = 0; i < 8; i++) {
    snprintf(part, sizeof part,
             "{\"name\": \"a%zu\", \"purchases\": %" PRIu64 ", \"money\": %" PRIu64 ".%02" PRIu64 "}", i, purchases[i],
             money[i] / 100, money[i] % 100);
    CHECK_SAYS(text, part);
  }
  GOOD(scant_study_open_after(study, 0, &o, &said));
  snprintf(part, sizeof part,
           "\"open_orders\": [{\"order\": %" PRIu64 ", \"example\": \"open\", \"state\": \"issued\", ", o->number);
  CHECK_SAYS(text, part);
  free(text);
}

TEST(an_example_has_all_its_orders_and_events) {
  json out = opened();
  GOOD(study_json_example(&out, study, "twice", &said));
  char *text = taken(&out);
  CHECK_SAYS(text, "{\"example\": \"twice\", \"orders\": [{\"order\": ");
  CHECK_SAYS(text, "\"state\": \"cancelled\"");
  CHECK_SAYS(text, "\"state\": \"learned\"");
  CHECK_SAYS(text, "\"imported\": null, \"history\": [{\"event\": ");
  size_t events = 0;
  for (const char *at = text; (at = strstr(at, "{\"event\": ")); at++) events++;
  CHECK(events == 4); /* ask, cancel, ask, tell */
  free(text);
  out = opened();
  GOOD(study_json_example(&out, study, "past", &said));
  text = taken(&out);
  CHECK_SAYS(text, "\"orders\": [], \"imported\": [{\"name\": \"a1\", \"value\": 3, \"note\": null}");
  free(text);
  out = opened();
  CHECK(study_json_example(&out, study, "TWICE", &said) == SCANT_DATA);
  CHECK_SAYS(said.text, "twice");
  json_free(&out);
}

TEST(a_model_has_the_weights_with_units) {
  scant_model *model = NULL;
  char part[200];
  json out = opened();
  GOOD(scant_study_model(study, &model, &said));
  scant_study_status status = {.risk = 1.25, .risk_error = 0.5};
  study_json_model(&out, study, model, &status, 0.9);
  char *text = taken(&out);
  CHECK_SAYS(text, "{\"target\": \"y\", \"intercept\": ");
  CHECK_SAYS(text, "\"risk\": 1.25, \"risk_error\": 0.5, ");
  CHECK_SAYS(text, "\"level\": null, \"attributes\": [{\"name\": \"a0\", \"unit\": \"mg\", \"weight\": ");
  for (size_t i = 0; i < 8; i++) {
    snprintf(
        part, sizeof part,
        "{\"name\": \"a%zu\", \"unit\": \"mg\", \"weight\": %.17g, \"error\": null, \"low\": null, \"high\": null}", i,
        scant_model_weights(model)[i]);
    CHECK_SAYS(text, part);
  }
  free(text);
  scant_model_free(model);
}

TEST(errors_of_weights_come_with_their_intervals) {
  const char *other = study_path("b.study");
  scant_study *many = make_study(other, "algorithm=auto k=3", 4, PLAIN);
  scant_model *model = NULL;
  const scant_study_order *o;
  char part[300];
  hurry(many);
  for (int i = 0; i < 60; i++) {
    char name[16];
    snprintf(name, sizeof name, "P%d", i);
    GOOD(scant_study_ask(many, name, &o, &said));
    GOOD(tell_all(many, o));
  }
  GOOD(scant_study_model_errors(many, NULL, &model, &said));
  double reach = scant_model_error_quantile(model, 0.9);
  json out = opened();
  study_json_model(&out, many, model, &(scant_study_status){.risk = 1}, 0.9);
  char *text = taken(&out);
  CHECK_SAYS(text, "\"examples\": 60, ");
  CHECK_SAYS(text, "\"level\": 0.90000000000000002, ");
  for (size_t i = 0; i < 4; i++) {
    double w = scant_model_weights(model)[i], e = scant_model_errors(model)[i];
    CHECK(e > 0 && reach > 1);
    snprintf(part, sizeof part, "\"weight\": %.17g, \"error\": %.17g, \"low\": %.17g, \"high\": %.17g}", w, e,
             w - reach * e, w + reach * e);
    CHECK_SAYS(text, part);
  }
  free(text);
  scant_model_free(model);
  scant_study_close(many);
  study_remove(other);
}

/* Everything that allocates: it fails with SCANT_MEMORY, or the document is the same. */
static char *whole(scant_status *status) {
  json out = {0};
  char *text = NULL;
  size_t length = 0;
  json_open(&out, NULL, '{');
  *status = study_json_example(&out, study, "twice", &said);
  if (*status == SCANT_OK) *status = study_json_purchases(&out, "attributes", study, &said);
  if (*status == SCANT_OK) *status = study_json_open_orders(&out, "open_orders", study, &said);
  if (*status == SCANT_OK) study_json_terms(&out, study);
  json_close(&out);
  if (*status == SCANT_OK)
    *status = json_take(&out, &text, &length, &said);
  else
    json_free(&out);
  if (text) text[length - 1] = 0;
  return text;
}

TEST(memory_may_run_out_at_any_place) {
  scant_status status;
  char *wanted = whole(&status);
  unsigned long n = 1, failed = 1;
  if (!CHECK(wanted != NULL)) return;
  for (; failed && n < 10000; n++) {
    allocations_fail(n, 0);
    char *text = whole(&status);
    failed = allocations_failed();
    allocations_reset();
    CHECK(text ? status == SCANT_OK && !strcmp(text, wanted) : status == SCANT_MEMORY);
    free(text);
  }
  CHECK(n > 5 && !failed);
  free(wanted);
}

/* One that is open, three that were learned from, one that was cancelled and asked for again, and one of the past. */
static void fill(void) {
  static const char *const learned[] = {"one", "two", "three", "twice"};
  const scant_study_answer past[] = {{.name = "a1", .value = 3}, {.name = "y", .value = 1}};
  const scant_study_order *o;
  GOOD(scant_study_ask(study, "twice", &o, &said));
  GOOD(scant_study_end_order(study, "twice", SCANT_END_CANCEL, NULL, &said));
  for (size_t i = 0; i < 4; i++) {
    GOOD(scant_study_ask(study, learned[i], &o, &said));
    GOOD(tell_all(study, o));
  }
  GOOD(scant_study_import(study, "past", past, 2, &said));
  GOOD(scant_study_ask(study, "open", &o, &said));
}

int main(void) {
  setenv("TZ", "XYZ-1", 1); /* an hour before UTC, in summer too */
  tzset();
  study_begin_tests();
  path = study_path("a.study");
  study = make_study(path, "algorithm=auto k=3 budget-cost=500.5 max-open=9 seed=4", 8, PRICED);
  fill();
  RUN(an_order_has_its_lines_and_extras);
  RUN(a_row_says_what_is_to_come);
  RUN(a_comparison_shows_first_entries_only_if_it_may);
  RUN(an_event_has_its_values_and_the_ledger_its_example);
  RUN(results_have_their_fields);
  RUN(a_forecast_says_whether_the_budget_covers_it);
  RUN(the_terms_are_the_catalogue_and_the_settings);
  RUN(a_change_is_json_and_words);
  RUN(status_purchases_and_open_orders_are_those_of_the_study);
  RUN(an_example_has_all_its_orders_and_events);
  RUN(a_model_has_the_weights_with_units);
  RUN(errors_of_weights_come_with_their_intervals);
  RUN(memory_may_run_out_at_any_place);
  scant_study_close(study);
  study_remove(path);
  return study_end_tests();
}
