/* Help on one action of scant study: its operands, its options and no others, an example and the exit codes. */
#include <ctype.h>
#include <string.h>

#include "front/subcommand_options.h"
#include "study_actions.h"

/* What the table of run_study.c does not say. */
static const struct words {
  const char *action, *summary, *example;
  const char *refused; /* what exit code 1 means here; NULL: any other failure */
} all[] = {
    {"create", "make a new study", "scant study create clinic.study --attributes attributes.csv -k 3", NULL},
    {"ask", "say what to measure of one example or several", "scant study ask clinic.study P-001 P-002",
     "the budget does not cover it, too many orders are open, an order ended, or a name is nearly that of another"},
    {"tell", "record values, and the target", "scant study tell clinic.study P-001 glucose=5.4 score=11.3",
     "the order has ended, or second entries differ from the first"},
    {"list", "list what is still to come, or sheets to print", "scant study list clinic.study --due glucose", NULL},
    {"show", "show one example: its orders, values and history", "scant study show clinic.study P-001", NULL},
    {"cancel", "end an order", "scant study cancel clinic.study P-003",
     "the order has ended already, or something was told of it and --yes is missing"},
    {"reopen", "take the end of an order back", "scant study reopen clinic.study P-003 --reason 'the wrong patient'",
     "the order has not ended, the budget does not cover it any more, or too many orders are open"},
    {"correct", "replace values that were told",
     "scant study correct clinic.study P-001 glucose=5.6 --reason 'misread'", NULL},
    {"amend", "change prices, attributes, K or budgets",
     "scant study amend clinic.study glucose cost=9 --reason 'a new contract'", NULL},
    {"catalogue", "print the catalogue as it is now", "scant study catalogue clinic.study > attributes.csv", NULL},
    {"erase", "erase an example, its name and its values",
     "scant study erase clinic.study P-003 --reason 'consent withdrawn' --yes",
     "--yes is missing, which is the way to see what would go"},
    {"status", "show money, orders and what was learned", "scant study status clinic.study --plot clinic.svg", NULL},
    {"ledger", "print every event as csv", "scant study ledger clinic.study > events.csv", NULL},
    {"predict", "predict the target from some values", "scant study predict clinic.study age=50 glucose=6", NULL},
    {"export", "write the model so far, or tables", "scant study export clinic.study --csv -o patients.csv", NULL},
    {"plan", "say which K to take, and what an error costs", "scant study plan clinic.study --reach 1.5", NULL},
    {"import", "learn from past data", "scant study import clinic.study --csv past.csv",
     "an example has an order, was imported with other values, or its name is nearly that of another"},
    {"verify", "prove that all follows from the ledger", "scant study verify clinic.study", NULL},
    {"replay", "make orders and learner again from the ledger", "scant study replay clinic.study", NULL},
    {"backup", "copy the study", "scant study backup clinic.study clinic.backup", NULL},
    {"freeze", "make a copy for a paper", "scant study freeze clinic.study \"first submission\" -o submitted.study",
     "the name was used before, or the study is frozen itself"},
};

enum { OWN_MOST = 64 };

static int is_called(const char *row, const char *action) {
  size_t length = strcspn(row, " ");
  return strlen(action) == length && !strncmp(row, action, length);
}

static const struct words *find_words(const char *row) {
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (is_called(row, all[i].action)) return &all[i];
  return NULL;
}

/* The names of the actions, each once, with a few words. */
const named *study_action_name(size_t index) {
  static char name[32];
  static named shown;
  study_action_words row, before = {0};
  size_t seen = 0;
  for (size_t i = 0; study_action_at(i, &row); i++, before = row) {
    size_t length = strcspn(row.name, " ");
    if (before.name && !strncmp(before.name, row.name, length + 1)) continue;
    if (seen++ < index) continue;
    const struct words *words = find_words(row.name);
    snprintf(name, sizeof name, "%.*s", (int)length, row.name);
    shown = (named){name, words ? words->summary : row.help};
    return &shown;
  }
  return NULL;
}

static int is_action(const char *word, size_t length) {
  study_action_words row;
  for (size_t i = 0; study_action_at(i, &row); i++)
    if (strcspn(row.name, " ") == length && !strncmp(row.name, word, length)) return 1;
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

static void print_options(FILE *out, const command *c, const char *action, const study_action_words *row) {
  static char texts[OWN_MOST][256];
  scant_option own[OWN_MOST + 1] = {{0}};
  size_t count = 0;
  for (const scant_option *o = c->own; o->name && count < OWN_MOST; o++) {
    if (!has_word(row->options, o->name) && !(row->writes && has_word("by wait", o->name))) continue;
    own[count] = *o;
    own[count].help = help_for(o->help, action, texts[count], sizeof texts[count]);
    if (o->or_none && !strcmp(action, "list")) own[count].argument = NULL; /* there it is a flag */
    count++;
  }
  command one = *c;
  one.own = own;
  if (row->amends) one.only = STUDY_AMENDABLE;
  if (!row->creates && !row->amends) one.scopes = 0;
  help_each_option(out, &one, row->creates ? print_row_of_create : help_row, "\n%s:\n");
  if (row->creates) return;
  one.own = no_options;
  one.scopes = SCANT_SCOPE_FIT;
  one.only = "threads memory"; /* few need them, so they come last */
  help_each_option(out, &one, help_row, "\nThe machine:\n%.0s");
}

static void print_exits(FILE *out, const study_action_words *row, const struct words *words) {
  char refused[300];
  snprintf(refused, sizeof refused, "%s%s", words && words->refused ? words->refused : "",
           words && words->refused ? "; any other failure" : "any other failure");
  fprintf(out, "\nExit codes:\n");
  help_row(out, "0", "done");
  help_row(out, "1", refused);
  help_row(out, "2", "the command line is wrong");
  help_row(
      out, "65",
      row->creates ? "the catalogue is wrong" : "names or values are wrong, or the file is no study or is damaged");
  help_row(out, "66", "there is no such file");
  help_row(out, "74", "reading or writing failed");
  if (row->writes || has_word(row->options, "wait"))
    help_row(out, "75", "another process is writing to the study: try again");
}

int study_help_action(FILE *out, const command *c, const char *action) {
  study_action_words row, first = {0};
  const char *before = "usage: ";
  char options[512] = "";
  for (size_t i = 0; study_action_at(i, &row); i++) {
    if (!is_called(row.name, action)) continue;
    if (!first.name) first = row;
    fprintf(out, "%sscant study %s [options]\n", before, row.name);
    before = "       ";
    size_t used = strlen(options);
    snprintf(options + used, sizeof options - used, " %s", row.options);
  }
  if (!first.name) return 0;
  first.options = options;
  for (size_t i = 0; study_action_at(i, &row); i++) {
    char text[1000];
    if (!is_called(row.name, action)) continue;
    snprintf(text, sizeof text, "%c%s.", toupper((unsigned char)row.help[0]), row.help + 1);
    fputc('\n', out);
    help_wrapped(out, text, 0, 0);
  }
  print_options(out, c, action, &first);
  const struct words *words = find_words(first.name);
  if (words) fprintf(out, "\nExample:\n  %s\n", words->example);
  print_exits(out, &first, words);
  return 1;
}
