/* Studies: ask today, tell next week, lose nothing.
 *
 * In a clinic or a field campaign there is no file with all attributes: an example (a patient, a site) turns up,
 * somebody asks which few attributes to measure, and values and target arrive minutes or weeks later, out of order,
 * from several people.  A study is one SQLite file that holds the catalogue of attributes, the orders, an append-only
 * ledger, and the learner.
 *
 * The ledger is the truth: replaying it from the start gives the same orders, the same money and the same
 * learner.  Everything else in the file saves time, and scant_study_verify checks it against the ledger.
 *
 * Every function that writes is one transaction, durable when it returns SCANT_OK; a failed one changes
 * nothing.  (scant_study_begin puts several calls into one transaction.)  One handle writes at a time: others wait
 * for it, if they were opened to wait, and fail with SCANT_BUSY else; handles that read need not wait for it.
 * Conventions are those of scant.h.  Link with libscant-study, which needs SQLite.
 */
#ifndef SCANT_STUDY_H
#define SCANT_STUDY_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scant_study scant_study;

/* ---- the catalogue ------------------------------------------------------- */

/* An attribute that can be measured. */
typedef struct scant_study_attribute {
  const char *name;
  const char *unit;  /* NULL: none */
  uint64_t cost;     /* in hundredths */
  double low, high;  /* values outside are refused; NaN: no bound */
  const char *group; /* what is bought together, such as a blood panel; NULL: alone */
  int known;         /* always known: costs nothing and is in every order */
  /* Values outside are unusual: they are taken only if they are confirmed.  NaN: no bound; both 0: no bounds. */
  double usual_low, usual_high;
  int retired; /* it is not ordered any more */
} scant_study_attribute;

/* A catalogue from a CSV file with the columns name and, in any order and each optional, unit, cost, low, high,
 * usual_low, usual_high, group, known and retired (yes or no).  For scant_study_catalogue_free. */
SCANT_API scant_status scant_study_catalogue_load(scant_study_attribute **attributes, size_t *count, const char *path,
                                                  scant_error *error);
SCANT_API void scant_study_catalogue_free(scant_study_attribute *attributes);

/* ---- making, opening, closing ---------------------------------------------- */

/* Puts gaussian or auto in place of the algorithm `default`, as scant_study_create does: gaussian, since what is told
 * late teaches it as much as what is told at once.  auto is taken where an option was given that gaussian does not
 * take, without an engine of gaussian, and where gaussian would need more than option memory allows.  `why` (or NULL)
 * gets the reason; it is empty if the settings name an algorithm. */
SCANT_API scant_status scant_study_choose(scant_settings *settings, const scant_study_attribute *catalogue,
                                          size_t count, const char *target, scant_error *why, scant_error *error);

/* Makes a new file, of mode 0600: whole, or not at all.  These settings count: the algorithm and its options, k, spend,
 * budget, budget-cost, missing (skip-cell if not given), seed, max-open: the most open orders (1000 if not given).
 * `target` is the name by which the target is told; NULL: "y".  SCANT_USAGE: the settings are wrong; SCANT_DATA: a name
 * or the catalogue is wrong, or the limits do not pay the prices; SCANT_IO: the file exists, or the log of another one
 * that was there, or it can't be written.  Names are UTF-8 of 1 to 200 bytes without control characters and blanks
 * around them; those of attributes and target have no '=', do not begin with '-' and are not `example`. */
SCANT_API scant_status scant_study_create(const char *path, const scant_settings *settings,
                                          const scant_study_attribute *catalogue, size_t count, const char *target,
                                          scant_error *error);

/* What a study is made with beside settings and catalogue.  Zero: defaults. */
typedef struct scant_study_terms {
  const char *target;   /* NULL: "y" */
  const char *by, *via; /* who makes it, and through what: see scant_study_sign */
  /* Why a value may be missing, separated by commas; NULL: "not done, refused, broken, lost". */
  const char *missing_reasons;
  int second_entry; /* an order is learned only when all of it was entered a second time, and agrees */
} scant_study_terms;

/* The same with more terms; NULL: none.  Names of attributes and target must differ in more than case. */
SCANT_API scant_status scant_study_create_with(const char *path, const scant_settings *settings,
                                               const scant_study_attribute *catalogue, size_t count,
                                               const scant_study_terms *terms, scant_error *error);

typedef enum scant_study_mode {
  SCANT_STUDY_READ,
  SCANT_STUDY_WRITE, /* no other handle can write until this one is closed */
  SCANT_STUDY_SHARE  /* writes, but keeps others from writing only within each call that writes; every call sees what
                      * others have written by then */
} scant_study_mode;

/* How a handle waits for others that write: at opening and, if it shares the study, in every call that writes.  Those
 * that wait are served in the order in which they came, and none is kept by one that ended without notice. */
typedef struct scant_study_wait {
  double seconds;          /* at most, 0 or more; then SCANT_BUSY */
  int (*stop)(void *user); /* called after a signal and a few times per second; other than 0: it waits no longer, and
                            * the call fails with SCANT_BUSY; NULL: nothing is called */
  void *user;
} scant_study_wait;

