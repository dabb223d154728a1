/* Random texts, and comparing them. */
#ifndef SCANT_SERVE_SECRETS_H
#define SCANT_SERVE_SECRETS_H

#include "base/sha256.h"
#include "scant.h"

/* 43 letters of base64url, which are 32 random bytes, and the 0 at the end. */
enum { SERVE_SECRET = 44 };
/* SCANT_IO: the system has no random numbers. */
scant_status serve_secret_make(char text[SERVE_SECRET], scant_error *error);

/* The digest of a text, of which nobody can find the text. */
void serve_secret_digest(const char *text, char digest[SCANT_SHA256_TEXT]);

/* Are these bytes the same?  It takes as long whatever they are, so that nobody can learn them by the clock. */
int serve_secret_same(const char *a, const char *b, size_t length);

#endif
