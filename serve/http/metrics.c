/* What is counted, and how Prometheus reads it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "http/server.h"

static const double limits[SERVE_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 10};

void serve_metrics_count(serve_metrics *metrics, int status, double seconds) {
  size_t bucket = 0;
  while (bucket < SERVE_BUCKETS && seconds > limits[bucket]) bucket++;
  atomic_fetch_add(&metrics->buckets[bucket], 1);
  atomic_fetch_add(&metrics->microseconds, (unsigned long long)(1e6 * seconds));
  if (status >= 100 && status < 600) atomic_fetch_add(&metrics->answers[status / 100], 1);
}

/* A text that grows up to its room. */
typedef struct {
  char *text;
  size_t length, room;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out->text + out->length, out->room - out->length, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < out->room - out->length) out->length += (size_t)length;
}

static void put_one(page *out, const char *name, const char *kind, const char *help, unsigned long long value) {
  put(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, kind, name, value);
}

static void put_answers(page *out, const serve_metrics *m) {
  put(out, "# HELP scant_answers_total Answers by the class of their status.\n# TYPE scant_answers_total counter\n");
  for (int i = 2; i < 6; i++)
    put(out, "scant_answers_total{status=\"%dxx\"} %llu\n", i, (unsigned long long)atomic_load(&m->answers[i]));
  put(out, "# HELP scant_answer_seconds From the head of a request to its answer.\n");
  put(out, "# TYPE scant_answer_seconds histogram\n");
  unsigned long long sum = 0;
  for (size_t i = 0; i < SERVE_BUCKETS; i++) {
    sum += atomic_load(&m->buckets[i]);
    put(out, "scant_answer_seconds_bucket{le=\"%g\"} %llu\n", limits[i], sum);
  }
  sum += atomic_load(&m->buckets[SERVE_BUCKETS]);
  put(out, "scant_answer_seconds_bucket{le=\"+Inf\"} %llu\n", sum);
  unsigned long long time = atomic_load(&m->microseconds);
  put(out, "scant_answer_seconds_sum %llu.%06llu\nscant_answer_seconds_count %llu\n", time / 1000000, time % 1000000,
      sum);
}

/* A name as the value of a label. */
static void put_label(page *out, const char *name) {
  for (const char *c = name; *c; c++) put(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
}

static void put_studies(page *out, const serve_exchange *exchange) {
  const scant_server *server = exchange->server;
  put(out, "# HELP scant_open_orders Orders of which something is still to come.\n# TYPE scant_open_orders gauge\n");
  for (size_t i = 0; i < server->study_count; i++) {
    if (!(exchange->who.opens >> i & 1)) continue;
    put(out, "scant_open_orders{study=\"");
    put_label(out, server->studies[i].name);
    put(out, "\"} %llu\n", (unsigned long long)atomic_load(&server->studies[i].open));
  }
}

void serve_own_metrics(serve_exchange *exchange) {
  scant_server *server = exchange->server;
  const serve_metrics *m = &server->metrics;
  page out = {.room = 8192 + 600 * server->study_count};
  out.text = malloc(out.room);
  if (!out.text) {
    serve_answer_problem(&exchange->answer, 503, "storage", "out of memory", NULL);
    return;
  }
  put_answers(&out, m);
  put_one(&out, "scant_sign_in_failures_total", "counter", "Tokens and links that opened nothing.",
          atomic_load(&m->failures));
  put_one(&out, "scant_writes_total", "counter", "Requests that wrote to a study.", atomic_load(&m->writes));
  put_one(&out, "scant_replays_total", "counter", "Requests that were answered from what was remembered.",
          atomic_load(&m->replays));
  put_one(&out, "scant_groups_total", "counter", "Transactions that writes were put into.", atomic_load(&m->groups));
  put_one(&out, "scant_cut_total", "counter", "Connections that were closed since they were too slow.",
          atomic_load(&m->cut));
  put_one(&out, "scant_connections", "gauge", "Open connections.", (unsigned long long)atomic_load(&m->connections));
  put_one(&out, "scant_sessions", "gauge", "Sessions of browsers.", server->access->sessions.count);
  put_one(&out, "scant_body_bytes", "gauge", "Bytes of bodies that are being read.", atomic_load(&server->body_bytes));
  put_studies(&out, exchange);
  exchange->answer.status = 200;
  exchange->answer.type = "text/plain; version=0.0.4; charset=utf-8";
  exchange->answer.text = out.text;
  exchange->answer.length = out.length;
}