/* Opens a study, with the engines, threads and memory of `given` (NULL: none, and defaults).  SCANT_BUSY: another
 * handle is writing; SCANT_DATA: the file is no study, is of another version, or has foreign triggers, views or tables;
 * SCANT_NO_INPUT.  The handle is of this process alone: in a forked child calls fail with SCANT_MISUSE, and the child
 * does not keep others from writing.
 *
 * A handle that reads sees in every call the study of one moment, with all that others have written by then; it can't
 * ask (see scant_study_find), tell, or change anything else.  A study whose orders do not follow from its ledger opens,
 * so that scant_study_verify can say what is wrong and scant_study_replay can mend it; other functions fail. */
SCANT_API scant_status scant_study_open(scant_study **study, const char *path, scant_study_mode mode,
                                        const scant_settings *given, scant_error *error);
/* The same with a wait (NULL: none), which is copied.  SCANT_USAGE: its time is none. */
SCANT_API scant_status scant_study_open_waiting(scant_study **study, const char *path, scant_study_mode mode,
                                                const scant_study_wait *wait, const scant_settings *given,
                                                scant_error *error);
/* What the names of files that a study may have beside it end with, such as "-wal"; NULL past the end. */
SCANT_API const char *scant_study_side_end(size_t index);

/* Keeps the learner as a snapshot if it can (not while another one writes), so that the study opens fast the next time;
 * nothing is lost if it can't.  Snapshots are also made every few thousand events. */
SCANT_API void scant_study_close(scant_study *study);

/* Who acts with this handle from here on, and through what; every event records both.  NULL: the name of the user whom
 * the process belongs to, and "library".  Names are as those of examples. */
SCANT_API scant_status scant_study_sign(scant_study *study, const char *by, const char *via, scant_error *error);

SCANT_API size_t scant_study_dimension(const scant_study *study);
/* Valid until the next call with this study that is none of these four, since such a call may find that the study was
 * amended.  Attributes keep their places, and new ones come behind them. */
SCANT_API const scant_study_attribute *scant_study_attribute_at(const scant_study *study, size_t index);
SCANT_API const char *scant_study_target(const scant_study *study);
/* As they are now, resolved. */
SCANT_API const scant_settings *scant_study_settings(const scant_study *study);
/* The reasons for missing values, separated by ", "; whether second entries are demanded before learning. */
SCANT_API const char *scant_study_missing_reasons(const scant_study *study);
SCANT_API int scant_study_second_entry(const scant_study *study);
/* How often this handle has read settings and catalogue again, since another one had changed them. */
SCANT_API uint64_t scant_study_renewals(const scant_study *study);

/* Says to others that are refused since this handle writes where they can go instead, such as the address of a service:
 * 1 to 499 bytes of UTF-8 without control characters.  NULL: nothing any more.  It ends with the handle, and with its
 * process.  SCANT_MISUSE: the handle is not one of SCANT_STUDY_WRITE. */
SCANT_API scant_status scant_study_announce(scant_study *study, const char *where, scant_error *error);
/* Where the study of this file is being served, as announced; "" if it is not.  500 bytes are room enough. */
SCANT_API scant_status scant_study_find_service(const char *path, char *where, size_t size, scant_error *error);

/* ---- several calls at once -------------------------------------------------- */

/* Several calls in one transaction, durable together: far fewer syncs, and all or nothing.  Groups stand inside groups:
 * an inner one that is taken back changes nothing of the outer one.  Within a group a call that fails changes nothing,
 * and the calls before it stay.  Only handles that write have groups; one that shares the study keeps others from
 * writing until the outermost ends.  Erasing, sweeping, replaying, freezing and copying fail with SCANT_MISUSE within a
 * group.  If memory or the disk fails, all groups may be lost: calls fail with SCANT_IO until the outermost ends. */
SCANT_API scant_status scant_study_begin(scant_study *study, scant_error *error);
/* Ends the innermost group.  The outermost one is durable on SCANT_OK; else nothing of it has happened. */
SCANT_API scant_status scant_study_commit(scant_study *study, scant_error *error);
/* Ends the innermost group, too: it has not happened.  A study that is closed takes back all groups. */
SCANT_API void scant_study_roll_back(scant_study *study);

/* ---- requests ---------------------------------------------------------------- */

/* The answer to a request, so that one that is sent twice is done once.  It is in the file, in the same transaction as
 * what was done (see scant_study_begin).  It is no part of the ledger.  It goes when an example of the request is
 * erased; frozen copies have none, backups have all. */
typedef struct scant_study_request {
  const char *by;     /* whose key it is: others may use the same; as the names of scant_study_sign */
  const char *key;    /* 1 to 200 bytes of printable ASCII */
  const char *digest; /* of what was asked: 64 hexadecimal digits */
  const char *answer; /* whatever the caller wants to have back, in UTF-8 */
  const char *at;     /* UTC, as in the ledger; filled in */
} scant_study_request;

/* Keeps an answer, and which examples the request is about.  (A request that erased one names none: its name would be
 * back.)  SCANT_MISUSE: there is one for this key. */
SCANT_API scant_status scant_study_remember(scant_study *study, const scant_study_request *request,
                                            const char *const *examples, size_t count, scant_error *error);
