/* Who may come in: secrets, the file of tokens as it is read, sessions of browsers, and how often an address failed to
 * sign in. */
#ifndef SCANT_SERVE_ACCESS_H
#define SCANT_SERVE_ACCESS_H

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "scant_base.h"
#include "scant_serve.h"

/* ---- secrets and tokens ------------------------------------------------------------ */

/* 43 letters of base64url, which are 32 random bytes, and the 0 at the end. */
enum { SERVE_SECRET = 44 };
/* SCANT_IO: the system has no random numbers. */
scant_status serve_secret_make(char text[SERVE_SECRET], scant_error *error);

/* The digest of a text, of which nobody can find the text. */
void serve_secret_digest(const char *text, char digest[SCANT_SHA256_TEXT]);

/* Are these bytes the same?  It takes as long whatever they are, so that nobody can learn them by the clock. */
int serve_secret_same(const char *a, const char *b, size_t length);

typedef struct serve_token {
  scant_token facts;
  char *name, *made_at, *ends_at, **studies;
  char digest[SCANT_SHA256_TEXT];
} serve_token;

struct scant_tokens {
  serve_token *items;
  size_t count, room;
};

/* From the text of a file; SCANT_DATA: it is none. */
scant_status serve_tokens_parse(scant_tokens **tokens, const char *text, size_t length, scant_error *error);
/* The text of a file, for free. */
scant_status serve_tokens_write(const scant_tokens *tokens, char **text, size_t *length, scant_error *error);
/* Reads an open file.  SCANT_DATA: others may write to it, or it is none. */
scant_status serve_tokens_read(scant_tokens **tokens, int file, const char *path, scant_error *error);

/* The token with this digest; NULL: there is none, or its time has passed.  It looks at all of them, and takes as long
 * whichever it is. */
const serve_token *serve_tokens_find(const scant_tokens *tokens, const char digest[SCANT_SHA256_TEXT]);

/* UTC, such as 2026-11-15T09:30:00Z. */
enum { SERVE_TIME = 32 };
void serve_format_time(char text[SERVE_TIME], time_t seconds);

/* ---- sessions, in memory: the thread of the network alone uses them ---------------- */

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
