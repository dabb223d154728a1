/* JSON: what is written reads back; what is not JSON is refused. */
#include "base/json.h"
#include "support.h"

static scant_error error;

/* Parses a copy that ends where the document ends, so that a sanitizer sees
 * every step past it; `text` must outlive the result. */
static scant_status parse(scant_json *json, char **text, const char *document, size_t length) {
  *text = malloc(length ? length : 1);
  memcpy(*text, document, length);
  return scant_json_parse(json, *text, length, &error);
}

static scant_status parse_and_free(const char *document, size_t length) {
  scant_json json;
  char *text;
  scant_status status = parse(&json, &text, document, length);
  if (status == SCANT_OK) scant_json_free(&json);
  free(text);
  return status;
}

/* ---- round trips ------------------------------------------------------------- */

enum { MANY = 500 };

static void write_everything(scant_json_writer *out, const double *reals, const uint64_t *counts) {
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "text", "plain");
  scant_json_text(out, "null", NULL);
  scant_json_flag(out, "yes", 1);
  scant_json_flag(out, "no", 0);
  scant_json_real(out, "real", -0.1);
  scant_json_real(out, "nan", NAN);
  scant_json_count(out, "count", UINT64_MAX);
  scant_json_integer(out, "integer", -9007199254740991);
  scant_json_hex(out, "hex", 0x00f00ba4ull);
  scant_json_raw(out, "raw", "[1, {\"a\": []}]");
  scant_json_reals(out, "reals", reals, MANY, 2);
  scant_json_open(out, "counts", '[');
  for (size_t i = 0; i < MANY; i++) scant_json_count(out, NULL, counts[i]);
  scant_json_close(out, ']');
  scant_json_open(out, "empty", '{');
  scant_json_close(out, '}');
  scant_json_open(out, "none", '[');
  scant_json_close(out, ']');
  scant_json_open(out, "object", '{');
  scant_json_count(out, "count", 7);
  scant_json_close(out, '}');
  scant_json_close(out, '}');
}

static void check_members(const scant_json *json) {
  double x = 0;
  uint64_t n = 0;
  int64_t i = 0;
  char *text = NULL;
  size_t node = 0;
  CHECK(scant_json_get_text(json, 0, "text", &text, &error) == SCANT_OK && strcmp(text, "plain") == 0);
  free(text);
  CHECK(scant_json_get_text(json, 0, "null", &text, &error) == SCANT_OK && !text);
  CHECK(json->nodes[scant_json_member(json, 0, "yes")].type == SCANT_JSON_TRUE);
  CHECK(json->nodes[scant_json_member(json, 0, "no")].type == SCANT_JSON_FALSE);
  CHECK(scant_json_get_real(json, 0, "real", &x, &error) == SCANT_OK && x == -0.1);
  CHECK(scant_json_get_real_or_null(json, 0, "nan", &x, &error) == SCANT_OK && isnan(x));
  CHECK(scant_json_get_count(json, 0, "count", &n, &error) == SCANT_OK && n == UINT64_MAX);
  CHECK(scant_json_get_integer(json, 0, "integer", &i, &error) == SCANT_OK && i == -9007199254740991);
  CHECK(scant_json_get_hex(json, 0, "hex", &n, &error) == SCANT_OK && n == 0x00f00ba4ull);
  CHECK(scant_json_get_array(json, 0, "raw", 2, &node, &error) == SCANT_OK);
  CHECK(scant_json_get_array(json, 0, "none", 0, &node, &error) == SCANT_OK);
  CHECK(scant_json_get_object(json, 0, "empty", &node, &error) == SCANT_OK && json->nodes[node].count == 0);
  CHECK(scant_json_get_object(json, 0, "object", &node, &error) == SCANT_OK);
  CHECK(scant_json_get_count(json, node, "count", &n, &error) == SCANT_OK && n == 7);
  CHECK(scant_json_member(json, 0, "absent") == SCANT_JSON_NONE);
  CHECK(scant_json_member(json, 0, "tex") == SCANT_JSON_NONE);
}

