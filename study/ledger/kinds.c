/* The kinds of events and the states of orders and lines: each in one table, from which all names are taken. */
#include "study.h"

/* In the order of scant_event_kind.  The names are in the files of studies: they stay. */
static const struct {
  const char *name, *help;
  int of_example;    /* it is about one, and goes when that is erased */
  study_reach reach; /* most events only add something */
} kinds[] = {
    [SCANT_EVENT_CREATE] = {"create", "the study was made", 0, STUDY_ADDS},
    [SCANT_EVENT_BUILD] = {"build", "another build writes from here on", 0, STUDY_ADDS},
    [SCANT_EVENT_ASK] = {"ask", "an order was issued, and its price reserved", 1, STUDY_ADDS},
    [SCANT_EVENT_TELL] = {"tell", "values were told", 1, STUDY_ADDS},
    [SCANT_EVENT_CORRECT] = {"correct", "other values were put in place of those told", 1, STUDY_REWRITES},
    [SCANT_EVENT_CANCEL] = {"cancel", "an order was ended, and what was not measured refunded", 1, STUDY_ADDS},
    [SCANT_EVENT_EXPIRE] = {"expire", "an order was ended, and its money stays spent", 1, STUDY_ADDS},
    [SCANT_EVENT_FAIL] = {"fail", "an order was ended for a reason, and what was not measured refunded", 1, STUDY_ADDS},
    [SCANT_EVENT_IMPORT] = {"import", "an example of the past was learned from", 1, STUDY_ADDS},
    [SCANT_EVENT_AMEND] = {"amend", "the catalogue or the settings were changed", 0, STUDY_CATALOGUE},
    [SCANT_EVENT_REOPEN] = {"reopen", "the end of an order was taken back", 1, STUDY_REWRITES},
    [SCANT_EVENT_EXTRA] = {"extra", "values were told that nobody had ordered", 1, STUDY_REWRITES},
    [SCANT_EVENT_SECOND] = {"second", "values were entered a second time", 1, STUDY_ADDS},
    [SCANT_EVENT_ERASE] = {"erase", "an example was erased", 0, STUDY_REWRITES},
    [SCANT_EVENT_FREEZE] = {"freeze", "a frozen copy was taken, under the name that is the reason", 0, STUDY_ADDS},
};

/* In the order of scant_order_state, whose numbers are in the files of studies. */
static const struct {
  const char *name, *help;
  int open; /* something may still be told, and learned from */
} states[STUDY_STATES] = {
    [SCANT_ORDER_ISSUED] = {"issued", "nothing was told yet", 1},
    [SCANT_ORDER_PARTLY] = {"partly told", "something was told", 1},
    [SCANT_ORDER_TOLD] = {"told", "all attributes were told; the target, or second entries, are to come", 1},
    [SCANT_ORDER_LEARNED] = {"learned", "everything was told, and was learned from", 0},
    [SCANT_ORDER_CANCELLED] = {"cancelled", "what was not measured by then is refunded", 0},
    [SCANT_ORDER_EXPIRED] = {"expired", "its money stays spent until it is cancelled", 0},
    [SCANT_ORDER_FAILED] = {"failed", "for a reason; what was not measured by then is refunded", 0},
    [SCANT_ORDER_ERASED] = {"erased", "its example was erased; what was paid stays counted", 0},
};

static const char *const lines[] = {
    [SCANT_LINE_ORDERED] = "ordered", [SCANT_LINE_TOLD] = "told", [SCANT_LINE_MISSING] = "missing"};

static const char *const seconds[] = {
    [SCANT_SECOND_NONE] = "none", [SCANT_SECOND_AGREES] = "agrees", [SCANT_SECOND_DIFFERS] = "differs"};

enum { KINDS = sizeof kinds / sizeof *kinds };

const char *scant_event_kind_name(scant_event_kind kind) {
  return (unsigned)kind < KINDS ? kinds[kind].name : NULL;
}

const char *scant_event_kind_help(scant_event_kind kind) {
  return (unsigned)kind < KINDS ? kinds[kind].help : NULL;
}

const char *scant_order_state_name(scant_order_state state) {
  return (unsigned)state < STUDY_STATES ? states[state].name : NULL;
}

const char *scant_order_state_help(scant_order_state state) {
  return (unsigned)state < STUDY_STATES ? states[state].help : NULL;
}

const char *scant_line_state_name(scant_line_state state) {
  return (unsigned)state < sizeof lines / sizeof *lines ? lines[state] : NULL;
}

const char *scant_second_entry_name(scant_second_entry second) {
  return (unsigned)second < sizeof seconds / sizeof *seconds ? seconds[second] : NULL;
}

int study_find_kind(const char *name, scant_event_kind *kind) {
  for (unsigned i = 0; i < KINDS; i++) {
    if (strcmp(kinds[i].name, name) != 0) continue;
    *kind = (scant_event_kind)i;
    return 1;
  }
  return 0;
}

int study_is_of_example(scant_event_kind kind) {
  return kinds[kind].of_example;
}

study_reach study_reach_of(scant_event_kind kind) {
  return kinds[kind].reach;
}

int study_is_state(int64_t number) {
  return number >= 0 && number < STUDY_STATES;
}

int study_is_open(scant_order_state state) {
  return states[state].open;
}
