/* Frozen copies: a study as it was when a paper was written.
 *
 * A frozen copy is a file of its own that is never written to: it has a mark, a setting with its name, which makes
 * opening it for writing fail, and nobody may write to the file.  Its SHA-256 is in the ledger of the study, in a text
 * beside the copy, and whoever has the copy can compute it.  So it can be proved that a copy is the one that was
 * taken, and the copy verifies like any study.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study.h"

#define BESIDE ".txt" /* what the text beside a copy ends with */

static scant_status sum_file(const char *path, char text[SCANT_SHA256_TEXT], scant_error *error) {
  unsigned char bytes[1 << 14];
  scant_sha256 sum;
  ssize_t count = -1;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  scant_sha256_begin(&sum);
  while (file >= 0 && ((count = read(file, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)))
    if (count > 0) scant_sha256_add(&sum, bytes, (size_t)count);
  int code = errno;
  if (file >= 0) close(file);
  if (count != 0) return scant_fail(error, SCANT_IO, "can't read '%.300s': %s", path, strerror(code));
  scant_sha256_end(&sum, text);
  return SCANT_OK;
}

/* What the text says of the copy itself; whoever reads it can compute all of it. */
static int describe(const scant_study_frozen *f, char *text, size_t size) {
  return snprintf(text, size, "name: %s\nevents: %" PRIu64 "\nledger: %016" PRIx64 "\nsha256: %s\n", f->name, f->events,
                  f->checksum, f->sha256);
}

/* Writes it to a new file, which is read-only. */
static scant_status write_text(const char *path, const scant_study_frozen *f, scant_error *error) {
  char text[3 * STUDY_NAME_MOST + 400];
  int length = describe(f, text, sizeof text);
  length += snprintf(text + length, sizeof text - (size_t)length, "taken at: %s\ntaken by: %s\n", f->at, f->by);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (file < 0) return study_refuse_new_path(path, errno, error);
  int good = write(file, text, (size_t)length) == length && fsync(file) == 0, code = errno;
  close(file);
  if (good) return SCANT_OK;
  unlink(path);
  return study_refuse_new_path(path, code, error);
}

/* Reads what is there, up to `size`. */
static scant_status read_text(const char *path, char *text, size_t size, scant_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return scant_fail(error, errno == ENOENT ? SCANT_NO_INPUT : SCANT_IO,
                      "can't read '%.300s', which says what was frozen: %s", path, strerror(errno));
  size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = 0;
  return SCANT_OK;
}

/* Marks the copy.  It does not log ahead, so that it is one file and reading it changes nothing, and what SQLite has
 * left in it of old rows goes.  Answers to requests are no part of it. */
static scant_status mark(const char *path, const char *name, scant_error *error) {
  scant_study *copy = study_new(NULL);
  if (!copy) return scant_fail_memory(error);
  scant_status status = study_open_database(copy, path, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK)
    status = study_execute(copy->db, "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE", error);
  if (status == SCANT_OK) status = study_write_setting(copy, STUDY_FROZEN, name, error);
  if (status == SCANT_OK)
    status = study_execute(copy->db, "DELETE FROM request_example; DELETE FROM request; VACUUM", error);
  study_free(copy);
  return status;
}

/* Nobody may write to it from here on, and its owner alone may read it, as any study. */
static scant_status close_to_all(const char *path, scant_error *error) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  int good = file >= 0 && fchmod(file, 0400) == 0 && fsync(file) == 0, code = errno;
  if (file >= 0) close(file);
  return good ? SCANT_OK : study_refuse_new_path(path, code, error);
}

/* The learner is kept, so that the copy opens fast. */
static scant_status keep_learner(scant_study *s, scant_error *error) {
  SCANT_TRY(study_check_end(s, error));
  if (s->kept == s->tip.sequence) return SCANT_OK;
  SCANT_TRY(study_begin(s, error));
  return study_end(s, study_keep_learner(s, error), 0, error);
}

static scant_status make_copy(scant_study *s, const char *path, scant_study_frozen *f, scant_error *error) {
  SCANT_TRY(keep_learner(s, error));
  f->events = s->tip.sequence;
  f->checksum = s->tip.checksum;
  SCANT_TRY(study_copy(s, path, error));
  SCANT_TRY(mark(path, f->name, error));
  SCANT_TRY(close_to_all(path, error));
  return sum_file(path, f->sha256, error);
}

static scant_status check_unused(scant_study *s, const char *name, scant_error *error) {
  uint64_t sequence;
  SCANT_TRY(study_read_single(s, "SELECT sequence FROM ledger WHERE kind = 'freeze' AND reason = ?1",
                              (sql_value[]){sql_text(name)}, &sequence, error));
  if (!sequence) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE,
                    "the study was frozen as '%.200s' before, by event %" PRIu64 ": take another name", name, sequence);
}

