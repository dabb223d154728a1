/* Every write, sync, truncation, opening ... fails once, or once and ever after: the 1st, the 2nd, ... until a whole
 * scenario meets none.  A call that fails says so and can be tried again; without the faults the study is what the
 * acknowledged steps make it, and nothing is half there. */
#include "study_support.h"

/* ---- a file system that fails ------------------------------------------------------ */

typedef enum { WRITE, SHORT_WRITE, FULL, SYNC, TRUNCATE, OPEN, DELETE, MAP, READ, FAULTS } fault;
static const char *const fault_names[] = {"write", "short write", "full disk", "sync", "truncate",
                                          "open",  "delete",      "map",       "read"};

static fault failing;
static unsigned long fail_at, met; /* fail_at 0: none */
static int for_ever, failed;

typedef struct {
  sqlite3_file base;
  sqlite3_file *real; /* behind it in memory */
  int lasts;          /* the study itself, or its log: what is in it must outlive a crash */
  int unsynced;       /* it was written to since its last sync */
} shim_file;

/* Files that last and hold what a crash would lose; syncs of such files; how many were closed like that. */
static int unsynced, closed_unsynced;
static unsigned long sync_count;

static void set_unsynced(sqlite3_file *file, int now) {
  shim_file *f = (shim_file *)file;
  if (!f->lasts) return;
  unsynced += now - f->unsynced;
  f->unsynced = now;
}

static sqlite3_vfs *real_vfs, shim_vfs;

static int fails(fault kind) {
  if (kind != failing || !fail_at) return 0;
  met++;
  if (met != fail_at && !(for_ever && met > fail_at)) return 0;
  failed++;
  return 1;
}

#define REAL(file) (((shim_file *)(file))->real)

static int shim_close(sqlite3_file *file) {
  closed_unsynced += ((shim_file *)file)->unsynced;
  set_unsynced(file, 0);
  return REAL(file)->pMethods ? REAL(file)->pMethods->xClose(REAL(file)) : SQLITE_OK;
}

static int shim_read(sqlite3_file *file, void *to, int length, sqlite3_int64 offset) {
  if (fails(READ)) return SQLITE_IOERR_READ;
  return REAL(file)->pMethods->xRead(REAL(file), to, length, offset);
}

static int shim_write(sqlite3_file *file, const void *from, int length, sqlite3_int64 offset) {
  set_unsynced(file, 1);
  if (fails(WRITE)) return SQLITE_IOERR_WRITE;
  if (fails(FULL)) return SQLITE_FULL;
  if (fails(SHORT_WRITE)) {
    REAL(file)->pMethods->xWrite(REAL(file), from, length / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  return REAL(file)->pMethods->xWrite(REAL(file), from, length, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return fails(TRUNCATE) ? SQLITE_IOERR_TRUNCATE : REAL(file)->pMethods->xTruncate(REAL(file), size);
}

/* The real one would only take time: nothing is switched off here. */
static int shim_sync(sqlite3_file *file, int flags) {
  (void)flags;
  if (!fail_at || failing != SYNC) set_unsynced(file, 0);
  sync_count += (unsigned long)((shim_file *)file)->lasts;
  return fails(SYNC) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int shim_lock(sqlite3_file *file, int lock) {
  return REAL(file)->pMethods->xLock(REAL(file), lock);
}

static int shim_unlock(sqlite3_file *file, int lock) {
  return REAL(file)->pMethods->xUnlock(REAL(file), lock);
}

static int shim_reserved(sqlite3_file *file, int *out) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), out);
}

static int shim_control(sqlite3_file *file, int op, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), op, argument);
}

static int shim_sector(sqlite3_file *file) {
  return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int shim_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int shim_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  if (fails(MAP)) return SQLITE_IOERR_SHMMAP;
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, out);
}

static int shim_map_lock(sqlite3_file *file, int offset, int n, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
}

