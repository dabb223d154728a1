/* Help and the manual page, both made from the tables. */
#include <ctype.h>
#include <string.h>

#include "command.h"

/* Prints text in lines of at most 80 columns, the first of which has `column`
 * used; the others are indented. */
static void print_wrapped(FILE *out, const char *text, size_t column, int indent) {
  int first = 1;
  while (*text) {
    size_t length = strcspn(text, " ");
    if (!first && column + 1 + length > 80) {
      fprintf(out, "\n%*s", indent, "");
      column = (size_t)indent;
      first = 1;
    }
    fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
    column += length + !first;
    first = 0;
    text += length;
    text += strspn(text, " ");
  }
  fputc('\n', out);
}

void help_overview(FILE *out) {
  const command *c;
  fprintf(out, "scant learns linear models when every attribute has a price.\n\nusage:\n");
  for (size_t i = 0; (c = command_at(i)); i++) {
    char usage[64];
    snprintf(usage, sizeof usage, "%s %s", c->name, c->operands);
    fprintf(out, "  scant %-20s ", usage);
    print_wrapped(out, c->summary, 29, 29);
  }
  fprintf(out, "\n'scant COMMAND --help' lists the options of a command.\n");
}

/* "-k, --k K", "--no-shuffle": a flag that is on by default is shown by the
 * form that changes something. */
static void option_usage(const scant_option *o, char *text, size_t size) {
  int on = o->type == SCANT_OPTION_FLAG && o->preset && !strcmp(o->preset, "yes");
  char letter[8] = "";
  if (o->letter) snprintf(letter, sizeof letter, "-%c%s", o->letter, strlen(o->name) > 1 ? ", " : "");
  snprintf(text, size, "%s%s%s%s%s%s", letter, strlen(o->name) > 1 ? "--" : "", on ? "no-" : "",
           strlen(o->name) > 1 ? o->name : "", o->argument ? " " : "", o->argument ? o->argument : "");
}

static void option_help(const scant_option *o, char *text, size_t size) {
  int on = o->type == SCANT_OPTION_FLAG && o->preset && !strcmp(o->preset, "yes");
  size_t used = (size_t)snprintf(text, size, "%s%s", on ? "do not " : "", o->help);
  if (o->type == SCANT_OPTION_CHOICE && strcmp(o->argument, o->choices) != 0 && used < size)
    used += (size_t)snprintf(text + used, size - used, " (%s)", o->choices);
  if (o->type != SCANT_OPTION_FLAG && o->preset && used < size) snprintf(text + used, size - used, " [%s]", o->preset);
}

typedef void (*option_printer)(FILE *out, const char *usage, const char *help);

static void print_option(FILE *out, const char *usage, const char *help) {
  int too_long = strlen(usage) > 24;
  fprintf(out, too_long ? "  %s\n%27s" : "  %-24s%1s", usage, "");
  print_wrapped(out, help, 27, 27);
}

/* Options by who reads them. */
static const struct {
  unsigned scope;
  const char *title;
} groups[] = {
    {SCANT_SCOPE_FIT, "The run"},
    {SCANT_SCOPE_LEARNER, "The algorithm ('scant algorithms': which row takes which, and its own defaults)"},
    {SCANT_SCOPE_DATA, "The data"},
};

static void each_option(FILE *out, const command *c, option_printer print, const char *title_format) {
  char usage[64], help[256];
  const scant_option *o;
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    if (!(c->scopes & groups[g].scope)) continue;
    fprintf(out, title_format, groups[g].title);
    for (size_t i = 0; (o = scant_option_at(i)); i++) {
      if (!(o->scope & groups[g].scope) || !arguments_takes(c, o)) continue;
      option_usage(o, usage, sizeof usage);
      option_help(o, help, sizeof help);
      print(out, usage, help);
    }
  }
  if (c->own->name) fprintf(out, title_format, "Input and output");
  for (o = c->own; o->name; o++) {
    option_usage(o, usage, sizeof usage);
    option_help(o, help, sizeof help);
    print(out, usage, help);
  }
}

