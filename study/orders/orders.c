/* Orders as they are in the file: finding them, what they cost, and how they end and are reopened. */
#include "study.h"

static scant_status read_lines(scant_study *s, uint64_t number, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  size_t count = 0;
  SCANT_TRY(study_query(s,
                        "SELECT attribute, price, probability, state, value, place, note, second, second_value, "
                        "second_note, item, counted FROM line WHERE number = ?1 ORDER BY place",
                        (sql_value[]){sql_count(number)}, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    if (count >= s->dimension) return scant_fail(error, SCANT_DATA, "order %" PRIu64 " has too many lines", number);
    if (!scant_grow(&s->lines, &s->lines_room, count + 1, sizeof *s->lines)) return scant_fail_memory(error);
    int64_t attribute = sqlite3_column_int64(statement, 0), state = sqlite3_column_int64(statement, 3);
    int64_t second = sqlite3_column_int64(statement, 7);
    if (second < 0 || second > SCANT_SECOND_DIFFERS || attribute < 0 || attribute >= (int64_t)s->dimension ||
        state < 0 || state > SCANT_LINE_MISSING || sqlite3_column_int64(statement, 5) != (int64_t)count)
      return scant_fail(error, SCANT_DATA, "a line of order %" PRIu64 " is damaged", number);
    const char *note, *second_note;
    SCANT_TRY(study_column_note(s, statement, 6, &note, error));
    SCANT_TRY(study_column_note(s, statement, 9, &second_note, error));
    s->line_at[attribute] = count;
    s->lines[count++] = (scant_study_line){.item = (uint32_t)sqlite3_column_int64(statement, 10),
                                           .counted = sqlite3_column_int(statement, 11),
                                           .attribute = (uint32_t)attribute,
                                           .price = study_column_count(statement, 1),
                                           .probability = study_column_real(statement, 2),
                                           .state = (scant_line_state)state,
                                           .value = study_column_real(statement, 4),
                                           .note = note,
                                           .second = (scant_second_entry)second,
                                           .second_value = study_column_real(statement, 8),
                                           .second_note = second_note};
  }
  s->order.count = count;
  s->order.lines = s->lines;
  study_forget_probabilities(s);
  return SCANT_OK;
}

scant_status study_read_order(scant_study *s, uint64_t number, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(
      s,
      "SELECT o.example, o.state, o.spent, o.y, o.asked_told, o.learned_told, o.reason, l.at, l.by, o.second, "
      "o.second_y, o.learned_by, o.asked FROM orders o JOIN ledger l ON l.sequence = o.asked WHERE o.number = ?1",
      (sql_value[]){sql_count(number)}, &statement, &row, error));
  if (!row) return scant_fail(error, SCANT_DATA, "there is no order %" PRIu64, number);
  static const int texts[4] = {0, 6, 7, 8};
  for (int i = 0; i < 4; i++) SCANT_TRY(study_column_text(statement, texts[i], &s->order_texts[i], error));
  int64_t state = sqlite3_column_int64(statement, 1);
  uint64_t asked = study_column_count(statement, 4), until = study_learner_told(s);
  if (sqlite3_column_type(statement, 5) != SQLITE_NULL) until = study_column_count(statement, 5);
  double y = study_column_real(statement, 3);
  s->asked = study_column_count(statement, 12);
  int64_t second = sqlite3_column_int64(statement, 9);
  const char *example = s->order_texts[0];
  if (state == SCANT_ORDER_ERASED && example && example[0] == ' ') example++; /* see erase.c */
  s->order =
      (scant_study_order){.number = number,
                          .example = example,
                          .state = (scant_order_state)state,
                          .spent = study_column_count(statement, 2),
                          .has_y = !isnan(y),
                          .y = y,
                          .asked_at = s->order_texts[2],
                          .asked_by = s->order_texts[3],
                          .reason = s->order_texts[1],
                          .second = (scant_second_entry)second,
                          .second_y = study_column_real(statement, 10),
                          .second_needed = s->second_needed,
                          .age = until > asked ? until - asked : 0}; /* corrections may remove what was learned */
  s->learned_by = study_column_count(statement, 11);
  sqlite3_reset(statement);
  if (!study_is_state(state) || second < 0 || second > SCANT_SECOND_DIFFERS)
    return scant_fail(error, SCANT_DATA, "the state of order %" PRIu64 " is damaged", number);
  SCANT_TRY(read_lines(s, number, error));
  SCANT_TRY(study_read_extras(s, error));
  s->order.price = study_price(s, STUDY_ALL).spent;
  return SCANT_OK;
}

