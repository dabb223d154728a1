/* By which names the server may be called.
 *
 * A page of somebody else, in a browser on this machine, can send requests to 127.0.0.1, under a name of its own if it
 * makes that name point here.  So a request must name a host that is ours, and if it comes from a page, a page of ours.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http/server.h"

/* Is it one of the names of the machine itself, with the port of the server? */
static int is_local(const scant_server *server, const char *authority) {
  static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
  if (!strcasecmp(authority, server->authority)) return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[64];
    snprintf(text, sizeof text, server->socket_path ? "%s" : "%s:%d", names[i], server->port);
    if (!strcasecmp(authority, text)) return 1;
    /* Clients leave out the port of the protocol itself. */
    if (!server->socket_path && server->port == 80 && !strcasecmp(authority, names[i])) return 1;
  }
  return 0;
}

/* Is it a name that was given, with the port that was given, or with that of the protocol? */
static int is_given(const scant_server *server, const char *authority) {
  for (size_t i = 0; i < server->host_count; i++) {
    const char *name = server->hosts[i];
    size_t length = strlen(name);
    if (strncasecmp(authority, name, length) != 0) continue;
    const char *rest = authority + length;
    if (!*rest || !strcmp(rest, ":443") || !strcmp(rest, ":80")) return 1;
  }
  return 0;
}

static int is_ours(const scant_server *server, const char *authority) {
  return is_local(server, authority) || is_given(server, authority);
}

static int is_our_origin(const scant_server *server, const char *origin) {
  if (!strncasecmp(origin, "http://", 7)) return is_ours(server, origin + 7);
  if (!strncasecmp(origin, "https://", 8)) return is_ours(server, origin + 8);
  return 0;
}

int serve_hosts_check(serve_exchange *exchange, const char *host, const char *origin) {
  char sentence[300];
  if (!host || !is_ours(exchange->server, host)) {
    snprintf(sentence, sizeof sentence, "this server is not called '%.100s': option host gives it more names",
             host ? host : "");
    serve_answer_problem(&exchange->answer, 421, "host", sentence, NULL);
    return 0;
  }
  if (!origin || is_our_origin(exchange->server, origin)) return 1;
  serve_answer_problem(&exchange->answer, 403, "origin", "the request comes from a page of somebody else", NULL);
  return 0;
}
