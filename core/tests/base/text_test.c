/* Numbers to text and back: against strtod, to the bit. */
#include "base/text.h"
#include "support.h"

#include <float.h>
#include <locale.h>

static void skip(const char *name, const char *reason) {
  check_tests++;
  printf("ok %d - %s # SKIP %s\n", check_tests, name, reason);
}

static int reads(const char *text, double *value) {
  return scant_parse_real(text, strlen(text), value);
}

/* One check a batch: a line only for what fails. */
static int agrees(const char *text) {
  double value = 0, wanted = strtod(text, NULL);
  if (reads(text, &value) && bits_of(value) == bits_of(wanted)) return 1;
  printf("#   '%s' reads as %.17g, not %.17g\n", text, value, wanted);
  return 0;
}

static size_t put_digits(char *text, size_t count, uint64_t *seed) {
  for (size_t i = 0; i < count; i++) text[i] = (char)('0' + random_below(seed, 10));
  return count;
}

/* Sign, digits, point, digits, exponent; most of it may be absent. */
static void random_number(char *text, size_t most, uint64_t *seed) {
  static const char *const signs[] = {"", "", "-", "+"};
  size_t n = (size_t)sprintf(text, "%s", signs[random_below(seed, 4)]);
  size_t before = random_below(seed, most), behind = random_below(seed, most);
  if (random_below(seed, 3) == 0) { /* zeros in front and behind */
    memset(text + n, '0', before);
    n += before;
  }
  n += put_digits(text + n, before + !(before + behind), seed);
  if (behind || random_below(seed, 2)) text[n++] = '.';
  n += put_digits(text + n, behind, seed);
  if (random_below(seed, 4) == 0) {
    memset(text + n, '0', behind);
    n += behind;
  }
  text[n] = 0;
  if (random_below(seed, 2))
    sprintf(text + n, "%c%s%d", "eE"[random_below(seed, 2)], signs[random_below(seed, 4)],
            (int)random_below(seed, random_below(seed, 4) ? 40 : 400));
}

TEST(reads_random_strings_as_strtod_does) {
  uint64_t seed = 1;
  char text[5000];
  int wrong = 0;
  for (int i = 0; i < 100000 && wrong < 10; i++) {
    random_number(text, i % 100 ? 14 : 600, &seed);
    wrong += !agrees(text);
  }
  CHECK(wrong == 0);
}

TEST(reads_random_bit_patterns_as_strtod_does) {
  uint64_t seed = 2;
  char text[64];
  int wrong = 0;
  for (int i = 0; i < 100000 && wrong < 10; i++) {
    double x = real_of_bits(random_bits(&seed));
    if (isnan(x)) continue;
    snprintf(text, sizeof text, "%.*e", (int)random_below(&seed, 25), x);
    wrong += !agrees(text);
  }
  CHECK(wrong == 0);
}

/* 16 to 19 digits and a point anywhere before or among them, as doubles are
 * printed; and points just between two doubles, or next to these. */
TEST(reads_numbers_of_up_to_19_digits_as_strtod_does) {
  static const char *const behind[] = {".5", ".50", ".49", ".51", ".499", ".501", ".0", ".25", ".75", ".000"};
  uint64_t seed = 3;
  char digits[32], text[64];
  int wrong = 0;
  for (int i = 0; i < 100000 && wrong < 10; i++) {
    size_t count = put_digits(digits, 16 + random_below(&seed, 4), &seed), before = random_below(&seed, count);
    digits[count] = 0;
    sprintf(text, "%s%.*s.%.*s%s", i % 2 ? "-" : "", (int)before, digits, (int)random_below(&seed, 4), "000",
            digits + before);
    wrong += !agrees(text);
    uint64_t whole = (UINT64_C(1) << 52 | random_bits(&seed) >> 12) << random_below(&seed, 3);
    sprintf(text, "%llu%s", (unsigned long long)(whole | random_below(&seed, 4)), behind[random_below(&seed, 10)]);
    wrong += !agrees(text);
  }
  CHECK(wrong == 0);
}

/* The decimal expansion of the point between two doubles, exactly, and just
 * above: the hardest cases of rounding. */
TEST(reads_halfway_points_as_strtod_does) {
#if LDBL_MANT_DIG > DBL_MANT_DIG
  uint64_t seed = 3;
  static char text[5000];
  int wrong = 0;
  for (int i = 0; i < 3000 && wrong < 10; i++) {
    double x = real_of_bits(random_bits(&seed) & ~(UINT64_C(1) << 63));
    double next = nextafter(x, INFINITY);
    if (!isfinite(x) || !isfinite(next)) continue;
    int length = snprintf(text, sizeof text, "%.1100Le", ((long double)x + (long double)next) / 2);
    char *power = strchr(text, 'e');
    wrong += !agrees(text);
    memmove(power + 1, power, (size_t)(text + length + 1 - power));
    *power = '1';
    wrong += !agrees(text);
  }
  CHECK(wrong == 0);
#else
  CHECK(agrees("9007199254740993"));
#endif
}

