/* From a token, a cookie or the code of a link to a person, and whether that person may; sessions of browsers, and how
 * often an address failed to sign in. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "scant_base.h"
#include "access/access.h"
#include "http/server.h"

/* ---- sessions -------------------------------------------------------------------- */

static void remove_at(serve_sessions *sessions, size_t place) {
  sessions->items[place] = sessions->items[--sessions->count];
}

static void drop_old(serve_sessions *sessions, double now) {
  for (size_t i = sessions->count; i-- > 0;)
    if (now - sessions->items[i].seen > SERVE_SESSION_IDLE) remove_at(sessions, i);
}

static void drop_one(serve_sessions *sessions) {
  size_t oldest = 0;
  for (size_t i = 1; i < sessions->count; i++)
    if (sessions->items[i].seen < sessions->items[oldest].seen) oldest = i;
  remove_at(sessions, oldest);
}

scant_status serve_session_begin(serve_sessions *sessions, const char *token, double now, char cookie[SERVE_SECRET],
                                 const serve_session **session, scant_error *error) {
  serve_session fresh = {.seen = now};
  SCANT_TRY(serve_secret_make(cookie, error));
  SCANT_TRY(serve_secret_make(fresh.csrf, error));
  serve_secret_digest(cookie, fresh.digest);
  snprintf(fresh.token, sizeof fresh.token, "%s", token);
  drop_old(sessions, now);
  if (sessions->count == SERVE_SESSIONS) drop_one(sessions);
  if (!scant_grow(&sessions->items, &sessions->room, sessions->count + 1, sizeof fresh))
    return scant_fail_memory(error);
  sessions->items[sessions->count] = fresh;
  *session = &sessions->items[sessions->count++];
  return SCANT_OK;
}

/* Where the session of a cookie is; the number of sessions: nowhere.  It compares digests, which nobody can choose. */
static size_t place_of(const serve_sessions *sessions, const char *cookie) {
  char digest[SCANT_SHA256_TEXT];
  serve_secret_digest(cookie, digest);
  size_t found = sessions->count;
  for (size_t i = 0; i < sessions->count; i++)
    if (serve_secret_same(sessions->items[i].digest, digest, SCANT_SHA256_TEXT - 1)) found = i;
  return found;
}

const serve_session *serve_session_find(serve_sessions *sessions, const char *cookie, double now) {
  size_t place = place_of(sessions, cookie);
  if (place == sessions->count) return NULL;
  if (now - sessions->items[place].seen > SERVE_SESSION_IDLE) {
    remove_at(sessions, place);
    return NULL;
  }
  sessions->items[place].seen = now;
  return &sessions->items[place];
}

void serve_session_end(serve_sessions *sessions, const char *cookie) {
  size_t place = place_of(sessions, cookie);
  if (place < sessions->count) remove_at(sessions, place);
}

void serve_sessions_free(serve_sessions *sessions) {
  free(sessions->items);
  *sessions = (serve_sessions){0};
}

/* ---- failures -------------------------------------------------------------------- */

/* An address is in one of so many places. */
enum { PROBES = 8 };

static uint64_t hash_of(const char *address) {
  uint64_t hash = scant_hash(SCANT_HASH_START, address, strlen(address));
  return hash ? hash : 1;
}

static size_t slot_of(uint64_t hash, size_t probe) {
  return (size_t)((hash >> 7) + probe) % SERVE_ADDRESSES;
}

int serve_throttle_is_hot(const serve_throttle *throttle, const char *address, double now) {
  uint64_t hash = hash_of(address);
  for (size_t i = 0; i < PROBES; i++) {
    size_t at = slot_of(hash, i);
    if (throttle->places[at].address == hash)
      return now - throttle->places[at].since < SERVE_THROTTLED && throttle->places[at].failures > SERVE_FAILURES;
  }
  return 0;
}

