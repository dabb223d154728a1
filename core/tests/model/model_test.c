/* Models: to a file and back to the bit, damage, names, predictions, scores. */
#include "base/memory.h"
#include "base/text.h"
#include "changed.h"
#include "model/model.h"
#include "support.h"

static scant_error error;

static const char *const names[] = {"plain",
                                    "with \"quotes\"",
                                    "a\nnew\r\nline",
                                    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                    "back\\slash/",
                                    "\t\x01\x1f\x7f",
                                    ""};
enum { D = sizeof names / sizeof *names };

/* A model whose every number is hard to write. */
static scant_model *make_model(int with_names) {
  scant_model *m = NULL;
  uint64_t seed = 1;
  scant_settings settings =
      settings_from("algorithm=aesvr k=7 radius=0.1 loss=hinge smoothing=0.3 center=yes passes=1");
  settings_add(&settings, "seed=18446744073709551615 split=0.25 norm=1 average=half examples=9007199254740992");
  CHECK(scant_settings_resolve(&settings, &error) == SCANT_OK);
  settings.reading.classes = "neg,\"pos\"";
  CHECK(scant_model_new(&m, D, &error) == SCANT_OK);
  CHECK(scant_model_set_settings(m, &settings, &error) == SCANT_OK);
  for (size_t i = 0; i < D; i++) {
    do m->weights[i] = real_of_bits(random_bits(&seed));
    while (!isfinite(m->weights[i]));
    m->purchases[i] = random_bits(&seed) >> 18;
    m->ledger.attributes_bought += m->purchases[i];
  }
  m->weights[0] = -0.0;
  m->weights[1] = 5e-324;
  m->intercept = 1.0 / 3;
  m->ledger.examples = m->ledger.distinct_examples = UINT64_C(1) << 53;
  m->ledger.looks_drawn = (UINT64_C(1) << 53) - 1;
  m->ledger.max_bought_per_example = 7;
  m->eta = 0.1;
  m->target_name = scant_copy_text("y\"\n", 3);
  if (!with_names) return m;
  m->names = scant_array(D, sizeof *m->names);
  for (size_t i = 0; i < D; i++) m->names[i] = scant_copy_text(names[i], strlen(names[i]));
  return m;
}