/* The answer for a key; *request is NULL if there is none.  Valid until the next call; also for handles that read. */
SCANT_API scant_status scant_study_recall(scant_study *study, const char *by, const char *key,
                                          const scant_study_request **request, scant_error *error);
/* Forgets those from before a day or a moment (UTC: 2026-11-15 or 2026-11-15T09:30:00Z); *count (or NULL): how many. */
SCANT_API scant_status scant_study_forget_requests(scant_study *study, const char *before, uint64_t *count,
                                                   scant_error *error);

/* ---- plans change ----------------------------------------------------------- */

/* Amends the study, for a reason that is recorded.  `attributes` are found by their names: those in the catalogue
 * become as these say (whether one is always known stays), others are added.  Of `settings` (NULL: none) those that are
 * given count: k, spend, budget, budget-cost and max-open.  Open orders keep their prices, and an order keeps what it
 * asked for.  A retired attribute is never ordered again.  The learner is made anew from the ledger with the present
 * terms.  `trial`: nothing is changed, but everything is tried.  *change (or NULL) gets what changes as JSON, for
 * scant_text_free; NULL: nothing does, and no event is recorded.  What would be refused when a study is made is refused
 * here; SCANT_USAGE also: the algorithm can't add or retire attributes or change k (auto, ridge, lasso, svr and
 * gaussian can), or a budget would be below what is spent or reserved.
 *
 * gaussian learns from everything, whenever it was told.  The others learn without an attribute that is retired: its
 * weight is 0.  Of one that was taken back, they learn from the looks since. */
SCANT_API scant_status scant_study_amend(scant_study *study, const scant_study_attribute *attributes, size_t count,
                                         const scant_settings *settings, const char *reason, int trial, char **change,
                                         scant_error *error);
/* Such a change, of an event of kind amend, in words: "hba1c: cost 12 -> 9; k 3 -> 2", for scant_text_free. */
SCANT_API scant_status scant_study_describe_change(const char *change, char **words, scant_error *error);

/* Sets a column of an attribute (as in the file of a catalogue, but not its name) from a text, which must outlive it
 * where it is a unit or a group; empty: none. */
SCANT_API scant_status scant_study_attribute_set(scant_study_attribute *attribute, const char *column, const char *text,
                                                 scant_error *error);

/* ---- orders ---------------------------------------------------------------- */

typedef enum scant_order_state {
  SCANT_ORDER_ISSUED,    /* nothing was told yet */
  SCANT_ORDER_PARTLY,    /* something was */
  SCANT_ORDER_TOLD,      /* all attributes were; the target, or second entries that are demanded, were not */
  SCANT_ORDER_LEARNED,   /* all was, and it was learned from */
  SCANT_ORDER_CANCELLED, /* what was not measured by then is refunded */
  SCANT_ORDER_EXPIRED,   /* its money stays spent until it is cancelled, which reconciles it; what is told of it
                          * is kept and not learned from */
  SCANT_ORDER_FAILED,    /* with a reason; what was not measured is refunded */
  SCANT_ORDER_ERASED     /* its example was erased: it has no lines, and a name that says nothing */
} scant_order_state;

/* Its name, and what it means in a few words; NULL past the last. */
SCANT_API const char *scant_order_state_name(scant_order_state state);
SCANT_API const char *scant_order_state_help(scant_order_state state);

typedef enum scant_line_state {
  SCANT_LINE_ORDERED,
  SCANT_LINE_TOLD,
  SCANT_LINE_MISSING /* told to be unmeasurable */
} scant_line_state;

/* NULL past the last. */
SCANT_API const char *scant_line_state_name(scant_line_state state);

/* What came of entering a value a second time: see scant_study_tell_second. */
typedef enum scant_second_entry {
  SCANT_SECOND_NONE, /* it was entered once, or not at all */
  SCANT_SECOND_AGREES,
  SCANT_SECOND_DIFFERS
} scant_second_entry;

/* NULL past the last. */
SCANT_API const char *scant_second_entry_name(scant_second_entry second);

typedef struct scant_study_line {
  uint32_t attribute; /* in the catalogue */
  uint64_t price;     /* of a group: at its first member, 0 at the others */
  scant_line_state state;
  double value;       /* NaN unless told */
  double probability; /* of one draw, frozen at ask; NaN: there are no single draws, and it was not certain either */
  const char *note;   /* why it is missing, or `confirmed`; NULL: nothing; valid until the study is closed */
  scant_second_entry second;
  double second_value;     /* as it was entered the second time; NaN: missing, or not entered */
  const char *second_note; /* of the second entry */
  uint32_t item;           /* what was ordered together has the same one */
  int counted;             /* it counts as an attribute that is bought; of a group: its first member */
} scant_study_line;

/* What an event told: the value of an attribute (or of the target), NaN if it can't be measured. */
typedef struct scant_study_told {
  int64_t attribute; /* in the catalogue; -1: the target */
  double value;
  const char *note; /* why it is missing, or `confirmed`; NULL: nothing; valid until the study is closed */
} scant_study_told;

