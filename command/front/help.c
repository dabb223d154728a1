/* Prints help from the tables. */
#include <ctype.h>
#include <string.h>

#include "command.h"

void help_wrapped(FILE *out, const char *text, size_t column, int indent) {
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
  int width = 25 - (int)strlen(this_program.name);
  fprintf(out, "%s\n\nusage:\n", this_program.about);
  for (size_t i = 0; (c = command_at(i)); i++) {
    char usage[64];
    snprintf(usage, sizeof usage, "%s %s", c->name, c->operands);
    fprintf(out, "  %s %-*s ", this_program.name, width, usage);
    help_wrapped(out, c->summary, 29, 29);
  }
  fprintf(out, "\n'%s COMMAND --help' lists the options of a command.\n", this_program.name);
}

/* Writes "-o, --output MODEL" or "--no-shuffle".  A flag that is on by default is shown in the form that turns it
 * off. */
static void option_usage(const scant_option *o, char *text, size_t size) {
  int on = o->type == SCANT_OPTION_FLAG && o->preset && !strcmp(o->preset, "yes");
  char letter[8] = "";
  if (o->letter) snprintf(letter, sizeof letter, "-%c%s", o->letter, strlen(o->name) > 1 ? ", " : "");
  snprintf(text, size, "%s%s%s%s%s%s", letter, strlen(o->name) > 1 ? "--" : "", on ? "no-" : "",
           strlen(o->name) > 1 ? o->name : "", o->argument ? " " : "", o->argument ? o->argument : "");
}

/* Has some algorithm a default of its own for it? */
static int is_preset(const scant_option *o) {
  const scant_algorithm *algorithm;
  size_t length = strlen(o->name);
  if (!(o->scope & SCANT_SCOPE_LEARNER)) return 0;
  for (size_t i = 0; (algorithm = scant_algorithm_at(i)); i++)
    for (const char *at = algorithm->presets; *at; at += strcspn(at, " "), at += strspn(at, " "))
      if (!strncmp(at, o->name, length) && at[length] == '=') return 1;
  return 0;
}

static void option_help(const scant_option *o, char *text, size_t size) {
  int on = o->type == SCANT_OPTION_FLAG && o->preset && !strcmp(o->preset, "yes");
  size_t used = (size_t)snprintf(text, size, "%s%s", on ? "do not " : "", o->help);
  if (o->type == SCANT_OPTION_CHOICE && strcmp(o->argument, o->choices) != 0 && used < size)
    used += (size_t)snprintf(text + used, size - used, " (%s)", o->choices);
  if (o->type != SCANT_OPTION_FLAG && o->preset && used < size)
    snprintf(text + used, size - used, " [%s%s]", o->preset, is_preset(o) ? ", or what the algorithm has" : "");
}

void help_row(FILE *out, const char *usage, const char *help) {
  int too_long = strlen(usage) > 24;
  fprintf(out, too_long ? "  %s\n%27s" : "  %-24s%1s", usage, "");
  help_wrapped(out, help, 27, 27);
}

/* The groups of options. */
static const struct {
  unsigned scope;
  const char *title;
} groups[] = {
    {SCANT_SCOPE_FIT, "The run"},
    {SCANT_SCOPE_LEARNER, "The algorithm ('scant algorithms' says which options each takes)"},
    {SCANT_SCOPE_DATA, "The data"},
};

void help_each_option(FILE *out, const command *c, help_printer print, const char *title_format) {
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
  fprintf(out, "usage: %s %s%s%s%s\n\n", this_program.name, c->name, *c->operands ? " " : "", c->operands,
          c->own->name || c->scopes ? " [options]" : "");
  fprintf(out, "%c%s.\n", toupper((unsigned char)c->summary[0]), c->summary + 1);
  if (*c->text) {
    fputc('\n', out);
    help_wrapped(out, c->text, 0, 0);
  }
  const named *n;
  const named *(*names)(size_t) = c->short_names ? c->short_names : c->names;
  if (names) fprintf(out, "\n%.*s:\n", (int)strcspn(c->operands, " "), c->operands);
  for (size_t i = 0; names && (n = names(i)); i++) help_row(out, n->name, n->help);
  if (c->help_part) {
    fprintf(out, "\n'%s help %s %.*s' has the operands, options and exit codes of one.\n", this_program.name, c->name,
            (int)strcspn(c->operands, " "), c->operands);
    return;
  }
  help_each_option(out, c, help_row, "\n%s:\n");
}
