/* What is the same for all sources: files, formats, classes, binding, digest;
 * and tables in memory and functions as sources. */
#include "data/source.h"
#include "files.h"

#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

static scant_settings settings;
static double x[16];
static scant_error error;

/* ---- files ------------------------------------------------------------------ */

TEST(says_what_is_wrong_with_a_file) {
  OPEN_FAILS(file_path("none.csv"), &settings, SCANT_TARGET_REQUIRED, SCANT_NO_INPUT, "there is no file '", "none.csv");
  file_text("file.csv", "a,b\n1,2\n");
  OPEN_FAILS(file_path("file.csv/under.csv"), &settings, SCANT_TARGET_REQUIRED, SCANT_NO_INPUT, "under.csv");
  scant_settings s = settings;
  s.reading.format = SCANT_FORMAT_CSV;
  OPEN_FAILS(files_directory, &s, SCANT_TARGET_REQUIRED, SCANT_IO, "is a directory");
  /* A long path must not push the line out of the sentence. */
  file_text("long.csv", "a,b\n1,2\n1\n");
  char path[700];
  for (size_t i = 0; i < 600; i += 2) memcpy(path + i, "./", 2);
  strcpy(path + 600, "long.csv");
  char back[1024];
  CHECK(getcwd(back, sizeof back) != NULL && chdir(files_directory) == 0);
  OPEN_FAILS(path, &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "long.csv, line 3", "1 field,", "has 2");
  CHECK(chdir(back) == 0);
}

