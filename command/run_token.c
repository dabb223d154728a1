/* scant token: who may do what with studies that are served. */
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "base/json_document.h"
#include "front/own_options.h"
#include "scant_serve.h"
#include "split_list.h"

static scant_status refuse(scant_error *error, const char *sentence) {
  snprintf(error->text, sizeof error->text, "%s", sentence);
  return SCANT_USAGE;
}

static scant_status read_role(const char *text, scant_role *role, scant_error *error) {
  if (!text) return refuse(error, "give --role: read, enter or manage");
  for (int i = 0; scant_role_name((scant_role)i); i++) {
    *role = (scant_role)i;
    if (!strcmp(scant_role_name(*role), text)) return SCANT_OK;
  }
  snprintf(error->text, sizeof error->text, "--role is read, enter or manage, not '%.100s'", text);
  return SCANT_USAGE;
}

static scant_status add(const arguments *a, scant_error *error) {
  scant_token token = {.name = a->operands[2]};
  split_list studies;
  char text[SCANT_TOKEN_LENGTH];
  scant_status status = read_role(a->own.role, &token.role, error);
  if (status != SCANT_OK) return status;
  if (!split_list_make(&studies, a->own.study)) {
    refuse(error, "out of memory");
    return SCANT_MEMORY;
  }
  token.studies = studies.items;
  token.study_count = studies.count;
  status = scant_token_add(a->operands[1], &token, a->own.days, text, error);
  split_list_free(&studies);
  if (status == SCANT_OK) printf("%s\n", text);
  return status;
}

static void print_rows(const scant_tokens *tokens) {
  const scant_token *token;
  for (size_t i = 0; (token = scant_tokens_at(tokens, i)); i++) {
    printf("%s: %s, ", token->name, scant_role_name(token->role));
    if (!token->study_count) printf("all studies");
    for (size_t j = 0; j < token->study_count; j++) printf("%s%s", j ? " " : "", token->studies[j]);
    printf(", since %.10s", token->made_at);
    if (token->ends_at) printf(", %s %.10s", scant_token_has_ended(token) ? "ended" : "until", token->ends_at);
    printf("\n");
  }
}

static scant_status print_json(const scant_tokens *tokens, scant_error *error) {
  json out = {0};
  const scant_token *token;
  json_open(&out, NULL, '{');
  json_open(&out, "tokens", '[');
  for (size_t i = 0; (token = scant_tokens_at(tokens, i)); i++) {
    json_open(&out, NULL, '{');
    json_text(&out, "name", token->name);
    json_text(&out, "role", scant_role_name(token->role));
    json_open(&out, "studies", '[');
    for (size_t j = 0; j < token->study_count; j++) json_text(&out, NULL, token->studies[j]);
    json_close(&out);
    json_text(&out, "made_at", token->made_at);
    json_text(&out, "ends_at", token->ends_at);
    json_flag(&out, "ended", scant_token_has_ended(token));
    json_close(&out);
  }
  json_close(&out);
  json_close(&out);
  return json_print(&out, error);
}

static scant_status list(const arguments *a, scant_error *error) {
  scant_tokens *tokens;
  scant_status status = scant_tokens_load(&tokens, a->operands[1], error);
  if (status != SCANT_OK) return status;
  if (a->own.json)
    status = print_json(tokens, error);
  else
    print_rows(tokens);
  scant_tokens_free(tokens);
  return status;
}

static scant_status revoke(const arguments *a, scant_error *error) {
  return scant_token_revoke(a->operands[1], a->operands[2], error);
}

const named *token_at(size_t index) {
  static const named words[] = {
      {"add FILE NAME --role ROLE",
       "make a token for this person, and print it; the file is made if it does not exist"},
      {"list FILE", "show who has a token, of which role, for which studies, and until when"},
      {"revoke FILE NAME", "take the token of this person away; then the same name may get a new one"},
  };
  return index < sizeof words / sizeof *words ? &words[index] : NULL;
}

typedef struct {
  const char *name;
  int operands;
  const char *options; /* that it takes, separated by blanks */
  scant_status (*run)(const arguments *a, scant_error *error);
} action;

static const action actions[] = {
    {"add", 3, "role study days", add},
    {"list", 2, "json", list},
    {"revoke", 3, "", revoke},
};

/* The first option that was given and that the action does not take; NULL: there is none. */
static const char *find_foreign(const arguments *a, const action *act) {
  for (const scant_option *o = token_options; o->name; o++)
    if (arguments_given(a, o) && !has_word(act->options, o->name)) return o->name;
  return NULL;
}

int run_token(arguments *a) {
  scant_error error;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    const action *act = &actions[i];
    if (strcmp(act->name, a->operands[0]) != 0) continue;
    if (a->operand_count != act->operands)
      return print_usage_failure(a->command, "%s takes FILE%s", act->name, act->operands == 3 ? " and NAME" : "");
    const char *foreign = find_foreign(a, act);
    if (foreign) return print_usage_failure(a->command, "%s does not take --%s", act->name, foreign);
    scant_status status = act->run(a, &error);
    return status == SCANT_OK ? print_end(a->command) : print_failure(a->command, status, &error);
  }
  return print_usage_failure(a->command, "there is no action '%.60s'; there are add, list and revoke", a->operands[0]);
}
