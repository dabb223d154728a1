/* The socket at which the server listens. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "http/server.h"

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

scant_status serve_listen(scant_server *server, const scant_serve_options *options, scant_error *error) {
  if (options->socket && options->listen)
    return scant_fail(error, SCANT_USAGE, "give option socket or option listen, not both");
  return options->socket ? listen_socket(server, options->socket, error) : listen_address(server, options, error);
}