static void shim_barrier(sqlite3_file *file) {
  REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int shim_unmap(sqlite3_file *file, int delete) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

static const sqlite3_io_methods shim_methods = {
    2,           shim_close,    shim_read,    shim_write,  shim_truncate,        shim_sync, shim_size,     shim_lock,
    shim_unlock, shim_reserved, shim_control, shim_sector, shim_characteristics, shim_map,  shim_map_lock, shim_barrier,
    shim_unmap,  NULL,          NULL};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  file->pMethods = NULL;
  ((shim_file *)file)->lasts = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
  ((shim_file *)file)->unsynced = 0;
  REAL(file) = (sqlite3_file *)((shim_file *)file + 1);
  if (fails(OPEN)) return SQLITE_CANTOPEN;
  int code = real_vfs->xOpen(real_vfs, name, REAL(file), flags, out);
  if (code == SQLITE_OK) file->pMethods = &shim_methods;
  return code;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  return fails(DELETE) ? SQLITE_IOERR_DELETE : real_vfs->xDelete(real_vfs, name, sync);
}

static void use_shim(void) {
  real_vfs = sqlite3_vfs_find(NULL);
  shim_vfs = *real_vfs;
  shim_vfs.zName = "failing";
  shim_vfs.szOsFile = (int)sizeof(shim_file) + real_vfs->szOsFile;
  shim_vfs.xOpen = shim_open;
  shim_vfs.xDelete = shim_delete;
  shim_vfs.pNext = NULL;
  CHECK(sqlite3_vfs_register(&shim_vfs, 1) == SQLITE_OK);
}

/* ---- what is done meanwhile ----------------------------------------------------------- */

enum { STEPS = 20, D = 6 };
static char path[500];
#ifdef __SANITIZE_ADDRESS__
enum { FAULT_STRIDE = 3 }; /* every one of them without sanitizers, which take their time */
#else
enum { FAULT_STRIDE = 1 };
#endif

static char *wanted[STEPS + 1]; /* the study after so many steps */

static scant_status tell_by_hand(scant_study *study, const char *example, int only_y) {
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  scant_status status = scant_study_find(study, example, &o, &said);
  if (status != SCANT_OK) return status;
  size_t count = 0;
  for (size_t i = 0; i < o->count && !only_y; i++) {
    uint32_t attribute = o->lines[i].attribute;
    answers[count++] = (scant_study_answer){study->catalogue[attribute].name, 0.25 * attribute + 0.125 * example[0], 0};
  }
  answers[count++] = (scant_study_answer){"y", 0.5 * example[0] - 40, 0};
  return scant_study_tell(study, example, answers, count, &said);
}

static scant_status tell_extra(scant_study *study, const char *example) {
  const scant_study_order *o;
  uint32_t place = 1;
  scant_status status = scant_study_find(study, example, &o, &said);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) place++, i = (size_t)-1;
  scant_study_answer x = {study->catalogue[place].name, 1.25, 0};
  return scant_study_tell_extra(study, example, &x, 1, "the ward did it", NULL, &said);
}

/* One step is one event. */
static scant_status step(scant_study *study, int i) {
  static const char *const examples[] = {"a", "b", "c", "d", "e"};
  const scant_study_order *o;
  scant_study_comparison compared;
  scant_study_answer y = {"y", 3, 0}, past[2] = {{"a2", 1, 0}, {"y", 2, 0}};
  scant_study_attribute added = {.name = "b1", .cost = 200, .low = NAN, .high = NAN};
  scant_settings raised = settings_of("budget-cost=700");
  if (i < 5) return scant_study_ask(study, examples[i], &o, &said);
  if (i < 8) return tell_by_hand(study, examples[i - 5], 0);
  switch (i) {
    case 8:
      return tell_by_hand(study, "d", 1);
    case 9:
      return scant_study_correct(study, "b", &y, 1, "a slip", &said);
    case 10:
      return scant_study_import(study, "old", past, 2, &said);
    case 11:
      return scant_study_end_order(study, "e", SCANT_END_EXPIRE, NULL, &said);
    case 12:
      return scant_study_ask(study, "f", &o, &said);
    case 13:
      return tell_by_hand(study, "f", 0);
    case 14:
      return scant_study_amend(study, &added, 1, &raised, "it is so", 0, NULL, &said);
    case 15:
      return scant_study_correct(study, "old", &y, 1, "a slip", &said);
    case 16:
      return scant_study_ask(study, "g", &o, &said);
    case 17:
      return tell_extra(study, "g");
    case 18:
      return scant_study_ask(study, "h", &o, &said);
    default:
      return scant_study_tell_second(study, "b", &y, 1, &compared, &said);
  }
}

