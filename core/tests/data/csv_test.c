/* CSV: what is read, what is refused, and agreement with a second splitter. */
#include "data/source.h"
#include "files.h"

#include <stdint.h>

static scant_settings settings;
static double x[16];
static scant_error error;

TEST(reads_a_header_and_numbers) {
  const char *path = file_text("a.csv", "age,TSH,y\n1,2.5,-3\n4,5e2,6\n");
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 2);
  CHECK(scant_source_dimension(source) == 2);
  CHECK(scant_source_has_target(source));
  CHECK(strcmp(scant_source_name(source, 0), "age") == 0);
  CHECK(strcmp(scant_source_name(source, 1), "TSH") == 0);
  CHECK(scant_source_name(source, 2) == NULL);
  CHECK(strcmp(scant_source_target_name(source), "y") == 0);
  CHECK(scant_source_target(source, 0) == -3 && scant_source_target(source, 1) == 6);
  CHECK(isnan(scant_source_target(source, 2)));
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK);
  CHECK(x[0] == 4 && x[1] == 500);
  uint32_t turned[] = {1, 0, 1};
  CHECK(scant_source_read(source, 0, 3, turned, x, &error) == SCANT_OK);
  CHECK(x[0] == 2.5 && x[1] == 1 && x[2] == 2.5);
  CHECK(scant_source_read(source, 2, 1, turned, x, &error) == SCANT_MISUSE);
  turned[0] = 2;
  CHECK(scant_source_read(source, 0, 1, turned, x, &error) == SCANT_MISUSE);
  scant_source_free(source);
}

TEST(reads_quotes_marks_and_line_ends) {
  static const char *const texts[] = {
      "\"a,\"\"1\"\"\",b,y\n1,\"2\",3\n4,5,6\n",           /* quotes */
      "\xef\xbb\xbf\"a,\"\"1\"\"\",b,y\r\n1,2,3\r\n4,5,6", /* byte order mark, CRLF, no last line end */
      "\"a,\"\"1\"\"\",\"b\",\"y\"\r\n1,\"2\",\"3\"\r\n\"4\",\"5\",\"6\"\r",
      "\"a,\"\"1\"\"\",b,y\n 1 ,\t2,3 \n4,5,6\n\n\r\n  \n", /* blanks around numbers, blank lines at the end */
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    scant_source *source = file_open(file_text("q.csv", texts[i]), &settings, SCANT_TARGET_REQUIRED);
    CHECK(scant_source_rows(source) == 2);
    CHECK(strcmp(scant_source_name(source, 0), "a,\"1\"") == 0);
    CHECK(strcmp(scant_source_target_name(source), "y") == 0);
    CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 1 && x[1] == 2);
    CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 4 && x[1] == 5);
    CHECK(scant_source_target(source, 0) == 3 && scant_source_target(source, 1) == 6);
    scant_source_free(source);
  }
}

TEST(finds_the_target) {
  const char *path = file_text("t.csv", "a,2,c\n1,20,3\n4,50,6\n");
  scant_settings s = settings;
  s.reading.target = "a";
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 1) == 4 && strcmp(scant_source_name(source, 0), "2") == 0);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 50 && x[1] == 6);
  scant_source_free(source);
  s.reading.target = "2"; /* a name goes before a number */
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 1) == 50 && strcmp(scant_source_name(source, 1), "c") == 0);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 4 && x[1] == 6);
  scant_source_free(source);
  s.reading.target = "1";
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 1) == 4 && strcmp(scant_source_target_name(source), "a") == 0);
  scant_source_free(source);
  static const char *const absent[] = {"b", "0", "4", "-1", ""};
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    s.reading.target = absent[i];
    OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "t.csv", "no column", absent[i]);
    source = file_open(path, &s, SCANT_TARGET_OPTIONAL);
    CHECK(!scant_source_has_target(source) && scant_source_dimension(source) == 3);
    CHECK(isnan(scant_source_target(source, 0)) && !scant_source_target_name(source));
    scant_source_free(source);
  }
  source = file_open(path, &settings, SCANT_TARGET_OPTIONAL);
  CHECK(!scant_source_has_target(source) && scant_source_dimension(source) == 3);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[2] == 3);
  scant_source_free(source);
}

TEST(does_without_a_header) {
  const char *path = file_text("n.csv", "1,2,3\n4,5,6\n");
  OPEN_FAILS(path, &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "n.csv", "option header yes", "option header no");
  scant_settings s = settings;
  s.reading.header = SCANT_HEADER_NO;
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 2 && scant_source_dimension(source) == 2);
  CHECK(!scant_source_name(source, 0) && !strcmp(scant_source_target_name(source), "3"));
  CHECK(scant_source_target(source, 0) == 3);
  scant_source_free(source);
  s.reading.target = "2";
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_target(source, 0) == 2);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 1 && x[1] == 3);
  scant_source_free(source);
  s.reading.target = NULL;
  s.reading.header = SCANT_HEADER_YES;
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 1 && strcmp(scant_source_name(source, 1), "2") == 0);
  scant_source_free(source);
  s.reading.header = SCANT_HEADER_NO;
  OPEN_FAILS(file_text("n.csv", "1,2,3\n4,5\n"), &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "line 2", "2 fields", "has 3");
  source = file_open(file_text("n.csv", "1,x,3\n"), &s, SCANT_TARGET_REQUIRED);
  ROW_FAILS(source, 0, "n.csv, line 1, column 2", "'x' is not a number");
  scant_source_free(source);
}

