/* Starting and stopping, and the socket at which the server listens. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

/* ---- the socket -------------------------------------------------------------------- */

#define PRESET "127.0.0.1:8765"

/* Splits ADDRESS:PORT, where the address may stand in brackets. */
static int split(const char *text, char *address, size_t size, char *port, size_t port_size) {
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text || !colon[1] || strlen(colon + 1) >= port_size) return 0;
  if (strspn(colon + 1, "0123456789") != strlen(colon + 1) || strtol(colon + 1, NULL, 10) > 65535) return 0;
  size_t length = (size_t)(colon - text);
  int bracketed = text[0] == '[';
  if (bracketed && (length < 3 || text[length - 1] != ']')) return 0;
  if (bracketed) text++, length -= 2;
  if (!bracketed && memchr(text, ':', length)) return 0;
  if (length >= size) return 0;
  memcpy(address, text, length);
  address[length] = 0;
  snprintf(port, port_size, "%s", colon + 1);
  return 1;
}

static int is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
    return (ntohl(in->sin_addr.s_addr) >> 24) == 127;
  }
  const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)address;
  return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

/* Says where the server is, once its port is known. */
static scant_status name_address(scant_server *server, const char *address, scant_error *error) {
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  if (getsockname(server->listener, (struct sockaddr *)&bound, &length) != 0)
    return scant_fail(error, SCANT_IO, "the port of %s is not known: %s", address, strerror(errno));
  server->port = ntohs(bound.ss_family == AF_INET ? ((struct sockaddr_in *)(void *)&bound)->sin_port
                                                  : ((struct sockaddr_in6 *)(void *)&bound)->sin6_port);
  int is_six = strchr(address, ':') != NULL;
  snprintf(server->authority, sizeof server->authority, is_six ? "[%s]:%d" : "%s:%d", address, server->port);
  size_t size = strlen(server->authority) + strlen(server->base) + 16;
  server->url = malloc(size);
  if (!server->url) return scant_fail_memory(error);
  snprintf(server->url, size, "http://%s%s/", server->authority, server->base);
  return SCANT_OK;
}

static scant_status listen_at(scant_server *server, const struct addrinfo *found, const char *where,
                              scant_error *error) {
  server->listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int yes = 1;
  if (server->listener < 0) return scant_fail(error, SCANT_IO, "no socket can be made: %s", strerror(errno));
  setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(server->listener, found->ai_addr, found->ai_addrlen) != 0 || listen(server->listener, 511) != 0)
    return scant_fail(error, SCANT_IO, "the server can't listen at %s: %s", where, strerror(errno));
  return SCANT_OK;
}

static scant_status listen_address(scant_server *server, const scant_serve_options *options, scant_error *error) {
  const char *where = options->listen ? options->listen : PRESET;
  char address[100], port[8];
  if (!split(where, address, sizeof address, port, sizeof port))
    return scant_fail(error, SCANT_USAGE, "option listen is ADDRESS:PORT, such as " PRESET ", not '%.100s'", where);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
  int code = getaddrinfo(address, port, &hints, &found);
  if (code != 0)
    return scant_fail(error, SCANT_USAGE, "option listen: '%.100s' is no address: %s", address, gai_strerror(code));
  scant_status status = SCANT_OK;
  if (!is_loopback(found->ai_addr) && !(options->tokens && options->behind_proxy))
    status = scant_fail(error, SCANT_USAGE,
                        "option listen: others reach '%.100s', so it needs option tokens and, since tokens would go "
                        "over the net in clear, a proxy with TLS before it and option behind-proxy",
                        address);
  if (status == SCANT_OK) status = listen_at(server, found, where, error);
  freeaddrinfo(found);
  return status == SCANT_OK ? name_address(server, address, error) : status;
}

/* Is there a socket of that name that nobody listens at any more? */
static int is_dead(const struct sockaddr_un *name) {
  struct stat facts;
  if (lstat(name->sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return 0;
  int try = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (try < 0) return 0;
  int refused = connect(try, (const struct sockaddr *)name, sizeof *name) != 0 && errno == ECONNREFUSED;
  close(try);
  return refused;
}

static scant_status listen_socket(scant_server *server, const char *path, scant_error *error) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (!path[0] || strlen(path) >= sizeof name.sun_path)
    return scant_fail(error, SCANT_USAGE, "option socket: the path of a socket has 1 to %zu bytes",
                      sizeof name.sun_path - 1);
  memcpy(name.sun_path, path, strlen(path));
  server->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (server->listener < 0) return scant_fail(error, SCANT_IO, "no socket can be made: %s", strerror(errno));
  if (is_dead(&name)) unlink(path);
  /* Nobody can connect before listen, and by then the mode is right. */
  if (bind(server->listener, (struct sockaddr *)&name, sizeof name) != 0)
    return scant_fail(error, SCANT_IO, "the server can't listen at '%.90s': %s", path, strerror(errno));
  server->socket_path = scant_copy_text(path, strlen(path));
  size_t size = strlen(path) + 16;
  server->url = malloc(size);
  if (!server->socket_path || !server->url) return scant_fail_memory(error);
  snprintf(server->url, size, "unix:%s", path);
  snprintf(server->authority, sizeof server->authority, "localhost");
  if (chmod(path, 0600) != 0 || listen(server->listener, 511) != 0)
    return scant_fail(error, SCANT_IO, "the server can't listen at '%.90s': %s", path, strerror(errno));
  return SCANT_OK;
}

static scant_status open_listener(scant_server *server, const scant_serve_options *options, scant_error *error) {
  if (options->socket && options->listen)
    return scant_fail(error, SCANT_USAGE, "give option socket or option listen, not both");
  return options->socket ? listen_socket(server, options->socket, error) : listen_address(server, options, error);
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
  SCANT_TRY(open_listener(server, options, error));
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