/* All but times, and checksums, which depend on them. */
static char *timeless(scant_study *study) {
  study_text t = {0};
  put_rows(&t, study->db,
           "SELECT sequence, kind, example, number, attributes, reserved, spent, look, reason, learned, change IS NULL "
           "FROM ledger ORDER BY sequence");
  put_rows(&t, study->db, "SELECT * FROM told ORDER BY sequence, place");
  put_rows(&t, study->db, "SELECT * FROM orders ORDER BY number");
  put_rows(&t, study->db, "SELECT * FROM line ORDER BY number, place");
  put_rows(&t, study->db, "SELECT * FROM import ORDER BY example");
  put_rows(&t, study->db, "SELECT * FROM extra ORDER BY number, attribute");
  put_rows(&t, study->db, "SELECT * FROM attribute ORDER BY place");
  char *text;
  size_t length;
  CHECK(scant_learner_save(study->learner, &text, &length, &said) == SCANT_OK);
  put(&t, text, length);
  scant_text_free(text);
  return t.text;
}

static scant_status make(void) {
  scant_settings s = settings_of("algorithm=auto k=3 seed=3 budget-cost=500");
  return scant_study_create(path, &s, catalogue_of(D, PRICED), D, NULL, &said);
}

/* Pages go to the file soon, and the learner is kept often. */
static void open_again(scant_study **study, scant_status *status) {
  *study = NULL;
  *status = scant_study_open(study, path, SCANT_STUDY_WRITE, NULL, &said);
  if (*status != SCANT_OK) return;
  sqlite3_exec((*study)->db, "PRAGMA wal_autocheckpoint = 6", NULL, NULL, NULL);
  (*study)->keep_every = 4;
}

/* A failure is told in a sentence. */
static void check_failure(scant_status status) {
  if (!CHECK(failed > 0 && (status == SCANT_IO || status == SCANT_BUSY || status == SCANT_MEMORY) && said.text[0]))
    printf("#   %s %lu%s: status %d: %s\n", fault_names[failing], fail_at, for_ever ? " on" : "", status, said.text);
}

/* How many steps are acknowledged; with a fault that goes away, all of them after another try. */
static int run_steps(void) {
  scant_study *study = NULL;
  scant_status status = SCANT_OK;
  int done = 0;
  for (int tries = 0; tries < 2; tries++) {
    status = make();
    if (status == SCANT_OK) break;
    check_failure(status);
    CHECK(!is_file(path, "") && !is_file(path, "-lock") && !is_file(path, "-wal"));
    if (for_ever) return -1;
  }
  if (!CHECK(status == SCANT_OK)) return -1;
  for (int tries = 0; tries < 2 && !study; tries++) {
    open_again(&study, &status);
    if (status != SCANT_OK) check_failure(status);
    if (status != SCANT_OK && for_ever) return 0;
  }
  if (!CHECK(study != NULL)) return 0;
  for (; done < STEPS; done++) {
    if (done == 6) { /* opened anew half-way */
      scant_study_close(study);
      open_again(&study, &status);
      if (status != SCANT_OK) check_failure(status);
      if (status != SCANT_OK && for_ever) return done;
      if (status != SCANT_OK) open_again(&study, &status);
      if (!CHECK(status == SCANT_OK)) return done;
    }
    said.text[0] = 0;
    status = step(study, done);
    if (status == SCANT_OK) continue;
    check_failure(status);
    if (for_ever) break;
    status = step(study, done); /* the same again, on the same handle */
    if (!CHECK(status == SCANT_OK)) {
      printf("#   again, %s %lu, step %d: %s\n", fault_names[failing], fail_at, done, said.text);
      break;
    }
  }
  scant_study_close(study);
  return done;
}

