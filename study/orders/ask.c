/* Asking: an order is the look that the learner draws, at a price that is reserved. */
#include "study.h"

#define MONEY_MOST (UINT64_C(1) << 61) /* sums over the ledger stay below what SQLite adds up */

study_totals study_left(const scant_study *study) {
  const scant_settings *set = &study->settings;
  uint64_t held = study->tip.totals.spent + study->tip.totals.reserved, bought = study->tip.totals.attributes;
  uint64_t most = set->run.budget_cost > 0 ? (uint64_t)llround(100 * set->run.budget_cost) : MONEY_MOST;
  study_totals left = {.attributes = UINT64_MAX, .spent = held < most ? most - held : 0};
  if (set->run.budget) left.attributes = bought < set->run.budget ? set->run.budget - bought : 0;
  return left;
}

static scant_status check_budget(const scant_study *s, const study_totals *price, scant_error *error) {
  const scant_settings *set = &s->settings;
  study_totals left = study_left(s);
  if (price->spent > left.spent && !(set->run.budget_cost > 0))
    return scant_fail(error, SCANT_SPENT, "more money is spent or reserved than can be counted");
  if (price->spent > left.spent)
    return scant_fail(
        error, SCANT_SPENT,
        "budget-cost: %.2f of %.2f are spent or reserved, and the next order costs %.2f, whoever it is for "
        "(looks are drawn by chance: to pass over dear ones would bias them); a cancelled order gives "
        "money back",
        (double)(s->tip.totals.spent + s->tip.totals.reserved) / 100, set->run.budget_cost, (double)price->spent / 100);
  if (price->attributes > left.attributes)
    return scant_fail(error, SCANT_SPENT,
                      "%" PRIu64 " of the budget of %" PRIu64
                      " attributes are spent or reserved, and this order has "
                      "%" PRIu64,
                      s->tip.totals.attributes, set->run.budget, price->attributes);
  return SCANT_OK;
}

void study_forget_probabilities(scant_study *study) {
  scant_learner_traits traits;
  if (!study->learner) return;
  scant_learner_get_traits(study->learner, &traits);
  if (traits.independent || traits.whole) return;
  for (size_t i = 0, end; i < study->order.count; i = end) {
    int paid = 0; /* the item that begins here */
    for (end = i; end < study->order.count && study->lines[end].item == study->lines[i].item; end++)
      paid |= study->lines[end].counted;
    for (size_t j = i; j < end && paid; j++) study->lines[j].probability = NAN;
  }
}

scant_status study_make_lines(scant_study *s, const scant_look *look, scant_error *error) {
  if (!scant_grow(&s->lines, &s->lines_room, look->count, sizeof *s->lines)) return scant_fail_memory(error);
  s->order.count = look->count;
  s->order.lines = s->lines;
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t attribute = look->attributes[i];
    int later = i && look->item[i - 1] == look->item[i];
    uint64_t price = later ? 0 : s->catalogue[attribute].cost;
    for (uint32_t j = i + 1; !later && j < look->count && look->item[j] == look->item[i]; j++)
      price += s->catalogue[look->attributes[j]].cost;
    s->line_at[attribute] = i;
    s->lines[i] = (scant_study_line){.attribute = attribute,
                                     .price = price,
                                     .value = NAN,
                                     .probability = look->gradient_probability[i],
                                     .second_value = NAN,
                                     .item = look->item[i],
                                     .counted = s->unpriced ? !later && !s->catalogue[attribute].known : price > 0};
  }
  study_forget_probabilities(s);
  return SCANT_OK;
}

