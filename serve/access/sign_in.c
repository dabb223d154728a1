/* Sessions of browsers, and how often an address failed to sign in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "access/sign_in.h"

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