void serve_throttle_fail(serve_throttle *throttle, const char *address, double now) {
  uint64_t hash = hash_of(address);
  size_t oldest = slot_of(hash, 0);
  for (size_t i = 0; i < PROBES; i++) {
    size_t at = slot_of(hash, i);
    if (throttle->places[at].address == hash) {
      oldest = at;
      break;
    }
    if (!throttle->places[oldest].address) continue; /* a free one is as good as any */
    if (!throttle->places[at].address || throttle->places[at].since < throttle->places[oldest].since) oldest = at;
  }
  int is_same = throttle->places[oldest].address == hash && now - throttle->places[oldest].since < SERVE_THROTTLED;
  if (!is_same) {
    throttle->places[oldest].address = hash;
    throttle->places[oldest].since = now;
    throttle->places[oldest].failures = 0;
  }
  throttle->places[oldest].failures++;
}

/* ---- the file of tokens ---- */

static int is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mode == b->st_mode &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
         a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Reads the file as it is now.  `facts` is of what was read, so that a change meanwhile is noticed the next time. */
static scant_status load(serve_access *access, scant_error *error) {
  scant_tokens_free(access->tokens);
  access->tokens = NULL;
  int file = open(access->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return scant_fail(error, SCANT_NO_INPUT, "can't read '%.200s': %s", access->path, strerror(errno));
  scant_status status = fstat(file, &access->facts) == 0 ? SCANT_OK : scant_fail(error, SCANT_IO, "can't look at it");
  if (status == SCANT_OK) status = serve_tokens_read(&access->tokens, file, access->path, error);
  close(file);
  return status;
}

/* The tokens as they are at this moment; NULL: nobody has one. */
static const scant_tokens *current_tokens(scant_server *server) {
  serve_access *access = server->access;
  struct stat facts;
  if (!access->path) return NULL;
  if (access->tokens && stat(access->path, &facts) == 0 && is_same_file(&facts, &access->facts)) return access->tokens;
  scant_error error;
  scant_status status = load(access, &error);
  if (status != SCANT_OK && !access->is_bad && server->note) {
    char sentence[SCANT_ERROR_LENGTH + 40];
    snprintf(sentence, sizeof sentence, "nobody can sign in: %s", error.text);
    server->note(server->user, sentence);
  }
  access->is_bad = status != SCANT_OK;
  return access->tokens;
}

static int opens(const scant_token *token, const serve_study *study) {
  for (size_t i = 0; i < token->study_count; i++)
    if (!strcmp(token->studies[i], study->name)) return 1;
  return !token->study_count;
}

/* The name of a study may be misspelt, and whoever has the token would find no study.  One that has ended matters no
 * more. */
static void note_idle_tokens(const scant_server *server) {
  const scant_token *token;
  for (size_t i = 0; server->note && (token = scant_tokens_at(server->access->tokens, i)); i++) {
    int is_idle = !scant_token_has_ended(token);
    for (size_t j = 0; j < server->study_count; j++) is_idle = is_idle && !opens(token, &server->studies[j]);
    if (!is_idle) continue;
    char names[256], sentence[640];
    size_t at = 0;
    for (size_t j = 0; j < token->study_count && at < sizeof names; j++)
      at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", j ? ", " : "", token->studies[j]);
    snprintf(sentence, sizeof sentence, "the token of '%.200s' opens none of the studies that are served: it is for %s",
             token->name, names);
    server->note(server->user, sentence);
  }
}

scant_status serve_access_open(scant_server *server, const char *path, scant_error *error) {
  serve_access *access = server->access = calloc(1, sizeof *access);
  if (!access) return scant_fail_memory(error);
  pthread_mutex_init(&access->mutex, NULL);
  if (!path) return SCANT_OK;
  access->path = scant_copy_text(path, strlen(path));
  if (!access->path) return scant_fail_memory(error);
  SCANT_TRY(load(access, error));
  note_idle_tokens(server);
  return SCANT_OK;
}

void serve_access_close(scant_server *server) {
  serve_access *access = server->access;
  if (!access) return;
  scant_tokens_free(access->tokens);
  serve_sessions_free(&access->sessions);
  pthread_mutex_destroy(&access->mutex);
  free(access->path);
  free(access);
  server->access = NULL;
}

/* ---- the link ---- */

scant_status scant_serve_link(scant_server *server, char *link, size_t size, scant_error *error) {
  serve_access *access = server->access;
  char code[SERVE_SECRET];
  if (access->path) return scant_fail(error, SCANT_MISUSE, "there are tokens, so there is no link to sign in by");
  SCANT_TRY(serve_secret_make(code, error));
  int length = snprintf(link, size, "%s#code=%s", server->url, code);
  if (length < 0 || (size_t)length >= size) return scant_fail(error, SCANT_USAGE, "there is no room for the link");
  pthread_mutex_lock(&access->mutex);
  serve_secret_digest(code, access->code);
  pthread_mutex_unlock(&access->mutex);
  return SCANT_OK;
}

/* Is it the code of the link?  Then it is so no more. */
static int take_code(serve_access *access, const char *code) {
  char digest[SCANT_SHA256_TEXT];
  serve_secret_digest(code, digest);
  pthread_mutex_lock(&access->mutex);
  int good = access->code[0] && serve_secret_same(access->code, digest, SCANT_SHA256_TEXT - 1);
  if (good) access->code[0] = 0;
  pthread_mutex_unlock(&access->mutex);
  return good;
}

/* ---- who it is ---- */

static void become_token(const scant_server *server, serve_who *who, const serve_token *token) {
  who->is_known = 1;
  snprintf(who->name, sizeof who->name, "%s", token->facts.name);
  who->role = token->facts.role;
  who->opens = 0;
  for (size_t i = 0; i < server->study_count; i++)
    if (opens(&token->facts, &server->studies[i])) who->opens |= UINT64_C(1) << i;
}

static void become_keeper(const scant_server *server, serve_who *who) {
  who->is_known = 1;
  snprintf(who->name, sizeof who->name, "%s", server->person);
  who->role = SCANT_ROLE_MANAGE;
  who->opens = UINT64_MAX;
}

static int find_token(scant_server *server, const char *text, serve_who *who, char digest[SCANT_SHA256_TEXT]) {
  const scant_tokens *tokens = current_tokens(server);
  serve_secret_digest(text, digest);
  const serve_token *token = tokens ? serve_tokens_find(tokens, digest) : NULL;
  if (token) become_token(server, who, token);
  return token != NULL;
}

/* A session is as good as the token that it was made by is now. */
static int find_session(serve_exchange *exchange, const char *cookie) {
  scant_server *server = exchange->server;
  serve_who *who = &exchange->who;
  const serve_session *session = serve_session_find(&server->access->sessions, cookie, serve_now(server));
  if (!session) return 0;
  if (!session->token[0]) {
    become_keeper(server, who);
  } else {
    const scant_tokens *tokens = current_tokens(server);
    const serve_token *token = tokens ? serve_tokens_find(tokens, session->token) : NULL;
    if (!token) return 0;
    become_token(server, who, token);
  }
  who->by_cookie = 1;
  memcpy(who->csrf, session->csrf, sizeof session->csrf);
  return 1;
}

static const char *cookie_of(const serve_exchange *exchange) {
  return MHD_lookup_connection_value(exchange->connection, MHD_COOKIE_KIND, exchange->server->cookie_name);
}

/* The address of the client, or what the proxy says of it. */
static void find_address(serve_exchange *exchange) {
  char *text = exchange->address;
  const char *said = exchange->server->behind_proxy ? exchange->forwarded : NULL;
  const char *comma = said ? strrchr(said, ',') : NULL;
  if (said) {
    said = comma ? comma + 1 : said;
    said += strspn(said, " \t");
    snprintf(text, sizeof exchange->address, "%s", said);
    return;
  }
  snprintf(text, sizeof exchange->address, "local");
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const struct sockaddr *address = info ? info->client_addr : NULL;
  if (address && address->sa_family == AF_INET)
    inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, text, sizeof exchange->address);
  if (address && address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text,
              sizeof exchange->address);
}

