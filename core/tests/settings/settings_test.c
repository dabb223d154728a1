/* The table of options and the settings made from it. */
#include "learn/resolve.h"
#include "support.h"

static scant_error error;

/* Setting fails, says which option and why, and changes nothing. */
static void refuses(const scant_option *o, const char *value, int line) {
  scant_settings settings, before;
  scant_settings_init(&settings);
  memcpy(&before, &settings, sizeof before);
  error.text[0] = 0;
  scant_status status = scant_settings_set(&settings, o->name, value, &error);
  if (!check_that(status == SCANT_USAGE, "a bad value is refused", __FILE__, line))
    printf("#   %s = '%s' was taken\n", o->name, value);
  check_says(error.text, o->name, __FILE__, line);
  if (*value) check_says(error.text, value, __FILE__, line);
  check_that(memcmp(&before, &settings, sizeof before) == 0, "nothing changed", __FILE__, line);
  check_that(scant_settings_set(&settings, o->name, value, NULL) == SCANT_USAGE, "without error", __FILE__, line);
}

/* Setting works, is remembered as given, and reads back; the text that get
 * writes sets the same bits again. */
static void takes(const scant_option *o, const char *value, int line) {
  scant_settings settings, again;
  char text[256], twice[256];
  scant_settings_init(&settings);
  scant_settings_init(&again);
  check_that(!scant_settings_is_given(&settings, o), "not given yet", __FILE__, line);
  if (!check_that(scant_settings_set(&settings, o->name, value, &error) == SCANT_OK, "taken", __FILE__, line))
    printf("#   %s\n", error.text);
  check_that(scant_settings_is_given(&settings, o), "given", __FILE__, line);
  int length = scant_settings_get(&settings, o, text, sizeof text);
  check_that(length == (int)strlen(text), "the length", __FILE__, line);
  check_that(scant_settings_set(&again, o->name, text, &error) == SCANT_OK, "taken again", __FILE__, line);
  scant_settings_get(&again, o, twice, sizeof twice);
  size_t size = o->type == SCANT_OPTION_COUNT || o->type == SCANT_OPTION_REAL ? 8 : sizeof(int);
  const char *field = (const char *)&settings + o->offset, *other = (const char *)&again + o->offset;
  int same = o->type == SCANT_OPTION_TEXT ? strcmp(text, value) == 0 : memcmp(field, other, size) == 0;
  if (!check_that(same && strcmp(text, twice) == 0, "the same bits", __FILE__, line))
    printf("#   %s: '%s' became '%s' and '%s'\n", o->name, value, text, twice);
}

#define REFUSES(option, value) refuses(option, value, __LINE__)
#define TAKES(option, value) takes(option, value, __LINE__)

TEST(every_row_is_well_made) {
  scant_settings settings;
  scant_settings_init(&settings);
  CHECK(settings.given == 0);
  const scant_option *o, *other;
  size_t count = 0;
  for (; (o = scant_option_at(count)); count++) {
    CHECK(o->name && o->help && o->scope && scant_option_find(o->name) == o);
    CHECK((o->type == SCANT_OPTION_FLAG) == !o->argument);
    CHECK((o->type == SCANT_OPTION_CHOICE) == (o->choices != NULL));
    CHECK(strchr(o->help, '\n') == NULL && strlen(o->help) < 100);
    CHECK(o->offset < sizeof settings);
    for (size_t j = 0; j < count && (other = scant_option_at(j)); j++)
      CHECK(other->offset != o->offset && strcmp(other->name, o->name) != 0 &&
            (!o->letter || other->letter != o->letter));
    if (!o->preset) continue;
    char text[256];
    TAKES(o, o->preset);
    scant_settings_get(&settings, o, text, sizeof text);
    CHECK(strcmp(text, o->preset) == 0);
  }
  CHECK(count > 20 && count <= 64);
  CHECK(scant_option_at(1000) == NULL && scant_option_find("absent") == NULL && scant_option_find("") == NULL);
  CHECK(settings.reading.labels == NULL && settings.reading.target == NULL && settings.reading.classes == NULL &&
        settings.learning.k == 0);
}

