/* The learner of a study, which follows from the ledger. */
#include "study.h"

static const char select_snapshot[] = "SELECT sequence, build, learner FROM snapshot ORDER BY sequence DESC LIMIT 1";

uint64_t study_learner_told(const scant_study *study) {
  scant_learner_facts facts;
  scant_learner_get_facts(study->learner, &facts);
  return facts.told;
}

const scant_algorithm *study_algorithm(const scant_study *study) {
  return scant_algorithm_find(study->settings.learning.algorithm);
}

/* ---- telling --------------------------------------------------------------------- */

/* A look that was asked for before the terms were amended becomes one of the current learner.  Items are numbered by
 * the prices of that time: here the first attribute of each is its number. */
static void take_over(const scant_study *s, scant_look *look) {
  scant_learner_traits traits;
  uint32_t before = 0, first = 0;
  scant_learner_get_traits(s->learner, &traits);
  look->learner = traits.tag;
  for (uint32_t i = 0; i < look->count; i++) {
    if (!i || look->item[i] != before) first = look->attributes[i];
    before = look->item[i];
    look->item[i] = first;
  }
}

scant_status study_load_look(scant_study *s, scant_look **look, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(s, "SELECT l.look FROM orders o JOIN ledger l ON l.sequence = o.asked WHERE o.number = ?1",
                            (sql_value[]){sql_count(s->order.number)}, &statement, &row, error));
  const char *text = NULL;
  scant_error inner = {""};
  scant_status status = row ? study_column_peek(statement, 0, &text, &inner) : SCANT_OK;
  if (status == SCANT_OK)
    status = text ? scant_look_load(look, text, (size_t)sqlite3_column_bytes(statement, 0), &inner)
                  : scant_fail(&inner, SCANT_DATA, "it has none");
  sqlite3_reset(statement);
  if (status == SCANT_OK && ((*look)->count != s->order.count || (*look)->count > s->dimension)) {
    scant_look_free(*look);
    status = scant_fail(&inner, SCANT_DATA, "it is not that of its lines");
  }
  if (status != SCANT_OK)
    return scant_fail(error, status, "the look of order %" PRIu64 ": %.300s", s->order.number, inner.text);
  if (s->asked < s->amended) take_over(s, *look);
  return SCANT_OK;
}

/* Marks the places of a look, asked for by this event, of which nothing may be learned (terms.c); NULL: none. */
static const unsigned char *leave_out(scant_study *s, const scant_look *look, uint64_t asked) {
  int any = 0;
  if (!s->since || study_algorithm(s)->dense) return NULL;
  for (uint32_t i = 0; i < look->count; i++) {
    s->left_out[i] = s->since[look->attributes[i]] > asked;
    if (s->left_out[i]) s->values[i] = NAN;
    any |= s->left_out[i];
  }
  return any ? s->left_out : NULL;
}

/* Adds what was measured without being ordered to a look, as if it had been in it for certain. */
static scant_status add_extras(scant_study *s, scant_look *look, scant_error *error) {
  size_t count = look->count + s->order.extra_count;
  if (!study_algorithm(s)->joint || !s->order.extra_count) return SCANT_OK;
  if (count > s->dimension)
    return scant_fail(error, SCANT_DATA, "order %" PRIu64 " has too many extras", s->order.number);
  if (!scant_look_reserve(look, count, look->sequence_count)) return scant_fail_memory(error);
  for (size_t i = 0; i < s->order.extra_count; i++) {
    uint32_t place = look->count++;
    look->attributes[place] = look->item[place] = (uint32_t)s->extras[i].attribute;
    look->gradient_draws[place] = look->residual_draws[place] = 0;
    look->gradient_probability[place] = look->residual_probability[place] = 1;
    look->weight[place] = look->mean[place] = 0;
    s->values[place] = s->extras[i].value;
  }
  return SCANT_OK;
}

