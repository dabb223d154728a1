/* Orders: what to measure of an example, and what came back. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "study/study.h"

const char *scant_order_state_name(scant_order_state state) {
  static const char *const names[] = {"issued", "partly told", "told", "learned", "cancelled", "expired", "failed"};
  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

int study_is_open(scant_order_state state) {
  return state <= SCANT_ORDER_TOLD;
}

/* ---- reading -------------------------------------------------------------------- */

static scant_status read_lines(scant_study *s, uint64_t number, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  size_t count = 0;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_LINES, &statement, error));
  study_bind_count(statement, 1, number);
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    if (!scant_grow(&s->lines, &s->lines_room, count + 1, sizeof *s->lines)) return scant_fail_memory(error);
    int64_t attribute = sqlite3_column_int64(statement, 0), state = sqlite3_column_int64(statement, 3);
    if (attribute < 0 || attribute >= (int64_t)s->dimension || state < 0 || state > SCANT_LINE_MISSING)
      return scant_fail(error, SCANT_DATA, "a line of order %" PRIu64 " is damaged", number);
    s->lines[count++] = (scant_study_line){.attribute = (uint32_t)attribute,
                                           .price = (uint64_t)sqlite3_column_int64(statement, 1),
                                           .probability = study_column_real(statement, 2),
                                           .state = (scant_line_state)state,
                                           .value = study_column_real(statement, 4)};
  }
  s->order.count = count;
  s->order.lines = s->lines;
  return SCANT_OK;
}

scant_status study_read_order(scant_study *study, uint64_t number, scant_error *error) {
  scant_study *s = study;
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ORDER, &statement, error));
  study_bind_count(statement, 1, number);
  SCANT_TRY(study_step(s->db, statement, &row, error));
  if (!row) return scant_fail(error, SCANT_DATA, "there is no order %" PRIu64, number);
  static const int texts[3] = {0, 6, 7};
  for (int i = 0; i < 3; i++) SCANT_TRY(study_column_text(statement, texts[i], &s->order_texts[i], error));
  int64_t state = sqlite3_column_int64(statement, 1);
  uint64_t asked = (uint64_t)sqlite3_column_int64(statement, 4), until = study_learner_told(s);
  if (sqlite3_column_type(statement, 5) != SQLITE_NULL) until = (uint64_t)sqlite3_column_int64(statement, 5);
  double y = study_column_real(statement, 3);
  s->order = (scant_study_order){.number = number,
                                 .example = s->order_texts[0],
                                 .state = (scant_order_state)state,
                                 .spent = (uint64_t)sqlite3_column_int64(statement, 2),
                                 .has_y = !isnan(y),
                                 .y = y,
                                 .asked_at = s->order_texts[2],
                                 .reason = s->order_texts[1],
                                 .age = until > asked ? until - asked : 0}; /* corrections may unlearn */
  sqlite3_reset(statement);
  if (state < 0 || state > SCANT_ORDER_FAILED)
    return scant_fail(error, SCANT_DATA, "the state of order %" PRIu64 " is damaged", number);
  SCANT_TRY(read_lines(s, number, error));
  s->order.price = study_price(s, STUDY_ALL).spent;
  return SCANT_OK;
}

/* A single number, 0 if there is none. */
static scant_status read_single(scant_study *s, sqlite3_stmt *statement, uint64_t *number, scant_error *error) {
  int row;
  SCANT_TRY(study_step(s->db, statement, &row, error));
  *number = row ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
  sqlite3_reset(statement);
  return SCANT_OK;
}

scant_status study_find_order(scant_study *s, const char *example, uint64_t *number, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_LAST_ORDER_OF, &statement, error));
  study_bind_text(statement, 1, example);
  return read_single(s, statement, number, error);
}

scant_status study_find_import(scant_study *study, const char *example, uint64_t *sequence, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_IMPORTED, &statement, error));
  study_bind_text(statement, 1, example);
  return read_single(study, statement, sequence, error);
}

/* The last order of an example, into s->order. */
scant_status study_need_order(scant_study *s, const char *example, scant_error *error) {
  uint64_t number;
  SCANT_TRY(study_find_order(s, example, &number, error));
  if (!number) return scant_fail(error, SCANT_DATA, "nothing was ever asked for example '%.200s'", example);
  return study_read_order(s, number, error);
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
  sqlite3_stmt *statement;
  uint64_t last;
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_LAST_ORDER, &statement, error));
  SCANT_TRY(read_single(study, statement, &last, error));
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

