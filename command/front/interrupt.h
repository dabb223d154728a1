/* Ctrl-C and SIGTERM print a sentence; the exit code is 128 plus the number of the signal. */
#ifndef SCANT_CLI_INTERRUPT_H
#define SCANT_CLI_INTERRUPT_H

#include "command.h"

/* From now on either signal ends the command at once; a signal that was ignored at the first call is ignored.  The main
 * thread makes that call, and it alone handles signals.  Files are renamed into place when they are whole, so no file
 * is half-written. */
void interrupt_ends(const command *c);

/* From now on the first signal is only noted, for interrupt_came, and the second ends the process; one that was ignored
 * stays so.  interrupt_ends was called before. */
void interrupt_waits(void);

/* The number of the signal that was noted; 0: none. */
int interrupt_came(void);

/* `end` is called before the command ends.  It may call only what a signal handler may. */
void interrupt_also(void (*end)(void));

#endif
