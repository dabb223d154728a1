#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void (*volatile also)(void);
/* It is written before the handler is installed, and only the handler reads it. */
static char sentence[128];
static pthread_t main_thread;

/* A file that is being replaced holds signals off in the thread that writes it, which is the
 * main one.  Another thread (OpenBLAS has some) would take them in its stead. */
static int is_passed_on(int signal_number) {
  if (pthread_equal(pthread_self(), main_thread)) return 0;
  pthread_kill(main_thread, signal_number);
  return 1;
}

static void say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void end_now(int signal_number) {
  if (is_passed_on(signal_number)) return;
  if (also) also();
  files_leave_no_folder();
  say(sentence);
  say(signal_number == SIGTERM ? "terminated\n" : "interrupted\n");
  _exit(EXIT_SIGNAL + signal_number);
}

/* Gives the signal its old meaning, which it has as soon as this returns. */
static void fall(int signal_number) {
  if (is_passed_on(signal_number)) return;
  if (also) also();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void handle(int signal_number, void (*handler)(int));

/* The current work may take a while, so the next signal ends the process at once. */
static void note(int signal_number) {
  if (is_passed_on(signal_number)) return;
  came = signal_number;
  say(signal_number == SIGTERM ? "\nstopping soon; another SIGTERM ends at once\n"
                               : "\nstopping soon; Ctrl-C again ends at once\n");
  handle(signal_number, fall);
}

static void handle(int signal_number, void (*handler)(int)) {
  struct sigaction now;
  memset(&now, 0, sizeof now);
  now.sa_handler = handler;
  now.sa_flags = SA_RESTART;
  sigemptyset(&now.sa_mask);
  sigaddset(&now.sa_mask, SIGINT);
  sigaddset(&now.sa_mask, SIGTERM);
  sigaction(signal_number, &now, NULL);
}

static int is_ignored(int signal_number) {
  struct sigaction now;
  return sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static int int_ignored, term_ignored; /* by whoever started the program */

void interrupt_ends(const command *c) {
  static int begun;
  if (!begun) {
    int_ignored = is_ignored(SIGINT);
    term_ignored = is_ignored(SIGTERM);
    main_thread = pthread_self();
    begun = 1;
  }
  snprintf(sentence, sizeof sentence, "\n%s %s: ", this_program.name, c->name);
  handle(SIGINT, int_ignored ? SIG_IGN : end_now);
  handle(SIGTERM, term_ignored ? SIG_IGN : end_now);
}

void interrupt_waits(void) {
  handle(SIGINT, int_ignored ? SIG_IGN : note);
  handle(SIGTERM, term_ignored ? SIG_IGN : note);
}

int interrupt_came(void) {
  return came;
}

void interrupt_also(void (*end)(void)) {
  also = end;
}
