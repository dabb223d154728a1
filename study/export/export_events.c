/* The ledger as a table: one row per event, as it is printed, or one row per value, for programs. */
#include "export/export.h"

typedef struct {
  scant_study *s;
  study_pseudonyms names;
  study_cells cells;
  const scant_study_extra *extra; /* a column of the caller's; NULL: none */
  char *list;                     /* the values of an event in one cell */
  size_t used, room;
} export;

#define HEAD "event,at,kind,example,order,"
#define AMOUNTS "attributes,reserved,spent,"
#define TAIL "learned,reason,by,via,checksum"

static void put_head(export *x, const scant_study_event *e) {
  study_cells *c = &x->cells;
  study_cells_count(c, e->sequence);
  study_cells_text(c, e->at);
  study_cells_text(c, scant_event_kind_name(e->kind));
  study_cells_text(c, study_pseudonym(&x->names, STUDY_EXAMPLES, e->example));
  if (e->order)
    study_cells_count(c, e->order);
  else
    study_cells_empty(c, 1);
}

static void put_amounts(export *x, const scant_study_event *e) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, e->attributes);
  study_cells_plain(&x->cells, text);
  study_cells_money(&x->cells, e->reserved);
  study_cells_money(&x->cells, e->spent);
}

static void put_tail(export *x, const scant_study_event *e) {
  char text[24];
  study_cells_text(&x->cells, e->learned ? "yes" : "no");
  /* reasons may hold names, but for those that the program itself writes */
  int is_public = !x->names.wanted || e->kind == SCANT_EVENT_CREATE || e->kind == SCANT_EVENT_BUILD;
  study_cells_text(&x->cells, is_public ? e->reason : NULL);
  study_cells_text(&x->cells, study_pseudonym(&x->names, STUDY_PEOPLE, e->by));
  study_cells_text(&x->cells, e->via);
  snprintf(text, sizeof text, "%016" PRIx64, e->checksum);
  study_cells_plain(&x->cells, text);
  char more[256] = "";
  if (x->extra) x->extra->put(e, more, sizeof more);
  if (x->extra) study_cells_text(&x->cells, more);
  study_cells_end_row(&x->cells);
}

/* The look of an event of kind ask; NULL if it has none. */
static scant_status load_look(const export *x, const scant_study_event *e, scant_look **look, scant_error *error) {
  scant_error inner = {""};
  *look = NULL;
  if (!e->look) return SCANT_OK;
  scant_status status = scant_look_load(look, e->look, strlen(e->look), &inner);
  for (uint32_t i = 0; status == SCANT_OK && i < (*look)->count; i++)
    if ((*look)->attributes[i] >= x->s->dimension)
      status = scant_fail(&inner, SCANT_DATA, "it has an attribute that is not in the catalogue");
  if (status == SCANT_OK || status == SCANT_MEMORY) return status == SCANT_OK ? status : scant_fail_memory(error);
  scant_look_free(*look);
  *look = NULL;
  return scant_fail(error, SCANT_DATA, "the look of event %" PRIu64 " of the ledger: %.300s", e->sequence, inner.text);
}

static scant_status add_value(export *x, const char *name, const char *value, scant_error *error) {
  size_t size = strlen(name) + strlen(value) + 4;
  if (!scant_grow(&x->list, &x->room, x->used + size, 1)) return scant_fail_memory(error);
  x->used += (size_t)snprintf(x->list + x->used, size, "%s%s%s%s", x->used ? "; " : "", name, *value ? "=" : "", value);
  return SCANT_OK;
}

/* What was amended, in words. */
static scant_status add_change(export *x, const char *change, scant_error *error) {
  char *words = NULL;
  SCANT_TRY(scant_study_describe_change(change, &words, error));
  scant_status status = add_value(x, words, "", error);
  scant_text_free(words);
  return status;
}

/* As it can be told: 5.4, 97! if it is unusual and confirmed, missing:refused. */
static void format_told(char *text, size_t size, const scant_study_told *told) {
  char value[SCANT_NUMBER_LENGTH];
  scant_format_shortest(value, sizeof value, told->value);
  if (isnan(told->value))
    snprintf(text, size, "missing%s%s", told->note ? ":" : "", told->note ? told->note : "");
  else
    snprintf(text, size, "%s%s", value, told->note ? "!" : "");
}

static scant_status list_values(export *x, const scant_study_event *e, const scant_look *look, scant_error *error) {
  char value[STUDY_NAME_MOST + 16];
  x->used = 0;
  if (e->kind == SCANT_EVENT_AMEND && e->change) SCANT_TRY(add_change(x, e->change, error));
  for (uint32_t i = 0; look && i < look->count; i++)
    SCANT_TRY(add_value(x, study_name_of(x->s, look->attributes[i]), "", error));
  for (size_t i = 0; i < e->count; i++) {
    format_told(value, sizeof value, &e->told[i]);
    SCANT_TRY(add_value(x, study_name_of(x->s, e->told[i].attribute), value, error));
  }
  return SCANT_OK;
}

