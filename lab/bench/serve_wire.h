/* Connections to a server on this machine, and the answers that come over them.  For lab/bench/serve.c. */
#ifndef SCANT_BENCH_SERVE_WIRE_H
#define SCANT_BENCH_SERVE_WIRE_H

#include <stddef.h>
#include <stdint.h>
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

#endif
