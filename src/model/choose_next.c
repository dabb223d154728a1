/* Which attribute lowers the variance of the prediction most. */
#include <math.h>

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

static uint32_t choose_attribute(const scant_query *q) {
  const scant_gaussian *g = q->model->gaussian;
  uint32_t best = SCANT_CHOICE_NONE;
  double most = least(q);
  for (size_t i = 0; i < g->count; i++) {
    if (q->told[g->attributes[i]]) continue;
    double lowers = reduction(&q->conditional, i);
    if (!(lowers > most)) continue;
    most = lowers;
    best = g->attributes[i];
  }
  return best;
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
  double lowers, cost;
  uint32_t attribute;
} offer;

static offer offer_of(scant_query *q, size_t item) {
  const scant_prices *p = q->prices;
  offer o = {0, (double)p->cost[item], SCANT_CHOICE_NONE};
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

/* Free items come first, then the item that lowers the variance most per cost. */
static int is_better(const offer *a, const offer *b) {
  if (!(a->cost > 0) != !(b->cost > 0)) return !(a->cost > 0);
  return a->cost > 0 ? a->lowers / a->cost > b->lowers / b->cost : a->lowers > b->lowers;
}

static uint32_t choose_item(scant_query *q) {
  offer best = {0, 0, SCANT_CHOICE_NONE};
  double most = least(q);
  for (size_t item = 0; item < q->prices->items; item++) {
    offer o = offer_of(q, item);
    if (o.lowers > most && (best.attribute == SCANT_CHOICE_NONE || is_better(&o, &best))) best = o;
  }
  return best.attribute;
}

uint32_t scant_query_choose(scant_query *query) {
  return query->prices ? choose_item(query) : choose_attribute(query);
}
