/* Telling: answers are checked, recorded, and learned from when the last one is there. */
#include "study.h"

/* ---- reasons why values are missing ---------------------------------------------------- */

const char study_confirmed[] = "confirmed";
const char study_unconfirmed[] = "";

#define REASONS "not done, refused, broken, lost"
enum { REASONS_MOST = 100 };

/* One of a list, without the blanks around it. */
typedef struct {
  const char *text;
  size_t length;
} item;

/* The next one at *at, which goes on; 0: there is none. */
static int next_item(const char **at, item *next) {
  if (!*at) return 0;
  const char *end = strchr(*at, ','), *last = end ? end : *at + strlen(*at);
  const char *first = *at;
  while (first < last && *first == ' ') first++;
  while (last > first && last[-1] == ' ') last--;
  *next = (item){first, (size_t)(last - first)};
  *at = end ? end + 1 : NULL;
  return 1;
}

static int is_listed(const char *list, const char *reason, size_t length) {
  item next;
  for (const char *at = list; next_item(&at, &next);)
    if (next.length == length && !memcmp(next.text, reason, length)) return 1;
  return 0;
}

/* Checks one reason, and adds it to the list that is made. */
static scant_status add_reason(const item *next, char *made, size_t size, scant_error *error) {
  char reason[STUDY_NAME_MOST + 2];
  size_t length = next->length <= STUDY_NAME_MOST ? next->length : STUDY_NAME_MOST + 1;
  memcpy(reason, next->text, length);
  reason[length] = 0;
  SCANT_TRY(study_check_name(reason, "a reason for missing values", error));
  if (!strcmp(reason, study_confirmed))
    return scant_fail(error, SCANT_DATA, "'%s' is what is noted of values that are unusual: it is no reason for none",
                      reason);
  if (*made && is_listed(made, reason, length))
    return scant_fail(error, SCANT_DATA, "the reason for missing values '%s' is twice in the list", reason);
  size_t used = strlen(made);
  snprintf(made + used, size - used, "%s%s", used ? ", " : "", reason);
  return SCANT_OK;
}

scant_status study_take_reasons(scant_study *study, const char *list, scant_error *error) {
  if (!list) list = REASONS;
  size_t count = 1;
  for (const char *c = list; *c; c++) count += *c == ',';
  if (count > REASONS_MOST)
    return scant_fail(error, SCANT_DATA, "there are %zu reasons for missing values, and at most %d can be", count,
                      REASONS_MOST);
  size_t size = strlen(list) + 2 * count + 1;
  char *made = scant_array(size, 1);
  if (!made) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  item next;
  for (const char *at = list; status == SCANT_OK && next_item(&at, &next);)
    status = add_reason(&next, made, size, error);
  if (status != SCANT_OK) {
    free(made);
    return status;
  }
  free(study->reasons);
  study->reasons = made;
  return SCANT_OK;
}

const char *scant_study_missing_reasons(const scant_study *study) {
  return study->reasons;
}

/* The note of an answer whose value is in `told`: its reason, or whether it is unusual. */
static scant_status note_answer(scant_study *s, const scant_study_answer *answer, scant_study_told *told,
                                scant_error *error) {
  told->note = NULL;
  if (answer->note && !answer->missing)
    return scant_fail(error, SCANT_USAGE, "'%.200s' has a value, so there is no reason why it is missing",
                      answer->name);
  if (answer->note) {
    if (!*answer->note || !is_listed(s->reasons, answer->note, strlen(answer->note)))
      return scant_fail(error, SCANT_DATA, "'%.200s' is missing for the reason '%.100s', and the study knows: %.250s",
                        answer->name, answer->note, s->reasons);
    return study_keep_note(s, answer->note, &told->note, error);
  }
  const scant_study_attribute *a = told->attribute < 0 ? NULL : &s->catalogue[told->attribute];
  if (a && !answer->missing && (told->value < a->usual_low || told->value > a->usual_high))
    told->note = answer->confirmed ? study_confirmed : study_unconfirmed;
  return SCANT_OK;
}