/* For errors and risks: what was told is numbered in its order. */
static scant_status hear(scant_study *s, const study_listener *to, const scant_look *look,
                         const unsigned char *left_out, double y, scant_error *error) {
  if (to && to->curve) SCANT_TRY(study_note_point(s, to->curve, error));
  if (to && to->transcript) scant_transcript_add(to->transcript, s->learner, look, left_out, s->values, y);
  return SCANT_OK;
}

static scant_status tell_order(scant_study *s, const study_listener *listener, scant_error *error) {
  scant_look *look;
  SCANT_TRY(study_load_look(s, &look, error));
  for (size_t i = 0; i < s->order.count; i++) s->values[i] = s->lines[i].value;
  scant_error inner = {""};
  scant_status status = add_extras(s, look, &inner);
  if (status == SCANT_OK) {
    const unsigned char *left_out = leave_out(s, look, s->asked);
    status = hear(s, listener, look, left_out, s->order.y, &inner);
    if (status == SCANT_OK)
      status = s->asked < s->amended || look->count > s->order.count
                   ? scant_learner_tell_given(s->learner, look, left_out, s->values, s->order.y, &inner)
                   : scant_learner_tell(s->learner, look, look->count, NULL, s->values, s->order.y, &inner);
  }
  scant_look_free(look);
  if (status == SCANT_OK) return SCANT_OK;
  return scant_fail(error, status, "example '%.200s': %.280s", s->order.example, inner.text);
}

scant_status study_learner_tell_order(scant_study *study, scant_error *error) {
  return tell_order(study, NULL, error);
}

static scant_status with_look(scant_study *s, scant_status (*act)(scant_learner *, const scant_look *, scant_error *),
                              scant_error *error) {
  scant_look *look;
  SCANT_TRY(study_load_look(s, &look, error));
  scant_status status = act(s->learner, look, error);
  scant_look_free(look);
  return status;
}

scant_status study_learner_cancel_order(scant_study *study, scant_error *error) {
  return with_look(study, scant_learner_cancel, error);
}

scant_status study_learner_reopen_order(scant_study *study, scant_error *error) {
  return with_look(study, scant_learner_reopen, error);
}

static scant_status import(scant_study *s, const study_listener *listener, const scant_study_told *told, size_t count,
                           uint64_t sequence, scant_error *error) {
  double y = NAN;
  SCANT_TRY(scant_learner_ask_all(s->learner, s->drawn, error));
  study_index_told(s, told, count);
  for (uint32_t place = 0; place < s->drawn->count; place++) {
    size_t i = study_told_at(s, told, count, s->drawn->attributes[place]);
    s->values[place] = i == SIZE_MAX ? NAN : told[i].value;
  }
  for (size_t i = 0; i < count; i++)
    if (told[i].attribute < 0) y = told[i].value;
  const unsigned char *left_out = leave_out(s, s->drawn, sequence);
  scant_status status = hear(s, listener, s->drawn, left_out, y, error);
  if (status == SCANT_OK) status = scant_learner_tell_given(s->learner, s->drawn, left_out, s->values, y, error);
  if (status != SCANT_OK) scant_learner_cancel(s->learner, s->drawn, NULL);
  return status;
}

scant_status study_learner_import(scant_study *study, size_t count, scant_error *error) {
  return import(study, NULL, study->told, count, study->tip.sequence + 1, error);
}

/* ---- from the ledger --------------------------------------------------------------- */

