/* OpenBLAS starts its threads when it is loaded, before main.  Each thread maps a buffer.  Where the address space is
 * limited, a thread may retry that forever, and the program would never finish.  So under a limit this program starts
 * itself again with one such thread.  Functions in .preinit_array run before the libraries are initialised. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__)

#include <sys/auxv.h>

/* It exists only in OpenBLAS, and returns 1 if that has its own threads. */
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
  if (length > 0) execve(path, words, changed); /* if it fails, the program goes on as it is */
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = begin_again;

#endif
