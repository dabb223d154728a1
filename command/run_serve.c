/* scant serve: studies over HTTP, until a signal ends it. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "front/command.h"
#include "scant_serve.h"
#include "split_list.h"

/* Seconds that requests have to end when the server does. */
#define DRAIN 10
#define FILES 4096

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
  scant_error error = {"out of memory"};
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
  scant_status status = SCANT_MEMORY;
  if (split_list_make(&hosts, a->own.host)) {
    options.hosts = hosts.items;
    options.host_count = hosts.count;
    status = serve(a, &options, &signals, &error);
    split_list_free(&hosts);
  }
  return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
}
