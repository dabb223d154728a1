#define _DEFAULT_SOURCE /* flock */
#include "study/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"

scant_status study_lock(int *lock, const char *path, scant_error *error) {
  size_t length = strlen(path) + sizeof "-lock";
  char *name = scant_array(length, 1);
  if (!name) return scant_fail_memory(error);
  snprintf(name, length, "%s-lock", path);
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  scant_status status = SCANT_OK;
  if (file < 0)
    status = scant_fail(error, SCANT_IO, "can't write '%.300s': %s", name, strerror(errno));
  else if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    status = scant_fail(error, SCANT_BUSY, "'%.300s' is being written to by another one: try again later", path);
  else if (errno = 0, flock(file, LOCK_EX | LOCK_NB) != 0)
    status = scant_fail(error, SCANT_IO, "can't lock '%.300s': %s", name, strerror(errno));
  free(name);
  if (status != SCANT_OK && file >= 0) close(file);
  if (status == SCANT_OK) *lock = file;
  return status;
}

void study_unlock(int lock) {
  if (lock >= 0) close(lock);
}
