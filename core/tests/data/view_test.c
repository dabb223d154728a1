/* Which columns of a file are attributes, and what their cells are then: ignore, only, na, one-hot, and what a model
 * needs. */
#include "data/source.h"
#include "fail_each.h"
#include "price/prices.h"

static const char people[] =
    "id,age,city,\"bm\"\"i\",sex,y\n"
    "p1,30,Rome,20,f,1\n"
    "p2,,Oslo,NA,m,2\n"
    "p3,50,,22,x,3\n"
    "p4, -9.0 ,\" Rome \",23,?,4\n"
    "p5,70,\"a \"\"b\"\"\",24,NA,5\n";

static scant_settings chosen(const char *ignore, const char *na, const char *one_hot) {
  scant_settings s;
  scant_settings_init(&s);
  if (ignore) CHECK(scant_settings_set(&s, "ignore", ignore, &error) == SCANT_OK);
  if (na) CHECK(scant_settings_set(&s, "na", na, &error) == SCANT_OK);
  if (one_hot) CHECK(scant_settings_set(&s, "one-hot", one_hot, &error) == SCANT_OK);
  return s;
}

static scant_status open_people(scant_source **source, const scant_settings *settings) {
  const char *path = file_write("people.csv", people, sizeof people - 1);
  return scant_source_open(source, path, settings, SCANT_TARGET_REQUIRED, &error);
}

/* Values are written as text, so that NaN can be compared: "30 1 0 - 20 ". */
static const char *row_text(scant_source *source, size_t row) {
  static char text[256];
  double x[16];
  size_t used = 0;
  text[0] = 0;
  if (scant_source_row(source, row, x, &error) != SCANT_OK) return error.text;
  for (size_t i = 0; i < scant_source_dimension(source); i++)
    used += (size_t)(isnan(x[i]) ? snprintf(text + used, sizeof text - used, "- ")
                                 : snprintf(text + used, sizeof text - used, "%g ", x[i]));
  return text;
}

static int says(const char *word) {
  return strstr(error.text, word) != NULL;
}

TEST(a_view_reads_what_the_cells_are) {
  scant_settings s = chosen("id", "NA,-9", "city;sex=m,f");
  scant_source *source = NULL;
  const char *const names[] = {"age", "city=Oslo", "city=Rome", "city=a \"b\"", "bm\"i", "sex=m", "sex=f"};
  CHECK(open_people(&source, &s) == SCANT_OK);
  CHECK(scant_source_dimension(source) == 7);
  for (size_t i = 0; i < 7; i++) CHECK(!strcmp(scant_source_name(source, i), names[i]));
  CHECK(!strcmp(row_text(source, 0), "30 0 1 0 20 0 1 "));
  CHECK(!strcmp(row_text(source, 1), "- 1 0 0 - 1 0 "));
  CHECK(!strcmp(row_text(source, 2), "50 - - - 22 0 0 "));
  CHECK(!strcmp(row_text(source, 3), "- 0 1 0 23 0 0 "));
  CHECK(!strcmp(row_text(source, 4), "70 0 0 1 24 - - "));
  /* in any order, with repetitions */
  const uint32_t mixed[] = {2, 4, 1, 2, 6, 6, 0};
  double x[7];
  CHECK(scant_source_read(source, 0, 7, mixed, x, &error) == SCANT_OK);
  CHECK(x[0] == 1 && x[1] == 20 && x[2] == 0 && x[3] == 1 && x[4] == 1 && x[5] == 1 && x[6] == 30);
  CHECK(scant_source_check_columns(source, &error) == SCANT_OK);
  scant_source_free(source);
}

TEST(notes_count_columns_and_cells) {
  scant_settings s = chosen("id", "NA", "city;sex=m,f");
  scant_source *source = NULL;
  double x[7];
  uint64_t digest;
  CHECK(open_people(&source, &s) == SCANT_OK);
  CHECK(scant_source_note(source, SCANT_NOTE_SCAN, &error) == 1 && says("'city'") && says("5 cells") &&
        says("3 words"));
  CHECK(!scant_source_note(source, SCANT_NOTE_ABSENT, &error));
  CHECK(scant_source_digest(source, &digest, &error) == SCANT_OK); /* it reads every cell, for no learner */
  CHECK(!scant_source_note(source, SCANT_NOTE_UNLISTED, &error));
  for (int again = 0; again < 2; again++) /* a cell is counted once */
    for (size_t row = 0; row < 4; row++) CHECK(scant_source_row(source, row, x, &error) == SCANT_OK);
  CHECK(scant_source_note(source, SCANT_NOTE_UNLISTED, &error) == 2 && says("2 cells of column 'sex'") && says("'x'"));
  scant_source_free(source);
}

