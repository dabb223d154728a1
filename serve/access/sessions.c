#include "access/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

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
