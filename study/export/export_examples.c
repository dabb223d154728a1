/* One row per example, and a dictionary of the columns. */
#include "export/export.h"

enum { TIME_LENGTH = 32, COLUMN_MOST = 2 * STUDY_NAME_MOST + 16 };

/* What the ledger says of an example, beside its order. */
typedef struct {
  char asked_at[TIME_LENGTH], first_told_at[TIME_LENGTH], last_told_at[TIME_LENGTH], learned_at[TIME_LENGTH];
  char *asked_by, *told_by; /* those who told, each once */
  size_t asked_room, told_room;
} history;

typedef struct {
  scant_study *s;
  study_pseudonyms names;
  study_cells rows, columns; /* the table, and its dictionary */
  history h;
  sqlite3_stmt *events; /* those of orders, by their number */
  uint64_t number;      /* of the order of the current event; 0: there is none any more */
} export;

/* ---- the columns ------------------------------------------------------------------- */

typedef struct {
  const char *name, *type, *meaning;
} column;

static const column before[] = {
    {"example", "text", "the name of the example"},
    {"order", "number", "the number of its order, the last if there are several; empty: it was imported"},
    {"state", "text", "what became of the order; imported: the example was imported, with no order"},
};

static const column after[] = {
    {"asked_at", "time", "when the order was issued, UTC"},
    {"first_told_at", "time", "when the first value was told, or the example imported, UTC"},
    {"last_told_at", "time", "when the last value was told or corrected, UTC"},
    {"learned_at", "time", "when the study learned from it first, UTC; empty: it did not"},
    {"asked_by", "text", "who asked"},
    {"told_by", "text", "who told, imported or corrected values"},
    {"price", "money", "of the whole order, reserved when it was issued"},
    {"spent", "money", "of that, by now"},
    {"reason", "text", "why the order failed or was ended"},
    {"second_agree", "number", "values whose second entry agrees, the target included"},
    {"second_differ", "number", "values whose second entry differs, likewise"},
};

enum { BEFORE = sizeof before / sizeof *before, AFTER = sizeof after / sizeof *after };

#define NOTE "_note"

/* The name of a column that is not an attribute's.  It gets underscores as long as the study has that name itself. */
static const char *name_column(const export *x, const char *name, const char *end, char text[COLUMN_MOST]) {
  size_t length = (size_t)snprintf(text, COLUMN_MOST - 1, "%s%s", name, end);
  while (length + 2 < COLUMN_MOST && study_find_name(x->s, text) != -2) {
    text[length++] = '_';
    text[length] = 0;
  }
  return text;
}

static void put_column(export *x, const char *name, const char *type, const char *meaning) {
  study_cells_text(&x->rows, name);
  study_cells_text(&x->columns, name);
  study_cells_text(&x->columns, type);
  study_cells_empty(&x->columns, 9);
  study_cells_text(&x->columns, meaning);
  study_cells_end_row(&x->columns);
}

static void put_attribute_column(export *x, const scant_study_attribute *a) {
  study_cells *c = &x->columns;
  char text[COLUMN_MOST];
  study_cells_text(&x->rows, a->name);
  study_cells_text(c, a->name);
  study_cells_text(c, "number");
  study_cells_text(c, a->unit);
  if (x->s->unpriced)
    study_cells_empty(c, 1);
  else
    study_cells_money(c, (int64_t)a->cost);
  study_cells_real(c, a->low);
  study_cells_real(c, a->high);
  study_cells_real(c, a->usual_low);
  study_cells_real(c, a->usual_high);
  study_cells_text(c, a->group);
  study_cells_text(c, a->known ? "yes" : "no");
  study_cells_text(c, a->retired ? "yes" : "no");
  study_cells_text(c, "the value as it is now; empty: it was not ordered, or the column behind it says why");
  study_cells_end_row(c);
  put_column(x, name_column(x, a->name, NOTE, text), "text",
             "ordered: it was not told by now; not told: nor will it be, for the order was ended; missing, or a "
             "reason: it can't be measured; confirmed: it is unusual; extra: "
             "it was measured without being ordered");
}

