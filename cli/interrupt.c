#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void (*volatile also)(void);
/* It is written before the handler is installed, and only the handler reads it. */
static char sentence[128];

static void say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static void end_now(int signal_number) {
  if (also) also();
  say(sentence);
  say(signal_number == SIGTERM ? "terminated\n" : "interrupted\n");
  _exit(EXIT_SIGNAL + signal_number);
}

/* The work at hand may take a while, so the next signal ends the process at once. */
static void note(int signal_number) {
  came = signal_number;
  say(signal_number == SIGTERM ? "\nstopping at the next example; another SIGTERM ends at once\n"
                               : "\nstopping at the next example; Ctrl-C again ends at once\n");
  signal(signal_number, SIG_DFL);
}

static void handle(int signal_number, void (*handler)(int), int unless_ignored) {
  struct sigaction now, before;
  if (unless_ignored && sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
  memset(&now, 0, sizeof now);
  now.sa_handler = handler;
  now.sa_flags = SA_RESTART;
  sigemptyset(&now.sa_mask);
  sigaddset(&now.sa_mask, SIGINT);
  sigaddset(&now.sa_mask, SIGTERM);
  sigaction(signal_number, &now, NULL);
}

void interrupt_ends(const command *c) {
  snprintf(sentence, sizeof sentence, "\n%s %s: ", this_program.name, c->name);
  handle(SIGINT, end_now, 1);
  handle(SIGTERM, end_now, 1);
}

void interrupt_waits(void) {
  handle(SIGINT, note, 0);
  handle(SIGTERM, note, 0);
}

int interrupt_came(void) {
  return came;
}

void interrupt_also(void (*end)(void)) {
  also = end;
}
