/* The looks of a study on file. */
#include "export/export.h"

typedef struct {
  scant_study *s;
  scant_looks_file *file;
  study_pseudonyms names;
  double *paid;       /* room for every attribute */
  sqlite3_stmt *walk; /* over the orders that were learned */
  uint64_t number;    /* of the next of them, which is s->order */
  int more;           /* there is one */
} export;

static scant_status next_order(export *x, scant_error *error) {
  return study_next_learned(x->s, x->walk, &x->number, &x->more, error);
}

/* Adds s->order.  `given`: its look can't be drawn again.  `learner` drew the look, or is of the same algorithm. */
static scant_status add_order(export *x, const scant_learner *learner, const scant_look *look, int given,
                              scant_error *error) {
  scant_study *s = x->s;
  for (size_t i = 0; i < s->order.count; i++) {
    s->values[i] = s->lines[i].value;
    x->paid[i] = s->unpriced ? NAN : (double)s->lines[i].price / 100;
  }
  const scant_looks_example bought = {.example = s->order.number - 1,
                                      .label = study_pseudonym(&x->names, STUDY_EXAMPLES, s->order.example),
                                      .values = s->values,
                                      .y = s->order.y,
                                      .paid = x->paid,
                                      .foreign = 1};
  int unknown;
  SCANT_TRY(scant_looks_file_add(x->file, &bought, learner, look, &unknown, error));
  s->unknown_looks += (uint64_t)unknown;
  s->unknown_given += (uint64_t)(unknown && given);
  return SCANT_OK;
}

/* By the look in the ledger alone. */
static scant_status add_given(export *x, scant_error *error) {
  scant_look *look;
  SCANT_TRY(study_load_look(x->s, &look, error));
  if (x->s->asked < x->s->amended) look->learner = 0; /* the current law did not draw it */
  scant_status status = add_order(x, x->s->learner, look, 1, error);
  scant_look_free(look);
  return status;
}

/* The learner that drew the look is known, and so are all chances. */
static scant_status see_ask(void *user, const scant_study *twin, uint64_t order, scant_error *error) {
  export *x = user;
  if (!x->more || order != x->number) return SCANT_OK; /* it was not learned from */
  SCANT_TRY(twin->exact ? add_order(x, twin->learner, twin->drawn, 0, error) : add_given(x, error));
  return next_order(x, error);
}

/* Some chances depend on the law of the moment, which is gone: for these the ledger is done again. */
static scant_status add_orders(export *x, scant_error *error) {
  SCANT_TRY(study_walk_learned(x->s, &x->walk, error));
  SCANT_TRY(next_order(x, error));
  scant_learner_traits traits;
  scant_learner_get_traits(x->s->learner, &traits);
  if (x->more && traits.fleeting) SCANT_TRY(study_see_asks(x->s, see_ask, x, error));
  while (x->more) {
    SCANT_TRY(add_given(x, error));
    SCANT_TRY(next_order(x, error));
  }
  return SCANT_OK;
}

static scant_status write_looks(scant_study *s, const char *path, const char *pairs, int pseudonyms,
                                scant_error *error) {
  export x = {.s = s, .paid = scant_array(s->dimension, sizeof *x.paid)};
  s->unknown_looks = s->unknown_given = 0;
  scant_status status = x.paid ? study_pseudonyms_begin(s, pseudonyms, &x.names, error) : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_looks_file_new(&x.file, path, pairs, s->dimension, study_name_at, s, error);
  if (status == SCANT_OK) status = add_orders(&x, error);
  if (status == SCANT_OK)
    status = scant_looks_file_end(x.file, error);
  else
    scant_looks_file_free(x.file);
  free(x.paid);
  return status;
}

scant_status scant_study_export_looks(scant_study *study, const char *path, const char *pairs, int pseudonyms,
                                      scant_error *error) {
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, write_looks(study, path, pairs, pseudonyms, error));
}

uint64_t scant_study_unknown_looks(const scant_study *study, uint64_t *given) {
  if (given) *given = study->unknown_given;
  return study->unknown_looks;
}
