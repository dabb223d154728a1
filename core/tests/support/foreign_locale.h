/* Locales with another decimal point: made here, since few are installed. */
#ifndef SCANT_TESTS_FOREIGN_LOCALE_H
#define SCANT_TESTS_FOREIGN_LOCALE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"

static char locale_folder[300];

/* Enters the locale with this decimal point, such as U002C; 0: there is none. */
static inline int locale_enter(const char *point) {
  char name[100];
  snprintf(name, sizeof name, "%s.UTF-8", point);
  return setlocale(LC_NUMERIC, name) && strcmp(localeconv()->decimal_point, ".") != 0;
}

/* Makes it; 0: it can't be made here. */
static inline int locale_make(const char *point) {
  char name[400], command[1400];
  if (!*locale_folder) folder_new(locale_folder, sizeof locale_folder, "scant-locale");
  snprintf(name, sizeof name, "%s/source", locale_folder);
  FILE *source = fopen(name, "w");
  if (!source) return 0;
  fprintf(source, "LC_NUMERIC\ndecimal_point \"<%s>\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", point);
  fclose(source);
  snprintf(command, sizeof command, "localedef -c -i '%s' -f UTF-8 '%s/%s.UTF-8' >'%s/said' 2>&1", name, locale_folder,
           point, locale_folder);
  if (system(command) == -1) return 0; /* it warns of what is not in our source */
  int good = setenv("LOCPATH", locale_folder, 1) == 0 && locale_enter(point);
  setlocale(LC_NUMERIC, "C");
  return good;
}

static inline void locale_remove(void) {
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", locale_folder);
  if (system(command)) printf("# %s can't be removed\n", locale_folder);
}

#endif
