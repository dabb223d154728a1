/* scant study cancel, reopen and erase: orders that end or go on, and examples that go. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

/* ---- cancel ---------------------------------------------------------------------- */

/* What was measured is lost to learning: it is named, and --yes is wanted. */
static scant_status refuse_loss(const scant_study *study, const scant_study_order *o, scant_study_end how,
                                scant_error *error) {
  char *names = NULL;
  size_t length = 0, told = 0;
  FILE *to = open_memstream(&names, &length);
  if (!to) return scant_fail_memory(error);
  for (size_t i = 0; i < o->count; i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, o->lines[i].attribute);
    if (o->lines[i].state != SCANT_LINE_ORDERED && !at->known) fprintf(to, "%s%s", told++ ? ", " : "", at->name);
  }
  for (size_t i = 0; i < o->extra_count; i++)
    fprintf(to, "%s%s", told++ ? ", " : "", scant_study_attribute_at(study, (size_t)o->extras[i].attribute)->name);
  if (o->has_y) fprintf(to, "%s%s", told++ ? ", " : "", scant_study_target(study));
  if (fclose(to) != 0 || !names) {
    free(names);
    return scant_fail_memory(error);
  }
  char money[128] = "";
  if (scant_study_is_priced(study) && how == SCANT_END_EXPIRE)
    snprintf(money, sizeof money, ", and all of its %.2f stay spent", study_money(o->price));
  else if (scant_study_is_priced(study))
    snprintf(money, sizeof money, ", its %.2f stay spent, and %.2f are refunded", study_money(o->spent),
             study_money(o->price - o->spent));
  if (told)
    snprintf(error->text, sizeof error->text,
             "%.200s of example '%.100s' %s told, and would not be learned from%s; --yes ends the order all the same",
             names, o->example, told == 1 ? "was" : "were", money);
  free(names);
  return told ? SCANT_MISUSE : SCANT_OK;
}

static scant_status check_loss(const arguments *a, scant_study *study, scant_study_end how, scant_error *error) {
  const scant_study_order *o;
  scant_status status = scant_study_find(study, a->operands[2], &o, error);
  if (status != SCANT_OK || a->own.yes || o->state > SCANT_ORDER_TOLD) return status; /* one that ended loses nothing */
  return refuse_loss(study, o, how, error);
}

scant_status study_cancel(arguments *a, scant_study *study, scant_error *error) {
  const char *example = a->operands[2];
  const scant_study_order *order;
  if (a->own.expired && a->own.failed) return scant_fail(error, SCANT_USAGE, "give --expired or --failed, not both");
  scant_study_end how = a->own.expired ? SCANT_END_EXPIRE : a->own.failed ? SCANT_END_FAIL : SCANT_END_CANCEL;
  SCANT_TRY(check_loss(a, study, how, error));
  SCANT_TRY(scant_study_end_order(study, example, how, a->own.failed, error));
  SCANT_TRY(scant_study_find(study, example, &order, error));
  int priced = scant_study_is_priced(study);
  printf("example %s: %s", order->example, scant_order_state_name(order->state));
  if (priced && how == SCANT_END_EXPIRE)
    printf("; its %.2f stay spent until it is cancelled", study_money(order->spent));
  if (priced && how != SCANT_END_EXPIRE)
    printf(", %.2f refunded, %.2f spent", study_money(order->price - order->spent), study_money(order->spent));
  printf("\n");
  return SCANT_OK;
}

/* ---- reopen ---------------------------------------------------------------------- */

scant_status study_reopen(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  if (!a->own.reason) return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why the order goes on");
  SCANT_TRY(scant_study_reopen(study, a->operands[2], a->own.reason, error));
  SCANT_TRY(scant_study_find(study, a->operands[2], &order, error));
  printf("reopened: ");
  study_print_order(study, order);
  return SCANT_OK;
}

/* ---- erase ----------------------------------------------------------------------- */

typedef unsigned long long count;

/* What would go, and what stays. */
static void describe(char *text, size_t size, const scant_study *study, const scant_study_traces *t) {
  size_t used = (size_t)snprintf(text, size, "%llu event%s", (count)t->events, t->events == 1 ? "" : "s");
  if (t->orders == 1)
    used += (size_t)snprintf(text + used, size - used, " and order %llu", (count)t->order);
  else if (t->orders)
    used += (size_t)snprintf(text + used, size - used, " and %llu orders", (count)t->orders);
  if (t->imported) used += (size_t)snprintf(text + used, size - used, ", imported");
  if (scant_study_is_priced(study) && t->orders)
    snprintf(text + used, size - used, "; %.2f stay spent, %.2f refunded", study_money(t->spent),
             study_money(t->refunded));
}