TEST(reads_the_edges) {
  /* clang-format off */
  static const char *const texts[] = {
      "0", "-0", "+0", "0.0", "-.0", "0e400", "-0e-400", "000", "00.00e0", "5.", ".5", "9007199254740991",
      "9007199254740992", "9007199254740993", "9007199254740993.0000000000000000000000001", "1e22", "1e23", "1e-22",
      "1e-23", "123456789012345678", "1234567890123456789", "12345678901234567890", "9999999999999999999e22",
      "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308",
      "1.7976931348623159e308", "1e309", "-1e309", "1e-400", "1e99999999999999999999", "1e-99999999999999999999",
      "0e99999999999999999999", "0.000000000000000000000000000000000000000000000000000000000001e60"};
  /* clang-format on */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) CHECK(agrees(texts[i]));
}

TEST(reads_words_and_blanks) {
  static const char *const infinities[] = {"inf", "INF", "+Inf", "infinity", "InFiNiTy", " +INFINITY\t"};
  static const char *const nans[] = {"nan", "NaN", "-NAN", "+nan", "  nan "};
  double x = 0;
  for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++) CHECK(reads(infinities[i], &x) && x == INFINITY);
  CHECK(reads("-inf", &x) && x == -INFINITY);
  CHECK(reads("-INFINITY", &x) && x == -INFINITY);
  for (size_t i = 0; i < sizeof nans / sizeof *nans; i++) {
    x = 0;
    CHECK(reads(nans[i], &x) && isnan(x));
  }
  CHECK(reads(" \t-2.5e1 \t", &x) && x == -25);
}

TEST(refuses_what_is_not_a_decimal_number) {
  /* clang-format off */
  static const char *const texts[] = {
      "", " ", "\t", "+", "-", ".", "-.", "e5", ".e5", "1e", "1e+", "1e-", "1E", "1e5.5", "1e5e5", "1.2.3", "1..2",
      "0x10", "0X1P3", "0x", "0x1.8p1", "1 2", "1, 2", "1,5", "1f", "1d5", "1_000", "'1", "--1", "+-1", "- 1", "1-",
      "nan(1)", "nanx", "na", "inf1", "infinit", "infinityy", "in", "1inf", "n", "1\n", "\n1", "1\r", "\v1", "\xd9\xa3",
      "1%", "one", "true", "1;", "\xa0 1", "123456789012345678901x", "0.123456789012345678901e"};
  /* clang-format on */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double x;
    if (!CHECK(!reads(texts[i], &x))) printf("#   '%s' was read\n", texts[i]);
  }
  static const char with_nul[] = {'1', 0, '2'};
  double x;
  CHECK(!scant_parse_real(with_nul, 2, &x) && !scant_parse_real(with_nul, 3, &x));
}

/* Nothing past the length is read: the buffers end there. */
TEST(keeps_to_the_length) {
  double x;
  CHECK(scant_parse_real("12345", 2, &x) && x == 12);
  CHECK(scant_parse_real("1e55", 3, &x) && x == 1e5);
  CHECK(!scant_parse_real("1e5", 2, &x));
  CHECK(scant_parse_real("infinity", 3, &x) && x == INFINITY);
  for (size_t length = 1; length <= 400; length++) {
    char *text = malloc(length);
    memset(text, '7', length);
    CHECK(scant_parse_real(text, length, &x) && x > 0);
    if (length > 2) text[length - 2] = 'e';
    CHECK(scant_parse_real(text, length, &x) && x > 0);
    free(text);
  }
}

/* Digits between the first and the last that is not 0. */
static int significant_digits(const char *text) {
  int count = 0, kept = 0;
  for (const char *c = text; *c && *c != 'e'; c++) {
    if (*c < '0' || *c > '9' || (*c == '0' && !count)) continue;
    count++;
    if (*c != '0') kept = count;
  }
  return kept;
}

/* The fewest digits that read back to the same bits, found the slow way. */
static int fewest_digits(double x) {
  char text[64];
  for (int digits = 1; digits < 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    if (bits_of(strtod(text, NULL)) == bits_of(x)) return digits;
  }
  return 17;
}

