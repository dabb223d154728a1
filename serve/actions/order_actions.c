/* Orders: as somebody may see them, the worklist, asking, ending and reopening; and examples that are erased. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "actions/action.h"

/* A search for a few orders among many is answered in several pages, so that other requests need not wait. */
enum { PAGE = 100, PAGE_MOST = 500, LOOKS_MOST = 2000, EXAMPLES_MOST = 1000, NAME = 256 };

/* ---- worklists ----------------------------------------------------------------------- */

/* `all` and `open` are words for several states. */
static scant_status read_filter(const serve_call *call, scant_study_filter *filter, scant_error *error) {
  scant_study_filter_words words = {.state = serve_query(call, "state"),
                                    .due = serve_query(call, "due"),
                                    .since = serve_query(call, "since"),
                                    .before = serve_query(call, "before"),
                                    .by = serve_query(call, "by")};
  SCANT_TRY(serve_query_flag(call, "differs", 0, &words.differs, error));
  words.all = words.state && !strcmp(words.state, "all");
  words.open = words.state && !strcmp(words.state, "open");
  if (words.all || words.open) words.state = NULL;
  return scant_study_filter_read(filter, call->study, &words, "", error);
}

/* Puts an order into the list, with the tag of its example. */
static scant_status put_item(serve_call *call, const scant_study_order *order, scant_error *error) {
  char example[NAME];
  snprintf(example, sizeof example, "%s", order->example); /* the order goes with the next call */
  scant_json_open(&call->out, NULL, '{');
  SCANT_TRY(serve_put_order(call, order, 1, error));
  SCANT_TRY(serve_put_tag(call, example, error));
  scant_json_close(&call->out);
  return SCANT_OK;
}

/* Puts up to `limit` orders behind *last, which becomes the place to go on from; *has_more: there may be others. */
static scant_status put_items(serve_call *call, const scant_study_filter *filter, uint64_t limit, uint64_t *last,
                              int *has_more, scant_error *error) {
  uint64_t count = 0;
  for (uint64_t looks = 0;; looks++) {
    const scant_study_order *order;
    int passes;
    SCANT_TRY(scant_study_filter_look(filter, call->study, *last, &order, &passes, error));
    *has_more = order && (looks == LOOKS_MOST || (passes && count == limit));
    if (!order || *has_more) return SCANT_OK;
    *last = order->number;
    count += passes != 0;
    if (passes) SCANT_TRY(put_item(call, order, error));
  }
}

scant_status serve_get_orders(serve_call *call, scant_error *error) {
  scant_study_filter filter;
  uint64_t limit, last;
  int has_more;
  char cursor[24];
  SCANT_TRY(read_filter(call, &filter, error));
  SCANT_TRY(serve_query_count(call, "limit", 1, PAGE_MOST, PAGE, &limit, error));
  SCANT_TRY(serve_query_count(call, "after", 0, INT64_MAX - 1, 0, &last, error));
  scant_json_open(&call->out, "items", '[');
  SCANT_TRY(put_items(call, &filter, limit, &last, &has_more, error));
  scant_json_close(&call->out);
  snprintf(cursor, sizeof cursor, "%" PRIu64, last);
  scant_json_text(&call->out, "next", has_more ? cursor : NULL);
  return SCANT_OK;
}

/* ---- asking --------------------------------------------------------------------------- */

static scant_status read_names(serve_call *call, const char ***names, size_t *count, scant_error *error) {
  const scant_json *body = &call->request->body;
  size_t list = serve_body(call, "examples");
  SCANT_TRY(serve_check_members(call, 0, "examples new_name", error));
  if (list == SCANT_JSON_NONE || body->nodes[list].type != SCANT_JSON_ARRAY || !body->nodes[list].count)
    return scant_fail(error, SCANT_USAGE, "'examples' is a list of at least one name");
  *count = body->nodes[list].count;
  if (*count > EXAMPLES_MOST)
    return scant_fail(error, SCANT_USAGE, "'examples' has %zu names, and up to %d are taken at once", *count,
                      EXAMPLES_MOST);
  *names = scant_array(*count, sizeof **names);
  if (!*names) return scant_fail_memory(error);
  for (size_t i = 0, node = list + 1; i < *count; i++, node = body->nodes[node].after) {
    if (body->nodes[node].type != SCANT_JSON_TEXT)
      return scant_fail(error, SCANT_USAGE, "'examples' is a list of names, which are texts");
    (*names)[i] = serve_copy(call, node);
    if (!(*names)[i]) return scant_fail_memory(error);
  }
  return SCANT_OK;
}

static scant_status put_orders(serve_call *call, const char *const *names, size_t count, scant_error *error) {
  scant_study_status t;
  const scant_study_order *order;
  scant_json_open(&call->out, "orders", '[');
  for (size_t i = 0; i < count; i++) {
    SCANT_TRY(scant_study_find(call->study, names[i], &order, error));
    SCANT_TRY(put_item(call, order, error));
    SCANT_TRY(serve_mention(call, names[i], error));
  }
  scant_json_close(&call->out);
  SCANT_TRY(scant_study_get_totals(call->study, &t, error));
  scant_study_json_left(&call->out, &t);
  return SCANT_OK;
}

