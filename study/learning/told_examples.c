/* All that was told of examples with a target, as a table. */
#include "study.h"

static scant_status add_row(const scant_study *s, study_table *t, double **x, double y, scant_error *error) {
  if (!scant_grow(&t->x, &t->room, (t->rows + 1) * s->dimension, sizeof *t->x) ||
      !scant_grow(&t->y, &t->y_room, t->rows + 1, sizeof *t->y))
    return scant_fail_memory(error);
  *x = t->x + t->rows * s->dimension;
  for (size_t i = 0; i < s->dimension; i++) (*x)[i] = NAN;
  t->y[t->rows++] = y;
  return SCANT_OK;
}

scant_status study_gather(scant_study *s, study_table *table, scant_error *error) {
  double *x;
  int more;
  sqlite3_stmt *walk;
  SCANT_TRY(study_walk_learned(s, &walk, error));
  for (uint64_t number = 0;;) {
    SCANT_TRY(study_next_learned(s, walk, &number, &more, error));
    if (!more) break;
    SCANT_TRY(add_row(s, table, &x, s->order.y, error));
    for (size_t i = 0; i < s->order.count; i++) x[s->lines[i].attribute] = s->lines[i].value;
    for (size_t i = 0; i < s->order.extra_count; i++) x[s->extras[i].attribute] = s->extras[i].value;
  }
  SCANT_TRY(study_walk_imports(s, &walk, error));
  for (uint64_t sequence = 0;;) {
    SCANT_TRY(study_next_import(s, walk, &sequence, &more, error));
    if (!more) return SCANT_OK;
    double y = NAN;
    for (size_t i = 0; i < s->event.count; i++)
      if (s->event.told[i].attribute < 0) y = s->event.told[i].value;
    SCANT_TRY(add_row(s, table, &x, y, error));
    for (size_t i = 0; i < s->event.count; i++)
      if (s->event.told[i].attribute >= 0) x[s->event.told[i].attribute] = s->event.told[i].value;
  }
}

/* The attributes that can be bought from now on: a plan must not buy what is retired. */
typedef struct {
  uint32_t *places;
  size_t count;
} offer;

static scant_status find_offer(const scant_study *s, offer *o, scant_error *error) {
  *o = (offer){.places = scant_array(s->dimension, sizeof *o->places)};
  if (!o->places) return scant_fail_memory(error);
  for (uint32_t i = 0; i < s->dimension; i++)
    if (!s->catalogue[i].retired) o->places[o->count++] = i;
  if (o->count) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "all attributes of the study are retired");
}

/* Takes the values of the table, without those of retired attributes. */
static scant_status make_source(const scant_study *s, const offer *o, study_table *t, scant_source **source,
                                scant_error *error) {
  if (!t->rows) return scant_fail(error, SCANT_DATA, "the study has learned from no example yet");
  const char **names = scant_array(o->count, sizeof *names);
  if (!names) return scant_fail_memory(error);
  for (size_t i = 0; i < o->count; i++) names[i] = s->catalogue[o->places[i]].name;
  double *x = t->x, *to = x;
  for (size_t row = 0; row < t->rows; row++)
    for (size_t i = 0; i < o->count; i++) *to++ = x[row * s->dimension + o->places[i]];
  t->x = NULL;
  scant_status status = scant_source_take(source, x, t->rows, o->count, t->y, error);
  if (status == SCANT_OK) status = scant_source_set_names(*source, names, s->target, error);
  free(names);
  return status;
}

/* Those of the catalogue; where nothing has a cost, but some attributes are known or in groups, each other item costs
 * 1.  Groups are numbered by their first members. */
static scant_status copy_prices(const scant_study *s, const offer *o, scant_prices **prices, scant_error *error) {
  if (!s->prices) return SCANT_OK;
  uint64_t *costs = scant_array(o->count, sizeof *costs);
  uint32_t *groups = scant_array(o->count, sizeof *groups), *first = scant_array(s->dimension + 1, sizeof *first);
  scant_status status = costs && groups && first ? SCANT_OK : scant_fail_memory(error);
  for (uint32_t i = 0; status == SCANT_OK && i < o->count; i++) {
    uint32_t place = o->places[i], group = s->group[place];
    int later = group && first[group];
    if (group && !later) first[group] = i + 1;
    groups[i] = group ? first[group] : 0;
    costs[i] = !s->unpriced ? scant_prices_cost(s->prices, place) : later || s->catalogue[place].known ? 0 : 100;
  }
  if (status == SCANT_OK) status = scant_prices_new(prices, o->count, costs, groups, error);
  free(costs);
  free(groups);
  free(first);
  return status;
}

scant_status scant_study_examples(scant_study *study, scant_source **source, scant_prices **prices,
                                  scant_error *error) {
  study_table t = {0};
  offer o = {0};
  scant_source *made = NULL;
  scant_prices *costs = NULL;
  SCANT_TRY(study_enter(study, error));
  scant_status status = study_leave(study, study_gather(study, &t, error));
  if (status == SCANT_OK) status = find_offer(study, &o, error);
  if (status == SCANT_OK) status = make_source(study, &o, &t, &made, error);
  if (status == SCANT_OK) status = copy_prices(study, &o, &costs, error);
  free(o.places);
  free(t.x);
  free(t.y);
  if (status != SCANT_OK) {
    scant_source_free(made);
    return status;
  }
  *source = made;
  *prices = costs;
  return SCANT_OK;
}