/* ---- prices --------------------------------------------------------------------- */

/* A group is one purchase, at the line of its first member, as soon as one of it is
 * measured; what costs nothing is none. */
static int is_measured(const scant_study *s, size_t place) {
  const scant_study_line *lines = s->lines;
  uint32_t panel = s->panel[lines[place].attribute];
  for (size_t i = place; i < s->order.count && (i == place || (panel && s->panel[lines[i].attribute] == panel)); i++)
    if (lines[i].state != SCANT_LINE_ORDERED) return 1;
  return 0;
}

static int counts(const scant_study *s, size_t place) {
  if (!s->unpriced) return s->lines[place].price > 0;
  uint32_t attribute = s->lines[place].attribute, panel = s->panel[attribute];
  return !s->catalogue[attribute].known && !(panel && place && s->panel[s->lines[place - 1].attribute] == panel);
}

study_totals study_price(const scant_study *study, study_which which) {
  study_totals sum = {0, 0, 0};
  for (size_t i = 0; i < study->order.count; i++) {
    if (!counts(study, i) || (which == STUDY_MEASURED && !is_measured(study, i))) continue;
    sum.attributes++;
    sum.spent += study->lines[i].price;
  }
  return sum;
}

#define MONEY_MOST (UINT64_C(1) << 61) /* sums over the ledger stay below what SQLite adds up */

/* ---- asking --------------------------------------------------------------------- */

static scant_status check_budget(const scant_study *s, const study_totals *price, scant_error *error) {
  const scant_settings *set = &s->settings;
  uint64_t held = s->tip.totals.spent + s->tip.totals.reserved;
  uint64_t budget = (uint64_t)llround(100 * set->budget_cost);
  if (held > MONEY_MOST || price->spent > MONEY_MOST - held)
    return scant_fail(error, SCANT_SPENT, "more money is spent or reserved than can be counted");
  if (set->budget_cost > 0 && (held > budget || price->spent > budget - held))
    return scant_fail(error, SCANT_SPENT, "the budget: %.2f of %.2f are spent or reserved, and this order costs %.2f",
                      (double)held / 100, (double)budget / 100, (double)price->spent / 100);
  if (set->budget &&
      (s->tip.totals.attributes > set->budget || price->attributes > set->budget - s->tip.totals.attributes))
    return scant_fail(error, SCANT_SPENT,
                      "%" PRIu64 " of the budget of %" PRIu64
                      " attributes are spent or reserved, and this order has "
                      "%" PRIu64,
                      s->tip.totals.attributes, set->budget, price->attributes);
  return SCANT_OK;
}

/* The lines of a look, into s->lines: the price of a group at its first member. */
static scant_status make_lines(scant_study *s, const scant_look *look, scant_error *error) {
  if (!scant_grow(&s->lines, &s->lines_room, look->count, sizeof *s->lines)) return scant_fail_memory(error);
  s->order.count = look->count;
  s->order.lines = s->lines;
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t attribute = look->attributes[i], panel = s->panel[attribute];
    uint64_t price = s->catalogue[attribute].cost;
    if (panel && i && s->panel[look->attributes[i - 1]] == panel) {
      price = 0;
    } else if (panel) {
      for (uint32_t j = i + 1; j < look->count && s->panel[look->attributes[j]] == panel; j++)
        price += s->catalogue[look->attributes[j]].cost;
    }
    s->lines[i] = (scant_study_line){
        .attribute = attribute, .price = price, .value = NAN, .probability = look->gradient_probability[i]};
  }
  return SCANT_OK;
}

static scant_status write_order(scant_study *s, uint64_t number, const char *example, const scant_look *look,
                                scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_ORDER, &statement, error));
  study_bind_count(statement, 1, number);
  study_bind_text(statement, 2, example);
  study_bind_count(statement, 3, s->tip.sequence);
  study_bind_count(statement, 4, study_learner_told(s));
  SCANT_TRY(study_run(s->db, statement, error));
  for (uint32_t i = 0; i < look->count; i++) {
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_LINE, &statement, error));
    study_bind_count(statement, 1, number);
    study_bind_count(statement, 2, i);
    study_bind_count(statement, 3, look->attributes[i]);
    study_bind_count(statement, 4, s->lines[i].price);
    study_bind_real(statement, 5, look->gradient_probability[i]);
    study_bind_real(statement, 6, look->weight[i]);
    study_bind_real(statement, 7, look->mean[i]);
    SCANT_TRY(study_run(s->db, statement, error));
  }
  return SCANT_OK;
}

