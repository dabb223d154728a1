/* Who may come in: sessions of browsers, and how often an address failed to sign in, in memory.  The thread of the
 * network alone uses them. */
#ifndef SCANT_SERVE_SIGN_IN_H
#define SCANT_SERVE_SIGN_IN_H

#include <pthread.h>
#include <sys/stat.h>

#include "access/tokens.h"

enum { SERVE_SESSIONS = 10000, SERVE_SESSION_IDLE = 12 * 3600 };

typedef struct serve_session {
  char digest[SCANT_SHA256_TEXT]; /* of what the cookie holds */
  char csrf[SERVE_SECRET];
  char token[SCANT_SHA256_TEXT]; /* the digest of the token that it was made by; empty: by a link */
  double seen;                   /* when it was used last, by any clock that goes on */
} serve_session;

typedef struct serve_sessions {
  serve_session *items;
  size_t count, room;
} serve_sessions;

/* Makes one: `cookie` gets what the browser keeps.  If there are too many, the one that was idle longest ends.  The
 * result is valid until the next call that makes or ends one. */
scant_status serve_session_begin(serve_sessions *sessions, const char *token, double now, char cookie[SERVE_SECRET],
                                 const serve_session **session, scant_error *error);
/* The session of a cookie, which is seen now; NULL: there is none. */
const serve_session *serve_session_find(serve_sessions *sessions, const char *cookie, double now);
void serve_session_end(serve_sessions *sessions, const char *cookie);
void serve_sessions_free(serve_sessions *sessions);

/* Whoever guesses is slowed down: failures per address and minute. */
enum { SERVE_FAILURES = 10, SERVE_THROTTLED = 60, SERVE_ADDRESSES = 1024 };

typedef struct serve_throttle {
  struct {
    uint64_t address; /* a hash of it; 0: free */
    double since;     /* seconds of any clock that goes on */
    unsigned failures;
  } places[SERVE_ADDRESSES];
} serve_throttle;

/* Has this address failed more than SERVE_FAILURES times in its minute? */
int serve_throttle_is_hot(const serve_throttle *throttle, const char *address, double now);
/* It has failed once more. */
void serve_throttle_fail(serve_throttle *throttle, const char *address, double now);

/* Who may come in. */
typedef struct serve_access {
  /* The thread of the network alone uses these. */
  char *path;           /* of the file of tokens; NULL: there are none */
  scant_tokens *tokens; /* as the file was read last; NULL: it can't be read, and nobody comes in */
  struct stat facts;    /* of the file then */
  int is_bad;           /* that was said already */
  serve_sessions sessions;
  serve_throttle throttle;
  /* Others make the link. */
  pthread_mutex_t mutex;
  char code[SCANT_SHA256_TEXT]; /* the digest of the code in the link; empty: it was used, or there is none */
} serve_access;

#endif