/* ---- whether that is enough ---- */

/* Somebody gave a token or a code that opens nothing. */
static int fail(serve_exchange *exchange, const char *sentence) {
  serve_throttle *throttle = &exchange->server->access->throttle;
  double now = serve_now(exchange->server);
  serve_throttle_fail(throttle, exchange->address, now);
  atomic_fetch_add(&exchange->server->metrics.failures, 1);
  if (!serve_throttle_is_hot(throttle, exchange->address, now))
    return serve_turn_away(exchange, 401, "token", "%s", sentence);
  serve_turn_away(exchange, 429, "throttled", "too many tokens from this address were wrong: wait a minute");
  exchange->answer.retry_after = SERVE_THROTTLED;
  return 0;
}

/* A page of somebody else can send the cookie, but does not know this. */
static int has_csrf(const serve_exchange *exchange) {
  const char *said = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "X-CSRF-Token");
  size_t length = strlen(exchange->who.csrf);
  return said && strlen(said) == length && serve_secret_same(said, exchange->who.csrf, length);
}

int serve_access_check(serve_exchange *exchange, int needs_person, scant_role role) {
  const char *said = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Authorization");
  char digest[SCANT_SHA256_TEXT];
  find_address(exchange);
  if (said && !strncasecmp(said, "Bearer ", 7)) {
    if (!find_token(exchange->server, said + 7 + strspn(said + 7, " "), &exchange->who, digest))
      return fail(exchange, "the token is not known, has ended or was revoked");
  } else {
    const char *cookie = cookie_of(exchange);
    if (cookie) find_session(exchange, cookie);
  }
  const serve_who *who = &exchange->who;
  if (!needs_person) return 1;
  if (!who->is_known) return serve_turn_away(exchange, 401, "token", "sign in first: give a token");
  if (who->role < role)
    return serve_turn_away(exchange, 403, "role", "this needs a token of the role %s, and yours is of the role %s",
                           scant_role_name(role), scant_role_name(who->role));
  if (who->by_cookie && strcmp(exchange->request.method, "GET") != 0 && !has_csrf(exchange))
    return serve_turn_away(exchange, 403, "csrf", "the header X-CSRF-Token is missing, or is not that of the session");
  return 1;
}

