/* Reads the words on the command line into settings, by the tables of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "subcommand_options.h"
#include "scant_dense.h"

const scant_option no_options[] = {{0}};

typedef struct {
  arguments *a;
  int at, count;
  const char **words;
} reader;

/* Compares the letter if `letter` is not 0, else the whole name. */
static int is_called(const scant_option *o, const char *name, size_t length, char letter) {
  if (letter) return o->letter == letter;
  return strlen(o->name) == length && !strncmp(o->name, name, length);
}

int has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list ? list : ""; *at; at += strspn(at, " ")) {
    size_t width = strcspn(at, " ");
    if (width == length && !strncmp(at, word, length)) return 1;
    at += width;
  }
  return 0;
}

int arguments_takes(const command *c, const scant_option *option) {
  return (option->scope & c->scopes) && !has_word(c->without, option->name) &&
         (!c->only || has_word(c->only, option->name));
}

/* The option of this name or letter that the command takes, or NULL. */
static const scant_option *find_option(const command *c, const char *name, size_t length, char letter) {
  const scant_option *o;
  for (o = c->own; o->name; o++)
    if (is_called(o, name, length, letter)) return o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (arguments_takes(c, o) && is_called(o, name, length, letter)) return o;
  return NULL;
}

static int is_own(const command *c, const scant_option *option) {
  for (const scant_option *o = c->own; o->name; o++)
    if (o == option) return 1;
  return 0;
}

/* A list that is given again goes on: its new part stands behind the old one.  NULL: out of memory, or too many. */
static const char *join(arguments *a, const scant_option *o, const void *base, const char *value) {
  const char *before = *(const char *const *)((const char *)base + o->offset);
  size_t slot = 0, size = strlen(before) + strlen(value) + 2, most = sizeof a->joined / sizeof *a->joined;
  while (slot < most && a->joined[slot] && a->joined[slot] != before) slot++;
  char *text = slot < most ? malloc(size) : NULL;
  if (!text) return NULL;
  snprintf(text, size, "%s%c%s", before, o->join, value);
  free(a->joined[slot]); /* the part before, if it was joined already */
  return a->joined[slot] = text;
}

void arguments_free(arguments *a) {
  for (size_t i = 0; i < sizeof a->joined / sizeof *a->joined; i++) free(a->joined[i]);
}

static int set_option(reader *r, const scant_option *o, const char *value) {
  scant_error error;
  const command *c = r->a->command;
  if (c->once && o->type == SCANT_OPTION_TEXT && is_own(c, o) && arguments_given(r->a, o))
    return print_usage_failure(c, "--%s is given twice", o->name);
  const void *base = is_own(c, o) ? (const void *)&r->a->own : (const void *)&r->a->settings;
  int is_again = is_own(c, o) ? arguments_given(r->a, o) : scant_settings_is_given(&r->a->settings, o);
  if (o->join && is_again) value = join(r->a, o, base, value);
  if (!value) return print_usage_failure(c, "out of memory");
  scant_status status = is_own(c, o) ? scant_option_read(o, &r->a->own, value, &error)
                                     : scant_settings_set(&r->a->settings, o->name, value, &error);
  if (is_own(c, o)) r->a->own_given |= UINT64_C(1) << (o - c->own);
  return status == SCANT_OK ? EXIT_DONE : print_failure(c, status, &error);
}

/* Does a word name an option, as "--yes", "--by=anna" or "--no-yes"? */
static int is_option(const command *c, const char *word) {
  if (strncmp(word, "--", 2) != 0) return 0;
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  if (length == strlen("help") && !strncmp(name, "help", length)) return 1;
  if (find_option(c, name, length, 0)) return 1;
  return !strncmp(name, "no-", 3) && find_option(c, name + 3, length - 3, 0);
}

