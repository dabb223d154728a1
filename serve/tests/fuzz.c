/* Requests of mutated bytes against a server on this machine:
 *
 *   serve_fuzz PORT STUDY TOKENS COUNT SEED
 *
 * TOKENS is a file with those of a manager, of somebody who enters and of a reader, a line each.  First every request
 * of the corpus goes out as it is, and must be answered well; then COUNT are changed in a few places: bytes, lengths,
 * chunks, the structure of JSON, escapes, and several over one connection.  Every answer has a status, none is 500,
 * and the server says every thousand requests that it is ready.  Speaks TAP; the end counts the answers by status. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_corpus.h"

enum { THREADS = 8, CORPUS = sizeof corpus / sizeof *corpus, LINES = 24, LINE = 300, BODY = 40000, TEXT = 200000 };
enum { ANSWERS = 8 << 20, EXAMPLES = 8, COUNT_MOST = 10000000, SECONDS = 30, QUIET = 20 /* milliseconds */ };
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static uint16_t port;
static const char *study;
static char tokens[3][80];
static uint64_t count_most, seed;
static atomic_ullong sent, answers[1000], connections;
static atomic_int wrong;
static unsigned weights;

static void complain(const char *what, const char *text, size_t length) {
  if (atomic_fetch_add(&wrong, 1) >= 5) return;
  flockfile(stdout);
  printf("# %s; sent:\n#   ", what);
  for (size_t i = 0; i < length && i < 3000; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= ' ' && c < 127 && c != '\\')
      putchar(c);
    else
      printf("\\x%02x", c);
  }
  putchar('\n');
  fflush(stdout);
  funlockfile(stdout);
}

/* ---- one thread's things ---------------------------------------------------------------- */

typedef struct {
  uint64_t state;
  char etag[80]; /* of the last answer that had one */
  char cookie[200], csrf[100], terms[80];
  char *in;
  uint64_t names;
  char method[64], path[6000];
  char lines[LINES][LINE];
  unsigned line_count;
  char body[BODY];
  size_t body_length;
  int chunked;
  char text[TEXT];
  size_t length;
} fuzzer;

static uint64_t draw(fuzzer *f, uint64_t below) {
  uint64_t z = f->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % below;
}

static const char *pick(fuzzer *f, const char *const *list, size_t count) {
  return list[draw(f, count)];
}

static void put(fuzzer *f, const char *bytes, size_t length) {
  if (length > TEXT - f->length) length = TEXT - f->length;
  memcpy(f->text + f->length, bytes, length);
  f->length += length;
}

