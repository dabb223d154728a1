/* OpenBLAS starts its threads when it is loaded, before main.  Each maps a buffer of its
 * own and, where an address space is limited, may try to without end: then the program
 * would never finish.  So under a limit the program begins again with one such thread.
 * What runs before the libraries are initialised is in .preinit_array. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__)

#include <sys/auxv.h>

/* Only there if it is OpenBLAS; 1 if it has threads of its own. */
extern int openblas_get_parallel(void) __attribute__((weak));

#define NAME "OPENBLAS_NUM_THREADS="

static int is_limited(int resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static void begin_again(int count, char **words, char **environment) {
  static char *changed[4096], one[] = NAME "1", path[4096];
  size_t most = sizeof changed / sizeof *changed, kept = 0;
  (void)count;
  if (!openblas_get_parallel || openblas_get_parallel() != 1) return;
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
  /* A loader that was started by name, with the program as its argument, is itself /proc/self/exe, and has no loader.
   */
  if (!getauxval(AT_BASE)) return;
  for (char **e = environment; *e; e++) {
    if (!strcmp(*e, one) || kept + 2 >= most) return;
    if (strncmp(*e, NAME, strlen(NAME)) != 0) changed[kept++] = *e;
  }
  changed[kept] = one;
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) execve(path, words, changed); /* if it fails, things are as they were */
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = begin_again;

#endif
