/* scant study tell --csv and import: a file with one line per example. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

typedef struct {
  scant_study *study;
  const char *path;
  const char *base; /* the path without its folders; rows without a name are named after it */
  scant_study_row *rows;
  size_t count;
  size_t empty;             /* rows with nothing told */
  size_t bare;              /* rows without a target, which import passes over */
  size_t same_hand, differ; /* of second entries */
} file;

typedef scant_status take(file *f, const scant_study_row *row, scant_error *error);

/* ---- columns -------------------------------------------------------------------------- */

/* The number of the attribute of this name; the dimension for the target; SIZE_MAX for an unknown name.  Columns mostly
 * come in the order of the catalogue, so the search begins at `first`. */
static size_t find_name(const scant_study *study, const char *name, size_t first) {
  size_t d = scant_study_dimension(study);
  if (!strcmp(name, scant_study_target(study))) return d;
  for (size_t i = 0; i < d; i++) {
    size_t at = (first + i) % d;
    if (!strcmp(name, scant_study_attribute_at(study, at)->name)) return at;
  }
  return SIZE_MAX;
}

/* An unknown column is refused at once, not at the first line that has a value in it. */
static scant_status check_columns(const file *f, int import, scant_error *error) {
  const scant_study_row *header = &f->rows[f->count];
  const char *target = scant_study_target(f->study);
  size_t next = 0, has_target = 0, d = scant_study_dimension(f->study);
  if (!import && !header->example)
    return scant_fail(error, SCANT_DATA, "%.300s: there is no column 'example'", f->path);
  for (size_t i = 0; i < header->count; i++) {
    const char *name = header->answers[i].name;
    size_t found = find_name(f->study, name, next);
    if (found == SIZE_MAX)
      return scant_fail(error, SCANT_DATA, "%.200s, line 1: there is no attribute '%.200s' in this study", f->path,
                        name);
    has_target |= found == d;
    if (found < d) next = found + 1;
  }
  if (!import || has_target) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%.200s: there is no column '%.200s', the target to learn", f->path, target);
}

/* ---- rows ------------------------------------------------------------------------------- */

static scant_status tell_row(file *f, const scant_study_row *row, scant_error *error) {
  f->empty += !row->count; /* a line that is still to be filled in */
  if (!row->count) return SCANT_OK;
  for (size_t i = 0; i < row->count; i++) {
    if (row->answers[i].missing || !isnan(row->answers[i].value)) continue;
    return scant_fail(error, SCANT_DATA,
                      "'%.200s' is NaN: leave it empty if it is not told yet, and say missing if it can't be measured",
                      row->answers[i].name);
  }
  return scant_study_tell(f->study, row->example, row->answers, row->count, error);
}

static scant_status second_row(file *f, const scant_study_row *row, scant_error *error) {
  scant_study_comparison c;
  f->empty += !row->count;
  if (!row->count) return SCANT_OK;
  scant_status status = scant_study_tell_second(f->study, row->example, row->answers, row->count, &c, error);
  f->same_hand += c.same_hand;
  f->differ += c.differ;
  return status;
}

/* Lists the differences of all rows, each example once. */
static scant_status print_differences(const file *f, scant_error *error) {
  for (size_t i = 0; i < f->count && f->differ; i++) {
    const scant_study_order *order;
    char before[300];
    if (!f->rows[i].count) continue;
    SCANT_TRY(scant_study_find(f->study, f->rows[i].example, &order, error));
    snprintf(before, sizeof before, "example %.200s: ", order->example);
    study_print_differences(f->study, order, before);
  }
  return SCANT_OK;
}

/* Leaves out NaNs, which past data have in place of empty cells. */
static scant_status import_row(file *f, const scant_study_row *row, scant_error *error) {
  scant_study_answer *known = malloc((row->count + 1) * sizeof *known);
  char name[4096];
  size_t count = 0, has_target = 0;
  if (!known) return scant_fail_memory(error);
  for (size_t i = 0; i < row->count; i++) {
    if (row->answers[i].missing || isnan(row->answers[i].value)) continue;
    known[count++] = row->answers[i];
    has_target |= !strcmp(row->answers[i].name, scant_study_target(f->study));
  }
  snprintf(name, sizeof name, "%s:%zu", f->base, row->line);
  scant_status status = SCANT_OK;
  if (has_target)
    status = scant_study_import(f->study, row->example ? row->example : name, known, count, error);
  else
    f->bare++;
  free(known);
  return status;
}