typedef struct scant_study_order {
  uint64_t number;
  const char *example;
  scant_order_state state;
  uint64_t price; /* of all its lines: reserved at ask */
  uint64_t spent; /* of that, by now */
  int has_y;
  double y;
  const char *asked_at; /* UTC, such as 2026-11-15T09:30:00Z */
  const char *asked_by; /* who asked */
  const char *reason;   /* of a failed one; NULL */
  uint64_t age;         /* examples learned between asking and learning (until now, if it was not learned) */
  size_t count;
  const scant_study_line *lines;
  scant_second_entry second; /* of the target */
  double second_y;           /* NaN: not entered a second time */
  int second_needed;         /* the study demands second entries */
  /* what was measured without being ordered: see scant_study_tell_extra */
  size_t extra_count;
  const scant_study_told *extras;
} scant_study_order;

/* What to measure of an example.  Asking again gives the same order, or a new one if that was cancelled with
 * nothing measured.  The price is reserved.  `order` is valid until the next call with this study.
 * SCANT_SPENT: `budget` or `budget-cost` does not cover it; SCANT_MISUSE: too many orders are open, the
 * example's order ended otherwise, or the name is questioned (see scant_study_take_new_names). */
SCANT_API scant_status scant_study_ask(scant_study *study, const char *example, const scant_study_order **order,
                                       scant_error *error);

/* The same of several examples, in this order, all or none in one transaction: a list is one decision, and half of it
 * is of no use.  Examples that have an order keep it.  Then scant_study_find gives the orders.  The texts must not be
 * ones that the study handed out.  Failures are those of scant_study_ask; the sentence names the example. */
SCANT_API scant_status scant_study_ask_all(scant_study *study, const char *const *examples, size_t count,
                                           scant_error *error);

/* Whether scant_study_ask_all would order something of these examples: *fresh is how many of them would get an order,
 * which the others have.  It draws nothing, so it does not know whether the budget covers the orders: see
 * scant_study_preview.  It fails as scant_study_ask_all would, and changes nothing; handles that read may call it. */
SCANT_API scant_status scant_study_check_ask(scant_study *study, const char *const *examples, size_t count,
                                             size_t *fresh, scant_error *error);

/* What the next orders may cost. */
typedef struct scant_study_forecast {
  uint64_t draws;           /* orders that were simulated; all that follows is of these */
  uint64_t least, most;     /* the price of one, in hundredths */
  double mean;              /* of these prices, in hundredths */
  uint64_t attributes_most; /* what one counts for the option budget */
  double attributes_mean;
  uint64_t left;            /* of budget-cost, in hundredths; UINT64_MAX: there is no limit */
  uint64_t attributes_left; /* of budget; UINT64_MAX: there is no limit */
} scant_study_forecast;

/* Simulates `draws` orders (1 to 1,000,000) from the learner as it is, with other random numbers than those of the
 * orders to come.  The very next look is not shown on purpose: who sees it before deciding whether to ask chooses the
 * looks, and what is learned from chosen looks is biased.  `chance`, if not NULL, gets the share of the orders that
 * have each attribute, one number per attribute.  It changes nothing; handles that read may call it. */
SCANT_API scant_status scant_study_preview(scant_study *study, uint64_t draws, scant_study_forecast *forecast,
                                           double *chance, scant_error *error);

/* A name that differs from an older one of the study only in the case of ASCII letters, in blanks or in the kind of its
 * dashes is mostly the same example, mistyped: asking and importing refuse it with SCANT_MISUSE.  With `yes` this
 * handle takes such names as new ones from here on. */
SCANT_API void scant_study_take_new_names(scant_study *study, int yes);

/* The order of an example, whatever its state; the last, if it has several.  SCANT_DATA if it has none; the sentence
 * then names an example whose name is nearly this one. */
SCANT_API scant_status scant_study_find(scant_study *study, const char *example, const scant_study_order **order,
                                        scant_error *error);

/* All orders, the first first; NULL past the end.  Valid until the next call. */
SCANT_API scant_status scant_study_order_at(scant_study *study, uint64_t number, const scant_study_order **order,
                                            scant_error *error);

/* The first open order whose number is larger than `after`; NULL: there is none.  Valid until the next call. */
SCANT_API scant_status scant_study_open_after(scant_study *study, uint64_t after, const scant_study_order **order,
                                              scant_error *error);

/* One answer: the value of an attribute, or of the target by its name. */
typedef struct scant_study_answer {
  const char *name;
  double value;
  int missing;      /* it can't be measured */
  const char *note; /* why it is missing, one of the study's reasons; NULL: nobody says */
  int confirmed;    /* it is right, though it may be unusual */
} scant_study_answer;

/* Records answers to the order of an example, all or none, and learns when the last one is there.  The same
 * answer again changes nothing; another answer is refused, and the sentence says what is stored.  SCANT_DATA:
 * unknown names, attributes that were not ordered, values out of range or not finite, unusual ones that nobody has
 * confirmed, reasons that are not in the study's list. */
SCANT_API scant_status scant_study_tell(scant_study *study, const char *example, const scant_study_answer *answers,
                                        size_t count, scant_error *error);

