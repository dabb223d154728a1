/* The tables of a study, and which build writes them. */
#include "study.h"

/* `told` belongs to the ledger: both are only ever added to, but that what somebody told can be erased.  All other
 * tables and the learner of a snapshot follow from them, but for two: a row of `sweep` says that the bytes of what this
 * event erased may still be in the file or in its log, and `request` has the answers to requests (requests.c). */
const char study_schema[] =
    "CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE attribute(place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT, cost INTEGER NOT NULL, "
    "low REAL, high REAL, usual_low REAL, usual_high REAL, panel TEXT, known INTEGER NOT NULL, "
    "retired INTEGER NOT NULL) STRICT;"
    "CREATE TABLE ledger(sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, by TEXT, via TEXT, "
    "number INTEGER NOT NULL, attributes INTEGER NOT NULL, reserved INTEGER NOT NULL, spent INTEGER NOT NULL, "
    "learned INTEGER NOT NULL, example TEXT, look TEXT, reason TEXT, change TEXT, salt INTEGER, "
    "digest INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;"
    "CREATE INDEX ledger_of_example ON ledger(example) WHERE example IS NOT NULL;"
    "CREATE TABLE told(sequence INTEGER NOT NULL, place INTEGER NOT NULL, attribute INTEGER NOT NULL, value REAL, "
    "note TEXT, PRIMARY KEY(sequence, place)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE orders(number INTEGER PRIMARY KEY, example TEXT NOT NULL, state INTEGER NOT NULL, "
    "spent INTEGER NOT NULL, y REAL, asked INTEGER NOT NULL, asked_told INTEGER NOT NULL, learned_told INTEGER, "
    "reason TEXT, second INTEGER NOT NULL, second_y REAL, learned_by INTEGER) STRICT;"
    "CREATE INDEX orders_of_example ON orders(" STUDY_FOLD("example") ");"
    "CREATE TABLE line(number INTEGER NOT NULL, place INTEGER NOT NULL, attribute INTEGER NOT NULL, "
    "price INTEGER NOT NULL, probability REAL NOT NULL, weight REAL NOT NULL, mean REAL, state INTEGER NOT NULL, "
    "value REAL, note TEXT, second INTEGER NOT NULL, second_value REAL, second_note TEXT, item INTEGER NOT NULL, "
    "counted INTEGER NOT NULL, PRIMARY KEY(number, place)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE extra(number INTEGER NOT NULL, attribute INTEGER NOT NULL, value REAL, note TEXT, "
    "sequence INTEGER NOT NULL, PRIMARY KEY(number, attribute)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE import(example TEXT PRIMARY KEY, sequence INTEGER NOT NULL, corrected INTEGER NOT NULL) STRICT, "
    "WITHOUT ROWID;"
    "CREATE INDEX import_of_example ON import(" STUDY_FOLD("example") ");"
    "CREATE TABLE snapshot(sequence INTEGER PRIMARY KEY, build TEXT NOT NULL, learner TEXT NOT NULL) STRICT;"
    "CREATE TABLE sweep(sequence INTEGER PRIMARY KEY) STRICT;"
    "CREATE TABLE request(number INTEGER PRIMARY KEY, by TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, "
    "answer TEXT NOT NULL, at TEXT NOT NULL, UNIQUE(by, key)) STRICT;"
    "CREATE INDEX request_at ON request(at);"
    "CREATE TABLE request_example(request INTEGER NOT NULL, example TEXT NOT NULL, PRIMARY KEY(request, example)) "
    "STRICT, WITHOUT ROWID;"
    "CREATE INDEX request_of_example ON request_example(example);";

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* What a learner draws depends on its generation; its last bits may depend on the rest. */
const char *study_build(void) {
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif
#if defined(__GLIBC__)
#define LIBRARY ", glibc " TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__)
#else
#define LIBRARY ""
#endif
  return "scant " SCANT_VERSION ", learners " TEXT(SCANT_LEARNER_GENERATION) ", " COMPILER LIBRARY;
}
