/* Many clients of `scant serve` at once, for lab/bench/serve and the tests: each asks for examples of its own and tells
 * their values; some are cancelled and opened again in between, some corrected.  Each fifth request is sent twice, by
 * turns at the same time and after its answer, over another connection; each tenth is cut before its answer, by turns
 * in its midst and at its end, and sent again.  What the server has acknowledged goes to a journal, line by line:
 *
 *   ack ask EXAMPLE ORDER NAME...       ack tell EXAMPLE NAME=VALUE...      ack correct EXAMPLE NAME=VALUE...
 *   ack cancel EXAMPLE                  ack reopen EXAMPLE                  unsure ...: sent, and never answered
 *
 *   serve_load --at 127.0.0.1:8765 --study NAME --tokens FILE [--journal FILE] [--clients N] [--seconds S]
 *              [--requests N] [--readings N] [--prefix TEXT] [--base PATH] [--pid PID --every N]
 *
 * FILE of --tokens has a token per line.  Ends after the seconds or the requests, or when it is told to by SIGTERM;
 * what is begun is brought to an end.  Prints one JSON object; exit 1: something was wrong, and standard error says
 * what.  It talks to this machine alone. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "serve_load.h"

enum { CLIENTS_MOST = 400, SECONDS_MOST = 36000, REQUESTS_MOST = 20000000, TIMES_MOST = 4000000, SAMPLES_MOST = 1000 };
static const double patience = 600; /* seconds, for an answer with all repetitions, and for what is begun at the end */

typedef enum { NOT_CUT, CUT_MIDST, CUT_END } cutting;

typedef struct {
  story story;
  request request;
  wire wires[2];
  int pending[2];  /* a copy of the request is under way, or waits to be sent again */
  double wake[2];  /* when to send it again, or to cut it; 0: never */
  int later;       /* a second copy goes out after the first answer */
  cutting cut;     /* of the first copy */
  int busy, taken; /* with a request; it has an answer */
  int repeated;
  double began;
  uint64_t number, digest; /* of the request; of the first answer */
  unsigned fresh;          /* answers that do not say that they were replayed */
} client;

static struct { uint64_t begun, answers, steps, doubled, replayed, cut, lost, busy, wrong; } counts;
static stage on_stage = {.study = "load", .base = "", .prefix = "x"};
static client *clients;
static unsigned client_count = 200;
static double seconds = 60;
static uint64_t requests_most = REQUESTS_MOST, every;
static int poll_fd;
static long pid;
static float *times; /* of requests that were answered at once; those that write, and from the end on the others */
static size_t write_times, read_times;
static long samples[SAMPLES_MOST];
static size_t sample_count;
static volatile sig_atomic_t told_to_stop;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

_Noreturn static void fail(const char *what, const char *of) {
  fprintf(stderr, "serve_load: %s%s%s\n", what, of ? ": " : "", of ? of : "");
  exit(1);
}

static void complain(const client *c, const char *what, const answer *a) {
  if (counts.wrong++ >= 10) return; /* the first ones say enough */
  fprintf(stderr, "serve_load: %s\n  asked: %.600s\n", what, c->request.text);
  if (a) fprintf(stderr, "  answered: %d %.600s\n", a->status, a->body);
}

/* ---- one client ---------------------------------------------------------------------- */

static void settle(client *c, int which, wire_state state, const answer *a);

/* Sends what is left, and reads what has come. */
static void serve_wire(client *c, int which) {
  wire *w = &c->wires[which];
  answer a;
  if (w->fd < 0) return;
  wire_state state = wire_send(w);
  if (state == WIRE_LOST) {
    settle(c, which, state, NULL);
    return;
  }
  if (which == 0 && c->cut) return; /* its answer is not read */
  state = wire_receive(w, &a);
  if (state == WIRE_WAITS) return;
  if (c->pending[which] && !c->wake[which])
    settle(c, which, state, &a);
  else
    wire_close(w, 0); /* the server has ended a connection that nobody uses */
}