static scant_status write_order(scant_study *s, uint64_t number, const char *example, const scant_look *look,
                                scant_error *error) {
  const sql_value order[] = {sql_count(number), sql_text(example), sql_count(s->tip.sequence),
                             sql_count(study_learner_told(s))};
  SCANT_TRY(study_run(s,
                      "INSERT INTO orders(number, example, state, spent, y, asked, asked_told, learned_told, reason, "
                      "second, second_y, learned_by) VALUES(?1, ?2, 0, 0, NULL, ?3, ?4, NULL, NULL, 0, NULL, NULL)",
                      order, error));
  for (uint32_t i = 0; i < look->count; i++) {
    const sql_value line[] = {sql_count(number),
                              sql_count(i),
                              sql_count(look->attributes[i]),
                              sql_count(s->lines[i].price),
                              sql_real(look->gradient_probability[i]),
                              sql_real(look->weight[i]),
                              sql_real(look->mean[i]),
                              sql_count(s->lines[i].item),
                              sql_signed(s->lines[i].counted)};
    SCANT_TRY(study_run(s,
                        "INSERT INTO line(number, place, attribute, price, probability, weight, mean, state, value, "
                        "note, second, second_value, second_note, item, counted) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, "
                        "NULL, NULL, 0, NULL, NULL, ?8, ?9)",
                        line, error));
  }
  return SCANT_OK;
}

/* Could this study have asked for this look?  It comes from the file, and its places are used in the catalogue. */
static int is_sound(scant_study *s, const scant_look *look) {
  if (look->count > s->dimension) return 0;
  for (uint32_t i = 0; i < look->count; i++) {
    double q = look->gradient_probability[i], p = look->residual_probability[i];
    if (look->attributes[i] >= s->dimension || look->item[i] >= s->dimension || !(q > 0 && q <= 1) ||
        !(p > 0 && p <= 1) || !isfinite(look->weight[i]) || isinf(look->mean[i]))
      return 0;
    s->values[look->attributes[i]] = i;
  }
  for (uint32_t i = 0; i < look->count; i++) /* each attribute once */
    if (s->values[look->attributes[i]] != i) return 0;
  return 1;
}

/* While a ledger is replayed, the look is that of the ledger.  If s->exact it must be drawn again to the bit;
 * else it replaces the look that was drawn. */
static scant_status take_asked(scant_study *s, const char *text, scant_error *error) {
  const char *asked = s->again ? s->again->look : NULL;
  if (!asked || !strcmp(asked, text)) return SCANT_OK;
  if (s->exact) return scant_fail(error, SCANT_DATA, "the look in the ledger is not the one that the learner asks for");
  scant_look *look;
  SCANT_TRY(scant_look_load(&look, asked, strlen(asked), error));
  const char *fault = look->serial != s->drawn->serial ? "not the next one" : !is_sound(s, look) ? "damaged" : NULL;
  if (fault) {
    scant_look_free(look);
    return scant_fail(error, SCANT_DATA, "the look in the ledger is %s", fault);
  }
  scant_look_free(s->drawn);
  s->drawn = look;
  return SCANT_OK;
}

/* Means and weights of the moment are not kept where nothing is learned with them: from those of two moments anybody
 * could work out what was told in between, also of somebody who was erased since. */
static void keep_draws_alone(const scant_study *s, scant_look *look) {
  scant_learner_traits traits;
  scant_learner_get_traits(s->learner, &traits);
  if (!traits.ageless) return;
  look->y_mean = look->intercept = 0;
  for (uint32_t i = 0; i < look->count; i++) {
    look->weight[i] = 0;
    look->mean[i] = NAN;
  }
}

/* Records the look that was drawn. */
static scant_status issue(scant_study *s, const char *example, scant_error *error) {
  uint64_t number;
  char *text;
  size_t length;
  SCANT_TRY(study_last_order(s, &number, error));
  keep_draws_alone(s, s->drawn);
  SCANT_TRY(scant_look_save(s->drawn, &text, &length, error));
  scant_status status = take_asked(s, text, error);
  if (status == SCANT_OK) status = study_make_lines(s, s->drawn, error);
  study_totals price = status == SCANT_OK ? study_price(s, STUDY_ALL) : (study_totals){0, 0, 0};
  if (status == SCANT_OK) status = check_budget(s, &price, error);
  scant_study_event event = study_event(SCANT_EVENT_ASK, example, number + 1);
  event.attributes = (int64_t)price.attributes;
  event.reserved = (int64_t)price.spent;
  event.look = s->again && s->again->look ? s->again->look : text;
  if (status == SCANT_OK) status = study_append(s, &event, error);
  if (status == SCANT_OK) status = write_order(s, number + 1, example, s->drawn, error);
  if (status == SCANT_OK) s->tip.open++;
  scant_text_free(text);
  if (status == SCANT_OK) status = study_read_order(s, number + 1, error);
  return status;
}

