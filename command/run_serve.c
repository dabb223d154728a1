/* scant serve: studies over HTTP, until a signal ends it.  scant token: who may do what with them. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "front/command.h"
#include "front/subcommand_options.h"
#include "scant_serve.h"

/* Seconds that requests have to end when the server does. */
#define DRAIN 10
#define FILES 4096

/* ---- options that were given several times: their texts stand one per line ---- */

typedef struct split_list {
  char *text;
  const char **items;
  size_t count;
} split_list;

static void split_list_free(split_list *list) {
  free(list->text);
  free(list->items);
  *list = (split_list){0};
}

/* `lines` NULL: an empty one. */
static scant_status split_list_make(split_list *list, const char *lines, scant_error *error) {
  *list = (split_list){0};
  if (!lines) return SCANT_OK;
  size_t most = 1;
  for (const char *c = lines; *c; c++) most += *c == '\n';
  list->text = scant_copy_text(lines, strlen(lines));
  list->items = scant_array(most, sizeof *list->items);
  if (!list->text || !list->items) {
    split_list_free(list);
    return scant_fail_memory(error);
  }
  for (char *at = list->text; at;) {
    char *end = strchr(at, '\n');
    if (end) *end++ = 0;
    list->items[list->count++] = at;
    at = end;
  }
  return SCANT_OK;
}

/* ---- scant serve ------------------------------------------------------------- */

static void note(void *user, const char *sentence) {
  (void)user;
  fprintf(stderr, "scant serve: %s\n", sentence);
}

/* A thousand connections are more files than many systems allow at first. */
static void allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FILES) return;
  limit.rlim_cur = limit.rlim_max < FILES ? limit.rlim_max : FILES;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* Prints the link by which the person who started it signs in. */
static scant_status print_link(scant_server *server, scant_error *error) {
  char link[512];
  scant_status status = scant_serve_link(server, link, sizeof link, error);
  if (status == SCANT_OK) printf("sign in: %s\n", link);
  fflush(stdout);
  return status;
}

/* Waits for signals; returns when one of them ends the server. */
static void wait_for_end(const arguments *a, scant_server *server, const sigset_t *signals) {
  scant_error error;
  for (;;) {
    int signal_number = 0;
    if (sigwait(signals, &signal_number) != 0) continue;
    if (signal_number != SIGUSR1) return;
    if (a->own.tokens)
      note(NULL, "there are tokens, so there is no link to sign in by");
    else if (print_link(server, &error) != SCANT_OK)
      note(NULL, error.text);
  }
}

static scant_status serve(const arguments *a, const scant_serve_options *options, const sigset_t *signals,
                          scant_error *error) {
  scant_server *server = NULL;
  scant_status status = scant_serve_start(&server, a->operands, (size_t)a->operand_count, options, error);
  if (status != SCANT_OK) return status;
  for (int i = 0; i < a->operand_count; i++) printf("serving %s at %s\n", a->operands[i], scant_serve_url(server));
  fflush(stdout);
  if (!options->tokens) status = print_link(server, error);
  if (status == SCANT_OK) wait_for_end(a, server, signals);
  scant_serve_stop(server, DRAIN);
  return status;
}

static pthread_t keeper;

static void pass_on(int signal_number) {
  pthread_kill(keeper, signal_number);
}

/* Blocks the signals before there are threads, so that all of them leave these to sigwait.  Some libraries (OpenBLAS)
 * have threads before the program begins, which block nothing: they pass a signal on, else it would end the process. */
static void take_signals(sigset_t *signals) {
  static const int taken[] = {SIGTERM, SIGINT, SIGUSR1};
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  keeper = pthread_self();
  sigemptyset(signals);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) sigaddset(signals, taken[i]);
  pthread_sigmask(SIG_BLOCK, signals, NULL);
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) sigaction(taken[i], &action, NULL);
}

int run_serve(arguments *a) {
  scant_error error;
  scant_serve_options options = {.listen = a->own.listen,
                                 .socket = a->own.socket,
                                 .tokens = a->own.tokens,
                                 .base_path = a->own.base_path,
                                 .behind_proxy = a->own.behind_proxy,
                                 .patience = a->own.patience,
                                 .settings = &a->settings,
                                 .note = note};
  split_list hosts;
  sigset_t signals;
  take_signals(&signals);
  allow_many_files();
  scant_status status = split_list_make(&hosts, a->own.host, &error);
  options.hosts = hosts.items;
  options.host_count = hosts.count;
  if (status == SCANT_OK) status = serve(a, &options, &signals, &error);
  split_list_free(&hosts);
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}

