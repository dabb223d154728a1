/* What one client of lab/bench/serve.c asks for, request after request, and what it makes of the answers. */
#ifndef SCANT_BENCH_SERVE_STORY_H
#define SCANT_BENCH_SERVE_STORY_H

#include <stdint.h>
#include <stdio.h>

#include "serve_wire.h"

enum { TEXT_MOST = 4096, NAMES_MOST = 64, NAME_MOST = 40, TOKENS_MOST = 16 };

/* What all clients share. */
typedef struct {
  place where;
  const char *study, *base; /* the study's name; what stands before every path */
  const char *prefix;       /* of the names of examples and of keys: no other run may have the same */
  char tokens[TOKENS_MOST][80];
  size_t token_count;
  unsigned readings; /* after each step that writes, besides those of the example itself */
  FILE *journal;
} stage;

/* Steps that write come first. */
typedef enum {
  ASK,
  FIRST, /* half of the values, and then the rest */
  REST,
  CANCEL,
  REOPEN,
  CORRECT,
  SHOW,
  SAME, /* the same again, if it has changed */
  LIST,
  STATUS,
  STUDY,
  AGAIN, /* the last step that wrote */
  UNKNOWN,
  WRONG,
  ACTS
} act;

typedef struct {
  act act;
  int writes;            /* there is a key, and an answer is a promise */
  size_t length, middle; /* of the text; a place in its midst to cut it */
  char text[TEXT_MOST];
} request;

typedef struct {
  const stage *stage;
  uint32_t client, example;
  act next;
  unsigned readings; /* still to do before the next step that writes */
  int shown;         /* the example, since its last step */
  uint64_t made;
  char names[NAMES_MOST][NAME_MOST]; /* what is ordered of the example */
  size_t count;
  char etag[80];
  request last; /* that wrote */
} story;

void story_begin(story *s, const stage *on, uint32_t client);
void story_make(story *s, request *r);
/* Takes the first answer to a request, notes in the journal what it promises, and goes on.  NULL: good; else what is
 * wrong with it. */
const char *story_take(story *s, const request *r, const answer *a);
/* Notes a request that nobody answered: it may have been done. */
void story_leave(const story *s, const request *r);

#endif
