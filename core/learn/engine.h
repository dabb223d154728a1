/* What core asks of engines (scant_engine.h): each function makes a view of the learner and calls its engine. */
#ifndef SCANT_LEARN_ENGINE_H
#define SCANT_LEARN_ENGINE_H

#include "scant_engine.h"

/* The looks of an engine are a kind of their own: its function `look` draws them.  Those of the second kind follow
 * prices. */
extern const struct scant_look_kind scant_look_by_engine;
extern const struct scant_look_kind scant_look_by_engine_for_prices;

/* The engine of an algorithm in a list ended by NULL (which may be NULL), or NULL. */
const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm);

/* For a call that may change something. */
scant_engine_view scant_engine_view_of(scant_learner *l);

scant_status scant_engine_open(scant_learner *l, scant_error *error);
scant_status scant_engine_check_prices(const scant_learner *l, const scant_prices *prices, scant_error *error);

/* Learns from the checked rows of a block and closes their look. */
scant_status scant_engine_tell(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error);

void scant_engine_weights(const scant_learner *l, double *w, double *intercept);
void scant_engine_facts(const scant_learner *l, scant_learner_facts *facts);
int scant_engine_limits(const scant_learner *l, double *low, double *high); /* 0: it does not clip */
void scant_engine_save(const scant_learner *l, scant_json_writer *out);
scant_status scant_engine_restore(scant_learner *l, const scant_json *json, size_t node, scant_error *error);

/* The engine must have `judge`. */
scant_status scant_engine_judge(scant_learner *l, const double *w, double *risk, double *risk_error,
                                scant_error *error);

/* 0 and nothing where the law of its looks does not matter, as without an engine. */
uint64_t scant_engine_law(const scant_learner *l);
scant_status scant_engine_turn(scant_learner *l, scant_error *error);

/* Adds what the other learner was told, which is used up; the engine must have `merge`. */
scant_status scant_engine_merge(scant_learner *l, scant_learner *other, scant_error *error);

#endif
