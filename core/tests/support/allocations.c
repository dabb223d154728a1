#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

/* The linker's names for what was wrapped and for what wraps it. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **to, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **to, size_t alignment, size_t size);

static atomic_ulong made, failed, failing; /* failing 0: none is to fail */
static atomic_int from_there_on;

void allocations_fail(unsigned long n, int forever) {
  failing = n;
  from_there_on = forever;
  made = failed = 0;
}

void allocations_reset(void) {
  allocations_fail(0, 0);
}

unsigned long allocations_count(void) {
  return made;
}

unsigned long allocations_failed(void) {
  return failed;
}

static int refused(void) {
  unsigned long number = ++made;
  if (!failing || (number != failing && !(from_there_on && number > failing))) return 0;
  failed++;
  errno = ENOMEM;
  return 1;
}

void *__wrap_malloc(size_t size) {
  return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
  return refused() ? NULL : __real_realloc(old, size);
}

int __wrap_posix_memalign(void **to, size_t alignment, size_t size) {
  return refused() ? ENOMEM : __real_posix_memalign(to, alignment, size);
}