static scant_model *load(const char *path) {
  scant_model *model = NULL;
  if (!CHECK(scant_model_load(&model, path, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return model;
}

/* The text of a small good model file. */
static char *good_text(size_t *length) {
  scant_model *m = make_model(1);
  char *text = model_text(m, file_path("good.json"));
  *length = strlen(text);
  scant_model_free(m);
  return text;
}

TEST(a_loaded_model_is_the_saved_one) {
  for (int with_names = 0; with_names < 2; with_names++) {
    scant_model *m = make_model(with_names);
    char *text = model_text(m, file_path("model.json"));
    scant_model *back = load(file_path("model.json"));
    if (!back) return;
    char *again = model_text(back, file_path("again.json"));
    CHECK(strcmp(text, again) == 0);
    CHECK(scant_model_dimension(back) == D);
    CHECK(memcmp(scant_model_weights(back), m->weights, D * sizeof *m->weights) == 0);
    CHECK(memcmp(scant_model_purchases(back), m->purchases, D * sizeof *m->purchases) == 0);
    CHECK(memcmp(scant_model_ledger(back), &m->ledger, sizeof m->ledger) == 0);
    CHECK(bits_of(scant_model_intercept(back)) == bits_of(m->intercept));
    CHECK(scant_model_eta(back) == 0.1 && isnan(scant_model_penalty(back)));
    CHECK(!scant_model_is_checkpoint(back));
    CHECK(strcmp(scant_model_target_name(back), "y\"\n") == 0);
    for (size_t i = 0; i < D; i++)
      CHECK(with_names ? strcmp(scant_model_name(back, i), names[i]) == 0 : !scant_model_name(back, i));
    CHECK(scant_model_name(back, D) == NULL);
    const scant_option *o;
    for (size_t i = 0; (o = scant_option_at(i)); i++) {
      char one[256], two[256];
      if (!(o->scope & SCANT_SCOPE_MODEL)) continue;
      scant_settings_get(&m->settings, o, one, sizeof one);
      scant_settings_get(scant_model_settings(back), o, two, sizeof two);
      if (!CHECK(strcmp(one, two) == 0)) printf("#   %s: '%s' and '%s'\n", o->name, one, two);
    }
    free(text);
    free(again);
    scant_model_free(m);
    scant_model_free(back);
  }
  scant_model_free(NULL);
}

/* Limits make a file of version 3, which older readers refuse; without them its bytes are those of version 2. */
TEST(limits_come_back_to_the_bit) {
  scant_model *m = make_model(1);
  char *before = model_text(m, file_path("without.json"));
  CHECK(strstr(before, "\"version\": 2,") && !strstr(before, "\"low\"") && !strstr(before, "\"clip\""));
  scant_settings settings = settings_from("algorithm=lasso k=7 clip=0.1");
  settings_add(&settings, "seed=18446744073709551615 examples=9007199254740992");
  CHECK(scant_settings_resolve(&settings, &error) == SCANT_OK);
  CHECK(scant_model_set_settings(m, &settings, &error) == SCANT_OK);
  CHECK(scant_model_new_limits(m, &error) == SCANT_OK);
  uint64_t seed = 3;
  for (size_t i = 0; i < D; i++) {
    double a, b;
    do a = real_of_bits(random_bits(&seed));
    while (!isfinite(a));
    do b = real_of_bits(random_bits(&seed));
    while (!isfinite(b));
    m->low[i] = i == 2 ? -0.0 : fmin(a, b);
    m->high[i] = i == 2 ? 0 : i == 3 ? m->low[i] : fmax(a, b);
  }
  char *text = model_text(m, file_path("limits.json"));
  CHECK(strstr(text, "\"version\": 3,") && strstr(text, "\"clip\": 0.1,"));
  scant_model *back = load(file_path("limits.json"));
  if (!back) return;
  char *again = model_text(back, file_path("again.json"));
  CHECK(strcmp(text, again) == 0);
  CHECK(memcmp(scant_model_low(back), m->low, D * sizeof *m->low) == 0);
  CHECK(memcmp(scant_model_high(back), m->high, D * sizeof *m->high) == 0);
  CHECK(scant_model_settings(back)->learning.clip == 0.1);
  const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 4; i++) { /* what can't be loaded is not written */
    m->low[4] = i < 3 ? wrong[i] : 2;
    m->high[4] = i < 3 ? 0 : 1;
    CHECK(scant_model_save(m, file_path("never.json"), &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "limits of attribute 5");
  }
  free(before);
  free(text);
  free(again);
  scant_model_free(m);
  scant_model_free(back);
}

/* ---- damage --------------------------------------------------------------------- */

static scant_status load_damaged(void) {
  char mark;
  scant_model *const untouched = (scant_model *)(void *)&mark;
  scant_model *model = untouched;
  error.text[0] = 0;
  scant_status status = scant_model_load(&model, file_path("damaged.json"), &error);
  if (status != SCANT_OK && model != untouched) return SCANT_MISUSE;
  if (status == SCANT_OK) scant_model_free(model);
  return status;
}

static scant_status load_bytes(const char *bytes, size_t length) {
  file_write("damaged.json", bytes, length);
  return load_damaged();
}

TEST(every_changed_byte_is_noticed) {
  size_t length;
  char *text = good_text(&length);
  int unnoticed = 0;
  CHECK(load_bytes(text, length) == SCANT_OK);
  FILE *file = fopen(file_path("damaged.json"), "r+b");
  if (!CHECK(file != NULL)) return;
  setvbuf(file, NULL, _IONBF, 0);
  for (size_t i = 0; i < length; i++) {
    for (int bit = 0; bit <= 9; bit++) { /* every bit, all of them, and back to good */
      int change = bit < 8 ? 1 << bit : bit == 8 ? 0xff : 0;
      if (fseek(file, (long)i, SEEK_SET) != 0 || fputc((unsigned char)text[i] ^ change, file) == EOF) unnoticed++;
      unnoticed += bit < 9 && (load_damaged() != SCANT_DATA || !strstr(error.text, "damaged.json"));
    }
  }
  CHECK(unnoticed == 0);
  CHECK(fclose(file) == 0 && load_damaged() == SCANT_OK);
  free(text);
}

TEST(every_cut_is_noticed) {
  size_t length;
  char *text = good_text(&length);
  int unnoticed = 0;
  for (size_t i = 0; i < length; i++) unnoticed += load_bytes(text, i) != SCANT_DATA;
  CHECK(unnoticed == 0);
  CHECK(load_bytes(text, length + 1) == SCANT_DATA); /* the NUL behind it */
  text[length] = '\n';
  CHECK(load_bytes(text, length + 1) == SCANT_DATA);
  free(text);
}

/* Loads the good file with one part replaced and the checksum made right. */
static scant_status load_changed(const char *from, const char *to) {
  size_t length;
  char *text = good_text(&length);
  file_changed("damaged.json", text, from, to);
  free(text);
  return load_damaged();
}

TEST(a_whole_file_with_wrong_contents_is_refused) {
  static const struct {
    const char *from, *to, *words;
  } changes[] = {{"\"format\": \"scant-model\"", "\"format\": \"other\"", "not a model"},
                 {"\"format\"", "\"f\"", "not a model"},
                 {"\"version\": 2", "\"version\": 3", "version 3"},
                 {"\"version\": 2", "\"version\": \"2\"", "version"},
                 {"\"algorithm\": \"aesvr\"", "\"algorithm\": \"wonder\"", "wonder"},
                 {"\"k\": 7", "\"k\": 1", "k must be"},
                 {"\"k\": 7,", "", "k is missing"},
                 {"\"k\": 7", "\"k\": null", "k must be"},
                 {"\"radius\": 0.1", "\"radius\": -1", "radius"},
                 {"\"loss\": \"hinge\"", "\"loss\": true", "loss"},
                 {"\"k\": 7", "\"k\": 7, \"colour\": 1", "colour"},
                 {"\"k\": 7", "\"k\": 7, \"k\": 7", "key"},
                 {"\"radius\": 0.1,", "", "radius"},
                 {"\"max_bought_per_example\": 7", "\"max_bought_per_example\": 8", "ledger"},
                 {"\"looks_drawn\": ", "\"looks_drawn\": 1, \"x\": ", "ledger"},
                 {"\"looks_drawn\": 9007199254740991", "\"looks_drawn\": 18446744073709551615", "counts further"},
                 {"\"settings\": {", "\"settings\": [], \"x\": {", "settings"},
                 {"\"dimension\": 7", "\"dimension\": 6", "6 attributes"},
                 {"\"dimension\": 7", "\"dimension\": 0", "0 attributes"},
                 {"\"dimension\": 7", "\"dimension\": 18446744073709551615", "18446744073709551615"},
                 {"\"target\": \"", "\"target\": 1, \"x\": \"", "target"},
                 {"\"eta\": 0.10000000000000001", "\"eta\": 1e999", "eta"},
                 {"\"eta\": 0.10000000000000001", "\"eta\": \"x\"", "eta"},
                 {"\"examples\": 9007199254740992", "\"examples\": 18446744073709551616", "examples"},
                 {"\"purchases\": [", "\"purchases\": [1, ", "purchases"},
                 {"\"attributes_bought\": ", "\"attributes_bought\": 1", "purchases"},
                 {"\"names\": [", "\"names\": [1, ", "names"},
                 {"\"plain\"", "7", "name 1"},
                 {"\"intercept\": ", "\"intercept\": null, \"x\": ", "intercept"},
                 {"\"weights\": [-0,", "\"weights\": [null,", "item 1 of 'weights'"},
                 {"\"weights\": [-0,", "\"weights\": [1e999,", "item 1 of 'weights'"},
                 {"\"weights\": [-0,", "\"weights\": [", "6 weights"},
                 {"\"weights\": [", "\"weights\": 5, \"x\": [", "weights"},
                 {"\"weights\"", "\"checkpoint\": 5, \"weights\"", "checkpoint"}};
  CHECK(load_changed("\"k\": 7", "\"k\": 7") == SCANT_OK);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    if (!CHECK(load_changed(changes[i].from, changes[i].to) == SCANT_DATA)) printf("#   taken: %s\n", changes[i].to);
    CHECK_SAYS(error.text, changes[i].words);
  }
}

TEST(what_is_no_file_is_refused) {
  scant_model *model = NULL;
  CHECK(scant_model_load(&model, file_path("absent.json"), &error) == SCANT_NO_INPUT);
  CHECK_SAYS(error.text, "absent.json");
  CHECK(scant_model_load(&model, files_directory, &error) == SCANT_IO);
  CHECK(load_bytes("\x1f\x8b\x08", 3) == SCANT_DATA);
  CHECK(load_bytes("[1]", 3) == SCANT_DATA && load_bytes("7", 1) == SCANT_DATA && load_bytes("", 0) == SCANT_DATA);
  CHECK(scant_model_load(&model, file_path("absent.json"), NULL) == SCANT_NO_INPUT && !model);
  scant_model *m = make_model(0);
  char *text = model_text(m, file_path("kept.json")), path[FILES_LENGTH];
  snprintf(path, sizeof path, "%s/no/such/folder.json", files_directory);
  CHECK(scant_model_save(m, path, &error) == SCANT_IO);
  CHECK_SAYS(error.text, "no/such/folder.json");
  CHECK(scant_model_save(m, files_directory, &error) == SCANT_IO);
  size_t length;
  char *kept = read_whole(file_path("kept.json"), &length);
  CHECK(strcmp(text, kept) == 0);
  free(text);
  free(kept);
  scant_model_free(m);
}

/* A file that can't be loaded again must not be written as if all were well. */
TEST(what_is_saved_can_be_loaded) {
  for (int i = 0; i < 4; i++) {
    scant_model *m = make_model(0), *back = NULL;
    if (i == 0) m->weights[2] = INFINITY;
    if (i == 1) m->weights[2] = NAN;
    if (i == 2) m->intercept = -INFINITY;
    if (i == 3) m->eta = INFINITY;
    if (scant_model_save(m, file_path("odd.json"), &error) == SCANT_OK) {
      CHECK(scant_model_load(&back, file_path("odd.json"), &error) == SCANT_OK);
      CHECK(back && memcmp(back->weights, m->weights, D * sizeof *m->weights) == 0);
      CHECK(back && bits_of(back->intercept) == bits_of(m->intercept) && bits_of(back->eta) == bits_of(m->eta));
    } else {
      CHECK(error.text[0]);
    }
    scant_model_free(m);
    scant_model_free(back);
  }
}

/* ---- use ------------------------------------------------------------------------- */

/* A model of the columns a, b, c with weights 1, 10, 100 and intercept 0.5. */
static scant_model *small_model(int with_names) {
  scant_model *m = NULL;
  CHECK(scant_model_new(&m, 3, &error) == SCANT_OK);
  double w[] = {1, 10, 100};
  memcpy(m->weights, w, sizeof w);
  m->intercept = 0.5;
  if (with_names) m->names = scant_array(3, sizeof *m->names);
  for (size_t i = 0; with_names && i < 3; i++) m->names[i] = scant_copy_text(&"a\0b\0c"[2 * i], 1);
  return m;
}

TEST(columns_are_bound_by_name) {
  scant_settings settings = file_settings();
  scant_model *named = small_model(1), *nameless = small_model(0);
  const char *path = file_text("turned.csv", "c,x,a,b,y\n3,9,1,2,7\n");
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  double x[4];
  CHECK(scant_model_bind(nameless, source, &error) == SCANT_DATA); /* four columns for three weights */
  CHECK_SAYS(error.text, "4 attributes");
  CHECK(scant_model_bind(named, source, &error) == SCANT_OK);
  CHECK(scant_source_dimension(source) == 3 && scant_source_row(source, 0, x, &error) == SCANT_OK);
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3 && scant_model_predict(named, x) == 321.5);
  scant_source_free(source);
  path = file_text("other.csv", "c,x,a,y\n3,9,1,7\n");
  source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_model_bind(named, source, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "'b'");
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && x[0] == 3 && x[2] == 1); /* as it was */
  CHECK(scant_model_bind(nameless, source, &error) == SCANT_OK);
  CHECK(scant_source_row(source, 0, x, &error) == SCANT_OK && scant_model_predict(nameless, x) == 193.5);
  scant_source_free(source);
  scant_model_free(named);
  scant_model_free(nameless);
}

