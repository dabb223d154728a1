/* The looks of a study on file. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "fit/looks_file.h"
#include "study/study.h"

static const char *name_at(const void *study, size_t i) {
  return ((const scant_study *)study)->catalogue[i].name;
}

/* Adds s->order, whose look is in the ledger.  `paid` has room for every attribute. */
static scant_status add_order(scant_study *s, scant_looks_file *file, double *paid, scant_error *error) {
  scant_look *look;
  SCANT_TRY(study_load_look(s, &look, error));
  for (size_t i = 0; i < s->order.count; i++) {
    s->values[i] = s->lines[i].value;
    paid[i] = s->unpriced ? NAN : (double)s->lines[i].price / 100;
  }
  const scant_looks_example bought = {.example = s->order.number - 1,
                                      .label = s->order.example,
                                      .values = s->values,
                                      .y = s->order.y,
                                      .paid = paid,
                                      .foreign = 1};
  scant_status status = scant_looks_file_add(file, &bought, s->learner, look, error);
  scant_look_free(look);
  return status;
}

static scant_status add_orders(scant_study *s, scant_looks_file *file, double *paid, scant_error *error) {
  sqlite3_stmt *walk;
  uint64_t number = 0;
  SCANT_TRY(study_walk_learned(s, &walk, error));
  for (int more = 1;;) {
    SCANT_TRY(study_next_learned(s, walk, &number, &more, error));
    if (!more) return SCANT_OK;
    SCANT_TRY(add_order(s, file, paid, error));
  }
}

static scant_status write_looks(scant_study *s, const char *path, const char *pairs, scant_error *error) {
  scant_looks_file *file = NULL;
  double *paid = scant_array(s->dimension, sizeof *paid);
  scant_status status =
      paid ? scant_looks_file_new(&file, path, pairs, s->dimension, name_at, s, error) : scant_fail_memory(error);
  if (status == SCANT_OK) status = add_orders(s, file, paid, error);
  if (status == SCANT_OK)
    status = scant_looks_file_end(file, error);
  else
    scant_looks_file_free(file);
  free(paid);
  return status;
}

scant_status scant_study_looks(scant_study *study, const char *path, const char *pairs, scant_error *error) {
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, write_looks(study, path, pairs, error));
}