/* While a ledger is replayed, the look is the one that it has: drawn again to the
 * bit, or, by another build, in place of what was drawn. */
static scant_status take_asked(scant_study *s, const char *text, scant_error *error) {
  if (!s->asked || !strcmp(s->asked, text)) return SCANT_OK;
  if (s->same_build)
    return scant_fail(error, SCANT_DATA, "the look in the ledger is not the one that the learner asks for");
  scant_look *look;
  SCANT_TRY(scant_look_load(&look, s->asked, strlen(s->asked), error));
  if (look->serial != s->drawn->serial) {
    scant_look_free(look);
    return scant_fail(error, SCANT_DATA, "the look in the ledger is not the next one");
  }
  scant_look_free(s->drawn);
  s->drawn = look;
  return SCANT_OK;
}

/* Records the look that was drawn. */
static scant_status issue(scant_study *s, const char *example, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t number;
  char *text;
  size_t length;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_LAST_ORDER, &statement, error));
  SCANT_TRY(read_single(s, statement, &number, error));
  SCANT_TRY(scant_look_save(s->drawn, &text, &length, error));
  scant_status status = take_asked(s, text, error);
  if (status == SCANT_OK) status = make_lines(s, s->drawn, error);
  study_totals price = status == SCANT_OK ? study_price(s, STUDY_ALL) : (study_totals){0, 0, 0};
  if (status == SCANT_OK) status = check_budget(s, &price, error);
  scant_study_event event = {.kind = "ask",
                             .example = example,
                             .order = number + 1,
                             .attributes = (int64_t)price.attributes,
                             .reserved = (int64_t)price.spent,
                             .look = s->asked ? s->asked : text,
                             .risk = NAN,
                             .risk_error = NAN};
  if (status == SCANT_OK) status = study_append(s, &event, error);
  if (status == SCANT_OK) status = write_order(s, number + 1, example, s->drawn, error);
  s->tip.open++;
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

scant_status scant_study_ask(scant_study *study, const char *example, const scant_study_order **order,
                             scant_error *error) {
  scant_study *s = study;
  uint64_t number, imported;
  const char *reason = NULL;
  *order = NULL;
  SCANT_TRY(study_take(s, &example, &reason, error));
  SCANT_TRY(study_find_order(s, example, &number, error));
  if (number) SCANT_TRY(study_read_order(s, number, error));
  if (number && s->order.state <= SCANT_ORDER_LEARNED) {
    *order = &s->order;
    return SCANT_OK;
  }
  if (number) SCANT_TRY(check_again(s, error));
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (imported)
    return scant_fail(error, SCANT_MISUSE, "example '%.200s' was imported, with all that is known of it", example);
  if (s->tip.open >= s->settings.max_open)
    return scant_fail(error, SCANT_MISUSE, "%" PRIu64 " orders are open already, and no more than max-open may be",
                      s->tip.open);
  SCANT_TRY(study_begin(s, error));
  scant_status status = scant_learner_ask(s->learner, s->drawn, error);
  if (status != SCANT_OK) return study_end(s, status, 0, error);
  status = issue(s, example, error);
  /* a budget that is spent is nothing unusual: the learner need not be made anew */
  int as_before = status == SCANT_SPENT && scant_learner_take_back(s->learner, s->drawn, NULL) == SCANT_OK;
  SCANT_TRY(study_end(s, status, !as_before, error));
  *order = &s->order;
  return SCANT_OK;
}

/* ---- telling -------------------------------------------------------------------- */

static scant_status check_answer(const scant_study *s, const scant_study_answer *answer, int64_t attribute,
                                 scant_error *error) {
  if (answer->missing) {
    if (attribute < 0)
      return scant_fail(error, SCANT_DATA, "the target '%s' can't be missing: fail the order instead", s->target);
    if (s->settings.missing == SCANT_MISSING_ERROR)
      return scant_fail(error, SCANT_DATA, "'%s' can't be missing: the study was made with missing error",
                        answer->name);
    return SCANT_OK;
  }
  if (!isfinite(answer->value))
    return scant_fail(error, SCANT_DATA, "'%s' is %s, which is not a value", answer->name,
                      isnan(answer->value) ? "NaN" : "infinite");
  if (attribute < 0) return SCANT_OK;
  const scant_study_attribute *a = &s->catalogue[attribute];
  if (answer->value < a->low)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, below its range from %.15g", a->name, answer->value, a->low);
  if (answer->value > a->high)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, above its range up to %.15g", a->name, answer->value, a->high);
  return SCANT_OK;
}

scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error) {
  scant_study *s = study;
  if (!scant_grow(&s->told, &s->told_room, count + 1, sizeof *s->told)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    int64_t attribute = study_find_name(s, answers[i].name);
    if (attribute == -2)
      return scant_fail(error, SCANT_DATA, "there is no attribute '%.200s' in the catalogue", answers[i].name);
    SCANT_TRY(check_answer(s, &answers[i], attribute, error));
    for (size_t j = 0; j < i; j++)
      if (s->told[j].attribute == attribute)
        return scant_fail(error, SCANT_DATA, "'%.200s' is told twice", answers[i].name);
    s->told[i] =
        (scant_study_told){attribute, answers[i].missing ? NAN : answers[i].value + 0.0}; /* SQLite keeps no -0 */
  }
  return SCANT_OK;
}

/* The line of an attribute in s->order, or SIZE_MAX. */
static size_t line_of(const scant_study *s, int64_t attribute) {
  for (size_t i = 0; i < s->order.count; i++)
    if (s->lines[i].attribute == attribute) return i;
  return SIZE_MAX;
}

static void format_value(char *text, size_t size, scant_line_state state, double value) {
  if (state == SCANT_LINE_MISSING)
    snprintf(text, size, "missing");
  else
    snprintf(text, size, "%.15g", value);
}

/* Is this answer new?  -1: it is refused. */
static scant_status is_new(const scant_study *s, const scant_study_told *told, int *fresh, scant_error *error) {
  char stored[40];
  size_t place = line_of(s, told->attribute);
  if (told->attribute >= 0 && place == SIZE_MAX)
    return scant_fail(error, SCANT_DATA, "'%s' was not ordered of example '%.200s'", study_name_of(s, told->attribute),
                      s->order.example);
  scant_line_state state = told->attribute >= 0 ? s->lines[place].state
                           : s->order.has_y     ? SCANT_LINE_TOLD
                                                : SCANT_LINE_ORDERED;
  double value = told->attribute >= 0 ? s->lines[place].value : s->order.y;
  *fresh = state == SCANT_LINE_ORDERED;
  if (*fresh || (isnan(told->value) ? state == SCANT_LINE_MISSING : value == told->value)) return SCANT_OK;
  format_value(stored, sizeof stored, state, value);
  return scant_fail(error, SCANT_DATA, "'%s' of example '%.200s' is %s already (a correction is an act of its own)",
                    study_name_of(s, told->attribute), s->order.example, stored);
}

/* Keeps of s->told what is new; *count becomes how many that are. */
static scant_status keep_new(scant_study *s, size_t *count, scant_error *error) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    int fresh;
    SCANT_TRY(is_new(s, &s->told[i], &fresh, error));
    if (fresh) s->told[kept++] = s->told[i];
  }
  *count = kept;
  return SCANT_OK;
}

/* Writes what was told to s->order and to its lines. */
scant_status study_write_answers(scant_study *s, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &s->told[i];
    if (told->attribute < 0) {
      s->order.y = told->value;
      s->order.has_y = 1;
      continue;
    }
    size_t place = line_of(s, told->attribute);
    scant_study_line *line = &s->lines[place];
    line->state = isnan(told->value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
    line->value = told->value;
    sqlite3_stmt *statement;
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SET_LINE, &statement, error));
    study_bind_count(statement, 1, s->order.number);
    study_bind_count(statement, 2, place);
    study_bind_count(statement, 3, (uint64_t)line->state);
    study_bind_real(statement, 4, line->value);
    SCANT_TRY(study_run(s->db, statement, error));
  }
  return SCANT_OK;
}

scant_status study_write_order(scant_study *study, study_learned learned, scant_error *error) {
  scant_study *s = study;
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SET_ORDER, &statement, error));
  study_bind_count(statement, 1, s->order.number);
  study_bind_count(statement, 2, (uint64_t)s->order.state);
  study_bind_count(statement, 3, s->order.spent);
  study_bind_real(statement, 4, s->order.has_y ? s->order.y : NAN);
  if (learned == STUDY_LEARNED_NOW) study_bind_count(statement, 5, s->told_before);
  study_bind_text(statement, 6, s->order.reason);
  return study_run(s->db, statement, error);
}