/* How the values told of an order compare with their second entries. */
typedef struct scant_study_comparison {
  size_t agree, differ; /* of those that were entered twice, target included */
  size_t once;          /* told, and not entered a second time yet */
  size_t same_hand;     /* of those that were entered now: told by the same person the first time */
} scant_study_comparison;

/* Enters values a second time, which were told before, without a look at what was told: a slip of the hand is seldom
 * made twice.  All or none are recorded, whether they agree or not.  A value that differs is resolved by another second
 * entry that agrees, or by scant_study_correct with the value of the second entry.  Missing values differ only if each
 * has a reason, and another one.  If the study demands second entries, the one that completes an order is learned from.
 * The same again changes nothing.  SCANT_DATA: as scant_study_tell, or a value was not told yet. */
SCANT_API scant_status scant_study_tell_second(scant_study *study, const char *example,
                                               const scant_study_answer *answers, size_t count,
                                               scant_study_comparison *comparison, scant_error *error);

/* A line of a file of answers. */
typedef struct scant_study_row {
  const char *example; /* NULL: the file has no column `example` */
  size_t line;         /* in the file, from 1 */
  size_t count;
  const scant_study_answer *answers;
} scant_study_row;

/* Answers from a CSV file: a column for each name, and `example`.  An empty cell is no answer; `missing` says that the
 * attribute can't be measured, `missing:refused` also why; `97!` confirms an unusual value.  Behind the `count` rows,
 * at least one, there is one more for the header: with an `example` if there is such a column, and an answer without a
 * value for each of the others.  For scant_study_rows_free. */
SCANT_API scant_status scant_study_rows_load(scant_study_row **rows, size_t *count, const char *path,
                                             scant_error *error);
/* The same for a list of examples: what is in the other columns does not matter, and no row has answers. */
SCANT_API scant_status scant_study_names_load(scant_study_row **rows, size_t *count, const char *path,
                                              scant_error *error);
SCANT_API void scant_study_rows_free(scant_study_row *rows);

/* Puts other values in place of those that were told or imported, for a reason that is recorded, and learns all
 * anew from the ledger.  A value that equals its second entry then agrees with it. */
SCANT_API scant_status scant_study_correct(scant_study *study, const char *example, const scant_study_answer *answers,
                                           size_t count, const char *reason, scant_error *error);

/* Records what was measured of an example without being ordered, for a reason.  It costs nothing.  The example has an
 * order that is open, expired or learned from.  A study of gaussian learns from it as from what was ordered (anew, if
 * the order was learned from already); the others keep it aside, since their estimates need draws: *learns (or NULL)
 * says which.  Predictions and plans use it anyway.  The same again changes nothing; another value is refused. */
SCANT_API scant_status scant_study_tell_extra(scant_study *study, const char *example,
                                              const scant_study_answer *answers, size_t count, const char *reason,
                                              int *learns, scant_error *error);

typedef enum scant_study_end {
  SCANT_END_CANCEL, /* also reconciles an order that expired */
  SCANT_END_EXPIRE,
  SCANT_END_FAIL /* needs a reason */
} scant_study_end;

/* Ends an order that was not learned.  Reasons are UTF-8 of up to 1,000 bytes without control characters. */
SCANT_API scant_status scant_study_end_order(scant_study *study, const char *example, scant_study_end how,
                                             const char *reason, scant_error *error);

/* Takes the end of an order back, for a reason that is recorded: it was cancelled, expired or failed by mistake.  What
 * was refunded is reserved again, values that were told are still there, and what is still to come can be told.  An
 * expired order of which everything was told meanwhile is learned from.  It must be the last order of its example.
 * SCANT_SPENT: the budget does not cover it any more; SCANT_MISUSE: it has not ended, or too many orders are open. */
SCANT_API scant_status scant_study_reopen(scant_study *study, const char *example, const char *reason,
                                          scant_error *error);

/* Learns from an example of the past, whose values were not chosen by this study: `answers` holds the target and what
 * is known.  It costs nothing.  The same again changes nothing; other values are refused.  SCANT_USAGE: the algorithm
 * can't learn from such values (auto, ridge, lasso, svr, gaussian and moments can). */
SCANT_API scant_status scant_study_import(scant_study *study, const char *example, const scant_study_answer *answers,
                                          size_t count, scant_error *error);

/* ---- forgetting --------------------------------------------------------------- */

/* What a study holds of an example. */
typedef struct scant_study_traces {
  uint64_t events; /* of the ledger */
  uint64_t orders; /* and the number of the last of them, 0: none */
  uint64_t order;
  uint64_t open; /* orders that are */
  int imported;
  uint64_t spent;      /* for it, in hundredths: that stays counted */
  uint64_t refunded;   /* what its open orders reserve, in hundredths: that is given back */
  uint64_t attributes; /* that its open orders reserve */
  uint64_t looks;      /* of other examples, drawn since its first event: they stay, and are taken as given */
  uint64_t unknown;    /* of these, how many have chances that nobody can know after an erasure */
  uint64_t mentions;   /* events of other examples whose reason holds the name: they stay as they are */
  int unswept;         /* after an erasure: its bytes are still in the file or its log; see scant_study_sweep */
} scant_study_traces;