/* The scores by their definitions. */
static scant_scores direct_scores(const scant_model *m, const table *t, const uint64_t *rows, size_t count) {
  long double squared = 0, absolute = 0, mean = 0, spread = 0;
  size_t correct = 0, signs = 1;
  for (size_t i = 0; i < count; i++) mean += t->y[rows[i]];
  mean /= (long double)count;
  for (size_t i = 0; i < count; i++) {
    long double s = m->intercept, y = t->y[rows[i]];
    for (size_t j = 0; j < m->dimension; j++) s += (long double)m->weights[j] * t->x[rows[i]][j];
    CHECK_NEAR(scant_model_predict(m, t->x[rows[i]]), (double)s, 1e-15 * (1 + fabs((double)s)));
    squared += (s - y) * (s - y);
    absolute += fabsl(s - y);
    spread += (y - mean) * (y - mean);
    correct += s * y > 0; /* 0 is no sign */
    signs = signs && (y == 1 || y == -1);
  }
  return (scant_scores){.examples = count,
                        .squared_error = (double)(squared / (long double)count),
                        .absolute_error = (double)(absolute / (long double)count),
                        .r2 = spread > 0 ? (double)(1 - squared / spread) : NAN,
                        .accuracy = signs ? (double)correct / (double)count : NAN};
}