/* May the example be asked for anew?  Its last order is s->order. */
static scant_status check_again(const scant_study *s, scant_error *error) {
  const scant_study_order *o = &s->order;
  if (o->state == SCANT_ORDER_CANCELLED && !study_price(s, STUDY_MEASURED).attributes && !o->has_y) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' %s, so it can't be asked for again", o->example,
                    o->state == SCANT_ORDER_EXPIRED  ? "has expired"
                    : o->state == SCANT_ORDER_FAILED ? "has failed"
                                                     : "was cancelled when some of it was measured");
}

void scant_study_take_new_names(scant_study *study, int yes) {
  study->any_name = yes;
}

/* An example whose name differs from this one only in what STUDY_FOLD leaves out; "": there is none. */
static scant_status find_near(scant_study *study, const char *example, char near[STUDY_NAME_MOST + 1],
                              scant_error *error) {
  /* what was erased has a name that begins with a blank: see erase.c */
  static const char *const where[] = {"SELECT example FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
                                          "example") " = " STUDY_FOLD("?1") " AND substr(example, 1, 1) <> ' ' LIMIT 1",
                                      "SELECT example FROM import INDEXED BY import_of_example WHERE " STUDY_FOLD(
                                          "example") " = " STUDY_FOLD("?1") " LIMIT 1"};
  *near = 0;
  for (size_t i = 0; i < 2 && !*near; i++) {
    sqlite3_stmt *statement;
    int row;
    SCANT_TRY(study_query_row(study, where[i], (sql_value[]){sql_text(example)}, &statement, &row, error));
    if (!row) continue;
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    if (name) snprintf(near, STUDY_NAME_MOST + 1, "%s", name);
    sqlite3_reset(statement);
    if (!name) return scant_fail_memory(error);
  }
  return SCANT_OK;
}

scant_status study_check_new_name(scant_study *study, const char *example, scant_error *error) {
  char near[STUDY_NAME_MOST + 1] = "";
  if (!study->any_name) SCANT_TRY(find_near(study, example, near, error));
  if (!*near) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE,
                    "there is an example '%.150s', and '%.150s' differs from it only in case, blanks or the kind of "
                    "dash; option new-name takes it as a new one",
                    near, example);
}

scant_status study_refuse_unknown(scant_study *study, const char *example, const char *what, const char *more,
                                  scant_error *error) {
  char near[STUDY_NAME_MOST + 1];
  SCANT_TRY(find_near(study, example, near, error));
  return scant_fail(error, SCANT_DATA, "%s example '%.150s'%s%s%.150s%s", what, example, more,
                    *near ? "; there is '" : "", near, *near ? "': did you mean that?" : "");
}

/* Does the example have an order to hand out (then it is s->order), or would it get one? */
static scant_status check_ask(scant_study *s, const char *example, int *fresh, scant_error *error) {
  uint64_t number, imported;
  SCANT_TRY(study_find_order(s, example, &number, error));
  if (number) SCANT_TRY(study_read_order(s, number, error));
  *fresh = !number || s->order.state > SCANT_ORDER_LEARNED;
  if (!*fresh) return SCANT_OK;
  if (number) SCANT_TRY(check_again(s, error));
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (imported)
    return scant_fail(error, SCANT_MISUSE, "example '%.200s' was imported, with all that is known of it", example);
  return number ? SCANT_OK : study_check_new_name(s, example, error);
}

static scant_status check_open(const scant_study *s, size_t fresh, scant_error *error) {
  uint64_t most = s->settings.learning.max_open, open = s->tip.open;
  if (!fresh || (open < most && fresh <= most - open)) return SCANT_OK;
  if (fresh == 1)
    return scant_fail(error, SCANT_MISUSE, "%" PRIu64 " orders are open already, and no more than max-open may be",
                      open);
  return scant_fail(error, SCANT_MISUSE,
                    "%" PRIu64 " orders are open already, and with %zu more they would be more than max-open, %" PRIu64,
                    open, fresh, most);
}