static void post(client *c, int which, double at) {
  wire *w = &c->wires[which];
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET | EPOLLRDHUP};
  event.data.u32 = (uint32_t)((size_t)(c - clients) * 2 + (size_t)which);
  c->pending[which] = 1;
  c->wake[which] = 0;
  if (w->fd < 0) {
    if (!wire_open(w, &on_stage.where)) {
      c->repeated = 1;
      c->wake[which] = at + 0.01;
      return;
    }
    if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, w->fd, &event) != 0) fail("epoll_ctl", strerror(errno));
  }
  w->out = c->request.text;
  w->out_left = c->request.length;
  if (which == 0 && c->cut) {
    if (c->cut == CUT_MIDST) w->out_left = c->request.middle;
    c->wake[0] = at + 1e-3 * (double)(c->number / 20 % 5);
  }
  serve_wire(c, which);
}

static void begin(client *c, double at) {
  story_make(&c->story, &c->request);
  c->number = ++counts.begun;
  c->busy = 1;
  c->taken = c->repeated = 0;
  c->fresh = 0;
  c->began = at;
  int twice = c->number % 5 == 0, together = twice && c->number % 10 == 0;
  c->later = twice && !together;
  c->cut = c->number % 10 != 7 ? NOT_CUT : c->number % 20 == 7 ? CUT_MIDST : CUT_END;
  counts.doubled += (uint64_t)twice;
  post(c, 0, at);
  if (together) post(c, 1, at);
}

static void note_time(const client *c, double at) {
  if (c->repeated || write_times + read_times >= TIMES_MOST) return;
  float took = (float)(at - c->began);
  if (c->request.writes)
    times[write_times++] = took;
  else
    times[TIMES_MOST - ++read_times] = took;
}

static uint64_t digest_of(const answer *a) {
  uint64_t digest = 0xcbf29ce484222325u ^ (uint64_t)a->status;
  for (size_t i = 0; i < a->length; i++) digest = (digest ^ (unsigned char)a->body[i]) * 0x100000001b3u;
  for (const char *t = a->etag; *t; t++) digest = (digest ^ (unsigned char)*t) * 0x100000001b3u;
  return digest;
}

/* What a request that writes is answered is the same every time, and only one of the answers is of its doing. */
static void take(client *c, const answer *a, double at) {
  const char *wrong = NULL;
  if (!c->taken) {
    note_time(c, at);
    c->digest = digest_of(a);
    c->taken = 1;
    wrong = story_take(&c->story, &c->request, a);
    counts.steps += c->request.writes && !wrong;
  } else if (c->request.writes && digest_of(a) != c->digest) {
    wrong = "the second answer to the same key differs from the first";
  }
  c->fresh += !a->replayed;
  counts.replayed += (uint64_t)a->replayed;
  if (!wrong && c->request.writes && c->fresh > 1) wrong = "a request was done twice";
  if (wrong) complain(c, wrong, a);
}

static void sample_memory(void) {
  char path[64], line[200];
  snprintf(path, sizeof path, "/proc/%ld/status", pid);
  FILE *file = fopen(path, "r");
  if (!file || sample_count >= SAMPLES_MOST) fail("the memory of the server can't be read", path);
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmRSS: %ld", &samples[sample_count]) == 1) sample_count++;
  fclose(file);
}

static void settle(client *c, int which, wire_state state, const answer *a) {
  double at = now();
  if (state == WIRE_LOST) {
    wire_close(&c->wires[which], 0);
    if (which == 0 && c->cut) return; /* it is about to be cut anyway */
    counts.lost++;
    c->repeated = 1;
    c->wake[which] = at + 0.01;
    return;
  }
  if (a->closes) wire_close(&c->wires[which], 0);
  counts.answers++;
  if (every && counts.answers % every == 0) sample_memory();
  if (a->status == 503) {
    counts.busy++;
    c->repeated = 1;
    c->wake[which] = at + 0.05;
    return;
  }
  c->pending[which] = 0;
  take(c, a, at);
  if (c->later) {
    c->later = 0;
    post(c, 1, at);
  }
}

