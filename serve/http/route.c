/* From method and path to what is to be done. */
#include <stdio.h>
#include <string.h>

#include "http/server.h"

/* What the server answers itself, without a study, in the thread of the network. */
typedef struct {
  const char *method, *pattern; /* under BASE */
  int needs_person;
  serve_own *own;
} own_route;

static const own_route own_routes[] = {
    {"GET", "/ready", 0, serve_own_ready},
    {"GET", "/metrics", 1, serve_own_metrics},
    {"GET", "/api/v1/openapi.json", 0, serve_own_description},
    {"GET", "/api/v1/session", 1, serve_own_session},
    {"POST", "/api/v1/session", 0, serve_own_sign_in},
    {"DELETE", "/api/v1/session", 1, serve_own_sign_out},
    {"GET", "/api/v1/studies", 1, serve_own_studies},
    {NULL, NULL, 0, NULL},
};

/* Does a path from part `from` on fit a pattern?  What stands at {...} goes into `arguments`. */
static int fits(const char *pattern, const serve_path *path, size_t from, const char **arguments, size_t *count) {
  *count = 0;
  size_t part = from;
  for (const char *at = pattern; *at; part++) {
    at++; /* '/' */
    size_t width = strcspn(at, "/");
    if (part >= path->count) return 0;
    if (at[0] == '{') {
      if (*count == SERVE_ARGUMENTS || !path->parts[part][0]) return 0;
      arguments[(*count)++] = path->parts[part];
    } else if (strlen(path->parts[part]) != width || memcmp(path->parts[part], at, width) != 0) {
      return 0;
    }
    at += width;
  }
  return part == path->count;
}

/* The number of parts before what the patterns know: those of the base path; -1: it is another one. */
static int skip_base(const serve_exchange *exchange) {
  const char *at = exchange->server->base;
  size_t part = 0;
  for (; *at; part++) {
    at++;
    size_t width = strcspn(at, "/");
    if (part >= exchange->path.count || strlen(exchange->path.parts[part]) != width ||
        memcmp(exchange->path.parts[part], at, width) != 0)
      return -1;
    at += width;
  }
  return (int)part;
}

/* Is this method meant?  HEAD is GET without a body. */
static int is_method(const serve_exchange *exchange, const char *method) {
  return !strcmp(exchange->request.method, method);
}

static void allow(serve_exchange *exchange, const char *method) {
  char *list = exchange->answer.allow;
  size_t length = strlen(list);
  snprintf(list + length, sizeof exchange->answer.allow - length, "%s%s", length ? ", " : "", method);
  if (!strcmp(method, "GET")) allow(exchange, "HEAD");
}

static int find_own(serve_exchange *exchange, size_t from) {
  const char *arguments[SERVE_ARGUMENTS];
  size_t count;
  for (const own_route *r = own_routes; r->method; r++) {
    if (!fits(r->pattern, &exchange->path, from, arguments, &count)) continue;
    if (is_method(exchange, r->method)) {
      exchange->answer.allow[0] = 0;
      exchange->own = r->own;
      exchange->needs_person = r->needs_person;
      return 1;
    }
    allow(exchange, r->method);
  }
  return 0;
}

static int find_route(serve_exchange *exchange, size_t from) {
  serve_request *request = &exchange->request;
  for (const serve_route *r = serve_routes; r->method; r++) {
    const char *arguments[SERVE_ARGUMENTS];
    size_t count;
    if (!fits(r->pattern, &exchange->path, from, arguments, &count)) continue;
    if (is_method(exchange, r->method)) {
      exchange->answer.allow[0] = 0;
      exchange->route = r;
      memcpy(request->arguments, arguments, sizeof arguments);
      request->argument_count = count;
      return 1;
    }
    allow(exchange, r->method);
  }
  return 0;
}

/* A file of the page.  Its name is what stands behind the base path; the page itself is at the base path. */
static int find_file(serve_exchange *exchange, size_t from) {
  const serve_path *path = &exchange->path;
  char name[200] = "";
  size_t length = 0;
  for (size_t i = from; i < path->count; i++) {
    size_t width = strlen(path->parts[i]);
    if (strchr(path->parts[i], '/') || length + width + 2 > sizeof name) return 0;
    if (length) name[length++] = '/';
    memcpy(name + length, path->parts[i], width + 1);
    length += width;
  }
  /* BASE without a / behind it would make its relative addresses wrong. */
  int is_bare = path->count == from && from > 0;
  exchange->file = is_bare ? NULL : serve_file_find(name[0] ? name : "index.html");
  if (!exchange->file && !is_bare) return 0;
  if (is_method(exchange, "GET")) {
    exchange->own = serve_own_page;
    return 1;
  }
  allow(exchange, "GET");
  return 0;
}

void serve_route_find(serve_exchange *exchange) {
  int base = skip_base(exchange);
  const serve_path *path = &exchange->path;
  size_t from = base < 0 ? 0 : (size_t)base;
  if (base >= 0 && find_own(exchange, from)) return;
  int is_api =
      base >= 0 && path->count >= from + 2 && !strcmp(path->parts[from], "api") && !strcmp(path->parts[from + 1], "v1");
  if (is_api && find_route(exchange, from + 2)) return;
  if (base >= 0 && !is_api && !exchange->answer.allow[0] && find_file(exchange, from)) return;
  if (exchange->answer.allow[0])
    serve_turn_away(exchange, 405, "method", "this address does not take %.40s; it takes %s", exchange->request.method,
                    exchange->answer.allow);
  else
    serve_turn_away(exchange, 404, "unknown", "there is nothing at this address");
}
