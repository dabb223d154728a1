/* The ledger: its events, its proof, and frozen copies. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scant_base.h"
#include "actions/action.h"

/* A filter may leave little of a long ledger: after so many events an answer ends, and the next one goes on. */
enum { PAGE = 100, PAGE_MOST = 500, SEEN_MOST = 10000 };

/* ---- values before a correction -------------------------------------------------------- */

typedef struct {
  int64_t attribute;
  double value;
  char *note;
} before;

/* The last value of each attribute of the list before event number `sequence`. */
static scant_status find_before(serve_call *call, const char *example, uint64_t sequence, before *list, size_t count,
                                scant_error *error) {
  const scant_study_event *e;
  for (uint64_t after = 0;; after = e->sequence) {
    SCANT_TRY(scant_study_event_of(call->study, example, after, &e, error));
    if (!e || e->sequence >= sequence) return SCANT_OK;
    if (e->kind == SCANT_EVENT_SECOND) continue; /* it is compared, and takes the place of nothing */
    for (size_t i = 0; i < e->count * count; i++) {
      const scant_study_told *told = &e->told[i / count];
      before *b = &list[i % count];
      if (told->attribute != b->attribute) continue;
      free(b->note);
      b->note = told->note ? scant_copy_text(told->note, strlen(told->note)) : NULL;
      if (told->note && !b->note) return scant_fail_memory(error);
      b->value = told->value;
    }
  }
}

/* Of a correction: what it took the place of.  The event is not valid any more afterwards. */
static scant_status put_before(serve_call *call, const scant_study_event *event, scant_error *error) {
  size_t count = event->count;
  uint64_t sequence = event->sequence;
  char *example = scant_copy_text(event->example, strlen(event->example));
  before *list = scant_array(count, sizeof *list);
  scant_status status = example && list ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; i < count && status == SCANT_OK; i++) list[i] = (before){event->told[i].attribute, NAN, NULL};
  if (status == SCANT_OK) status = find_before(call, example, sequence, list, count, error);
  scant_json_open(&call->out, "was", '[');
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    scant_json_open(&call->out, NULL, '{');
    scant_json_text(&call->out, "name", scant_study_told_name(call->study, list[i].attribute));
    scant_json_real(&call->out, "value", list[i].value);
    scant_json_text(&call->out, "note", list[i].note);
    scant_json_close(&call->out);
  }
  scant_json_close(&call->out);
  for (size_t i = 0; list && i < count; i++) free(list[i].note);
  free(list);
  free(example);
  return status;
}

static scant_status put_event(serve_call *call, const scant_study_event *event, scant_error *error) {
  scant_json_open(&call->out, NULL, '{');
  scant_study_json_ledger_event(&call->out, call->study, event);
  serve_put_event_rest(&call->out, event);
  if (event->kind == SCANT_EVENT_CORRECT && event->example && event->count) SCANT_TRY(put_before(call, event, error));
  scant_json_close(&call->out);
  return SCANT_OK;
}

/* ---- which events ------------------------------------------------------------------------ */

typedef struct {
  uint64_t limit;
  uint64_t at; /* the event before the one that comes next, in their order */
  int newest;  /* the last comes first */
  const char *by, *kind, *example;
  uint64_t *of; /* the events of that example, in the order of the ledger */
  size_t count, room;
} walk;

static scant_status read_walk(serve_call *call, walk *w, scant_error *error) {
  scant_study_status totals;
  SCANT_TRY(serve_query_flag(call, "newest", 0, &w->newest, error));
  SCANT_TRY(serve_query_count(call, "limit", 1, PAGE_MOST, PAGE, &w->limit, error));
  SCANT_TRY(scant_study_get_totals(call->study, &totals, error));
  SCANT_TRY(serve_query_count(call, "after", 0, INT64_MAX - 1, w->newest ? totals.events + 1 : 0, &w->at, error));
  w->by = serve_query(call, "by");
  w->kind = serve_query(call, "kind");
  w->example = serve_query(call, "example");
  if (w->newest && w->at > totals.events + 1) w->at = totals.events + 1;
  if (!w->kind) return SCANT_OK;
  for (int i = 0; scant_event_kind_name((scant_event_kind)i); i++)
    if (!strcmp(scant_event_kind_name((scant_event_kind)i), w->kind)) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "there is no kind of event '%.60s'", w->kind);
}

static scant_status find_of_example(serve_call *call, walk *w, scant_error *error) {
  const scant_study_event *e;
  for (uint64_t after = 0; w->example; after = e->sequence) {
    SCANT_TRY(scant_study_event_of(call->study, w->example, after, &e, error));
    if (!e) break;
    if (!scant_grow(&w->of, &w->room, w->count + 1, sizeof *w->of)) return scant_fail_memory(error);
    w->of[w->count++] = e->sequence;
  }
  return SCANT_OK;
}

