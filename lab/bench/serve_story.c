#include "serve_load.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void story_begin(story *s, const stage *on, uint32_t client) {
  *s = (story){.stage = on, .client = client, .next = ASK};
}

static int writes(act what) {
  return what <= CORRECT;
}

/* ---- values ------------------------------------------------------------------------- */

/* In thousandths, so that it is the same number wherever it is printed and read. */
static long value_of(const story *s, const char *name) {
  uint64_t state = 0xcbf29ce484222325u ^ ((uint64_t)s->client << 32) ^ s->example;
  for (const char *c = name; *c; c++) state = (state ^ (uint64_t)*c) * 0x100000001b3u;
  state ^= state >> 29;
  return (long)(state % 20001) - 10000;
}

static long target_of(const story *s) {
  long sum = value_of(s, "some noise") / 10;
  for (size_t i = 0; i < s->count; i++) sum += value_of(s, s->names[i]);
  return sum / 4;
}

/* Which of the names a step tells: from the first to before the last.  The target comes with the rest. */
static void part_of(const story *s, act what, size_t *first, size_t *last) {
  *first = what == REST ? s->count / 2 : 0;
  *last = what == REST ? s->count : what == CORRECT ? 1 : s->count / 2;
}

/* ---- requests ----------------------------------------------------------------------- */

static size_t add(char *text, size_t length, size_t size, const char *format, ...) {
  va_list words;
  va_start(words, format);
  int more = vsnprintf(text + length, size - length, format, words);
  va_end(words);
  if (more < 0 || (size_t)more >= size - length) {
    fprintf(stderr, "serve_load: a request is too long\n");
    exit(1);
  }
  return length + (size_t)more;
}

static size_t add_number(char *text, size_t length, size_t size, const char *name, long thousandths) {
  return add(text, length, size, "\"%s\": %s%ld.%03ld", name, thousandths < 0 ? "-" : "", labs(thousandths) / 1000,
             labs(thousandths) % 1000);
}

static size_t add_answers(const story *s, act what, char *body, size_t length, size_t size) {
  size_t first, last;
  part_of(s, what, &first, &last);
  length = add(body, length, size, "{\"answers\": {");
  for (size_t i = first; i < last; i++) {
    length = add_number(body, length, size, s->names[i], value_of(s, s->names[i]) + (what == CORRECT ? 1000 : 0));
    if (what == REST || i + 1 < last) length = add(body, length, size, ", ");
  }
  if (what == REST) length = add_number(body, length, size, "y", target_of(s));
  return add(body, length, size, "}%s}", what == CORRECT ? ", \"reason\": \"a slip of the pen\"" : "");
}

static void make_body(const story *s, act what, char *body, size_t size) {
  *body = 0;
  if (what == ASK) add(body, 0, size, "{\"examples\": [\"%s-%u-%u\"]}", s->stage->prefix, s->client, s->example);
  if (what == CANCEL) add(body, 0, size, "{\"how\": \"cancel\", \"reason\": \"did not come\"}");
  if (what == REOPEN) add(body, 0, size, "{\"reason\": \"came after all\"}");
  if (what == WRONG) add(body, 0, size, "{\"answers\": {\"nobody knows\": 1, \"y\": \"text\"}}");
  if (what == FIRST || what == REST || what == CORRECT) add_answers(s, what, body, 0, size);
}

static void make_path(const story *s, act what, char *path, size_t size) {
  static const char *const ends[ACTS] = {
      [CANCEL] = "/end", [REOPEN] = "/reopen", [CORRECT] = "/correction", [SHOW] = "", [SAME] = ""};
  const stage *on = s->stage;
  size_t length = add(path, 0, size, "%s/api/v1/studies/%s", on->base, on->study);
  switch (what) {
    case ASK:
      add(path, length, size, "/orders");
      break;
    case LIST:
      add(path, length, size, "/orders?limit=20");
      break;
    case STATUS:
      add(path, length, size, "/status?risk=no");
      break;
    case STUDY:
      break;
    case UNKNOWN:
      add(path, length, size, "/examples/nobody%%20%u", s->client);
      break;
    default:
      add(path, length, size, "/examples/%s-%u-%u%s", on->prefix, s->client, s->example,
          ends[what] ? ends[what] : "/answers");
  }
}

void story_make(story *s, request *r) {
  const stage *on = s->stage;
  char body[TEXT_MOST / 2], path[300];
  act what = s->next;
  if (what == AGAIN) {
    *r = s->last;
    r->act = AGAIN;
    r->writes = 0;
    return;
  }
  make_body(s, what, body, sizeof body);
  make_path(s, what, path, sizeof path);
  r->act = what;
  r->writes = writes(what);
  s->made++;
  size_t length = add(r->text, 0, TEXT_MOST, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n",
                      *body ? "POST" : "GET", path, on->where.host, on->tokens[s->client % on->token_count]);
  if (*body)
    length = add(r->text, length, TEXT_MOST,
                 "Idempotency-Key: %s-%u-%llu\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n", on->prefix,
                 s->client, (unsigned long long)s->made, strlen(body));
  if (what == SAME) length = add(r->text, length, TEXT_MOST, "If-None-Match: %s\r\n", s->etag);
  if (what == CANCEL || what == REOPEN || what == CORRECT)
    length = add(r->text, length, TEXT_MOST, "If-Match: %s\r\n", s->etag);
  r->middle = length / 2;
  length = add(r->text, length, TEXT_MOST, "\r\n%s", body);
  if (*body && s->made % 2) r->middle = length - strlen(body) / 2;
  r->length = length;
  if (r->writes) s->last = *r;
}