/* What the erasure does to the looks of others. */
static void describe_looks(char *text, size_t size, const scant_study_traces *t) {
  text[0] = 0;
  if (t->unknown)
    snprintf(text, size, "the chances of %llu look%s of others, drawn since its first event, are then no longer known",
             (count)t->unknown, t->unknown == 1 ? "" : "s");
}

static scant_status refuse_unsure(const arguments *a, scant_study *study, scant_error *error) {
  scant_study_traces t;
  char what[200], looks[160];
  SCANT_TRY(scant_study_check_erase(study, a->operands[2], a->own.reason, &t, error));
  describe(what, sizeof what, study, &t);
  describe_looks(looks, sizeof looks, &t);
  return scant_fail(error, SCANT_MISUSE,
                    "this would erase example '%.100s' for good: %s%s%s; nothing was changed, and --yes does it",
                    a->operands[2], what, *looks ? "; " : "", looks);
}

/* The sentence says how to go on. */
static scant_status finish(const arguments *a, scant_study *study, scant_error *error) {
  scant_error inner = {""};
  scant_status status = scant_study_sweep(study, &inner);
  if (status == SCANT_OK) return SCANT_OK;
  snprintf(error->text, sizeof error->text, "%.350s: 'scant study erase %.100s --finish'", inner.text, a->operands[1]);
  return status;
}

/* Files beside the study whose names begin with its name are most likely copies of it. */
static void print_copies(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  char folder_name[4096] = ".";
  if (slash) snprintf(folder_name, sizeof folder_name, "%.*s", slash > path ? (int)(slash - path) : 1, path);
  DIR *folder = opendir(folder_name);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    const char *end = entry->d_name + strlen(base), *side = "";
    int is_own = 0;
    if (strncmp(entry->d_name, base, strlen(base)) != 0) continue;
    for (size_t i = 0; side; side = scant_study_side_end(i++)) is_own |= !strcmp(end, side);
    if (!is_own)
      printf("%.*s%s is another file, which was not touched: it may hold the example\n", (int)(base - path), path,
             entry->d_name);
  }
  if (folder) closedir(folder);
}

/* The ledger knows of frozen copies, wherever they are. */
static scant_status print_frozen(scant_study *study, scant_error *error) {
  const scant_study_event *e;
  for (uint64_t after = 0;; after = e->sequence) {
    scant_status status = scant_study_event_after(study, after, &e, error);
    if (status != SCANT_OK || !e) return status;
    if (e->kind == SCANT_EVENT_FREEZE)
      printf("the copy that was frozen as '%s' is another file, which was not touched: it may hold the example\n",
             e->reason);
  }
}

static void print_erased(const arguments *a, const scant_study *study, const scant_study_traces *t) {
  char what[200];
  describe(what, sizeof what, study, t);
  printf("erased: %s\n", what);
  if (t->unknown)
    printf("the chances of %llu look%s of others, drawn since its first event, are no longer known\n",
           (count)t->unknown, t->unknown == 1 ? "" : "s");
  printf("all was learned anew without it; nothing of it is in %s or its log\n", a->operands[1]);
  if (t->mentions)
    printf("the reasons of %llu other event%s hold the name, and stay as they are: see 'scant study ledger %s'\n",
           (count)t->mentions, t->mentions == 1 ? "" : "s", a->operands[1]);
  printf("who is imported or asked for again is a new one: remove them from your files\n");
  print_copies(a->operands[1]);
}

scant_status study_erase(arguments *a, scant_study *study, scant_error *error) {
  scant_study_traces t;
  int has_example = a->operand_count > 2;
  if (a->own.finish && (has_example || a->own.reason || a->own.yes))
    return scant_fail(error, SCANT_USAGE, "--finish goes on with erasures that were made: it takes FILE alone");
  if (!a->own.finish && !has_example) return scant_fail(error, SCANT_USAGE, "it takes: scant study erase FILE EXAMPLE");
  if (!a->own.finish && !a->own.reason)
    return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why the example is erased, without its name");
  if (a->own.finish) {
    scant_status status = finish(a, study, error);
    if (status == SCANT_OK) printf("nothing of what was erased is in %s or its log\n", a->operands[1]);
    return status;
  }
  if (!a->own.yes) return refuse_unsure(a, study, error);
  SCANT_TRY(scant_study_erase(study, a->operands[2], a->own.reason, &t, error));
  if (t.unswept) SCANT_TRY(finish(a, study, error));
  print_erased(a, study, &t);
  return print_frozen(study, error);
}