static void try_count(const scant_option *o) {
  static const char *const garbage[] = {"",
                                        " ",
                                        "x",
                                        "-1",
                                        "+3",
                                        "3.0",
                                        "1e3",
                                        "0x3",
                                        "3 ",
                                        " 3",
                                        "3k",
                                        "auto",
                                        "nan",
                                        "18446744073709551616",
                                        "99999999999999999999999"};
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) REFUSES(o, garbage[i]);
  char text[64];
  uint64_t least = (uint64_t)o->minimum, most = o->maximum < 0x1p64 ? (uint64_t)o->maximum : UINT64_MAX;
  snprintf(text, sizeof text, "%llu", (unsigned long long)least);
  TAKES(o, text);
  snprintf(text, sizeof text, "%llu", (unsigned long long)most);
  TAKES(o, text);
  if (least) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)least - 1);
    REFUSES(o, text);
  }
  if (most < UINT64_MAX) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)most + 1);
    REFUSES(o, text);
    REFUSES(o, "18446744073709551615");
  }
}

static void try_real(const scant_option *o) {
  static const char *const garbage[] = {"",    " ",     "x",   "nan",       "NaN",  "inf", "-inf", "1e400",   "0x1p-1",
                                        "1,5", "1.5.2", "1 2", "automatic", "Auto", "--1", "-1",   "-1e-300", "1e101"};
  uint64_t seed = 1;
  char text[64];
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) REFUSES(o, garbage[i]);
  if (o->or_auto)
    TAKES(o, "auto");
  else
    REFUSES(o, "auto");
  if (o->or_none) {
    TAKES(o, "none");
    REFUSES(o, "0");
    REFUSES(o, "None");
  } else {
    REFUSES(o, "none");
  }
  TAKES(o, option_largest(o->name, text, sizeof text));
  TAKES(o, option_smallest(o->name, text, sizeof text));
  snprintf(text, sizeof text, "%.17g", nextafter(o->maximum, INFINITY));
  REFUSES(o, text);
  snprintf(text, sizeof text, "%.17g", nextafter(o->minimum, -INFINITY));
  REFUSES(o, text);
  for (int i = 0; i < 200; i++) {
    snprintf(text, sizeof text, "%.17g", (1 + random_real(&seed)) / 4 * fmin(1, o->maximum) + 1e-3);
    TAKES(o, text);
  }
}

static void try_choice(const scant_option *o) {
  const char *choices = o->type == SCANT_OPTION_FLAG ? "no|yes" : o->choices;
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", choices);
  int place = 0;
  for (char *word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest), place++) {
    scant_settings settings;
    scant_settings_init(&settings);
    TAKES(o, word);
    CHECK(scant_settings_set(&settings, o->name, word, NULL) == SCANT_OK);
    CHECK(*(const int *)(const void *)((const char *)&settings + o->offset) == place);
    char longer[64];
    snprintf(longer, sizeof longer, "%sx", word);
    REFUSES(o, longer);
  }
  static const char *const garbage[] = {"", " ", "YES", "yes ", "true", "0", "3", "no|yes", "|", "absent"};
  for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) REFUSES(o, garbage[i]);
  REFUSES(o, choices);
}

TEST(every_row_takes_what_is_allowed_and_nothing_else) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (o->type == SCANT_OPTION_COUNT) try_count(o);
    if (o->type == SCANT_OPTION_REAL) try_real(o);
    if (o->type == SCANT_OPTION_FLAG || o->type == SCANT_OPTION_CHOICE) try_choice(o);
    if (o->type == SCANT_OPTION_TEXT) TAKES(o, "any text, \"quoted\" or not");
  }
}

/* As snprintf does, so that a caller can ask first. */
TEST(get_says_how_much_room_it_needs) {
  scant_settings settings = settings_from("k=12 radius=0.3 eta=0.1 x-bound=255 seed=18446744073709551615");
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char text[256], small[3] = "zz";
    int length = scant_settings_get(&settings, o, text, sizeof text);
    if (!CHECK(scant_settings_get(&settings, o, NULL, 0) == length)) printf("#   %s\n", o->name);
    CHECK(scant_settings_get(&settings, o, small, sizeof small) == length);
    CHECK(strncmp(small, text, 2) == 0 && !small[2]);
  }
}