static void put_columns(export *x) {
  char text[COLUMN_MOST];
  study_cells_plain(&x->columns, "column,type,unit,cost,low,high,usual_low,usual_high,group,known,retired,meaning");
  study_cells_end_row(&x->columns);
  for (int i = 0; i < BEFORE; i++)
    put_column(x, name_column(x, before[i].name, "", text), before[i].type, before[i].meaning);
  for (size_t i = 0; i < x->s->dimension; i++) put_attribute_column(x, &x->s->catalogue[i]);
  put_column(x, x->s->target, "number", "the target; empty: it was not told by now");
  for (int i = 0; i < AFTER; i++)
    put_column(x, name_column(x, after[i].name, "", text), after[i].type, after[i].meaning);
  study_cells_end_row(&x->rows);
}

static void copy_time(char to[TIME_LENGTH], const char *from) {
  snprintf(to, TIME_LENGTH, "%s", from ? from : "");
}

/* Is the name in the list? */
static int has_name(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at++)
    if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ';')) return 1;
  return 0;
}

static scant_status add_name(export *x, char **list, size_t *room, const char *by, scant_error *error) {
  const char *name = study_pseudonym(&x->names, STUDY_PEOPLE, by);
  size_t used = *list ? strlen(*list) : 0;
  if (!name || (*list && has_name(*list, name))) return SCANT_OK;
  if (!scant_grow(list, room, used + strlen(name) + 3, 1)) return scant_fail_memory(error);
  sprintf(*list + used, "%s%s", used ? "; " : "", name);
  return SCANT_OK;
}

static void forget(history *h) {
  h->asked_at[0] = h->first_told_at[0] = h->last_told_at[0] = h->learned_at[0] = 0;
  if (h->asked_by) h->asked_by[0] = 0;
  if (h->told_by) h->told_by[0] = 0;
}

/* Does such an event tell values? */
static int tells(scant_event_kind kind) {
  return kind == SCANT_EVENT_TELL || kind == SCANT_EVENT_CORRECT || kind == SCANT_EVENT_IMPORT ||
         kind == SCANT_EVENT_EXTRA || kind == SCANT_EVENT_SECOND;
}

static scant_status add_event(export *x, scant_event_kind kind, const char *at, const char *by, int learned,
                              scant_error *error) {
  history *h = &x->h;
  if (kind == SCANT_EVENT_ASK) copy_time(h->asked_at, at);
  if (kind == SCANT_EVENT_ASK) SCANT_TRY(add_name(x, &h->asked_by, &h->asked_room, by, error));
  if (learned && !h->learned_at[0]) copy_time(h->learned_at, at);
  if (!tells(kind)) return SCANT_OK;
  if (!h->first_told_at[0]) copy_time(h->first_told_at, at);
  copy_time(h->last_told_at, at);
  return add_name(x, &h->told_by, &h->told_room, by, error);
}

static scant_status next_event(export *x, scant_error *error) {
  int row;
  SCANT_TRY(study_step(x->s->db, x->events, &row, error));
  x->number = row ? study_column_count(x->events, 0) : 0;
  return SCANT_OK;
}

/* Both the events and the orders come by number. */
static scant_status read_history(export *x, uint64_t number, scant_error *error) {
  forget(&x->h);
  while (x->number && x->number < number) SCANT_TRY(next_event(x, error));
  while (x->number == number) {
    const char *texts[3];
    scant_event_kind kind;
    static const int places[3] = {1, 2, 4};
    for (int i = 0; i < 3; i++) SCANT_TRY(study_column_peek(x->events, places[i], &texts[i], error));
    if (texts[1] && study_find_kind(texts[1], &kind))
      SCANT_TRY(add_event(x, kind, texts[0], texts[2], sqlite3_column_int(x->events, 3) == 1, error));
    SCANT_TRY(next_event(x, error));
  }
  return SCANT_OK;
}

