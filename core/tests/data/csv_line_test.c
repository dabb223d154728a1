/* CSV without quotes against simple loops, and against the same tables with
 * quotes, which are cut field by field. */
#include "data/file/csv_text.h"
#include "data/source.h"
#include "files.h"

#include <stdint.h>

enum { TRIALS = 4000, ROOM = 1 << 16, MOST_FIELDS = 400, SOME = 24 };

static uint64_t state = 1;
static scant_settings settings;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* ---- the pieces ------------------------------------------------------------- */

TEST(counts_and_skips_as_a_simple_loop) {
  static char text[3000];
  static const char likely[] = ",\xac\x2d\x2b\x0c\x6c\0\x80\"\r1";
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t length = draw(draw(2) ? 200 : sizeof text - 1), begin = draw(70);
    uint32_t plain = 1 + draw(20);
    if (begin > length) begin = length;
    for (size_t i = 0; i < length; i++) text[i] = draw(plain) ? '7' : likely[draw(sizeof likely - 1)];
    if (draw(2) && length) text[length - 1] = '\n';
    size_t commas = 0, quotes = 0, stop = begin;
    for (; stop < length && text[stop] != '\n'; stop++) {
      commas += text[stop] == ',';
      quotes += text[stop] == '"';
    }
    scant_csv_text whole;
    scant_csv_line line;
    CHECK(scant_csv_text_open(&whole, text, length));
    scant_csv_survey(&whole, text + begin, text + length, &line);
    CHECK(line.end == text + stop && line.commas == commas);
    CHECK(!line.quotes == !quotes);
    size_t wanted = draw((uint32_t)commas + 3), met = 0, at = begin;
    while (at < stop && met < wanted) met += text[at++] == ',';
    CHECK(scant_csv_skip(text + begin, line.end, wanted) == (met == wanted ? text + at : NULL));
    scant_csv_walk walk = scant_csv_walk_begin(&whole, text + begin, line.end);
    scant_csv_field field;
    for (size_t step = 0; step <= wanted && step <= commas; step += 1 + draw(draw(2) ? 2 : 200)) {
      for (at = begin, met = 0; met < step;) met += text[at++] == ',';
      scant_csv_walk_announce(&walk, step);
      CHECK(scant_csv_walk_to(&walk, step, &field) && field.text == text + at);
      size_t end = at;
      while (end < stop && text[end] != ',') end++;
      int returned = end == stop && end > at && text[end - 1] == '\r';
      CHECK(field.length == end - at - (size_t)returned);
    }
    CHECK(!scant_csv_walk_to(&walk, commas + 1, &field));
    scant_csv_text_close(&whole);
  }
}

/* ---- the same table with and without quotes ---------------------------------- */

typedef struct text {
  char bytes[ROOM];
  size_t length;
} text;

static text plain, quoted;

static void add(text *t, const char *piece) {
  size_t length = strlen(piece);
  memcpy(t->bytes + t->length, piece, length);
  t->length += length;
}

static void add_both(const char *piece) {
  add(&plain, piece);
  add(&quoted, piece);
}

/* Fields that say something, among numbers. */
static const char *draw_field(uint32_t odd) {
  static const char *const strange[] = {"",
                                        "",
                                        " ",
                                        "\t ",
                                        "nan",
                                        "NaN",
                                        "x",
                                        "1 2",
                                        "inf",
                                        "-",
                                        "?",
                                        "+7",
                                        " 8 ",
                                        "1\r2",
                                        ".5",
                                        "1e-3",
                                        "-0.125678901234567890"};
  static char number[16];
  if (!draw(odd)) return strange[draw(sizeof strange / sizeof *strange)];
  snprintf(number, sizeof number, draw(3) ? "%u" : "-0.%06u", draw(1000000));
  return number;
}

/* A table of either kind: in `quoted` one field of every row has quotes around it. */
static void make_table(void) {
  size_t fields = 1 + draw(draw(3) ? 8 : MOST_FIELDS), rows = draw(12);
  uint32_t odd = draw(2) ? 2 + draw(10) : 1000000;
  int returns = (int)draw(2);
  plain.length = quoted.length = 0;
  for (size_t row = 0; row <= rows && plain.length < ROOM - 16 * MOST_FIELDS - 64; row++) {
    size_t here = row && !draw(40) ? fields + draw(3) - (fields > 1) : fields, mark = draw((uint32_t)here);
    for (size_t i = 0; i < here; i++) {
      char name[16];
      snprintf(name, sizeof name, "c%zu", i);
      if (i) add_both(",");
      if (i == mark) add(&quoted, "\"");
      add_both(row ? draw_field(i + 1 == here ? odd * 4 : odd) : name);
      if (i == mark) add(&quoted, "\"");
    }
    if (row < rows || draw(2)) add_both(returns ? "\r\n" : "\n");
  }
  if (!draw(30) && plain.length) { /* the last byte, so that it is the same one */
    plain.bytes[plain.length - 1] = 0;
    quoted.bytes[quoted.length - 1] = 0;
  }
}

static int same_number(double a, double b) {
  return isnan(a) ? isnan(b) : a == b;
}