static void put_text(fuzzer *f, const char *format, ...) {
  char line[7000];
  va_list words;
  va_start(words, format);
  int length = vsnprintf(line, sizeof line, format, words);
  va_end(words);
  put(f, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

static void add_line(fuzzer *f, const char *format, ...) {
  va_list words;
  if (f->line_count == LINES) return;
  va_start(words, format);
  vsnprintf(f->lines[f->line_count++], LINE, format, words);
  va_end(words);
}

/* ---- a valid request ---------------------------------------------------------------------- */

static size_t fill(fuzzer *f, char *to, size_t size, const char *from) {
  size_t length = 0;
  char example[16], name[40];
  snprintf(example, sizeof example, "e%d", (int)draw(f, EXAMPLES));
  snprintf(name, sizeof name, "n%llu-%llu", (unsigned long long)seed, (unsigned long long)(f->names + draw(f, 3)));
  for (; *from && length + 100 < size; from++) {
    const char *word = NULL;
    if (*from == '$') word = from[1] == 'E' ? example : from[1] == 'N' ? name : from[1] == 'S' ? study : tokens[0];
    if (word)
      from++;
    else
      to[length++] = *from;
    if (word) length += (size_t)snprintf(to + length, size - length, "%s", word);
  }
  to[length] = 0;
  return length;
}

static void make(fuzzer *f, size_t which, int plainly) {
  const char *body = corpus[which].body;
  unsigned flags = corpus[which].flags;
  f->names += draw(f, 4) == 0;
  snprintf(f->method, sizeof f->method, "%s", corpus[which].method);
  fill(f, f->path, sizeof f->path, corpus[which].path);
  f->body_length = body ? fill(f, f->body, BODY, body) : 0;
  f->line_count = 0;
  f->chunked = 0;
  add_line(f, "Host: %s:%u", plainly || draw(f, 2) ? "127.0.0.1" : "localhost", port);
  if (!plainly && *f->cookie && draw(f, 8) == 0) {
    add_line(f, "Cookie: %s", f->cookie);
    if (draw(f, 4)) add_line(f, "X-CSRF-Token: %s", f->csrf);
  } else if (!(flags & PUBLIC)) {
    add_line(f, "Authorization: Bearer %s", tokens[plainly || draw(f, 4) ? 0 : draw(f, 3)]);
  }
  if (body) {
    add_line(f, "Content-Type: %s", *body == '{' ? "application/json" : "application/x-www-form-urlencoded");
    add_line(f, "Idempotency-Key: %llu-%llu", (unsigned long long)f->state,
             (unsigned long long)(plainly ? which : draw(f, 1000)));
  }
  if (flags & NEEDS_MATCH && *f->etag) add_line(f, "If-Match: %s", plainly || draw(f, 2) ? "*" : f->etag);
  if (flags & NEEDS_TERMS) add_line(f, "If-Match: \"%s\"", f->terms);
  if (!plainly && !body && draw(f, 6) == 0) add_line(f, "If-None-Match: %s", f->etag);
  if (!plainly && body && draw(f, 8) == 0) f->chunked = 1;
  if (plainly) add_line(f, "Connection: close");
}

/* ---- what is done to it ------------------------------------------------------------------- */

static size_t change_bytes(fuzzer *f, char *bytes, size_t length, size_t size) {
  if (!length) return 0;
  size_t at = draw(f, length), few = 1 + draw(f, 8);
  switch (draw(f, 6)) {
    case 0: /* another byte */
      bytes[at] = (char)draw(f, 256);
      return length;
    case 1: /* another bit */
      bytes[at] = (char)((unsigned char)bytes[at] ^ (1u << draw(f, 8)));
      return length;
    case 2: /* fewer */
      if (few > length - at) few = length - at;
      memmove(bytes + at, bytes + at + few, length - at - few);
      return length - few;
    case 3: /* some of them twice */
      if (few > length - at || length + few > size) return length;
      memmove(bytes + at + few, bytes + at, length - at);
      return length + few;
    case 4: /* a new one */
      if (length + 1 > size) return length;
      memmove(bytes + at + 1, bytes + at, length - at);
      bytes[at] = (char)draw(f, 256);
      return length + 1;
    default: /* cut off */
      return draw(f, 4) ? length : at;
  }
}

static size_t insert(char *bytes, size_t length, size_t size, size_t at, const char *word) {
  size_t more = strlen(word);
  if (length + more > size) return length;
  memmove(bytes + at + more, bytes + at, length - at);
  memcpy(bytes + at, word, more);
  return length + more;
}

static void change_path(fuzzer *f) {
  size_t length = strlen(f->path), at = draw(f, length + 1), room = sizeof f->path - 1;
  if (draw(f, 3) == 0) { /* one more of the query */
    at = length;
    length = insert(f->path, length, room, at, strchr(f->path, '?') ? "&" : "?");
    at = length;
  } else if (draw(f, 3) == 0) { /* in place of a segment */
    while (at && f->path[at - 1] != '/') at--;
    size_t segment = strcspn(f->path + at, "/?");
    memmove(f->path + at, f->path + at + segment, length - at - segment);
    length -= segment;
  }
  length = insert(f->path, length, room, at, pick(f, path_parts, COUNT_OF(path_parts)));
  if (draw(f, 60) == 0) { /* long */
    size_t more = draw(f, room - length + 1);
    memset(f->path + length, 'a', more);
    length += more;
  }
  f->path[length] = 0;
}

static void change_line(fuzzer *f) {
  unsigned which = (unsigned)draw(f, f->line_count);
  switch (draw(f, 4)) {
    case 0:
      memmove(f->lines[which], f->lines[which + 1], (f->line_count - which - 1) * sizeof *f->lines);
      f->line_count--;
      break;
    case 1:
      f->lines[which][change_bytes(f, f->lines[which], strlen(f->lines[which]), LINE - 1)] = 0;
      break;
    case 2:
      add_line(f, "%s", f->lines[which]);
      break;
    default:
      add_line(f, "X-Long: %0*d", (int)draw(f, 280), 0);
      while (draw(f, 4) && f->line_count < LINES) add_line(f, "X-%llu: y", (unsigned long long)draw(f, 1000));
  }
}

/* Where a word of JSON begins, near a place that is drawn, and how long it is. */
static size_t find_word(fuzzer *f, size_t *length) {
  size_t at = draw(f, f->body_length), end;
  while (at && !strchr("{}[],:\" ", f->body[at])) at--;
  for (end = at + 1; end < f->body_length && f->body[at] == '"'; end++)
    if (f->body[end] == '"' || end > at + 200) {
      end++;
      break;
    }
  *length = end - at;
  return at;
}

static void change_json(fuzzer *f) {
  size_t length, at;
  if (!f->body_length) return;
  at = find_word(f, &length);
  switch (draw(f, 5)) {
    case 0:
      f->body_length = insert(f->body, f->body_length, BODY, at, pick(f, json_words, COUNT_OF(json_words)));
      break;
    case 1:
    case 2: /* another in its place */
      memmove(f->body + at, f->body + at + length, f->body_length - at - length);
      f->body_length -= length;
      if (draw(f, 3))
        f->body_length = insert(f->body, f->body_length, BODY, at, pick(f, json_words, COUNT_OF(json_words)));
      break;
    case 3: /* deep */
      if (draw(f, 10)) break;
      for (size_t n = draw(f, 5000); n && f->body_length < BODY - 10; n--)
        f->body_length = insert(f->body, f->body_length, BODY, at, n % 2 ? "[" : "{\"a\":");
      break;
    default: /* long */
      if (draw(f, 10)) break;
      length = draw(f, 30000);
      if (length > BODY - f->body_length) length = BODY - f->body_length;
      memmove(f->body + at + length, f->body + at, f->body_length - at);
      memset(f->body + at, "a0 \"\x80"[draw(f, 5)], length);
      f->body_length += length;
  }
}

static void change(fuzzer *f) {
  switch (draw(f, 9)) {
    case 0:
      snprintf(f->method, sizeof f->method, "%s", pick(f, methods, COUNT_OF(methods)));
      break;
    case 1:
      change_path(f);
      break;
    case 2:
      add_line(f, "%s", pick(f, header_lines, COUNT_OF(header_lines)));
      break;
    case 3:
      if (f->line_count) change_line(f);
      break;
    case 4:
      f->body_length = change_bytes(f, f->body, f->body_length, BODY);
      break;
    case 5: { /* the body of another request */
      const char *other = corpus[draw(f, CORPUS)].body;
      if (other) f->body_length = fill(f, f->body, BODY, other);
      break;
    }
    default:
      change_json(f);
  }
}

/* ---- on the wire ---------------------------------------------------------------------------- */

static void put_chunks(fuzzer *f, int broken) {
  for (size_t at = 0; at < f->body_length;) {
    size_t some = 1 + draw(f, 40);
    if (some > f->body_length - at) some = f->body_length - at;
    if (broken && draw(f, 4) == 0)
      put_text(f, "%s\r\n", pick(f, chunk_sizes, COUNT_OF(chunk_sizes)));
    else
      put_text(f, draw(f, 2) ? "%zx\r\n" : "%zX\r\n", some);
    put(f, f->body + at, some);
    put_text(f, broken && draw(f, 8) == 0 ? "\n" : "\r\n");
    at += some;
  }
  put_text(f, broken && draw(f, 3) == 0 ? "0\r\nX-Trailer: 1\r\nContent-Length: 4\r\n\r\n" : "0\r\n\r\n");
}

/* Adds the request to the text. */
static void serialise(fuzzer *f, int plainly) {
  int odd = !plainly && draw(f, 12) == 0;
  size_t from = f->length;
  put_text(f, "%s %s HTTP/1.%s\r\n", f->method, f->path, odd && draw(f, 4) == 0 ? "0" : "1");
  for (unsigned i = 0; i < f->line_count; i++) put_text(f, "%s\r\n", f->lines[i]);
  if (f->chunked) {
    put_text(f, "Transfer-Encoding: chunked\r\n%s\r\n", odd ? "Content-Length: 3\r\n" : "");
    put_chunks(f, odd);
  } else {
    long more = odd ? (long)draw(f, 30) - 15 : 0;
    if (f->body_length) put_text(f, "Content-Length: %ld\r\n", (long)f->body_length + more);
    put_text(f, "\r\n");
    put(f, f->body, f->body_length);
  }
  if (!plainly && draw(f, 6) == 0) f->length = from + change_bytes(f, f->text + from, f->length - from, TEXT - from);
}

static int open_connection(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct timeval patience = {SECONDS, 0};
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0) return fd;
  close(fd);
  return -1;
}

/* Sends the text, in pieces if it is so drawn. */
static void send_text(fuzzer *f, int fd, int in_pieces) {
  for (size_t done = 0; done < f->length;) {
    size_t some = in_pieces && f->length - done > 20 ? 1 + draw(f, f->length - done) : f->length - done;
    ssize_t out = send(fd, f->text + done, some, MSG_NOSIGNAL);
    if (out < 0) return; /* it was refused before its end */
    done += (size_t)out;
  }
}

/* Sends the text and reads until the server ends the connection, which it may do at any time.  If it waits for more, it
 * hears that no more comes.  The length of what came; -1: nothing ended for long. */
static long exchange(fuzzer *f, int in_pieces) {
  int fd = open_connection(), waited = 0;
  size_t got = 0;
  if (fd < 0) return -1;
  atomic_fetch_add(&connections, 1);
  send_text(f, fd, in_pieces);
  for (;;) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int count = poll(&ready, 1, waited ? 1000 * SECONDS : QUIET);
    if (count == 0 && !waited) {
      shutdown(fd, SHUT_WR);
      waited = 1;
      continue;
    }
    ssize_t in = count > 0 ? recv(fd, f->in + got, ANSWERS - 1 - got, 0) : -1;
    if (count <= 0) got = SIZE_MAX;
    if (in <= 0 || (got += (size_t)in) >= ANSWERS - 1) break;
  }
  close(fd);
  if (got == SIZE_MAX) return -1;
  f->in[got] = 0;
  return (long)got;
}