void help_command(FILE *out, const command *c) {
  fprintf(out, "usage: scant %s%s%s%s\n\n", c->name, *c->operands ? " " : "", c->operands,
          c->own->name || c->scopes ? " [options]" : "");
  fprintf(out, "%c%s.\n", toupper((unsigned char)c->summary[0]), c->summary + 1);
  if (*c->text) {
    fputc('\n', out);
    print_wrapped(out, c->text, 0, 0);
  }
  const named *n;
  if (c->names) fprintf(out, "\n%.*s:\n", (int)strcspn(c->operands, " "), c->operands);
  for (size_t i = 0; c->names && (n = c->names(i)); i++) print_option(out, n->name, n->help);
  each_option(out, c, print_option, "\n%s:\n");
}

/* ---- the manual page --------------------------------------------------- */

static void print_escaped(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '-')
      fputs("\\-", out);
    else if (*text == '\\')
      fputs("\\e", out);
    else
      fputc(*text, out);
  }
}

static void print_manual_option(FILE *out, const char *usage, const char *help) {
  fputs(".TP\n.B ", out);
  print_escaped(out, usage);
  fputc('\n', out);
  if (*help == '\'' || *help == '.') fputs("\\&", out);
  print_escaped(out, help);
  fputc('\n', out);
}

static void print_manual_commands(FILE *out) {
  const command *c;
  for (size_t i = 0; (c = command_at(i)); i++) {
    fprintf(out, ".SH SCANT %s\n", c->name);
    fprintf(out, ".B scant %s\n%s%s.PP\n", c->name, c->operands, *c->operands ? "\n" : "");
    fprintf(out, "%c%s.\n", toupper((unsigned char)c->summary[0]), c->summary + 1);
    if (*c->text) {
      print_escaped(out, c->text);
      fputc('\n', out);
    }
    const named *n;
    for (size_t j = 0; c->names && (n = c->names(j)); j++) print_manual_option(out, n->name, n->help);
    each_option(out, c, print_manual_option, ".SS %s\n");
  }
}

static void print_manual_algorithms(FILE *out) {
  const scant_algorithm *r;
  fputs(".SH ALGORITHMS\n", out);
  for (size_t i = 0; (r = scant_algorithm_at(i)); i++) {
    fprintf(out, ".TP\n.B %s\n", r->name);
    print_escaped(out, r->title);
    fprintf(out, " (%s). Options: ", r->reference);
    print_escaped(out, r->options);
    fprintf(out, ".%s\n", r->strict ? "" : " K holds in expectation only.");
  }
}

void help_manual(FILE *out) {
  fprintf(out, ".TH SCANT 1 \"\" \"scant %s\" \"User Commands\"\n", scant_version());
  fputs(".SH NAME\nscant \\- linear models when every attribute has a price\n.SH SYNOPSIS\n", out);
  fputs(".B scant\n.I COMMAND\n[\n.I operands\n] [\n.I options\n]\n.SH DESCRIPTION\n", out);
  fputs(
      "For each training example the learner chooses a few attributes to look at, is told their values\n"
      "and the target, and learns. It never sees what it did not ask for, and every look is in a ledger.\n",
      out);
  print_manual_commands(out);
  print_manual_algorithms(out);
  fputs(
      ".SH EXIT STATUS\n"
      "0 done; 2 the command line is wrong; 65 the data are wrong; 66 no such input; 74 reading or\n"
      "writing failed; 75 another one is writing to the study; 130 interrupted, 143 terminated; 1 any other failure.\n"
      ".SH EXAMPLES\n.nf\n"
      "scant fit train.csv \\-k 8 \\-\\-split 0.1 \\-o model.json\n"
      "scant show model.json\n"
      "scant eval model.json test.csv\n"
      "scant predict model.json new.csv \\-o predictions.txt\n"
      "scant fit images\\-idx3\\-ubyte \\-\\-labels labels\\-idx1\\-ubyte \\-\\-classes 3,5 \\-k 56\n"
      "scant fit train.csv \\-\\-algorithm gaussian \\-k 8 \\-o gaussian.json\n"
      "scant predict gaussian.json new.csv \\-k 3 \\-\\-costs costs.csv \\-\\-interval 0.9\n"
      "scant study create clinic.study \\-\\-attributes attributes.csv \\-k 3\n"
      "scant study ask clinic.study P\\-001\n"
      "scant study tell clinic.study P\\-001 glucose=5.4 y=11.3\n"
      ".fi\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty, messages are not coloured.\n",
      out);
}
