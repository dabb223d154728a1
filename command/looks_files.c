#include "looks_files.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/interrupt.h"

static int has_ending(const char *path) {
  size_t length = strlen(path);
  return length > 4 && (!strcmp(path + length - 4, ".csv") || !strcmp(path + length - 4, ".npy"));
}

static int check_name(const arguments *a, const char *flag, const char *path, const char *const *others, size_t count) {
  struct stat facts;
  if (!path) return EXIT_DONE;
  if (!has_ending(path))
    return print_usage_failure(a->command, "%s '%s': the name must end with .csv or .npy", flag, path);
  if (a->own.resume && stat(path, &facts) == 0)
    return print_usage_failure(
        a->command, "'%s' is there already: with --resume, %s needs a new file for what is bought from now on", path,
        flag);
  return files_check_output(a->command, path, others, count);
}

int looks_check(const arguments *a, const char *const *others, size_t count) {
  const char *looks = a->own.looks, *pairs = a->own.looks_pairs;
  if (pairs && !looks) return print_usage_failure(a->command, "--looks-pairs needs --looks");
  int code = check_name(a, "--looks", looks, others, count);
  if (code == EXIT_DONE) code = check_name(a, "--looks-pairs", pairs, others, count);
  return code == EXIT_DONE && pairs ? files_check_output(a->command, pairs, &looks, 1) : code;
}

static char unfinished[2][4096];

static void remove_unfinished(void) {
  for (int i = 0; i < 2; i++)
    if (unfinished[i][0]) unlink(unfinished[i]);
}

void looks_begin(const scant_fit *fit) {
  for (int i = 0; i < 2; i++) {
    const char *name = scant_fit_looks_beside(fit, i);
    snprintf(unfinished[i], sizeof unfinished[i], "%s", name ? name : "");
  }
  interrupt_also(remove_unfinished);
}

void looks_done(void) {
  unfinished[0][0] = unfinished[1][0] = 0;
}

void looks_print(const arguments *a) {
  if (a->own.looks) printf("looks: %s\n", a->own.looks);
  if (a->own.looks_pairs) printf("pairs: %s\n", a->own.looks_pairs);
}
