/* A study that is served: its handles, its name and its address, and whether it can be written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scant_base.h"
#include "access/access.h"
#include "http/server.h"

/* clinic of /srv/clinic.study */
static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return scant_copy_text(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

scant_status serve_study_init(serve_study *study, scant_server *server, const char *path, scant_error *error) {
  study->server = server;
  serve_queue_init(&study->writing);
  for (size_t i = 0; i < SERVE_READERS; i++) {
    study->readers[i].study = study;
    serve_queue_init(&study->readers[i].queue);
  }
  study->path = scant_copy_text(path, strlen(path));
  study->name = stem_of(path);
  return study->path && study->name ? SCANT_OK : scant_fail_memory(error);
}

scant_status serve_study_open(serve_study *study, scant_error *error) {
  scant_server *server = study->server;
  scant_settings given;
  if (server->settings)
    given = *server->settings;
  else
    scant_settings_init(&given);
  SCANT_TRY(scant_study_open(&study->writes, study->path, SCANT_STUDY_WRITE, &given, error));
  for (size_t i = 0; i < SERVE_READERS; i++) SCANT_TRY(serve_reader_open(&study->readers[i], &given, error));
  if (scant_study_frozen_name(study->writes))
    return scant_fail(error, SCANT_MISUSE, "'%.200s' is a frozen copy, which nobody writes to", study->path);
  const char *target = scant_study_target(study->writes);
  study->target = scant_copy_text(target, strlen(target));
  return study->target ? SCANT_OK : scant_fail_memory(error);
}

void serve_study_free(serve_study *study) {
  for (size_t i = 0; i < SERVE_READERS; i++) {
    scant_study_close(study->readers[i].handle);
    serve_cache_free(&study->readers[i].cache);
    serve_queue_free(&study->readers[i].queue);
  }
  scant_study_close(study->writes);
  serve_queue_free(&study->writing);
  free(study->path);
  free(study->name);
  free(study->target);
}

void serve_study_url(const serve_study *study, char *url, size_t size) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  int length = snprintf(url, size, "%s/api/v1/studies/", study->server->base);
  size_t at = length > 0 ? (size_t)length : 0;
  for (const char *c = study->name; *c && at + 4 < size; c++)
    at += (size_t)snprintf(url + at, size - at, strchr(plain, *c) ? "%c" : "%%%02X", (unsigned)(unsigned char)*c);
}

/* ---- whether it can be written --------------------------------------------------------
 *
 * The disk may be full, or its file may be gone.  Its keeper is told when that begins and when it ends, and whoever
 * asks whether the server is ready learns it.  The writer sees it by the answers that it gives.  While nobody writes,
 * it tries by itself whether it goes again. */

/* Seconds from one try to the next. */
#define TRY_EVERY 5

/* sentence: why it can't be written; empty: it can. */
static void turn(serve_study *study, const char *sentence) {
  int was_bad = atomic_exchange(&study->trouble.is_bad, sentence[0] != 0);
  const scant_server *server = study->server;
  char note[SCANT_ERROR_LENGTH + 300];
  if (was_bad == (sentence[0] != 0) || !server->note) return;
  if (sentence[0])
    snprintf(note, sizeof note, "the study '%.200s' can't be written: %s", study->name, sentence);
  else
    snprintf(note, sizeof note, "the study '%.200s' can be written again", study->name);
  server->note(server->user, note);
}

int serve_trouble_is(serve_study *study) {
  return atomic_load(&study->trouble.is_bad);
}

/* The sentence of a problem. */
static void take_detail(const serve_answer *answer, char *sentence, size_t size) {
  scant_json body = {0};
  scant_error none;
  char *text = NULL;
  if (answer->text && scant_json_parse(&body, answer->text, answer->length, &none) == SCANT_OK) {
    size_t node = scant_json_member(&body, 0, "detail");
    if (node != SCANT_JSON_NONE) text = scant_json_copy(&body, node);
  }
  snprintf(sentence, size, "%s", text ? text : "out of memory");
  free(text);
  scant_json_free(&body);
}

void serve_trouble_see(serve_study *study, const serve_exchange *exchange) {
  const serve_answer *answer = &exchange->answer;
  char sentence[SCANT_ERROR_LENGTH];
  if (!(exchange->route->flags & SERVE_WRITES)) return;
  if (answer->is_storage) {
    take_detail(answer, sentence, sizeof sentence);
    turn(study, sentence);
    study->trouble.try_at = serve_now(study->server) + TRY_EVERY;
  } else if (answer->status >= 200 && answer->status < 300 && !answer->replayed) {
    turn(study, "");
  }
}

/* A request of nobody's is remembered, which is no event, and is forgotten after a month as all are. */
void serve_trouble_try(serve_study *study) {
  char key[SERVE_TIME + 24], now[SERVE_TIME];
  if (!serve_trouble_is(study) || serve_now(study->server) < study->trouble.try_at) return;
  study->trouble.try_at = serve_now(study->server) + TRY_EVERY;
  serve_format_time(now, time(NULL));
  snprintf(key, sizeof key, "%s %ld", now, (long)study->trouble.tries++);
  scant_study_request request = {.by = "scant serve",
                                 .key = key,
                                 .digest = "0000000000000000000000000000000000000000000000000000000000000000",
                                 .answer = ""};
  scant_error error;
  if (scant_study_remember(study->writes, &request, NULL, 0, &error) == SCANT_OK) turn(study, "");
}