static void format_usual(char *text, size_t size, const scant_study_attribute *a) {
  if (isnan(a->usual_high))
    snprintf(text, size, "from %.15g on", a->usual_low);
  else if (isnan(a->usual_low))
    snprintf(text, size, "up to %.15g", a->usual_high);
  else
    snprintf(text, size, "from %.15g to %.15g", a->usual_low, a->usual_high);
}

scant_status study_check_confirmed(const scant_study *study, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &study->told[i];
    if (told->note != study_unconfirmed) continue;
    const scant_study_attribute *a = &study->catalogue[told->attribute];
    char usual[80];
    format_usual(usual, sizeof usual, a);
    return scant_fail(error, SCANT_DATA,
                      "'%s' is %.15g, and usually it is %s: if it was read right, confirm it (with option confirm, "
                      "or as %.15g! in its place)",
                      a->name, told->value, usual, told->value);
  }
  return SCANT_OK;
}

/* ---- telling ----------------------------------------------------------------------------- */

#define VALUE_MOST 1e100 /* squares stay finite */

static scant_status check_answer(const scant_study *s, const scant_study_answer *answer, int64_t attribute,
                                 scant_error *error) {
  if (answer->missing) {
    if (attribute < 0)
      return scant_fail(error, SCANT_DATA, "the target '%s' can't be missing: fail the order instead", s->target);
    if (s->settings.learning.missing == SCANT_MISSING_ERROR)
      return scant_fail(error, SCANT_DATA, "'%s' can't be missing: the study was made with missing error",
                        answer->name);
    return SCANT_OK;
  }
  if (!isfinite(answer->value))
    return scant_fail(error, SCANT_DATA, "'%s' is %s, which is not a value", answer->name,
                      isnan(answer->value) ? "NaN" : "infinite");
  if (fabs(answer->value) > VALUE_MOST)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, which is too large to be learned from", answer->name,
                      answer->value);
  int classes = s->settings.learning.loss == SCANT_LOSS_HINGE || s->settings.learning.loss == SCANT_LOSS_LOGISTIC;
  if (attribute < 0 && classes && fabs(answer->value) != 1)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, and a study of classes takes -1 and 1", s->target,
                      answer->value);
  if (attribute < 0) return SCANT_OK;
  const scant_study_attribute *a = &s->catalogue[attribute];
  if (answer->value < a->low)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, below its range from %.15g", a->name, answer->value, a->low);
  if (answer->value > a->high)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, above its range up to %.15g", a->name, answer->value, a->high);
  return SCANT_OK;
}

scant_status study_check_answers(scant_study *s, const scant_study_answer *answers, size_t count, scant_error *error) {
  if (!scant_grow(&s->told, &s->told_room, count + 1, sizeof *s->told)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    int64_t attribute = study_find_name(s, answers[i].name);
    if (attribute == -2)
      return scant_fail(error, SCANT_DATA, "there is no attribute '%.200s' in the catalogue", answers[i].name);
    SCANT_TRY(check_answer(s, &answers[i], attribute, error));
    if (study_told_at(s, s->told, i, attribute) != SIZE_MAX)
      return scant_fail(error, SCANT_DATA, "'%.200s' is told twice", answers[i].name);
    s->told[i] =
        (scant_study_told){attribute, answers[i].missing ? NAN : answers[i].value + 0.0, NULL}; /* SQLite keeps no -0 */
    SCANT_TRY(note_answer(s, &answers[i], &s->told[i], error));
    s->told_at[attribute + 1] = i;
  }
  return SCANT_OK;
}

scant_status study_refuse_other(const scant_study *study, int64_t attribute, const char *stored, scant_error *error) {
  return scant_fail(
      error, SCANT_DATA,
      "'%s' of example '%.200s' is %s already (a correction is an act of its own: correct, with a reason)",
      study_name_of(study, attribute), study->order.example, stored);
}

