/* Serving studies over HTTP: one process that writes, and many people who ask and tell.
 *
 * A server opens its studies to write, so nobody else can, and does one request after another per study: what it has
 * answered is on the disk.  Requests name who sends them by tokens, which are stored hashed, or by the cookie that a
 * browser got for one; docs/api.md has the interface.  TLS is the task of a proxy in front of it.
 *
 * The library never prints.  Conventions are those of scant.h.  Link with libscant-serve, which needs libmicrohttpd and
 * libscant-study.
 */
#ifndef SCANT_SERVE_H
#define SCANT_SERVE_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the server ------------------------------------------------------------ */

typedef struct scant_server scant_server;

/* How to serve.  Zero: defaults. */
typedef struct scant_serve_options {
  const char *listen;       /* ADDRESS:PORT; port 0: any that is free; NULL: 127.0.0.1:8765 */
  const char *socket;       /* the path of a socket in place of an address; NULL: none */
  const char *tokens;       /* the file of tokens; NULL: nobody has one, and scant_serve_link makes links */
  const char *base_path;    /* what stands before every path, such as /scant; NULL: nothing */
  const char *const *hosts; /* names by which clients may call it, besides those of the machine itself */
  size_t host_count;
  int behind_proxy;               /* a proxy with TLS stands before it: addresses other than those of the machine itself
                                   * are allowed, cookies go over TLS alone, and X-Forwarded-For is believed */
  double patience;                /* seconds for the head of a request, and three times as many for its body; 0: 20 */
  const char *person;             /* who signs in by a link; NULL: the name of the user whom the process belongs to */
  const scant_settings *settings; /* whose engines, threads and memory the studies take; NULL: none, and defaults */
  /* Is told, from any thread, what its keeper should know, such as that the tokens or a study can't be used;
   * NULL: nobody is. */
  void (*note)(void *user, const char *sentence);
  void *user;
} scant_serve_options;

/* Opens the studies and serves them until scant_serve_stop.  A study is called by the stem of its file: clinic of
 * clinic.study.  SCANT_USAGE: two have the same stem, or an option is wrong: an address that others reach needs tokens
 * and behind_proxy, since tokens would go over the net in clear; SCANT_BUSY: another one is writing a study;
 * SCANT_IO: the address is taken.  What opening a study says, too. */
SCANT_API scant_status scant_serve_start(scant_server **server, const char *const *paths, size_t count,
                                         const scant_serve_options *options, scant_error *error);
/* Where it is: http://127.0.0.1:8765/, with the base path, or unix:PATH for a socket.  Valid until it is stopped. */
SCANT_API const char *scant_serve_url(const scant_server *server);
/* A link by which one person can sign in once, who may then do everything.  It ends the link before it.
 * SCANT_MISUSE: there are tokens. */
SCANT_API scant_status scant_serve_link(scant_server *server, char *link, size_t size, scant_error *error);
/* Takes no new connections, ends what is begun (after `seconds` it is refused), closes the studies and frees the
 * server.  NULL is allowed. */
SCANT_API void scant_serve_stop(scant_server *server, double seconds);

/* ---- tokens ---------------------------------------------------------------- */

/* What the holder of a token may do; each includes the one before it. */
typedef enum scant_role {
  SCANT_ROLE_READ,  /* status, plots, exports with pseudonyms */
  SCANT_ROLE_ENTER, /* ask, tell, correct what was told by the same person */
  SCANT_ROLE_MANAGE /* cancel, correct, amend, erase, export, freeze */
} scant_role;

/* Its name; NULL past the last. */
SCANT_API const char *scant_role_name(scant_role role);

/* "scant_", 43 letters, and the 0 at the end. */
#define SCANT_TOKEN_LENGTH 50

/* A token as its file has it: not the token itself. */
typedef struct scant_token {
  const char *name; /* of its holder: every event records it */
  scant_role role;
  const char *const *studies; /* that it opens; none: all */
  size_t study_count;
  const char *made_at, *ends_at; /* UTC; NULL: it does not end */
} scant_token;

/* Makes a token and puts its digest into the file, which is made (mode 0600) if it does not exist.  `days` 0: it does
 * not end.  Of `token` name, role and studies count.  SCANT_DATA: the name has a token already, or the file is none;
 * SCANT_USAGE: a name or a time is none. */
SCANT_API scant_status scant_token_add(const char *path, const scant_token *token, uint64_t days,
                                       char text[SCANT_TOKEN_LENGTH], scant_error *error);
/* Takes a token away: from the next request on it opens nothing.  SCANT_DATA: nobody of this name has one. */
SCANT_API scant_status scant_token_revoke(const char *path, const char *name, scant_error *error);

typedef struct scant_tokens scant_tokens;
SCANT_API scant_status scant_tokens_load(scant_tokens **tokens, const char *path, scant_error *error);
/* NULL past the last. */
SCANT_API const scant_token *scant_tokens_at(const scant_tokens *tokens, size_t index);
/* Has its time passed? */
SCANT_API int scant_token_has_ended(const scant_token *token);
SCANT_API void scant_tokens_free(scant_tokens *tokens);

#ifdef __cplusplus
}
#endif

#endif