/* ---- answers ------------------------------------------------------------------------ */

/* What stands behind "name": in JSON, after `from`. */
static const char *field(const char *from, const char *name) {
  char quoted[NAME_MOST + 2];
  snprintf(quoted, sizeof quoted, "\"%s\"", name);
  const char *found = strstr(from, quoted);
  if (!found) return NULL;
  found += strlen(quoted);
  found += strspn(found, " \t\r\n");
  return *found == ':' ? found + 1 + strspn(found + 1, " \t\r\n") : NULL;
}

/* The names of an order, and its number. */
static const char *read_order(story *s, const char *body, unsigned long *number) {
  const char *order = field(body, "order"), *line = order ? field(order, "lines") : NULL, *end;
  s->count = 0;
  if (!line || !(end = strchr(line, ']'))) return "the answer to an ask has no order";
  *number = strtoul(order, NULL, 10);
  while ((line = field(line, "name")) && line < end && s->count < NAMES_MOST) {
    size_t length = *line == '"' ? strcspn(line + 1, "\"") : NAME_MOST;
    if (length >= NAME_MOST) return "the answer to an ask has a line without a name";
    memcpy(s->names[s->count], line + 1, length);
    s->names[s->count++][length] = 0;
  }
  return *number && s->count ? NULL : "the answer to an ask has no lines";
}

static void note_step(const story *s, act what, const char *word, unsigned long number) {
  static const char *const words[] = {"ask", "tell", "tell", "cancel", "reopen", "correct"};
  FILE *journal = s->stage->journal;
  size_t first, last;
  if (!journal || !writes(what)) return;
  fprintf(journal, "%s %s %s-%u-%u", word, words[what], s->stage->prefix, s->client, s->example);
  if (what == ASK) {
    fprintf(journal, " %lu", number);
    for (size_t i = 0; number && i < s->count; i++) fprintf(journal, " %s", s->names[i]);
  } else if (what == FIRST || what == REST || what == CORRECT) {
    part_of(s, what, &first, &last);
    for (size_t i = first; i < last; i++)
      fprintf(journal, " %s=%.3f", s->names[i],
              (double)(value_of(s, s->names[i]) + (what == CORRECT ? 1000 : 0)) / 1000);
    if (what == REST) fprintf(journal, " y=%.3f", (double)target_of(s) / 1000);
  }
  fputc('\n', journal);
}

void story_leave(const story *s, const request *r) {
  note_step(s, r->act, "unsure", 0);
}

/* The step after one that wrote; ASK: of the next example. */
static act step_after(const story *s, act done) {
  switch (done) {
    case ASK:
      return s->count > 1 ? FIRST : REST;
    case FIRST: /* a correction of what was learned from would learn all that came later again */
      return s->example % 4 == 1 ? CANCEL : s->example % 4 == 2 ? CORRECT : REST;
    case CANCEL:
      return REOPEN;
    case REOPEN:
    case CORRECT:
      return REST;
    default:
      return ASK;
  }
}

/* What a complete example looks like is asked for twice; then come the readings, and then the next step that writes. */
static void go_on(story *s, act done) {
  static const act between[] = {SAME, LIST, SAME, STATUS, SAME, AGAIN, SHOW, UNKNOWN, SAME, STUDY, SAME, WRONG};
  act step = step_after(s, s->last.act);
  if (writes(done)) {
    s->readings = s->stage->readings;
    s->shown = step != ASK;
  }
  if (!s->shown) {
    s->next = done == SHOW ? SAME : SHOW; /* nobody else changes it: 304 */
    s->shown = done == SHOW;
  } else if (s->readings) {
    s->next = between[--s->readings % (sizeof between / sizeof *between)];
  } else {
    s->next = step;
    s->example += step == ASK;
  }
}

/* The ETag of the answer, or of the one order in it. */
static const char *read_etag(story *s, const answer *a) {
  const char *in_order = field(a->body, "etag");
  if (*a->etag) {
    snprintf(s->etag, sizeof s->etag, "%s", a->etag);
  } else if (in_order && strncmp(in_order, "\"\\\"", 3) == 0) {
    in_order += 3;
    snprintf(s->etag, sizeof s->etag, "\"%.*s\"", (int)strcspn(in_order, "\\\""), in_order);
  } else {
    return "an answer has no ETag";
  }
  return NULL;
}

const char *story_take(story *s, const request *r, const answer *a) {
  static const int good[ACTS] = {[SAME] = 304, [UNKNOWN] = 404, [WRONG] = 422};
  int expected = good[r->act] ? good[r->act] : 200;
  unsigned long number = 0;
  const char *wrong;
  if (a->status != expected) return "another status than expected";
  if (r->act == AGAIN && !a->replayed) return "a request that was repeated was done again";
  if (r->act == ASK && (wrong = read_order(s, a->body, &number))) return wrong;
  if ((r->writes || r->act == SHOW) && (wrong = read_etag(s, a))) return wrong;
  note_step(s, r->act, "ack", number);
  go_on(s, r->act);
  return NULL;
}
