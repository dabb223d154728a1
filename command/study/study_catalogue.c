/* scant study create, amend and catalogue: what can be measured, and on what terms. */
#include <math.h>
#include <string.h>

#include "study_actions.h"

/* ---- create ---------------------------------------------------------------------- */

/* Takes over settings that the command's own table has under the same name.  Their help differs here, or the command
 * does not show them elsewhere. */
static scant_status take_own(arguments *a, scant_error *error) {
  const struct { const char *name, *value; } own[] = {{"max-open", a->own.max_open}, {"examples", a->own.expected}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (!own[i].value) continue;
    SCANT_TRY(scant_settings_set(&a->settings, own[i].name, own[i].value, error));
  }
  return SCANT_OK;
}

static void print_made(const arguments *a, const scant_study_attribute *catalogue, size_t count) {
  const scant_settings *s = &a->settings;
  size_t known = 0, paid = 0;
  for (size_t i = 0; i < count; i++) {
    known += catalogue[i].known != 0;
    paid += catalogue[i].cost > 0;
  }
  printf("%s: a study of %zu attributes", a->operands[1], count);
  if (known) printf(", %zu of them always known", known);
  printf("\n%s", s->learning.algorithm);
  if (s->learning.k) printf(", K = %llu", (unsigned long long)s->learning.k);
  if (s->learning.spend > 0) printf(", at most %.2f per example", s->learning.spend);
  if (s->run.budget_cost > 0) printf(", a budget of %.2f", s->run.budget_cost);
  if (s->run.budget) printf(", a budget of %llu attributes", (unsigned long long)s->run.budget);
  if (!paid) printf("; nothing has a price");
  if (a->own.second_entry) printf("; learns what was entered twice");
  printf("\n");
}

scant_status study_create(arguments *a, scant_study *study, scant_error *error) {
  (void)study;
  scant_study_attribute *catalogue = NULL;
  size_t count = 0;
  scant_error why = {""};
  scant_study_terms terms = {.target = a->own.target,
                             .by = a->own.by,
                             .via = STUDY_VIA,
                             .missing_reasons = a->own.missing_reasons,
                             .second_entry = a->own.second_entry};
  if (!a->own.attributes)
    return scant_fail(error, SCANT_USAGE, "--attributes CATALOGUE is missing: what can be measured");
  scant_status status = take_own(a, error);
  if (status == SCANT_OK) status = scant_study_catalogue_load(&catalogue, &count, a->own.attributes, error);
  if (status == SCANT_OK) status = scant_study_choose(&a->settings, catalogue, count, a->own.target, &why, error);
  if (status == SCANT_OK)
    status = scant_study_create_with(a->operands[1], &a->settings, catalogue, count, &terms, error);
  if (status == SCANT_OK) print_made(a, catalogue, count);
  if (status == SCANT_OK && *why.text) printf("default: %s, since %s\n", a->settings.learning.algorithm, why.text);
  scant_study_catalogue_free(catalogue);
  return status;
}

/* ---- amend ----------------------------------------------------------------------- */

/* Settings that can be amended; max-open is in the command's own table, too. */
static int is_amendable(const scant_option *o) {
  return has_word(STUDY_AMENDABLE, o->name);
}

static scant_status read_settings(const arguments *a, scant_settings *settings, scant_error *error) {
  const scant_option *o;
  scant_settings_init(settings);
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!is_amendable(o) || !scant_settings_is_given(&a->settings, o)) continue;
    scant_settings_get(&a->settings, o, value, sizeof value);
    SCANT_TRY(scant_settings_set(settings, o->name, value, error));
  }
  return a->own.max_open ? scant_settings_set(settings, "max-open", a->own.max_open, error) : SCANT_OK;
}