static scant_status put_event(export *x, const scant_study_event *e, const scant_look *look, scant_error *error) {
  SCANT_TRY(list_values(x, e, look, error));
  put_head(x, e);
  put_amounts(x, e);
  if (x->used)
    study_cells_quoted(&x->cells, x->list);
  else
    study_cells_empty(&x->cells, 1);
  put_tail(x, e);
  return x->cells.status;
}

/* The amounts are in the first row of an event alone, so that their sums are right. */
static void put_value(export *x, const scant_study_event *e, uint64_t line, const char *name, const char *what,
                      double value, const char *note) {
  put_head(x, e);
  study_cells_count(&x->cells, line);
  if (line == 1)
    put_amounts(x, e);
  else
    study_cells_empty(&x->cells, 3);
  study_cells_text(&x->cells, name);
  study_cells_text(&x->cells, what);
  study_cells_real(&x->cells, value);
  study_cells_text(&x->cells, note);
  put_tail(x, e);
}

static scant_status put_values(export *x, const scant_study_event *e, const scant_look *look, scant_error *error) {
  uint64_t line = 0;
  if (e->kind == SCANT_EVENT_AMEND && e->change) {
    char *words = NULL;
    SCANT_TRY(scant_study_describe_change(e->change, &words, error));
    put_value(x, e, ++line, NULL, "amended", NAN, words);
    scant_text_free(words);
  }
  for (uint32_t i = 0; look && i < look->count; i++)
    put_value(x, e, ++line, study_name_of(x->s, look->attributes[i]), scant_line_state_name(SCANT_LINE_ORDERED), NAN,
              NULL);
  for (size_t i = 0; i < e->count; i++)
    put_value(x, e, ++line, study_name_of(x->s, e->told[i].attribute),
              scant_line_state_name(isnan(e->told[i].value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD), e->told[i].value,
              e->told[i].note);
  if (!line) put_value(x, e, 1, NULL, NULL, NAN, NULL);
  return x->cells.status;
}

typedef scant_status put_rows(export *x, const scant_study_event *e, const scant_look *look, scant_error *error);

static scant_status walk(export *x, put_rows *put, const char *columns, scant_error *error) {
  const scant_study_event *e;
  study_cells_plain(&x->cells, columns);
  if (x->extra) study_cells_text(&x->cells, x->extra->name);
  study_cells_end_row(&x->cells);
  for (uint64_t sequence = 0;; sequence = e->sequence) {
    scant_look *look;
    SCANT_TRY(scant_study_event_after(x->s, sequence, &e, error));
    if (!e) return SCANT_OK;
    SCANT_TRY(load_look(x, e, &look, error));
    scant_status status = put(x, e, look, error);
    scant_look_free(look);
    SCANT_TRY(status);
  }
}

/* The ledger can be read although the orders are damaged, so the learner is left alone. */
static scant_status write_events(scant_study *s, put_rows *put, const char *columns, int pseudonyms,
                                 const scant_study_extra *extra, scant_study_sink *sink, void *user,
                                 scant_error *error) {
  export x = {.s = s, .cells = {.sink = sink, .user = user, .error = error}, .extra = extra};
  SCANT_TRY(study_enter_file(s, error));
  scant_status status = study_pseudonyms_begin(s, pseudonyms, &x.names, error);
  if (status == SCANT_OK) status = walk(&x, put, columns, error);
  scant_status end = study_cells_end(&x.cells);
  free(x.list);
  return study_leave(s, status == SCANT_OK ? end : status);
}

scant_status scant_study_print_ledger(scant_study *study, int pseudonyms, const scant_study_extra *extra,
                                      scant_study_sink *sink, void *user, scant_error *error) {
  return write_events(study, put_event, HEAD AMOUNTS "values," TAIL, pseudonyms, extra, sink, user, error);
}

scant_status scant_study_export_events(scant_study *study, const char *path, int pseudonyms, scant_error *error) {
  scant_replacing *file;
  SCANT_TRY(scant_replacing_begin(&file, path, error));
  scant_status status = write_events(study, put_values, HEAD "line," AMOUNTS "name,what,value,note," TAIL, pseudonyms,
                                     NULL, study_sink_file, file, error);
  if (status == SCANT_OK) return scant_replacing_end(file, error);
  scant_replacing_abandon(file);
  return status;
}