TEST(what_is_written_reads_back) {
  static double reals[2 * MANY], back[2 * MANY];
  static uint64_t counts[MANY], again[MANY];
  uint64_t seed = 1;
  for (size_t i = 0; i < MANY; i++) {
    do reals[2 * i] = real_of_bits(random_bits(&seed));
    while (!isfinite(reals[2 * i]));
    counts[i] = random_bits(&seed) >> random_below(&seed, 64);
  }
  reals[0] = -0.0;
  scant_json_writer out = {0};
  write_everything(&out, reals, counts);
  scant_json json;
  CHECK(!out.failed && out.length == strlen(out.text));
  if (!CHECK(scant_json_parse(&json, out.text, out.length, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  check_members(&json);
  CHECK(scant_json_get_reals(&json, 0, "reals", back, MANY, 2, &error) == SCANT_OK);
  CHECK(memcmp(back, reals, sizeof reals) == 0);
  CHECK(scant_json_get_counts(&json, 0, "counts", again, MANY, &error) == SCANT_OK);
  CHECK(memcmp(again, counts, sizeof counts) == 0);
  scant_json_free(&json);
  scant_json_free_text(&out);
  CHECK(!out.text && !json.nodes);
}

/* Appends a random character, as UTF-8; ASCII, with its control characters, is
 * the most likely. */
static size_t put_character(char *text, uint64_t *seed) {
  static const unsigned ends[] = {0x80, 0x80, 0x80, 0x800, 0x10000, 0x110000};
  unsigned point = 1 + (unsigned)random_below(seed, ends[random_below(seed, 6)] - 1), lead, more;
  if (point >= 0xd800 && point < 0xe000) point = 0xfffd; /* surrogates are no characters */
  if (point < 0x80) return text[0] = (char)point, 1;
  more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  lead = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
  text[0] = (char)(lead | point >> 6 * more);
  for (unsigned i = 1; i <= more; i++) text[i] = (char)(0x80 | (point >> 6 * (more - i) & 63));
  return more + 1;
}

TEST(texts_of_any_characters_read_back) {
  uint64_t seed = 2;
  int wrong = 0;
  for (int round = 0; round < 500; round++) {
    char name[300];
    size_t length = 0, most = random_below(&seed, sizeof name - 4);
    while (length < most) length += put_character(name + length, &seed);
    name[length] = 0;
    scant_json_writer out = {0};
    scant_json_open(&out, NULL, '[');
    scant_json_text(&out, NULL, name);
    scant_json_text(&out, NULL, name);
    scant_json_close(&out, ']');
    scant_json json;
    wrong += scant_json_parse(&json, out.text, out.length, &error) != SCANT_OK;
    for (size_t node = 1; node < json.count; node++) {
      char *copy = scant_json_copy(&json, node);
      wrong += strcmp(copy, name) != 0;
      free(copy);
    }
    wrong += json.count != 3;
    scant_json_free(&json);
    scant_json_free_text(&out);
  }
  CHECK(wrong == 0);
}

/* ---- what is JSON and what is not ---------------------------------------------- */

TEST(refuses_what_is_not_json) {
  /* clang-format off */
  static const char *const documents[] = {
      "", " ", "\n", "{", "}", "[", "]", "[}", "{]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1]]",
      "[1] 2", "[1]x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}", "{'a':1}",
      "{1:1}", "{\"a\":1", "{\"a\":1}}", "{\"a\":1,\"b\"", "{\"a\"::1}", "{\"a\",1}", "{null:1}", "{[]:1}",
      "\"", "\"a", "\"a\\\"", "\"\\", "\"\\x\"", "\"\\a\"", "\"\\'\"", "\"\\u\"", "\"\\u12\"", "\"\\u123\"",
      "\"\\u12g4\"", "\"\\u 123\"", "\"\\u-123\"", "\"\\U0041\"", "\"\t\"", "\"\n\"", "\"\x01\"", "\"\x1f\"", "'a'",
      "\"a\" \"b\"", "\"\\ud800",
      "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"",
      "{\"a\":1,\"a\":2}", "{\"a\":{},\"b\":[1],\"a\":0}",
      "+1", "-", "--1", ".5", "-.5", "1.", "1.e5", "01", "-01", "00", "1e", "1e+", "1e-", "1E", "1e1.5", "0x1", "1f",
      "1_0", "1,0", "NaN", "nan", "Infinity", "-Infinity", "inf", "- 1", "1 1", "0 0", "1.2.3",
      "t", "tru", "True", "TRUE", "truee", "true false", "nul", "nulll", "Null", "None", "fals", "falsey", "undefined",
      "//\n1", "/* */1", "1 // no", "#1", "\xef\xbb\xbf{}", "\v1", "\f1", "\xa0 1", "[1;2]", "[1:2]", "(1)", "<1>"};
  /* clang-format on */
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    error.text[0] = 0;
    if (!CHECK(parse_and_free(documents[i], strlen(documents[i])) == SCANT_DATA))
      printf("#   taken: %s\n", documents[i]);
    CHECK_SAYS(error.text, "at byte ");
  }
  CHECK(parse_and_free("1\0", 2) == SCANT_DATA);
  CHECK(parse_and_free("\0", 1) == SCANT_DATA);
  CHECK(parse_and_free("[1\0]", 4) == SCANT_DATA);
  CHECK(parse_and_free("\"a\0b\"", 5) == SCANT_DATA);
  CHECK(parse_and_free("\"\\\0\"", 4) == SCANT_DATA);
  CHECK(scant_json_parse(&(scant_json){0}, "[", 1, NULL) == SCANT_DATA);
}

TEST(takes_what_is_json) {
  /* clang-format off */
  static const char *const documents[] = {
      "0", "-0", "1", "-1", "0.0", "10", "1e5", "1E+05", "1e-05", "-1.25E-3", "123456789012345678901234567890", "1e999",
      "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\uABCD\\uabcd\"", "\"\x7f\"", "\"\xc3\xa9\"",
      "true", "false", "null", "[]", "{}", "[[]]", "[{}]", "{\"\":0}", "{\"a\":[]}", " \t\r\n[ \n1 ,\t2\r] \n",
      "{ \"a\" : 1 , \"b\" : { } }", "[null,true,false]", "[\"]\",\"}\",\",\"]", "{\"a:b\":\",\"}", "[0,0]", "[-0]",
      "{\"a\":{\"a\":{\"b\":0}},\"b\":0}", "\"\\ud83d\\ude00\""};
  /* clang-format on */
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
    if (!CHECK(parse_and_free(documents[i], strlen(documents[i])) == SCANT_OK))
      printf("#   %s: %s\n", documents[i], error.text);
}

/* An object of n members, of which number `again` has the key of number `of`.  The caller frees it. */
static char *make_members(size_t n, size_t again, size_t of, size_t *place) {
  char *text = malloc(n * 24 + 3), *at = text;
  *at++ = '{';
  for (size_t i = 0; i < n; i++) {
    if (i == again && place) *place = (size_t)(at - text) + (i ? 3 : 2);
    at += sprintf(at, "%s\"a%zu\":{\"a\":0}", i ? "," : "", i == again ? of : i);
  }
  *at++ = '}';
  *at = 0;
  return text;
}

TEST(many_members) {
  static const size_t counts[] = {2, 31, 32, 33, 34, 64, 500};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t n = counts[c], wrong = 0;
    for (size_t again = 1; again < n; again += 1 + n / 9)
      for (size_t of = 0; of < again; of += 1 + n / 7) {
        size_t place = 0;
        char *text = make_members(n, again, of, &place), byte[40];
        snprintf(byte, sizeof byte, "before at byte %zu", place);
        wrong += parse_and_free(text, strlen(text)) != SCANT_DATA;
        wrong += !strstr(error.text, byte);
        free(text);
      }
    CHECK(wrong == 0);
  }
  /* If every key were compared with every other one, this would take minutes. */
  char *text = make_members(400000, 400000, 0, NULL);
  CHECK(parse_and_free(text, strlen(text)) == SCANT_OK);
  free(text);
}

TEST(nesting_has_an_end) {
  static char text[400001];
  for (size_t depth = 1; depth <= 200000; depth = depth < 40 ? depth + 1 : depth * 3) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    scant_status status = parse_and_free(text, 2 * depth);
    CHECK(depth > 16 || status == SCANT_OK);
    CHECK(depth < 40 || status == SCANT_DATA);
    CHECK(parse_and_free(text, depth) == SCANT_DATA);
  }
  CHECK_SAYS(error.text, "deeply");
  for (size_t i = 0; i + 5 < sizeof text; i += 5) memcpy(text + i, "{\"a\":", 5);
  CHECK(parse_and_free(text, 400000) == SCANT_DATA);
}