/* Root may read everything, and so becomes nobody. */
TEST(says_that_a_file_may_not_be_read) {
  const char *closed = file_text("closed.csv", "a,b\n1,2\n");
  int status;
  CHECK(chmod(closed, 0) == 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(9);
    OPEN_FAILS(closed, &settings, SCANT_TARGET_REQUIRED, SCANT_IO, "closed.csv", "permission denied");
    fflush(stdout);
    _exit(check_failures != 0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  if (WEXITSTATUS(status) == 9)
    SKIP("root can't become nobody here");
  else
    CHECK(WEXITSTATUS(status) == 0);
}

TEST(reads_a_pipe) {
  const char *path = file_path("pipe.csv");
  CHECK(mkfifo(path, 0600) == 0);
  fflush(stdout);
  pid_t writer = fork();
  if (writer == 0) {
    FILE *pipe = fopen(path, "w");
    if (!pipe) _exit(1);
    fprintf(pipe, "a,y\n");
    for (int i = 0; i < 50000; i++) fprintf(pipe, "%d,%d\n", i, -i);
    _exit(fclose(pipe) != 0);
  }
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  int status;
  CHECK(waitpid(writer, &status, 0) == writer && status == 0);
  CHECK(scant_source_rows(source) == 50000 && scant_source_target(source, 49999) == -49999);
  CHECK(scant_source_row(source, 40000, x, &error) == SCANT_OK && x[0] == 40000);
  scant_source_free(source);
}

#ifdef SCANT_HAVE_ZLIB
TEST(inflates_gzip) {
  static char text[60000];
  static unsigned char bytes[1 << 16];
  char *t = text + sprintf(text, "a,y\n");
  for (int i = 0; i < 4000; i++) t += sprintf(t, "%d,%d\n", i, -i);
  size_t length = (size_t)(t - text);
  size_t n = file_deflate(bytes, 0, sizeof bytes, text, 20000);
  n = file_deflate(bytes, n, sizeof bytes, text + 20000, length - 20000); /* a second member */
  n = file_deflate(bytes, n, sizeof bytes, text, 0);                      /* an empty one */
  for (int padded = 0; padded < 2; padded++) {
    memset(bytes + n, 0, 512);
    const char *path = file_write("g.csv.gz", bytes, n + (padded ? 512 : 0));
    scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
    CHECK(scant_source_rows(source) == 4000 && scant_source_target(source, 3999) == -3999);
    CHECK(scant_source_row(source, 2500, x, &error) == SCANT_OK && x[0] == 2500);
    scant_source_free(source);
  }
  for (size_t cut = 2; cut < n - 20; cut += n / 40) /* not between members, where it would only be less */
    OPEN_FAILS(file_write("g.csv.gz", bytes, cut), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "g.csv.gz", "gzip",
               "cut short");
  bytes[n] = 'x';
  OPEN_FAILS(file_write("g.csv.gz", bytes, n + 1), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "g.csv.gz", "gzip");
  bytes[n / 3] ^= 0x55;
  OPEN_FAILS(file_write("g.csv.gz", bytes, n), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "g.csv.gz", "damaged");
  OPEN_FAILS(file_gzip("g.csv.gz", "", 0), &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "g.csv.gz", "empty");
  scant_source *source = file_open(file_gzip("g.svm.gz", "1 2:3\n", 6), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 0 && x[1] == 3);
  scant_source_free(source);
}
#else
TEST(inflates_gzip) {
  const char *path = file_write("g.csv.gz", "\x1f\x8b\x08\0", 4);
  OPEN_FAILS(path, &settings, SCANT_TARGET_REQUIRED, SCANT_DATA, "g.csv.gz", "gzip", "without zlib");
}
#endif

TEST(finds_the_format) {
  static const char *const libsvm[] = {"f.libsvm", "f.svm", "f.svmlight", "f.txt", "f.SVM", "a-idx.svm"};
  for (size_t i = 0; i < sizeof libsvm / sizeof *libsvm; i++) {
    scant_source *source = file_open(file_text(libsvm[i], "1 2:3\n"), &settings, SCANT_TARGET_REQUIRED);
    CHECK(scant_source_dimension(source) == 2);
    scant_source_free(source);
  }
  static const char *const unknown[] = {"f.tsv", "f", "csv", "f.csv.bz2", "f.idxx", "/dev/stdin", ""};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    OPEN_FAILS(unknown[i], &settings, SCANT_TARGET_REQUIRED, SCANT_USAGE, unknown[i], "option format");
  scant_settings s = settings;
  s.reading.format = SCANT_FORMAT_LIBSVM;
  scant_source *source = file_open(file_text("f.csv", "1 2:3\n"), &s, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_dimension(source) == 2);
  scant_source_free(source);
  s.reading.format = 99;
  OPEN_FAILS("f.csv", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "option format");
}

TEST(refuses_options_of_other_formats) {
  scant_settings s = settings;
  s.reading.labels = "y.npy";
  OPEN_FAILS("f.csv", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.csv", "option labels", "CSV");
  OPEN_FAILS("f.svm.gz", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.svm.gz", "option labels", "LIBSVM");
  s.reading.labels = NULL;
  CHECK(scant_settings_set(&s, "target", "y", &error) == SCANT_OK);
  OPEN_FAILS("f.npy", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.npy", "option target", "NPY");
  OPEN_FAILS("f.idx", &s, SCANT_TARGET_OPTIONAL, SCANT_USAGE, "f.idx", "option target", "IDX");
  OPEN_FAILS("f.svm", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.svm", "option target", "LIBSVM");
  s = settings;
  CHECK(scant_settings_set(&s, "header", "no", &error) == SCANT_OK);
  OPEN_FAILS("f.svm", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.svm", "option header", "LIBSVM");
  s = settings;
  CHECK(scant_settings_set(&s, "index-base", "0", &error) == SCANT_OK);
  OPEN_FAILS("f.csv", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "f.csv", "option index-base", "CSV");
}

/* ---- classes ------------------------------------------------------------------ */

TEST(cuts_classes) {
  scant_classes classes;
  CHECK(scant_classes_parse(&classes, NULL, &error) == SCANT_OK && !classes.wanted);
  CHECK(scant_classes_parse(&classes, " 3 ,five ", &error) == SCANT_OK && classes.wanted);
  CHECK(strcmp(classes.negative, "3") == 0 && strcmp(classes.positive, "five") == 0);
  CHECK(scant_classes_sign(&classes, "3", 1) == -1 && scant_classes_sign(&classes, " 3.00", 5) == -1);
  CHECK(scant_classes_sign(&classes, "five", 4) == 1 && scant_classes_sign(&classes, "fiv", 3) == 0);
  CHECK(scant_classes_sign(&classes, "Five", 4) == 0 && scant_classes_sign(&classes, "", 0) == 0);
  CHECK(scant_classes_sign_number(&classes, 3) == -1 && scant_classes_sign_number(&classes, 5) == 0);
  CHECK(scant_classes_sign_number(&classes, NAN) == 0);
  static const char *const bad[] = {"",
                                    "a",
                                    "a,",
                                    ",b",
                                    " ,b",
                                    "a,b,c",
                                    "a,b,",
                                    "a,a",
                                    "1,1.0",
                                    " a,a ",
                                    "0123456789012345678901234567890123456789012345678901234567890123,b"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    error.text[0] = 0;
    CHECK(scant_classes_parse(&classes, bad[i], &error) == SCANT_USAGE && classes.wanted);
    CHECK_SAYS(error.text, "classes");
    scant_settings s = settings;
    s.reading.classes = bad[i];
    OPEN_FAILS("f.csv", &s, SCANT_TARGET_REQUIRED, SCANT_USAGE, "classes");
  }
}

/* ---- binding ------------------------------------------------------------------ */

TEST(binds_by_name) {
  const char *path = file_text("n.csv", "a,b,y,c\n1,2,3,4\n5,6,7,8\n");
  scant_settings s = settings;
  s.reading.target = "y";
  scant_source *source = file_open(path, &s, SCANT_TARGET_REQUIRED);
  char a[] = "a", b[] = "b", c[] = "c", y[] = "y", none[] = "none";
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 2, .names = (char *[]){c, a}}, &error) == SCANT_OK);
  CHECK(scant_source_dimension(source) == 2 && strcmp(scant_source_name(source, 0), "c") == 0);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 8 && x[1] == 5);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 3, .names = (char *[]){b, none, a}}, &error) ==
        SCANT_DATA);
  CHECK_SAYS(error.text, "n.csv has no column 'none', which the model needs");
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 1, .names = (char *[]){y}}, &error) ==
        SCANT_DATA); /* the target is no attribute */
  CHECK(scant_source_dimension(source) == 2 && strcmp(scant_source_name(source, 0), "c") == 0);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 3, .names = (char *[]){b, c, a}}, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 2 && x[1] == 4 && x[2] == 1);
  uint32_t last = 2;
  CHECK(scant_source_read(source, 1, 1, &last, x, &error) == SCANT_OK && x[0] == 5);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 3}, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 1 && x[1] == 2 && x[2] == 4);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 4}, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "n.csv has 3 attributes, but the model has 4");
  scant_source_free(source);
}

