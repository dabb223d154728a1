/* Downloads: tables, the ledger, looks and the model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scant_base.h"
#include "actions/action.h"

/* A download is in memory as a whole; what is larger is for the command. */
enum { EXPORT_MOST = 256 << 20, PATH = 4200 };

static scant_status refuse_large(serve_call *call, scant_error *error) {
  return serve_refuse(call, 503, "size", error,
                      "this export is larger than %d MiB: 'scant study export' writes it where the study is",
                      EXPORT_MOST >> 20);
}

/* Names are for the role manage; others get pseudonyms, if they ask for them. */
static scant_status read_pseudonyms(serve_call *call, int *pseudonyms, scant_error *error) {
  SCANT_TRY(serve_query_flag(call, "pseudonyms", 0, pseudonyms, error));
  if (*pseudonyms || call->role == SCANT_ROLE_MANAGE) return SCANT_OK;
  return serve_refuse(call, 403, "role", error,
                      "an export with names needs the role manage; with pseudonyms=yes every role may have it");
}

/* Tables contain order numbers, which would unblind the second entry.  The role read enters nothing. */
static scant_status check_blind(serve_call *call, scant_error *error) {
  if (call->role != SCANT_ROLE_ENTER || !serve_is_blind(call)) return SCANT_OK;
  return serve_refuse(
      call, 403, "role", error,
      "this study demands second entries, which are made without a look at the first: this export is for "
      "the roles read and manage");
}

/* Hands a text over as a download: STUDY-NAME.ENDING, or STUDY-NAME-pseudonyms.ENDING, so that nobody takes a file with
 * names in it for one without. */
static void give(serve_call *call, char *text, size_t length, const char *name, const char *ending, int pseudonyms) {
  call->text = text;
  call->length = length;
  call->type = strcmp(ending, "csv") != 0 ? "application/json" : "text/csv; charset=utf-8";
  snprintf(call->file_name, sizeof call->file_name, "%.200s-%s%s.%s", call->study_name, name,
           pseudonyms ? "-pseudonyms" : "", ending);
}

/* ---- files that nobody else reads --------------------------------------------------------- */

/* A folder of mode 0700 with two files in it, which go with it. */
typedef struct {
  char folder[4096];
  char first[PATH], second[PATH];
} scratch;

static scant_status scratch_make(scratch *s, scant_error *error) {
  const char *base = getenv("TMPDIR");
  int length = snprintf(s->folder, sizeof s->folder, "%s/scant-XXXXXX", base && *base ? base : "/tmp");
  if (length < 0 || (size_t)length >= sizeof s->folder || !mkdtemp(s->folder))
    return scant_fail(error, SCANT_IO, "there is no place for a temporary file");
  snprintf(s->first, sizeof s->first, "%s/table.csv", s->folder);
  snprintf(s->second, sizeof s->second, "%s/columns.csv", s->folder);
  return SCANT_OK;
}

static void scratch_remove(const scratch *s) {
  unlink(s->first);
  unlink(s->second);
  rmdir(s->folder);
}

static scant_status read_all(FILE *file, size_t length, char **text, scant_error *error) {
  *text = malloc(length + 1);
  if (!*text) return scant_fail_memory(error);
  if (fread(*text, 1, length, file) == length) return SCANT_OK;
  free(*text);
  return scant_fail(error, SCANT_IO, "a temporary file can't be read");
}

static scant_status give_file(serve_call *call, const char *path, const char *name, int pseudonyms,
                              scant_error *error) {
  char *text = NULL;
  struct stat facts;
  FILE *file = fopen(path, "re");
  if (!file || fstat(fileno(file), &facts) != 0) {
    if (file) fclose(file);
    return scant_fail(error, SCANT_IO, "a temporary file can't be read");
  }
  scant_status status =
      facts.st_size > EXPORT_MOST ? refuse_large(call, error) : read_all(file, (size_t)facts.st_size, &text, error);
  fclose(file);
  if (status == SCANT_OK) give(call, text, (size_t)facts.st_size, name, "csv", pseudonyms);
  return status;
}

/* ---- tables ------------------------------------------------------------------------------- */

typedef enum { EXAMPLES, DICTIONARY, EVENTS, LOOKS } table;