/* Without faults: what is there is what was acknowledged, and at most one step more, whole. */
static void check_after(int done) {
  unsigned long at = fail_at;
  fail_at = 0;
  scant_study *study = NULL;
  scant_study_proof proof;
  if (done < 0) return; /* it was never made */
  if (CHECK(scant_study_open(&study, path, SCANT_STUDY_WRITE, NULL, &said) == SCANT_OK)) {
    char *text = timeless(study);
    int same = strcmp(text, wanted[done]) == 0 || (for_ever && done < STEPS && strcmp(text, wanted[done + 1]) == 0);
    if (!CHECK(same)) printf("#   after %s %lu%s: %d steps\n", fault_names[failing], at, for_ever ? " on" : "", done);
    free(text);
    if (!CHECK(scant_study_verify(study, &proof, &said) == SCANT_OK)) printf("#   %s\n", said.text);
    check_money(study);
    scant_study_close(study);
  } else {
    printf("#   after %s %lu: %s\n", fault_names[failing], at, said.text);
  }
  fail_at = at;
}

static void reference(void) {
  fail_at = 0;
  study_remove(path);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  wanted[0] = timeless(study);
  for (int i = 0; i < STEPS; i++) {
    GOOD(step(study, i));
    wanted[i + 1] = timeless(study);
  }
  check_verified(study);
  scant_study_close(study);
}

static void run_fault(fault kind) {
  unsigned long n = 0;
  int faults = 0;
  for (for_ever = 0; for_ever < 2; for_ever++)
    for (n = 1;; n += FAULT_STRIDE) {
      failing = kind;
      fail_at = n;
      met = 0;
      failed = 0;
      study_remove(path);
      int done = run_steps();
      if (!failed) {
        CHECK(done == STEPS);
        break;
      }
      faults++;
      if (!for_ever) CHECK(done == STEPS || !failed);
      check_after(done);
      if (check_failures > 10) return;
    }
  printf("# %s: %d faults\n", fault_names[kind], faults);
  CHECK(faults > 0);
  fail_at = 0;
  study_remove(path);
}

TEST(without_faults) {
  reference();
}

/* Whoever hears that a step is done may pull the plug. */
TEST(what_is_acknowledged_is_synced) {
  study_remove(path);
  unsynced = closed_unsynced = 0;
  unsigned long before = sync_count;
  GOOD(make());
  CHECK(!unsynced && !closed_unsynced && sync_count > before);
  scant_study *study = NULL;
  scant_status status;
  for (int i = 0; i < STEPS; i++) {
    if (i % 5 == 0) {
      if (i) scant_study_close(study);
      CHECK(!unsynced && !closed_unsynced);
      open_again(&study, &status);
      if (!CHECK(status == SCANT_OK)) return;
    }
    before = sync_count;
    GOOD(step(study, i));
    CHECK(!unsynced && sync_count > before);
  }
  scant_study_close(study);
  CHECK(!unsynced && !closed_unsynced);
  study_remove(path);
}

TEST(writes) {
  run_fault(WRITE);
}
TEST(short_writes) {
  run_fault(SHORT_WRITE);
}
TEST(full_disks) {
  run_fault(FULL);
}
TEST(syncs) {
  run_fault(SYNC);
}
TEST(truncations) {
  run_fault(TRUNCATE);
}
TEST(openings) {
  run_fault(OPEN);
}
TEST(deletions) {
  run_fault(DELETE);
}
TEST(maps) {
  run_fault(MAP);
}
TEST(readings) {
  run_fault(READ);
}

/* ---- reading where nothing can be written -------------------------------------------------- */

static char other[500];