/* What would go if the example were erased.  SCANT_DATA: nothing is known of it. */
SCANT_API scant_status scant_study_find_traces(scant_study *study, const char *example, scant_study_traces *traces,
                                               scant_error *error);

/* The same, and whether scant_study_erase would take this reason. */
SCANT_API scant_status scant_study_check_erase(scant_study *study, const char *example, const char *reason,
                                               scant_study_traces *traces, scant_error *error);

/* Erases an example, for a reason that is recorded and must not hold its name.  Names, values, looks and reasons of all
 * its events are gone; kinds, times, who acted and money stay, with digests by which the chain of checksums still
 * holds.  The learner is made anew without it, and so is everything else that follows from the ledger.  Then the file
 * is swept: see scant_study_sweep; traces->unswept says if that could not be finished.  `traces` may be NULL.  Copies
 * of the file (backups, FILE.v1) and what was exported are other files: they stay.  If the name turns up again it is a
 * new example's, since the study can't know it any more. */
SCANT_API scant_status scant_study_erase(scant_study *study, const char *example, const char *reason,
                                         scant_study_traces *traces, scant_error *error);

/* Finishes erasures: the file is written anew and its log emptied, so that no byte of what was erased is in them.
 * Opening a study to write tries this too, without waiting.  SCANT_BUSY: somebody reads the study. */
SCANT_API scant_status scant_study_sweep(scant_study *study, scant_error *error);

/* ---- results ------------------------------------------------------------------ */

/* How a study stands. */
typedef struct scant_study_status {
  uint64_t events;                /* in the ledger */
  uint64_t orders, open, learned; /* open: issued, partly told, told */
  uint64_t cancelled, expired, failed, erased;
  int unswept;     /* bytes of what was erased may still be in the file: see scant_study_sweep */
  uint64_t differ; /* values, targets included, whose second entry differs, whatever became of their orders */
  uint64_t imported;
  uint64_t attributes_bought;   /* as a fit's ledger counts: told or missing, of learned orders */
  uint64_t spent, reserved;     /* in hundredths */
  uint64_t budget_cost;         /* in hundredths; 0: no limit */
  uint64_t budget;              /* attributes; 0: no limit */
  uint64_t attributes_reserved; /* bought, or in open orders */
  double risk, risk_error;      /* squared error of the present regressor, estimated from what was told; NaN, both of
                                 * them: not known */
  double mean_age;              /* examples learned between asking and learning, on average */
  uint64_t most_age;
} scant_study_status;

/* The risk is estimated when it is asked for, which may take long where there are many attributes: learners that were
 * told all but a twentieth of the examples are judged by that twentieth, and what was not seen of it is filled in by
 * the joint Gaussian of all others.  Without the engine of gaussian, or where that would take too long, it is the
 * learner's own estimate; of the papers' algorithms always, and of their recent iterates. */
SCANT_API scant_status scant_study_get_status(scant_study *study, scant_study_status *status, scant_error *error);
/* The same without the risk, which is NaN: quick. */
SCANT_API scant_status scant_study_get_counts(scant_study *study, scant_study_status *status, scant_error *error);
/* The same without what must be counted or learned, which is 0 or NaN: events, open orders, money, budgets and whether
 * something is unswept.  With a handle of SCANT_STUDY_WRITE it is as quick in a large study as in a small one. */
SCANT_API scant_status scant_study_get_totals(scant_study *study, scant_study_status *status, scant_error *error);

/* The risk of the regressor of the first so many examples, in the order in which they were told. */
typedef struct scant_study_risk {
  uint64_t examples;
  double risk, risk_error; /* NaN: not known */
} scant_study_risk;
/* Estimates it, as scant_study_get_status does, at up to `most` numbers of examples (*count); the last is all. */
SCANT_API scant_status scant_study_get_risks(scant_study *study, size_t most, scant_study_risk *risks, size_t *count,
                                             scant_error *error);
/* Purchases of each attribute, and what they cost in hundredths (of a group: at its first member): as many numbers as
 * scant_study_dimension said before.  Attributes that the call finds to be added since are left out. */
SCANT_API scant_status scant_study_purchases(scant_study *study, uint64_t *purchases, uint64_t *money,
                                             scant_error *error);

/* What an event of the ledger is. */
typedef enum scant_event_kind {
  SCANT_EVENT_CREATE,
  SCANT_EVENT_BUILD,
  SCANT_EVENT_ASK,
  SCANT_EVENT_TELL,
  SCANT_EVENT_CORRECT,
  SCANT_EVENT_CANCEL,
  SCANT_EVENT_EXPIRE,
  SCANT_EVENT_FAIL,
  SCANT_EVENT_IMPORT,
  SCANT_EVENT_AMEND,
  SCANT_EVENT_REOPEN,
  SCANT_EVENT_EXTRA,
  SCANT_EVENT_SECOND,
  SCANT_EVENT_ERASE,
  SCANT_EVENT_FREEZE
} scant_event_kind;

/* As it is in the file and in CSV, and in a few words; NULL past the last. */
SCANT_API const char *scant_event_kind_name(scant_event_kind kind);
SCANT_API const char *scant_event_kind_help(scant_event_kind kind);

