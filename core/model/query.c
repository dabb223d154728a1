#include "model/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "price/prices.h"
#include "joint/predictive.h"
#include "model/score.h"

static size_t largest_group(const scant_prices *p) {
  size_t largest = 0;
  for (size_t g = 0; p && g < p->items; g++)
    if (p->first[g + 1] - p->first[g] > largest) largest = p->first[g + 1] - p->first[g];
  return largest;
}

static int allocate(scant_query *q) {
  const scant_gaussian *g = q->model->gaussian;
  size_t d = q->model->dimension, m = largest_group(q->prices);
  q->place = scant_array(d, sizeof *q->place);
  q->told = scant_array(d, sizeof *q->told);
  q->way = scant_array(d, sizeof *q->way);
  q->choices = scant_array(d + 1, sizeof *q->choices);
  q->innovations = scant_array(g->count, sizeof *q->innovations);
  q->group_matrix = scant_array(m * m, sizeof *q->group_matrix);
  q->group_vector = scant_array(m, sizeof *q->group_vector);
  q->group_places = scant_array(m, sizeof *q->group_places);
  return q->place && q->told && q->way && q->choices && q->innovations && q->group_matrix && q->group_vector &&
         q->group_places && scant_conditional_init(&q->conditional, g, NULL) == SCANT_OK;
}

scant_status scant_query_new(scant_query **query, const scant_model *model, const scant_prices *prices,
                             scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  if (prices && prices->dimension != model->dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, and the model has %zu", prices->dimension,
                      model->dimension);
  scant_query *q = scant_array(1, sizeof *q);
  if (!q) return scant_fail_memory(error);
  q->model = model;
  q->prices = prices;
  if (!allocate(q)) {
    scant_query_free(q);
    return scant_fail_memory(error);
  }
  const scant_gaussian *g = model->gaussian;
  for (size_t i = 0; i < model->dimension; i++) q->place[i] = (uint32_t)g->count;
  for (size_t i = 0; i < g->count; i++) q->place[g->attributes[i]] = (uint32_t)i;
  q->choices[0].attribute = SCANT_CHOICE_UNKNOWN;
  scant_query_reset(q);
  *query = q;
  return SCANT_OK;
}

void scant_query_free(scant_query *query) {
  if (!query) return;
  scant_conditional_free(&query->conditional);
  free(query->place);
  free(query->told);
  free(query->way);
  free(query->choices);
  free(query->innovations);
  free(query->group_matrix);
  free(query->group_vector);
  free(query->group_places);
  free(query);
}

void scant_query_reset(scant_query *query) {
  const scant_gaussian *g = query->model->gaussian;
  memset(query->told, 0, query->model->dimension);
  query->steps = query->depth = 0;
  query->mean = g->mean[g->count];
  query->variance = scant_gaussian_covariance(g, g->count, g->count);
}

/* Cuts off the kept way where this example leaves it. */
void scant_query_part(scant_query *q) {
  q->way_length = q->steps;
  if (q->conditional.depth > q->depth) scant_conditional_rewind(&q->conditional, q->depth);
}

const scant_choice *scant_query_find(scant_query *query, uint64_t most) {
  scant_choice *choice = &query->choices[query->steps];
  if (choice->attribute == SCANT_CHOICE_UNKNOWN || choice->most != most) {
    scant_query_part(query);
    *choice = scant_query_choose(query, most);
  }
  return choice;
}

int scant_query_next(scant_query *query, uint32_t *attribute) {
  const scant_choice *choice = scant_query_find(query, UINT64_MAX);
  if (choice->attribute == SCANT_CHOICE_NONE) return 0;
  *attribute = choice->attribute;
  return 1;
}

/* Adds a step that the kept way does not have. */
static scant_status go_on(scant_query *q, uint32_t attribute, int has_value, scant_error *error) {
  size_t place = q->place[attribute];
  scant_query_part(q);
  if (has_value && place < q->model->gaussian->count && scant_conditional_varies(&q->conditional, place))
    SCANT_TRY(scant_conditional_add(&q->conditional, place, error));
  q->way[q->steps] = (scant_query_step){attribute, has_value, q->conditional.depth};
  q->way_length = q->steps + 1;
  q->choices[q->way_length].attribute = SCANT_CHOICE_UNKNOWN;
  return SCANT_OK;
}

scant_status scant_query_tell(scant_query *query, uint32_t attribute, double value, scant_error *error) {
  scant_query *q = query;
  if (attribute >= q->model->dimension)
    return scant_fail(error, SCANT_MISUSE, "there is no attribute %lu: the model has %zu", (unsigned long)attribute,
                      q->model->dimension);
  if (q->told[attribute])
    return scant_fail(error, SCANT_MISUSE, "attribute %lu was told already", (unsigned long)attribute);
  if (isinf(value))
    return scant_fail(error, SCANT_DATA, "the value of attribute %lu is not finite", (unsigned long)attribute);
  int has_value = !isnan(value);
  const scant_query_step *step = &q->way[q->steps];
  if (q->steps >= q->way_length || step->attribute != attribute || step->has_value != has_value)
    SCANT_TRY(go_on(q, attribute, has_value, error));
  q->told[attribute] = 1;
  if (step->depth > q->depth) {
    size_t t = q->depth++;
    double target = scant_conditional_column(&q->conditional, t)[q->conditional.variables - 1];
    value = scant_model_clip(q->model, attribute, value);
    q->innovations[t] = scant_conditional_innovation(&q->conditional, t, value, q->innovations);
    q->mean += target * q->innovations[t];
    q->variance = fmax(q->variance - target * target, 0);
  }
  q->steps++;
  return SCANT_OK;
}

void scant_query_expect(const scant_query *query, double level, scant_prediction *prediction) {
  scant_gaussian_predict(query->model->gaussian, query->mean, query->variance, level, prediction);
}

void scant_query_predict(const scant_query *query, double level, scant_prediction *prediction) {
  scant_query_expect(query, level, prediction);
  if (query->model->settings.reading.log_target) scant_prediction_unlog(prediction);
}

double scant_query_sure(const scant_query *query, double *value) {
  const scant_gaussian *g = query->model->gaussian;
  *value = NAN;
  if (!g->two_valued) return NAN;
  double p = scant_gaussian_probability(g, query->mean, query->variance);
  *value = g->values[p >= 0.5];
  if (query->model->settings.reading.log_target) *value = expm1(*value);
  return p >= 0.5 ? p : 1 - p;
}

int scant_query_is_told(const scant_query *query, uint32_t attribute) {
  return attribute < query->model->dimension && query->told[attribute];
}

uint64_t scant_query_price(const scant_query *query, uint32_t attribute) {
  const scant_prices *p = query->prices;
  if (!p || attribute >= p->dimension) return 0;
  uint32_t item = p->item[attribute];
  for (uint32_t r = p->first[item]; r < p->first[item + 1]; r++)
    if (query->told[p->members[r]]) return 0;
  return p->cost[item];
}
