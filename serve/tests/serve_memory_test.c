/* Out of memory: the n-th allocation fails, once and from there on.  Pure parts fail cleanly; a server starts or does
 * not, answers or closes the connection, and stops. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "allocations.h"
#include "http/decode.h"
#include "access/access.h"
#include "study_support.h"

typedef scant_status attempt(scant_error *error);

/* Makes every allocation of an attempt fail in turn; returns how many there are. */
static unsigned long fail_each(attempt *run, unsigned long stride) {
  unsigned long n = 1;
  for (int forever = 0; forever < 2; forever++) {
    for (n = 1;; n += stride) {
      scant_error error = {{0}};
      allocations_fail(n, forever);
      scant_status status = run(&error);
      int failed = allocations_failed() > 0;
      allocations_reset();
      if (!failed) {
        CHECK(status == SCANT_OK);
        break;
      }
      CHECK(status == SCANT_OK || (status == SCANT_MEMORY && error.text[0]));
    }
  }
  return n;
}

static scant_status parse_and_write(scant_error *error) {
  static const char text[] =
      "{\"format\": \"scant tokens 1\", \"tokens\": [{\"name\": \"a\", \"role\": \"read\", \"studies\": [\"x\", "
      "\"y\"], "
      "\"made_at\": \"2026-01-01T00:00:00Z\", \"ends_at\": \"2027-01-01T00:00:00Z\", \"sha256\": "
      "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}]}";
  scant_tokens *tokens;
  char *written = NULL;
  size_t length;
  scant_status status = serve_tokens_parse(&tokens, text, sizeof text - 1, error);
  if (status == SCANT_OK) status = serve_tokens_write(tokens, &written, &length, error);
  free(written);
  scant_tokens_free(tokens);
  return status;
}

static scant_status add_and_revoke(scant_error *error) {
  const char *path = study_path("tokens.json");
  char text[SCANT_TOKEN_LENGTH];
  scant_token token = {.name = "anna", .role = SCANT_ROLE_ENTER};
  scant_status status = scant_token_add(path, &token, 3, text, error);
  if (status == SCANT_OK) status = scant_token_revoke(path, "anna", error);
  unlink(path);
  return status;
}

static scant_status split(scant_error *error) {
  serve_value *values = NULL;
  size_t count, length;
  char *text = NULL;
  scant_status status = serve_split_query("a=1&b=2", 7, &values, &count, error);
  if (status == SCANT_OK) status = serve_form_to_json("a=1&b=2", 7, &text, &length, error);
  free(values);
  free(text);
  return status;
}

static scant_status begin_session(scant_error *error) {
  serve_sessions sessions = {0};
  const serve_session *session;
  char cookie[SERVE_SECRET];
  scant_status status = serve_session_begin(&sessions, "", 0, cookie, &session, error);
  serve_sessions_free(&sessions);
  return status;
}

TEST(parts) {
  CHECK(fail_each(parse_and_write, 1) > 10);
  CHECK(fail_each(add_and_revoke, 1) > 10);
  CHECK(fail_each(split, 1) > 2);
  CHECK(fail_each(begin_session, 1) > 1);
}

static char service_token[SCANT_TOKEN_LENGTH];

/* Sends one request and reads what comes until the server closes; returns the status, 0: there was no answer. */
static int send_one(const scant_server *server, const char *method, const char *path, const char *body) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const char *colon = strrchr(scant_serve_url(server), ':');
  address.sin_port = htons((uint16_t)atoi(colon + 1));
  int made = socket(AF_INET, SOCK_STREAM, 0);
  char text[1000];
  int length = snprintf(text, sizeof text,
                        "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
                        "Idempotency-Key: k%s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        method, path, atoi(colon + 1), service_token, *body ? body : "-", strlen(body), body);
  CHECK(connect(made, (struct sockaddr *)&address, sizeof address) == 0);
  CHECK(send(made, text, (size_t)length, MSG_NOSIGNAL) == length);
  size_t have = 0;
  for (ssize_t more; have + 1 < sizeof text && (more = recv(made, text + have, sizeof text - 1 - have, 0)) > 0;)
    have += (size_t)more;
  text[have] = 0;
  /* Nothing, or an answer that says that there is no memory; a request that got its memory is done. */
  CHECK(!have || !strncmp(text, "HTTP/1.1 200", 12) || !strncmp(text, "HTTP/1.1 503", 12) ||
        !strncmp(text, "HTTP/1.1 401", 12) || !strncmp(text, "HTTP/1.1 404", 12));
  close(made);
  return have ? atoi(text + 9) : 0;
}

/* The allocations of one request in each thread, with the server there already. */
TEST(requests) {
  const char *paths[] = {study_path("clinic.study")}, *tokens = study_path("service.json");
  scant_study_close(make_study(paths[0], "algorithm=auto k=2", 4, PLAIN));
  scant_error error;
  scant_token token = {.name = "anna", .role = SCANT_ROLE_MANAGE};
  CHECK(scant_token_add(tokens, &token, 0, service_token, &error) == SCANT_OK);
  scant_serve_options options = {.listen = "127.0.0.1:0", .tokens = tokens, .person = "keeper"};
  scant_server *server;
  CHECK(scant_serve_start(&server, paths, 1, &options, &error) == SCANT_OK);
  for (unsigned long n = 1; n < 120; n += 3) {
    allocations_fail(n, n & 1);
    send_one(server, "POST", "/api/v1/studies/clinic/orders", "{\"examples\": [\"a\"]}");
    send_one(server, "GET", "/api/v1/studies/clinic/orders?limit=5", "");
    send_one(server, "GET", "/api/v1/studies/clinic/status", "");
    allocations_reset();
  }
  int refused = 0, done = 0;
  for (unsigned long n = 1; n < 400; n++) {
    char body[60], path[80];
    snprintf(body, sizeof body, "{\"examples\": [\"n%lu\"]}", n);
    snprintf(path, sizeof path, "/api/v1/studies/clinic/examples/n%lu", n);
    allocations_fail(n, 0);
    int status = send_one(server, "POST", "/api/v1/studies/clinic/orders", body);
    allocations_reset();
    int known = send_one(server, "GET", path, "");
    CHECK(known == 200 || known == 404);
    if (status == 503) CHECK(known == 404); /* what is refused has not happened */
    if (status == 200) CHECK(known == 200);
    refused += status == 503;
    done += status == 200;
  }
  CHECK(refused > 20 && done > 20);
  printf("# refused %d, done %d\n", refused, done);
  send_one(server, "GET", "/api/v1/studies/clinic", "");
  scant_serve_stop(server, 10);
}

/* A server that starts, or says why it does not; it stops cleanly. */
static scant_status start_and_stop(scant_error *error) {
  const char *paths[] = {study_path("clinic.study")};
  const char *hosts[] = {"a.example.org"};
  scant_serve_options options = {.listen = "127.0.0.1:0", .hosts = hosts, .host_count = 1, .base_path = "/x"};
  scant_server *server;
  char link[200];
  scant_status status = scant_serve_start(&server, paths, 1, &options, error);
  if (status != SCANT_OK) return status;
  status = scant_serve_link(server, link, sizeof link, error);
  scant_serve_stop(server, 1);
  return status;
}

TEST(starting) {
  CHECK(fail_each(start_and_stop, study_stride()) > 20);
}

int main(void) {
  study_begin_tests();
  RUN(parts);
  RUN(requests);
  RUN(starting);
  study_remove(study_path("clinic.study"));
  unlink(study_path("service.json"));
  return study_end_tests();
}