static scant_status new_learner(scant_study *s, scant_error *error) {
  scant_learner *learner = NULL;
  scant_look *drawn = NULL;
  scant_settings settings = s->settings;
  if (s->most_open > settings.learning.max_open) settings.learning.max_open = s->most_open; /* so many were open once */
  if ((double)settings.learning.max_open < scant_option_find("max-open")->maximum)
    settings.learning.max_open++; /* for an example of the past */
  scant_status status = scant_learner_new(&learner, &settings, s->dimension, s->settings.run.examples, error);
  const scant_prices *prices = s->offered ? s->offered : s->prices;
  if (status == SCANT_OK && s->barred) status = scant_learner_bar(learner, s->barred, error);
  if (status == SCANT_OK && prices && study_algorithm(s)->priced) status = scant_learner_price(learner, prices, error);
  if (status == SCANT_OK) status = scant_look_new(&drawn, learner, error);
  if (status == SCANT_OK && !s->values && !(s->values = scant_array(s->dimension, sizeof *s->values)))
    status = scant_fail_memory(error);
  if (status == SCANT_OK && !s->left_out && !(s->left_out = scant_array(s->dimension, sizeof *s->left_out)))
    status = scant_fail_memory(error);
  if (status != SCANT_OK) {
    scant_look_free(drawn);
    scant_learner_free(learner);
    return status;
  }
  scant_look_free(s->drawn);
  scant_learner_free(s->learner);
  s->learner = learner;
  scant_learner_choose_by_groups(s->learner);
  s->drawn = drawn;
  return SCANT_OK;
}

static scant_status follow_end(scant_study *s, uint64_t order, scant_error *error) {
  SCANT_TRY(study_read_order(s, order, error));
  scant_status status = study_learner_cancel_order(s, error);
  return status == SCANT_MISUSE ? SCANT_OK : status; /* it expired before it was cancelled: it is closed already */
}

/* A correction may have made an order agree with its second entries, and so completed it.  After any other one all was
 * learned anew.  The looks to come must not repeat old draws, so the generator is seeded anew. */
static scant_status follow_correction(scant_study *s, const study_listener *listener, scant_error *error) {
  uint64_t sequence = s->event.sequence;
  s->learned_by = 0;
  if (s->event.order) SCANT_TRY(study_read_order(s, s->event.order, error));
  if (s->learned_by == sequence) return tell_order(s, listener, error);
  scant_learner_reseed(s->learner, sequence);
  return SCANT_OK;
}

scant_status study_follow_erased(scant_study *s, scant_event_kind kind, scant_error *error) {
  if (kind != SCANT_EVENT_ASK && kind != SCANT_EVENT_IMPORT) return SCANT_OK;
  SCANT_TRY(kind == SCANT_EVENT_ASK ? scant_learner_ask(s->learner, s->drawn, error)
                                    : scant_learner_ask_all(s->learner, s->drawn, error));
  return scant_learner_cancel(s->learner, s->drawn, error);
}

/* Lets the learner go through s->event again.  A look is drawn for the generator alone: the order has its own. */
static scant_status follow(scant_study *s, const study_listener *listener, scant_error *error) {
  const scant_study_event *e = &s->event;
  if (e->erased) return study_follow_erased(s, e->kind, error);
  switch (e->kind) {
    case SCANT_EVENT_ASK:
      return scant_learner_ask(s->learner, s->drawn, error);
    case SCANT_EVENT_IMPORT:
      SCANT_TRY(study_overlay_corrections(s, error));
      return import(s, listener, e->told, e->count, e->sequence, error);
    case SCANT_EVENT_AMEND:
    case SCANT_EVENT_ERASE:
      scant_learner_reseed(s->learner, e->sequence);
      return SCANT_OK;
    case SCANT_EVENT_EXTRA:
      if (e->learned) scant_learner_reseed(s->learner, e->sequence);
      return SCANT_OK;
    case SCANT_EVENT_CORRECT:
      return e->learned ? follow_correction(s, listener, error) : SCANT_OK;
    case SCANT_EVENT_TELL:
    case SCANT_EVENT_SECOND:
      if (!e->learned) return SCANT_OK;
      SCANT_TRY(study_read_order(s, e->order, error));
      return tell_order(s, listener, error);
    case SCANT_EVENT_CANCEL:
    case SCANT_EVENT_EXPIRE:
    case SCANT_EVENT_FAIL:
      return follow_end(s, e->order, error);
    case SCANT_EVENT_REOPEN:
      SCANT_TRY(study_read_order(s, e->order, error));
      SCANT_TRY(study_learner_reopen_order(s, error));
      return e->learned ? tell_order(s, listener, error) : SCANT_OK;
    case SCANT_EVENT_CREATE:
    case SCANT_EVENT_BUILD:
    case SCANT_EVENT_FREEZE:
    default:
      return SCANT_OK;
  }
}

