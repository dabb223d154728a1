/* The head of a request: everything that is decided before its body is read. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scant_base.h"
#include "http/server.h"

/* ---- by which names the server may be called -------------------------------------------
 *
 * A page of somebody else, in a browser on this machine, can send requests to 127.0.0.1, under a name of its own if it
 * makes that name point here.  So a request must name a host that is ours, and if it comes from a page, a page of ours.
 */

/* Is it one of the names of the machine itself, with the port of the server? */
static int is_local(const scant_server *server, const char *authority) {
  static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
  if (!strcasecmp(authority, server->authority)) return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[64];
    snprintf(text, sizeof text, server->socket_path ? "%s" : "%s:%d", names[i], server->port);
    if (!strcasecmp(authority, text)) return 1;
    /* Clients leave out the port of the protocol itself. */
    if (!server->socket_path && server->port == 80 && !strcasecmp(authority, names[i])) return 1;
  }
  return 0;
}

/* Is it a name that was given, with the port that was given, or with that of the protocol? */
static int is_given(const scant_server *server, const char *authority) {
  for (size_t i = 0; i < server->host_count; i++) {
    const char *name = server->hosts[i];
    size_t length = strlen(name);
    if (strncasecmp(authority, name, length) != 0) continue;
    const char *rest = authority + length;
    if (!*rest || !strcmp(rest, ":443") || !strcmp(rest, ":80")) return 1;
  }
  return 0;
}

static int is_ours(const scant_server *server, const char *authority) {
  return is_local(server, authority) || is_given(server, authority);
}

static int is_our_origin(const scant_server *server, const char *origin) {
  if (!strncasecmp(origin, "http://", 7)) return is_ours(server, origin + 7);
  if (!strncasecmp(origin, "https://", 8)) return is_ours(server, origin + 8);
  return 0;
}

static int check_host(serve_exchange *exchange, const char *host, const char *origin) {
  if (!host || !is_ours(exchange->server, host))
    return serve_turn_away(exchange, 421, "host", "this server is not called '%.100s': option host gives it more names",
                           host ? host : "");
  if (!origin || is_our_origin(exchange->server, origin)) return 1;
  return serve_turn_away(exchange, 403, "origin", "the request comes from a page of somebody else");
}

/* ---- from method and path to what is to be done ------------------------------------ */

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

/* Finds what a path and a method mean, and fills in route or own, and the arguments; else there is an answer: 404, or
 * 405 with what is allowed. */
static void find(serve_exchange *exchange) {
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

/* ---- headers --------------------------------------------------------------------------- */

/* What one pass over the headers finds. */
typedef struct {
  const char *host, *origin, *length, *transfer, *type, *expect, *forwarded;
  size_t hosts, origins, lengths, transfers, authorizations, keys;
  int is_wrong;
} headers;

static int is_token(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("!#$%&'*+-.^_`|~", text[i])) return 0;
  return length > 0;
}

static enum MHD_Result look(void *user, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
                            size_t value_size) {
  headers *h = user;
  (void)kind;
  if (!is_token(name, name_size) || (value && strlen(value) != value_size)) h->is_wrong = 1;
  if (!strcasecmp(name, "Host")) h->host = value, h->hosts++;
  if (!strcasecmp(name, "Origin")) h->origin = value, h->origins++;
  if (!strcasecmp(name, "Content-Length")) h->length = value, h->lengths++;
  if (!strcasecmp(name, "Transfer-Encoding")) h->transfer = value, h->transfers++;
  if (!strcasecmp(name, "Content-Type")) h->type = value;
  if (!strcasecmp(name, "Expect")) h->expect = value;
  if (!strcasecmp(name, "X-Forwarded-For")) h->forwarded = value;
  if (!strcasecmp(name, "Authorization")) h->authorizations++;
  if (!strcasecmp(name, "Idempotency-Key")) h->keys++;
  return MHD_YES;
}

/* A head that two readers could read in two ways is refused, and nothing behind it is read. */
static int refuse_framing(serve_exchange *exchange, const char *sentence) {
  exchange->answer.closes = 1;
  exchange->is_early = 1;
  return serve_turn_away(exchange, 400, "head", "%s", sentence);
}

static int check_framing(serve_exchange *exchange, const headers *h) {
  const char *wrong = NULL;
  if (h->is_wrong) wrong = "a header is not well formed";
  if (h->hosts != 1) wrong = h->hosts ? "there is more than one Host" : "there is no Host";
  if (h->origins > 1) wrong = "there is more than one Origin";
  if (h->authorizations > 1) wrong = "there is more than one Authorization";
  if (h->keys > 1) wrong = "there is more than one Idempotency-Key";
  if (h->lengths > 1) wrong = "there is more than one Content-Length";
  if (h->transfers && h->lengths) wrong = "there are both Content-Length and Transfer-Encoding";
  if (h->transfers > 1 || (h->transfers && strcasecmp(h->transfer, "chunked") != 0))
    wrong = "the only Transfer-Encoding that is taken is chunked";
  if (h->lengths == 1 && strspn(h->length, "0123456789") != strlen(h->length)) wrong = "Content-Length is no number";
  return wrong ? refuse_framing(exchange, wrong) : 1;
}