TEST(binds_sparse_sources_by_position) {
  scant_source *source = file_open(file_text("p.svm", "1 1:5 3:7\n"), &settings, SCANT_TARGET_REQUIRED);
  char a[] = "a", b[] = "b";
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 5}, &error) == SCANT_OK &&
        scant_source_dimension(source) == 5);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 5 && x[2] == 7 && x[3] == 0 && x[4] == 0);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 2, .names = (char *[]){a, b}}, &error) == SCANT_OK &&
        scant_source_dimension(source) == 2);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 5 && x[1] == 0);
  CHECK(!scant_source_name(source, 0));
  scant_source_free(source);
}

/* ---- the digest ----------------------------------------------------------------- */

static uint64_t digest_of(const char *text) {
  uint64_t digest = 0;
  scant_source *source = file_open(file_text("d.csv", text), &settings, SCANT_TARGET_REQUIRED);
  CHECK(source && scant_source_digest(source, &digest, &error) == SCANT_OK);
  scant_source_free(source);
  return digest;
}

TEST(digests_differ_where_data_do) {
  static const char *const texts[] = {"a,b,y\n1,2,3\n4,5,6\n", "a,b,y\n1,2,3\n4,5,7\n", "a,b,y\n1,2,3\n4,7,6\n",
                                      "a,b,z\n1,2,3\n4,5,6\n", "a,c,y\n1,2,3\n4,5,6\n", "a,b,y\n1,2,3\n4,,6\n",
                                      "ab,,y\n1,2,3\n4,5,6\n", "a,b,y\n1,2,3\n",        "a,b,y\nno,2,3\n4,5,6\n"};
  enum { TEXTS = sizeof texts / sizeof *texts };
  uint64_t digests[TEXTS];
  for (size_t i = 0; i < TEXTS; i++) {
    digests[i] = digest_of(texts[i]);
    for (size_t j = 0; j < i; j++) CHECK(digests[i] != digests[j]);
  }
  CHECK(digest_of("a,\"b\",y\r\n1.0,2,3\r\n4,5,6e0") == digests[0]);
  CHECK(digest_of("a,b,y\n1,2,3\n4,text,6\n") == digests[5]); /* both can't be learned from */
}