int study_differs(double stored, double told) {
  return isnan(stored) ? !isnan(told) : stored != told;
}

int study_is_change(const scant_study_told *stored, const scant_study_told *told) {
  if (study_differs(stored->value, told->value)) return 1;
  return isnan(told->value) && told->note && (!stored->note || strcmp(stored->note, told->note) != 0);
}

int study_find_stored(const scant_study *s, int64_t attribute, scant_study_told *stored) {
  const scant_study_order *o = &s->order;
  size_t place = study_line_at(s, attribute), extra = study_extra_at(s, attribute);
  *stored = (scant_study_told){.attribute = attribute, .value = o->y};
  if (attribute < 0) return o->has_y;
  if (extra != SIZE_MAX) *stored = o->extras[extra];
  if (place == SIZE_MAX) return extra != SIZE_MAX;
  *stored = (scant_study_told){attribute, o->lines[place].value, o->lines[place].note};
  return o->lines[place].state != SCANT_LINE_ORDERED;
}

scant_status study_keep(scant_study *s, study_is_kept *is_kept, size_t *count, scant_error *error) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    int keeps = 0;
    SCANT_TRY(is_kept(s, &s->told[i], &keeps, error));
    if (keeps) s->told[kept++] = s->told[i];
  }
  *count = kept;
  return SCANT_OK;
}

/* Is this answer new, or the one that is stored?  Another one is refused. */
static scant_status is_new(const scant_study *s, const scant_study_told *told, int *fresh, scant_error *error) {
  scant_study_told stored;
  char text[240];
  if (told->attribute >= 0 && study_line_at(s, told->attribute) == SIZE_MAX)
    return scant_fail(error, SCANT_DATA,
                      "'%s' was not ordered of example '%.200s' (what was measured all the same is told as extra, with "
                      "a reason)",
                      study_name_of(s, told->attribute), s->order.example);
  *fresh = !study_find_stored(s, told->attribute, &stored);
  if (*fresh || !study_is_change(&stored, told)) return SCANT_OK;
  snprintf(text, sizeof text, "%.15g", stored.value);
  if (isnan(stored.value))
    snprintf(text, sizeof text, "missing%s%.200s", stored.note ? ":" : "", stored.note ? stored.note : "");
  return study_refuse_other(s, told->attribute, text, error);
}

/* Writes what was told to s->order and to its lines. */
scant_status study_write_answers(scant_study *s, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &s->told[i];
    size_t place = study_line_at(s, told->attribute);
    if (told->attribute >= 0 && place == SIZE_MAX) { /* it was not ordered */
      SCANT_TRY(study_write_extra(s, told, error));
      continue;
    }
    if (told->attribute < 0) {
      s->order.y = told->value;
      s->order.has_y = 1;
    } else {
      s->lines[place].state = isnan(told->value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
      s->lines[place].value = told->value;
      s->lines[place].note = told->note;
    }
    study_compare_second(s, place);
    if (told->attribute >= 0) SCANT_TRY(study_write_line(s, place, error));
  }
  return SCANT_OK;
}

scant_status study_write_line(scant_study *study, size_t place, scant_error *error) {
  const scant_study_line *line = &study->lines[place];
  const sql_value values[] = {sql_count(study->order.number), sql_count(place),           sql_signed(line->state),
                              sql_real(line->value),          sql_text(line->note),       sql_signed(line->second),
                              sql_real(line->second_value),   sql_text(line->second_note)};
  return study_run(study,
                   "UPDATE line SET state = ?3, value = ?4, note = ?5, second = ?6, second_value = ?7, second_note = "
                   "?8 WHERE number = ?1 AND place = ?2",
                   values, error);
}

