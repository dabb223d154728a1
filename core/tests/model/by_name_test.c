/* Attributes by name, and values as users write them. */
#include "files.h"
#include "gaussians.h"
#include "model/query.h"

enum { D = 6 };

static scant_error error;

/* The attributes colour=red and colour=blue are one column of words. */
static scant_model *named_model(void) {
  static const char *const names[D] = {"age", "glucose", "colour=red", "colour=blue", "a=b", "HDL"};
  static const uint64_t costs[D] = {100, 350, 100, 0, 100, 200};
  static const uint32_t groups[D] = {0, 0, 1, 1, 0, 0};
  scant_model *m = gaussian_model(D, 3, "k=2");
  CHECK(scant_model_set_names(m, names, "y", &error) == SCANT_OK);
  CHECK(scant_prices_new(&m->prices, D, costs, groups, &error) == SCANT_OK);
  return m;
}

static unsigned find(const scant_model *m, const char *name) {
  unsigned char flags[D] = {0};
  unsigned found = 0;
  error.text[0] = 0;
  scant_status status = scant_model_find(m, name, flags, &error);
  for (size_t i = 0; i < D; i++) found |= (unsigned)flags[i] << i;
  CHECK((status == SCANT_OK) == (found != 0) && (status == SCANT_OK || status == SCANT_DATA));
  return found;
}

TEST(names_are_found_and_the_nearest_is_said) {
  scant_model *m = named_model(), *nameless = gaussian_model(D, 3, "k=2");
  CHECK(find(m, "age") == 1 && find(m, "colour=blue") == 8 && find(m, "colour") == 12 && find(m, "a=b") == 16);
  CHECK(!find(m, "gluose"));
  CHECK_SAYS(error.text, "'gluose'; the nearest name is 'glucose'");
  CHECK(!find(m, "diagnosis"));
  CHECK(!strcmp(error.text, "the model has no attribute 'diagnosis'")); /* nothing is near */
  CHECK(!find(m, "hdl"));
  CHECK_SAYS(error.text, "nearest name is 'HDL'");
  CHECK(!find(m, "color"));
  CHECK_SAYS(error.text, "nearest name is 'colour'");
  CHECK(!find(m, "a")); /* a=b is of no group */
  CHECK(!find(m, ""));
  CHECK(!find(m, "2"));
  char longer[200];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  CHECK(!find(m, longer) && !strstr(error.text, "nearest"));
  CHECK(find(nameless, "1") == 1 && find(nameless, "6") == 32 && !find(nameless, "0") && !find(nameless, "7"));
  CHECK(!find(nameless, "age"));
  CHECK_SAYS(error.text, "numbers from 1 to 6");
  scant_model_free(m);
  scant_model_free(nameless);
}

TEST(lists_of_names_are_cut_at_commas) {
  scant_model *m = named_model();
  unsigned char flags[D] = {0, 1};
  CHECK(scant_model_find_all(m, "age, colour,\"a=b\"", flags, &error) == SCANT_OK);
  CHECK(!memcmp(flags, (unsigned char[]){1, 1, 1, 1, 1, 0}, D));
  CHECK(scant_model_find_all(m, "HDL,ages", flags, &error) == SCANT_DATA && !flags[5]);
  CHECK_SAYS(error.text, "nearest name is 'age'");
  CHECK(scant_model_find_all(m, "\"HDL", flags, &error) == SCANT_USAGE && !flags[5]);
  scant_model_free(m);
}

/* The prediction after these texts must be that after these values. */
static void check_told(const scant_model *m, const char *const *texts, const double *values, int wanted_unlisted) {
  scant_query *told = NULL, *wanted = NULL;
  scant_prediction a, b;
  int unlisted = 0, one;
  CHECK(scant_query_new(&told, m, m->prices, &error) == SCANT_OK);
  CHECK(scant_query_new(&wanted, m, m->prices, &error) == SCANT_OK);
  for (; *texts; texts++) {
    CHECK(scant_query_tell_text(told, *texts, &one, &error) == SCANT_OK);
    unlisted |= one;
  }
  for (uint32_t i = 0; i < D; i++)
    if (values[i] != 99) CHECK(scant_query_tell(wanted, i, values[i], &error) == SCANT_OK);
  scant_query_predict(told, 0.9, &a);
  scant_query_predict(wanted, 0.9, &b);
  CHECK(!memcmp(&a, &b, sizeof a) && unlisted == wanted_unlisted && !memcmp(told->told, wanted->told, D));
  scant_query_free(told);
  scant_query_free(wanted);
}

TEST(values_are_read_as_in_files) {
  scant_model *m = named_model();
  const double none = 99;
  check_told(m, (const char *[]){"age=61", "glucose= 5.5 ", "HDL=1e0", NULL}, (double[]){61, 5.5, none, none, none, 1},
             0);
  check_told(m, (const char *[]){"colour=red", NULL}, (double[]){none, none, 1, 0, none, none}, 0);
  check_told(m, (const char *[]){"colour=blue", NULL}, (double[]){none, none, 0, 1, none, none}, 0);
  check_told(m, (const char *[]){"colour=pink", NULL}, (double[]){none, none, 0, 0, none, none}, 1);
  check_told(m, (const char *[]){"colour=red=0.5", NULL}, (double[]){none, none, 0.5, none, none, none}, 0);
  check_told(m, (const char *[]){"age=2", "a=b=3", NULL}, (double[]){2, none, none, none, 3, none}, 0);
  static const char *const empty[] = {"", " ", "?", "NA", "nan", "NaN"};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    char number[16], word[16];
    snprintf(number, sizeof number, "HDL=%s", empty[i]);
    snprintf(word, sizeof word, "colour=%s", empty[i]);
    check_told(m, (const char *[]){number, word, NULL}, (double[]){none, none, NAN, NAN, none, NAN}, 0);
  }
  scant_model_free(m);
}

