/* The manual page, and scant algorithms: both print tables. */
#include <ctype.h>

#include "front/command.h"
#include "front/subcommand_options.h"

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
    command one = *c;
    if (one.own == study_options) one.own = study_options_of_all_actions();
    help_each_option(out, &one, print_manual_option, ".SS %s\n");
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
      "0 done; 2 the command line is wrong; 65 the data are wrong; 66 there is no such input; 74 reading or\n"
      "writing failed; 75 another process is writing to the study; 130 interrupted, 143 terminated; 1 any other "
      "failure.\n"
      ".SH EXAMPLES\n.nf\n"
      "scant fit train.csv \\-k 8 \\-\\-split 0.1 \\-o model.json\n"
      "scant show model.json\n"
      "scant eval model.json test.csv\n"
      "scant predict model.json new.csv \\-o predictions.txt\n"
      "scant curve train.csv \\-\\-algorithms 'auto k=8,auto k=16,full\\-ridge standardise=yes'\n"
      "scant fit images\\-idx3\\-ubyte \\-\\-labels labels\\-idx1\\-ubyte \\-\\-classes 3,5 \\-k 56\n"
      "scant fit train.csv \\-\\-algorithm gaussian \\-k 8 \\-o gaussian.json\n"
      "scant predict gaussian.json new.csv \\-k 3 \\-\\-costs costs.csv \\-\\-interval 0.9\n"
      "scant study create clinic.study \\-\\-attributes attributes.csv \\-k 3\n"
      "scant study ask clinic.study P\\-001\n"
      "scant study tell clinic.study P\\-001 glucose=5.4 y=11.3\n"
      "scant token add tokens.json anna \\-\\-role enter\n"
      "scant serve clinic.study \\-\\-tokens tokens.json\n"
      ".fi\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty, messages are not coloured.\n",
      out);
}

/* ---- scant algorithms ------------------------------------------------------------- */

/* It is no algorithm itself. */
static void print_default(void) {
  printf(SCANT_DEFAULT_ALGORITHM ": gaussian or auto, as the size of the data allows; tune: auto\n");
  printf("  gaussian   if m K^3 + 8 d^3 <= %g, for m examples and K of d attributes (m unknown: if 8 d^3 <= %g)\n",
         SCANT_DEFAULT_WORK, SCANT_DEFAULT_WORK);
  printf("  auto       if not, or if an option is given that gaussian does not take\n");
}

int run_algorithms(arguments *a) {
  const scant_algorithm *r;
  print_default();
  for (size_t i = 0; (r = scant_algorithm_at(i)); i++) {
    printf("\n%s: %s\n", r->name, r->title);
    printf("  look       %s\n", r->look);
    printf("  estimate   %s\n", r->estimate);
    printf("  update     %s\n", r->update);
    printf("  K holds    %s\n", r->whole    ? "as d: every attribute"
                                : r->strict ? "for every example"
                                            : "in expectation only");
    if (r->dense) printf("  memory     %s, up to --memory; one pass\n", r->whole ? "every example" : "d^2");
    printf("  options    %s\n", r->options);
    if (*r->presets) printf("  defaults   %s\n", r->presets);
    if (r->grid) printf("  tune       %s\n", r->grid);
    printf("  reference  %s\n", r->reference);
  }
  return print_end(a->command);
}