/* One event of the ledger. */
typedef struct scant_study_event {
  uint64_t sequence; /* from 1, without holes */
  const char *at;    /* UTC */
  scant_event_kind kind;
  const char *by, *via;    /* who, and through what */
  int erased;              /* example, look, reason, change and what was told are gone: somebody was erased */
  const char *example;     /* NULL: none */
  uint64_t order;          /* 0: none */
  int64_t attributes;      /* by how much it changed what is bought or ordered, */
  int64_t reserved, spent; /* and money, in hundredths */
  const char *look;        /* of ask: as scant_look_save has it; NULL */
  const char *reason;      /* NULL: none */
  const char *change;      /* of create and amend: settings and attributes, as JSON; NULL */
  int learned;             /* the learner learned from it */
  size_t count;
  const scant_study_told *told;
  uint64_t salt, digest; /* the digest of what can be erased begins with the salt, which goes with it */
  uint64_t checksum;     /* of this event and those before it: of its digest and of what can't be erased */
} scant_study_event;

/* Events after `after`, one at a time; *event is NULL past the last.  Valid until the next call.  SCANT_DATA: the next
 * one is not there, or comes before it: the file is damaged. */
SCANT_API scant_status scant_study_event_after(scant_study *study, uint64_t after, const scant_study_event **event,
                                               scant_error *error);

/* The next event of an example after event number `after`, in the same way. */
SCANT_API scant_status scant_study_event_of(scant_study *study, const char *example, uint64_t after,
                                            const scant_study_event **event, scant_error *error);

/* The last event of an example; 0: nothing is known of it.  Quick, and handles that read may call it. */
SCANT_API scant_status scant_study_last_event(scant_study *study, const char *example, uint64_t *sequence,
                                              scant_error *error);

/* Who told this value of an example last, as it was ordered, extra, imported or corrected; *by is NULL if nobody did.
 * `name` is that of an attribute or of the target.  Valid until the next call. */
SCANT_API scant_status scant_study_teller(scant_study *study, const char *example, const char *name, const char **by,
                                          scant_error *error);

/* The import of an example with its values after corrections; NULL: there is none.  Valid until the next call. */
SCANT_API scant_status scant_study_find_imported(scant_study *study, const char *example,
                                                 const scant_study_event **event, scant_error *error);

/* ---- using it ------------------------------------------------------------------ */

/* The regressor so far, as a model file for `scant predict`. */
SCANT_API scant_status scant_study_model(scant_study *study, scant_model **model, scant_error *error);

/* The same with standard errors (scant_fit_errors), from the answers in the study.  errors_of: as the option errors-of
 * of a fit, for a study of gaussian; NULL: none.  For the other algorithms the study learns everything anew.
 * SCANT_DATA: there are too few examples. */
SCANT_API scant_status scant_study_model_errors(scant_study *study, const char *errors_of, scant_model **model,
                                                scant_error *error);

/* Writes the looks of all orders that were learned from to a file, and the chances of pairs to another (`pairs`; NULL:
 * none), as scant_fit_keep_looks does: CSV has the names of the examples, NPY the numbers of their orders from 0.
 * Chances that only the law of that moment knows (gaussian, moments, ddaerr, ddaelr) are found by doing the ledger
 * again, which takes as long as scant_study_verify.  They are left out of looks that can't be drawn again to the bit:
 * those of another build, and those from before an example was erased.  `pseudonyms`: in place of the names of the
 * examples, as those of scant_study_export_examples. */
SCANT_API scant_status scant_study_export_looks(scant_study *study, const char *path, const char *pairs, int pseudonyms,
                                                scant_error *error);

/* Writes a table with one row per example, ordered or imported, as CSV to `path`, and what its columns are to
 * `dictionary`: both files are whole, or what was there stays (docs/studies.md has the columns).  `pseudonyms`: names
 * of examples and people are replaced by such as nobody can compute without the file of the study, the same in every
 * export, and reasons, which may hold names, are left out. */
SCANT_API scant_status scant_study_export_examples(scant_study *study, const char *path, const char *dictionary,
                                                   int pseudonyms, scant_error *error);

/* Writes the ledger as CSV with one row per value that an event ordered or told, and one row for other events. */
SCANT_API scant_status scant_study_export_events(scant_study *study, const char *path, int pseudonyms,
                                                 scant_error *error);

/* Takes the next bytes of a text; a status other than SCANT_OK, with its sentence, ends it. */
typedef scant_status scant_study_sink(void *user, const char *bytes, size_t length, scant_error *error);

/* A column of the caller's own, behind the others. */
typedef struct scant_study_extra {
  const char *name;
  void (*put)(const scant_study_event *event, char *text, size_t size);
} scant_study_extra;

/* Of the looks that this handle exported last: those with an attribute of which neither the chance of a draw nor that
 * of being in the look is known.  *given: of these, those that can't be drawn again (they are of another build, or from
 * before an erasure); of the others the law had no closed form. */
SCANT_API uint64_t scant_study_unknown_looks(const scant_study *study, uint64_t *given);

