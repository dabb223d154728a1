/* One example's prediction while its attributes are told: what to ask for next, and when to stop. */
#include "model/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "joint/joint.h"

#define CHOICE_NONE UINT32_MAX          /* nothing would help */
#define CHOICE_UNKNOWN (UINT32_MAX - 1) /* not chosen yet */

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
  q->choices[0].attribute = CHOICE_UNKNOWN;
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

/* ---- which attribute lowers the variance of the prediction most ----------------- */

/* Drops the steps of the last example that this one does not share, and rewinds the factor to this example. */
static void rewind_to_example(scant_query *q) {
  q->way_length = q->steps;
  if (q->conditional.depth > q->depth) scant_conditional_rewind(&q->conditional, q->depth);
}

/* How far the attribute at a place would lower the variance of the target. */
static double reduction(const scant_conditional *c, size_t place) {
  if (!scant_conditional_varies(c, place)) return 0;
  return c->covariance[place] / c->variance[place] * c->covariance[place];
}

/* How far `count` attributes together would lower the variance of the target: b' A^-1 b of their conditional
 * covariances A and those with the target b, as the squared length of L^-1 b with A = L L'.  One that follows from
 * those before it adds nothing. */
static double joint_reduction(scant_query *q, size_t count) {
  const scant_conditional *c = &q->conditional;
  double sum = 0, *b = q->group_vector;
  for (size_t i = 0; i < count; i++) {
    double *row = q->group_matrix + i * count;
    size_t place = q->group_places[i];
    double left = c->variance[place];
    b[i] = c->covariance[place];
    for (size_t j = 0; j < i; j++) {
      const double *other = q->group_matrix + j * count;
      row[j] = 0;
      if (!(other[j] > 0)) continue;
      double covariance = scant_conditional_covariance(c, place, q->group_places[j]);
      for (size_t s = 0; s < j; s++) covariance -= row[s] * other[s];
      row[j] = covariance / other[j];
      left -= row[j] * row[j];
      b[i] -= row[j] * b[j];
    }
    row[i] = left > SCANT_GAUSSIAN_DEPENDENT * scant_gaussian_covariance(c->gaussian, place, place) ? sqrt(left) : 0;
    b[i] = row[i] > 0 ? b[i] / row[i] : 0;
    sum += b[i] * b[i];
  }
  return sum;
}

/* The offer of an item, whose `variance` is how far it lowers the variance until scant_query_offers replaces it. */
static scant_offer offer_of_item(scant_query *q, size_t item) {
  const scant_prices *p = q->prices;
  scant_offer o = {.attribute = CHOICE_NONE, .price = p->cost[item]};
  size_t count = 0;
  double most = -1;
  for (uint32_t r = p->first[item]; r < p->first[item + 1]; r++) {
    uint32_t attribute = p->members[r], place = q->place[attribute];
    if (q->told[attribute]) o.price = 0; /* bought already, and all of the group with it */
    if (q->told[attribute] || place >= q->model->gaussian->count) continue;
    double alone = reduction(&q->conditional, place);
    if (alone > most) o.attribute = attribute;
    most = fmax(most, alone);
    q->group_places[count++] = place;
  }
  if (count) o.variance = count == 1 ? most : joint_reduction(q, count);
  return o;
}

/* Without prices every attribute is an item that costs nothing. */
static scant_offer offer_at(scant_query *q, size_t index) {
  if (q->prices) return offer_of_item(q, index);
  uint32_t attribute = q->model->gaussian->attributes[index];
  return (scant_offer){.attribute = attribute, .variance = q->told[attribute] ? 0 : reduction(&q->conditional, index)};
}

/* Free items come first, then the item that lowers the variance most per cost. */
static int is_better(const scant_offer *a, const scant_offer *b) {
  if (!a->price != !b->price) return !a->price;
  return a->price ? a->variance / (double)a->price > b->variance / (double)b->price : a->variance > b->variance;
}

/* The best `count` offers that cost at most `most`, in order; returns their number.  *dear: a dearer one would help. */
static size_t find_offers(scant_query *q, uint64_t most, scant_offer *offers, size_t count, int *dear) {
  const scant_gaussian *g = q->model->gaussian;
  size_t kept = 0, items = q->prices ? q->prices->items : g->count;
  double rounding = 1e-12 * scant_gaussian_covariance(g, g->count, g->count);
  *dear = 0;
  rewind_to_example(q);
  for (size_t i = 0; i < items; i++) {
    scant_offer o = offer_at(q, i);
    if (!(o.variance > rounding)) continue;
    if (o.price > most) {
      *dear = 1;
      continue;
    }
    size_t at = kept;
    while (at > 0 && is_better(&o, &offers[at - 1])) at--;
    if (at == count) continue;
    if (kept < count) kept++;
    for (size_t r = kept - 1; r > at; r--) offers[r] = offers[r - 1];
    offers[at] = o;
  }
  return kept;
}