/* ---- signing in ---- */

int serve_access_sign_in(serve_exchange *exchange, const char *token, const char *code) {
  scant_server *server = exchange->server;
  serve_who who = {0};
  char digest[SCANT_SHA256_TEXT] = "", cookie[SERVE_SECRET];
  if (token && !find_token(server, token, &who, digest))
    return fail(exchange, "the token is not known, has ended or was revoked");
  if (!token && !take_code(server->access, code))
    return fail(exchange, "the link was used already, or a newer one was made: ask for a new one");
  if (!token) become_keeper(server, &who);
  const serve_session *session;
  scant_error error;
  scant_status status =
      serve_session_begin(&server->access->sessions, digest, serve_now(server), cookie, &session, &error);
  if (status != SCANT_OK) {
    serve_answer_failure(&exchange->answer, NULL, status, &error);
    return 0;
  }
  const char *before = cookie_of(exchange);
  who.by_cookie = 1;
  memcpy(who.csrf, session->csrf, sizeof session->csrf);
  if (before) serve_session_end(&server->access->sessions, before);
  exchange->who = who;
  snprintf(exchange->answer.cookie, sizeof exchange->answer.cookie, "%s=%s; Path=%s/; HttpOnly; SameSite=Strict%s",
           server->cookie_name, cookie, server->base, server->behind_proxy ? "; Secure" : "");
  return 1;
}

void serve_access_sign_out(serve_exchange *exchange) {
  scant_server *server = exchange->server;
  const char *cookie = cookie_of(exchange);
  if (cookie) serve_session_end(&server->access->sessions, cookie);
  snprintf(exchange->answer.cookie, sizeof exchange->answer.cookie,
           "%s=; Path=%s/; HttpOnly; SameSite=Strict; Max-Age=0%s", server->cookie_name, server->base,
           server->behind_proxy ? "; Secure" : "");
}
