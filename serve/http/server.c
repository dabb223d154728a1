/* Starting and stopping. */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scant_base.h"
#include "http/server.h"

/* ---- the clock -------------------------------------------------------------------------- */

double serve_now(const scant_server *server) {
  if (server && server->clock) return *server->clock;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* If SCANT_TEST_CLOCK names a file, the double in it is the time of this server, in seconds: tests set it, so that no
 * deadline depends on the machine's speed. */
static scant_status open_clock(scant_server *server, scant_error *error) {
  const char *path = getenv("SCANT_TEST_CLOCK");
  if (!path) return SCANT_OK;
  struct stat facts;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *clock = MAP_FAILED;
  if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size == sizeof *server->clock)
    clock = mmap(NULL, sizeof *server->clock, PROT_READ, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (clock == MAP_FAILED) return scant_fail(error, SCANT_IO, "SCANT_TEST_CLOCK: '%.200s' is not a clock", path);
  server->clock = clock;
  return SCANT_OK;
}

/* ---- start and end ---------------------------------------------------------------------- */

static void free_server(scant_server *server) {
  for (size_t i = 0; i < server->study_count; i++) serve_study_free(&server->studies[i]);
  free(server->studies);
  if (server->listener >= 0) close(server->listener);
  if (server->socket_path) unlink(server->socket_path);
  for (size_t i = 0; i < server->host_count; i++) free(server->hosts[i]);
  free(server->hosts);
  free(server->socket_path);
  serve_access_close(server);
  free(server->base);
  free(server->url);
  free(server->person);
  free(server);
}

/* A base path is /x or /x/y, of letters, digits and -._~, without a / behind it. */
static scant_status take_base(scant_server *server, const char *base, scant_error *error) {
  size_t length = base ? strlen(base) : 0;
  while (length && base[length - 1] == '/') length--;
  server->base = scant_copy_text(base ? base : "", length);
  if (!server->base) return scant_fail_memory(error);
  int good = !length || base[0] == '/';
  for (size_t i = 0; i < length; i++) {
    int is_part = (base[i] >= 'a' && base[i] <= 'z') || (base[i] >= 'A' && base[i] <= 'Z') ||
                  (base[i] >= '0' && base[i] <= '9') || strchr("-._~", base[i]);
    if (!is_part && (base[i] != '/' || base[i + 1] == '/')) good = 0;
  }
  if (!good || strstr(server->base, "/.") || length > 100)
    return scant_fail(error, SCANT_USAGE, "option base-path is as /scant, not '%.100s'", base);
  return SCANT_OK;
}

static scant_status take_person(scant_server *server, const char *person, scant_error *error) {
  struct passwd *entry = person ? NULL : getpwuid(getuid());
  if (!person) person = entry && entry->pw_name ? entry->pw_name : "keeper";
  server->person = scant_copy_text(person, strlen(person));
  return server->person ? SCANT_OK : scant_fail_memory(error);
}

static scant_status take_hosts(scant_server *server, const scant_serve_options *options, scant_error *error) {
  server->hosts = scant_array(options->host_count, sizeof *server->hosts);
  if (!server->hosts) return scant_fail_memory(error);
  for (size_t i = 0; i < options->host_count; i++) {
    const char *host = options->hosts[i];
    if (!host[0] || strpbrk(host, "/ \t@#?"))
      return scant_fail(error, SCANT_USAGE, "option host is a name, such as study.example.org, not '%.100s'", host);
    server->hosts[i] = scant_copy_text(host, strlen(host));
    if (!server->hosts[i]) return scant_fail_memory(error);
    server->host_count++;
  }
  return SCANT_OK;
}

static scant_status take_studies(scant_server *server, const char *const *paths, size_t count, scant_error *error) {
  if (!count || count > SERVE_STUDIES)
    return scant_fail(error, SCANT_USAGE, "a server has 1 to %d studies", SERVE_STUDIES);
  server->studies = scant_array(count, sizeof *server->studies);
  if (!server->studies) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    serve_study *study = &server->studies[server->study_count];
    study->number = server->study_count++;
    SCANT_TRY(serve_study_init(study, server, paths[i], error));
    for (size_t j = 0; j < i; j++)
      if (!strcmp(server->studies[j].name, study->name))
        return scant_fail(error, SCANT_USAGE, "'%.100s' and '%.100s' would both be called '%.100s'", paths[j], paths[i],
                          study->name);
  }
  return SCANT_OK;
}

/* All signals are left to the threads of the caller. */
static scant_status start_threads(scant_server *server, scant_error *error) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  scant_status status = serve_watch_start(server, error);
  for (size_t i = 0; status == SCANT_OK && i < server->study_count; i++) {
    status = scant_study_announce(server->studies[i].writes, server->url, error);
    if (status == SCANT_OK) status = serve_workers_start(&server->studies[i], error);
  }
  if (status == SCANT_OK) status = serve_network_start(server, error);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

static scant_status start(scant_server *server, const char *const *paths, size_t count,
                          const scant_serve_options *options, scant_error *error) {
  server->behind_proxy = options->behind_proxy;
  server->patience = options->patience > 0 ? options->patience : 20;
  server->note = options->note;
  server->user = options->user;
  server->settings = options->settings;
  SCANT_TRY(open_clock(server, error));
  SCANT_TRY(take_base(server, options->base_path, error));
  SCANT_TRY(take_person(server, options->person, error));
  SCANT_TRY(take_hosts(server, options, error));
  SCANT_TRY(take_studies(server, paths, count, error));
  SCANT_TRY(serve_listen(server, options, error));
  SCANT_TRY(serve_access_open(server, options->tokens, error));
  for (size_t i = 0; i < server->study_count; i++) SCANT_TRY(serve_study_open(&server->studies[i], error));
  snprintf(server->cookie_name, sizeof server->cookie_name,
           server->socket_path ? "scant-session-socket" : "scant-session-%d", server->port);
  return start_threads(server, error);
}

scant_status scant_serve_start(scant_server **result, const char *const *paths, size_t count,
                               const scant_serve_options *options, scant_error *error) {
  scant_serve_options none = {0};
  *result = NULL;
  scant_server *server = calloc(1, sizeof *server);
  if (!server) return scant_fail_memory(error);
  server->listener = -1;
  scant_status status = start(server, paths, count, options ? options : &none, error);
  if (status == SCANT_OK) {
    *result = server;
  } else {
    scant_serve_stop(server, 0);
  }
  return status;
}

const char *scant_serve_url(const scant_server *server) {
  return server->url;
}

void scant_serve_stop(scant_server *server, double seconds) {
  if (!server) return;
  serve_network_stop(server, seconds);
  for (size_t i = 0; i < server->study_count; i++) serve_workers_stop(&server->studies[i]);
  serve_watch_stop(server);
  if (server->clock) munmap((void *)(uintptr_t)server->clock, sizeof *server->clock);
  free_server(server);
}