TEST(refuses_bad_structure) {
  static const struct {
    const char *text, *first, *second, *third;
  } bad[] = {
      {"", "b.csv", "empty", ""},
      {"\xef\xbb\xbf", "b.csv", "empty", ""},
      {" \n\r\n\t", "b.csv", "empty", ""},
      {"a,b\n", "b.csv", "no rows", ""},
      {"a,b\n\n\n", "b.csv", "no rows", ""},
      {"a\n1\n", "b.csv", "only one column", "attribute"},
      {"a,b,a\n1,2,3\n", "b.csv", "column 1 and column 3", "'a'"},
      {"a,,\n1,2,3\n", "b.csv", "column 2 and column 3", "''"},
      {"a,b\n1,2\n1\n", "b.csv, line 3", "1 field,", "header has 2"},
      {"a,b\n1,2,3\n", "b.csv, line 2", "3 fields", "header has 2"},
      {"a,b\n1,2\n\n3,4\n", "b.csv, line 3", "1 field,", "has 2"},
      {"\"a\nb\",c\n\"1\n\",2\n1,2,3\n", "b.csv, line 5", "3 fields", "has 2"},
      {"a,b\n1,2\n1,\"2\n3,4\n", "b.csv, line 3", "never closed", ""},
      {"\"a,b\n1,2\n", "b.csv, line 1", "never closed", ""},
      {"a,b\n1,\"2\"3\n", "b.csv, line 2", "behind the closing quote", ""},
      {"a,b\n1,\"2\" \n", "b.csv, line 2", "behind the closing quote", ""},
      {"a,b\n1,2\n1,2\"\n", "b.csv, line 3", "quote inside a field", ""},
      {"a,b\n1,\n", "b.csv, line 2, column 'b'", "empty", ""},
      {"a,b\n1,2\n3,no\n", "b.csv, line 3, column 'b'", "'no' is not a number", ""},
      {"a,b\n1,NaN\n", "b.csv, line 2, column 'b'", "'NaN' is not a finite number", ""},
      {"a,b\n1,-inf\n", "b.csv, line 2, column 'b'", "'-inf'", ""},
      {"a,b\n1,1e999\n", "b.csv, line 2, column 'b'", "'1e999'", ""},
      {"a,b\n1,0x10\n", "b.csv, line 2, column 'b'", "'0x10' is not a number", ""},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    OPEN_FAILS(file_text("b.csv", bad[i].text), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, bad[i].first,
               bad[i].second, bad[i].third);
  OPEN_FAILS(file_write("b.csv", "a,b\n1,2\n1\0,2\n", 14), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA,
             "b.csv, line 3", "NUL");
}

TEST(converts_attributes_only_when_read) {
  const char *path = file_text("l.csv", "a,b,c,y\n1,,no,1\n\"x\ny\",2,nan,1\n1,-inf,\"a\"\"b\",2\n");
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  uint32_t a = 0, b = 1, c = 2;
  CHECK(scant_source_read(source, 0, 1, &a, x, &error) == SCANT_OK && x[0] == 1);
  CHECK(scant_source_read(source, 0, 1, &b, x, &error) == SCANT_OK && isnan(x[0]));
  CHECK(scant_source_read(source, 0, 1, &c, x, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "l.csv, line 2, column 'c': 'no' is not a number");
  CHECK(scant_source_read(source, 1, 1, &a, x, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "l.csv, line 3, column 'a': 'x?y' is not a number");
  CHECK(scant_source_read(source, 1, 1, &b, x, &error) == SCANT_OK && x[0] == 2);
  CHECK(scant_source_read(source, 1, 1, &c, x, &error) == SCANT_OK && isnan(x[0]));
  CHECK(scant_source_read(source, 2, 1, &b, x, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "l.csv, line 5, column 'b': minus infinity can't");
  CHECK(scant_source_read(source, 2, 1, &c, x, NULL) == SCANT_DATA);
  scant_source_free(source);
}

TEST(one_column_may_be_blank) {
  scant_source *source = file_open(file_text("o.csv", "a\n1\n\n3\n\n"), &settings, SCANT_TARGET_OPTIONAL);
  CHECK(scant_source_rows(source) == 3);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && isnan(x[0]));
  CHECK(scant_source_row(source, 2, x, &error) == SCANT_OK && x[0] == 3);
  scant_source_free(source);
}

TEST(keeps_the_rows_of_two_classes) {
  const char *path = file_text("c.csv", "a,y\n1,no\n2,maybe\n3,\"yes\"\n4,\n5,no \n6,\"say \"\"x\"\"\"\n");
  scant_settings s = settings;
  s.reading.classes = " no , yes";
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 3);
  static const double a[] = {1, 3, 5}, y[] = {-1, 1, -1};
  for (size_t i = 0; i < 3; i++) {
    CHECK(scant_source_row(source, i, x, &error) == SCANT_OK && x[0] == a[i]);
    CHECK(scant_source_target(source, i) == y[i]);
  }
  scant_source_free(source);
  s.reading.classes = "say \"x\",maybe";
  source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 2 && scant_source_target(source, 1) == -1);
  scant_source_free(source);
  s.reading.classes = "no,never";
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "c.csv", "class 'never'");
  s.reading.classes = "never,no";
  OPEN_FAILS(path, &s, SCANT_TARGET_REQUIRED, SCANT_DATA, "c.csv", "class 'never'");
}