TEST(digests_look_at_every_column) {
  enum { ROWS = 5000, D = 4 };
  static double table[ROWS][D];
  uint64_t before, after;
  scant_source *source;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, ROWS, D, sizeof table[0], sizeof(double), NULL, &error) ==
        SCANT_OK);
  CHECK(scant_source_digest(source, &before, &error) == SCANT_OK);
  for (int j = 0; j < D; j++) {
    for (int i = 0; i < ROWS; i++) table[i][j] = 1;
    CHECK(scant_source_digest(source, &after, &error) == SCANT_OK && after != before);
    for (int i = 0; i < ROWS; i++) table[i][j] = 0;
  }
  CHECK(scant_source_digest(source, &after, &error) == SCANT_OK && after == before);
  scant_source_free(source);
}

/* ---- memory and functions --------------------------------------------------------- */

TEST(wraps_memory) {
  int16_t table[2][3] = {{1, -2, 3}, {4, 5, -6}};
  double y[] = {7, 8};
  const ptrdiff_t row = sizeof table[0], column = sizeof table[0][0];
  scant_source *source;
  CHECK(scant_source_wrap(&source, SCANT_INT16, table, 2, 3, row, column, y, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && x[0] == 4 && x[1] == 5 && x[2] == -6);
  CHECK(scant_source_target(source, 1) == 8);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 2}, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "3 attributes");
  scant_source_free(source);
  /* backwards, and turned */
  CHECK(scant_source_wrap(&source, SCANT_INT16, &table[1][2], 3, 2, -column, -row, NULL, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == -6 && x[1] == 3);
  CHECK(!scant_source_has_target(source));
  scant_source_free(source);
  float bad[2] = {1, INFINITY};
  CHECK(scant_source_wrap(&source, SCANT_FLOAT32, bad, 1, 2, 8, 4, NULL, &error) == SCANT_OK);
  ROW_FAILS(source, 0, "row 0, attribute 1: infinity");
  scant_source_free(source);
}

TEST(refuses_bad_tables) {
  double table[4] = {1, 2, 3, 4}, y[] = {1, NAN};
  scant_source *source;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, 2, 2, 16, 8, y, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "row 1 is NaN");
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, 0, 2, 16, 8, NULL, &error) == SCANT_DATA);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, 2, 0, 16, 8, NULL, &error) == SCANT_DATA);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, NULL, 2, 2, 16, 8, NULL, &error) == SCANT_USAGE);
  CHECK(scant_source_wrap(&source, (scant_type)99, table, 2, 2, 16, 8, NULL, &error) == SCANT_USAGE);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, SIZE_MAX / 8, 2, 16, 8, NULL, &error) == SCANT_USAGE);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, table, 2, 2, PTRDIFF_MIN, 8, NULL, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "strides");
  CHECK(scant_source_wrap(&source, SCANT_UINT8, table, 1, (size_t)1 << 32, 0, 0, NULL, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "4294967296 attributes");
  CHECK(scant_source_custom(&source, 2, 2, NULL, NULL, NULL, &error) == SCANT_USAGE);
}

