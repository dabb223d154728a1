/* What many tests share: random numbers of their own, settings from one
 * line, a small table, a source that keeps a record, a learner's state as text. */
#ifndef SCANT_TESTS_SUPPORT_H
#define SCANT_TESTS_SUPPORT_H

#include "check.h"
#include "base/json.h"
#include "learn/learner.h"
#include "learn/resolve.h"
#include "scant.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- random numbers ------------------------------------------------------ */

/* splitmix64, so that no test of the library's generator leans on itself. */
static inline uint64_t random_bits(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Below `bound`, nearly uniform. */
static inline size_t random_below(uint64_t *state, size_t bound) {
  return (size_t)(random_bits(state) % bound);
}

/* In [-1, 1). */
static inline double random_real(uint64_t *state) {
  return (double)(random_bits(state) >> 11) * 0x1p-52 - 1;
}

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double real_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* ---- settings -------------------------------------------------------------- */

/* " center=yes", or what turns the means of a row off that subtracts them by
 * itself. */
static inline const char *other_center(const scant_algorithm *row) {
  return scant_list_has(row->options, "center") ? " center=yes" : " intercept=no";
}

/* "algorithm=aelr k=4 center=yes" on top of what is there. */
static inline void settings_add(scant_settings *settings, const char *list) {
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", list);
  for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    if (!CHECK(value != NULL)) return;
    *value++ = 0;
    /* Texts are not copied: the table's own name outlives every settings. */
    const scant_algorithm *row = scant_algorithm_find(value);
    scant_error error = {""};
    if (!CHECK(scant_settings_set(settings, name, row ? row->name : value, &error) == SCANT_OK))
      printf("#   %s\n", error.text);
  }
}

static inline scant_settings settings_from(const char *list) {
  scant_settings settings;
  scant_settings_init(&settings);
  settings.learning.algorithm = "aerr"; /* unless the list says otherwise */
  settings_add(&settings, list);
  /* A row that looks at everything takes no k, and one pass. */
  if (scant_algorithm_find(settings.learning.algorithm)->whole) settings.learning.k = 0, settings.learning.passes = 1;
  return settings;
}

/* The ends of the range of a real option, as text. */
static inline const char *option_smallest(const char *name, char *text, size_t size) {
  const scant_option *o = scant_option_find(name);
  snprintf(text, size, "%.17g", o->minimum);
  return text;
}

static inline const char *option_largest(const char *name, char *text, size_t size) {
  snprintf(text, size, "%.17g", scant_option_find(name)->maximum);
  return text;
}

/* ---- a small table --------------------------------------------------------- */

enum { TABLE_ROWS = 40, TABLE_DIMENSION = 12 };

typedef struct table {
  double x[TABLE_ROWS][TABLE_DIMENSION];
  double y[TABLE_ROWS]; /* -1 or +1, so that every loss takes it */
} table;

static inline void table_fill(table *t, uint64_t seed) {
  for (size_t row = 0; row < TABLE_ROWS; row++) {
    for (size_t i = 0; i < TABLE_DIMENSION; i++) t->x[row][i] = random_real(&seed);
    t->y[row] = t->x[row][0] - t->x[row][1] / 2 + random_real(&seed) / 4 > 0 ? 1 : -1;
  }
}

/* Two rows of three lose about a third of their values. */
static inline void table_punch(table *t, uint64_t seed) {
  for (size_t row = 0; row < TABLE_ROWS; row++)
    for (size_t i = 0; i < TABLE_DIMENSION; i++)
      if (row % 3 && random_below(&seed, 3) == 0) t->x[row][i] = NAN;
}

static inline scant_source *table_source(const table *t) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, t->x, TABLE_ROWS, TABLE_DIMENSION, sizeof *t->x, sizeof **t->x, t->y,
                          NULL) == SCANT_OK);
  return source;
}

/* The values that a look asks of a row. */
static inline const double *table_values(const table *t, size_t row, const scant_look *look) {
  static _Thread_local double values[TABLE_DIMENSION];
  for (uint32_t i = 0; i < look->count; i++) values[i] = t->x[row][look->attributes[i]];
  return values;
}

/* ---- a source that keeps a record ------------------------------------------- */

typedef struct recorder {
  const table *table;
  size_t calls;                                /* of the function below */
  size_t fail_at;                              /* the call that fails; 0: none */
  size_t visits[8 * TABLE_ROWS];               /* rows in the order of the calls */
  uint64_t cells[TABLE_ROWS][TABLE_DIMENSION]; /* how often each was read */
} recorder;

