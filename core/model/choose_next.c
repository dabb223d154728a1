/* Which attributes lower the variance of the prediction most. */
#include <math.h>

#include "joint/predictive.h"
#include "price/prices.h"
#include "model/query.h"

/* Less than this share of the target's variance is rounding. */
#define NOTHING 1e-12

/* How far the attribute at a place would lower the variance of the target. */
static double reduction(const scant_conditional *c, size_t place) {
  if (!scant_conditional_varies(c, place)) return 0;
  return c->covariance[place] / c->variance[place] * c->covariance[place];
}

static int may_ask(const scant_query *q, uint32_t attribute) {
  return q->place[attribute] < q->model->gaussian->count && !q->told[attribute];
}

static double least(const scant_query *q) {
  const scant_gaussian *g = q->model->gaussian;
  return NOTHING * scant_gaussian_covariance(g, g->count, g->count);
}

/* How far `count` attributes together would lower the variance of the target:
 * b' A^-1 b of their conditional covariances A and those with the target b, as
 * the squared length of L^-1 b with A = L L'.  One that follows from those before
 * it adds nothing. */
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

/* An offer of an item: how far it lowers the variance, what it costs, and which of its attributes to begin with. */
typedef struct {
  double lowers;
  uint64_t cost;
  uint32_t attribute;
} offer;

static offer offer_of_item(scant_query *q, size_t item) {
  const scant_prices *p = q->prices;
  offer o = {0, p->cost[item], SCANT_CHOICE_NONE};
  size_t count = 0;
  double most = -1;
  for (uint32_t r = p->first[item]; r < p->first[item + 1]; r++) {
    uint32_t attribute = p->members[r];
    if (q->told[attribute]) o.cost = 0; /* bought already, and all of the group with it */
    if (!may_ask(q, attribute)) continue;
    double alone = reduction(&q->conditional, q->place[attribute]);
    if (alone > most) o.attribute = attribute;
    most = fmax(most, alone);
    q->group_places[count++] = q->place[attribute];
  }
  if (count) o.lowers = count == 1 ? most : joint_reduction(q, count);
  return o;
}

static size_t offer_count(const scant_query *q) {
  return q->prices ? q->prices->items : q->model->gaussian->count;
}

/* Without prices every attribute is an item and costs the same, which counts as 1 here. */
static offer offer_at(scant_query *q, size_t index) {
  if (q->prices) return offer_of_item(q, index);
  uint32_t attribute = q->model->gaussian->attributes[index];
  return (offer){q->told[attribute] ? 0 : reduction(&q->conditional, index), 1, attribute};
}

/* Free items come first, then the item that lowers the variance most per cost. */
static int is_better(const offer *a, const offer *b) {
  if (!a->cost != !b->cost) return !a->cost;
  return a->cost ? a->lowers / (double)a->cost > b->lowers / (double)b->cost : a->lowers > b->lowers;
}

static int fits(const scant_query *q, const offer *o, uint64_t most) {
  return !q->prices || o->cost <= most;
}

scant_choice scant_query_choose(scant_query *query, uint64_t most) {
  offer best = {0, 0, SCANT_CHOICE_NONE};
  double nothing = least(query);
  int dear = 0;
  for (size_t i = 0; i < offer_count(query); i++) {
    offer o = offer_at(query, i);
    if (!(o.lowers > nothing)) continue;
    if (!fits(query, &o, most))
      dear = 1;
    else if (best.attribute == SCANT_CHOICE_NONE || is_better(&o, &best))
      best = o;
  }
  return (scant_choice){best.attribute, dear, most};
}

/* Keeps the best `count` offers in order; `lowers` stands in the place of the variance. */
static size_t keep_best(const scant_query *q, offer o, scant_offer *offers, size_t kept, size_t count) {
  size_t at = kept;
  while (at > 0) {
    const scant_offer *e = &offers[at - 1];
    offer before = {e->variance, q->prices ? e->price : 1, e->attribute};
    if (!is_better(&o, &before)) break;
    at--;
  }
  if (at == count) return kept;
  if (kept < count) kept++;
  for (size_t i = kept - 1; i > at; i--) offers[i] = offers[i - 1];
  offers[at] = (scant_offer){.attribute = o.attribute, .price = q->prices ? o.cost : 0, .variance = o.lowers};
  return kept;
}

size_t scant_query_offers(scant_query *query, double level, uint64_t most, scant_offer *offers, size_t count) {
  const scant_model *model = query->model;
  size_t kept = 0;
  scant_query_part(query);
  for (size_t i = 0; i < offer_count(query); i++) {
    offer o = offer_at(query, i);
    if (o.lowers > least(query) && fits(query, &o, most)) kept = keep_best(query, o, offers, kept, count);
  }
  for (size_t i = 0; i < kept; i++) {
    scant_expected out = scant_gaussian_foresee(model->gaussian, query->mean, query->variance, offers[i].variance,
                                                level, model->settings.reading.log_target);
    offers[i].variance = out.variance;
    offers[i].width = out.width;
    offers[i].sure = out.sure;
    offers[i].moves = out.moves;
  }
  return kept;
}