static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *e) {
  int *calls = user;
  (void)e;
  ++*calls;
  if (row == 2) return SCANT_IO;
  for (size_t i = 0; i < count; i++) values[i] = row ? NAN : attributes[i] * 2.0;
  return SCANT_OK;
}

TEST(asks_the_callers_function) {
  int calls = 0;
  double y[] = {1, 2, 3};
  uint64_t digest;
  scant_source *source;
  CHECK(scant_source_custom(&source, 3, 4, fetch, &calls, y, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[3] == 6 && calls == 1);
  CHECK(scant_source_row(source, 1, x, &error) == SCANT_OK && isnan(x[0]) && isnan(x[3]));
  error.text[0] = 0;
  CHECK(scant_source_row(source, 2, x, &error) == SCANT_IO);
  CHECK_SAYS(error.text, "row 2");
  calls = 0; /* a digest buys nothing */
  CHECK(scant_source_digest(source, &digest, &error) == SCANT_OK && calls == 0);
  scant_source_free(source);
  scant_source_free(NULL);
}

TEST(makes_logarithms_of_targets_once) {
  double cells[] = {1, 2, 3, 4, 5, 6}, y[] = {0, -0.5, 1e300}, bad[] = {3, 4, -1};
  scant_source *source;
  uint64_t before, after;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, cells, 3, 2, 16, 8, y, &error) == SCANT_OK);
  CHECK(scant_source_digest(source, &before, &error) == SCANT_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(scant_source_log_target(source, &error) == SCANT_OK);
    for (size_t row = 0; row < 3; row++) CHECK_NEAR(scant_source_target(source, row), log1p(y[row]), 1e-13);
  }
  CHECK(scant_source_digest(source, &after, &error) == SCANT_OK && before != after);
  scant_settings s;
  scant_fit *fit = NULL;
  scant_settings_init(&s);
  CHECK(scant_settings_set(&s, "k", "2", &error) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, source, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "log-target is no in the settings");
  CHECK(scant_settings_set(&s, "log-target", "yes", &error) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, source, &error) == SCANT_OK);
  scant_model *model = NULL;
  scant_scores scores;
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_model_evaluate(model, source, NULL, 0, &scores, &error) == SCANT_OK);
  scant_fit_free(fit);
  scant_source_free(source);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, cells, 3, 2, 16, 8, bad, &error) == SCANT_OK);
  CHECK(scant_model_evaluate(model, source, NULL, 0, &scores, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "log-target is yes in the model");
  CHECK(scant_source_log_target(source, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "row 2: the target -1 is not above -1");
  for (size_t row = 0; row < 3; row++) CHECK(scant_source_target(source, row) == bad[row]);
  scant_model_free(model);
  scant_source_free(source);
}

int main(void) {
  settings = file_settings();
  files_begin();
  RUN(says_what_is_wrong_with_a_file);
  RUN(says_that_a_file_may_not_be_read);
  RUN(reads_a_pipe);
  RUN(inflates_gzip);
  RUN(finds_the_format);
  RUN(refuses_options_of_other_formats);
  RUN(cuts_classes);
  RUN(binds_by_name);
  RUN(binds_sparse_sources_by_position);
  RUN(digests_differ_where_data_do);
  RUN(digests_look_at_every_column);
  RUN(wraps_memory);
  RUN(refuses_bad_tables);
  RUN(asks_the_callers_function);
  RUN(makes_logarithms_of_targets_once);
  files_end();
  return check_done();
}
