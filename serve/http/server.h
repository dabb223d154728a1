/* What the parts of the server share.
 *
 * Three kinds of threads: one that talks to the network (that of libmicrohttpd, with epoll), which never waits for a
 * study; a writer and two readers per study; and a watchdog.  A request is an exchange.  The thread of the network
 * makes it, reads head and body, and answers at once what it can.  Else it suspends the connection and puts the
 * exchange into the queue of a worker.  The worker fills in the answer and resumes the connection, and the thread of
 * the network sends it.
 */
#ifndef SCANT_SERVE_INSIDE_H
#define SCANT_SERVE_INSIDE_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "http/decode.h"
#include "actions/action.h"

enum {
  SERVE_BODY_MOST = 1 << 20,     /* bytes of a body */
  SERVE_BODY_OWN = 4096,         /* of a body that the network thread reads itself: sign-ins */
  SERVE_BODY_DISCARD = 16 << 20, /* a larger body is not even read to its end */
  SERVE_BODIES_MOST = 128 << 20, /* bytes of all bodies at once */
  SERVE_HEAD_MOST = 32 << 10,    /* bytes of a head */
  SERVE_CONNECTIONS = 1000,
  SERVE_IDLE = 30, /* seconds that a connection may be idle */
  SERVE_BATCH = 256,
  SERVE_STUDIES = 64,
  SERVE_NAME = 204,
  SERVE_ADDRESS = 64
};

typedef struct serve_exchange serve_exchange;
typedef struct serve_file serve_file;
typedef struct serve_metrics serve_metrics;

/* ---- answers: answer.c -------------------------------------------------------- */

typedef struct serve_answer {
  int status; /* 0: there is none yet */
  char *text; /* for free; NULL: no body */
  size_t length;
  const char *type;
  /* In place of text: bytes that live as long as the program. */
  const void *fixed;
  char etag[72];
  char file_name[256];
  char allow[64];     /* of 405 */
  char location[128]; /* of 308 */
  char cookie[320];   /* Set-Cookie */
  int retry_after;    /* seconds; 0: none */
  int replayed;       /* an answer that was remembered */
  int is_storage;     /* a problem with what is under the study: disk, file, memory */
  int may_be_kept;    /* Cache-Control: no-cache, in place of no-store */
  int closes;         /* the connection is closed behind it */
} serve_answer;

void serve_answer_free(serve_answer *answer);
/* A problem in place of what the answer was; returns 0, as what checks a head does then. */
__attribute__((format(printf, 4, 5))) int serve_turn_away(serve_exchange *exchange, int status, const char *code,
                                                          const char *format, ...);
/* The same of a failure of the library, which the call may have said more of. */
void serve_answer_failure(serve_answer *answer, const serve_call *call, scant_status status, const scant_error *error);
/* Of a call that succeeded: takes what it wrote.  SCANT_MEMORY: there was no room for it. */
scant_status serve_answer_take(serve_answer *answer, serve_call *call, scant_error *error);
/* Sends it. */
enum MHD_Result serve_answer_send(serve_exchange *exchange);

/* ---- the sender of a request: access.c --------------------------------------------- */

typedef struct serve_who {
  int is_known;
  char name[SERVE_NAME];
  scant_role role;
  uint64_t opens; /* bit i: study number i */
  int by_cookie;  /* a page sent it */
  char csrf[48];  /* of the session */
} serve_who;

scant_status serve_access_open(scant_server *server, const char *tokens, scant_error *error);
void serve_access_close(scant_server *server);
/* Who it is, and whether that is enough; else there is an answer, and it returns 0.  needs_person 0: anybody is. */
int serve_access_check(serve_exchange *exchange, int needs_person, scant_role role);
/* Begins a session for a token, or for the code of a link; else there is an answer, and it returns 0. */
int serve_access_sign_in(serve_exchange *exchange, const char *token, const char *code);
void serve_access_sign_out(serve_exchange *exchange);

/* ---- time: server.c ---------------------------------------------------------------- */

/* Seconds of the monotonic clock, or of the tests' clock (SCANT_TEST_CLOCK). */
double serve_now(const scant_server *server);

