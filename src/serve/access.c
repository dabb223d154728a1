#include "serve/inside.h"

#include <stdio.h>

int serve_access_check(serve_exchange *exchange) {
  serve_who *who = &exchange->who;
  who->is_known = 1;
  who->role = SCANT_ROLE_MANAGE;
  who->opens = UINT64_MAX;
  snprintf(who->name, sizeof who->name, "%s", exchange->server->person);
  return 1;
}
