/* Files of looks: --looks and --looks-pairs of fit, tune and study export. */
#ifndef SCANT_CLI_LOOKS_FILES_H
#define SCANT_CLI_LOOKS_FILES_H

#include "front/command.h"

/* Refuses names that can't be, and files that are among the others (NULLs are passed over) or, with --resume, there
 * already: they hold looks from before the checkpoint.  Returns an exit code. */
int looks_check(const arguments *a, const char *const *others, size_t count);

/* A signal that ends the command removes the unfinished files of the fit. */
void looks_begin(const scant_fit *fit);
/* They have their names. */
void looks_done(void);
/* Says where the looks are. */
void looks_print(const arguments *a);

#endif