/* ---- exchanges ----------------------------------------------------------------- */

typedef struct serve_connection serve_connection;
typedef struct serve_study serve_study;

struct serve_exchange {
  scant_server *server;
  struct MHD_Connection *connection;
  serve_connection *line; /* its place with the watchdog */
  serve_exchange *next;   /* in a queue */
  uint64_t number;        /* X-Request-Id */

  char method[24];
  char *target; /* as it came */
  char *room;   /* decoded parts of the path */
  serve_path path;
  serve_value *values;
  serve_request request;
  char *headers[3]; /* copies of those of the request */
  char *body;
  size_t body_length, body_room;
  char *made; /* a form as JSON */
  int is_form;

  const serve_route *route; /* NULL: one of ours */
  void (*own)(serve_exchange *exchange);
  const serve_file *file;
  serve_study *study;
  serve_who who;
  char address[SERVE_ADDRESS];
  const char *forwarded; /* the last X-Forwarded-For */
  double begun;

  int needs_person; /* of ours: somebody who is signed in */
  int has_head, has_all, is_discarding, is_early, is_suspended, is_head_only;
  serve_answer answer;
  serve_call call;
};

/* ---- exchanges that wait for a worker: workers.c ------------------------------------ */

typedef struct serve_queue {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  serve_exchange *first, **last;
  int is_closed;
} serve_queue;

void serve_queue_init(serve_queue *queue);
void serve_queue_free(serve_queue *queue);
/* Up to `most` of those that wait, in their order, as a list.  NULL: none came in so many seconds, or the queue is
 * closed and empty, which *is_closed says. */
serve_exchange *serve_queue_take(serve_queue *queue, size_t most, double seconds, int *is_closed);
/* No more will come. */
void serve_queue_close(serve_queue *queue);

/* ---- the last answers of a reader, which hold until there is an event: workers.c ------ */

typedef struct serve_cached_answer {
  char *target; /* NULL: none */
  uint64_t events;
  scant_role role;
  serve_answer answer;
} serve_cached_answer;

enum { SERVE_CACHED = 16 };
typedef struct serve_answer_cache {
  serve_cached_answer items[SERVE_CACHED];
  size_t next;
} serve_answer_cache;

void serve_cache_free(serve_answer_cache *cache);

/* ---- threads that read: workers.c --------------------------------------------------- */

/* One for what takes a moment, and one for what may take minutes. */
enum { SERVE_READER, SERVE_READER_LONG, SERVE_READERS };

typedef struct serve_reader {
  serve_study *study;
  serve_queue queue;
  pthread_t thread;
  int has_thread;
  /* Of its thread: */
  scant_study *handle;
  serve_answer_cache cache;
} serve_reader;

scant_status serve_reader_open(serve_reader *reader, const scant_settings *settings, scant_error *error);

/* ---- whether a study can be written: served_study.c --------------------------------- */

typedef struct serve_trouble {
  atomic_int is_bad; /* it can't */
  /* Of the writer: */
  double try_at;
  unsigned tries;
} serve_trouble;

/* Can it not be written? */
int serve_trouble_is(serve_study *study);
/* Of the writer: looks at an answer that it gives. */
void serve_trouble_see(serve_study *study, const serve_exchange *exchange);
/* Of the writer: if it could not be written, tries every few seconds whether it can. */
void serve_trouble_try(serve_study *study);

/* ---- studies: served_study.c, workers.c, act.c ----------------------------- */

struct serve_study {
  scant_server *server;
  char *path, *name;
  size_t number;
  char *target;
  serve_queue writing;
  pthread_t writer;
  int has_writer;
  atomic_ullong open; /* orders, by the last look */
  /* Of the writer: */
  scant_study *writes;
  double tidy_at;  /* when answers that are too old are to be forgotten */
  double sweep_at; /* when what was erased is to be swept, if it is not */
  int is_unswept;
  atomic_int reading; /* readers at work: they are in the way of a sweep */
  serve_trouble trouble;
  serve_reader readers[SERVE_READERS];
};