/* The ledger as CSV with one row per event, for people.  extra: NULL: none. */
SCANT_API scant_status scant_study_print_ledger(scant_study *study, int pseudonyms, const scant_study_extra *extra,
                                                scant_study_sink *sink, void *user, scant_error *error);

/* All that was told of examples with a target, those of the past included, as a table with empty cells: the pilot of a
 * plan.  Attributes that are retired are left out.  *prices are those of the catalogue, with its groups; where nothing
 * has a cost but some attributes are known or in groups, each other item costs 1; NULL: there are none.  The caller
 * frees both, and may close the study before. SCANT_DATA: there is no such example. */
SCANT_API scant_status scant_study_examples(scant_study *study, scant_source **source, scant_prices **prices,
                                            scant_error *error);

/* How far it is to a squared error. */
typedef struct scant_study_outlook {
  double error;         /* that is wanted */
  uint64_t k;           /* attributes per example that were simulated: those of the study; all, if its money decides */
  uint64_t learned;     /* examples so far, those of the past included */
  double examples;      /* in all, from the first: the median of simulated studies; INFINITY: most do not come to it */
  double more;          /* of these, those that are still to come: 0 or more */
  size_t runs, reached; /* simulated studies, and those of them that come to it */
} scant_study_outlook;

/* How much is done; another number than 0 stops. */
typedef int scant_study_progress(void *user, double share);

/* Says how many examples a study like this one takes until its squared error is `wanted`: a plan (scant_plan_new) with
 * scant_study_examples as its pilot, the study's own algorithm, options, K and prices, and the seed 1.  It takes
 * seconds or minutes, and keeps nobody from writing meanwhile; `progress` may be NULL.  SCANT_USAGE, SCANT_DATA: as
 * scant_plan_new says, such as too few examples, or an error that no number of examples comes to. */
SCANT_API scant_status scant_study_foresee(scant_study *study, double wanted, uint64_t threads,
                                           scant_study_progress *progress, void *user, scant_study_outlook *outlook,
                                           scant_error *error);

/* The joint Gaussian of everything that was told, with the prices of the catalogue, which predicts from whatever is
 * known.  Needs the engine of the algorithm gaussian.  It is fitted when it is asked for. */
SCANT_API scant_status scant_study_gaussian(scant_study *study, scant_model **model, scant_error *error);

/* A prediction from the attributes given, with the interval that holds y with probability
 * `level`, by scant_study_gaussian.  SCANT_USAGE: the level is not between 0 and 1. */
SCANT_API scant_status scant_study_predict(scant_study *study, const scant_study_answer *answers, size_t count,
                                           double level, scant_prediction *prediction, scant_error *error);

/* ---- proving it ------------------------------------------------------------------ */

typedef struct scant_study_proof {
  uint64_t events, orders;
  int same_build;    /* every event was written by this build */
  int same_bits;     /* the replayed learner is that of the snapshot, bit for bit */
  double difference; /* else the largest relative difference of a weight */
} scant_study_proof;

/* Replays the ledger from the start and compares: its chain of checksums, settings and catalogue with the digest in its
 * first event, every look, every order, line and amount, and the learner.  SCANT_DATA says what is wrong and where.  It
 * can't notice if the last events were removed from every table at once, together with the learner. */
SCANT_API scant_status scant_study_verify(scant_study *study, scant_study_proof *proof, scant_error *error);

/* Makes orders, amounts and learner anew from the ledger. */
SCANT_API scant_status scant_study_replay(scant_study *study, scant_error *error);

/* A copy of the whole study in a new file, consistent also while others write. */
SCANT_API scant_status scant_study_backup(scant_study *study, const char *path, scant_error *error);

/* A copy that is never written to again. */
typedef struct scant_study_frozen {
  char name[204];    /* what it is called, in a paper for instance */
  char at[32];       /* when it was taken, UTC, */
  char by[204];      /* and by whom; empty: that is not known */
  uint64_t events;   /* in its ledger, */
  uint64_t checksum; /* and that of the last of them */
  char sha256[65];   /* of the file, as sha256sum has it */
} scant_study_frozen;

/* Freezes the study as it is: a copy in a new file, which nobody may write to, with a text beside it (`path`.txt) that
 * has the name and the checksums.  The copy opens for reading alone, whatever the permissions of its file.  The ledger
 * gets an event with the name and the SHA-256.  SCANT_MISUSE: the name was used before; SCANT_IO: a file is there. */
SCANT_API scant_status scant_study_freeze(scant_study *study, const char *name, const char *path,
                                          scant_study_frozen *frozen, scant_error *error);
/* The name of a frozen copy; NULL: the study is none. */
SCANT_API const char *scant_study_frozen_name(const scant_study *study);
/* Computes what a frozen copy is, but for when it was taken. */
SCANT_API scant_status scant_study_describe_frozen(scant_study *study, scant_study_frozen *frozen, scant_error *error);
/* The same, compared with the text beside the copy.  SCANT_DATA says what is different; scant_study_verify does the
 * rest.  SCANT_MISUSE: the study is no frozen copy. */
SCANT_API scant_status scant_study_check_frozen(scant_study *study, scant_study_frozen *frozen, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
