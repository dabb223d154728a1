/* What the parts of serve_load share (lab/bench/serve.c): connections to a server on this machine, with the answers
 * that come over them, and what one client asks for, request after request, and makes of the answers. */
#ifndef SCANT_BENCH_SERVE_LOAD_H
#define SCANT_BENCH_SERVE_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

enum { ANSWER_MOST = 4 << 20 };

typedef struct {
  struct sockaddr_storage at;
  socklen_t length;
  char host[64]; /* what the header Host says */
} place;

/* Of 127.0.0.1:8765, [::1]:8765 or the path of a socket.  NULL: good; else what is wrong: no address of another machine
 * is taken. */
const char *place_read(place *p, const char *text);

/* One connection.  fd is -1 while there is none. */
typedef struct {
  int fd;
  const char *out; /* of the caller: what is still to be sent */
  size_t out_left;
  char *in;
  size_t in_length, in_size;
} wire;

void wire_begin(wire *w);
/* 0: it can't be made now. */
int wire_open(wire *w, const place *p);
/* Ends it; rudely: with a reset, so that the other side sees an error in place of an end. */
void wire_close(wire *w, int rudely);
void wire_free(wire *w);

typedef enum { WIRE_WAITS, WIRE_DONE, WIRE_LOST } wire_state;

/* Sends what the socket takes.  DONE: all is sent. */
wire_state wire_send(wire *w);

typedef struct {
  int status;
  int replayed, closes; /* Idempotency-Replayed: true; Connection: close */
  char etag[80];
  const char *body; /* ends with a 0; valid until the next call */
  size_t length;
} answer;

/* Reads what has come.  DONE: the answer is whole; LOST: the connection is over, or what came is no answer. */
wire_state wire_receive(wire *w, answer *a);

/* ---- the story of a client ------------------------------------------------------- */

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
