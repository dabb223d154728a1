/* A study as it is in memory, and all that the files of this product share.  What they do for each other is in a header
 * per folder, which this one includes.
 *
 * Every change of the file is made in a transaction with its event (ledger/ledger.c).  The learner in memory follows
 * from the ledger.  When a call fails between the two, the learner is `stale` and is made anew from the file before it
 * is used again.
 */
#ifndef SCANT_STUDY_STUDY_H
#define SCANT_STUDY_STUDY_H

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_replay.h"
#include "scant_study.h"
#include "store/lock.h"
#include "store/sql.h"

/* Sums over the ledger. */
typedef struct study_totals {
  uint64_t attributes, reserved, spent;
} study_totals;

/* Where the ledger ends. */
typedef struct study_tip {
  uint64_t sequence, checksum;
  study_totals totals;
  uint64_t open; /* orders that are */
  int new_build; /* another build wrote last: the next event says so */
} study_tip;

enum {
  STUDY_NAME_MOST = 200,
  STUDY_REASON_MOST = 1000,
  STUDY_KEEP_EVERY = 4000,
  STUDY_EVENT_TEXTS = 8,
  STUDY_REQUEST_TEXTS = 5,
  STUDY_STATES = SCANT_ORDER_ERASED + 1
};
enum { STUDY_BUSY = 2000 }; /* milliseconds that SQLite waits for other handles */

/* The database's file as SQLite sees it where it can't have an index of its log in a file: see opening.c. */
typedef struct study_files {
  sqlite3_io_methods methods; /* first: what a file points to */
  const sqlite3_io_methods *real;
} study_files;

struct scant_study {
  sqlite3 *db;
  study_files files; /* as long as db is open */
  char *path;        /* NULL: in memory */
  study_held lock;
  long owner; /* the process that opened it: a child of it must not use it */
  scant_study_mode mode;
  scant_study_wait wait; /* for the lock */
  uint64_t renewals;     /* how often settings and catalogue were read again */
  unsigned turns;        /* calls, one inside the other, that hold the lock; of a handle that shares the study */
  study_statement statements[STUDY_STATEMENTS]; /* a hash table by the addresses of their texts */
  /* the catalogue */
  scant_study_attribute *catalogue;
  size_t dimension;
  uint32_t *sorted; /* attributes by name */
  char *target;
  char *frozen;          /* the name of a frozen copy; NULL: it is none */
  scant_prices *prices;  /* NULL: all attributes cost the same */
  int unpriced;          /* nothing costs anything: purchases are counted, not paid */
  uint32_t *group;       /* of each attribute, from 1; 0: alone */
  scant_prices *offered; /* what looks follow where an attribute is retired, which then costs nothing; NULL: `prices` */
  unsigned char *barred; /* marks of the retired attributes; NULL: none is */
  uint64_t *since;    /* of each attribute: what was asked for up to this event teaches nothing of it (terms.c); NULL:
                         all teaches */
  uint64_t amended;   /* the last event that amended the terms as they are in memory; 0: none */
  uint64_t most_open; /* the largest max-open there ever was, if that is not the present one */
  /* The place of an attribute in a list.  It counts only if the list has it there, so nothing is ever cleared. */
  size_t *line_at; /* in lines */
  size_t *told_at; /* of the attribute before it, the target's first: in the list that study_index_told was given */
  /* settings */
  scant_settings settings;
  char *algorithm;
  char *reasons;     /* for missing values, separated by ", " */
  int second_needed; /* orders are learned only when second entries agree */
  /* the learner, and up to which event it has learned */
  scant_learner *learner;
  scant_look *drawn;     /* room for a look */
  double *values;        /* room for the values of a look */
  study_tip tip, before; /* before: where the open transaction began */
  study_tip *group_list; /* of groups of calls, one inside the other: where the ledger ended when each began */
  size_t groups, groups_room;
  int rolled_back;         /* all of them were taken back, since a part could not be */
  uint64_t asked;          /* the event that asked for `order` */
  unsigned char *left_out; /* room for marks of places; see study_learner_tell_order */
  uint64_t kept;           /* the event of the last snapshot */
  uint64_t keep_every;     /* events between two snapshots, so that opening after a crash is not slow */
  int stale;
  char *by, *via; /* who acts with this handle, and through what */
  /* while a ledger is replayed */
  const scant_study_event *again; /* what is done again; NULL: something new */
  int exact;                      /* its look must be drawn again to the bit */
  int any_name;                   /* names that are nearly those of others are new ones */
  /* copies of a call's arguments, which may be texts that the study handed out: reading overwrites those */
  char example[STUDY_NAME_MOST + 1];
  char reason[STUDY_REASON_MOST + 1];
  /* what the last call handed out */
  scant_study_order order;
  scant_study_line *lines;
  size_t lines_room;
  scant_study_told *extras; /* of the order */
  size_t extras_room;
  uint64_t learned_by;    /* the event by which the order was learned; 0: none */
  scant_study_told *told; /* answers that are being recorded */
  size_t told_room;
  char *order_texts[4];
  scant_study_event event;
  scant_study_told *event_told;
  size_t event_room;
  char *event_texts[STUDY_EVENT_TEXTS];
  scant_study_request request;
  char *request_texts[STUDY_REQUEST_TEXTS];
  char *teller; /* see scant_study_teller */
  char **notes; /* every note that was ever read, once: they are few */
  size_t note_count, notes_room;
  double risk, risk_error; /* of the learner after the event below */
  uint64_t judged_at;      /* plus 1; 0: not known */
  scant_model *gaussian;   /* of the event below; NULL: none yet */
  uint64_t gaussian_at;
  uint64_t unknown_looks, unknown_given; /* see scant_study_unknown_looks */
};

#include "changes/changes.h"
#include "learning/learning.h"
#include "ledger/ledger.h"
#include "orders/orders.h"
#include "store/store.h"
#include "terms/terms.h"

#endif
