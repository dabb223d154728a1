/* Who may come in: tokens, sessions, the link, and how often somebody failed. */
#ifndef SCANT_SERVE_ACCESS_H
#define SCANT_SERVE_ACCESS_H

#include <pthread.h>
#include <sys/stat.h>

#include "access/sign_in.h"
#include "access/tokens.h"

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