/* The number of the event that comes next; 0: there is none, or it is past the last one. */
static uint64_t next_number(const walk *w) {
  if (!w->example && w->newest) return w->at ? w->at - 1 : 0;
  if (!w->example) return w->at + 1;
  uint64_t found = 0;
  for (size_t i = 0; i < w->count; i++) {
    if (w->newest ? w->of[i] < w->at : w->of[i] > w->at && !found) found = w->of[i];
  }
  return found;
}

static int passes(const walk *w, const scant_study_event *event) {
  return (!w->by || (event->by && !strcmp(event->by, w->by))) &&
         (!w->kind || !strcmp(scant_event_kind_name(event->kind), w->kind));
}

/* *more: it does not end here. */
static scant_status put_events(serve_call *call, walk *w, int *more, scant_error *error) {
  const scant_study_event *event;
  *more = 0;
  for (uint64_t seen = 0, put = 0;; seen++) {
    uint64_t number = next_number(w);
    if (!number) return SCANT_OK;
    SCANT_TRY(scant_study_event_after(call->study, number - 1, &event, error));
    if (!event) return SCANT_OK;
    int good = passes(w, event);
    *more = (good && put == w->limit) || seen == SEEN_MOST;
    if (*more) return SCANT_OK;
    w->at = number;
    if (!good) continue;
    SCANT_TRY(put_event(call, event, error));
    put++;
  }
}

scant_status serve_get_events(serve_call *call, scant_error *error) {
  walk w = {0};
  int more;
  char cursor[24];
  SCANT_TRY(read_walk(call, &w, error));
  scant_status status = find_of_example(call, &w, error);
  scant_json_open(&call->out, "items", '[');
  if (status == SCANT_OK) status = put_events(call, &w, &more, error);
  free(w.of);
  if (status != SCANT_OK) return status;
  scant_json_close(&call->out);
  snprintf(cursor, sizeof cursor, "%" PRIu64, w.at);
  scant_json_text(&call->out, "next", more ? cursor : NULL);
  return SCANT_OK;
}

/* ---- the proof ------------------------------------------------------------------- */

enum { NAME_MOST = 100, PATH = 4096 };

scant_status serve_get_proof(serve_call *call, scant_error *error) {
  scant_study_proof proof;
  scant_study_frozen frozen;
  SCANT_TRY(scant_study_verify(call->study, &proof, error));
  int is_frozen = scant_study_frozen_name(call->study) != NULL;
  if (is_frozen) SCANT_TRY(scant_study_describe_frozen(call->study, &frozen, error));
  scant_study_json_proof(&call->out, &proof, is_frozen ? &frozen : NULL);
  return SCANT_OK;
}

/* ---- frozen copies ------------------------------------------------------------------------ */

/* The name is part of the name of a file, beside that of the study. */
static scant_status make_path(const serve_call *call, const char *name, char path[PATH], const char **file,
                              scant_error *error) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  size_t length = strlen(name);
  if (!length || length > NAME_MOST || strspn(name, letters) != length)
    return scant_fail(error, SCANT_USAGE,
                      "the name of a frozen copy is 1 to %d letters, digits, '-', '.' and '_', not '%.120s'", NAME_MOST,
                      name);
  const char *slash = strrchr(call->study_path, '/');
  int folder = slash ? (int)(slash + 1 - call->study_path) : 0;
  int needed = snprintf(path, PATH, "%.*s%s-%s.frozen", folder, call->study_path, call->study_name, name);
  if (needed < 0 || needed >= PATH) return scant_fail(error, SCANT_USAGE, "the name of the frozen copy is too long");
  *file = path + folder;
  return SCANT_OK;
}

scant_status serve_freeze(serve_call *call, scant_error *error) {
  char path[PATH];
  const char *name, *file;
  scant_study_frozen frozen;
  SCANT_TRY(serve_check_members(call, 0, "name", error));
  SCANT_TRY(serve_need_text(call, "name", &name, error));
  SCANT_TRY(make_path(call, name, path, &file, error));
  if (access(path, F_OK) == 0)
    return serve_refuse(call, 409, "conflict", error, "there is a file '%.200s' already: take another name", file);
  SCANT_TRY(scant_study_freeze(call->study, name, path, &frozen, error));
  scant_study_json_frozen(&call->out, &frozen);
  scant_json_text(&call->out, "file", file);
  return SCANT_OK;
}