scant_status study_write_order(scant_study *study, const uint64_t *told_before, scant_error *error) {
  const scant_study_order *o = &study->order;
  sql_value before = sql_text(NULL), event = before;
  if (told_before) before = sql_count(*told_before);
  if (told_before) event = sql_count(study->tip.sequence + 1);
  const sql_value values[] = {
      sql_count(o->number), sql_signed(o->state),  sql_count(o->spent),   sql_real(o->y), before,
      sql_text(o->reason),  sql_signed(o->second), sql_real(o->second_y), event};
  return study_run(study,
                   "UPDATE orders SET state = ?2, spent = ?3, y = ?4, learned_told = coalesce(?5, learned_told), "
                   "reason = ?6, second = ?7, second_y = ?8, learned_by = coalesce(?9, learned_by) WHERE number = ?1",
                   values, error);
}

scant_study_event study_event_told(const scant_study *study, scant_event_kind kind, size_t count) {
  scant_study_event event = study_event(kind, study->order.example, study->order.number);
  event.count = count;
  event.told = study->told;
  return event;
}

scant_order_state study_state_of(const scant_study_order *o) {
  size_t told = 0, agree = o->second == SCANT_SECOND_AGREES;
  for (size_t i = 0; i < o->count; i++) told += o->lines[i].state != SCANT_LINE_ORDERED;
  for (size_t i = 0; i < o->count; i++) agree += o->lines[i].second == SCANT_SECOND_AGREES;
  if (told < o->count) return told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED;
  return o->has_y && (!o->second_needed || agree == o->count + 1) ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
}

scant_status study_learn_if_complete(scant_study *s, scant_study_event *event, scant_error *error) {
  int open = study_is_open(s->order.state);
  uint64_t told_before = study_learner_told(s);
  if (open) s->order.state = study_state_of(&s->order);
  event->learned = open && s->order.state == SCANT_ORDER_LEARNED;
  if (event->learned) {
    s->tip.open--;
    SCANT_TRY(study_learner_tell_order(s, error));
  }
  return study_write_order(s, event->learned ? &told_before : NULL, error);
}

scant_status study_refuse_ended(const scant_study *study, scant_error *error) {
  return scant_fail(error, SCANT_MISUSE,
                    "the order of example '%.200s' is %s: nothing can be told any more; reopen takes that back",
                    study->order.example, scant_order_state_name(study->order.state));
}

/* Records `count` new answers in s->told, and learns if they complete the order. */
static scant_status take_down(scant_study *s, size_t count, scant_error *error) {
  scant_study_event event = study_event_told(s, SCANT_EVENT_TELL, count);
  uint64_t before = s->order.spent;
  SCANT_TRY(study_write_answers(s, count, error));
  /* Answers that come after an order has expired are kept, and were paid already; its look is closed. */
  if (s->order.state != SCANT_ORDER_EXPIRED) s->order.spent = study_price(s, STUDY_MEASURED).spent;
  event.spent = (int64_t)(s->order.spent - before);
  event.reserved = -event.spent;
  SCANT_TRY(study_learn_if_complete(s, &event, error));
  return study_append(s, &event, error);
}

static scant_status tell(scant_study *s, const char *example, const scant_study_answer *answers, size_t count,
                         scant_error *error) {
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  SCANT_TRY(study_keep(s, is_new, &count, error));
  if (!count) return SCANT_OK; /* all of it was told before */
  if (!study_is_open(s->order.state) && s->order.state != SCANT_ORDER_EXPIRED) return study_refuse_ended(s, error);
  SCANT_TRY(study_check_confirmed(s, count, error));
  SCANT_TRY(study_begin(s, error));
  return study_end(s, take_down(s, count, error), 1, error);
}

scant_status scant_study_tell(scant_study *study, const char *example, const scant_study_answer *answers, size_t count,
                              scant_error *error) {
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to tell");
  SCANT_TRY(study_take(study, &example, NULL, error));
  return study_end_turn(study, tell(study, example, answers, count, error));
}
