/* Refuses outputs that would destroy an input or can't be written, and makes folders for results. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"

/* The facts of the folder that a file is in; 0: there is none. */
static int find_folder(const char *path, struct stat *facts) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  if (!slash) return stat(".", facts) == 0;
  size_t length = slash == path ? 1 : (size_t)(slash - path);
  if (length >= sizeof folder) return 0;
  memcpy(folder, path, length);
  folder[length] = 0;
  return stat(folder, facts) == 0 && S_ISDIR(facts->st_mode);
}

/* Follows symbolic links from `path` to the name at their end, which need not exist; 0 if they lead in a circle. */
static int follow_links(const char *path, char *name, size_t size) {
  char to[4096];
  if (snprintf(name, size, "%s", path) >= (int)size) return 0;
  for (int i = 0; i < 40; i++) {
    ssize_t length = readlink(name, to, sizeof to - 1);
    if (length < 0) return 1; /* it is no link */
    to[length] = 0;
    char *slash = to[0] == '/' ? NULL : strrchr(name, '/');
    size_t folder = slash ? (size_t)(slash - name) + 1 : 0;
    if (folder + (size_t)length >= size) return 0;
    memcpy(name + folder, to, (size_t)length + 1);
  }
  return 0;
}

/* Would they be one file, once they are made? */
static int will_be_same(const char *a, const char *b) {
  char to_a[4096], to_b[4096];
  struct stat x, y;
  if (!follow_links(a, to_a, sizeof to_a) || !follow_links(b, to_b, sizeof to_b)) return 0;
  const char *slash_a = strrchr(to_a, '/'), *slash_b = strrchr(to_b, '/');
  if (strcmp(slash_a ? slash_a + 1 : to_a, slash_b ? slash_b + 1 : to_b) != 0) return 0;
  return find_folder(to_a, &x) && find_folder(to_b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int files_are_same(const char *a, const char *b) {
  struct stat x, y;
  if (!strcmp(a, b)) return 1;
  int there = stat(a, &x) == 0;
  if (there != (stat(b, &y) == 0)) return 0;
  if (!there) return will_be_same(a, b);
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int files_check_output(const command *c, const char *output, const char *const *others, size_t count) {
  if (!output) return EXIT_DONE;
  for (size_t i = 0; i < count; i++)
    if (others[i] && files_are_same(output, others[i]))
      return print_usage_failure(c, "'%s' would be overwritten: give the output another name", others[i]);
  char name[4096];
  struct stat facts;
  int ends = follow_links(output, name, sizeof name);
  if (ends && find_folder(name, &facts)) return EXIT_DONE;
  scant_error error;
  snprintf(error.text, sizeof error.text, "can't write '%.400s': %s", output,
           ends ? "there is no such folder" : "its links lead in a circle");
  return print_failure(c, SCANT_IO, &error);
}

static const char *made_folder;

void files_leave_no_folder(void) {
  if (made_folder) rmdir(made_folder); /* it stays if something is in it */
}

int files_make_folder(const command *c, const char *folder) {
  struct stat facts;
  scant_error error;
  if (stat(folder, &facts) != 0) {
    made_folder = folder;
    atexit(files_leave_no_folder);
  } else if (!S_ISDIR(facts.st_mode)) {
    snprintf(error.text, sizeof error.text, "'%.300s' is not a folder", folder);
    return print_failure(c, SCANT_IO, &error);
  }
  if ((stat(folder, &facts) != 0 && mkdir(folder, 0777) != 0) ||
      (stat(folder, &facts) == 0 && (!S_ISDIR(facts.st_mode) || access(folder, W_OK) != 0))) {
    snprintf(error.text, sizeof error.text, "can't write to the folder '%.300s'", folder);
    return print_failure(c, SCANT_IO, &error);
  }
  return EXIT_DONE;
}

scant_status files_open_test(scant_source **test, const char *path, const scant_settings *settings,
                             scant_error *error) {
  scant_status status = scant_source_open(test, path, settings, SCANT_TARGET_OPTIONAL, error);
  if (status != SCANT_OK || scant_source_has_target(*test)) return status;
  scant_source_free(*test);
  *test = NULL;
  if (settings->reading.target)
    return scant_fail(
        error, SCANT_USAGE,
        "'%.200s' holds no targets: it needs a column '%.100s', or --test-labels FILE if it is NPY or IDX", path,
        settings->reading.target);
  return scant_fail(error, SCANT_USAGE, "'%.300s' holds no targets: it needs --test-labels FILE", path);
}

/* ---- files of looks: --looks and --looks-pairs ---- */

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