/* ---- agreement with a second splitter -------------------------------------- */

static uint64_t state;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

enum { MOST_ROWS = 20, MOST_FIELDS = 6, TEXT = 1 << 14 };
static char cells[MOST_ROWS][MOST_FIELDS][64];
static size_t lines[MOST_ROWS];

/* Splits the text by a table of states, one character at a time; returns the
 * number of rows.  Knows nothing of numbers or headers. */
static size_t split(const char *text) {
  size_t row = 0, field = 0, n = 0, line = 1;
  int quoted = 0;
  lines[0] = 1;
  for (const char *c = text; *c; c++) {
    if (*c == '\n') line++;
    if (*c == '"' && quoted && c[1] == '"') {
      cells[row][field][n++] = *c++;
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && (*c == ',' || *c == '\n')) {
      cells[row][field++][n] = 0;
      n = 0;
      if (*c == ',') continue;
      field = 0;
      lines[++row] = line;
    } else if (quoted || *c != '\r') {
      cells[row][field][n++] = *c;
    }
  }
  return row;
}

/* A random file; what is in quotes, and how lines end, is random too. */
static void generate(char *text, size_t rows, size_t fields) {
  static const char *const pieces[] = {",", "\"\"", "\n", "\r\n", "x", "7", " ", ".", "-"};
  const char *line_end = draw(2) ? "\n" : "\r\n";
  char *t = text;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < fields; j++) {
      int last = j + 1 == fields;
      if (i && (last || draw(3))) { /* a number */
        t += sprintf(t, draw(2) ? "\"%d.%u\"" : "%d.%u", (int)draw(200) - 100, draw(1000));
      } else {
        t += sprintf(t, i ? "\"" : "\"n%zu", j); /* names differ */
        for (uint32_t n = draw(6); n; n--) t += sprintf(t, "%s", pieces[draw(9)]);
        t += sprintf(t, "\"");
      }
      t += sprintf(t, "%s", last ? line_end : ",");
    }
}

static void compare(scant_source *source, size_t rows, size_t fields) {
  CHECK(scant_source_rows(source) == rows - 1 && scant_source_dimension(source) == fields - 1);
  for (size_t j = 0; j + 1 < fields; j++) CHECK(strcmp(scant_source_name(source, j), cells[0][j]) == 0);
  CHECK(strcmp(scant_source_target_name(source), cells[0][fields - 1]) == 0);
  for (size_t i = 1; i < rows; i++) {
    CHECK(scant_source_target(source, i - 1) == strtod(cells[i][fields - 1], NULL));
    for (size_t j = 0; j + 1 < fields; j++) {
      uint32_t attribute = (uint32_t)j;
      char *end, place[64];
      double value = strtod(cells[i][j], &end);
      int number = end != cells[i][j] && !*end && !strpbrk(cells[i][j], "\n\r");
      scant_status status = scant_source_read(source, i - 1, 1, &attribute, x, &error);
      if (!cells[i][j][strspn(cells[i][j], " ")]) { /* empty: missing */
        CHECK(status == SCANT_OK && isnan(x[0]));
      } else if (status == SCANT_OK) {
        /* strtod takes no blanks at the end; the reader does */
        CHECK(strtod(cells[i][j], &end) == x[0] && end != cells[i][j] && end[strspn(end, " ")] == 0);
      } else {
        CHECK(status == SCANT_DATA && !number && isfinite(value));
        snprintf(place, sizeof place, "line %zu, column 'n%zu", lines[i], j);
        CHECK_SAYS(error.text, place);
      }
    }
  }
}

TEST(agrees_with_a_second_splitter) {
  static char text[TEXT];
  state = 20240611;
  for (int trial = 0; trial < 400; trial++) {
    size_t rows = 2 + draw(MOST_ROWS - 3), fields = 2 + draw(MOST_FIELDS - 1);
    generate(text, rows, fields);
    CHECK(split(text) == rows);
    scant_source *source = file_open(file_text("r.csv", text), &settings, SCANT_TARGET_REQUIRED);
    if (!source) break;
    compare(source, rows, fields);
    scant_source_free(source);
  }
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(reads_a_header_and_numbers);
  RUN(reads_quotes_marks_and_line_ends);
  RUN(finds_the_target);
  RUN(does_without_a_header);
  RUN(refuses_bad_structure);
  RUN(converts_attributes_only_when_read);
  RUN(one_column_may_be_blank);
  RUN(keeps_the_rows_of_two_classes);
  RUN(agrees_with_a_second_splitter);
  files_end();
  return check_done();
}