scant_status serve_ask(serve_call *call, scant_error *error) {
  const char **names = NULL;
  size_t count = 0;
  int new_name;
  SCANT_TRY(serve_body_flag(call, "new_name", 0, &new_name, error));
  scant_status status = read_names(call, &names, &count, error);
  if (status == SCANT_OK) {
    scant_study_take_new_names(call->study, new_name);
    status = scant_study_ask_all(call->study, names, count, error);
    scant_study_take_new_names(call->study, 0); /* the handle serves others, too */
  }
  if (status == SCANT_OK) status = put_orders(call, names, count, error);
  free(names);
  return status;
}

/* ---- orders as somebody may see them --------------------------------------------- */

/* People copy a first entry that they have seen.  The role manage has to settle differences, and sees both. */
int serve_is_blind(const serve_call *call) {
  return call->role < SCANT_ROLE_MANAGE && scant_study_second_entry(call->study);
}

static void hide_line(const scant_study_order *order, scant_study_line *line) {
  if (!scant_study_is_second_due(order, line)) return;
  line->state = SCANT_LINE_TOLD;
  line->value = line->second_value = NAN;
  line->note = line->second_note = NULL;
}

static void put_order(serve_call *call, const scant_study_order *order, int row) {
  if (row)
    scant_study_json_row(&call->out, call->study, order);
  else
    scant_study_json_order(&call->out, call->study, order);
}

scant_status serve_put_order(serve_call *call, const scant_study_order *order, int row, scant_error *error) {
  if (!serve_is_blind(call)) {
    put_order(call, order, row);
    return SCANT_OK;
  }
  scant_study_order shown = *order;
  scant_study_line target = scant_study_target_line(order), *lines = scant_array(order->count, sizeof *lines);
  if (!lines) return scant_fail_memory(error);
  for (size_t i = 0; i < order->count; i++) {
    lines[i] = order->lines[i];
    hide_line(order, &lines[i]);
  }
  shown.lines = lines;
  if (scant_study_is_second_due(order, &target)) shown.y = shown.second_y = NAN;
  put_order(call, &shown, row);
  free(lines);
  return SCANT_OK;
}

scant_status serve_put_tag(serve_call *call, const char *example, scant_error *error) {
  char tag[SERVE_TAG_LENGTH] = "";
  SCANT_TRY(serve_tag_example(call->study, example, tag, error));
  scant_json_text(&call->out, "etag", *tag ? tag : NULL);
  return SCANT_OK;
}

scant_status serve_put_last_order(serve_call *call, scant_error *error) {
  const scant_study_order *order;
  SCANT_TRY(scant_study_find(call->study, serve_argument(call, 1), &order, error));
  SCANT_TRY(serve_put_order(call, order, 1, error));
  return serve_put_tag(call, serve_argument(call, 1), error);
}

/* ---- orders that end, or go on --------------------------------------------------- */

static scant_status read_how(serve_call *call, scant_study_end *how, scant_error *error) {
  static const char *const words[] = {
      [SCANT_END_CANCEL] = "cancel", [SCANT_END_EXPIRE] = "expire", [SCANT_END_FAIL] = "fail"};
  const char *word;
  SCANT_TRY(serve_need_text(call, "how", &word, error));
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    *how = (scant_study_end)i;
    if (!strcmp(word, words[i])) return SCANT_OK;
  }
  return scant_fail(error, SCANT_USAGE, "'how' is cancel, expire or fail, not '%.60s'", word);
}

scant_status serve_end(serve_call *call, scant_error *error) {
  scant_study_end how;
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "how reason", error));
  SCANT_TRY(read_how(call, &how, error));
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_end_order(call->study, serve_argument(call, 1), how, reason, error));
  return serve_put_last_order(call, error);
}

scant_status serve_reopen(serve_call *call, scant_error *error) {
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "reason", error));
  SCANT_TRY(serve_need_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_reopen(call->study, serve_argument(call, 1), reason, error));
  return serve_put_last_order(call, error);
}

/* ---- erasing -------------------------------------------------------------------------- */

scant_status serve_get_traces(serve_call *call, scant_error *error) {
  scant_study_traces traces;
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_find_traces(call->study, serve_argument(call, 1), &traces, error));
  scant_study_json_traces(&call->out, &traces);
  return SCANT_OK;
}

/* A concurrent reader may be in the way of the sweep, which workers.c then does later. */
scant_status serve_erase(serve_call *call, scant_error *error) {
  scant_study_traces traces;
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "reason", error));
  SCANT_TRY(serve_need_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_erase(call->study, serve_argument(call, 1), reason, &traces, error));
  scant_study_json_traces(&call->out, &traces);
  return SCANT_OK;
}
