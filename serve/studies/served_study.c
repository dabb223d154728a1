/* A study that is served: its handles, its name and its address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
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