/* Splits the target into path and query. */
static int read_target(serve_exchange *exchange) {
  const char *target = exchange->target;
  size_t length = strcspn(target, "?");
  exchange->room = malloc(length + 1);
  if (!exchange->room) return serve_turn_away(exchange, 503, "storage", "out of memory");
  for (const char *c = target; *c; c++)
    if ((unsigned char)*c <= 0x20 || (unsigned char)*c >= 0x7f || *c == '#' || *c == '\\') length = 0;
  if (!length || !serve_split_path(target, length, exchange->room, &exchange->path))
    return serve_turn_away(exchange, 400, "path", "the address is not well formed");
  scant_error error;
  const char *query = strchr(target, '?');
  scant_status status = serve_split_query(query ? query + 1 : NULL, query ? strlen(query + 1) : 0, &exchange->values,
                                          &exchange->request.query_count, &error);
  exchange->request.query = exchange->values;
  if (status == SCANT_OK) return 1;
  return serve_turn_away(exchange, status == SCANT_USAGE ? 400 : 503, "query", "%s", error.text);
}

static serve_study *find_study(const serve_exchange *exchange, const char *name) {
  for (size_t i = 0; i < exchange->server->study_count; i++)
    if (!strcmp(exchange->server->studies[i].name, name)) return &exchange->server->studies[i];
  return NULL;
}

/* Names in the query that the route does not know are mostly mistyped. */
static int check_query(serve_exchange *exchange) {
  for (size_t i = 0; i < exchange->request.query_count; i++) {
    const char *name = exchange->values[i].name;
    if (serve_has_word(exchange->route->query, name, strlen(name))) continue;
    return serve_turn_away(exchange, 422, "usage", "there is no '%.60s' in this query; there is: %.180s", name,
                           exchange->route->query ? exchange->route->query : "nothing");
  }
  return 1;
}

static int check_study(serve_exchange *exchange) {
  exchange->study = find_study(exchange, exchange->request.arguments[0]);
  if (exchange->study && (exchange->who.opens >> exchange->study->number & 1)) return 1;
  return serve_turn_away(exchange, 404, "unknown", "there is no study '%.200s' here", exchange->request.arguments[0]);
}

/* Is a media type this one, whatever its parameters? */
static int is_type(const char *type, const char *wanted) {
  size_t length = strlen(wanted);
  return type && !strncasecmp(type, wanted, length) && strchr("; \t", type[length]);
}

size_t serve_body_most(const serve_exchange *exchange) {
  return exchange->route ? SERVE_BODY_MOST : SERVE_BODY_OWN;
}

static void check_body(serve_exchange *exchange, const headers *h) {
  int has_body = h->transfers || (h->lengths && strspn(h->length, "0") != strlen(h->length));
  if (!has_body) return;
  size_t most = serve_body_most(exchange);
  int is_long = h->lengths && (strlen(h->length) > 12 || strtoull(h->length, NULL, 10) > most);
  exchange->is_form = is_type(h->type, "application/x-www-form-urlencoded");
  if (!exchange->answer.status && strcmp(exchange->request.method, "POST") != 0)
    serve_turn_away(exchange, 400, "body", "only POST takes a body");
  if (!exchange->answer.status && !exchange->is_form && !is_type(h->type, "application/json"))
    serve_turn_away(exchange, 415, "type",
                    "a body is application/json, or application/x-www-form-urlencoded if it is flat");
  if (!exchange->answer.status && is_long) serve_turn_away(exchange, 413, "size", "the body is too long");
  if (!exchange->answer.status) return;
  /* Whoever is sending sees the answer only when it is read to its end; somebody who waits to be told to go on, or
   * would send very much, is answered before. */
  exchange->is_discarding = 1;
  exchange->is_early =
      h->expect || (h->lengths && (strlen(h->length) > 12 || strtoull(h->length, NULL, 10) > SERVE_BODY_DISCARD));
  exchange->answer.closes |= exchange->is_early;
}

static int copy_header(serve_exchange *exchange, size_t slot, const char *name, const char **to) {
  const char *value = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
  if (!value) return 1;
  *to = exchange->headers[slot] = scant_copy_text(value, strlen(value));
  return *to ? 1 : serve_turn_away(exchange, 503, "storage", "out of memory");
}

static void decide(serve_exchange *exchange, const headers *h) {
  serve_request *request = &exchange->request;
  if (!check_host(exchange, h->host, h->origin) || !read_target(exchange)) return;
  find(exchange);
  if (exchange->answer.status) return;
  const serve_route *route = exchange->route;
  if (!serve_access_check(exchange, route || exchange->needs_person, route ? route->role : SCANT_ROLE_READ)) return;
  if (exchange->route && (!check_study(exchange) || !check_query(exchange))) return;
  if (copy_header(exchange, 0, "If-Match", &request->if_match) &&
      copy_header(exchange, 1, "If-None-Match", &request->if_none_match))
    copy_header(exchange, 2, "Idempotency-Key", &request->key);
}

int serve_head_again(serve_exchange *exchange) {
  const serve_route *route = exchange->route;
  if (!route && !exchange->needs_person) return 1;
  exchange->who = (serve_who){0};
  return serve_access_check(exchange, 1, route ? route->role : SCANT_ROLE_READ) && (!route || check_study(exchange));
}

void serve_head_read(serve_exchange *exchange, const char *method) {
  headers h = {0};
  MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, look, &h);
  exchange->is_head_only = !strcmp(method, "HEAD");
  snprintf(exchange->method, sizeof exchange->method, "%s", exchange->is_head_only ? "GET" : method);
  exchange->request.method = exchange->method;
  exchange->request.target = exchange->target;
  exchange->forwarded = h.forwarded;
  if (!check_framing(exchange, &h)) return;
  decide(exchange, &h);
  check_body(exchange, &h);
}
