/* Sentences on standard error, and the end of standard output. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

scant_json_writer document_begin(void) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  return out;
}

scant_status document_print(scant_json_writer *out, scant_status status, scant_error *error) {
  char *text = NULL;
  size_t length = 0;
  scant_json_close(out);
  if (status == SCANT_OK) status = scant_json_take(out, &text, &length, error);
  if (text) fwrite(text, 1, length, stdout);
  scant_json_discard(out);
  free(text);
  return status;
}

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
  fflush(stdout); /* so that output stays in order, also where both go into one file */
  print_head(c, "\033[31m", NULL);
  print_sentence(c, error->text);
  static const int codes[] = {[SCANT_USAGE] = EXIT_USAGE,
                              [SCANT_DATA] = EXIT_DATA,
                              [SCANT_NO_INPUT] = EXIT_NO_INPUT,
                              [SCANT_IO] = EXIT_IO,
                              [SCANT_BUSY] = EXIT_BUSY};
  size_t place = (size_t)status;
  return place < sizeof codes / sizeof *codes && codes[place] ? codes[place] : EXIT_OTHER;
}

int print_usage_failure(const command *c, const char *format, ...) {
  scant_error error;
  va_list list;
  va_start(list, format);
  vsnprintf(error.text, sizeof error.text, format, list);
  va_end(list);
  return print_failure(c, SCANT_USAGE, &error);
}

void print_warning(const char *format, ...) {
  va_list list;
  print_head(NULL, "\033[33m", "warning");
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
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
