/* The writer of JSON: every document is read back by the strict reader of the library, which shares nothing with it. */
#include <stdint.h>
#include <stdlib.h>

#include "allocations.h"
#include "check.h"
#include "scant_json.h"
#include "foreign_locale.h"

static scant_error said;

static int is_valid(const char *text, size_t length) {
  scant_json parsed = {0};
  int valid = scant_json_parse(&parsed, text, length, &said) == SCANT_OK;
  if (!valid) printf("# %s\n", said.text);
  scant_json_free(&parsed);
  return valid;
}

/* Takes the document, which must be this line. */
static void check_text(scant_json_writer *out, const char *wanted) {
  char *text = NULL;
  size_t length = 0;
  if (!CHECK(scant_json_take(out, &text, &length, &said) == SCANT_OK)) return;
  int good = length == strlen(wanted) + 1 && !strncmp(text, wanted, length - 1) && text[length - 1] == '\n';
  if (!CHECK(good)) printf("#   %.*s#   %s\n", (int)length, text, wanted);
  CHECK(is_valid(text, length));
  free(text);
}

TEST(commas_and_brackets_are_where_they_belong) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_open(&out, "empty", '[');
  scant_json_close(&out);
  scant_json_open(&out, "lines", '[');
  scant_json_count(&out, NULL, UINT64_MAX);
  scant_json_open(&out, NULL, '{');
  scant_json_flag(&out, "yes", 2);
  scant_json_flag(&out, "no", 0);
  scant_json_close(&out);
  scant_json_null(&out, NULL);
  scant_json_close(&out);
  scant_json_text(&out, "none", NULL);
  scant_json_close(&out);
  check_text(&out,
             "{\"empty\": [], \"lines\": [18446744073709551615, {\"yes\": true, \"no\": false}, null], "
             "\"none\": null}");
}

TEST(texts_are_escaped_and_cut_by_bytes) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '[');
  scant_json_text(&out, NULL, "a\"b\\c\n\x01 \xc3\xa9/");
  scant_json_text(&out, NULL, "");
  scant_json_text_part(&out, NULL, "refused, broken", 7);
  scant_json_text_part(&out, NULL, "\"\"", 1);
  scant_json_text_part(&out, NULL, "x", 0);
  scant_json_close(&out);
  check_text(&out, "[\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9/\", \"\", \"refused\", \"\\\"\", \"\"]");
}

TEST(what_is_json_already_stays_as_it_is) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_raw(&out, "change", "{\"k\": [1, 2]}");
  scant_json_raw(&out, "none", NULL);
  scant_json_raw(&out, "three", "3");
  scant_json_close(&out);
  check_text(&out, "{\"change\": {\"k\": [1, 2]}, \"none\": null, \"three\": 3}");
}

static void put_numbers(scant_json_writer *out) {
  scant_json_open(out, NULL, '[');
  scant_json_real(out, NULL, 0.1);
  scant_json_real(out, NULL, -1.5e-300);
  scant_json_real(out, NULL, 1e300);
  scant_json_real(out, NULL, 3);
  scant_json_real(out, NULL, NAN);
  scant_json_real(out, NULL, -INFINITY);
  scant_json_fixed(out, NULL, -12345.678, 2);
  scant_json_fixed(out, NULL, 2.5, 0);
  scant_json_fixed(out, NULL, NAN, 2);
  scant_json_money(out, NULL, 123456705);
  scant_json_close(out);
}

static const char numbers[] =
    "[0.10000000000000001, -1.5000000000000001e-300, 1.0000000000000001e+300, 3, null, null, "
    "-12345.68, 2, null, 1234567.05]";

TEST(numbers_are_those_of_json) {
  scant_json_writer out = {0};
  put_numbers(&out);
  check_text(&out, numbers);
}

TEST(the_locale_changes_nothing) {
  static const char *const points[] = {"U002C", "U066B"}; /* a comma, and one of two bytes */
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    scant_json_writer out = {0};
    if (!locale_make(points[i])) {
      SKIP("no locale can be made here");
      break;
    }
    CHECK(locale_enter(points[i]));
    put_numbers(&out);
    check_text(&out, numbers);
    setlocale(LC_NUMERIC, "C");
  }
  locale_remove();
}

TEST(memory_that_runs_out_is_said_and_nothing_is_handed_over) {
  for (unsigned long n = 1; n <= 3; n++) {
    scant_json_writer out = {0};
    char *text = NULL;
    size_t length = 0;
    allocations_fail(n, n == 3);
    scant_json_open(&out, NULL, '[');
    for (int i = 0; i < 1000; i++) scant_json_text(&out, NULL, "0123456789");
    scant_json_close(&out);
    scant_status status = scant_json_take(&out, &text, &length, &said);
    allocations_reset();
    CHECK(status == SCANT_MEMORY && !text && !length);
    CHECK_SAYS(said.text, "out of memory");
  }
}

TEST(what_is_nested_too_deeply_or_not_closed_is_refused) {
  for (int extra = 0; extra < 2; extra++) {
    scant_json_writer out = {0};
    char *text = NULL;
    size_t length = 0;
    for (int i = 0; i < SCANT_JSON_DEPTH + extra; i++) scant_json_open(&out, NULL, '[');
    for (int i = 0; i < SCANT_JSON_DEPTH + extra; i++) scant_json_close(&out);
    CHECK((scant_json_take(&out, &text, &length, &said) == SCANT_OK) == !extra);
    CHECK((text != NULL) == !extra);
    free(text);
  }
  scant_json_writer open = {0};
  char *text = NULL;
  size_t length = 0;
  scant_json_open(&open, NULL, '[');
  CHECK(scant_json_take(&open, &text, &length, &said) != SCANT_OK && !text);
}

int main(void) {
  RUN(commas_and_brackets_are_where_they_belong);
  RUN(texts_are_escaped_and_cut_by_bytes);
  RUN(what_is_json_already_stays_as_it_is);
  RUN(numbers_are_those_of_json);
  RUN(memory_that_runs_out_is_said_and_nothing_is_handed_over);
  RUN(what_is_nested_too_deeply_or_not_closed_is_refused);
  RUN(the_locale_changes_nothing);
  return check_done();
}
