/* Secrets, tokens, sessions and the throttle. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "access/access.h"

TEST(secrets) {
  char a[SERVE_SECRET], b[SERVE_SECRET], digest[SCANT_SHA256_TEXT];
  scant_error error;
  unsigned seen = 0;
  for (int i = 0; i < 200; i++) {
    CHECK(serve_secret_make(a, &error) == SCANT_OK && serve_secret_make(b, &error) == SCANT_OK);
    CHECK(strlen(a) == 43 && strcmp(a, b) != 0);
    CHECK(strspn(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == 43);
    seen |= (unsigned)(strchr(a, '-') != NULL) | (unsigned)(strchr(a, '_') != NULL) << 1;
    /* 43 letters are 258 bits: the last two are 0. */
    CHECK(strchr("AEIMQUYcgkosw048", a[42]) != NULL);
  }
  CHECK(seen == 3);
  serve_secret_digest("abc", digest);
  CHECK(!strcmp(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  CHECK(serve_secret_same("abc", "abd", 2));
  CHECK(!serve_secret_same("abc", "abd", 3));
  CHECK(!serve_secret_same("xbc", "abc", 3));
  CHECK(serve_secret_same("", "", 0));
}

#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define TOKEN(name, ends, digest)                                                          \
  "{\"name\": \"" name                                                                     \
  "\", \"role\": \"enter\", \"studies\": [\"a\"], \"made_at\": \"2026-01-01T00:00:00Z\", " \
  "\"ends_at\": " ends ", \"sha256\": \"" digest "\"}"
#define FILE_OF(tokens) "{\"format\": \"scant tokens 1\", \"tokens\": [" tokens "]}"

static scant_status parse(const char *text, scant_tokens **tokens, scant_error *error) {
  return serve_tokens_parse(tokens, text, strlen(text), error);
}

TEST(tokens_are_found_by_their_digests) {
  scant_tokens *tokens;
  scant_error error;
  char digest[SCANT_SHA256_TEXT] = DIGEST;
  CHECK(parse(FILE_OF(TOKEN("x", "null", "00" DIGEST) "," TOKEN("y", "null", DIGEST)), &tokens, &error) == SCANT_DATA);
  char other[] = FILE_OF(TOKEN("x", "null", DIGEST) "," TOKEN("y", "null", DIGEST));
  *strstr(other, "ba78") = 'c'; /* x has another one */
  CHECK(parse(other, &tokens, &error) == SCANT_OK);
  const serve_token *found = serve_tokens_find(tokens, digest);
  CHECK(found && !strcmp(found->facts.name, "y") && found->facts.role == SCANT_ROLE_ENTER);
  CHECK(found && found->facts.study_count == 1 && !strcmp(found->facts.studies[0], "a"));
  for (size_t i = 0; i < 64; i++) { /* every digit counts */
    digest[i] = digest[i] == '0' ? '1' : '0';
    CHECK(!serve_tokens_find(tokens, digest));
    digest[i] = DIGEST[i];
  }
  CHECK(!scant_tokens_at(tokens, 2));
  scant_tokens_free(tokens);
}

TEST(tokens_end) {
  scant_tokens *tokens;
  scant_error error;
  CHECK(parse(FILE_OF(TOKEN("x", "\"2026-01-02T00:00:00Z\"", DIGEST)), &tokens, &error) == SCANT_OK);
  CHECK(scant_token_has_ended(scant_tokens_at(tokens, 0)));
  CHECK(!serve_tokens_find(tokens, DIGEST));
  scant_tokens_free(tokens);
  CHECK(parse(FILE_OF(TOKEN("x", "\"9999-01-02T00:00:00Z\"", DIGEST)), &tokens, &error) == SCANT_OK);
  CHECK(serve_tokens_find(tokens, DIGEST) != NULL);
  scant_tokens_free(tokens);
}

TEST(files_that_are_none) {
  static const char *const wrong[] = {
      "",
      "[]",
      "{}",
      "{\"format\": \"x\", \"tokens\": []}",
      "{\"format\": \"scant tokens 1\"}",
      "{\"format\": \"scant tokens 1\", \"tokens\": {}}",
      FILE_OF("1"),
      FILE_OF("{}"),
      FILE_OF(
          "{\"name\": null, \"role\": \"enter\", \"studies\": [], \"made_at\": \"\", \"ends_at\": null, \"sha256\": "
          "\"" DIGEST "\"}"),
      FILE_OF(
          "{\"name\": \"a\", \"role\": \"king\", \"studies\": [], \"made_at\": \"\", \"ends_at\": null, \"sha256\": "
          "\"" DIGEST "\"}"),
      FILE_OF("{\"name\": \"a\", \"role\": \"enter\", \"studies\": [1], \"made_at\": \"\", \"ends_at\": null, "
              "\"sha256\": \"" DIGEST "\"}"),
      FILE_OF("{\"name\": \"a\", \"role\": \"enter\", \"studies\": \"a\", \"made_at\": \"\", \"ends_at\": null, "
              "\"sha256\": \"" DIGEST "\"}"),
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    scant_tokens *tokens;
    scant_error error = {{0}};
    CHECK(parse(wrong[i], &tokens, &error) == SCANT_DATA && !tokens && error.text[0]);
  }
}

TEST(what_is_written_is_read) {
  scant_tokens *tokens, *again;
  scant_error error;
  char *text, *second;
  size_t length, second_length;
  CHECK(parse(FILE_OF(TOKEN("x \\\"y", "\"2027-01-01T00:00:00Z\"", DIGEST) "," TOKEN("z", "null", DIGEST)), &tokens,
              &error) == SCANT_OK);
  CHECK(serve_tokens_write(tokens, &text, &length, &error) == SCANT_OK);
  CHECK(serve_tokens_parse(&again, text, length, &error) == SCANT_OK);
  CHECK(serve_tokens_write(again, &second, &second_length, &error) == SCANT_OK);
  CHECK(length == second_length && !memcmp(text, second, length));
  free(text);
  free(second);
  scant_tokens_free(tokens);
  scant_tokens_free(again);
}

TEST(sessions) {
  serve_sessions sessions = {0};
  const serve_session *session;
  scant_error error;
  char first[SERVE_SECRET], second[SERVE_SECRET];
  CHECK(serve_session_begin(&sessions, DIGEST, 0, first, &session, &error) == SCANT_OK);
  CHECK(!strcmp(session->token, DIGEST) && strlen(session->csrf) == 43 && strcmp(session->csrf, first) != 0);
  CHECK(serve_session_begin(&sessions, "", 10, second, &session, &error) == SCANT_OK);
  CHECK(serve_session_find(&sessions, first, 20) && serve_session_find(&sessions, second, 20));
  CHECK(!serve_session_find(&sessions, "no", 20));
  /* Each use makes its time begin anew. */
  CHECK(serve_session_find(&sessions, first, 20 + SERVE_SESSION_IDLE) != NULL);
  CHECK(!serve_session_find(&sessions, second, 21 + SERVE_SESSION_IDLE));
  CHECK(sessions.count == 1);
  serve_session_end(&sessions, second);
  CHECK(sessions.count == 1);
  serve_session_end(&sessions, first);
  CHECK(sessions.count == 0 && !serve_session_find(&sessions, first, 30));
  serve_sessions_free(&sessions);
}

TEST(too_many_sessions) {
  serve_sessions sessions = {0};
  const serve_session *session;
  scant_error error;
  char first[SERVE_SECRET], second[SERVE_SECRET], cookie[SERVE_SECRET];
  CHECK(serve_session_begin(&sessions, "", 0, first, &session, &error) == SCANT_OK);
  CHECK(serve_session_begin(&sessions, "", 1, second, &session, &error) == SCANT_OK);
  int good = 1;
  for (int i = 2; i < SERVE_SESSIONS; i++)
    good &= serve_session_begin(&sessions, "", i, cookie, &session, &error) == SCANT_OK;
  CHECK(good && sessions.count == SERVE_SESSIONS);
  CHECK(serve_session_find(&sessions, first, SERVE_SESSIONS) != NULL); /* it was used, so the second is the oldest */
  CHECK(serve_session_begin(&sessions, "", SERVE_SESSIONS, cookie, &session, &error) == SCANT_OK);
  CHECK(sessions.count == SERVE_SESSIONS);
  CHECK(serve_session_find(&sessions, first, SERVE_SESSIONS) && !serve_session_find(&sessions, second, SERVE_SESSIONS));
  serve_sessions_free(&sessions);
}

TEST(throttle) {
  static serve_throttle throttle;
  for (int i = 0; i < SERVE_FAILURES; i++) {
    serve_throttle_fail(&throttle, "10.0.0.1", 100 + i);
    CHECK(!serve_throttle_is_hot(&throttle, "10.0.0.1", 100 + i));
  }
  serve_throttle_fail(&throttle, "10.0.0.1", 120);
  CHECK(serve_throttle_is_hot(&throttle, "10.0.0.1", 120));
  CHECK(!serve_throttle_is_hot(&throttle, "10.0.0.2", 120));
  CHECK(serve_throttle_is_hot(&throttle, "10.0.0.1", 159));
  CHECK(!serve_throttle_is_hot(&throttle, "10.0.0.1", 160)); /* its minute is over */
  serve_throttle_fail(&throttle, "10.0.0.1", 161);
  CHECK(!serve_throttle_is_hot(&throttle, "10.0.0.1", 161));
}

/* Whoever has many addresses does not make the server forget the one that it watches closely for long, nor itself. */
TEST(throttle_with_many_addresses) {
  static serve_throttle throttle;
  char address[32];
  for (int i = 0; i < 100000; i++) {
    snprintf(address, sizeof address, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
    serve_throttle_fail(&throttle, address, 1);
  }
  for (int i = 0; i <= SERVE_FAILURES; i++) serve_throttle_fail(&throttle, "192.0.2.1", 2);
  CHECK(serve_throttle_is_hot(&throttle, "192.0.2.1", 2));
}

int main(void) {
  RUN(secrets);
  RUN(tokens_are_found_by_their_digests);
  RUN(tokens_end);
  RUN(files_that_are_none);
  RUN(what_is_written_is_read);
  RUN(sessions);
  RUN(too_many_sessions);
  RUN(throttle);
  RUN(throttle_with_many_addresses);
  return check_done();
}
