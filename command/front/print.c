/* Sentences on standard error, and the end of standard output. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static int colored(void) {
  const char *no = getenv("NO_COLOR");
  return isatty(2) && !(no && *no);
}

static void print_head(const command *c, const char *color, const char *word) {
  const char *on = colored() ? color : "", *off = colored() ? "\033[0m" : "";
  fprintf(stderr, "%s%s%s%s%s%s:%s ", on, this_program.name, c ? " " : "", c ? c->name : "", word ? ": " : "",
          word ? word : "", off);
}

static int is_option(const command *c, const char *name) {
  for (const scant_option *o = c ? c->own : NULL; o && o->name; o++)
    if (!strcmp(o->name, name)) return 1;
  return scant_option_find(name) != NULL;
}

/* The library writes "option NAME"; this program prints "--NAME". */
static void print_sentence(const command *of, const char *text) {
  static const char word[] = "option ";
  for (const char *c = text; *c;) {
    char name[32];
    size_t length = strncmp(c, word, sizeof word - 1) ? 0 : strcspn(c + sizeof word - 1, " ,:;.)");
    snprintf(name, sizeof name, "%.*s", (int)length, c + (length ? sizeof word - 1 : 0));
    if (length && length < sizeof name && is_option(of, name)) {
      fprintf(stderr, "--%s", name);
      c += sizeof word - 1 + length;
    } else {
      fputc(*c++, stderr);
    }
  }
  fputc('\n', stderr);
}

int print_failure(const command *c, scant_status status, const scant_error *error) {
  fflush(stdout); /* what was printed before comes before, also where both go into one file */
  print_head(c, "\033[31m", NULL);
  print_sentence(c, error->text);
  switch (status) {
    case SCANT_USAGE:
      return EXIT_USAGE;
    case SCANT_DATA:
      return EXIT_DATA;
    case SCANT_NO_INPUT:
      return EXIT_NO_INPUT;
    case SCANT_IO:
      return EXIT_IO;
    case SCANT_BUSY:
      return EXIT_BUSY;
    case SCANT_OK:
    case SCANT_MEMORY:
    case SCANT_MISUSE:
    case SCANT_SPENT:
    case SCANT_STOPPED:
    default:
      return EXIT_OTHER;
  }
}

int print_usage_failure(const command *c, const char *format, ...) {
  scant_error error;
  va_list list;
  va_start(list, format);
  vsnprintf(error.text, sizeof error.text, format, list);
  va_end(list);
  return print_failure(c, SCANT_USAGE, &error);
}

void print_warning(const char *text) {
  print_head(NULL, "\033[33m", "warning");
  fprintf(stderr, "%s\n", text);
}

void print_note(const scant_source *source, scant_note note) {
  scant_error sentence;
  if (!source || !scant_source_note(source, note, &sentence)) return;
  print_head(NULL, "\033[33m", "note");
  print_sentence(NULL, sentence.text);
}

void print_bought(const scant_ledger *l) {
  if (!l->examples) return;
  fprintf(stderr, "bought before it ended: %llu attributes of %llu examples", (unsigned long long)l->attributes_bought,
          (unsigned long long)l->examples);
  if (l->money_spent) fprintf(stderr, ", %.2f spent", (double)l->money_spent / 100);
  fprintf(stderr, "\n");
}

int print_end(const command *c) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_DONE;
  scant_error error = {"can't write to standard output"};
  return print_failure(c, SCANT_IO, &error);
}