scant_status study_last_order(scant_study *study, uint64_t *number, scant_error *error) {
  return study_read_single(study, "SELECT max(number) FROM orders", NULL, number, error);
}

scant_status study_find_order(scant_study *s, const char *example, uint64_t *number, scant_error *error) {
  SCANT_TRY(study_check_example(example, error));
  /* the '+' keeps SQLite from putting ?1 in place of the name in the expression, which would make the index useless */
  static const char sql[] = "SELECT number FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
      "example") " = " STUDY_FOLD("?1") " AND +example = ?1 ORDER BY number DESC LIMIT 1";
  return study_read_single(s, sql, (sql_value[]){sql_text(example)}, number, error);
}

scant_status study_find_import(scant_study *study, const char *example, uint64_t *sequence, scant_error *error) {
  return study_read_single(study, "SELECT sequence FROM import WHERE example = ?1", (sql_value[]){sql_text(example)},
                           sequence, error);
}

scant_status study_need_order(scant_study *s, const char *example, scant_error *error) {
  uint64_t number, imported;
  SCANT_TRY(study_find_order(s, example, &number, error));
  if (number) return study_read_order(s, number, error);
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (imported)
    return scant_fail(error, SCANT_DATA,
                      "nothing was ever asked for example '%.200s': it was imported, and correct changes its values",
                      example);
  return study_refuse_unknown(s, example, "nothing was ever asked for", "", error);
}

scant_status scant_study_find(scant_study *study, const char *example, const scant_study_order **order,
                              scant_error *error) {
  *order = NULL;
  SCANT_TRY(study_enter(study, error));
  SCANT_TRY(study_leave(study, study_need_order(study, example, error)));
  *order = &study->order;
  return SCANT_OK;
}

static scant_status order_at(scant_study *study, uint64_t number, const scant_study_order **order, scant_error *error) {
  uint64_t last;
  SCANT_TRY(study_last_order(study, &last, error));
  if (!number || number > last) return SCANT_OK;
  SCANT_TRY(study_read_order(study, number, error));
  *order = &study->order;
  return SCANT_OK;
}

scant_status scant_study_order_at(scant_study *study, uint64_t number, const scant_study_order **order,
                                  scant_error *error) {
  *order = NULL;
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, order_at(study, number, order, error));
}

/* Orders are numbered without holes: one that is not there is noticed. */
static scant_status open_after(scant_study *s, uint64_t after, const scant_study_order **order, scant_error *error) {
  sqlite3_stmt *statement;
  if (after > INT64_MAX) return SCANT_OK;
  SCANT_TRY(study_query(s, "SELECT number, state FROM orders WHERE number > ?1 ORDER BY number",
                        (sql_value[]){sql_count(after)}, &statement, error));
  for (uint64_t number = after;;) {
    uint64_t before = number;
    int more;
    SCANT_TRY(study_next_key(s, statement, "the orders are", "order", &number, &more, error));
    if (!more) return SCANT_OK;
    if (number != before + 1) return scant_fail(error, SCANT_DATA, "there is no order %" PRIu64, before + 1);
    int64_t state = sqlite3_column_int64(statement, 1);
    if (study_is_state(state) && !study_is_open((scant_order_state)state)) continue;
    sqlite3_reset(statement);
    SCANT_TRY(study_read_order(s, number, error));
    *order = &s->order;
    return SCANT_OK;
  }
}