size_t scant_query_offers(scant_query *query, double level, uint64_t most, scant_offer *offers, size_t count) {
  const scant_model *model = query->model;
  int dear;
  size_t kept = find_offers(query, most, offers, count, &dear);
  for (size_t i = 0; i < kept; i++)
    scant_gaussian_foresee(model->gaussian, query->mean, query->variance, level, model->settings.reading.log_target,
                           &offers[i]);
  return kept;
}

/* What to ask for next among what costs at most `most`, kept from the last example where that was told the same. */
static const scant_choice *find_choice(scant_query *q, uint64_t most) {
  scant_choice *choice = &q->choices[q->steps];
  if (choice->attribute == CHOICE_UNKNOWN || choice->most != most) {
    scant_offer best = {.attribute = CHOICE_NONE};
    int dear;
    find_offers(q, most, &best, 1, &dear);
    *choice = (scant_choice){best.attribute, dear, most};
  }
  return choice;
}

int scant_query_next(scant_query *query, uint32_t *attribute) {
  const scant_choice *choice = find_choice(query, UINT64_MAX);
  if (choice->attribute == CHOICE_NONE) return 0;
  *attribute = choice->attribute;
  return 1;
}

/* ---- telling and predicting ------------------------------------------------------ */

/* Adds a step that the kept way does not have. */
static scant_status go_on(scant_query *q, uint32_t attribute, int has_value, scant_error *error) {
  size_t place = q->place[attribute];
  rewind_to_example(q);
  if (has_value && place < q->model->gaussian->count && scant_conditional_varies(&q->conditional, place))
    SCANT_TRY(scant_conditional_add(&q->conditional, place, error));
  q->way[q->steps] = (scant_query_step){attribute, has_value, q->conditional.depth};
  q->way_length = q->steps + 1;
  q->choices[q->way_length].attribute = CHOICE_UNKNOWN;
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

/* ---- when to stop ---------------------------------------------------------------- */

const char *scant_verdict_name(scant_verdict verdict) {
  static const char *const names[SCANT_VERDICTS] = {"buy", "sure", "width", "k", "spend", "nothing"};
  return (unsigned)verdict < SCANT_VERDICTS ? names[verdict] : NULL;
}

scant_status scant_stop_check(const scant_stop *stop, const scant_model *model, const scant_prices *prices,
                              double level, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check_k(model, stop->k, error));
  if (stop->spend && !prices)
    return scant_fail(error, SCANT_USAGE, "spend needs prices, and the model was fitted without costs");
  if (stop->width != 0 && !(stop->width > 0 && isfinite(stop->width)))
    return scant_fail(error, SCANT_USAGE, "the width to stop at must be above 0, and it is %.6g", stop->width);
  if (stop->width > 0 && !(level > 0 && level < 1))
    return scant_fail(error, SCANT_USAGE, "stopping by the width of the interval needs a level between 0 and 1");
  if (stop->sure != 0 && !(stop->sure > 0.5 && stop->sure < 1))
    return scant_fail(error, SCANT_USAGE, "the probability to stop at must be above 0.5 and below 1, and it is %.6g",
                      stop->sure);
  if (stop->sure > 0 && !model->gaussian->two_valued)
    return scant_fail(error, SCANT_USAGE,
                      "stopping once one value is sure needs a target of two values, and the target of this model is "
                      "a number: stop by the width of its interval");
  return SCANT_OK;
}

static int is_narrow(const scant_query *q, const scant_stop *stop, double level) {
  scant_prediction p;
  scant_query_predict(q, level, &p);
  return p.high - p.low <= stop->width;
}

static int is_sure(const scant_query *q, const scant_stop *stop) {
  double value;
  return scant_query_sure(q, &value) >= stop->sure;
}

scant_verdict scant_query_judge(scant_query *query, const scant_stop *stop, uint64_t most, double level,
                                uint64_t bought, uint64_t spent, uint32_t *attribute) {
  uint64_t left = stop->spend ? stop->spend - (spent < stop->spend ? spent : stop->spend) : UINT64_MAX;
  const scant_choice *choice = find_choice(query, left);
  *attribute = choice->attribute;
  if (choice->attribute != CHOICE_NONE && query->prices && !scant_query_price(query, choice->attribute))
    return SCANT_VERDICT_BUY;
  if (stop->sure > 0 && is_sure(query, stop)) return SCANT_VERDICT_SURE;
  if (stop->width > 0 && is_narrow(query, stop, level)) return SCANT_VERDICT_WIDTH;
  if (choice->attribute == CHOICE_NONE) return choice->dear ? SCANT_VERDICT_SPEND : SCANT_VERDICT_NOTHING;
  return bought >= most ? SCANT_VERDICT_K : SCANT_VERDICT_BUY;
}

scant_verdict scant_query_decide(scant_query *query, const scant_stop *stop, double level, uint64_t bought,
                                 uint64_t spent, uint32_t *attribute) {
  static const scant_stop never = {0};
  if (!stop) stop = &never;
  return scant_query_judge(query, stop, stop->k ? stop->k : UINT64_MAX, level, bought, spent, attribute);
}
