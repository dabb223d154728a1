/* Runs the subcommand that the words name; help and version. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"

const command *command_at(size_t index) {
  return index < this_program.command_count ? &this_program.commands[index] : NULL;
}

/* NULL: there is none. */
static const command *command_find(const char *name) {
  const command *c;
  for (size_t i = 0; (c = command_at(i)); i++)
    if (!strcmp(c->name, name)) return c;
  return NULL;
}

int run_help(arguments *a) {
  if (!a->operand_count) {
    help_overview(stdout);
    return print_end(a->command);
  }
  const command *c = command_find(a->operands[0]);
  char all[64];
  snprintf(all, sizeof all, ": see '%s help ", this_program.name);
  if (a->operand_count > 1 && c && has_word(c->also, a->operands[1])) { /* a command of its own */
    help_command(stdout, command_find(a->operands[1]));
    return print_end(a->command);
  }
  if (a->operand_count > 1 && c && c->help_part) {
    if (c->help_part(stdout, c, a->operands[1])) return print_end(a->command);
    return print_usage_failure(a->command, "there is no '%s %s'%s%s'", c->name, a->operands[1], all, c->name);
  }
  if (a->operand_count > 1)
    return print_usage_failure(a->command, "'%s' is one word too many%s%s%s", a->operands[1], c ? all : "",
                               c ? c->name : "", c ? "'" : "");
  if (this_program.manual && !strcmp(a->operands[0], "man"))
    this_program.manual(stdout);
  else if (c)
    help_command(stdout, c);
  else
    return print_usage_failure(a->command, "there is no command '%s'", a->operands[0]);
  return print_end(a->command);
}

int run_version(arguments *a) {
  printf("%s %s\n", this_program.name, scant_version());
  return print_end(a->command);
}

/* When another process shortens a file that is mapped into memory, reading past its end raises this signal.  Outputs
 * are renamed into place when they are whole, so no file is half-written. */
static void bus_error(int signal_number) {
  static const char sentence[] = "scant: a file was changed while it was in use\n";
  (void)signal_number;
  ssize_t written = write(STDERR_FILENO, sentence, sizeof sentence - 1);
  _exit(written < 0 ? EXIT_OTHER : EXIT_IO);
}

int program_main(int count, char **words) {
  signal(SIGBUS, bus_error);
  if (count < 2) {
    help_overview(stderr);
    return EXIT_USAGE;
  }
  const char *name = words[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  const command *c = command_find(name);
  if (!c) return print_usage_failure(NULL, "there is no command '%s'; '%s help' lists them", name, this_program.name);
  int names = 2;
  if (count > 2 && has_word(c->also, words[2])) c = command_find(words[names++]); /* as in `scant study plan` */
  arguments a;
  int code = arguments_read(&a, c, count - names, (const char **)words + names);
  if (code == EXIT_DONE && a.help) {
    if (!c->help_part || !a.operand_count || !c->help_part(stdout, c, a.operands[0])) help_command(stdout, c);
    code = print_end(c);
  } else if (code == EXIT_DONE) {
    interrupt_ends(c);
    code = c->run(&a);
  }
  arguments_free(&a);
  return code;
}
