/* The threads of a study: one that writes, and one that reads what takes long.
 *
 * The writer takes what waits and does all of it in one group, so that many share one sync of the disk.  Each is a
 * group of its own inside: one that fails has changed nothing.  Answers go out when the outer group is on the disk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "serve/inside.h"
#include "serve/tokens.h"

/* Gives the exchange back to the network, which may free it at once. */
static void give_back(serve_exchange *exchange) {
  scant_server *server = exchange->server;
  MHD_resume_connection(exchange->connection);
  atomic_fetch_sub(&server->busy, 1);
}

static void refuse_stopping(serve_exchange *exchange) {
  serve_answer_problem(&exchange->answer, 503, "stopping", "the server is stopping", NULL);
}

/* ---- the writer ---- */

static int writes(const serve_exchange *exchange) {
  return (exchange->route->flags & SERVE_WRITES) != 0;
}

/* Within the group at hand.  What fails is taken back. */
static void act_in_group(serve_exchange *exchange, scant_study *study) {
  scant_error error = {{0}};
  scant_status status = scant_study_begin(study, &error);
  if (status != SCANT_OK) {
    serve_answer_failure(&exchange->answer, NULL, status, &error);
    return;
  }
  status = serve_act(exchange, study, &error);
  if (status == SCANT_OK) {
    status = scant_study_commit(study, &error);
    if (status != SCANT_OK) serve_answer_failure(&exchange->answer, NULL, status, &error);
  } else {
    scant_study_take_back(study);
  }
}

/* What can't be part of a group.  Its answer is remembered behind it. */
static void act_alone(serve_exchange *exchange, scant_study *study) {
  scant_error error = {{0}};
  serve_act(exchange, study, &error);
}

/* The exchanges from `first` to the one before `end` are a group.  It ends: all of it is on the disk, or none. */
static void end_group(serve_study *study, serve_exchange *first, const serve_exchange *end) {
  scant_error error = {{0}};
  scant_status status = scant_study_commit(study->writes, &error);
  atomic_fetch_add(&study->server->metrics.groups, 1);
  if (status == SCANT_OK) return;
  for (serve_exchange *e = first; e != end; e = e->next) serve_answer_failure(&e->answer, NULL, status, &error);
}

static void act_all(serve_study *study, serve_exchange *list) {
  serve_exchange *first = list; /* of the group */
  int is_open = 0;
  for (serve_exchange *e = list; e; e = e->next) {
    scant_error error = {{0}};
    scant_status status = SCANT_OK;
    if (atomic_load(&study->server->stopping)) {
      refuse_stopping(e);
      continue;
    }
    if (e->route->flags & SERVE_ALONE) {
      if (is_open) end_group(study, first, e);
      is_open = 0;
      act_alone(e, study->writes);
      first = e->next;
      continue;
    }
    if (!writes(e)) {
      serve_act(e, study->writes, &error);
      continue;
    }
    if (!is_open) {
      status = scant_study_begin(study->writes, &error);
      is_open = status == SCANT_OK;
      if (is_open) first = e;
    }
    if (is_open)
      act_in_group(e, study->writes);
    else
      serve_answer_failure(&e->answer, NULL, status, &error);
  }
  if (is_open) end_group(study, first, NULL);
}

/* Once in a while: answers are remembered for a month, and what was erased is swept when nobody reads. */
static void tidy(serve_study *study, const scant_study_status *status, double now) {
  scant_error error;
  if (status->unswept) scant_study_sweep(study->writes, &error);
  if (now < study->tidied + 3600) return;
  char before[SERVE_TIME];
  serve_format_time(before, time(NULL) - (time_t)31 * 86400);
  scant_study_forget_requests(study->writes, before, NULL, &error);
  study->tidied = now;
}

static void look_again(serve_study *study, int is_idle) {
  scant_study_status status;
  scant_error error;
  if (scant_study_get_totals(study->writes, &status, &error) != SCANT_OK) return;
  atomic_store(&study->open, status.open);
  if (is_idle) tidy(study, &status, serve_now());
}

