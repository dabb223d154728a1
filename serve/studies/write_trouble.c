/* Whether a study can be written: the disk may be full, or its file may be gone.  Its keeper is told when that begins
 * and when it ends, and whoever asks whether the server is ready learns it.
 *
 * The writer sees it by the answers that it gives.  While nobody writes, it tries by itself whether it goes again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "http/server.h"
#include "access/tokens.h"

/* Seconds from one try to the next. */
#define TRY_EVERY 5

/* sentence: why it can't be written; empty: it can. */
static void turn(serve_study *study, const char *sentence) {
  int was_bad = atomic_exchange(&study->trouble.is_bad, sentence[0] != 0);
  const scant_server *server = study->server;
  char note[SCANT_ERROR_LENGTH + 300];
  if (was_bad == (sentence[0] != 0) || !server->note) return;
  if (sentence[0])
    snprintf(note, sizeof note, "the study '%.200s' can't be written: %s", study->name, sentence);
  else
    snprintf(note, sizeof note, "the study '%.200s' can be written again", study->name);
  server->note(server->user, note);
}

int serve_trouble_is(serve_study *study) {
  return atomic_load(&study->trouble.is_bad);
}

/* The sentence of a problem. */
static void take_detail(const serve_answer *answer, char *sentence, size_t size) {
  scant_json body = {0};
  scant_error none;
  char *text = NULL;
  if (answer->text && scant_json_parse(&body, answer->text, answer->length, &none) == SCANT_OK) {
    size_t node = scant_json_member(&body, 0, "detail");
    if (node != SCANT_JSON_NONE) text = scant_json_copy(&body, node);
  }
  snprintf(sentence, size, "%s", text ? text : "out of memory");
  free(text);
  scant_json_free(&body);
}

void serve_trouble_see(serve_study *study, const serve_exchange *exchange) {
  const serve_answer *answer = &exchange->answer;
  char sentence[SCANT_ERROR_LENGTH];
  if (!(exchange->route->flags & SERVE_WRITES)) return;
  if (answer->is_storage) {
    take_detail(answer, sentence, sizeof sentence);
    turn(study, sentence);
    study->trouble.try_at = serve_now() + TRY_EVERY;
  } else if (answer->status >= 200 && answer->status < 300 && !answer->replayed) {
    turn(study, "");
  }
}

/* A request of nobody's is remembered, which is no event, and is forgotten after a month as all are. */
void serve_trouble_try(serve_study *study) {
  char key[SERVE_TIME + 24], now[SERVE_TIME];
  if (!serve_trouble_is(study) || serve_now() < study->trouble.try_at) return;
  study->trouble.try_at = serve_now() + TRY_EVERY;
  serve_format_time(now, time(NULL));
  snprintf(key, sizeof key, "%s %ld", now, (long)study->trouble.tries++);
  scant_study_request request = {.by = "scant serve",
                                 .key = key,
                                 .digest = "0000000000000000000000000000000000000000000000000000000000000000",
                                 .answer = ""};
  scant_error error;
  if (scant_study_remember(study->writes, &request, NULL, 0, &error) == SCANT_OK) turn(study, "");
}