static void put_name(export *x, const char *example) {
  study_cells_text(&x->rows, study_pseudonym(&x->names, STUDY_EXAMPLES, example));
}

static void put_note(export *x, scant_line_state state, const char *note) {
  if (state == SCANT_LINE_ORDERED || (state == SCANT_LINE_MISSING && !note)) note = scant_line_state_name(state);
  study_cells_text(&x->rows, note);
}

static void put_line(export *x, const scant_study_line *line) {
  int waits = x->s->order.state <= SCANT_ORDER_TOLD;
  study_cells_real(&x->rows, line->state == SCANT_LINE_TOLD ? line->value : NAN);
  if (line->state == SCANT_LINE_ORDERED && !waits)
    study_cells_text(&x->rows, "not told");
  else
    put_note(x, line->state, line->note);
}

/* What nobody ordered. */
static void put_extra(export *x, const scant_study_told *extra) {
  int told = !isnan(extra->value);
  study_cells_real(&x->rows, extra->value);
  if (!told)
    put_note(x, SCANT_LINE_MISSING, extra->note);
  else
    study_cells_text(&x->rows, extra->note ? "extra, confirmed" : "extra");
}

/* The columns behind the target. */
static void put_rest(export *x, uint64_t price, uint64_t spent, const char *reason,
                     const scant_study_comparison *second) {
  study_cells *c = &x->rows;
  const history *h = &x->h;
  study_cells_text(c, h->asked_at);
  study_cells_text(c, h->first_told_at);
  study_cells_text(c, h->last_told_at);
  study_cells_text(c, h->learned_at);
  study_cells_text(c, h->asked_by);
  study_cells_text(c, h->told_by);
  study_cells_money(c, (int64_t)price);
  study_cells_money(c, (int64_t)spent);
  study_cells_text(c, x->names.wanted ? NULL : reason); /* a reason may hold names */
  if (second) study_cells_count(c, second->agree);
  if (second) study_cells_count(c, second->differ);
  if (!second) study_cells_empty(c, 2);
  study_cells_end_row(c);
}

static scant_status put_order(export *x, uint64_t number, scant_error *error) {
  scant_study *s = x->s;
  SCANT_TRY(study_read_order(s, number, error));
  SCANT_TRY(read_history(x, number, error));
  put_name(x, s->order.example);
  study_cells_count(&x->rows, number);
  study_cells_text(&x->rows, scant_order_state_name(s->order.state));
  for (size_t i = 0; i < s->dimension; i++) {
    size_t place = study_line_at(s, (int64_t)i), extra = study_extra_at(s, (int64_t)i);
    if (place != SIZE_MAX)
      put_line(x, &s->lines[place]);
    else if (extra != SIZE_MAX)
      put_extra(x, &s->extras[extra]);
    else
      study_cells_empty(&x->rows, 2);
  }
  study_cells_real(&x->rows, s->order.y);
  if (s->order.state != SCANT_ORDER_LEARNED) x->h.learned_at[0] = 0;
  scant_study_comparison second = study_compare(&s->order);
  put_rest(x, s->order.price, s->order.spent, s->order.reason, &second);
  return x->rows.status;
}

/* Adds who corrected the current imported example, and when. */
static scant_status add_corrections(export *x, scant_error *error) {
  scant_study *s = x->s;
  sqlite3_stmt *statement;
  SCANT_TRY(study_query_corrections(
      s, "SELECT at, by FROM ledger WHERE kind = 'correct' AND number = 0 AND example = ?1 ORDER BY sequence",
      &statement, error));
  for (int row = statement != NULL; row;) {
    const char *at, *by;
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    SCANT_TRY(study_column_peek(statement, 0, &at, error));
    SCANT_TRY(study_column_peek(statement, 1, &by, error));
    SCANT_TRY(add_event(x, SCANT_EVENT_CORRECT, at, by, 0, error));
  }
  return SCANT_OK;
}