static scant_status write_table(scant_study *study, table which, const scratch *s, int pseudonyms, scant_error *error) {
  switch (which) {
    case EVENTS:
      return scant_study_export_events(study, s->first, pseudonyms, error);
    case LOOKS:
      return scant_study_export_looks(study, s->first, NULL, pseudonyms, error);
    default:
      return scant_study_export_examples(study, s->first, s->second, pseudonyms, error);
  }
}

static scant_status export_table(serve_call *call, table which, const char *name, scant_error *error) {
  scratch s = {.folder = ""};
  int pseudonyms;
  SCANT_TRY(read_pseudonyms(call, &pseudonyms, error));
  if (which == EXAMPLES || which == EVENTS) SCANT_TRY(check_blind(call, error));
  SCANT_TRY(scratch_make(&s, error));
  scant_status status = write_table(call->study, which, &s, pseudonyms, error);
  if (status == SCANT_OK) status = give_file(call, which == DICTIONARY ? s.second : s.first, name, pseudonyms, error);
  scratch_remove(&s);
  return status;
}

scant_status serve_export_examples(serve_call *call, scant_error *error) {
  return export_table(call, EXAMPLES, "examples", error);
}

scant_status serve_export_dictionary(serve_call *call, scant_error *error) {
  return export_table(call, DICTIONARY, "dictionary", error);
}

scant_status serve_export_events(serve_call *call, scant_error *error) {
  return export_table(call, EVENTS, "events", error);
}

scant_status serve_export_looks(serve_call *call, scant_error *error) {
  return export_table(call, LOOKS, "looks", error);
}

/* ---- the ledger, into memory ---------------------------------------------------------------- */

typedef struct {
  serve_call *call;
  char *text;
  size_t length, room;
} pool;

static scant_status take(void *user, const char *bytes, size_t length, scant_error *error) {
  pool *p = user;
  if (length > EXPORT_MOST - p->length) return refuse_large(p->call, error);
  if (!scant_grow(&p->text, &p->room, p->length + length + 1, 1)) return scant_fail_memory(error);
  memcpy(p->text + p->length, bytes, length);
  p->length += length;
  return SCANT_OK;
}

static void put_local(const scant_study_event *event, char *text, size_t size) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, event->at);
  snprintf(text, size, "%s", local);
}

scant_status serve_export_ledger(serve_call *call, scant_error *error) {
  const scant_study_extra local = {"local", put_local};
  pool p = {.call = call};
  int pseudonyms;
  SCANT_TRY(read_pseudonyms(call, &pseudonyms, error));
  SCANT_TRY(check_blind(call, error));
  scant_status status = scant_study_print_ledger(call->study, pseudonyms, &local, take, &p, error);
  if (status == SCANT_OK && !p.text) status = take(&p, "", 0, error);
  if (status != SCANT_OK) {
    free(p.text);
    return status;
  }
  give(call, p.text, p.length, "ledger", "csv", pseudonyms);
  return SCANT_OK;
}

/* ---- the model ------------------------------------------------------------------------------ */

static scant_status make_model(serve_call *call, scant_model **model, scant_error *error) {
  const char *errors_of = serve_query(call, "errors_of");
  int errors, gaussian;
  SCANT_TRY(serve_query_flag(call, "errors", errors_of != NULL, &errors, error));
  SCANT_TRY(serve_query_flag(call, "gaussian", 0, &gaussian, error));
  if (gaussian && errors)
    return scant_fail(error, SCANT_USAGE,
                      "'errors' does not go with 'gaussian': they are of the study's own regressor");
  if (gaussian) return scant_study_gaussian(call->study, model, error);
  if (errors) return scant_study_model_errors(call->study, errors_of, model, error);
  return scant_study_model(call->study, model, error);
}

/* The texts of the library are for scant_text_free, and those of answers for free. */
scant_status serve_export_model(serve_call *call, scant_error *error) {
  scant_model *model = NULL;
  char *text = NULL;
  size_t length;
  SCANT_TRY(make_model(call, &model, error));
  scant_status status = scant_model_write(model, &text, &length, error);
  scant_model_free(model);
  if (status != SCANT_OK) return status;
  char *copy = scant_copy_text(text, length);
  scant_text_free(text);
  if (!copy) return scant_fail_memory(error);
  give(call, copy, length, "model", "json", 0);
  return SCANT_OK;
}
