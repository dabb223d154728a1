/* The writer of JSON: every document is read back by the strict reader of the library, which shares nothing with it. */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#include "allocations.h"
#include "check.h"
#include "base/json.h"
#include "folder.h"
#include "base/json_document.h"

static scant_error said;

static int is_valid(const char *text, size_t length) {
  scant_json parsed = {0};
  int valid = scant_json_parse(&parsed, text, length, &said) == SCANT_OK;
  if (!valid) printf("# %s\n", said.text);
  scant_json_free(&parsed);
  return valid;
}

/* Takes the document, which must be this line. */
static void check_text(json *out, const char *wanted) {
  char *text = NULL;
  size_t length = 0;
  if (!CHECK(json_take(out, &text, &length, &said) == SCANT_OK)) return;
  int good = length == strlen(wanted) + 1 && !strncmp(text, wanted, length - 1) && text[length - 1] == '\n';
  if (!CHECK(good)) printf("#   %.*s#   %s\n", (int)length, text, wanted);
  CHECK(is_valid(text, length));
  free(text);
}

TEST(commas_and_brackets_are_where_they_belong) {
  json out = {0};
  json_open(&out, NULL, '{');
  json_open(&out, "empty", '[');
  json_close(&out);
  json_open(&out, "lines", '[');
  json_count(&out, NULL, UINT64_MAX);
  json_open(&out, NULL, '{');
  json_flag(&out, "yes", 2);
  json_flag(&out, "no", 0);
  json_close(&out);
  json_null(&out, NULL);
  json_close(&out);
  json_text(&out, "none", NULL);
  json_close(&out);
  check_text(&out,
             "{\"empty\": [], \"lines\": [18446744073709551615, {\"yes\": true, \"no\": false}, null], "
             "\"none\": null}");
}

TEST(texts_are_escaped_and_cut_by_bytes) {
  json out = {0};
  json_open(&out, NULL, '[');
  json_text(&out, NULL, "a\"b\\c\n\x01 \xc3\xa9/");
  json_text(&out, NULL, "");
  json_text_part(&out, NULL, "refused, broken", 7);
  json_text_part(&out, NULL, "\"\"", 1);
  json_text_part(&out, NULL, "x", 0);
  json_close(&out);
  check_text(&out, "[\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9/\", \"\", \"refused\", \"\\\"\", \"\"]");
}

TEST(what_is_json_already_stays_as_it_is) {
  json out = {0};
  json_open(&out, NULL, '{');
  json_whole(&out, "change", "{\"k\": [1, 2]}");
  json_whole(&out, "none", NULL);
  json_whole(&out, "three", "3");
  json_close(&out);
  check_text(&out, "{\"change\": {\"k\": [1, 2]}, \"none\": null, \"three\": 3}");
}

static void put_numbers(json *out) {
  json_open(out, NULL, '[');
  json_real(out, NULL, 0.1);
  json_real(out, NULL, -1.5e-300);
  json_real(out, NULL, 1e300);
  json_real(out, NULL, 3);
  json_real(out, NULL, NAN);
  json_real(out, NULL, -INFINITY);
  json_fixed(out, NULL, -12345.678, 2);
  json_fixed(out, NULL, 2.5, 0);
  json_fixed(out, NULL, NAN, 2);
  json_money(out, NULL, 123456705);
  json_close(out);
}

static const char numbers[] =
    "[0.10000000000000001, -1.5000000000000001e-300, 1.0000000000000001e+300, 3, null, null, "
    "-12345.68, 2, null, 1234567.05]";

TEST(numbers_are_those_of_json) {
  json out = {0};
  put_numbers(&out);
  check_text(&out, numbers);
}

static char locales[300]; /* the folder of those that we make */

/* Makes a locale with this decimal point and enters it. */
static int enter_locale(const char *point) {
  char name[400], command[1400];
  snprintf(name, sizeof name, "%s/source", locales);
  FILE *source = fopen(name, "w");
  if (!source) return 0;
  fprintf(source, "LC_NUMERIC\ndecimal_point \"<%s>\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", point);
  fclose(source);
  snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/%s.UTF-8 >%s/said 2>&1", name, locales, point,
           locales);
  if (system(command) == -1) return 0; /* it warns of what is not in our source */
  snprintf(name, sizeof name, "%s.UTF-8", point);
  return setenv("LOCPATH", locales, 1) == 0 && setlocale(LC_NUMERIC, name) &&
         strcmp(localeconv()->decimal_point, ".") != 0;
}

TEST(the_locale_changes_nothing) {
  static const char *const points[] = {"U002C", "U066B"}; /* a comma, and one of two bytes */
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    json out = {0};
    CHECK(enter_locale(points[i]));
    put_numbers(&out);
    check_text(&out, numbers);
    setlocale(LC_NUMERIC, "C");
  }
}

TEST(memory_that_runs_out_is_said_and_nothing_is_handed_over) {
  for (unsigned long n = 1; n <= 3; n++) {
    json out = {0};
    char *text = NULL;
    size_t length = 0;
    allocations_fail(n, n == 3);
    json_open(&out, NULL, '[');
    for (int i = 0; i < 1000; i++) json_text(&out, NULL, "0123456789");
    json_close(&out);
    scant_status status = json_take(&out, &text, &length, &said);
    allocations_reset();
    CHECK(status == SCANT_MEMORY && !text && !length);
    CHECK_SAYS(said.text, "out of memory");
  }
}

TEST(what_is_nested_too_deeply_or_not_closed_is_refused) {
  for (int extra = 0; extra < 2; extra++) {
    json out = {0};
    char *text = NULL;
    size_t length = 0;
    for (int i = 0; i < JSON_DEPTH + extra; i++) json_open(&out, NULL, '[');
    for (int i = 0; i < JSON_DEPTH + extra; i++) json_close(&out);
    CHECK((json_take(&out, &text, &length, &said) == SCANT_OK) == !extra);
    CHECK((text != NULL) == !extra);
    free(text);
  }
  json open = {0};
  char *text = NULL;
  size_t length = 0;
  json_open(&open, NULL, '[');
  CHECK(json_take(&open, &text, &length, &said) != SCANT_OK && !text);
}

int main(void) {
  char command[400];
  RUN(commas_and_brackets_are_where_they_belong);
  RUN(texts_are_escaped_and_cut_by_bytes);
  RUN(what_is_json_already_stays_as_it_is);
  RUN(numbers_are_those_of_json);
  RUN(memory_that_runs_out_is_said_and_nothing_is_handed_over);
  RUN(what_is_nested_too_deeply_or_not_closed_is_refused);
  folder_new(locales, sizeof locales, "scant-locale");
  if (enter_locale("U002C") && setlocale(LC_NUMERIC, "C"))
    RUN(the_locale_changes_nothing);
  else
    printf("ok %d - the_locale_changes_nothing # SKIP no locale can be made here\n", ++check_tests);
  snprintf(command, sizeof command, "rm -rf %s", locales);
  return check_done() || system(command) != 0;
}
