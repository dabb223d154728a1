/* The table of what can be done with a study over HTTP, one row per method and path. */
#include "actions/action.h"

#define STUDY "/studies/{study}"
#define EXAMPLE STUDY "/examples/{example}"
#define EXPORT STUDY "/export/"

#define READ SCANT_ROLE_READ
#define ENTER SCANT_ROLE_ENTER
#define MANAGE SCANT_ROLE_MANAGE

enum {
  WRITES = SERVE_WRITES,
  CHANGES = SERVE_WRITES | SERVE_NEEDS_MATCH,
  SLOW = SERVE_SLOW,
  SLOW_ONCE = SERVE_SLOW | SERVE_KEEP_NOTHING,
  SLOW_ERRORS = SERVE_SLOW | SERVE_LONG_ERRORS,
  LONG = SERVE_SLOW | SERVE_LONG,
  LONG_ONCE = SERVE_SLOW | SERVE_LONG | SERVE_KEEP_NOTHING
};

#define FILTER "state due since before by differs limit after"
#define EVENTS "newest example by kind limit after"

/* Exports are open to all who read: those with names ask for the role themselves. */
const serve_route serve_routes[] = {
    {"GET", STUDY, READ, 0, SERVE_TAG_STUDY, NULL, serve_get_study},
    {"GET", STUDY "/status", READ, SERVE_SLOW_RISK, SERVE_TAG_STUDY, "risk", serve_get_status},
    {"GET", STUDY "/risks", READ, SLOW | SERVE_LIST, SERVE_TAG_STUDY, "points", serve_get_risks},
    {"GET", STUDY "/purchases", READ, SLOW | SERVE_LIST, SERVE_TAG_STUDY, NULL, serve_get_purchases},
    {"GET", STUDY "/model", READ, SLOW_ERRORS, SERVE_TAG_STUDY, "errors level", serve_get_model},
    {"GET", STUDY "/outlook", READ, LONG, SERVE_TAG_STUDY, "error", serve_get_outlook},
    {"GET", STUDY "/forecast", ENTER, SLOW, SERVE_TAG_STUDY, "count draws", serve_get_forecast},
    {"POST", STUDY "/predictions", ENTER, SLOW_ONCE, SERVE_TAG_NONE, NULL, serve_predict},
    {"GET", STUDY "/orders", ENTER, 0, SERVE_TAG_STUDY, FILTER, serve_get_orders},
    {"POST", STUDY "/orders", ENTER, WRITES, SERVE_TAG_NONE, NULL, serve_ask},
    {"GET", EXAMPLE, ENTER, 0, SERVE_TAG_EXAMPLE, NULL, serve_get_example},
    {"POST", EXAMPLE "/answers", ENTER, WRITES, SERVE_TAG_EXAMPLE, NULL, serve_tell},
    {"POST", EXAMPLE "/second", ENTER, WRITES, SERVE_TAG_EXAMPLE, NULL, serve_tell_second},
    {"POST", EXAMPLE "/extra", ENTER, WRITES, SERVE_TAG_EXAMPLE, NULL, serve_tell_extra},
    {"POST", EXAMPLE "/correction", ENTER, CHANGES, SERVE_TAG_EXAMPLE, NULL, serve_correct},
    {"POST", EXAMPLE "/end", MANAGE, CHANGES, SERVE_TAG_EXAMPLE, NULL, serve_end},
    {"POST", EXAMPLE "/reopen", MANAGE, CHANGES, SERVE_TAG_EXAMPLE, NULL, serve_reopen},
    {"GET", EXAMPLE "/traces", MANAGE, SLOW, SERVE_TAG_EXAMPLE, NULL, serve_get_traces},
    {"POST", EXAMPLE "/erase", MANAGE, CHANGES | SERVE_ALONE, SERVE_TAG_EXAMPLE, NULL, serve_erase},
    {"POST", STUDY "/imports", MANAGE, WRITES, SERVE_TAG_NONE, NULL, serve_import},
    {"POST", STUDY "/amendments", MANAGE, CHANGES, SERVE_TAG_TERMS, NULL, serve_amend},
    {"GET", STUDY "/events", MANAGE, SLOW_ONCE, SERVE_TAG_STUDY, EVENTS, serve_get_events},
    {"GET", EXPORT "examples.csv", READ, LONG_ONCE, SERVE_TAG_STUDY, "pseudonyms", serve_export_examples},
    {"GET", EXPORT "dictionary.csv", READ, LONG_ONCE, SERVE_TAG_STUDY, "pseudonyms", serve_export_dictionary},
    {"GET", EXPORT "events.csv", READ, LONG_ONCE, SERVE_TAG_STUDY, "pseudonyms", serve_export_events},
    {"GET", EXPORT "ledger.csv", READ, LONG_ONCE, SERVE_TAG_STUDY, "pseudonyms", serve_export_ledger},
    {"GET", EXPORT "looks.csv", READ, LONG_ONCE, SERVE_TAG_STUDY, "pseudonyms", serve_export_looks},
    {"GET", EXPORT "model.json", READ, LONG_ONCE, SERVE_TAG_STUDY, "errors errors_of gaussian", serve_export_model},
    {"POST", STUDY "/freezes", MANAGE, WRITES | SERVE_ALONE, SERVE_TAG_NONE, NULL, serve_freeze},
    {"GET", STUDY "/proof", MANAGE, LONG, SERVE_TAG_STUDY, NULL, serve_get_proof},
    {NULL, NULL, SCANT_ROLE_MANAGE, 0, SERVE_TAG_NONE, NULL, NULL},
};
