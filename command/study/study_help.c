/* Help on one action of scant study: its operands, its options and no others, an example and the exit codes. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/subcommand_options.h"
#include "study_actions.h"

enum { OWN_MOST = 64 };

/* The names of the actions, each once, with a few words. */
const named *study_action_name(size_t index) {
  static char name[32];
  static named shown;
  const study_action *x;
  size_t seen = 0;
  for (size_t i = 0; (x = study_action_at(i)); i++) {
    if (!x->summary || seen++ < index) continue;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(x->name, " "), x->name);
    shown = (named){name, x->summary};
    return &shown;
  }
  return NULL;
}

/* Where an option does something else for one of its actions than its own help says. */
static const struct {
  const char *option, *action, *help;
} exceptions[] = {
    {"csv", "ask", "the examples, in a column 'example'"},
    {"csv", "list", "print csv"},
    {"csv", "export", "write one line per example to this file, or to that of -o"},
    {"yes", "erase", "erase it, for good"},
    {"dry-run", "amend", "change nothing; say what would change"},
    {"by", "list", "orders that this person asked for"},
    {"output", "freeze", "the copy"},
};
enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };

/* What the option does for this action, if that is an exception; else NULL. */
static const char *find_exception(const char *option, const study_action *x) {
  for (size_t i = 0; i < EXCEPTIONS; i++)
    if (!strcmp(exceptions[i].option, option) && study_is_called(x, exceptions[i].action)) return exceptions[i].help;
  return NULL;
}

/* An option that every action that writes takes. */
static int is_of_writers(const char *option) {
  return has_word("by wait", option);
}

enum { HELP_MOST = 400 };

/* Ends a text that becomes too long early. */
static void append(char text[HELP_MOST], const char *format, ...) {
  size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, HELP_MOST - used, format, values);
  va_end(values);
}

/* The actions that take the option as its own help says: "ask, list". */
static void append_actions(char text[HELP_MOST], const char *option) {
  const char *last = "";
  const study_action *x;
  if (is_of_writers(option)) {
    append(text, "actions that write");
    return;
  }
  for (size_t i = 0; (x = study_action_at(i)); i++) {
    size_t length = strcspn(x->name, " ");
    if (!has_word(x->options, option) || find_exception(option, x) || !strncmp(last, x->name, length + 1)) continue;
    append(text, "%s%.*s", *text ? ", " : "", (int)length, x->name);
    last = x->name;
  }
}

const scant_option *study_options_of_all_actions(void) {
  static char texts[OWN_MOST][HELP_MOST];
  static scant_option own[OWN_MOST + 1];
  for (size_t i = 0; i < OWN_MOST && study_options[i].name; i++) {
    own[i] = study_options[i];
    own[i].help = texts[i];
    *texts[i] = 0;
    append_actions(texts[i], own[i].name);
    append(texts[i], ": %s", study_options[i].help);
    for (size_t j = 0; j < EXCEPTIONS; j++)
      if (!strcmp(exceptions[j].option, own[i].name))
        append(texts[i], ".  %s: %s", exceptions[j].action, exceptions[j].help);
  }
  return own;
}

/* A study takes another default than a fit. */
static void print_row_of_create(FILE *out, const char *usage, const char *help) {
  int algorithm = !strncmp(usage, "--algorithm", strlen("--algorithm"));
  help_row(out, usage,
           algorithm
               ? "a name that 'scant algorithms' lists; if not given gaussian, or auto where gaussian does not take "
                 "an option that is given or needs more memory than it may"
               : help);
}

static void print_options(FILE *out, const command *c, const study_action *x, const char *action, const char *options) {
  scant_option own[OWN_MOST + 1] = {{0}};
  size_t count = 0;
  for (const scant_option *o = c->own; o->name && count < OWN_MOST; o++) {
    if (!has_word(options, o->name) && !(x->how == OPENS_TO_WRITE && is_of_writers(o->name))) continue;
    own[count] = *o;
    const char *exception = find_exception(o->name, x);
    if (exception) own[count].help = exception;
    if (o->or_none && !strcmp(action, "list")) own[count].argument = NULL; /* there it is a flag */
    count++;
  }
  command one = *c;
  one.own = own;
  int creates = x->run == study_create, amends = x->run == study_amend;
  if (amends) one.only = STUDY_AMENDABLE;
  if (!creates && !amends) one.scopes = 0;
  help_each_option(out, &one, creates ? print_row_of_create : help_row, "\n%s:\n");
  if (creates) return;
  one.own = no_options;
  one.scopes = SCANT_SCOPE_FIT;
  one.only = "threads memory"; /* few need them, so they come last */
  help_each_option(out, &one, help_row, "\nThe machine:\n%.0s");
}

static void print_exits(FILE *out, const study_action *x) {
  char refused[300];
  snprintf(refused, sizeof refused, "%s%sany other failure", x->refused ? x->refused : "", x->refused ? "; " : "");
  fprintf(out, "\nExit codes:\n");
  help_row(out, "0", "done");
  help_row(out, "1", refused);
  help_row(out, "2", "the command line is wrong");
  help_row(out, "65",
           x->run == study_create ? "the catalogue is wrong"
                                  : "names or values are wrong, or the file is no study or is damaged");
  help_row(out, "66", "there is no such file");
  help_row(out, "74", "reading or writing failed");
  if (x->how == OPENS_TO_WRITE) help_row(out, "75", "another process is writing to the study: try again");
}

int study_help_action(FILE *out, const command *c, const char *action) {
  const study_action *x, *first = NULL;
  char options[512] = "";
  for (size_t i = 0; (x = study_action_at(i)); i++) {
    if (!study_is_called(x, action)) continue;
    fprintf(out, "%sscant study %s [options]\n", first ? "       " : "usage: ", x->name);
    if (!first) first = x;
    size_t used = strlen(options);
    snprintf(options + used, sizeof options - used, " %s", x->options);
  }
  if (!first) return 0;
  for (size_t i = 0; (x = study_action_at(i)); i++) {
    char text[1000];
    if (!study_is_called(x, action)) continue;
    snprintf(text, sizeof text, "%c%s.", toupper((unsigned char)x->help[0]), x->help + 1);
    fputc('\n', out);
    help_wrapped(out, text, 0, 0);
  }
  print_options(out, c, first, action, options);
  fprintf(out, "\nExample:\n  %s\n", first->example);
  print_exits(out, first);
  return 1;
}