TEST(writes_what_reads_back_to_the_same_bits) {
  uint64_t seed = 4;
  int wrong = 0;
  for (int i = 0; i < 50000 && wrong < 10; i++) {
    uint64_t bits = random_bits(&seed);
    double x = i % 4 ? real_of_bits(bits) : (double)(int64_t)(bits >> (bits & 63)) / 1000, back = 0;
    if (isnan(x)) continue;
    char text[SCANT_NUMBER_LENGTH];
    int length = scant_format_real(text, sizeof text, x);
    int good = length == (int)strlen(text) && reads(text, &back) && bits_of(back) == bits_of(x);
    good = good && bits_of(strtod(text, NULL)) == bits_of(x);
    length = scant_format_shortest(text, sizeof text, x);
    good = good && length == (int)strlen(text) && reads(text, &back) && bits_of(back) == bits_of(x);
    if (isnormal(x)) good = good && significant_digits(text) <= fewest_digits(x);
    if (!good) printf("#   %.17g is written as '%s'\n", x, text);
    wrong += !good;
  }
  CHECK(wrong == 0);
}

TEST(writes_numbers_as_people_do) {
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0.2, "0.2"},
               {1, "1"},
               {-0.0, "-0"},
               {1e22, "1e+22"},
               {1e23, "1e+23"},
               {-1e-7, "-1e-07"},
               {0.1 + 0.2, "0.30000000000000004"},
               {DBL_MAX, "1.7976931348623157e+308"},
               {INFINITY, "inf"}};
  char text[SCANT_NUMBER_LENGTH];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scant_format_shortest(text, sizeof text, cases[i].x);
    if (!CHECK(strcmp(text, cases[i].text) == 0)) printf("#   '%s', not '%s'\n", text, cases[i].text);
  }
  scant_format_real(text, sizeof text, 0.2);
  CHECK(strcmp(text, "0.20000000000000001") == 0);
  scant_format_shortest(text, sizeof text, NAN);
  CHECK(strstr(text, "nan") != NULL);
}

/* A radius of 10 is shown, and kept in model files, as 10: not as 1e+01. */
TEST(writes_round_numbers_without_a_power) {
  static const double numbers[] = {10, 20, 100, 1000, 120, 255, 300000};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[SCANT_NUMBER_LENGTH], wanted[SCANT_NUMBER_LENGTH];
    scant_format_shortest(text, sizeof text, numbers[i]);
    snprintf(wanted, sizeof wanted, "%.0f", numbers[i]);
    if (!CHECK(strcmp(text, wanted) == 0)) printf("#   '%s', not '%s'\n", text, wanted);
  }
}

/* As snprintf: the length that it would have, whatever the room. */
TEST(says_how_much_room_it_needs) {
  static const double numbers[] = {1, 0.2, -1e-300, 123456.789, 1.0 / 3};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[SCANT_NUMBER_LENGTH], small[3];
    int length = scant_format_shortest(text, sizeof text, numbers[i]);
    CHECK(scant_format_shortest(NULL, 0, numbers[i]) == length);
    CHECK(scant_format_shortest(small, sizeof small, numbers[i]) == length);
    CHECK(strncmp(small, text, 2) == 0 && strlen(small) < sizeof small);
    length = scant_format_real(text, sizeof text, numbers[i]);
    CHECK(scant_format_real(NULL, 0, numbers[i]) == length);
  }
}

TEST(counts_have_64_bits_and_no_more) {
  /* clang-format off */
  static const char *const refused[] = {"", " ", "-1", "+1", "1.0", "1e3", "0x1", " 1", "1 ", "18446744073709551616",
                                        "18446744073709551620", "28446744073709551615", "184467440737095516150", "1a"};
  /* clang-format on */
  uint64_t n = 7;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    CHECK(!scant_parse_count(refused[i], strlen(refused[i]), &n));
    CHECK(n == 7);
  }
  CHECK(scant_parse_count("18446744073709551615", 20, &n) && n == UINT64_MAX);
  CHECK(scant_parse_count("18446744073709551609", 20, &n) && n == UINT64_MAX - 6);
  CHECK(scant_parse_count("00000000000000000000000018446744073709551615", 44, &n) && n == UINT64_MAX);
  CHECK(scant_parse_count("0", 1, &n) && n == 0);
  CHECK(scant_parse_count("123", 2, &n) && n == 12);
}