TEST(prices_are_those_of_columns) {
  scant_settings s = chosen("id", "NA", "city;sex=m,f");
  scant_source *source = NULL;
  scant_prices *prices = NULL;
  const uint32_t items[] = {0, 1, 1, 1, 2, 3, 3};
  CHECK(open_people(&source, &s) == SCANT_OK);
  CHECK(scant_source_copy_prices(source, &prices, &error) == SCANT_OK);
  CHECK(prices->items == 4);
  for (size_t i = 0; i < 7; i++) CHECK(prices->item[i] == items[i]);
  for (size_t g = 0; g < 4; g++) CHECK(prices->cost[g] == 100);
  scant_prices_free(prices);
  scant_source_free(source);
}

/* The groups that a fit of city and sex would have. */
static scant_prices *groups_of(size_t d, const uint32_t *groups) {
  static const uint64_t costs[8] = {100, 100, 100, 100, 100, 100, 100, 100};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, d, costs, groups, &error) == SCANT_OK);
  return prices;
}

TEST(a_model_finds_its_categories) {
  scant_settings s = chosen(NULL, "NA", NULL);
  scant_source *source = NULL;
  char *const names[] = {"sex=f", "sex=x", "age", "city=Rome", "city=Bonn", "far", "id=p1"};
  const uint32_t groups[] = {1, 1, 0, 2, 2, 0, 0};
  scant_prices *prices = groups_of(7, groups);
  scant_needs needs = {7, names, prices, 0};
  CHECK(open_people(&source, &s) == SCANT_OK);
  CHECK(scant_source_serve(source, &needs, &error) == SCANT_DATA); /* id=p1 is in no group, so it is no category */
  CHECK(says("no columns 'far' and 'id=p1', which"));
  CHECK(scant_source_dimension(source) == 5 && !source->bound); /* a failed call changes nothing */
  needs.lenient = 1;
  CHECK(scant_source_serve(source, &needs, &error) == SCANT_OK); /* two of five columns are absent */
  for (size_t i = 0; i < 7; i++) CHECK(!strcmp(scant_source_name(source, i), names[i]));
  CHECK(!strcmp(row_text(source, 0), "1 0 30 1 0 - - "));
  CHECK(!strcmp(row_text(source, 2), "0 1 50 - - - - "));
  CHECK(!strcmp(row_text(source, 4), "- - 70 0 0 - - "));
  CHECK(scant_source_note(source, SCANT_NOTE_ABSENT, &error) == 2 && says("'far' and 'id=p1'"));
  CHECK(scant_source_note(source, SCANT_NOTE_UNLISTED, &error) == 1 && says("'a \"b\"'"));
  CHECK(!scant_source_note(source, SCANT_NOTE_SCAN, &error));
  scant_prices_free(prices);
  scant_source_free(source);
}

TEST(half_may_be_absent_and_categories_are_one) {
  scant_settings s = chosen("sex", "NA", NULL);
  scant_source *source = NULL;
  char *const names[] = {"age", "was=a", "was=b", "was=c"};
  const uint32_t groups[] = {0, 3, 3, 3};
  scant_prices *prices = groups_of(4, groups);
  CHECK(open_people(&source, &s) == SCANT_OK);
  CHECK(scant_source_serve(source, &(scant_needs){4, names, prices, 1}, &error) == SCANT_OK); /* one of two */
  CHECK(scant_source_note(source, SCANT_NOTE_ABSENT, &error) == 1 && says("column 'was',"));
  CHECK(scant_source_serve(source, &(scant_needs){4, names, NULL, 1}, &error) == SCANT_DATA); /* three of four */
  CHECK(says("3 of the 4"));
  char *const hidden[] = {"age", "sex"};
  CHECK(scant_source_serve(source, &(scant_needs){2, hidden, NULL, 0}, &error) == SCANT_DATA && says("'sex'"));
  scant_prices_free(prices);
  scant_source_free(source);
}

