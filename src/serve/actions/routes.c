/* The table of what can be done with a study over HTTP, one row per method and path. */
#include "serve/actions/actions.h"

const serve_route serve_routes[] = {
    {"GET", "/studies/{study}", SCANT_ROLE_READ, 0, SERVE_TAG_TERMS, NULL, serve_get_study},
    {NULL, NULL, SCANT_ROLE_MANAGE, 0, SERVE_TAG_NONE, NULL, NULL},
};