TEST(the_hash_notices_every_single_byte) {
  CHECK(scant_hash(SCANT_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
  CHECK(scant_hash(SCANT_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  CHECK(scant_hash(SCANT_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
  CHECK(scant_hash(scant_hash(SCANT_HASH_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
  unsigned char bytes[97];
  uint64_t seed = 5;
  int unnoticed = 0;
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(random_bits(&seed) & 255);
  uint64_t hash = scant_hash(SCANT_HASH_START, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++) {
    for (int change = 1; change < 256; change++) {
      bytes[i] ^= (unsigned char)change;
      unnoticed += scant_hash(SCANT_HASH_START, bytes, sizeof bytes) == hash;
      bytes[i] ^= (unsigned char)change;
    }
  }
  CHECK(unnoticed == 0);
}

/* ---- UTF-8 ---------------------------------------------------------------- */

/* The length of the character at the start [RFC 3629, section 4], or 0. */
static size_t character_length(const unsigned char *c, size_t length) {
  static const struct {
    unsigned char first, last, second_first, second_last, length;
  } forms[] = {{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
               {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
               {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (c[0] < forms[i].first || c[0] > forms[i].last || forms[i].length > length) continue;
    if (forms[i].length > 1 && (c[1] < forms[i].second_first || c[1] > forms[i].second_last)) return 0;
    for (size_t j = 2; j < forms[i].length; j++)
      if (c[j] < 0x80 || c[j] > 0xbf) return 0;
    return forms[i].length;
  }
  return 0;
}

static int is_utf8(const unsigned char *c, size_t length) {
  for (size_t step; length; c += step, length -= step)
    if (!(step = character_length(c, length))) return 0;
  return 1;
}

TEST(utf8_is_told_from_other_bytes) {
  uint64_t seed = 7;
  int wrong = 0;
  for (int i = 0; i < 300000; i++) {
    /* Often bytes that begin or go on with a character. */
    static const unsigned char likely[] = {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0,
                                           0xe1, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff, 0x00, 'a'};
    size_t length = random_below(&seed, 6);
    unsigned char *text = malloc(length + 1);
    for (size_t j = 0; j < length; j++) text[j] = likely[random_below(&seed, sizeof likely)];
    wrong += (scant_text_is_utf8((char *)text, length) != 0) != is_utf8(text, length);
    free(text);
  }
  CHECK(wrong == 0);
  for (unsigned lead = 0x80; lead < 0x100; lead++) { /* long runs of what only goes on */
    char run[32];
    memset(run, 0x80, sizeof run);
    run[0] = (char)lead;
    for (size_t length = 1; length <= sizeof run; length++)
      wrong += (scant_text_is_utf8(run, length) != 0) != is_utf8((unsigned char *)run, length);
  }
  CHECK(wrong == 0);
}

/* ---- in a locale that writes another decimal point --------------------------- */

static int enter_foreign_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",       "fr_FR.UTF-8",
                                      "fr_FR.utf8",  "fr_FR",       "es_ES.UTF-8", "it_IT.UTF-8",
                                      "nl_NL.UTF-8", "pl_PL.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8",
                                      "sv_SE.UTF-8", "cs_CZ.UTF-8", "ps_AF.UTF-8", "fa_IR.UTF-8"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ".") != 0) return 1;
  return 0;
}

TEST(the_locale_changes_nothing) {
  uint64_t seed = 6;
  static char number[5000], text[SCANT_NUMBER_LENGTH], there[SCANT_NUMBER_LENGTH];
  int wrong = 0;
  for (int i = 0; i < 20000; i++) {
    double here = 0, back = 0;
    random_number(number, i % 100 ? 14 : 600, &seed);
    setlocale(LC_ALL, "C");
    double wanted = strtod(number, NULL);
    scant_format_real(text, sizeof text, wanted);
    CHECK(enter_foreign_locale());
    wrong += !reads(number, &here) || bits_of(here) != bits_of(wanted);
    scant_format_real(there, sizeof there, wanted);
    wrong += strcmp(text, there) != 0;
    scant_format_shortest(there, sizeof there, wanted);
    wrong += !reads(there, &back) || bits_of(back) != bits_of(wanted);
  }
  double x;
  CHECK(wrong == 0);
  CHECK(!reads("1,5", &x));
  CHECK(!reads("12345678901234567890,5", &x));
  CHECK(!reads("1.234.567", &x));
  setlocale(LC_ALL, "C");
}

int main(void) {
  RUN(reads_random_strings_as_strtod_does);
  RUN(reads_random_bit_patterns_as_strtod_does);
  RUN(reads_numbers_of_up_to_19_digits_as_strtod_does);
  RUN(reads_halfway_points_as_strtod_does);
  RUN(reads_the_edges);
  RUN(reads_words_and_blanks);
  RUN(refuses_what_is_not_a_decimal_number);
  RUN(keeps_to_the_length);
  RUN(writes_what_reads_back_to_the_same_bits);
  RUN(writes_numbers_as_people_do);
  RUN(writes_round_numbers_without_a_power);
  RUN(says_how_much_room_it_needs);
  RUN(counts_have_64_bits_and_no_more);
  RUN(the_hash_notices_every_single_byte);
  RUN(utf8_is_told_from_other_bytes);
  if (enter_foreign_locale()) {
    setlocale(LC_ALL, "C");
    RUN(the_locale_changes_nothing);
  } else {
    skip("the_locale_changes_nothing", "no locale with another decimal point is installed");
  }
  return check_done();
}