/* The attribute as it is now, or a new one. */
static scant_status find_attribute(const arguments *a, const scant_study *study, scant_study_attribute *found,
                                   scant_error *error) {
  const char *name = a->operands[2];
  size_t i = 0, count = scant_study_dimension(study);
  while (i < count && strcmp(scant_study_attribute_at(study, i)->name, name) != 0) i++;
  if (i < count && a->own.new_one)
    return scant_fail(error, SCANT_USAGE, "there is an attribute '%.200s' already", name);
  if (i == count && !a->own.new_one)
    return scant_fail(error, SCANT_USAGE, "there is no attribute '%.200s' in the catalogue; --new adds it", name);
  *found = i < count
               ? *scant_study_attribute_at(study, i)
               : (scant_study_attribute){.name = name, .low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
  return SCANT_OK;
}

/* Is this column named by an operand before this one? */
static int is_named_before(const arguments *a, int operand, size_t length) {
  for (int i = 3; i < operand; i++)
    if (!strncmp(a->operands[i], a->operands[operand], length + 1)) return 1; /* with its '=' */
  return 0;
}

/* Sets the columns that the operands from the fourth on name. */
static scant_status read_fields(const arguments *a, scant_study_attribute *attribute, scant_error *error) {
  for (int i = 3; i < a->operand_count; i++) {
    char column[40];
    const char *word = a->operands[i], *equals = strchr(word, '=');
    if (!equals || equals == word || (size_t)(equals - word) >= sizeof column)
      return scant_fail(error, SCANT_USAGE, "'%.200s' is not FIELD=VALUE", word);
    snprintf(column, sizeof column, "%.*s", (int)(equals - word), word);
    if (!strcmp(column, "known") && !a->own.new_one)
      return scant_fail(error, SCANT_USAGE, "whether an attribute is always known can't be amended");
    if (is_named_before(a, i, (size_t)(equals - word)))
      return scant_fail(error, SCANT_USAGE, "%s is given twice: '%.200s'", column, word);
    scant_error inner = {""};
    scant_status status = scant_study_attribute_set(attribute, column, equals + 1, &inner);
    if (status != SCANT_OK)
      return scant_fail(error, SCANT_USAGE, "attribute '%.200s': %.300s", a->operands[2], inner.text);
  }
  return SCANT_OK;
}

static int is_anything_given(const arguments *a) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (is_amendable(o) && scant_settings_is_given(&a->settings, o)) return 1;
  return a->own.max_open || a->operand_count > 3 || (a->operand_count > 2 && a->own.new_one);
}

scant_status study_amend(arguments *a, scant_study *study, scant_error *error) {
  scant_study_attribute attribute;
  scant_settings settings;
  char *change = NULL, *words = NULL;
  size_t count = a->operand_count > 2;
  if (!a->own.reason) return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why the study is amended");
  if (a->own.new_one && !count) return scant_fail(error, SCANT_USAGE, "--new needs the name of the attribute");
  if (!is_anything_given(a))
    return scant_fail(error, SCANT_USAGE,
                      "it takes ATTRIBUTE FIELD=VALUE..., or -k, --spend, --budget, --budget-cost or "
                      "--max-open");
  scant_status status = count ? find_attribute(a, study, &attribute, error) : SCANT_OK;
  if (status == SCANT_OK && count) status = read_fields(a, &attribute, error);
  if (status == SCANT_OK) status = read_settings(a, &settings, error);
  if (status == SCANT_OK)
    status = scant_study_amend(study, &attribute, count, &settings, a->own.reason, a->own.dry_run, &change, error);
  if (status != SCANT_OK) return status;
  if (change) status = scant_study_describe_change(change, &words, error);
  if (status == SCANT_OK && !change) printf("nothing new: the study is so already\n");
  if (status == SCANT_OK && change)
    printf("%s%s\n", a->own.dry_run ? "nothing is amended; this would be: " : "amended: ", words);
  scant_text_free(words);
  scant_text_free(change);
  return status;
}

/* ---- the catalogue as csv ------------------------------------------------------------------ */

static void print_real(double x) {
  char text[STUDY_REAL];
  study_format_real(text, x);
  printf(",%s", isnan(x) ? "" : text);
}

/* Names and units must come back as they are, so a cell that begins like a formula is not changed. */
static void print_text(const char *text) {
  if (!text) return;
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; text++) {
    if (*text == '"') putchar('"');
    putchar(*text);
  }
  putchar('"');
}

scant_status study_catalogue(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  (void)error;
  printf("name,unit,cost,low,high,usual_low,usual_high,group,known,retired\n");
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, i);
    print_text(at->name);
    printf(",");
    print_text(at->unit);
    printf(",");
    if (at->cost) printf("%.2f", study_money(at->cost));
    print_real(at->low);
    print_real(at->high);
    print_real(at->usual_low);
    print_real(at->usual_high);
    printf(",");
    print_text(at->group);
    printf(",%s,%s\n", at->known ? "yes" : "no", at->retired ? "yes" : "no");
  }
  return SCANT_OK;
}