/* ---- texts ------------------------------------------------------------------------ */

/* The text of the member "t". */
static scant_status text_of(const char *document, char **copy) {
  scant_json json;
  *copy = NULL;
  scant_status status = scant_json_parse(&json, document, strlen(document), &error);
  if (status != SCANT_OK) return status;
  status = scant_json_get_text(&json, 0, "t", copy, &error);
  scant_json_free(&json);
  return status;
}

static int reads_as(const char *document, const char *wanted) {
  char *copy;
  int same = text_of(document, &copy) == SCANT_OK && strcmp(copy, wanted) == 0;
  free(copy);
  return same;
}

TEST(escapes_are_undone) {
  CHECK(reads_as("{\"t\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "\"\\/\b\f\n\r\t"));
  CHECK(reads_as("{\"t\":\"\\u0041\\u00e9\\u20AC\\u0001\"}", "A\xc3\xa9\xe2\x82\xac\x01"));
  CHECK(reads_as("{\"t\":\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"}", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"));
  CHECK(reads_as("{\"t\":\"\\\\u0041\"}", "\\u0041"));
  CHECK(reads_as("{\"t\":\"a\\u0041b\"}", "aAb"));
  CHECK(reads_as("{\"t\":\"\"}", ""));
}

/* RFC 8259, section 7: a character beyond the basic plane is a surrogate pair. */
TEST(surrogate_pairs_are_one_character) {
  CHECK(reads_as("{\"t\":\"\\ud83d\\ude00\"}", "\xf0\x9f\x98\x80"));
  CHECK(reads_as("{\"t\":\"x\\uDBFF\\uDFFFy\"}", "x\xf4\x8f\xbf\xbfy"));
}