/* Adds the name of the example to a sentence, where there are several. */
static scant_status name_one(const char *example, size_t count, scant_status status, const scant_error *inner,
                             scant_error *error) {
  if (status == SCANT_OK) return SCANT_OK;
  if (count == 1) return scant_fail(error, status, "%s", inner->text);
  return scant_fail(error, status, "example '%.100s': %.300s; none of the %zu examples was ordered", example,
                    inner->text, count);
}

/* Each of the examples by itself, and their number. */
static scant_status check_all(scant_study *s, const char *const *examples, size_t count, size_t *fresh,
                              scant_error *error) {
  *fresh = 0;
  for (size_t i = 0; i < count; i++) {
    scant_error inner = {""};
    int one = 0;
    SCANT_TRY(name_one(examples[i], count, check_ask(s, examples[i], &one, &inner), &inner, error));
    *fresh += (size_t)one;
  }
  return check_open(s, *fresh, error);
}

scant_status scant_study_check_ask(scant_study *study, const char *const *examples, size_t count, size_t *fresh,
                                   scant_error *error) {
  *fresh = 0;
  SCANT_TRY(study_enter(study, error));
  /* a reader does not follow how many orders are open */
  scant_status status = study_is_shared_now(study) ? study_read_tip(study, &study->tip, error) : SCANT_OK;
  if (status == SCANT_OK) status = check_all(study, examples, count, fresh, error);
  return study_leave(study, status);
}

/* Those that have no order yet; an example may be in the list twice.  *drawn counts looks. */
static scant_status ask_each(scant_study *s, const char *const *examples, size_t count, size_t *drawn,
                             scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    scant_error inner = {""};
    int fresh = 1;
    scant_status status = count > 1 ? check_ask(s, examples[i], &fresh, &inner) : SCANT_OK;
    if (status == SCANT_OK && fresh) {
      status = scant_learner_ask(s->learner, s->drawn, &inner);
      if (status == SCANT_OK) ++*drawn;
      if (status == SCANT_OK) status = issue(s, examples[i], &inner);
    }
    SCANT_TRY(name_one(examples[i], count, status, &inner, error));
  }
  return SCANT_OK;
}

/* A dense algorithm may think for long before it draws: it does that before the transaction begins.  The law that it
 * has renewed stays when the look is taken back.  If the transaction can't begin, the learner is made anew. */
static scant_status begin_asking(scant_study *s, int dense, scant_error *error) {
  scant_status status = dense ? scant_learner_ask(s->learner, s->drawn, error) : SCANT_OK;
  if (status == SCANT_OK && dense) status = scant_learner_undo_ask(s->learner, s->drawn, error);
  if (status == SCANT_OK) status = study_begin(s, error);
  if (status != SCANT_OK && dense) s->stale = 1;
  return status;
}

/* In a turn. */
static scant_status ask_all(scant_study *s, const char *const *examples, size_t count, scant_error *error) {
  size_t fresh, drawn = 0;
  SCANT_TRY(check_all(s, examples, count, &fresh, error));
  if (!fresh) return SCANT_OK;
  int dense = study_algorithm(s)->dense;
  SCANT_TRY(begin_asking(s, dense, error));
  scant_status status = ask_each(s, examples, count, &drawn, error);
  /* A spent budget is no fault: the learner need not be made anew.  But a dense algorithm may have renewed the law of
   * its looks, which is not taken back, and the ledger does not have this ask. */
  int as_before = !dense && (!drawn || (status == SCANT_SPENT && drawn == 1 &&
                                        scant_learner_undo_ask(s->learner, s->drawn, NULL) == SCANT_OK));
  return study_end(s, status, !as_before, error);
}

scant_status scant_study_ask_all(scant_study *study, const char *const *examples, size_t count, scant_error *error) {
  if (!count) return scant_fail(error, SCANT_USAGE, "there is no example to ask for");
  SCANT_TRY(study_begin_turn(study, error));
  return study_end_turn(study, ask_all(study, examples, count, error));
}

scant_status scant_study_ask(scant_study *study, const char *example, const scant_study_order **order,
                             scant_error *error) {
  *order = NULL;
  SCANT_TRY(study_take(study, &example, NULL, error));
  SCANT_TRY(study_end_turn(study, ask_all(study, &example, 1, error)));
  *order = &study->order; /* the one that it had, or the new one */
  return SCANT_OK;
}
