/* The proof of the ledger, and frozen copies. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "actions/actions.h"

enum { NAME_MOST = 100, PATH = 4096 };

scant_status serve_get_proof(serve_call *call, scant_error *error) {
  scant_study_proof proof;
  scant_study_frozen frozen;
  SCANT_TRY(scant_study_verify(call->study, &proof, error));
  int is_frozen = scant_study_frozen_name(call->study) != NULL;
  if (is_frozen) SCANT_TRY(scant_study_describe_frozen(call->study, &frozen, error));
  json_open(&call->out, NULL, '{');
  study_json_proof(&call->out, &proof, is_frozen ? &frozen : NULL);
  json_close(&call->out);
  return SCANT_OK;
}

/* ---- frozen copies ------------------------------------------------------------------------ */

/* The name is part of the name of a file, beside that of the study. */
static scant_status make_path(const serve_call *call, const char *name, char path[PATH], const char **file,
                              scant_error *error) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  size_t length = strlen(name);
  if (!length || length > NAME_MOST || strspn(name, letters) != length)
    return scant_fail(error, SCANT_USAGE,
                      "the name of a frozen copy is 1 to %d letters, digits, '-', '.' and '_', not '%.120s'", NAME_MOST,
                      name);
  const char *slash = strrchr(call->study_path, '/');
  int folder = slash ? (int)(slash + 1 - call->study_path) : 0;
  int needed = snprintf(path, PATH, "%.*s%s-%s.frozen", folder, call->study_path, call->study_name, name);
  if (needed < 0 || needed >= PATH) return scant_fail(error, SCANT_USAGE, "the name of the frozen copy is too long");
  *file = path + folder;
  return SCANT_OK;
}

scant_status serve_freeze(serve_call *call, scant_error *error) {
  char path[PATH];
  const char *name, *file;
  scant_study_frozen frozen;
  SCANT_TRY(serve_check_members(call, 0, "name", error));
  SCANT_TRY(serve_need_text(call, "name", &name, error));
  SCANT_TRY(make_path(call, name, path, &file, error));
  if (access(path, F_OK) == 0)
    return serve_refuse(call, 409, "conflict", error, "there is a file '%.200s' already: take another name", file);
  SCANT_TRY(scant_study_freeze(call->study, name, path, &frozen, error));
  json_open(&call->out, NULL, '{');
  study_json_frozen(&call->out, &frozen);
  json_text(&call->out, "file", file);
  json_close(&call->out);
  return SCANT_OK;
}