/* ---- scant token ------------------------------------------------------------- */

static scant_status read_role(const char *text, scant_role *role, scant_error *error) {
  if (!text) return scant_fail(error, SCANT_USAGE, "give --role: read, enter or manage");
  for (int i = 0; scant_role_name((scant_role)i); i++) {
    *role = (scant_role)i;
    if (!strcmp(scant_role_name(*role), text)) return SCANT_OK;
  }
  return scant_fail(error, SCANT_USAGE, "--role is read, enter or manage, not '%.100s'", text);
}

static scant_status add(const arguments *a, scant_error *error) {
  scant_token token = {.name = a->operands[2]};
  split_list studies;
  char text[SCANT_TOKEN_LENGTH];
  SCANT_TRY(read_role(a->own.role, &token.role, error));
  SCANT_TRY(split_list_make(&studies, a->own.study, error));
  token.studies = studies.items;
  token.study_count = studies.count;
  scant_status status = scant_token_add(a->operands[1], &token, a->own.days, text, error);
  split_list_free(&studies);
  if (status == SCANT_OK) printf("%s\n", text);
  return status;
}

static void print_rows(const scant_tokens *tokens) {
  const scant_token *token;
  for (size_t i = 0; (token = scant_tokens_at(tokens, i)); i++) {
    printf("%s: %s, ", token->name, scant_role_name(token->role));
    if (!token->study_count) printf("all studies");
    for (size_t j = 0; j < token->study_count; j++) printf("%s%s", j ? " " : "", token->studies[j]);
    printf(", since %.10s", token->made_at);
    if (token->ends_at) printf(", %s %.10s", scant_token_has_ended(token) ? "ended" : "until", token->ends_at);
    printf("\n");
  }
}

static scant_status print_json(const scant_tokens *tokens, scant_error *error) {
  scant_json_writer out = document_begin();
  const scant_token *token;
  scant_json_open(&out, "tokens", '[');
  for (size_t i = 0; (token = scant_tokens_at(tokens, i)); i++) {
    scant_json_open(&out, NULL, '{');
    scant_json_text(&out, "name", token->name);
    scant_json_text(&out, "role", scant_role_name(token->role));
    scant_json_open(&out, "studies", '[');
    for (size_t j = 0; j < token->study_count; j++) scant_json_text(&out, NULL, token->studies[j]);
    scant_json_close(&out);
    scant_json_text(&out, "made_at", token->made_at);
    scant_json_text(&out, "ends_at", token->ends_at);
    scant_json_flag(&out, "ended", scant_token_has_ended(token));
    scant_json_close(&out);
  }
  scant_json_close(&out);
  return document_print(&out, SCANT_OK, error);
}

static scant_status list(const arguments *a, scant_error *error) {
  scant_tokens *tokens;
  scant_status status = scant_tokens_load(&tokens, a->operands[1], error);
  if (status != SCANT_OK) return status;
  if (a->own.json)
    status = print_json(tokens, error);
  else
    print_rows(tokens);
  scant_tokens_free(tokens);
  return status;
}

static scant_status revoke(const arguments *a, scant_error *error) {
  return scant_token_revoke(a->operands[1], a->operands[2], error);
}

const named *token_at(size_t index) {
  static const named words[] = {
      {"add FILE NAME --role ROLE",
       "make a token for this person, and print it; the file is made if it does not exist"},
      {"list FILE", "show who has a token, of which role, for which studies, and until when"},
      {"revoke FILE NAME", "take the token of this person away; then the same name may get a new one"},
  };
  return index < sizeof words / sizeof *words ? &words[index] : NULL;
}

typedef struct {
  const char *name;
  int operands;
  const char *options; /* that it takes, separated by blanks */
  scant_status (*run)(const arguments *a, scant_error *error);
} action;

static const action actions[] = {
    {"add", 3, "role study days", add},
    {"list", 2, "json", list},
    {"revoke", 3, "", revoke},
};

int run_token(arguments *a) {
  scant_error error;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    const action *act = &actions[i];
    if (strcmp(act->name, a->operands[0]) != 0) continue;
    if (a->operand_count != act->operands)
      return print_usage_failure(a->command, "%s takes FILE%s", act->name, act->operands == 3 ? " and NAME" : "");
    for (const scant_option *o = token_options; o->name; o++)
      if (arguments_given(a, o) && !has_word(act->options, o->name))
        return print_usage_failure(a->command, "%s does not take --%s", act->name, o->name);
    scant_status status = act->run(a, &error);
    return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
  }
  return print_usage_failure(a->command, "there is no action '%.60s'; there are add, list and revoke", a->operands[0]);
}
