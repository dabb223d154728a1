/* The folder in which a test makes its own. */
#ifndef SCANT_TESTS_FOLDER_H
#define SCANT_TESTS_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* TMPDIR, or else one in memory where there is one: what is written is synced, which takes long on a slow disk. */
static inline const char *folder_root(void) {
  const char *root = getenv("TMPDIR");
  if (root && *root) return root;
  return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* Makes a folder with a new name, which is put there. */
static inline void folder_new(char *folder, size_t size, const char *name) {
  snprintf(folder, size, "%s/%s-XXXXXX", folder_root(), name);
  if (mkdtemp(folder)) return;
  printf("Bail out! no folder can be made in %s\n", folder_root());
  exit(1);
}

#endif
