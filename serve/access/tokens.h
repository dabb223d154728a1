/* Secrets, and the file of tokens, as it is read. */
#ifndef SCANT_SERVE_TOKENS_H
#define SCANT_SERVE_TOKENS_H

#include <time.h>

#include "scant_serve.h"
#include "scant_base.h"

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

#endif
