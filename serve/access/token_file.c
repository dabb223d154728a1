/* Changing the file of tokens: as a whole, one at a time. */
#define _DEFAULT_SOURCE /* flock, which belongs to the open file and not to the process */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scant_base.h"
#include "access/access.h"

scant_status scant_tokens_load(scant_tokens **tokens, const char *path, scant_error *error) {
  *tokens = NULL;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return scant_fail(error, errno == ENOENT ? SCANT_NO_INPUT : SCANT_IO, "can't read '%.200s': %s", path,
                      strerror(errno));
  scant_status status = serve_tokens_read(tokens, file, path, error);
  close(file);
  return status;
}

/* The file, open and locked, so that two who change it do so one after the other. */
typedef struct {
  const char *path;
  int file;
  int is_new; /* it did not exist */
} held;

/* Was the file replaced between opening and locking it? */
static int is_stale(const held *h) {
  struct stat opened, named;
  return fstat(h->file, &opened) != 0 || stat(h->path, &named) != 0 || opened.st_ino != named.st_ino ||
         opened.st_dev != named.st_dev;
}

static scant_status hold(held *h, const char *path, int creates, scant_error *error) {
  *h = (held){path, -1, 0};
  for (;;) {
    h->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (h->file < 0 && errno == ENOENT && creates) {
      h->file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (h->file < 0 && errno == EEXIST) continue; /* another one was faster */
      h->is_new = h->file >= 0;
    }
    if (h->file < 0)
      return scant_fail(error, errno == ENOENT ? SCANT_NO_INPUT : SCANT_IO, "can't open '%.200s': %s", path,
                        strerror(errno));
    while (flock(h->file, LOCK_EX) != 0 && errno == EINTR) continue;
    if (!is_stale(h)) return SCANT_OK;
    close(h->file);
    h->is_new = 0;
  }
}

static void let_go(held *h, scant_status status) {
  if (h->file < 0) return;
  if (status != SCANT_OK && h->is_new) unlink(h->path);
  close(h->file);
}

static scant_status read_held(const held *h, scant_tokens **tokens, scant_error *error) {
  struct stat facts;
  if (fstat(h->file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0) {
    /* It was just made, by us or by one that was killed then. */
    *tokens = calloc(1, sizeof **tokens);
    return *tokens ? SCANT_OK : scant_fail_memory(error);
  }
  return serve_tokens_read(tokens, h->file, h->path, error);
}

static scant_status replace(const held *h, const scant_tokens *tokens, scant_error *error) {
  char *text;
  size_t length;
  SCANT_TRY(serve_tokens_write(tokens, &text, &length, error));
  scant_status status = scant_file_replace(h->path, text, length, error);
  free(text);
  return status;
}

static size_t place_of(const scant_tokens *tokens, const char *name) {
  size_t i = 0;
  while (i < tokens->count && strcmp(tokens->items[i].facts.name, name) != 0) i++;
  return i;
}

/* Names are as those of examples, since events record them. */
static scant_status check_name(const char *name, const char *whose, scant_error *error) {
  size_t length = name ? strlen(name) : 0;
  int good =
      length >= 1 && length <= 200 && name[0] != ' ' && name[length - 1] != ' ' && scant_text_is_utf8(name, length);
  for (size_t i = 0; good && i < length; i++) good = (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
  if (good) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE,
                    "the name of %s is UTF-8 of 1 to 200 bytes without control characters and blanks around it", whose);
}

static scant_status check_token(const scant_token *token, uint64_t days, scant_error *error) {
  SCANT_TRY(check_name(token->name, "a person", error));
  for (size_t i = 0; i < token->study_count; i++) SCANT_TRY(check_name(token->studies[i], "a study", error));
  if (!scant_role_name(token->role)) return scant_fail(error, SCANT_USAGE, "there is no such role");
  if (days > 36500) return scant_fail(error, SCANT_USAGE, "a token ends after at most 36500 days");
  return SCANT_OK;
}

scant_status scant_token_add(const char *path, const scant_token *token, uint64_t days, char text[SCANT_TOKEN_LENGTH],
                             scant_error *error) {
  char secret[SERVE_SECRET], made[SERVE_TIME], ends[SERVE_TIME];
  SCANT_TRY(check_token(token, days, error));
  SCANT_TRY(serve_secret_make(secret, error));
  snprintf(text, SCANT_TOKEN_LENGTH, "scant_%s", secret);
  time_t now = time(NULL);
  serve_format_time(made, now);
  serve_format_time(ends, now + (time_t)days * 86400);
  held h;
  scant_tokens *tokens = NULL;
  scant_status status = hold(&h, path, 1, error);
  if (status == SCANT_OK) status = read_held(&h, &tokens, error);
  if (status == SCANT_OK && place_of(tokens, token->name) < tokens->count)
    status = scant_fail(error, SCANT_DATA, "'%.200s' has a token already: revoke it first", token->name);
  if (status == SCANT_OK && !scant_grow(&tokens->items, &tokens->room, tokens->count + 1, sizeof *tokens->items))
    status = scant_fail_memory(error);
  if (status == SCANT_OK) {
    serve_token *added = &tokens->items[tokens->count++];
    *added = (serve_token){.facts = *token};
    added->facts.made_at = made;
    added->facts.ends_at = days ? ends : NULL;
    serve_secret_digest(text, added->digest);
    status = replace(&h, tokens, error);
    tokens->count--; /* its texts are not ours */
  }
  scant_tokens_free(tokens);
  let_go(&h, status);
  if (status != SCANT_OK) text[0] = 0;
  return status;
}

static void remove_at(scant_tokens *tokens, size_t place) {
  serve_token gone = tokens->items[place];
  memmove(&tokens->items[place], &tokens->items[place + 1], (tokens->count - place - 1) * sizeof gone);
  tokens->items[tokens->count - 1] = gone; /* to be freed with the others, but not to be written */
}

scant_status scant_token_revoke(const char *path, const char *name, scant_error *error) {
  held h;
  scant_tokens *tokens = NULL;
  scant_status status = hold(&h, path, 0, error);
  if (status == SCANT_OK) status = read_held(&h, &tokens, error);
  size_t place = status == SCANT_OK ? place_of(tokens, name) : 0;
  if (status == SCANT_OK && (!tokens->items || place == tokens->count))
    status = scant_fail(error, SCANT_DATA, "nobody called '%.200s' has a token in '%.200s'", name, path);
  if (status == SCANT_OK) {
    remove_at(tokens, place);
    tokens->count--;
    status = replace(&h, tokens, error);
    tokens->count++;
  }
  scant_tokens_free(tokens);
  let_go(&h, status);
  return status;
}