TEST(predictions_of_rows_agree_with_those_of_examples) {
  scant_model *m = small_model(0);
  double x[4][3] = {{1, 2, 3}, {0, 0, 0}, {-1, 1e300, 1}, {1, 1e308, 1}}, predictions[4];
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, 3, 3, sizeof *x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_model_predict_rows(m, source, predictions, &error) == SCANT_OK);
  for (size_t i = 0; i < 3; i++) CHECK(predictions[i] == scant_model_predict(m, x[i]));
  CHECK(predictions[0] == 321.5 && predictions[1] == 0.5 && predictions[2] == 1e301);
  scant_source_free(source);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, 4, 3, sizeof *x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_model_predict_rows(m, source, predictions, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "row 3: ");
  scant_source_free(source);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, 4, 2, sizeof *x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_model_predict_rows(m, source, predictions, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "2 attributes");
  scant_source_free(source);
  scant_model_free(m);
}

static void check_scores(const scant_model *m, const table *t, scant_source *source, const uint64_t *rows,
                         size_t count) {
  uint64_t every[TABLE_ROWS];
  for (size_t i = 0; i < TABLE_ROWS; i++) every[i] = i;
  scant_scores got = {0}, wanted = direct_scores(m, t, rows ? rows : every, rows ? count : TABLE_ROWS);
  CHECK(scant_model_evaluate(m, source, rows, count, &got, &error) == SCANT_OK);
  CHECK(got.examples == wanted.examples);
  CHECK_NEAR(got.squared_error, wanted.squared_error, 1e-13 * wanted.squared_error);
  CHECK_NEAR(got.absolute_error, wanted.absolute_error, 1e-13 * wanted.absolute_error);
  CHECK(isnan(wanted.r2) ? isnan(got.r2) : fabs(got.r2 - wanted.r2) <= 1e-10 * (1 + fabs(wanted.r2)));
  CHECK(isnan(wanted.accuracy) ? isnan(got.accuracy) : got.accuracy == wanted.accuracy);
}