static scant_order_state state_of(const scant_study_order *o) {
  size_t told = 0;
  for (size_t i = 0; i < o->count; i++) told += o->lines[i].state != SCANT_LINE_ORDERED;
  if (told < o->count) return told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED;
  return o->has_y ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
}

/* Takes down `count` new answers in s->told, and learns if they complete the order. */
static scant_status take_down(scant_study *s, size_t count, scant_error *error) {
  scant_study_event event = {.kind = "tell",
                             .example = s->order.example,
                             .order = s->order.number,
                             .risk = NAN,
                             .risk_error = NAN,
                             .count = count,
                             .told = s->told};
  uint64_t before = s->order.spent;
  SCANT_TRY(study_write_answers(s, count, error));
  s->order.state = state_of(&s->order);
  s->order.spent = study_price(s, STUDY_MEASURED).spent;
  event.spent = (int64_t)(s->order.spent - before);
  event.reserved = -event.spent;
  event.learned = s->order.state == SCANT_ORDER_LEARNED;
  if (event.learned) {
    s->tip.open--;
    s->told_before = study_learner_told(s);
    SCANT_TRY(study_learner_tell_order(s, error));
    scant_learner_facts facts;
    scant_learner_get_facts(s->learner, &facts);
    event.risk = facts.risk;
    event.risk_error = facts.risk_error;
  }
  SCANT_TRY(study_write_order(s, event.learned ? STUDY_LEARNED_NOW : STUDY_NOT_LEARNED, error));
  return study_append(s, &event, error);
}

scant_status scant_study_tell(scant_study *study, const char *example, const scant_study_answer *answers, size_t count,
                              scant_error *error) {
  scant_study *s = study;
  const char *reason = NULL;
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to tell");
  SCANT_TRY(study_take(s, &example, &reason, error));
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  SCANT_TRY(keep_new(s, &count, error));
  if (!count) return SCANT_OK; /* all of it was told before */
  if (!study_is_open(s->order.state))
    return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' is %s: nothing can be told any more", example,
                      scant_order_state_name(s->order.state));
  SCANT_TRY(study_begin(s, error));
  return study_settle(s, take_down(s, count, error), error);
}

/* ---- ending --------------------------------------------------------------------- */

static scant_status end_order(scant_study *s, scant_study_end how, const char *reason, scant_error *error) {
  static const char *const kinds[] = {"cancel", "expire", "fail"};
  static const scant_order_state states[] = {SCANT_ORDER_CANCELLED, SCANT_ORDER_EXPIRED, SCANT_ORDER_FAILED};
  study_totals all = study_price(s, STUDY_ALL), measured = study_price(s, STUDY_MEASURED);
  int64_t rest = (int64_t)(all.spent - measured.spent);
  int expired = s->order.state == SCANT_ORDER_EXPIRED;
  scant_study_event event = {.kind = kinds[how],
                             .example = s->order.example,
                             .order = s->order.number,
                             .reason = reason,
                             .risk = NAN,
                             .risk_error = NAN};
  if (how == SCANT_END_EXPIRE) {
    event.reserved = -rest;
    event.spent = rest;
    s->order.spent = all.spent;
  } else {
    event.attributes = -(int64_t)(all.attributes - measured.attributes);
    *(expired ? &event.spent : &event.reserved) = -rest;
    s->order.spent = measured.spent;
  }
  s->order.state = states[how];
  if (reason) s->order.reason = reason;
  if (!expired) SCANT_TRY(study_learner_cancel_order(s, error));
  if (!expired) s->tip.open--;
  SCANT_TRY(study_write_order(s, STUDY_NOT_LEARNED, error));
  return study_append(s, &event, error);
}

scant_status scant_study_end_order(scant_study *study, const char *example, scant_study_end how, const char *reason,
                                   scant_error *error) {
  scant_study *s = study;
  if (how == SCANT_END_FAIL && (!reason || !*reason))
    return scant_fail(error, SCANT_USAGE, "an order fails for a reason: say which");
  SCANT_TRY(study_take(s, &example, &reason, error));
  SCANT_TRY(study_need_order(s, example, error));
  int reconciles = how == SCANT_END_CANCEL && s->order.state == SCANT_ORDER_EXPIRED;
  if (!study_is_open(s->order.state) && !reconciles)
    return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' is %s: it can't be ended", example,
                      scant_order_state_name(s->order.state));
  SCANT_TRY(study_begin(s, error));
  return study_settle(s, end_order(s, how, reason, error), error);
}