/* Counts the rows that were new, and those that were learned from: events after number `before`. */
static scant_status count_new(scant_study *study, uint64_t before, uint64_t *rows, uint64_t *learned,
                              scant_error *error) {
  const scant_study_event *e;
  *rows = *learned = 0;
  for (uint64_t sequence = before;; sequence = e->sequence) {
    scant_status status = scant_study_event_after(study, sequence, &e, error);
    if (status != SCANT_OK || !e) return status;
    *rows += e->kind == SCANT_EVENT_TELL || e->kind == SCANT_EVENT_IMPORT || e->kind == SCANT_EVENT_SECOND;
    *learned += e->learned != 0;
  }
}

/* Each row is its own transaction; rows before a bad one stay. */
static scant_status take_rows(file *f, uint64_t before, take *take_row, scant_error *error) {
  for (size_t i = 0; i < f->count; i++) {
    scant_error inner = {"out of memory"};
    uint64_t rows = 0, learned;
    scant_status status = take_row(f, &f->rows[i], &inner);
    if (status == SCANT_OK) continue;
    char taken[64] = "nothing was taken down";
    scant_error ignored;
    if (count_new(f->study, before, &rows, &learned, &ignored) == SCANT_OK && rows)
      snprintf(taken, sizeof taken, "%llu row%s before it %s taken down", (unsigned long long)rows,
               rows == 1 ? "" : "s", rows == 1 ? "was" : "were");
    snprintf(error->text, sizeof error->text, "%.120s, line %zu: %.300s; %s", f->path, f->rows[i].line, inner.text,
             taken);
    return status;
  }
  return SCANT_OK;
}

/* ---- the file --------------------------------------------------------------------------- */

static scant_status add_nothing_taken(scant_status status, scant_error *error) {
  if (status != SCANT_DATA) return status;
  scant_error whole = *error;
  snprintf(error->text, sizeof error->text, "%.460s; nothing was taken down", whole.text);
  return status;
}

static scant_status print_summary(const file *f, uint64_t before, scant_error *error) {
  uint64_t taken, learned;
  SCANT_TRY(count_new(f->study, before, &taken, &learned, error));
  size_t rows = f->count - f->empty - f->bare;
  if (taken)
    printf("%llu row%s taken down, %llu example%s learned", (unsigned long long)taken, taken == 1 ? "" : "s",
           (unsigned long long)learned, learned == 1 ? "" : "s");
  else
    printf("%zu row%s, nothing new", rows, rows == 1 ? "" : "s");
  if (taken && rows > taken) printf("; %llu had nothing new", (unsigned long long)(rows - taken));
  if (f->bare) printf("; %zu without %s skipped", f->bare, scant_study_target(f->study));
  printf("\n");
  return SCANT_OK;
}

static scant_status take_file(arguments *a, scant_study *study, take *take_row, scant_error *error) {
  int import = take_row == import_row;
  const char *slash = strrchr(a->own.csv, '/');
  file f = {.study = study, .path = a->own.csv, .base = slash ? slash + 1 : a->own.csv};
  scant_study_status before;
  scant_status status = scant_study_rows_load(&f.rows, &f.count, f.path, error);
  if (status == SCANT_OK) status = check_columns(&f, import, error);
  if (status != SCANT_OK) {
    scant_study_rows_free(f.rows);
    return add_nothing_taken(status, error);
  }
  status = scant_study_get_counts(study, &before, error);
  if (status == SCANT_OK) status = take_rows(&f, before.events, take_row, error);
  if (status == SCANT_OK) status = print_summary(&f, before.events, error);
  if (status == SCANT_OK) status = print_differences(&f, error);
  if (status == SCANT_OK) study_print_same_hand(f.same_hand);
  if (status == SCANT_OK) status = study_refuse_differences(f.differ, error);
  scant_study_rows_free(f.rows);
  return status;
}

scant_status study_tell_csv(arguments *a, scant_study *study, scant_error *error) {
  if (a->operand_count > 2)
    return scant_fail(error, SCANT_USAGE, "'%.200s' is one word too many: --csv has the examples", a->operands[2]);
  if (a->own.confirm)
    return scant_fail(error, SCANT_USAGE,
                      "--confirm is not for a whole file: write a '!' behind each value that is unusual "
                      "and right, as 97!");
  return take_file(a, study, a->own.second ? second_row : tell_row, error);
}

scant_status study_import(arguments *a, scant_study *study, scant_error *error) {
  if (!a->own.csv) return scant_fail(error, SCANT_USAGE, "--csv PAST is missing: the data to learn from");
  scant_study_take_new_names(study, a->own.new_name);
  return take_file(a, study, import_row, error);
}
