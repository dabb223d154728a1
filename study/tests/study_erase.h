/* What tests of erasures share: a study with a person in it, and a search for every byte of that person. */
#ifndef SCANT_TESTS_STUDY_ERASE_H
#define SCANT_TESTS_STUDY_ERASE_H

#include <dirent.h>

#include "study_bytes.h"
#include "study_calls.h"
#include "study_dense.h"

enum { D = 8, OTHERS = 14, PLANTED_MOST = 64 };
#define NAME "Zacharias-Quux-Person"

/* ---- searching bytes -------------------------------------------------------------------- */

/* What was told of the person: numbers that no other example has. */
static double planted[PLANTED_MOST];
static size_t planted_count;

static inline double plant(void) {
  double x = 1.2345678901234567 + 0.0137931034482758 * (double)planted_count;
  CHECK(planted_count < PLANTED_MOST);
  return planted[planted_count++] = x;
}

/* How many planted things are in a file; `name` counts apart. */
static inline void search_file(const char *path, size_t *values, size_t *names) {
  size_t length;
  char *text = read_bytes(path, &length);
  if (!text) return;
  for (size_t i = 0; i < planted_count; i++) *values += (size_t)has_value(text, length, planted[i]);
  *names += (size_t)has_bytes(text, length, NAME, strlen(NAME));
  free(text);
}

/* In every file of the folder, and of the one for temporary files. */
static inline void search(size_t *values, size_t *names) {
  DIR *folder = opendir(study_folder);
  if (!CHECK(folder != NULL)) exit(1);
  *values = *names = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char path[800];
    snprintf(path, sizeof path, "%s/%s", study_folder, entry->d_name);
    if (entry->d_name[0] != '.') search_file(path, values, names);
  }
  closedir(folder);
}

static inline void check_gone(const char *what) {
  size_t values, names;
  search(&values, &names);
  if (!CHECK(!values && !names)) printf("#   %s: %zu values and %zu names are there\n", what, values, names);
}

/* ---- a study with a person in it ------------------------------------------------------------ */

/* How far the person came. */
typedef enum {
  OPEN,
  HALF,
  LEARNED,
  CANCELLED,
  EXPIRED,
  FAILED,
  CORRECTED,
  IMPORTED,
  ASKED_TWICE,
  REOPENED,
  ENTERED_TWICE,
  IMPORT_CORRECTED,
  EXTRA,
  STAGES
} stage;

/* Lines first to end - 1 of the person's order, and the target. */
static inline void tell_planted(scant_study *study, size_t first, size_t end, int y) {
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  size_t count = 0;
  GOOD(scant_study_find(study, NAME, &o, &said));
  for (size_t i = first; i < o->count && i < end; i++)
    answers[count++] = (scant_study_answer){.name = study->catalogue[o->lines[i].attribute].name, .value = plant()};
  if (y) answers[count++] = (scant_study_answer){.name = "y", .value = plant()};
  GOOD(scant_study_tell(study, NAME, answers, count, &said));
}

static inline void import_planted(scant_study *study) {
  scant_study_answer answers[3] = {
      {.name = "a1", .value = plant()}, {.name = "a4", .value = plant()}, {.name = "y", .value = plant()}};
  GOOD(scant_study_import(study, NAME, answers, 3, &said));
}

static inline void correct_planted(scant_study *study) {
  scant_study_answer y = {.name = "y", .value = plant()};
  GOOD(scant_study_correct(study, NAME, &y, 1, "a slip of " NAME, &said));
}

/* Another value than the first, so that both are kept. */
static inline void enter_again(scant_study *study) {
  scant_study_comparison comparison;
  scant_study_answer y = {.name = "y", .value = plant()};
  GOOD(scant_study_tell_second(study, NAME, &y, 1, &comparison, &said));
  CHECK(comparison.differ == 1);
}

/* An attribute that was not ordered. */
static inline void tell_extra(scant_study *study) {
  const scant_study_order *o;
  scant_study_answer answer = {0};
  GOOD(scant_study_find(study, NAME, &o, &said));
  for (uint32_t j = 1; j < D && !answer.name; j++) {
    size_t i = 0;
    while (i < o->count && o->lines[i].attribute != j) i++;
    if (i == o->count) answer.name = study->catalogue[j].name;
  }
  if (!answer.name) return; /* everything was */
  answer.value = plant();
  GOOD(scant_study_tell_extra(study, NAME, &answer, 1, "measured of " NAME, NULL, &said));
}

static inline void add_person(scant_study *study, stage s) {
  const scant_study_order *o;
  if (s == IMPORTED || s == IMPORT_CORRECTED) {
    import_planted(study);
    if (s == IMPORT_CORRECTED) correct_planted(study);
    return;
  }
  GOOD(scant_study_ask(study, NAME, &o, &said));
  if (s == OPEN) return;
  if (s == ASKED_TWICE) {
    GOOD(scant_study_end_order(study, NAME, SCANT_END_CANCEL, "as " NAME " wished", &said));
    learn_many(study, 50, 1);
    GOOD(scant_study_ask(study, NAME, &o, &said));
  }
  tell_planted(study, 0, 1, 0);
  if (s == HALF) return;
  learn_many(study, 60, 1);
  if (s == CANCELLED || s == FAILED || s == EXPIRED || s == REOPENED) {
    scant_study_end how = s == CANCELLED ? SCANT_END_CANCEL : s == FAILED ? SCANT_END_FAIL : SCANT_END_EXPIRE;
    GOOD(scant_study_end_order(study, NAME, how, NAME " left", &said));
    if (s != REOPENED) return;
    GOOD(scant_study_reopen(study, NAME, NAME " is back", &said));
  }
  tell_planted(study, 1, D, 1);
  if (s == CORRECTED) correct_planted(study);
  if (s == ENTERED_TWICE) enter_again(study);
  if (s == EXTRA) tell_extra(study);
}

static const char *const algorithms[] = {"algorithm=auto k=3 seed=5 budget-cost=900",
                                         "algorithm=gaussian k=3 seed=5 budget-cost=900", "algorithm=ridge k=4 seed=2"};

/* Others before, the person, others behind; kept in a snapshot, and closed and opened so that the log was taken over.
 */
static inline scant_study *make_full(const char *path, const char *settings, stage s) {
  test_state = 7;
  planted_count = 0;
  scant_study *study = make_dense(path, settings, D, PRICED);
  hurry(study);
  learn_many(study, 0, OTHERS);
  add_person(study, s);
  for (int i = 0; i < 4; i++) {
    learn_many(study, OTHERS + i, 1);
    scant_study_close(study);
    study = open_dense(path, SCANT_STUDY_WRITE);
    hurry(study);
  }
  learn_many(study, OTHERS + 4, 1);
  return study;
}

#endif
