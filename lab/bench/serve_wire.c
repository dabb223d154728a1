#include "serve_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>
#include <unistd.h>

static const char *place_of_path(place *p, const char *path) {
  struct sockaddr_un *un = (struct sockaddr_un *)&p->at;
  if (strlen(path) >= sizeof un->sun_path) return "the path of the socket is too long";
  un->sun_family = AF_UNIX;
  strcpy(un->sun_path, path);
  p->length = sizeof *un;
  snprintf(p->host, sizeof p->host, "localhost");
  return NULL;
}

const char *place_read(place *p, const char *text) {
  char address[64];
  struct sockaddr_in *in = (struct sockaddr_in *)&p->at;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&p->at;
  memset(p, 0, sizeof *p);
  if (*text == '/') return place_of_path(p, text);
  const char *colon = strrchr(text, ':');
  char *end;
  if (!colon || (size_t)(colon - text) >= sizeof address) return "the address is not of the form ADDRESS:PORT";
  unsigned long port = strtoul(colon + 1, &end, 10);
  if (end == colon + 1 || *end || !port || port > 65535) return "the port is no number from 1 to 65535";
  snprintf(address, sizeof address, "%.*s", (int)(colon - text), text);
  snprintf(p->host, sizeof p->host, "%s", text);
  if (inet_pton(AF_INET, address, &in->sin_addr) == 1) {
    if (ntohl(in->sin_addr.s_addr) >> 24 != 127) return "the address is not of this machine";
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)port);
    p->length = sizeof *in;
    return NULL;
  }
  if (strcmp(address, "[::1]") != 0) return "the address is not of this machine";
  in6->sin6_addr = in6addr_loopback;
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons((uint16_t)port);
  p->length = sizeof *in6;
  return NULL;
}

void wire_begin(wire *w) {
  *w = (wire){.fd = -1};
}

int wire_open(wire *w, const place *p) {
  int one = 1;
  w->fd = socket(p->at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (w->fd < 0) return 0;
  if (p->at.ss_family != AF_UNIX) setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  w->in_length = 0;
  if (connect(w->fd, (const struct sockaddr *)&p->at, p->length) == 0 || errno == EINPROGRESS) return 1;
  close(w->fd);
  w->fd = -1;
  return 0;
}

void wire_close(wire *w, int rudely) {
  struct linger now = {1, 0};
  if (w->fd < 0) return;
  if (rudely) setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(w->fd);
  w->fd = -1;
  w->in_length = w->out_left = 0;
}

void wire_free(wire *w) {
  wire_close(w, 0);
  free(w->in);
}

wire_state wire_send(wire *w) {
  while (w->out_left) {
    ssize_t sent = send(w->fd, w->out, w->out_left, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR ? WIRE_WAITS : WIRE_LOST;
    w->out += sent;
    w->out_left -= (size_t)sent;
  }
  return WIRE_DONE;
}

/* ---- answers ----------------------------------------------------------------------- */

/* The value of a header, NULL if it is none of this name. */
static const char *value_of(const char *line, const char *name) {
  size_t length = strlen(name);
  if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
  return line + length + 1 + strspn(line + length + 1, " \t");
}

/* The head, which ends with an empty line at `end`.  -1: it is none. */
static long read_head(char *head, const char *end, answer *a) {
  long length = 0;
  const char *value;
  *a = (answer){0};
  if (strncmp(head, "HTTP/1.1 ", 9) != 0) return -1;
  a->status = atoi(head + 9);
  for (char *line = strstr(head, "\r\n") + 2; line < end;) {
    char *stop = strstr(line, "\r\n");
    *stop = 0;
    if ((value = value_of(line, "Content-Length"))) length = strtol(value, NULL, 10);
    if ((value = value_of(line, "ETag"))) snprintf(a->etag, sizeof a->etag, "%s", value);
    if ((value = value_of(line, "Idempotency-Replayed"))) a->replayed = strcasecmp(value, "true") == 0;
    if ((value = value_of(line, "Connection"))) a->closes = strcasecmp(value, "close") == 0;
    if (value_of(line, "Transfer-Encoding")) length = -1; /* none of what is asked for here comes so */
    *stop = '\r';
    line = stop + 2;
  }
  if (a->status == 304 || a->status == 204) length = 0;
  return length > ANSWER_MOST ? -1 : length;
}

/* Looks for a whole answer in what has come. */
static wire_state find_answer(wire *w, answer *a) {
  w->in[w->in_length] = 0;
  char *end = strstr(w->in, "\r\n\r\n");
  if (!end) return w->in_length > 65536 ? WIRE_LOST : WIRE_WAITS;
  long length = read_head(w->in, end + 2, a);
  if (length < 0) return WIRE_LOST;
  size_t head = (size_t)(end + 4 - w->in);
  if (w->in_length < head + (size_t)length) return WIRE_WAITS;
  if (w->in_length > head + (size_t)length) return WIRE_LOST; /* nobody asked for more */
  a->body = w->in + head;
  a->length = (size_t)length;
  w->in_length = 0;
  return WIRE_DONE;
}

wire_state wire_receive(wire *w, answer *a) {
  for (;;) {
    if (w->in_length + 2 > w->in_size) {
      size_t size = w->in_size ? 2 * w->in_size : 8192;
      char *in = size > ANSWER_MOST + 65536 ? NULL : realloc(w->in, size);
      if (!in) return WIRE_LOST;
      w->in = in;
      w->in_size = size;
    }
    ssize_t got = recv(w->fd, w->in + w->in_length, w->in_size - w->in_length - 1, 0);
    if (got == 0) return WIRE_LOST;
    if (got < 0) return errno == EAGAIN || errno == EINTR ? WIRE_WAITS : WIRE_LOST;
    w->in_length += (size_t)got;
    wire_state state = find_answer(w, a);
    if (state != WIRE_WAITS) return state;
  }
}