static void keep(char *to, size_t size, const char *in, const char *before, const char *ends) {
  const char *found = strstr(in, before);
  if (!found) return;
  found += strlen(before);
  size_t length = strcspn(found, ends);
  if (length && length < size) snprintf(to, size, "%.*s", (int)length, found);
}

static int is_bad(int status) {
  return status == 500 || status == 502 || status == 504 || status > 505; /* 505: HTTP/5.1 */
}

/* Counts the answers, and those at which the server is at fault, and keeps what later requests can use.  The last
 * status. */
static int read_answers(fuzzer *f, long length, int *bad) {
  int status = 0;
  for (char *at = f->in, *end = f->in + length; (at = memchr(at, 'H', (size_t)(end - at))); at++) {
    if (strncmp(at, "HTTP/1.", 7) != 0 || (at[7] != '1' && at[7] != '0') || at[8] != ' ') continue;
    int found = atoi(at + 9);
    if (found < 100 || found > 999 || at[12] != ' ') continue;
    status = found;
    atomic_fetch_add(&answers[status], 1);
    *bad += is_bad(status);
  }
  keep(f->etag, sizeof f->etag, f->in, "\r\nETag: ", "\r\n");
  keep(f->cookie, sizeof f->cookie, f->in, "\r\nSet-Cookie: ", ";\r\n");
  keep(f->terms, sizeof f->terms, f->in, "\"terms_etag\": \"\\\"", "\\");
  keep(f->csrf, sizeof f->csrf, f->in, "\"csrf\": \"", "\"");
  return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static size_t draw_route(fuzzer *f) {
  uint64_t left = draw(f, weights);
  size_t which = 0;
  while (left >= corpus[which].weight) left -= corpus[which++].weight;
  return which;
}

static int is_ready(fuzzer *f) {
  f->length = 0;
  put_text(f, "GET /ready HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", port);
  return exchange(f, 0) > 0 && strncmp(f->in, "HTTP/1.1 200 ", 13) == 0;
}

static void fuzz_once(fuzzer *f) {
  unsigned requests = draw(f, 2) ? 1 + (unsigned)draw(f, 8) : 1;
  unsigned long long before = atomic_fetch_add(&sent, requests);
  int bad = 0;
  f->length = 0;
  for (unsigned i = 0; i < requests; i++) {
    make(f, draw_route(f), 0);
    for (uint64_t changes = draw(f, 4); changes; changes--) change(f);
    serialise(f, 0);
  }
  if (draw(f, 16)) /* so that it ends, unless all was broken before */
    put_text(f, "GET /ready HTTP/1.1\r\nHost: localhost:%u\r\nConnection: close\r\n\r\n", port);
  long length = exchange(f, draw(f, 4) == 0);
  if (length < 0) complain("the server does not answer", f->text, f->length);
  if (length > 0) read_answers(f, length, &bad);
  if (bad) complain("an answer says that the server is at fault", f->text, f->length);
  if (before / 1000 != (before + requests) / 1000 && !is_ready(f)) complain("the server is not ready", "", 0);
}

static fuzzer *new_fuzzer(uint64_t number) {
  fuzzer *f = calloc(1, sizeof *f);
  if (!f || !(f->in = malloc(ANSWERS))) exit(1);
  f->state = seed * 1000 + number;
  f->names = number * 1000000;
  return f;
}

static void *fuzz(void *number) {
  fuzzer *f = new_fuzzer(1 + (uint64_t)(uintptr_t)number);
  while (atomic_load(&sent) < count_most && atomic_load(&wrong) < 5) fuzz_once(f);
  free(f->in);
  free(f);
  return NULL;
}

/* Sends one plain request of a manager, whose body is there. */
static void send_first(fuzzer *f, const char *path) {
  snprintf(f->path, sizeof f->path, "/api/v1/studies/%s/%s", study, path);
  snprintf(f->method, sizeof f->method, "POST");
  f->line_count = 0;
  f->length = 0;
  add_line(f, "Host: 127.0.0.1:%u", port);
  add_line(f, "Authorization: Bearer %s", tokens[0]);
  add_line(f, "Content-Type: application/json");
  add_line(f, "Connection: close");
  serialise(f, 1);
  if (exchange(f, 0) <= 0 || strncmp(f->in, "HTTP/1.1 200 ", 13) != 0) complain(f->in, f->text, f->length);
}

/* Examples that requests can name, and some to have learned from. */
static void prepare(fuzzer *f) {
  for (int i = 0; i < EXAMPLES; i++) {
    f->body_length = (size_t)snprintf(f->body, BODY, "{\"examples\": [\"e%d\"]}", i);
    send_first(f, "orders");
  }
  size_t length = (size_t)snprintf(f->body, BODY, "{\"rows\": [");
  for (int i = 0; i < 60; i++) {
    length += (size_t)snprintf(f->body + length, BODY - length, "%s{\"example\": \"past %d\", \"answers\": {",
                               i ? ", " : "", i);
    for (int j = 0; j < 8; j++)
      length += (size_t)snprintf(f->body + length, BODY - length, "\"a%d\": %d, ", j, (int)draw(f, 100) - 50);
    length += (size_t)snprintf(f->body + length, BODY - length, "\"y\": %d}}", (int)draw(f, 100));
  }
  f->body_length = length + (size_t)snprintf(f->body + length, BODY - length, "]}");
  send_first(f, "imports");
}

/* Every request of the corpus as it is, so that what is changed was worth changing. */
static void try_corpus(void) {
  fuzzer *f = new_fuzzer(0);
  prepare(f);
  for (size_t i = 0; i < CORPUS; i++) {
    int bad = 0;
    f->length = 0;
    make(f, i, 1);
    serialise(f, 1);
    long length = exchange(f, 0);
    int status = length > 0 ? read_answers(f, length, &bad) : 0;
    int good = status / 100 == 2 || (corpus[i].flags & ANY_STATUS && status >= 200 && status < 500 && status != 401);
    if (!good) complain(f->in, f->text, f->length);
    printf("%s %zu - %s %s is answered: %d\n", good ? "ok" : "not ok", i + 1, corpus[i].method, corpus[i].path, status);
  }
  free(f->in);
  free(f);
}

static int read_words(int count, char **words) {
  if (count != 6) return 0;
  port = (uint16_t)atoi(words[1]);
  study = words[2];
  FILE *file = fopen(words[3], "r");
  if (!file) return 0;
  for (int i = 0; i < 3; i++) {
    if (!fgets(tokens[i], sizeof tokens[i], file)) return 0;
    tokens[i][strcspn(tokens[i], "\n")] = 0;
  }
  fclose(file);
  count_most = strtoull(words[4], NULL, 10);
  seed = strtoull(words[5], NULL, 10);
  for (size_t i = 0; i < CORPUS; i++) weights += corpus[i].weight;
  return port && count_most && count_most <= COUNT_MOST;
}

int main(int count, char **words) {
  pthread_t threads[THREADS];
  if (!read_words(count, words)) {
    fprintf(stderr, "serve_fuzz PORT STUDY TOKENS COUNT SEED\n");
    return 2;
  }
  try_corpus();
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, fuzz, (void *)(uintptr_t)i) != 0) return 1;
  for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("# %llu requests over %llu connections, seed %llu; answers:", (unsigned long long)sent,
         (unsigned long long)connections, (unsigned long long)seed);
  for (int i = 0; i < 1000; i++)
    if (answers[i]) printf(" %d: %llu", i, (unsigned long long)answers[i]);
  printf("\n%s %d - no request stops the server or makes it answer 500\n1..%d\n", wrong ? "not ok" : "ok",
         (int)CORPUS + 1, (int)CORPUS + 1);
  return wrong > 0;
}