TEST(scores_agree_with_their_definitions) {
  static const uint64_t some[] = {3, 5, 3, 39, 0}, one[] = {7}, beyond[] = {1, TABLE_ROWS};
  static table t;
  uint64_t seed = 3;
  scant_model *m = NULL;
  CHECK(scant_model_new(&m, TABLE_DIMENSION, &error) == SCANT_OK);
  for (size_t i = 0; i < TABLE_DIMENSION; i++) m->weights[i] = random_real(&seed);
  for (int kind = 0; kind < 5; kind++) {
    table_fill(&t, 4);
    m->intercept = kind == 4 ? 0 : -0.25;
    for (size_t i = 0; i < TABLE_ROWS; i++) {
      if (kind == 4 && i % 2) memset(t.x[i], 0, sizeof t.x[i]); /* it is predicted to be 0 */
      if (kind == 1) t.y[i] = random_real(&seed) * 10;
      if (kind == 2) t.y[i] = 3;                              /* does not vary */
      if (kind == 3) t.y[i] = 1e6 + random_real(&seed) / 100; /* far from 0 */
    }
    scant_source *source = table_source(&t);
    check_scores(m, &t, source, NULL, 0);
    check_scores(m, &t, source, NULL, 3);
    check_scores(m, &t, source, some, 5);
    check_scores(m, &t, source, one, 1);
    scant_scores scores = {.examples = 77};
    CHECK(scant_model_evaluate(m, source, some, 0, &scores, &error) == SCANT_DATA);
    CHECK(scant_model_evaluate(m, source, beyond, 2, &scores, &error) == SCANT_MISUSE);
    CHECK(scores.examples == 77);
    scant_source_free(source);
  }
  scant_source *source = NULL;
  scant_scores scores;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, t.x, 4, TABLE_DIMENSION, sizeof *t.x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_model_evaluate(m, source, NULL, 0, &scores, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "target");
  scant_source_free(source);
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, t.x, 4, 5, sizeof *t.x, 8, t.y, &error) == SCANT_OK);
  CHECK(scant_model_evaluate(m, source, NULL, 0, &scores, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "5 attributes");
  scant_source_free(source);
  scant_model_free(m);
}

int main(void) {
  files_begin();
  RUN(a_loaded_model_is_the_saved_one);
  RUN(limits_come_back_to_the_bit);
  RUN(every_changed_byte_is_noticed);
  RUN(every_cut_is_noticed);
  RUN(a_whole_file_with_wrong_contents_is_refused);
  RUN(what_is_no_file_is_refused);
  RUN(what_is_saved_can_be_loaded);
  RUN(columns_are_bound_by_name);
  RUN(predictions_of_rows_agree_with_those_of_examples);
  RUN(scores_agree_with_their_definitions);
  files_end();
  return check_done();
}
