/* Cells that no spreadsheet runs, and back: all short texts of what matters. */
#include "data/file/csv_text.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "scant.h"

static int begins_a_formula(const char *text) {
  return text[0] && strchr("=+-@\t\r\n", text[0]) != NULL;
}

/* By another way than the code's: strtod takes all of it, and there is a digit. */
static int is_number(const char *text) {
  char *end;
  strtod(text, &end);
  return *text && !*end && strpbrk(text, "0123456789") && !strpbrk(text, "xXnN\t\r\n ");
}

/* What is read of a cell: without its quotes. */
static void read_cell(const char *cell, char *text) {
  const char *cursor = cell;
  scant_csv_field field;
  CHECK(scant_csv_cut(&cursor, cell + strlen(cell), &field) == SCANT_CSV_LINE_END);
  text[scant_csv_unquote(&field, text)] = 0;
}

static long texts, numbers, guarded;

static void check_text(const char *text) {
  char cell[40], seen[40];
  for (int quoted = 0; quoted < 2; quoted++) {
    size_t length = scant_csv_cell(cell, sizeof cell, text, quoted);
    CHECK(length == strlen(cell) && length == scant_csv_cell(NULL, 0, text, quoted));
    read_cell(cell, seen); /* what a spreadsheet sees */
    CHECK(!begins_a_formula(seen) || is_number(seen));
    if (is_number(text)) CHECK(strcmp(seen, text) == 0);
    if (!CHECK(strcmp(scant_csv_unguard(seen), text) == 0)) printf("#   '%s' came back from '%s'\n", text, cell);
    guarded += strcmp(seen, text) != 0;
  }
  texts++;
  numbers += is_number(text);
}

/* Every text of up to five of these characters, and back again. */
TEST(every_short_text) {
  static const char letters[] = "=+-@\t\r\n'\",1.ea";
  size_t base = sizeof letters - 1, most = 5;
  size_t digits[5] = {0};
  char text[6];
  for (size_t length = 0; length <= most; length++) {
    memset(digits, 0, sizeof digits);
    for (int more = 1; more;) {
      for (size_t i = 0; i < length; i++) text[i] = letters[digits[i]];
      text[length] = 0;
      check_text(text);
      if (check_failures > 10) return;
      more = 0;
      for (size_t i = 0; i < length && !more; i++) {
        digits[i] = (digits[i] + 1) % base;
        more = digits[i] != 0;
      }
    }
  }
  printf("# %ld texts, %ld of them numbers, %ld guarded\n", texts, numbers, guarded);
  CHECK(texts > 300000 && numbers > 50 && guarded > 1000);
}

TEST(some_cells) {
  static const struct {
    const char *text, *cell;
  } some[] = {{"=1+1", "'=1+1"},
              {"-3.5", "-3.5"},
              {"+5e-3", "+5e-3"},
              {"-", "'-"},
              {"@SUM(A1)", "'@SUM(A1)"},
              {"'=1", "''=1"},
              {"'tis", "'tis"},
              {"-inf", "'-inf"},
              {"P-001", "P-001"},
              {"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
              {"\t=1", "'\t=1"},
              {"-3.5 mg", "'-3.5 mg"},
              {"", ""},
              {"'-3.5", "'-3.5"}};
  char cell[40];
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    scant_csv_cell(cell, sizeof cell, some[i].text, 0);
    if (!CHECK(strcmp(cell, some[i].cell) == 0)) printf("#   %s, not %s\n", cell, some[i].cell);
  }
  CHECK(scant_csv_cell(cell, 4, "=1+1", 0) == 5 && strcmp(cell, "'=1") == 0); /* cut as snprintf cuts */
}

int main(void) {
  RUN(every_short_text);
  RUN(some_cells);
  return check_done();
}
