/* Ctrl-C and SIGTERM: a sentence, and 128 and the signal's number as exit code. */
#ifndef SCANT_CLI_INTERRUPT_H
#define SCANT_CLI_INTERRUPT_H

#include "command.h"

/* From now on either ends the command at once; one that was ignored when this was first called
 * is ignored.  It is first called by the main thread, before any command, and handlers run there
 * alone.  Files are renamed into place when they are whole, so nothing is half-written. */
void interrupt_ends(const command *c);

/* After interrupt_ends.  From now on the first one waits for whoever asks interrupt_came, and the
 * second ends the process. */
void interrupt_waits(void);

/* The number of the signal that came while it waited; 0: none. */
int interrupt_came(void);

/* What else is to be ended; it may call only what a signal handler may. */
void interrupt_also(void (*end)(void));

#endif