scant_status scant_study_open_after(scant_study *study, uint64_t after, const scant_study_order **order,
                                    scant_error *error) {
  *order = NULL;
  SCANT_TRY(study_enter(study, error));
  scant_status status = study_leave(study, open_after(study, after, order, error));
  if (status != SCANT_OK) *order = NULL;
  return status;
}

scant_status study_walk_learned(scant_study *study, sqlite3_stmt **walk, scant_error *error) {
  return study_query(study, "SELECT number FROM orders WHERE state = ?1 ORDER BY number",
                     (sql_value[]){sql_count(SCANT_ORDER_LEARNED)}, walk, error);
}

scant_status study_next_learned(scant_study *study, sqlite3_stmt *walk, uint64_t *number, int *more,
                                scant_error *error) {
  SCANT_TRY(study_next_key(study, walk, "the orders are", "order", number, more, error));
  return *more ? study_read_order(study, *number, error) : SCANT_OK;
}

/* A group is one purchase, at the line of its first member, as soon as one member is measured.  It is the group that
 * was ordered, whatever the catalogue says now. */
static int is_measured(const scant_study *s, size_t place) {
  const scant_study_line *lines = s->lines;
  for (size_t i = place; i < s->order.count && lines[i].item == lines[place].item; i++)
    if (lines[i].state != SCANT_LINE_ORDERED) return 1;
  return 0;
}

study_totals study_price(const scant_study *study, study_which which) {
  study_totals sum = {0, 0, 0};
  for (size_t i = 0; i < study->order.count; i++) {
    if (!study->lines[i].counted) continue;
    if (which != STUDY_ALL && is_measured(study, i) != (which == STUDY_MEASURED)) continue;
    sum.attributes++;
    sum.spent += study->lines[i].price;
  }
  return sum;
}

static scant_status end_order(scant_study *s, scant_study_end how, const char *reason, scant_error *error) {
  static const scant_order_state states[] = {[SCANT_END_CANCEL] = SCANT_ORDER_CANCELLED,
                                             [SCANT_END_EXPIRE] = SCANT_ORDER_EXPIRED,
                                             [SCANT_END_FAIL] = SCANT_ORDER_FAILED};
  static const scant_event_kind kinds[] = {[SCANT_END_CANCEL] = SCANT_EVENT_CANCEL,
                                           [SCANT_END_EXPIRE] = SCANT_EVENT_EXPIRE,
                                           [SCANT_END_FAIL] = SCANT_EVENT_FAIL};
  study_totals rest = study_price(s, STUDY_TO_COME);
  int expired = s->order.state == SCANT_ORDER_EXPIRED;
  scant_study_event event = study_event(kinds[how], s->order.example, s->order.number);
  event.reason = reason;
  if (how == SCANT_END_EXPIRE) {
    event.reserved = -(int64_t)rest.spent;
    event.spent = (int64_t)rest.spent;
    s->order.spent = s->order.price;
  } else {
    event.attributes = -(int64_t)rest.attributes;
    *(expired ? &event.spent : &event.reserved) = -(int64_t)rest.spent;
    s->order.spent = s->order.price - rest.spent;
  }
  s->order.state = states[how];
  if (reason) s->order.reason = reason;
  if (!expired) SCANT_TRY(study_learner_cancel_order(s, error));
  if (!expired) s->tip.open--;
  SCANT_TRY(study_write_order(s, NULL, error));
  return study_append(s, &event, error);
}