static void *write_all(void *user) {
  serve_study *study = user;
  look_again(study, 1);
  for (int is_closed = 0; !is_closed;) {
    serve_exchange *list = serve_queue_take(&study->writing, SERVE_BATCH, 5, &is_closed);
    int has_written = 0;
    if (list) is_closed = 0; /* more may wait */
    act_all(study, list);
    for (serve_exchange *e = list, *next; e; e = next) {
      next = e->next;
      has_written |= writes(e);
      give_back(e);
    }
    if (has_written || !list) look_again(study, !list);
  }
  return NULL;
}

/* ---- the reader ---- */

static int is_kept(const serve_exchange *exchange) {
  return !(exchange->route->flags & SERVE_KEEP_NOTHING) && !strcmp(exchange->request.method, "GET");
}

static uint64_t events_of(scant_study *study) {
  scant_study_status status;
  scant_error error;
  return scant_study_get_totals(study, &status, &error) == SCANT_OK ? status.events : 0;
}

static void read_one(serve_study *study, serve_exchange *exchange) {
  scant_error error = {{0}};
  if (atomic_load(&study->server->stopping)) {
    refuse_stopping(exchange);
    return;
  }
  uint64_t events = is_kept(exchange) ? events_of(study->reads) : 0;
  if (events && serve_kept_find(&study->kept, exchange, events)) return;
  scant_status status = serve_act(exchange, study->reads, &error);
  /* What was cut short is no answer. */
  if (status == SCANT_OK && atomic_load(&study->server->stopping)) refuse_stopping(exchange);
  if (status == SCANT_OK && events && events == events_of(study->reads)) serve_kept_put(&study->kept, exchange, events);
}

static void *read_all(void *user) {
  serve_study *study = user;
  for (int is_closed = 0; !is_closed;) {
    serve_exchange *exchange = serve_queue_take(&study->reading, 1, 3600, &is_closed);
    if (!exchange) continue;
    is_closed = 0;
    read_one(study, exchange);
    give_back(exchange);
  }
  return NULL;
}

/* ---- handing over ---- */

static int is_slow(const serve_exchange *exchange) {
  if (exchange->route->flags & SERVE_SLOW) return 1;
  if (!(exchange->route->flags & SERVE_SLOW_RISK)) return 0;
  for (size_t i = 0; i < exchange->request.query_count; i++)
    if (!strcmp(exchange->values[i].name, "risk") && !strcmp(exchange->values[i].value, "no")) return 0;
  return 1;
}

void serve_exchange_work(serve_exchange *exchange) {
  if (exchange->own) {
    exchange->own(exchange);
    return;
  }
  /* First it is counted, then the server is seen to go on: see serve_network_stop. */
  atomic_fetch_add(&exchange->server->busy, 1);
  if (atomic_load(&exchange->server->stopping)) {
    atomic_fetch_sub(&exchange->server->busy, 1);
    refuse_stopping(exchange);
    return;
  }
  exchange->is_suspended = 1;
  MHD_suspend_connection(exchange->connection);
  serve_queue_put(is_slow(exchange) ? &exchange->study->reading : &exchange->study->writing, exchange);
}

scant_status serve_workers_start(serve_study *study, scant_error *error) {
  study->has_writer = pthread_create(&study->writer, NULL, write_all, study) == 0;
  study->has_reader = pthread_create(&study->reader, NULL, read_all, study) == 0;
  return study->has_writer && study->has_reader ? SCANT_OK : scant_fail(error, SCANT_MEMORY, "no thread can be made");
}

void serve_workers_stop(serve_study *study) {
  serve_queue_close(&study->writing);
  serve_queue_close(&study->reading);
  if (study->has_writer) pthread_join(study->writer, NULL);
  if (study->has_reader) pthread_join(study->reader, NULL);
  study->has_writer = study->has_reader = 0;
}