/* Gives the copy and the text their names and adds the event, in the open transaction. */
static scant_status record(scant_study *s, const char *from, const char *path, const char *text, scant_study_frozen *f,
                           scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_FREEZE, NULL, 0);
  char change[80];
  snprintf(change, sizeof change, "sha256 %s", f->sha256);
  event.reason = f->name;
  event.change = change;
  SCANT_TRY(study_append(s, &event, error));
  SCANT_TRY(study_read_event(s, event.sequence, error)); /* when, and who */
  snprintf(f->at, sizeof f->at, "%s", s->event.at);
  snprintf(f->by, sizeof f->by, "%s", s->event.by ? s->event.by : "");
  SCANT_TRY(write_text(text, f, error));
  scant_status status = study_name_new_file(from, path, error);
  if (status != SCANT_OK) unlink(text);
  return status;
}

static scant_status freeze(scant_study *s, const char *from, const char *path, const char *text, scant_study_frozen *f,
                           scant_error *error) {
  SCANT_TRY(make_copy(s, from, f, error));
  SCANT_TRY(study_begin(s, error));
  scant_status status = record(s, from, path, text, f, error);
  int placed = status == SCANT_OK;
  status = study_end(s, status, 0, error);
  if (status == SCANT_OK || !placed) return status;
  unlink(path);
  unlink(text);
  return status;
}

/* The copy is made under another name until it is whole. */
static scant_status freeze_to(scant_study *s, const char *path, const char *text, scant_study_frozen *f,
                              scant_error *error) {
  char *name;
  SCANT_TRY(study_make_temporary(path, &name, error));
  scant_status status = freeze(s, name, path, text, f, error);
  study_remove_files(name);
  free(name);
  return status;
}

static scant_status take_turn(scant_study *s, const char *path, scant_study_frozen *f, scant_error *error) {
  struct stat facts;
  SCANT_TRY(check_unused(s, f->name, error));
  SCANT_TRY(study_check_new_path(path, error));
  char *text = study_join(path, BESIDE);
  if (!text) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  if (lstat(text, &facts) == 0)
    status = scant_fail(error, SCANT_IO, "'%.300s' is there already, and says what another file is", text);
  if (status == SCANT_OK) status = freeze_to(s, path, text, f, error);
  free(text);
  return status;
}

scant_status scant_study_freeze(scant_study *study, const char *name, const char *path, scant_study_frozen *frozen,
                                scant_error *error) {
  scant_study_frozen f = {.events = 0};
  SCANT_TRY(study_refuse_in_group(study, "a frozen copy", error));
  SCANT_TRY(study_check_name(name, "the name of the frozen copy", error));
  snprintf(f.name, sizeof f.name, "%s", name);
  SCANT_TRY(study_begin_turn(study, error));
  SCANT_TRY(study_end_turn(study, take_turn(study, path, &f, error)));
  *frozen = f;
  return SCANT_OK;
}

const char *scant_study_frozen_name(const scant_study *study) {
  return study->frozen;
}

scant_status scant_study_describe_frozen(scant_study *s, scant_study_frozen *frozen, scant_error *error) {
  if (!s->frozen) return scant_fail(error, SCANT_MISUSE, "'%.300s' is no frozen copy", s->path);
  *frozen = (scant_study_frozen){.events = s->tip.sequence, .checksum = s->tip.checksum};
  snprintf(frozen->name, sizeof frozen->name, "%s", s->frozen);
  return sum_file(s->path, frozen->sha256, error);
}

/* What stands behind `name` in a line of the text. */
static void read_field(const char *text, const char *name, char *field, size_t size) {
  const char *at = strstr(text, name);
  if (at) at += strlen(name);
  if (at) snprintf(field, size, "%.*s", (int)strcspn(at, "\r\n"), at);
}

scant_status scant_study_check_frozen(scant_study *study, scant_study_frozen *frozen, scant_error *error) {
  char said[4096], is[2 * STUDY_NAME_MOST + 400], *line = is;
  SCANT_TRY(scant_study_describe_frozen(study, frozen, error));
  char *name = study_join(study->path, BESIDE);
  if (!name) return scant_fail_memory(error);
  scant_status status = read_text(name, said, sizeof said, error);
  describe(frozen, is, sizeof is);
  for (char *end; status == SCANT_OK && (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    const char *found = strstr(said, line);
    size_t length = strlen(line);
    if (!found || (found != said && found[-1] != '\n') ||
        (found[length] && found[length] != '\n' && found[length] != '\r'))
      status = scant_fail(error, SCANT_DATA,
                          "this is not the file that was frozen: '%.200s' has %.100s, and '%.200s' says otherwise",
                          study->path, line, name);
  }
  if (status == SCANT_OK) read_field(said, "\ntaken at: ", frozen->at, sizeof frozen->at);
  if (status == SCANT_OK) read_field(said, "\ntaken by: ", frozen->by, sizeof frozen->by);
  free(name);
  return status;
}