static scant_status end_example(scant_study *s, const char *example, scant_study_end how, const char *reason,
                                scant_error *error) {
  SCANT_TRY(study_need_order(s, example, error));
  int reconciles = how == SCANT_END_CANCEL && s->order.state == SCANT_ORDER_EXPIRED;
  if (!study_is_open(s->order.state) && !reconciles)
    return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' %s already: it can't be ended", example,
                      s->order.state == SCANT_ORDER_CANCELLED ? "has been cancelled"
                      : s->order.state == SCANT_ORDER_EXPIRED ? "has expired"
                      : s->order.state == SCANT_ORDER_FAILED  ? "has failed"
                                                              : "has been learned from");
  SCANT_TRY(study_begin(s, error));
  return study_end(s, end_order(s, how, reason, error), 1, error);
}

scant_status scant_study_end_order(scant_study *study, const char *example, scant_study_end how, const char *reason,
                                   scant_error *error) {
  if (how == SCANT_END_FAIL && (!reason || !*reason))
    return scant_fail(error, SCANT_USAGE, "an order fails for a reason: say which");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, end_example(study, example, how, reason, error));
}

/* What was refunded must be there again.  An expired order was refunded nothing. */
static scant_status check_budget(const scant_study *s, const study_totals *rest, scant_error *error) {
  study_totals left = study_left(s);
  if (rest->spent > left.spent)
    return scant_fail(error, SCANT_SPENT,
                      "what is still to come of example '%.200s' costs %.2f, and %.2f of the budget are left",
                      s->order.example, (double)rest->spent / 100, (double)left.spent / 100);
  if (rest->attributes > left.attributes)
    return scant_fail(error, SCANT_SPENT,
                      "what is still to come of example '%.200s' counts %" PRIu64 ", and %" PRIu64
                      " of the budget of attributes are left",
                      s->order.example, rest->attributes, left.attributes);
  return SCANT_OK;
}

static scant_status reopen(scant_study *s, const study_totals *rest, const char *reason, scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_REOPEN, s->order.example, s->order.number);
  event.reason = reason;
  event.reserved = (int64_t)rest->spent;
  if (s->order.state == SCANT_ORDER_EXPIRED)
    event.spent = -(int64_t)rest->spent; /* it stayed spent */
  else
    event.attributes = (int64_t)rest->attributes;
  s->order.spent = study_price(s, STUDY_MEASURED).spent;
  s->order.reason = NULL; /* of its end, which is taken back; the ledger has it */
  s->order.state = study_state_of(&s->order);
  event.learned = s->order.state == SCANT_ORDER_LEARNED; /* the rest was told after it had expired */
  SCANT_TRY(study_learner_reopen_order(s, error));
  uint64_t told_before = study_learner_told(s);
  if (!event.learned) s->tip.open++;
  if (event.learned) SCANT_TRY(study_learner_tell_order(s, error));
  SCANT_TRY(study_write_order(s, event.learned ? &told_before : NULL, error));
  return study_append(s, &event, error);
}

static scant_status reopen_example(scant_study *s, const char *example, const char *reason, scant_error *error) {
  SCANT_TRY(study_need_order(s, example, error));
  if (s->order.state <= SCANT_ORDER_LEARNED)
    return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' is %s: there is no end to take back", example,
                      scant_order_state_name(s->order.state));
  study_totals rest = study_price(s, STUDY_TO_COME);
  if (s->order.state != SCANT_ORDER_EXPIRED) SCANT_TRY(check_budget(s, &rest, error));
  if (s->tip.open >= s->settings.learning.max_open)
    return scant_fail(error, SCANT_MISUSE, "%" PRIu64 " orders are open already, and no more than max-open may be",
                      s->tip.open);
  SCANT_TRY(study_begin(s, error));
  return study_end(s, reopen(s, &rest, reason, error), 1, error);
}

scant_status scant_study_reopen(scant_study *study, const char *example, const char *reason, scant_error *error) {
  if (!reason || !*reason) return scant_fail(error, SCANT_USAGE, "an order is reopened for a reason: say which");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, reopen_example(study, example, reason, error));
}