/* A study of all steps; `unclosed`: as the power left it, with the last steps in its log alone. */
static void leave_study(int unclosed) {
  char log[520], other_log[520];
  study_remove(path);
  study_remove(other);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  sqlite3_exec(study->db, "PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL);
  for (int i = 0; i < STEPS; i++) GOOD(step(study, i));
  if (!unclosed) scant_study_close(study);
  copy_file(path, other);
  snprintf(log, sizeof log, "%s-wal", path);
  snprintf(other_log, sizeof other_log, "%s-wal", other);
  if (unclosed) copy_file(log, other_log);
  if (unclosed) scant_study_close(study);
  CHECK(is_file(other, "-wal") == unclosed && !is_file(other, "-shm"));
}

static void read_all(void) {
  scant_study *study = NULL;
  scant_study_status t;
  scant_study_proof proof;
  scant_model *model = NULL;
  const scant_study_event *e = NULL;
  said.text[0] = 0;
  if (!CHECK(scant_study_open(&study, other, SCANT_STUDY_READ, NULL, &said) == SCANT_OK)) {
    printf("#   %s: %s\n", fault_names[failing], said.text);
    return;
  }
  for (int again = 0; again < 2; again++) {
    GOOD(scant_study_get_status(study, &t, &said));
    CHECK(t.events == STEPS + 1);
    GOOD(scant_study_event_after(study, STEPS, &e, &said));
    CHECK(e && e->sequence == STEPS + 1);
    GOOD(scant_study_model(study, &model, &said));
    scant_model_free(model);
    GOOD(scant_study_verify(study, &proof, &said));
  }
  char *text = timeless(study);
  CHECK(strcmp(text, wanted[STEPS]) == 0);
  free(text);
  scant_study_close(study);
}

static void read_with(fault kind, int unclosed) {
  fail_at = 0;
  leave_study(unclosed);
  failing = kind;
  fail_at = 1;
  for_ever = 1;
  met = 0;
  failed = 0;
  read_all();
  if (kind == MAP) CHECK(failed > 0); /* the others may have nothing to do */
  fail_at = 0;
  study_remove(path);
  study_remove(other);
}

TEST(reading_a_full_disk) {
  static const fault kinds[] = {MAP, FULL, WRITE, SHORT_WRITE, TRUNCATE, SYNC, DELETE};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (int unclosed = 0; unclosed < 2; unclosed++) read_with(kinds[i], unclosed);
}

/* Another one opens the study and writes: what it wrote is seen. */
TEST(reading_goes_on_when_there_is_room_again) {
  scant_study *reader = NULL, *writer;
  scant_study_status t;
  const scant_study_order *o;
  leave_study(1);
  failing = MAP;
  fail_at = 1;
  for_ever = 1;
  GOOD(scant_study_open(&reader, other, SCANT_STUDY_READ, NULL, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  fail_at = 0;
  writer = open_study(other, SCANT_STUDY_WRITE);
  GOOD(scant_study_ask(writer, "new", &o, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 2);
  GOOD(scant_study_ask(writer, "newer", &o, &said));
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 3);
  scant_study_close(writer);
  GOOD(scant_study_get_status(reader, &t, &said));
  CHECK(t.events == STEPS + 3);
  scant_study_close(reader);
  study_remove(path);
  study_remove(other);
}

/* A writer that finds no room says so. */
TEST(the_sentence_of_a_full_disk) {
  const scant_study_order *o;
  fail_at = 0;
  study_remove(path);
  GOOD(make());
  scant_study *study = open_study(path, SCANT_STUDY_WRITE);
  failing = FULL;
  fail_at = 1;
  for_ever = 1;
  met = 0;
  CHECK(scant_study_ask(study, "x", &o, &said) == SCANT_IO);
  CHECK_SAYS(said.text, "the disk is full; nothing was changed");
  fail_at = 0;
  scant_study_close(study);
  study_remove(path);
}

int main(void) {
  study_begin_tests();
  snprintf(other, sizeof other, "%s", study_path("other"));
  snprintf(path, sizeof path, "%s", study_path("faulty"));
  use_shim();
  RUN(without_faults);
  RUN(what_is_acknowledged_is_synced);
  RUN(writes);
  RUN(short_writes);
  RUN(full_disks);
  RUN(syncs);
  RUN(truncations);
  RUN(openings);
  RUN(deletions);
  RUN(maps);
  RUN(readings);
  RUN(reading_a_full_disk);
  RUN(reading_goes_on_when_there_is_room_again);
  RUN(the_sentence_of_a_full_disk);
  for (int i = 0; i <= STEPS; i++) free(wanted[i]);
  study_remove(path);
  return study_end_tests();
}