/* Are the sentences the same but for the file's name? */
static int same_sentence(const char *about_plain, scant_error *about_quoted) {
  char *name = strstr(about_quoted->text, "quote.csv");
  if (name) memcpy(name, "plain", 5);
  if (strcmp(about_plain, about_quoted->text) == 0) return 1;
  printf("#   %s\n#   %s\n", about_plain, about_quoted->text);
  return 0;
}

static void read_both(scant_source *a, scant_source *b) {
  static double x[MOST_FIELDS + 8], z[MOST_FIELDS + 8];
  scant_error one, other;
  for (size_t row = 0; row < scant_source_rows(a); row++) {
    uint32_t attributes[SOME], count = draw(SOME + 1);
    CHECK(same_number(scant_source_target(a, row), scant_source_target(b, row)));
    for (uint32_t i = 0; i < count; i++) attributes[i] = draw((uint32_t)scant_source_dimension(a));
    one.text[0] = other.text[0] = 0;
    scant_status status = scant_source_read(a, row, count, attributes, x, &one);
    CHECK(scant_source_read(b, row, count, attributes, z, &other) == status);
    CHECK(same_sentence(one.text, &other));
    for (uint32_t i = 0; !status && i < count; i++) CHECK(same_number(x[i], z[i]));
    status = scant_source_row(a, row, x, &one);
    CHECK(scant_source_row(b, row, z, &other) == status && same_sentence(one.text, &other));
    for (size_t i = 0; !status && i < scant_source_dimension(a); i++) CHECK(same_number(x[i], z[i]));
  }
  for (uint32_t i = 0; i < scant_source_dimension(a); i++) {
    int valued = 0; /* what can't be read is a value too, one that will be refused */
    for (size_t row = 0; row < scant_source_rows(a); row++)
      valued |= scant_source_read(a, row, 1, &i, x, NULL) != SCANT_OK || !isnan(x[0]);
    CHECK(a->valued[i] == valued && b->valued[i] == valued);
  }
  scant_status status = scant_source_check_columns(a, &one);
  CHECK(scant_source_check_columns(b, &other) == status);
  CHECK(!status || same_sentence(one.text, &other));
  uint64_t digest, wanted;
  CHECK(scant_source_digest(a, &wanted, NULL) == SCANT_OK && scant_source_digest(b, &digest, NULL) == SCANT_OK);
  CHECK(digest == wanted);
}

/* Both files are mapped, so that they have to be two; names of one length. */
static scant_status open_text(scant_source **source, const char *name, const text *t, scant_error *error) {
  error->text[0] = 0;
  *source = NULL;
  scant_target_need need =
      settings.reading.target && settings.reading.target[0] == 'q' ? SCANT_TARGET_OPTIONAL : SCANT_TARGET_REQUIRED;
  return scant_source_open(source, file_write(name, t->bytes, t->length), &settings, need, error);
}

TEST(quotes_change_nothing) {
  static const char *const targets[] = {NULL, NULL, "1", "2", "c3", "q"};
  unsigned opened = 0, refused = 0;
  size_t resident = scant_bytes_resident;
  for (int trial = 0; trial < TRIALS; trial++) {
    scant_source *a, *b;
    scant_error one, other;
    make_table();
    settings.reading.target = targets[draw(sizeof targets / sizeof *targets)];
    scant_bytes_resident = trial % 2 ? resident : 0;
    scant_status status = open_text(&a, "plain.csv", &plain, &one);
    CHECK(open_text(&b, "quote.csv", &quoted, &other) == status);
    CHECK(same_sentence(one.text, &other));
    CHECK(!a == !b);
    if (a && b) read_both(a, b);
    opened += a != NULL;
    refused += a == NULL;
    scant_source_free(a);
    scant_source_free(b);
  }
  settings.reading.target = NULL;
  scant_bytes_resident = resident;
  printf("# %u opened, %u refused\n", opened, refused);
  CHECK(opened > TRIALS / 4 && refused > TRIALS / 10);
}

/* A NUL byte is told of first, wherever it is and whatever else is wrong. */
TEST(a_nul_byte_goes_first) {
  static const char good[] = "a,b,y\n1,\"2\",3\n4,5,6\n \n";
  char bytes[sizeof good + 8];
  for (size_t at = 0; at < sizeof good; at++)
    for (int wrong = 0; wrong < 2; wrong++) {
      size_t length = sizeof good - 1, line = 1;
      memcpy(bytes, good, at);
      bytes[at] = 0;
      memcpy(bytes + at + 1, good + at, length - at);
      length++;
      for (size_t i = 0; i < at; i++) line += bytes[i] == '\n';
      if (wrong) bytes[1] = bytes[1] ? '"' : 0; /* a stray quote in the header */
      char said[32];
      snprintf(said, sizeof said, "line %zu: a NUL byte", line);
      OPEN_FAILS(file_write("n.csv", bytes, length), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, said);
    }
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(counts_and_skips_as_a_simple_loop);
  RUN(quotes_change_nothing);
  RUN(a_nul_byte_goes_first);
  files_end();
  return check_done();
}
