/* What `scant plan` was asked for, and what it found. */
#ifndef SCANT_CLI_PLAN_SESSION_H
#define SCANT_CLI_PLAN_SESSION_H

#include "front/command.h"
#include "scant.h"

enum { PLAN_K_MOST = 64 };

typedef struct plan_session {
  const char *pilot; /* the file */
  scant_model *model;
  scant_source *source;
  scant_prices *own_prices;   /* of --costs, or of the study */
  const scant_prices *prices; /* NULL: none */
  uint64_t k[PLAN_K_MOST];
  int k_is_d[PLAN_K_MOST];
  scant_plan_request request;
  scant_plan *plan;
  scant_plan_facts facts;
  scant_plan_entry entries[PLAN_K_MOST];
  double started;
} plan_session;

/* plan_draw.c: the error against the money. */
scant_status plan_draw(const plan_session *session, const char *path, scant_error *error);

#endif