TEST(what_can_not_be_told_changes_nothing) {
  scant_model *m = named_model();
  scant_query *q = NULL;
  int unlisted;
  static const struct {
    const char *text, *words;
    scant_status status;
  } bad[] = {
      {"age", "'age' is not NAME=VALUE", SCANT_DATA},
      {"agee=1", "'agee'; the nearest name is 'age'", SCANT_DATA},
      {"=1", "no attribute ''", SCANT_DATA},
      {"glucose=high", "glucose: 'high' is not a number", SCANT_DATA},
      {"glucose=inf", "'inf' is not a number", SCANT_DATA},
      {"glucose=1,5", "'1,5' is not a number", SCANT_DATA},
      {"age=2", "'age' was told already", SCANT_MISUSE},
      {"colour=red", "'colour' was told already", SCANT_MISUSE},
  };
  CHECK(scant_query_new(&q, m, m->prices, &error) == SCANT_OK);
  CHECK(scant_query_tell_text(q, "age=1", &unlisted, &error) == SCANT_OK);
  CHECK(scant_query_tell_text(q, "colour=blue=1", &unlisted, &error) == SCANT_OK);
  size_t steps = q->steps;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(scant_query_tell_text(q, bad[i].text, &unlisted, &error) == bad[i].status && q->steps == steps);
    CHECK_SAYS(error.text, bad[i].words);
  }
  CHECK(!q->told[2] && !unlisted);
  scant_query_free(q);
  scant_model_free(m);
}

/* A column may have a '=' in its name, and so may a word. */
TEST(columns_of_words_with_equal_signs) {
  static const char *const names[D] = {"age", "a=b=red", "a=b=blue", "c=x=1", "c=y", "HDL"};
  static const uint64_t costs[D] = {100, 100, 0, 100, 0, 200};
  static const uint32_t groups[D] = {0, 1, 1, 2, 2, 0};
  scant_model *m = gaussian_model(D, 3, "k=2");
  scant_prices *p = NULL;
  CHECK(scant_model_set_names(m, names, "y", &error) == SCANT_OK);
  CHECK(scant_prices_new(&m->prices, D, costs, groups, &error) == SCANT_OK);
  CHECK(find(m, "a=b") == 6 && find(m, "c") == 24 && !find(m, "a=bb"));
  CHECK_SAYS(error.text, "nearest name is 'a=b'");
  CHECK(scant_model_load_prices(m, file_text("costs.csv", "attribute,cost\nage,1\na=b,2\nc,3\nHDL,5\n"), &p, &error) ==
        SCANT_OK);
  CHECK(p && scant_prices_cost(p, 1) == 200 && scant_prices_cost(p, 3) == 300);
  scant_prices_free(p);
  scant_model_free(m);
}

static scant_status load(const scant_model *m, const char *text, scant_prices **prices) {
  return scant_model_load_prices(m, file_text("costs.csv", text), prices, &error);
}

TEST(costs_are_read_for_the_names_of_a_model) {
  scant_model *m = named_model(), *nameless = gaussian_model(D, 3, "k=2");
  scant_prices *p = NULL;
  CHECK(load(m, "attribute,cost\nage,1\nglucose,2\ncolour,3\na=b,4\nHDL,5\n", &p) == SCANT_OK);
  CHECK(scant_prices_cost(p, 2) == 300 && scant_prices_cost(p, 3) == 0 && scant_prices_cost(p, 4) == 400);
  CHECK(scant_prices_group(p, 2) && scant_prices_group(p, 2) == scant_prices_group(p, 3) && !scant_prices_group(p, 4));
  scant_prices_free(p);
  CHECK(load(m, "attribute,cost\nage,1\nglucose,2\ncolour=red,3\ncolour=blue,1\na=b,4\nHDL,5\n", &p) == SCANT_OK);
  CHECK(scant_prices_cost(p, 3) == 100 && !scant_prices_group(p, 3));
  scant_prices_free(p);
  CHECK(load(nameless, "attribute,cost\n1,1\n2,1\n3,1\n4,1\n5,1\n6,7\n", &p) == SCANT_OK);
  CHECK(scant_prices_cost(p, 5) == 700);
  scant_prices_free(p);
  CHECK(load(m, "attribute,cost\nage,1\n", &p) == SCANT_DATA);
  CHECK_SAYS(error.text, "no cost of attribute");
  CHECK(scant_model_load_prices(m, file_path("absent.csv"), &p, &error) == SCANT_NO_INPUT);
  scant_model_free(m);
  scant_model_free(nameless);
}

int main(void) {
  files_begin();
  RUN(names_are_found_and_the_nearest_is_said);
  RUN(lists_of_names_are_cut_at_commas);
  RUN(values_are_read_as_in_files);
  RUN(what_can_not_be_told_changes_nothing);
  RUN(costs_are_read_for_the_names_of_a_model);
  RUN(columns_of_words_with_equal_signs);
  files_end();
  return check_done();
}
