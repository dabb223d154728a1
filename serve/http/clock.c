/* The server's clock. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "scant_base.h"
#include "http/server.h"

double serve_now(const scant_server *server) {
  if (server && server->clock) return *server->clock;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

scant_status serve_clock_open(scant_server *server, scant_error *error) {
  const char *path = getenv("SCANT_TEST_CLOCK");
  if (!path) return SCANT_OK;
  struct stat facts;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  void *clock = MAP_FAILED;
  if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size == sizeof *server->clock)
    clock = mmap(NULL, sizeof *server->clock, PROT_READ, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (clock == MAP_FAILED) return scant_fail(error, SCANT_IO, "SCANT_TEST_CLOCK: '%.200s' is not a clock", path);
  server->clock = clock;
  return SCANT_OK;
}

void serve_clock_close(scant_server *server) {
  if (server->clock) munmap((void *)(uintptr_t)server->clock, sizeof *server->clock);
}
