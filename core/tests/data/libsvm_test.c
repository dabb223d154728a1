/* LIBSVM: what is read, what is refused. */
#include "data/source.h"
#include "files.h"

static scant_settings settings;
static double x[16];
static scant_error error;

TEST(reads_rows_comments_and_blanks) {
  static const char *const texts[] = {
      "# made by hand\n+1 1:0.5 3:-2\n\n-1 2:1e1 # two\n0\n",
      "\xef\xbb\xbf+1 1:0.5\t3:-2  \r\n   \r\n-1   2:1e1#two\r\n#\r\n0",
  };
  for (size_t i = 0; i < 2; i++) {
    scant_source *source = file_open(file_text("a.libsvm", texts[i]), &settings, SCANT_TARGET_REQUIRED);
    CHECK(scant_source_rows(source) == 3 && scant_source_dimension(source) == 3);
    CHECK(!scant_source_name(source, 0) && !scant_source_target_name(source));
    CHECK(scant_source_target(source, 0) == 1 && scant_source_target(source, 1) == -1);
    CHECK(scant_source_target(source, 2) == 0);
    CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 0.5 && x[1] == 0 && x[2] == -2);
    CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 0 && x[1] == 10 && x[2] == 0);
    CHECK(scant_source_row(source, 2, x, &error) == SCANT_OK && x[0] == 0 && x[1] == 0 && x[2] == 0);
    uint32_t turned[] = {2, 0, 2, 1};
    CHECK(scant_source_read(source, 0, 4, turned, x, &error) == SCANT_OK);
    CHECK(x[0] == -2 && x[1] == 0.5 && x[2] == -2 && x[3] == 0);
    scant_source_free(source);
  }
}

TEST(counts_from_0_when_asked) {
  const char *path = file_text("z.svm", "1 0:4 2:5\n2 1:6\n");
  OPEN_FAILS(path, &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "z.svm, line 1", "index 0", "option index-base 0");
  scant_settings s = settings;
  s.reading.index_base = 0;
  scant_source *source = file_open(path, &s, SCANT_TARGET_OPTIONAL);
  CHECK(scant_source_dimension(source) == 3 && scant_source_has_target(source));
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 4 && x[1] == 0 && x[2] == 5);
  scant_source_free(source);
}

TEST(refuses_bad_structure) {
  static const struct {
    const char *text, *first, *second;
  } bad[] = {
      {"", "no examples", "b.svm"},
      {"# nothing\n\n", "no examples", "b.svm"},
      {"1\n2\n", "no attributes", "b.svm"},
      {"1 1:2\n1 3:1 2:1\n", "b.svm, line 2", "index 2 stands behind index 3"},
      {"1 1:2\n\n1 3:1 3:1\n", "b.svm, line 3", "must increase"},
      {"1 268435457:1\n", "b.svm, line 1", "larger than 268435456"},
      {"1 99999999999999999999999:1\n", "b.svm, line 1", "larger than 268435456"},
      {"1 1:1\n2 5\n", "b.svm, line 2", "'5' is not index:value"},
      {"1 1:1\n2 5:\n", "b.svm, line 2", "index 5 has no value"},
      {"1 1:1 2 :3\n", "b.svm, line 1", "'2' is not index:value"},
      {"1 -1:1\n", "b.svm, line 1", "'-1:1' is not index:value"},
      {"1 x:1\n", "b.svm, line 1", "'x:1' is not index:value"},
      {"1 :1\n", "b.svm, line 1", "':1' is not index:value"},
      {"1 qid:3 1:1\n", "b.svm, line 1", "ranking"},
      {"1 1:1\n1:2 2:3\n", "b.svm, line 2", "where the label should be"},
      {"1 1:1\ngood 2:3\n", "b.svm, line 2, label", "'good' is not a number"},
      {"1 1:1\nnan 2:3\n", "b.svm, line 2, label", "'nan' is not a finite number"},
      {"1,2 1:1\n", "b.svm, line 1, label", "'1,2' is not a number"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    OPEN_FAILS(file_text("b.svm", bad[i].text), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, bad[i].first,
               bad[i].second);
}

TEST(converts_values_only_when_read) {
  const char *path = file_text("l.svm", "1 1:1 2:no 4:3\n\n2 1:inf 3:1::\n");
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  uint32_t fine[] = {3, 0, 2};
  CHECK(scant_source_read(source, 0, 3, fine, x, &error) == SCANT_OK && x[0] == 3 && x[1] == 1 && x[2] == 0);
  ROW_FAILS(source, 0, "l.svm, line 1, index 2: 'no' is not a number");
  CHECK(scant_source_read(source, 1, 1, fine + 1, x, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "l.svm, line 3, index 1: infinity can't be learned from");
  CHECK(scant_source_read(source, 1, 1, fine + 2, x, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "l.svm, line 3, index 3: '1::' is not a number");
  scant_source_free(source);
}

TEST(reads_long_rows_in_any_order) {
  enum { D = 5000 };
  static char text[D * 16];
  static double values[D];
  static uint32_t attributes[D];
  char *t = text + sprintf(text, "1");
  for (int j = 0; j < D; j += 2) t += sprintf(t, " %d:%d", j + 1, j * 3 + 1);
  sprintf(t, " %d:7\n", D + 1);
  scant_source *source = file_open(file_text("w.svm", text), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_dimension(source) == D + 1);
  for (uint32_t i = 0; i < D; i++) attributes[i] = i * 1237 % D; /* a permutation: 1237 is prime to D */
  CHECK(scant_source_read(source, 0, D, attributes, values, &error) == SCANT_OK);
  int good = 1;
  for (uint32_t i = 0; i < D; i++) good = good && values[i] == (attributes[i] % 2 ? 0 : attributes[i] * 3.0 + 1);
  CHECK(good);
  scant_source_free(source);
}

TEST(keeps_two_classes_and_the_largest_index) {
  const char *path = file_text("c.svm", "3 1:1\n1 268435456:5\n3.0 2:2\n2 1:1\n");
  scant_settings s = settings;
  s.reading.classes = "3,1";
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_rows(source) == 3 && scant_source_dimension(source) == 268435456u);
  uint32_t attributes[] = {268435455u, 1};
  CHECK(scant_source_target(source, 0) == -1 && scant_source_target(source, 1) == 1);
  CHECK(scant_source_read(source, 1, 2, attributes, x, &error) == SCANT_OK && x[0] == 5 && x[1] == 0);
  CHECK(scant_source_read(source, 2, 2, attributes, x, &error) == SCANT_OK && x[0] == 0 && x[1] == 2);
  scant_source_free(source);
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(reads_rows_comments_and_blanks);
  RUN(counts_from_0_when_asked);
  RUN(refuses_bad_structure);
  RUN(converts_values_only_when_read);
  RUN(reads_long_rows_in_any_order);
  RUN(keeps_two_classes_and_the_largest_index);
  files_end();
  return check_done();
}