/* Cuts, repeats, begins the next request.  A request without an answer for too long is the server's fault. */
static void drive(client *c, double at, int stops) {
  for (int i = 0; i < 2; i++) {
    if (!c->wake[i] || at < c->wake[i]) continue;
    if (i == 0 && c->cut) {
      wire_close(&c->wires[0], c->number % 40 > 20);
      c->cut = NOT_CUT;
      c->repeated = 1;
      counts.cut++;
    }
    post(c, i, at);
  }
  if (c->busy && at - c->began > patience) {
    complain(c, "no answer came", NULL);
    told_to_stop = 1;
    c->busy = c->pending[0] = c->pending[1] = 0;
  }
  if (c->busy && !c->pending[0] && !c->pending[1]) c->busy = 0;
  if (!c->busy && !stops) begin(c, at);
}

/* ---- all of them ----------------------------------------------------------------------- */

static double run(void) {
  struct epoll_event events[256];
  double start = now(), at = start, stopped = 0;
  for (;;) {
    unsigned busy = 0;
    int waits = 0;
    if (!stopped && (told_to_stop || at - start >= seconds || counts.answers >= requests_most)) stopped = at;
    for (unsigned i = 0; i < client_count; i++) {
      drive(&clients[i], at, stopped > 0);
      busy += (unsigned)clients[i].busy;
      waits |= clients[i].wake[0] || clients[i].wake[1];
    }
    if (stopped && (!busy || at - stopped > patience)) break;
    int ready = epoll_wait(poll_fd, events, 256, waits ? 1 : 100);
    if (ready < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
    for (int i = 0; i < ready; i++) serve_wire(&clients[events[i].data.u32 / 2], (int)(events[i].data.u32 % 2));
    at = now();
  }
  for (unsigned i = 0; i < client_count; i++)
    if (clients[i].busy && !clients[i].taken) story_leave(&clients[i].story, &clients[i].request);
  return stopped - start;
}

static int compare(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static void print_times(const char *name, float *from, size_t count) {
  qsort(from, count, sizeof *from, compare);
  printf(", \"%s_p50\": %.3f, \"%s_p99\": %.3f, \"%s_most\": %.3f", name, count ? 1e3 * (double)from[count / 2] : 0,
         name, count ? 1e3 * (double)from[(size_t)(0.99 * (double)(count - 1))] : 0, name,
         count ? 1e3 * (double)from[count - 1] : 0);
}

static void print(double took) {
  printf(
      "{\"clients\": %u, \"seconds\": %.2f, \"requests\": %llu, \"writes\": %llu, \"requests_per_second\": %.0f, "
      "\"writes_per_second\": %.0f",
      client_count, took, (unsigned long long)counts.answers, (unsigned long long)counts.steps,
      (double)counts.answers / took, (double)counts.steps / took);
  print_times("write", times, write_times);
  print_times("read", times + TIMES_MOST - read_times, read_times);
  printf(
      ", \"doubled\": %llu, \"replayed\": %llu, \"cut\": %llu, \"lost\": %llu, "
      "\"busy\": %llu, \"wrong\": %llu, \"resident\": [",
      (unsigned long long)counts.doubled, (unsigned long long)counts.replayed, (unsigned long long)counts.cut,
      (unsigned long long)counts.lost, (unsigned long long)counts.busy, (unsigned long long)counts.wrong);
  for (size_t i = 0; i < sample_count; i++) printf("%s%ld", i ? ", " : "", samples[i]);
  printf("]}\n");
}

/* ---- the command line -------------------------------------------------------------------- */

static void read_tokens(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail("the file of tokens can't be read", path);
  while (on_stage.token_count < TOKENS_MOST && fgets(on_stage.tokens[on_stage.token_count], 80, file)) {
    char *token = on_stage.tokens[on_stage.token_count];
    token[strcspn(token, "\r\n")] = 0;
    if (*token) on_stage.token_count++;
  }
  fclose(file);
}

static uint64_t number(const char *text, uint64_t most) {
  char *end;
  unsigned long long n = strtoull(text, &end, 10);
  if (!*text || *end || !n || n > most) fail("a number is not in its range", text);
  return n;
}

static void read_words(int count, char **words) {
  enum { AT, NAME, TOKENS, JOURNAL, CLIENTS, SECONDS, REQUESTS, PREFIX, READINGS, BASE, PID, EVERY, OPTIONS };
  static const struct option options[OPTIONS + 1] = {
      {"at", 1, NULL, 0},       {"study", 1, NULL, 0},   {"tokens", 1, NULL, 0},   {"journal", 1, NULL, 0},
      {"clients", 1, NULL, 0},  {"seconds", 1, NULL, 0}, {"requests", 1, NULL, 0}, {"prefix", 1, NULL, 0},
      {"readings", 1, NULL, 0}, {"base", 1, NULL, 0},    {"pid", 1, NULL, 0},      {"every", 1, NULL, 0},
      {NULL, 0, NULL, 0}}; /* in the order of the enum */
  const char *given[OPTIONS] = {0}, *wrong;
  int option, which;
  while ((option = getopt_long(count, words, "", options, &which)) != -1) {
    if (option) exit(2);
    given[which] = optarg;
  }
  if (given[NAME]) on_stage.study = given[NAME];
  if (given[PREFIX]) on_stage.prefix = given[PREFIX];
  if (given[BASE]) on_stage.base = given[BASE];
  if (given[TOKENS]) read_tokens(given[TOKENS]);
  if (given[CLIENTS]) client_count = (unsigned)number(given[CLIENTS], CLIENTS_MOST);
  if (given[SECONDS]) seconds = (double)number(given[SECONDS], SECONDS_MOST);
  if (given[REQUESTS]) requests_most = number(given[REQUESTS], REQUESTS_MOST);
  if (given[READINGS]) on_stage.readings = (unsigned)number(given[READINGS], 10000);
  if (given[PID]) pid = (long)number(given[PID], 1u << 30);
  if (given[EVERY]) every = number(given[EVERY], REQUESTS_MOST);
  if (!given[AT] || !on_stage.token_count || optind != count || !pid != !every)
    fail("see the top of lab/bench/serve.c", NULL);
  if ((wrong = place_read(&on_stage.where, given[AT]))) fail(wrong, given[AT]);
  if (!given[JOURNAL]) return;
  if (!(on_stage.journal = fopen(given[JOURNAL], "w"))) fail("the journal can't be written", given[JOURNAL]);
  setvbuf(on_stage.journal, NULL, _IOLBF, 0); /* tests watch it grow */
}

static void stop(int signal) {
  (void)signal;
  told_to_stop = 1;
}

int main(int count, char **words) {
  struct sigaction action = {.sa_handler = stop};
  read_words(count, words);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  clients = calloc(client_count, sizeof *clients);
  times = malloc(TIMES_MOST * sizeof *times);
  poll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (!clients || !times || poll_fd < 0) fail("out of memory", NULL);
  for (unsigned i = 0; i < client_count; i++) {
    story_begin(&clients[i].story, &on_stage, i);
    for (int w = 0; w < 2; w++) wire_begin(&clients[i].wires[w]);
  }
  double took = run();
  if (on_stage.journal && fclose(on_stage.journal) != 0) fail("the journal can't be written", NULL);
  print(took);
  for (unsigned i = 0; i < client_count; i++)
    for (int w = 0; w < 2; w++) wire_free(&clients[i].wires[w]);
  close(poll_fd);
  free(clients);
  free(times);
  return counts.wrong > 0;
}