TEST(types_are_those_of_the_first_rows) {
  static char text[8192];
  size_t used = (size_t)snprintf(text, sizeof text, "a,b,c,y\n");
  /* a is half numbers, b is mostly words, c is words from row 101 on */
  for (int i = 0; i < 300; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s,%s,%s,1\n", i % 2 ? "w" : "1", i % 3 ? "w" : "7",
                             i < 100 ? "2" : "w");
  const char *path = file_write("types.csv", text, used);
  scant_settings s = chosen(NULL, NULL, NULL);
  scant_source *source = NULL;
  CHECK(scant_source_open(&source, path, &s, SCANT_TARGET_REQUIRED, &error) == SCANT_OK);
  CHECK(scant_source_check_columns(source, &error) == SCANT_DATA && says("column 'b' holds text") && says("one-hot"));
  char *const names[] = {"c", "a"};
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 2, .names = names}, &error) ==
        SCANT_OK); /* nobody needs b */
  CHECK(scant_source_check_columns(source, &error) == SCANT_OK);
  scant_source_free(source);
}

/* Texts of settings belong to the caller, who may free them. */
TEST(a_model_keeps_no_texts_of_the_caller) {
  scant_settings s = chosen("id", "NA", "city;sex=m,f");
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  CHECK(scant_settings_set(&s, "k", "2", &error) == SCANT_OK &&
        scant_settings_set(&s, "only", "age,city,sex", &error) == SCANT_OK);
  CHECK(open_people(&source, &s) == SCANT_OK && scant_source_dimension(source) == 6);
  CHECK(scant_fit_new(&fit, &s, source, &error) == SCANT_OK);
  CHECK(scant_fit_advance(fit, 9, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  const scant_reading *kept[] = {&scant_model_settings(model)->reading, &scant_fit_settings(fit)->reading};
  for (size_t i = 0; i < 2; i++) CHECK(!kept[i]->ignore && !kept[i]->only && !kept[i]->na && !kept[i]->one_hot);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- out of memory ------------------------------------------------------------- */

static scant_status run_views(void) {
  const scant_settings s = chosen("id", "NA,-9", "city;sex=m,f");
  char *const names[] = {"sex=f", "age", "city=Rome", "city=Bonn", "far"};
  const uint32_t groups[] = {1, 0, 2, 2, 0};
  scant_source *source = NULL;
  scant_prices *prices = NULL, *wanted = NULL;
  uint64_t digest = 0;
  double x[7];
  static const uint64_t costs[5] = {1, 1, 1, 1, 1};
  scant_status status = open_people(&source, &s);
  if (status == SCANT_OK) status = scant_source_check_columns(source, &error);
  if (status == SCANT_OK) status = scant_source_copy_prices(source, &prices, &error);
  if (status == SCANT_OK) status = scant_source_row(source, 4, x, &error);
  if (status == SCANT_OK) status = scant_prices_new(&wanted, 5, costs, groups, &error);
  scant_needs needs = {5, names, wanted, 1};
  if (status == SCANT_OK) status = scant_source_serve(source, &needs, &error);
  if (status == SCANT_OK) status = scant_source_digest(source, &digest, &error);
  note(&digest, sizeof digest);
  scant_prices_free(prices);
  scant_prices_free(wanted);
  scant_source_free(source);
  return status;
}

TEST(views_survive_without_memory) {
  fail_each("views", run_views);
}

int main(void) {
  files_begin();
  RUN(a_view_reads_what_the_cells_are);
  RUN(notes_count_columns_and_cells);
  RUN(prices_are_those_of_columns);
  RUN(a_model_finds_its_categories);
  RUN(half_may_be_absent_and_categories_are_one);
  RUN(types_are_those_of_the_first_rows);
  RUN(a_model_keeps_no_texts_of_the_caller);
  RUN(views_survive_without_memory);
  files_end();
  return check_done();
}