/* Of the current event. */
static scant_status put_import(export *x, scant_error *error) {
  scant_study *s = x->s;
  const scant_study_event *e = &s->event;
  forget(&x->h);
  SCANT_TRY(add_event(x, e->kind, e->at, e->by, e->learned, error));
  SCANT_TRY(add_corrections(x, error));
  study_index_told(s, e->told, e->count);
  put_name(x, e->example);
  study_cells_empty(&x->rows, 1);
  study_cells_text(&x->rows, "imported");
  for (size_t i = 0; i < s->dimension; i++) {
    size_t place = study_told_at(s, e->told, e->count, (int64_t)i);
    int told = place != SIZE_MAX;
    study_cells_real(&x->rows, told ? e->told[place].value : NAN);
    put_note(x, told && isnan(e->told[place].value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD,
             told ? e->told[place].note : NULL);
  }
  size_t target = study_told_at(s, e->told, e->count, -1);
  study_cells_real(&x->rows, target == SIZE_MAX ? NAN : e->told[target].value);
  put_rest(x, 0, 0, NULL, NULL);
  return x->rows.status;
}

static scant_status put_rows(export *x, scant_error *error) {
  scant_study *s = x->s;
  sqlite3_stmt *walk;
  int more = 1;
  SCANT_TRY(study_query(s,
                        "SELECT number, at, kind, learned, by FROM ledger WHERE number > 0 ORDER BY number, sequence",
                        NULL, &x->events, error));
  SCANT_TRY(next_event(x, error));
  SCANT_TRY(
      study_query(s, "SELECT max(number) AS last FROM orders GROUP BY example ORDER BY last", NULL, &walk, error));
  for (uint64_t number = 0;;) {
    SCANT_TRY(study_next_key(s, walk, "the orders are", "order", &number, &more, error));
    if (!more) break;
    SCANT_TRY(put_order(x, number, error));
  }
  sqlite3_reset(x->events);
  SCANT_TRY(study_walk_imports(s, &walk, error));
  for (uint64_t sequence = 0;;) {
    SCANT_TRY(study_next_import(s, walk, &sequence, &more, error));
    if (!more) return SCANT_OK;
    SCANT_TRY(put_import(x, error));
  }
}

static scant_status write_both(scant_study *s, scant_replacing *table, scant_replacing *dictionary, int pseudonyms,
                               scant_error *error) {
  export x = {.s = s,
              .rows = {.sink = study_sink_file, .user = table, .error = error},
              .columns = {.sink = study_sink_file, .user = dictionary, .error = error}};
  scant_status status = study_pseudonyms_begin(s, pseudonyms, &x.names, error);
  if (status == SCANT_OK) put_columns(&x);
  if (status == SCANT_OK) status = put_rows(&x, error);
  scant_status ends[2] = {study_cells_end(&x.rows), study_cells_end(&x.columns)};
  for (int i = 0; i < 2 && status == SCANT_OK; i++) status = ends[i];
  free(x.h.asked_by);
  free(x.h.told_by);
  return status;
}

/* The files have their names when both are whole. */
static scant_status export_examples(scant_study *s, const char *path, const char *dictionary, int pseudonyms,
                                    scant_error *error) {
  scant_replacing *files[2] = {NULL, NULL};
  scant_status status = scant_replacing_begin(&files[0], path, error);
  if (status == SCANT_OK) status = scant_replacing_begin(&files[1], dictionary, error);
  if (status == SCANT_OK && scant_replacing_is_same(files[0], files[1]))
    status = scant_fail(error, SCANT_USAGE, "the table and its dictionary can't both be in '%.300s'", path);
  if (status == SCANT_OK) status = write_both(s, files[0], files[1], pseudonyms, error);
  for (int i = 0; i < 2; i++) {
    if (status == SCANT_OK)
      status = scant_replacing_end(files[i], error);
    else
      scant_replacing_abandon(files[i]);
  }
  return status;
}

scant_status scant_study_export_examples(scant_study *study, const char *path, const char *dictionary, int pseudonyms,
                                         scant_error *error) {
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, export_examples(study, path, dictionary, pseudonyms, error));
}
