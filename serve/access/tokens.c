/* Tokens in memory and as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scant_base.h"
#include "access/access.h"
#include "scant_json.h"

#define FORMAT "scant tokens 1"

const char *scant_role_name(scant_role role) {
  static const char *const names[] = {"read", "enter", "manage"};
  return (unsigned)role < 3 ? names[role] : NULL;
}

void serve_format_time(char text[SERVE_TIME], time_t seconds) {
  struct tm parts;
  if (!gmtime_r(&seconds, &parts) || !strftime(text, SERVE_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts)) text[0] = 0;
}

int scant_token_has_ended(const scant_token *token) {
  char now[SERVE_TIME];
  serve_format_time(now, time(NULL));
  return token->ends_at && strcmp(token->ends_at, now) <= 0;
}

static void free_token(serve_token *token) {
  for (size_t i = 0; i < token->facts.study_count; i++) free(token->studies[i]);
  free(token->studies);
  free(token->name);
  free(token->made_at);
  free(token->ends_at);
}

void scant_tokens_free(scant_tokens *tokens) {
  if (!tokens) return;
  for (size_t i = 0; i < tokens->count; i++) free_token(&tokens->items[i]);
  free(tokens->items);
  free(tokens);
}

const scant_token *scant_tokens_at(const scant_tokens *tokens, size_t index) {
  return index < tokens->count ? &tokens->items[index].facts : NULL;
}

const serve_token *serve_tokens_find(const scant_tokens *tokens, const char digest[SCANT_SHA256_TEXT]) {
  const serve_token *found = NULL;
  for (size_t i = 0; i < tokens->count; i++)
    if (serve_secret_same(tokens->items[i].digest, digest, SCANT_SHA256_TEXT - 1)) found = &tokens->items[i];
  return found && !scant_token_has_ended(&found->facts) ? found : NULL;
}

/* ---- from JSON ---- */

static scant_status read_role(const char *text, scant_role *role, scant_error *error) {
  for (int i = 0; scant_role_name((scant_role)i); i++) {
    *role = (scant_role)i;
    if (!strcmp(scant_role_name(*role), text)) return SCANT_OK;
  }
  return scant_fail(error, SCANT_DATA, "there is no role '%.60s'", text);
}

static scant_status read_studies(const scant_json *in, size_t node, serve_token *token, scant_error *error) {
  size_t list = scant_json_member(in, node, "studies");
  if (list == SCANT_JSON_NONE || in->nodes[list].type != SCANT_JSON_ARRAY)
    return scant_fail(error, SCANT_DATA, "field 'studies' is not a list");
  token->studies = scant_array(in->nodes[list].count, sizeof *token->studies);
  if (!token->studies) return scant_fail_memory(error);
  size_t item = list + 1;
  for (size_t i = 0; i < in->nodes[list].count; i++, item = in->nodes[item].after) {
    if (in->nodes[item].type != SCANT_JSON_TEXT)
      return scant_fail(error, SCANT_DATA, "field 'studies' has what is no text");
    token->studies[i] = scant_json_copy(in, item);
    if (!token->studies[i]) return scant_fail_memory(error);
    token->facts.study_count++;
  }
  return SCANT_OK;
}

static scant_status read_token(const scant_json *in, size_t node, serve_token *token, scant_error *error) {
  char *role = NULL, *digest = NULL;
  scant_status status = scant_json_get_text(in, node, "name", &token->name, error);
  if (status == SCANT_OK) status = scant_json_get_text(in, node, "role", &role, error);
  if (status == SCANT_OK) status = scant_json_get_text(in, node, "sha256", &digest, error);
  if (status == SCANT_OK) status = scant_json_get_text(in, node, "made_at", &token->made_at, error);
  if (status == SCANT_OK) status = scant_json_get_text(in, node, "ends_at", &token->ends_at, error);
  if (status == SCANT_OK && (!token->name || !role || !digest || !token->made_at))
    status = scant_fail(error, SCANT_DATA, "a field is null");
  if (status == SCANT_OK) status = read_role(role, &token->facts.role, error);
  if (status == SCANT_OK &&
      (strlen(digest) != SCANT_SHA256_TEXT - 1 || strspn(digest, "0123456789abcdef") != SCANT_SHA256_TEXT - 1))
    status = scant_fail(error, SCANT_DATA, "field 'sha256' is no digest");
  if (status == SCANT_OK) memcpy(token->digest, digest, SCANT_SHA256_TEXT);
  if (status == SCANT_OK) status = read_studies(in, node, token, error);
  token->facts.name = token->name;
  token->facts.made_at = token->made_at;
  token->facts.ends_at = token->ends_at;
  token->facts.studies = (const char *const *)token->studies;
  free(role);
  free(digest);
  return status;
}

