/* What a study is about: its target, settings and catalogue. */
#include <math.h>

#include "core/error.h"
#include "serve/actions/actions.h"

scant_status serve_get_study(serve_call *call, scant_error *error) {
  char tag[SERVE_TAG_LENGTH];
  SCANT_TRY(serve_tag_terms(call->study, tag, error));
  json *out = &call->out;
  json_open(out, NULL, '{');
  json_text(out, "name", call->study_name);
  json_text(out, "target", scant_study_target(call->study));
  json_text(out, "terms_etag", tag);
  json_close(out);
  return SCANT_OK;
}