TEST(an_unknown_option_is_refused) {
  scant_settings settings, before;
  scant_settings_init(&settings);
  memcpy(&before, &settings, sizeof before);
  CHECK(scant_settings_set(&settings, "colour", "red", &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "colour");
  CHECK(scant_settings_set(&settings, "residual_looks", "1", &error) == SCANT_USAGE);
  CHECK(memcmp(&before, &settings, sizeof before) == 0);
}

/* ---- resolving ----------------------------------------------------------------- */

/* Resolving fails with all the words and changes nothing. */
static void unresolved(const char *list, const char *words, const char *more, int line) {
  scant_settings settings = settings_from(list), before;
  memcpy(&before, &settings, sizeof before);
  error.text[0] = 0;
  if (!check_that(scant_settings_resolve(&settings, &error) == SCANT_USAGE, list, __FILE__, line))
    printf("#   was resolved\n");
  check_says(error.text, words, __FILE__, line);
  check_says(error.text, more, __FILE__, line);
  check_that(memcmp(&before, &settings, sizeof before) == 0, "nothing changed", __FILE__, line);
  check_that(scant_settings_resolve(&settings, NULL) == SCANT_USAGE, "without error", __FILE__, line);
}

#define UNRESOLVED(list, words, more) unresolved(list, words, more, __LINE__)

static scant_settings resolved(const char *list) {
  scant_settings settings = settings_from(list);
  error.text[0] = 0;
  if (!CHECK(scant_settings_resolve(&settings, &error) == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
  return settings;
}

TEST(what_can_not_work_is_refused) {
  UNRESOLVED("", "k is missing", "");
  UNRESOLVED("algorithm=aer", "k", "missing");
  scant_settings settings;
  scant_settings_init(&settings);
  settings.learning.k = 1;
  CHECK(scant_settings_resolve(&settings, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "k must be at least 2, not 1");
  UNRESOLVED("k=4 passes=3", "4", "3 passes");
  UNRESOLVED("k=2 passes=2", "fewer than 2", "");
  UNRESOLVED("algorithm=coinflip k=4 passes=3", "passes", "fewer than 2");
  UNRESOLVED("algorithm=aer k=5", "aer", "even");
  UNRESOLVED("algorithm=aer k=6 passes=2", "even", "3");
  UNRESOLVED("k=4 residual-looks=4", "residual-looks", "4 looks");
  UNRESOLVED("k=4 residual-looks=5", "residual-looks", "4 looks");
  UNRESOLVED("algorithm=aelr k=8 passes=2 residual-looks=4", "residual-looks", "4 looks");
  settings = settings_from("k=4");
  CHECK(scant_settings_set(&settings, "algorithm", "aeerr", &error) == SCANT_OK);
  CHECK(scant_settings_resolve(&settings, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "aeerr");
  for (size_t i = 0; scant_algorithm_at(i); i++) CHECK_SAYS(error.text, scant_algorithm_at(i)->name);
}

TEST(what_can_work_is_resolved) {
  resolved("k=2");
  resolved("k=4 residual-looks=3");
  resolved("k=6 passes=3");
  resolved("k=7 passes=3");
  resolved("algorithm=aer k=2");
  resolved("algorithm=aer k=12 passes=2");
  resolved("algorithm=aer k=12 passes=3");
  for (size_t i = 0; scant_algorithm_at(i); i++) {
    char list[64];
    snprintf(list, sizeof list, "algorithm=%s k=8", scant_algorithm_at(i)->name);
    resolved(list);
  }
}

/* Every option of a learner is refused by the rows that do not list it, with
 * the option and the row in the sentence, and taken by the rows that do. */
TEST(an_option_must_be_of_the_row) {
  const scant_algorithm *a;
  const scant_option *o;
  for (size_t i = 0; (a = scant_algorithm_at(i)); i++) {
    for (size_t j = 0; (o = scant_option_at(j)); j++) {
      scant_settings settings = settings_from("k=8");
      CHECK(scant_settings_set(&settings, "algorithm", a->name, &error) == SCANT_OK);
      int about_loss = !strcmp(o->name, "tube") || !strcmp(o->name, "smoothing");
      int listed = !(o->scope & SCANT_SCOPE_LEARNER) || scant_list_has(a->options, o->name);
      if (!o->preset || !strcmp(o->name, "algorithm")) continue;
      if (about_loss && listed && scant_list_has(a->options, "loss"))
        CHECK(scant_settings_set(&settings, "loss", "insensitive", &error) == SCANT_OK);
      CHECK(scant_settings_set(&settings, o->name, o->preset, &error) == SCANT_OK);
      error.text[0] = 0;
      CHECK(scant_settings_resolve(&settings, &error) == (listed ? SCANT_OK : SCANT_USAGE));
      if (listed) continue;
      CHECK_SAYS(error.text, o->name);
      CHECK_SAYS(error.text, a->name);
    }
  }
}

TEST(tube_and_smoothing_belong_to_some_losses) {
  UNRESOLVED("algorithm=aesvr k=8 loss=squared tube=0.1", "tube", "loss");
  UNRESOLVED("algorithm=aesvr k=8 loss=squared smoothing=0.1", "smoothing", "loss");
  UNRESOLVED("algorithm=aesvr k=8 loss=absolute tube=0.1", "tube", "loss");
  UNRESOLVED("algorithm=aesvr k=8 loss=hinge tube=0.1", "tube", "loss");
  UNRESOLVED("algorithm=coinflip k=8 tube=0.1", "tube", "loss");
  UNRESOLVED("algorithm=coinflip k=8 smoothing=0.1", "smoothing", "loss");
  UNRESOLVED("algorithm=aerr k=8 smoothing=0.1", "smoothing", "aerr");
  resolved("algorithm=aesvr k=8 tube=0.2 smoothing=0.3");
  resolved("algorithm=aesvr k=8 loss=absolute smoothing=0.3");
  resolved("algorithm=coinflip k=8 loss=hinge smoothing=0.3");
  resolved("algorithm=coinflip k=8 loss=insensitive tube=0.3");
}

TEST(presets_of_the_row_yield_to_what_was_given) {
  scant_settings s = resolved("algorithm=aesvr k=8");
  CHECK(s.learning.loss == SCANT_LOSS_INSENSITIVE && s.learning.smoothing == 0.5);
  CHECK(!scant_settings_is_given(&s, scant_option_find("loss")));
  s = resolved("algorithm=aesvr k=8 loss=hinge");
  CHECK(s.learning.loss == SCANT_LOSS_HINGE);
  s = resolved("algorithm=aesvr k=8 loss=squared");
  CHECK(s.learning.loss == SCANT_LOSS_SQUARED);
  s = resolved("algorithm=coinflip k=8 loss=absolute");
  CHECK(s.learning.smoothing == 0.1);
  s = resolved("algorithm=coinflip k=8 loss=absolute smoothing=0.5");
  CHECK(s.learning.smoothing == 0.5);
  s = resolved("algorithm=aer k=8");
  CHECK(s.learning.replacement == 0);
  s = resolved("algorithm=aerr k=8");
  CHECK(s.learning.replacement == 1 && s.learning.loss == SCANT_LOSS_SQUARED);
  scant_settings again = s;
  CHECK(scant_settings_resolve(&again, &error) == SCANT_OK);
  CHECK(memcmp(&again, &s, sizeof s) == 0);
}

/* The presets of every row name options that exist, with values they take. */
TEST(every_rows_own_defaults_are_good) {
  const scant_algorithm *a;
  for (size_t i = 0; (a = scant_algorithm_at(i)); i++) {
    settings_from(a->presets);
    char copy[256], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", a->options);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
      const scant_option *o = scant_option_find(word);
      CHECK(o && o->scope & SCANT_SCOPE_LEARNER);
    }
    CHECK(scant_algorithm_find(a->name) == a && a->title && a->look && a->estimate && a->update && a->reference);
  }
  CHECK(scant_algorithm_find("absent") == NULL && scant_algorithm_at(1000) == NULL);
}

TEST(lists_are_searched_by_whole_words) {
  CHECK(scant_list_has("a bb ccc", "a") && scant_list_has("a bb ccc", "bb") && scant_list_has("a bb ccc", "ccc"));
  CHECK(!scant_list_has("a bb ccc", "b") && !scant_list_has("a bb ccc", "cc") && !scant_list_has("a bb ccc", "cccc"));
  CHECK(!scant_list_has("", "a"));
  CHECK(!scant_list_has("a bb", "a bb"));
}

/* ---- learning at the ends of the ranges ------------------------------------------- */

/* ||w|| / radius in the ball's norm and in learning units, without overflow on
 * the way; 0 where there is no ball. */
static double relative_norm(const scant_learner *learner) {
  const scant_iterate *w = &learner->w;
  double size = 0;
  for (size_t i = 0; i < TABLE_DIMENSION; i++) {
    int last = learner->settings.learning.average == SCANT_AVERAGE_LAST;
    double part = (last ? scant_iterate_weight(w, i) : scant_iterate_mean(w, i)) / w->radius;
    size = learner->update->norm == SCANT_NORM_2 ? hypot(size, part) : size + fabs(part);
  }
  return size;
}

/* Any settings within their ranges and any finite data: every tell works or is
 * refused, and what comes out is finite and in its ball. */
static void torture(const char *list, uint64_t *seed) {
  static const double sizes[] = {0, 1e-300, 1e-10, 1, 1e10, 1e99, 1e150, 1e300};
  scant_learner *learner = learner_from(list, TABLE_DIMENSION, 40);
  scant_look *look = look_for(learner);
  double w[TABLE_DIMENSION], values[TABLE_DIMENSION];
  for (int i = 0; i < 30; i++) {
    double size = sizes[random_below(seed, 8)], y = random_real(seed) * sizes[random_below(seed, 8)];
    for (size_t j = 0; j < TABLE_DIMENSION; j++) /* any numbers, or all of one size, as flags are */
      values[j] = i % 2 ? random_real(seed) * size : copysign(size, random_real(seed));
    if (learner->loss.loss == SCANT_LOSS_HINGE) y = y < 0 ? -1 : 1;
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    scant_status status = scant_learner_tell(learner, look, look->count, NULL, values, y, &error);
    if (!CHECK(status == SCANT_OK || status == SCANT_DATA)) printf("# %s %s\n", list, error.text);
    if (status != SCANT_OK) CHECK(scant_learner_cancel(learner, look, &error) == SCANT_OK);
  }
  scant_learner_weights(learner, w, NULL);
  if (!CHECK_AT_MOST(relative_norm(learner), 1 + 1e-9)) printf("#   with %s\n", list);
  for (size_t i = 0; i < TABLE_DIMENSION; i++)
    if (!CHECK(isfinite(w[i]))) printf("#   with %s\n", list);
  scant_look_free(look);
  scant_learner_free(learner);
}

static void add_if_listed(char *list, const scant_algorithm *row, const char *name, const char *value) {
  if (scant_list_has(row->options, name)) snprintf(list + strlen(list), 64, " %s=%s", name, value);
}

TEST(finite_data_spoil_no_learner_with_settings_in_range) {
  char ends[6][32];
  const char *radii[] = {option_smallest("radius", ends[0], 32), "1e-9", "1", option_largest("radius", ends[1], 32)};
  const char *bounds[] = {option_smallest("x-bound", ends[2], 32), "1", option_largest("x-bound", ends[3], 32)};
  uint64_t seed = 1;
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    const scant_algorithm *a = scant_algorithm_at(row);
    const char *step = strcmp(a->name, "aer") == 0 ? "penalty" : "eta";
    const char *steps[] = {"auto", option_smallest(step, ends[4], 32), "1e-3", option_largest(step, ends[5], 32)};
    for (size_t i = 0; i < 4 * 3 * 4; i++) {
      char list[256];
      snprintf(list, sizeof list, "algorithm=%s k=6 average=%s", a->name, i / 4 % 2 ? "last" : "all");
      add_if_listed(list, a, "radius", radii[i % 4]);
      add_if_listed(list, a, "x-bound", bounds[i / 4 % 3]);
      add_if_listed(list, a, step, steps[i / 12]);
      /* GenEst needs looks by (radius / smoothing)^2. */
      if (strcmp(a->name, "aesvr") == 0) snprintf(list + strlen(list), 64, " k=8 smoothing=%s", radii[i % 4]);
      torture(list, &seed);
    }
  }
}

int main(void) {
  RUN(every_row_is_well_made);
  RUN(every_row_takes_what_is_allowed_and_nothing_else);
  RUN(get_says_how_much_room_it_needs);
  RUN(an_unknown_option_is_refused);
  RUN(what_can_not_work_is_refused);
  RUN(what_can_work_is_resolved);
  RUN(an_option_must_be_of_the_row);
  RUN(tube_and_smoothing_belong_to_some_losses);
  RUN(presets_of_the_row_yield_to_what_was_given);
  RUN(every_rows_own_defaults_are_good);
  RUN(lists_are_searched_by_whole_words);
  RUN(finite_data_spoil_no_learner_with_settings_in_range);
  return check_done();
}