/* A C text can't hold a NUL; cut off there, "a" and "a\0b" would be one name. */
TEST(a_nul_in_a_text_is_refused) {
  char *copy;
  CHECK(text_of("{\"t\":\"a\\u0000b\"}", &copy) == SCANT_DATA);
  free(copy);
}

/* ---- numbers ------------------------------------------------------------------------ */

TEST(whole_numbers_keep_64_bits) {
  static const char document[] =
      "{\"a\":18446744073709551615,\"b\":18446744073709551616,\"c\":-1,\"d\":1.0,\"e\":1e3,"
      "\"f\":9007199254740993,\"g\":-9007199254740992,\"h\":1e400,\"i\":0.5,\"j\":\"1\","
      "\"k\":null,\"l\":[1,null],\"m\":[1,-1],\"n\":9007199254740996}";
  scant_json json;
  uint64_t n = 5, two[2];
  int64_t i = 5;
  double x = 5, reals[2];
  CHECK(scant_json_parse(&json, document, sizeof document - 1, &error) == SCANT_OK);
  CHECK(scant_json_get_count(&json, 0, "a", &n, &error) == SCANT_OK && n == UINT64_MAX);
  CHECK(scant_json_get_count(&json, 0, "f", &n, &error) == SCANT_OK && n == 9007199254740993u);
  CHECK(scant_json_get_integer(&json, 0, "g", &i, &error) == SCANT_OK && i == -9007199254740992);
  CHECK(scant_json_get_integer(&json, 0, "n", &i, &error) == SCANT_DATA);
  CHECK(scant_json_get_integer(&json, 0, "i", &i, &error) == SCANT_DATA);
  CHECK(scant_json_get_integer(&json, 0, "h", &i, &error) == SCANT_DATA);
  for (const char *letter = "bcdeijkz"; *letter; letter++) {
    const char key[] = {*letter, 0};
    CHECK(scant_json_get_count(&json, 0, key, &n, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, key);
    CHECK(n == 9007199254740993u);
  }
  for (const char *letter = "hjklz"; *letter; letter++) {
    const char key[] = {*letter, 0};
    CHECK(scant_json_get_real(&json, 0, key, &x, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, key);
  }
  CHECK(scant_json_get_reals(&json, 0, "l", reals, 2, 1, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "item 2 of 'l'");
  CHECK(scant_json_get_counts(&json, 0, "m", two, 2, &error) == SCANT_DATA);
  CHECK(scant_json_get_counts(&json, 0, "m", two, 3, &error) == SCANT_DATA);
  CHECK(scant_json_get_hex(&json, 0, "j", &n, &error) == SCANT_DATA);
  scant_json_free(&json);
}

/* ---- damage ------------------------------------------------------------------------- */

/* Asks everything of every node. */
static int ask_everything(const scant_json *json) {
  int consistent = json->nodes[0].after == json->count;
  for (size_t node = 0; node < json->count; node++) {
    const scant_json_node *n = &json->nodes[node];
    double x;
    uint64_t count;
    size_t child = node + 1;
    for (size_t i = 0; i < n->count; i++) child = json->nodes[child].after;
    consistent = consistent && child == n->after && n->start + n->length <= json->length;
    char *copy = scant_json_copy(json, node);
    consistent = consistent && (!copy || n->type == SCANT_JSON_TEXT);
    free(copy);
    if (n->type != SCANT_JSON_OBJECT) continue;
    (void)scant_json_get_real(json, node, "a", &x, &error);
    (void)scant_json_get_hex(json, node, "h", &count, &error);
    (void)scant_json_get_counts(json, node, "c", &count, 1, &error);
  }
  return consistent;
}

TEST(damaged_documents_do_no_harm) {
  static const char good[] =
      "{\"a\": -1.5e3, \"h\": \"0123456789abcdef\", \"c\": [18446744073709551615],\n"
      " \"t\": [\"x\\u00e9\\n\\\\\", true, false, null, {\"a\": {}}], \"u\": \"\\ud83d\\ude00\"}";
  static const char alphabet[] = "{}[]\",:\\u0123456789eE+-.tfn \n";
  uint64_t seed = 3;
  int inconsistent = 0, taken = 0;
  for (int round = 0; round < 50000; round++) {
    char document[sizeof good + 8];
    size_t length = sizeof good - 1;
    memcpy(document, good, sizeof good);
    for (size_t changes = 1 + random_below(&seed, 3); changes && length; changes--) {
      size_t at = random_below(&seed, length), kind = random_below(&seed, 4);
      char c = random_below(&seed, 4) ? alphabet[random_below(&seed, sizeof alphabet)] : (char)random_below(&seed, 256);
      if (kind == 0) {
        length = at;
      } else if (kind == 1) {
        memmove(document + at, document + at + 1, --length - at);
      } else {
        if (kind == 2) memmove(document + at + 1, document + at, length++ - at);
        document[at] = c;
      }
    }
    scant_json json;
    char *text;
    if (parse(&json, &text, document, length) == SCANT_OK) {
      taken++;
      inconsistent += !ask_everything(&json);
      scant_json_free(&json);
    }
    free(text);
  }
  CHECK(inconsistent == 0);
  CHECK(taken > 100 && taken < 25000);
}

int main(void) {
  RUN(what_is_written_reads_back);
  RUN(texts_of_any_characters_read_back);
  RUN(refuses_what_is_not_json);
  RUN(takes_what_is_json);
  RUN(many_members);
  RUN(nesting_has_an_end);
  RUN(escapes_are_undone);
  RUN(surrogate_pairs_are_one_character);
  RUN(a_nul_in_a_text_is_refused);
  RUN(whole_numbers_keep_64_bits);
  RUN(damaged_documents_do_no_harm);
  return check_done();
}