static inline scant_status recorder_fetch(void *user, size_t row, size_t count, const uint32_t *attributes,
                                          double *values, scant_error *error) {
  recorder *r = user;
  if (r->calls < sizeof r->visits / sizeof *r->visits) r->visits[r->calls] = row;
  if (++r->calls == r->fail_at) {
    if (error) snprintf(error->text, sizeof error->text, "the line is dead");
    return SCANT_IO;
  }
  for (size_t i = 0; i < count; i++) {
    values[i] = r->table->x[row][attributes[i]];
    r->cells[row][attributes[i]]++;
  }
  return SCANT_OK;
}

static inline scant_source *recorder_source(recorder *r) {
  scant_source *source = NULL;
  CHECK(scant_source_custom(&source, TABLE_ROWS, TABLE_DIMENSION, recorder_fetch, r, r->table->y, NULL) == SCANT_OK);
  return source;
}

/* ---- a learner's state ------------------------------------------------------- */

static inline scant_learner *learner_from(const char *list, size_t dimension, uint64_t horizon) {
  scant_settings settings = settings_from(list);
  scant_learner *learner = NULL;
  scant_error error = {""};
  if (!CHECK(scant_learner_new(&learner, &settings, dimension, horizon, &error) == SCANT_OK))
    printf("#   %s: %s\n", list, error.text);
  return learner;
}

static inline scant_look *look_for(const scant_learner *learner) {
  scant_look *look = NULL;
  CHECK(scant_look_new(&look, learner, NULL) == SCANT_OK);
  return look;
}

static inline void *bytes_copy(const void *bytes, size_t length) {
  void *copy = calloc(length + 1, 1);
  if (length) memcpy(copy, bytes, length);
  return copy;
}

/* A look is plain data: another copy of it is as good. */
static inline scant_look *look_copy(const scant_look *look) {
  scant_look *copy = calloc(1, sizeof *copy);
  *copy = *look;
  copy->capacity = look->count;
  copy->sequence_capacity = look->sequence_count;
  size_t count = look->count, whole = count * sizeof *copy->item, real = count * sizeof *copy->weight;
  copy->attributes = bytes_copy(look->attributes, whole);
  copy->item = bytes_copy(look->item, whole);
  copy->gradient_draws = bytes_copy(look->gradient_draws, whole);
  copy->residual_draws = bytes_copy(look->residual_draws, whole);
  copy->gradient_probability = bytes_copy(look->gradient_probability, real);
  copy->residual_probability = bytes_copy(look->residual_probability, real);
  copy->weight = bytes_copy(look->weight, real);
  copy->mean = bytes_copy(look->mean, real);
  copy->sequence = bytes_copy(look->sequence, look->sequence_count * sizeof *copy->sequence);
  return copy;
}

/* Everything that moves, as text; the caller frees it. */
static inline char *learner_text(const scant_learner *learner) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_learner_write_state(learner, &out);
  scant_json_close(&out, '}');
  CHECK(!out.failed);
  return out.text;
}

/* Are the states of two learners the same to the bit? */
static inline int same_state(const scant_learner *a, const scant_learner *b) {
  char *one = learner_text(a), *two = learner_text(b);
  int same = strcmp(one, two) == 0;
  free(one);
  free(two);
  return same;
}

/* Asks for and tells rows [from, to) of the table. */
static inline void learn_rows(scant_learner *learner, scant_look *look, const table *t, size_t from, size_t to) {
  for (size_t row = from; row < to; row++) {
    CHECK(scant_learner_ask(learner, look, NULL) == SCANT_OK);
    CHECK(scant_learner_tell(learner, look, look->count, look->attributes, table_values(t, row, look), t->y[row],
                             NULL) == SCANT_OK);
  }
}

/* ---- model files -------------------------------------------------------------- */

/* A whole file, ended with a NUL; the caller frees it. */
static inline char *read_whole(const char *path, size_t *length) {
  size_t most = 1 << 20;
  char *text = malloc(most);
  FILE *file = fopen(path, "rb");
  *length = 0;
  if (CHECK(file && text)) *length = fread(text, 1, most - 1, file);
  if (file) fclose(file);
  if (text) text[*length] = 0;
  return text;
}

/* What a model's file holds; the caller frees it. */
static inline char *model_text(const scant_model *model, const char *path) {
  scant_error error = {""};
  size_t length;
  if (!CHECK(scant_model_save(model, path, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return read_whole(path, &length);
}

#endif