/* Sets an option to the value behind '=' or behind its letter, else to the next word. */
static int read_value(reader *r, const scant_option *o, const char *shown, const char *attached) {
  if (attached) return set_option(r, o, attached);
  int ends = r->at + 1 >= r->count || (r->words[r->at + 1][0] == '-' && r->words[r->at + 1][1]);
  if (ends && o->type == SCANT_OPTION_TEXT && o->or_none) return set_option(r, o, ""); /* it need not have one */
  if (r->at + 1 >= r->count) return print_usage_failure(r->a->command, "%s needs a value (%s)", shown, o->argument);
  const char *next = r->words[r->at + 1];
  if (o->type == SCANT_OPTION_TEXT && is_option(r->a->command, next))
    return print_usage_failure(r->a->command,
                               "%s needs a value (%s), and '%s' is an option (--%s=%s takes it as a text)", shown,
                               o->argument, next, o->name, next);
  return set_option(r, o, r->words[++r->at]);
}

static int read_long(reader *r, const char *word) {
  const command *c = r->a->command;
  const char *name = word + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  int negated = 0;
  const scant_option *o = find_option(c, name, length, 0);
  if (!o && !strncmp(name, "no-", 3)) {
    o = find_option(c, name + 3, length - 3, 0);
    if (o && o->type == SCANT_OPTION_FLAG)
      negated = 1;
    else
      o = NULL;
  }
  if (!o)
    return print_usage_failure(c, "there is no option --%.*s; see '%s help %s'", (int)length, name, this_program.name,
                               c->name);
  if (o->type != SCANT_OPTION_FLAG) return read_value(r, o, word, equals ? equals + 1 : NULL);
  if (equals) return print_usage_failure(c, "--%.*s takes no value", (int)length, name);
  return set_option(r, o, negated ? "no" : "yes");
}

/* "-k5", "-k 5", "-qo FILE": flags may stand together, a value ends them. */
static int read_short(reader *r, const char *word) {
  const command *c = r->a->command;
  for (const char *letter = word + 1; *letter; letter++) {
    const scant_option *o = find_option(c, "", 0, *letter);
    if (!o)
      return print_usage_failure(c, "there is no option -%c%s; see '%s help %s'", *letter,
                                 c->operand_most < 0 ? " ('--' goes before words that begin with '-')" : "",
                                 this_program.name, c->name);
    if (o->type != SCANT_OPTION_FLAG) return read_value(r, o, word, letter[1] ? letter + 1 : NULL);
    int code = set_option(r, o, "yes");
    if (code != EXIT_DONE) return code;
  }
  return EXIT_DONE;
}

static int read_operand(reader *r, const char *word) {
  arguments *a = r->a;
  int most = a->command->operand_most ? a->command->operand_most : a->command->operand_count;
  if (most >= 0 && a->operand_count >= most) return print_usage_failure(a->command, "'%s' is one word too many", word);
  a->operands[a->operand_count++] = word; /* never behind the word that is being read */
  return EXIT_DONE;
}

int arguments_read(arguments *a, const command *c, int count, const char **words) {
  *a = (arguments){.command = c, .operands = words};
  scant_settings_init(&a->settings);
  a->settings.runtime.engines = scant_dense_engines();
  for (const scant_option *o = c->own; o->name; o++)
    if (o->preset) scant_option_read(o, &a->own, o->preset, NULL);
  reader r = {a, 0, count, words};
  int code = EXIT_DONE, only_operands = 0;
  for (; code == EXIT_DONE && r.at < count; r.at++) {
    const char *word = words[r.at];
    if (only_operands || word[0] != '-' || !word[1])
      code = read_operand(&r, word);
    else if (!strcmp(word, "--"))
      only_operands = 1;
    else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
      a->help = 1;
    else
      code = word[1] == '-' ? read_long(&r, word) : read_short(&r, word);
  }
  if (code == EXIT_DONE && !a->help && a->operand_count < c->operand_count)
    code = print_usage_failure(c, "it takes %s; see '%s help %s'", c->operands, this_program.name, c->name);
  return code;
}

int arguments_given(const arguments *a, const scant_option *own) {
  return (int)(a->own_given >> (own - a->command->own) & 1);
}
