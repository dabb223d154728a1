/* Help on one action of scant study: its operands, its options and no others, an example and the exit codes. */
#include <ctype.h>
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

static int is_action(const char *word, size_t length) {
  const study_action *x;
  for (size_t i = 0; (x = study_action_at(i)); i++)
    if (strcspn(x->name, " ") == length && !strncmp(x->name, word, length)) return 1;
  return 0;
}

/* Is this action one of those that the text begins with, as in "ask, list: ..."?  *text is what follows; NULL: it does
 * not begin with actions. */
static int is_for(const char *help, const char *action, const char **text) {
  int found = 0;
  *text = NULL;
  for (const char *at = help;;) {
    size_t length = strcspn(at, ",: ");
    if (!is_action(at, length)) return 0;
    found |= strlen(action) == length && !strncmp(at, action, length);
    at += length;
    if (at[0] == ':' && at[1] == ' ') *text = at + 2;
    if (*text) return found;
    if (at[0] != ',' || at[1] != ' ') return 0;
    at += 2;
  }
}

/* Help of an option has a sentence for each of the actions that take it.  On the page of one action the others are left
 * out. */
static const char *help_for(const char *help, const char *action, char *room, size_t size) {
  const char *at = help;
  do {
    const char *text;
    if (is_for(at, action, &text)) {
      const char *end = strstr(text, ".  ");
      snprintf(room, size, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
      return room;
    }
    at = strstr(at, ".  ");
    if (at) at += 3;
  } while (at);
  const char *others = strstr(help, ".  "), *text = NULL;
  if (others) is_for(others + 3, action, &text);
  if (!text) return help;
  snprintf(room, size, "%.*s", (int)(others - help), help);
  return room;
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
  static char texts[OWN_MOST][256];
  scant_option own[OWN_MOST + 1] = {{0}};
  size_t count = 0;
  for (const scant_option *o = c->own; o->name && count < OWN_MOST; o++) {
    if (!has_word(options, o->name) && !(x->how == OPENS_TO_WRITE && has_word("by wait", o->name))) continue;
    own[count] = *o;
    own[count].help = help_for(o->help, action, texts[count], sizeof texts[count]);
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
