/* What comes in the first line of a request, in forms and in lists of tags. */
#include <stdlib.h>

#include "check.h"
#include "http/decode.h"

/* What a text is without its escapes; NULL: it is refused. */
static const char *unescape(const char *text, int form) {
  static char room[256];
  return serve_unescape(text, strlen(text), form, room) ? room : NULL;
}

static int is(const char *a, const char *b) {
  return a && !strcmp(a, b);
}

TEST(escapes) {
  CHECK(is(unescape("", 0), ""));
  CHECK(is(unescape("a%20b", 0), "a b"));
  CHECK(is(unescape("a+b", 0), "a+b"));
  CHECK(is(unescape("a+b%2B", 1), "a b+"));
  CHECK(is(unescape("%2F%2f%25", 0), "//%"));
  CHECK(is(unescape("%C3%A4", 0), "\xc3\xa4"));
  static const char *const wrong[] = {"%",   "%4",   "a%",  "%g0",    "%0g",       "%00",          "%0a",    "%7F",
                                      "%1f", "a\nb", "%C3", "%C3%28", "%ED%A0%80", "%F5%80%80%80", "%C0%AF", "\xff"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!unescape(wrong[i], 0));
}

/* The parts of a path with '|' between them; NULL: it is refused. */
static const char *split(const char *path) {
  static char text[256];
  char room[256];
  serve_path parts;
  if (!serve_split_path(path, strlen(path), room, &parts)) return NULL;
  text[0] = 0;
  for (size_t i = 0; i < parts.count; i++) {
    if (i) strcat(text, "|");
    strcat(text, parts.parts[i]);
  }
  return text;
}

TEST(paths) {
  CHECK(is(split("/"), ""));
  CHECK(is(split("/a"), "a"));
  CHECK(is(split("/a/b"), "a|b"));
  CHECK(is(split("/a/"), "a|"));
  CHECK(is(split("/a%2Fb/c"), "a/b|c"));
  CHECK(is(split("/a/%252F"), "a|%2F"));
  CHECK(is(split("/..."), "..."));
  CHECK(is(split("/1/2/3/4/5/6/7/8/9/10/11/12"), "1|2|3|4|5|6|7|8|9|10|11|12"));
  static const char *const wrong[] = {"",
                                      "a",
                                      "//",
                                      "//a",
                                      "/a//b",
                                      "/.",
                                      "/..",
                                      "/a/../b",
                                      "/%2e%2E",
                                      "/%2e/",
                                      "/a/%",
                                      "/%00",
                                      "/1/2/3/4/5/6/7/8/9/10/11/12/13"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(!split(wrong[i]));
}

TEST(queries) {
  serve_value *values;
  size_t count;
  scant_error error;
  const char *text = "a=1&b=&c&d=x%26y+z&&%65=%C3%A4";
  CHECK(serve_split_query(text, strlen(text), &values, &count, &error) == SCANT_OK);
  CHECK(count == 5);
  static const char *const names[] = {"a", "b", "c", "d", "e"}, *const wanted[] = {"1", "", "", "x&y z", "\xc3\xa4"};
  for (size_t i = 0; i < count; i++) CHECK(is(values[i].name, names[i]) && is(values[i].value, wanted[i]));
  free(values);
  CHECK(serve_split_query(NULL, 0, &values, &count, &error) == SCANT_OK && !count && !values);
  static const char *const wrong[] = {"a=1&a=2", "=1", "a=%", "%00=1", "a=%0a", "a=\xff"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK(serve_split_query(wrong[i], strlen(wrong[i]), &values, &count, &error) == SCANT_USAGE);
    CHECK(!count && !values);
  }
  char many[200] = "";
  for (int i = 0; i < 33; i++) sprintf(many + strlen(many), "%s%c%c", i ? "&" : "", 'a' + i / 26, 'a' + i % 26);
  CHECK(serve_split_query(many, strlen(many), &values, &count, &error) == SCANT_USAGE);
  CHECK(serve_split_query(many, strlen(many) - 3, &values, &count, &error) == SCANT_OK && count == 32);
  free(values);
}

TEST(forms) {
  char *text;
  size_t length;
  scant_error error;
  const char *form = "token=a%22b+c&code=";
  CHECK(serve_form_to_json(form, strlen(form), &text, &length, &error) == SCANT_OK);
  const char *wanted = "{\"token\": \"a\\\"b c\", \"code\": \"\"}\n";
  CHECK(length == strlen(wanted) && !memcmp(text, wanted, length));
  free(text);
  CHECK(serve_form_to_json("a=1&a=2", 7, &text, &length, &error) == SCANT_USAGE);
}

TEST(tags) {
  CHECK(serve_tag_in("\"e1\"", "\"e1\"", 0));
  CHECK(serve_tag_in("\"x\", \"e1\"", "\"e1\"", 0));
  CHECK(serve_tag_in(" \"x\",\"e1\" , \"y\"", "\"e1\"", 0));
  CHECK(serve_tag_in("*", "\"e1\"", 0));
  CHECK(serve_tag_in(" * ", "\"e1\"", 0));
  CHECK(!serve_tag_in("*", "", 0));
  CHECK(!serve_tag_in("", "\"e1\"", 0));
  CHECK(!serve_tag_in("\"e12\"", "\"e1\"", 0));
  CHECK(!serve_tag_in("\"e\"", "\"e1\"", 0));
  CHECK(!serve_tag_in("e1", "\"e1\"", 0));
  CHECK(!serve_tag_in("\"e1", "\"e1\"", 0));
  CHECK(!serve_tag_in("W/\"e1\"", "\"e1\"", 0));
  CHECK(serve_tag_in("W/\"e1\"", "\"e1\"", 1));
  CHECK(serve_tag_in("W/\"x\", W/\"e1\"", "\"e1\"", 1));
  CHECK(!serve_tag_in("\"a,\"e1\"\"", "\"e1\"", 1)); /* what follows a broken one is not read */
}

int main(void) {
  RUN(escapes);
  RUN(paths);
  RUN(queries);
  RUN(forms);
  RUN(tags);
  return check_done();
}
