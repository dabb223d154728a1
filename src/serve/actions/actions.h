/* The actions of the table in routes.c, by the files that have them. */
#ifndef SCANT_SERVE_ACTIONS_H
#define SCANT_SERVE_ACTIONS_H

#include "serve/serve.h"

/* about_study.c */
serve_action serve_get_study;

#endif