scant_status serve_study_init(serve_study *study, scant_server *server, const char *path, scant_error *error);
scant_status serve_study_open(serve_study *study, scant_error *error);
void serve_study_free(serve_study *study);
/* Where it is, without the host: /api/v1/studies/clinic. */
void serve_study_url(const serve_study *study, char *url, size_t size);

scant_status serve_workers_start(serve_study *study, scant_error *error);
/* What is in the queues is refused or done; then the threads end. */
void serve_workers_stop(serve_study *study);

/* Gives an exchange back to the network, which may free it at once. */
void serve_give_back(serve_exchange *exchange);
/* The server is stopping: so says the answer. */
void serve_refuse_stopping(serve_exchange *exchange);

/* Does what an exchange asks for, with everything around it; then its answer is there.  A status other than SCANT_OK:
 * what it did is to be taken back. */
scant_status serve_act(serve_exchange *exchange, scant_study *study, scant_error *error);

void serve_call_free(serve_call *call);
int serve_has_word(const char *list, const char *word, size_t length);

/* ---- answers without a study: server_answers.c ------------------------------------ */

/* Answers of the server itself, without a study: server_answers.c. */
typedef void serve_own(serve_exchange *exchange);
serve_own serve_own_ready, serve_own_session, serve_own_sign_in, serve_own_sign_out, serve_own_studies,
    serve_own_description, serve_own_metrics, serve_own_page;

/* A file that is part of the program. */
struct serve_file {
  const char *name; /* words/en.js */
  const char *type;
  const char *etag;
  const unsigned char *bytes;
  size_t length;
};
extern const serve_file serve_files[]; /* made by tools/embed; ended by one without a name */
/* NULL: there is none. */
const serve_file *serve_file_find(const char *name);

/* ---- what is counted: server_answers.c ---------------------------------------------------- */

enum { SERVE_BUCKETS = 10 };
struct serve_metrics {
  atomic_ullong answers[6]; /* by the first digit of their status */
  atomic_ullong buckets[SERVE_BUCKETS + 1], microseconds;
  atomic_ullong failures; /* of signing in */
  atomic_ullong writes, replays, groups;
  atomic_ullong cut; /* connections that were too slow */
  atomic_int connections;
};
void serve_metrics_count(serve_metrics *metrics, int status, double seconds);

/* ---- the network: network.c, head.c -------------------------------------------------- */

/* The watchdog cuts connections that are too slow. */
scant_status serve_watch_start(scant_server *server, scant_error *error);
void serve_watch_stop(scant_server *server);
scant_status serve_network_start(scant_server *server, scant_error *error);
void serve_network_stop(scant_server *server, double seconds);
/* Looks at everything that comes before the body; an answer is there if it is refused. */
void serve_head_read(serve_exchange *exchange, const char *method);
/* Checks the sender again, since the body may have taken long.  0: there is an answer. */
int serve_head_again(serve_exchange *exchange);
/* The longest body that it may have. */
size_t serve_body_most(const serve_exchange *exchange);
/* Parses the body, which is then request.body. */
scant_status serve_body_read(serve_exchange *exchange, scant_error *error);
/* The body is there: answers, or gives it to a worker. */
void serve_exchange_work(serve_exchange *exchange);

/* ---- the server ------------------------------------------------------------------ */

struct scant_server {
  char *base;          /* "" or "/scant" */
  char *url;           /* with a / behind it */
  char *socket_path;   /* NULL: none */
  char authority[128]; /* ADDRESS:PORT */
  int port;
  int behind_proxy;
  double patience;
  const volatile double *clock; /* the tests' clock, or NULL */
  char **hosts;
  size_t host_count;
  char *person;
  void (*note)(void *user, const char *sentence);
  void *user;
  const scant_settings *settings;
  serve_study *studies;
  size_t study_count;
  int listener; /* -1: none */
  struct MHD_Daemon *daemon;
  atomic_int draining, stopping;
  atomic_int active; /* exchanges that are begun and not ended */
  atomic_int busy;   /* exchanges that are with a worker */
  atomic_size_t body_bytes;
  atomic_ullong requests; /* numbers them */
  struct serve_access *access;
  struct serve_watch *watch;
  char cookie_name[40];
  serve_metrics metrics;
};

#endif
