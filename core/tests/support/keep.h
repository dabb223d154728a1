/* What the tests of kept learners, looks and models share: rows with settings,
 * prices, and texts that are damaged on purpose. */
#ifndef SCANT_TESTS_KEEP_H
#define SCANT_TESTS_KEEP_H

#include "base/text.h"
#include "support.h"

/* Calls `each` with the settings of every row that libscant learns without an engine,
 * plain and with means subtracted (or not). */
static inline void each_row(const char *more, void (*each)(const char *list)) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    const scant_algorithm *a = scant_algorithm_at(row);
    for (int center = 0; center < 2 && !a->dense; center++) {
      char list[192];
      snprintf(list, sizeof list, "algorithm=%s k=8%s%s%s", a->name, center ? other_center(a) : "", *more ? " " : "",
               more);
      each(list);
    }
  }
}

static inline int is_row(const char *list, const char *names) {
  const char *name = strstr(list, "algorithm=") + strlen("algorithm=");
  char copy[32];
  snprintf(copy, sizeof copy, "%.*s", (int)strcspn(name, " "), name);
  return scant_list_has(names, copy);
}

#define PRICED_ROWS "auto ridge lasso svr"

/* Panels and free attributes among them. */
static inline scant_prices *some_prices(void) {
  static const uint64_t costs[TABLE_DIMENSION] = {100, 250, 0, 30, 75, 120, 0, 10, 310, 40, 55, 90};
  static const uint32_t panels[TABLE_DIMENSION] = {0, 1, 0, 1, 0, 2, 0, 2, 0, 0, 2, 0};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, TABLE_DIMENSION, costs, panels, NULL) == SCANT_OK);
  return prices;
}

/* ---- texts ----------------------------------------------------------------- */

static inline char *saved_learner(const scant_learner *learner, size_t *length) {
  char *text = NULL;
  scant_error error = {""};
  if (!CHECK(scant_learner_save(learner, &text, length, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(text && strlen(text) == *length);
  return text;
}

static inline scant_learner *loaded_learner(const char *text, size_t length) {
  scant_learner *learner = NULL;
  scant_error error = {""};
  if (!CHECK(scant_learner_load(&learner, text, length, NULL, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return learner;
}

static inline char *saved_look(const scant_look *look, size_t *length) {
  char *text = NULL;
  CHECK(scant_look_save(look, &text, length, NULL) == SCANT_OK);
  CHECK(text && strlen(text) == *length);
  return text;
}

static inline scant_look *loaded_look(const char *text, size_t length) {
  scant_look *look = NULL;
  scant_error error = {""};
  if (!CHECK(scant_look_load(&look, text, length, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return look;
}

/* Are two texts the same?  Frees the second. */
static inline int same_text(const char *one, char *two) {
  int same = one && two && strcmp(one, two) == 0;
  scant_text_free(two);
  return same;
}

/* Makes the checksum right again after damage. */
static inline void reseal(char *text) {
  char *tail = NULL, number[17];
  for (char *c = text; (c = strstr(c, ",\n  \"checksum\": \"")); c++) tail = c;
  if (!CHECK(tail != NULL)) return;
  snprintf(number, sizeof number, "%016llx",
           (unsigned long long)scant_hash(SCANT_HASH_START, text, (size_t)(tail - text)));
  memcpy(tail + strlen(",\n  \"checksum\": \""), number, 16);
}

/* The text with `value` in place of a node (NULL: without the member); the caller frees it. */
static inline char *with_value(const scant_json *json, size_t node, const char *value) {
  const scant_json_node *n = &json->nodes[node];
  size_t quote = n->type == SCANT_JSON_TEXT, start = n->start - quote, end = n->start + n->length + quote;
  if (!value) {
    start = n->key - 1;
    while (json->text[end] == ',' || json->text[end] == '\n' || json->text[end] == ' ') end++;
    if (json->text[end] == '}' || json->text[end] == ']') /* the last: the comma before it goes */
      while (json->text[start] != ',') start--;
  }
  size_t more = value ? strlen(value) : 0, rest = json->length - end;
  char *text = malloc(start + more + rest + 1);
  memcpy(text, json->text, start);
  if (more) memcpy(text + start, value, more);
  memcpy(text + start + more, json->text + end, rest);
  text[start + more + rest] = 0;
  reseal(text);
  return text;
}

/* Loads a text, says how that went, and uses what came of it. */
typedef scant_status try_text(const char *text, size_t length, scant_error *error);

/* Every text that is cut off, or has one byte changed, is SCANT_DATA with a sentence. */
static inline void check_damaged(const char *text, size_t length, try_text *attempt) {
  for (size_t cut = 0; cut < length; cut++) {
    char *copy = malloc(cut + 1); /* of just this size: who reads on is caught */
    memcpy(copy, text, cut);
    copy = realloc(copy, cut ? cut : 1);
    scant_error error = {""};
    if (!CHECK(attempt(copy, cut, &error) == SCANT_DATA && strncmp(error.text, "can't ", 6) == 0))
      printf("#   cut at %zu: %s\n", cut, error.text);
    free(copy);
  }
  char *copy = bytes_copy(text, length);
  for (size_t at = 0; at < length; at++) {
    scant_error error = {""};
    copy[at] = (char)(text[at] ^ 1);
    if (!CHECK(attempt(copy, length, &error) == SCANT_DATA && strncmp(error.text, "can't ", 6) == 0))
      printf("#   byte %zu: %s\n", at, error.text);
    copy[at] = text[at];
  }
  free(copy);
}

/* Values of another kind in place of every member of `object`, and the member gone: with
 * the checksum right, it is SCANT_DATA with a sentence or does no harm.  `spare` may be
 * gone, or be anything. */
static inline void check_fields(const char *text, size_t object, const char *spare, try_text *attempt) {
  static const char *const values[] = {NULL,
                                       "null",
                                       "-1",
                                       "0.5",
                                       "1e999",
                                       "\"x\"",
                                       "[]",
                                       "[null]",
                                       "{}",
                                       "true",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "[1, 2, 3]"};
  scant_json json;
  CHECK(scant_json_parse(&json, text, strlen(text), NULL) == SCANT_OK);
  size_t child = object + 1, refused = 0;
  for (size_t i = 0; i < json.nodes[object].count; i++, child = json.nodes[child].after) {
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)json.nodes[child].key_length, text + json.nodes[child].key);
    for (size_t v = 0; v < sizeof values / sizeof *values && strcmp(key, "checksum") != 0; v++) {
      scant_error error = {""};
      char *other = with_value(&json, child, values[v]);
      scant_status status = attempt(other, strlen(other), &error);
      int may_pass = v > 1 || scant_list_has(spare, key);
      if (!CHECK(status == SCANT_DATA ? strlen(error.text) > 10 : status == SCANT_OK && may_pass))
        printf("#   '%s' as %s: status %d: %s\n", key, values[v] ? values[v] : "nothing", status, error.text);
      refused += status == SCANT_DATA;
      free(other);
    }
  }
  CHECK(refused > 2 * json.nodes[object].count);
  scant_json_free(&json);
}

#endif