static scant_status follow_from(scant_study *s, uint64_t after, uint64_t last, const study_listener *listener,
                                scant_error *error) {
  for (uint64_t sequence = after + 1; sequence <= last; sequence++) {
    scant_error inner = {""};
    SCANT_TRY(study_read_event(s, sequence, error));
    scant_status status = follow(s, listener, &inner);
    if (status == SCANT_MEMORY) return scant_fail_memory(error);
    if (status != SCANT_OK)
      return scant_fail(error, status == SCANT_IO ? SCANT_IO : SCANT_DATA,
                        "event %" PRIu64 " of the ledger can't be followed: %.300s", sequence, inner.text);
  }
  return SCANT_OK;
}

static scant_status relearn(scant_study *study, const study_listener *listener, scant_error *error) {
  SCANT_TRY(new_learner(study, error));
  return follow_from(study, 0, study->tip.sequence, listener, error);
}

scant_status study_relearn(scant_study *study, scant_error *error) {
  return relearn(study, NULL, error);
}

scant_status study_relearn_and_keep(scant_study *study, scant_error *error) {
  SCANT_TRY(study_relearn(study, error));
  return study_keep_learner(study, error);
}

scant_status study_relearn_for(scant_study *study, const study_listener *listener, scant_error *error) {
  study->stale = 1; /* until it is done */
  SCANT_TRY(relearn(study, listener, error));
  study->stale = 0;
  return SCANT_OK;
}

/* The learner of the last snapshot; *after is 0 if there is none that can be used. */
static scant_status load_snapshot(scant_study *s, uint64_t last, uint64_t *after, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  *after = s->kept = 0;
  SCANT_TRY(study_query_row(s, select_snapshot, NULL, &statement, &row, error));
  uint64_t sequence = row ? study_column_count(statement, 0) : 0;
  const char *text = row ? (const char *)sqlite3_column_text(statement, 2) : NULL;
  scant_learner *learner = NULL;
  if (text && sequence <= last &&
      scant_learner_load(&learner, text, (size_t)sqlite3_column_bytes(statement, 2), &s->settings, NULL) == SCANT_OK) {
    scant_learner_facts facts;
    scant_learner_get_facts(learner, &facts);
    if (facts.dimension == s->dimension) {
      scant_learner_free(s->learner);
      s->learner = learner;
      scant_learner_choose_by_groups(s->learner);
      *after = s->kept = sequence;
    } else {
      scant_learner_free(learner);
    }
  }
  sqlite3_reset(statement);
  return SCANT_OK;
}

scant_status study_load_learner(scant_study *s, scant_error *error) {
  study_tip tip;
  uint64_t after;
  s->stale = 1;                                                                    /* until it is done */
  if (!study_is_shared_now(s) && !s->groups) SCANT_TRY(study_roll_back(s, error)); /* if memory had run out for that */
  SCANT_TRY(study_refresh_terms(s, error));
  SCANT_TRY(study_read_tip(s, &tip, error));
  SCANT_TRY(new_learner(s, error));
  SCANT_TRY(load_snapshot(s, tip.sequence, &after, error));
  SCANT_TRY(follow_from(s, after, tip.sequence, NULL, error));
  s->tip = tip;
  s->stale = 0;
  return SCANT_OK;
}

/* The event of the last snapshot, 0 if there is none; not beyond the ledger.  *own: is it of this build? */
static scant_status last_snapshot(scant_study *s, uint64_t *sequence, int *own, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(s, select_snapshot, NULL, &statement, &row, error));
  *sequence = row ? study_column_count(statement, 0) : 0;
  const char *build = row ? (const char *)sqlite3_column_text(statement, 1) : NULL;
  *own = !build || study_is_build(build);
  sqlite3_reset(statement);
  if (*sequence <= s->tip.sequence) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "the ledger ends with event %" PRIu64 ", but the learner was kept after event %" PRIu64
                    ": later events are gone",
                    s->tip.sequence, *sequence);
}