static scant_status read_all(const scant_json *in, scant_tokens *tokens, scant_error *error) {
  char *format = NULL;
  scant_status status = in->nodes[0].type == SCANT_JSON_OBJECT ? scant_json_get_text(in, 0, "format", &format, error)
                                                               : scant_fail(error, SCANT_DATA, "it is no object");
  if (status == SCANT_OK && (!format || strcmp(format, FORMAT) != 0))
    status = scant_fail(error, SCANT_DATA, "it is no file of tokens");
  free(format);
  SCANT_TRY(status);
  size_t list = scant_json_member(in, 0, "tokens");
  if (list == SCANT_JSON_NONE || in->nodes[list].type != SCANT_JSON_ARRAY)
    return scant_fail(error, SCANT_DATA, "field 'tokens' is not a list");
  size_t count = in->nodes[list].count, item = list + 1;
  if (!scant_grow(&tokens->items, &tokens->room, count, sizeof *tokens->items)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++, item = in->nodes[item].after) {
    serve_token *token = &tokens->items[tokens->count++];
    *token = (serve_token){0};
    if (in->nodes[item].type != SCANT_JSON_OBJECT) return scant_fail(error, SCANT_DATA, "a token is no object");
    SCANT_TRY(read_token(in, item, token, error));
  }
  return SCANT_OK;
}

scant_status serve_tokens_parse(scant_tokens **result, const char *text, size_t length, scant_error *error) {
  *result = NULL;
  scant_tokens *tokens = calloc(1, sizeof *tokens);
  if (!tokens) return scant_fail_memory(error);
  scant_json in = {0};
  scant_status status = scant_json_parse(&in, text, length, error);
  if (status == SCANT_OK) status = read_all(&in, tokens, error);
  scant_json_free(&in);
  if (status == SCANT_OK)
    *result = tokens;
  else
    scant_tokens_free(tokens);
  return status;
}

scant_status serve_tokens_write(const scant_tokens *tokens, char **text, size_t *length, scant_error *error) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_text(&out, "format", FORMAT);
  scant_json_open(&out, "tokens", '[');
  for (size_t i = 0; i < tokens->count; i++) {
    const serve_token *token = &tokens->items[i];
    scant_json_open(&out, NULL, '{');
    scant_json_text(&out, "name", token->facts.name);
    scant_json_text(&out, "role", scant_role_name(token->facts.role));
    scant_json_open(&out, "studies", '[');
    for (size_t j = 0; j < token->facts.study_count; j++) scant_json_text(&out, NULL, token->facts.studies[j]);
    scant_json_close(&out);
    scant_json_text(&out, "made_at", token->facts.made_at);
    scant_json_text(&out, "ends_at", token->facts.ends_at);
    scant_json_text(&out, "sha256", token->digest);
    scant_json_close(&out);
  }
  scant_json_close(&out);
  scant_json_close(&out);
  return scant_json_take(&out, text, length, error);
}

/* ---- from a file ---- */

enum { LONGEST = 16 << 20 };

static scant_status read_bytes(int file, const char *path, size_t length, char *bytes, scant_error *error) {
  for (size_t have = 0; have < length;) {
    ssize_t more = pread(file, bytes + have, length - have, (off_t)have);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0)
      return scant_fail(error, SCANT_IO, "can't read '%.200s': %s", path, more ? strerror(errno) : "it ends");
    have += (size_t)more;
  }
  return SCANT_OK;
}

scant_status serve_tokens_read(scant_tokens **tokens, int file, const char *path, scant_error *error) {
  struct stat facts;
  *tokens = NULL;
  if (fstat(file, &facts) != 0) return scant_fail(error, SCANT_IO, "can't read '%.200s': %s", path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) return scant_fail(error, SCANT_DATA, "'%.200s' is no file of tokens", path);
  if (facts.st_mode & 0022)
    return scant_fail(error, SCANT_DATA,
                      "'%.200s' can be written by others, who could let anybody in: its mode should be 0600", path);
  if (facts.st_size > LONGEST)
    return scant_fail(error, SCANT_DATA, "'%.200s' is too long to be a file of tokens", path);
  size_t length = (size_t)facts.st_size;
  char *bytes = malloc(length + 1);
  if (!bytes) return scant_fail_memory(error);
  scant_error why;
  scant_status status = read_bytes(file, path, length, bytes, error);
  if (status == SCANT_OK) {
    status = serve_tokens_parse(tokens, bytes, length, &why);
    if (status != SCANT_OK) scant_error_write(error, "'%.200s': %.200s", path, why.text);
  }
  free(bytes);
  return status;
}

/* ---- secrets --------------------------------------------------------------------- */

/* In the alphabet of base64url, without the padding. */
static void encode(const unsigned char bytes[32], char text[SERVE_SECRET]) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned held = 0, bits = 0;
  size_t count = 0;
  for (size_t i = 0; i < 32; i++) {
    held = (held << 8 | bytes[i]) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text[count++] = letters[held >> (bits - 6) & 63];
  }
  text[count++] = letters[held << (6 - bits) & 63];
  text[count] = 0;
}

scant_status serve_secret_make(char text[SERVE_SECRET], scant_error *error) {
  unsigned char bytes[32];
  for (size_t have = 0; have < sizeof bytes;) {
    ssize_t more = getrandom(bytes + have, sizeof bytes - have, 0);
    if (more > 0) {
      have += (size_t)more;
    } else if (errno != EINTR) {
      return scant_fail(error, SCANT_IO, "the system has no random numbers: %s", strerror(errno));
    }
  }
  encode(bytes, text);
  return SCANT_OK;
}

void serve_secret_digest(const char *text, char digest[SCANT_SHA256_TEXT]) {
  scant_sha256 sum;
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, text, strlen(text));
  scant_sha256_end(&sum, digest);
}

int serve_secret_same(const char *a, const char *b, size_t length) {
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < length; i++) difference = (unsigned char)(difference | (a[i] ^ b[i]));
  return difference == 0;
}