/* What a handle that writes knows beside the learner: open orders, and whether another one has kept the learner. */
static scant_status note_others(scant_study *s, scant_error *error) {
  uint64_t kept, counts[STUDY_STATES];
  int own;
  SCANT_TRY(study_count_orders(s, counts, &s->tip.open, error));
  SCANT_TRY(last_snapshot(s, &kept, &own, error));
  if (own && kept > s->kept) s->kept = kept;
  return SCANT_OK;
}

/* How far the events after this one reach.  An order is read as it is now, so a learner can follow none of them if a
 * later one changes what the order was: one may have told of an attribute that was added by then. */
static scant_status reach_since(scant_study *s, uint64_t after, study_reach *reach, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  *reach = STUDY_ADDS;
  SCANT_TRY(study_query(s, "SELECT DISTINCT kind FROM ledger WHERE sequence > ?1", (sql_value[]){sql_count(after)},
                        &statement, error));
  for (;;) {
    scant_event_kind kind;
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    if (name && study_find_kind(name, &kind) && study_reach_of(kind) > *reach) *reach = study_reach_of(kind);
  }
}

scant_status study_catch_up(scant_study *s, scant_error *error) {
  uint64_t last;
  SCANT_TRY(
      study_read_single(s, "SELECT sequence, checksum FROM ledger ORDER BY sequence DESC LIMIT 1", NULL, &last, error));
  if (!s->stale && last == s->tip.sequence) return SCANT_OK;
  if (s->stale || last < s->tip.sequence) return study_load_learner(s, error);
  s->stale = 1; /* until it is done */
  study_reach reach;
  SCANT_TRY(reach_since(s, s->tip.sequence, &reach, error));
  if (reach != STUDY_ADDS) return reach == STUDY_CATALOGUE ? study_reread(s, error) : study_load_learner(s, error);
  for (study_tip *tip = &s->tip; tip->sequence < last;) {
    SCANT_TRY(study_read_event(s, tip->sequence + 1, error));
    const scant_study_event e = s->event; /* following it reads others */
    if (e.kind == SCANT_EVENT_BUILD) tip->new_build = !e.reason || !study_is_build(e.reason);
    SCANT_TRY(follow_from(s, tip->sequence, tip->sequence + 1, NULL, error));
    study_move_tip(tip, &e);
  }
  if (s->mode == SCANT_STUDY_SHARE) SCANT_TRY(note_others(s, error));
  s->stale = 0;
  return SCANT_OK;
}

scant_status study_check_end(scant_study *study, scant_error *error) {
  uint64_t sequence;
  int own;
  return last_snapshot(study, &sequence, &own, error);
}

scant_status study_check_snapshot(scant_study *s, scant_error *error) {
  uint64_t sequence;
  int own;
  SCANT_TRY(last_snapshot(s, &sequence, &own, error));
  if (sequence != s->kept && own) /* one that another build kept may be of a kind that this one does not read */
    return scant_fail(error, SCANT_DATA,
                      "the learner that was kept after event %" PRIu64
                      " is damaged (the ledger is not; a replay makes "
                      "it anew)",
                      sequence);
  return SCANT_OK;
}

scant_status study_keep_learner(scant_study *s, scant_error *error) {
  char *text;
  size_t length;
  SCANT_TRY(scant_learner_save(s->learner, &text, &length, error));
  const sql_value snapshot[] = {sql_count(s->tip.sequence), sql_text(study_build()), sql_text(text)};
  scant_status status =
      study_run(s, "INSERT OR REPLACE INTO snapshot(sequence, build, learner) VALUES(?1, ?2, ?3)", snapshot, error);
  scant_text_free(text);
  if (status == SCANT_OK) status = study_run(s, "DELETE FROM snapshot WHERE sequence < ?1", snapshot, error);
  if (status == SCANT_OK) s->kept = s->tip.sequence;
  return status;
}
