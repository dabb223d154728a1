/* The catalogue: what can be measured, by name. */
#include "study.h"

enum { NAME_MOST = STUDY_NAME_MOST };

#define COST_MOST (UINT64_C(1) << 52) /* sums stay exact */

/* Names are printed, typed in a shell and kept.  Control characters in them could not be seen. */
scant_status study_check_name(const char *name, const char *whose, scant_error *error) {
  size_t length = name ? strlen(name) : 0;
  if (!length) return scant_fail(error, SCANT_DATA, "%s is empty", whose);
  if (length > NAME_MOST)
    return scant_fail(error, SCANT_DATA, "%s is too long: %zu bytes, and at most %d can be", whose, length, NAME_MOST);
  if (!scant_text_is_utf8(name, length)) return scant_fail(error, SCANT_DATA, "%s is not UTF-8", whose);
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return scant_fail(error, SCANT_DATA, "%s has control characters in it", whose);
  if (name[0] == ' ' || name[length - 1] == ' ')
    return scant_fail(error, SCANT_DATA, "%s has blanks around it: '%s'", whose, name);
  return SCANT_OK;
}

/* A name that stands before a '=' where it is told, and at the top of a column beside `example`. */
static scant_status check_column(const char *name, const char *whose, scant_error *error) {
  SCANT_TRY(study_check_name(name, whose, error));
  if (strchr(name, '=')) return scant_fail(error, SCANT_DATA, "%s has a '=' in it: '%s'", whose, name);
  if (name[0] == '-') return scant_fail(error, SCANT_DATA, "%s begins with '-', as options do: '%s'", whose, name);
  if (!strcmp(name, "example"))
    return scant_fail(error, SCANT_DATA, "%s is 'example', which is the column of examples' names in files of answers",
                      whose);
  return SCANT_OK;
}

scant_status study_check_example(const char *example, scant_error *error) {
  return study_check_name(example, "the example's name", error);
}

scant_status study_check_attribute(const scant_study_attribute *a, size_t place, const char *target,
                                   scant_error *error) {
  char whose[NAME_MOST + 60];
  snprintf(whose, sizeof whose, "the name of attribute %zu", place + 1);
  SCANT_TRY(check_column(a->name, whose, error));
  if (!strcmp(a->name, target))
    return scant_fail(error, SCANT_DATA, "attribute '%s' has the name of the target (give the target another)",
                      a->name);
  snprintf(whose, sizeof whose, "the unit of attribute '%.200s'", a->name);
  if (a->unit) SCANT_TRY(study_check_name(a->unit, whose, error));
  snprintf(whose, sizeof whose, "the group of attribute '%.200s'", a->name);
  if (a->group) SCANT_TRY(study_check_name(a->group, whose, error));
  if (a->cost > COST_MOST) return scant_fail(error, SCANT_DATA, "attribute '%s' costs too much", a->name);
  if (isinf(a->low) || isinf(a->high) || a->low > a->high)
    return scant_fail(error, SCANT_DATA, "attribute '%s': its range from %g to %g holds nothing", a->name, a->low,
                      a->high);
  if (isinf(a->usual_low) || isinf(a->usual_high) || a->usual_low > a->usual_high)
    return scant_fail(error, SCANT_DATA, "attribute '%s': its usual range from %g to %g holds nothing", a->name,
                      a->usual_low, a->usual_high);
  int usual = a->usual_low != 0 || a->usual_high != 0; /* both 0: there is none */
  if (usual && (a->usual_low < a->low || a->usual_high < a->low))
    return scant_fail(error, SCANT_DATA, "attribute '%s': its usual range reaches below %g, where its range begins",
                      a->name, a->low);
  if (usual && (a->usual_low > a->high || a->usual_high > a->high))
    return scant_fail(error, SCANT_DATA, "attribute '%s': its usual range reaches above %g, where its range ends",
                      a->name, a->high);
  if (a->known && (a->cost || a->group))
    return scant_fail(error, SCANT_DATA, "attribute '%s' is always known, so it has no cost and no group", a->name);
  return SCANT_OK;
}

/* qsort takes no context, so each name is sorted together with its place. */
typedef struct {
  const char *name;
  uint32_t place;
} named;

static int compare_named(const void *a, const void *b) {
  return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static scant_status sort_names(scant_study *s, scant_error *error) {
  named *names = scant_array(s->dimension, sizeof *names);
  s->sorted = scant_array(s->dimension, sizeof *s->sorted);
  scant_status status = names && s->sorted ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) names[i] = (named){s->catalogue[i].name, (uint32_t)i};
  if (status == SCANT_OK) qsort(names, s->dimension, sizeof *names, compare_named);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) {
    s->sorted[i] = names[i].place;
    if (i && !strcmp(names[i].name, names[i - 1].name))
      status = scant_fail(error, SCANT_DATA, "the attribute '%s' is twice in the catalogue", names[i].name);
  }
  free(names);
  return status;
}

/* In ASCII, so that it is the same everywhere. */
static int compare_folded(const void *a, const void *b) {
  const unsigned char *x = *(const unsigned char *const *)a, *y = *(const unsigned char *const *)b;
  for (;; x++, y++) {
    int left = *x >= 'A' && *x <= 'Z' ? *x + 'a' - 'A' : *x, right = *y >= 'A' && *y <= 'Z' ? *y + 'a' - 'A' : *y;
    if (left != right || !left) return left - right;
  }
}

static scant_status refuse_case(const char *one, const char *other, scant_error *error) {
  return scant_fail(error, SCANT_DATA,
                    "the names '%.200s' and '%.200s' differ only in case: one would be taken for the other", one,
                    other);
}

scant_status study_check_cases(const scant_study_attribute *catalogue, size_t count, const char *target,
                               scant_error *error) {
  const char **names = scant_array(count + 1, sizeof *names);
  if (!names) return scant_fail_memory(error);
  names[0] = target;
  for (size_t i = 0; i < count; i++) names[i + 1] = catalogue[i].name ? catalogue[i].name : "";
  qsort(names, count + 1, sizeof *names, compare_folded);
  scant_status status = SCANT_OK;
  for (size_t i = 0; status == SCANT_OK && i < count; i++)
    if (!compare_folded(&names[i], &names[i + 1]) && strcmp(names[i], names[i + 1]) != 0)
      status = refuse_case(names[i], names[i + 1], error);
  free(names);
  return status;
}

scant_status study_check_new_attribute(const scant_study *study, const char *name, scant_error *error) {
  for (int64_t i = -1; i < (int64_t)study->dimension; i++) {
    const char *other = study_name_of(study, i);
    if (!compare_folded(&other, &name)) return refuse_case(other, name, error);
  }
  return SCANT_OK;
}

int64_t study_find_name(const scant_study *study, const char *name) {
  if (!strcmp(name, study->target)) return -1;
  size_t low = 0, high = study->dimension;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(study->catalogue[study->sorted[middle]].name, name);
    if (!order) return study->sorted[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -2;
}

void study_index_told(scant_study *study, const scant_study_told *told, size_t count) {
  for (size_t i = count; i-- > 0;) study->told_at[told[i].attribute + 1] = i;
}

const char *study_name_of(const scant_study *study, int64_t attribute) {
  return attribute < 0 ? study->target : study->catalogue[attribute].name;
}

const char *study_name_at(const void *study, size_t attribute) {
  return study_name_of(study, (int64_t)attribute);
}

static int compare_members(const void *a, const void *b) {
  int order = compare_named(a, b);
  uint32_t x = ((const named *)a)->place, y = ((const named *)b)->place;
  return order ? order : (x > y) - (x < y);
}

/* Numbers the groups from 1, in the order of their first members. */
static scant_status number_groups(scant_study *s, scant_error *error) {
  named *members = scant_array(s->dimension, sizeof *members);
  size_t count = 0;
  uint32_t groups = 0;
  s->group = scant_array(s->dimension, sizeof *s->group);
  if (!members || !s->group) {
    free(members);
    return scant_fail_memory(error);
  }
  for (size_t i = 0; i < s->dimension; i++)
    if (s->catalogue[i].group) members[count++] = (named){s->catalogue[i].group, (uint32_t)i};
  qsort(members, count, sizeof *members, compare_members);
  for (size_t i = 0, first = 0; i < count; i++) { /* each gets the first member of its group, counted from 1 */
    if (strcmp(members[i].name, members[first].name) != 0) first = i;
    s->group[members[i].place] = members[first].place + 1;
  }
  for (size_t i = 0; i < s->dimension; i++) { /* the first comes before the others, so it has its number by then */
    if (!s->group[i]) continue;
    size_t first = s->group[i] - 1;
    s->group[i] = first == i ? ++groups : s->group[first];
  }
  free(members);
  return SCANT_OK;
}

/* What looks follow where some attributes are retired: each of those is alone and costs nothing. */
static scant_status make_offered(scant_study *s, uint64_t *costs, scant_error *error) {
  size_t retired = 0, d = s->dimension;
  for (size_t i = 0; i < d; i++) retired += s->catalogue[i].retired != 0;
  if (!retired) return SCANT_OK;
  if (d - retired < 2) return scant_fail(error, SCANT_DATA, "at least two attributes must not be retired");
  s->barred = scant_array(d, 1);
  uint32_t *groups = scant_array(d, sizeof *groups);
  scant_status status = s->barred && groups ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < d; i++) {
    s->barred[i] = s->catalogue[i].retired != 0;
    groups[i] = s->barred[i] ? 0 : s->group[i];
    if (s->barred[i]) costs[i] = 0;
  }
  if (status == SCANT_OK && s->prices) status = scant_prices_new(&s->offered, d, costs, groups, error);
  free(groups);
  return status;
}

/* Where nothing costs anything, each item costs one, at its first member; without `all`, those that are not retired. */
static scant_status count_items(const scant_study *s, int all, uint64_t *costs, scant_error *error) {
  unsigned char *seen = scant_array(s->dimension + 1, 1);
  if (!seen) return scant_fail_memory(error);
  for (size_t i = 0; i < s->dimension; i++) {
    uint32_t group = s->group[i];
    costs[i] = !s->catalogue[i].known && (all || !s->catalogue[i].retired) && !(group && seen[group]);
    if (group && costs[i]) seen[group] = 1;
  }
  free(seen);
  return SCANT_OK;
}

/* There are no prices if no attribute has a cost, is always known or is in a group.  If none has a cost but
 * some are always known or in groups, the looks need prices all the same: then each other item costs one. */
static scant_status make_prices(scant_study *s, scant_error *error) {
  uint64_t *costs = scant_array(s->dimension, sizeof *costs);
  int needed = 0;
  s->unpriced = 1;
  scant_status status = costs ? number_groups(s, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) {
    costs[i] = s->catalogue[i].cost;
    if (costs[i]) s->unpriced = 0;
    if (costs[i] || s->catalogue[i].known || s->group[i]) needed = 1;
  }
  if (status == SCANT_OK && s->unpriced) status = count_items(s, 1, costs, error);
  if (status == SCANT_OK && needed) status = scant_prices_new(&s->prices, s->dimension, costs, s->group, error);
  if (status == SCANT_OK && s->unpriced) status = count_items(s, 0, costs, error);
  if (status == SCANT_OK) status = make_offered(s, costs, error);
  free(costs);
  return status;
}

scant_status study_take_catalogue(scant_study *s, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error) {
  SCANT_TRY(check_column(target, "the name of the target", error));
  if (count < 2) return scant_fail(error, SCANT_DATA, "a catalogue has at least two attributes, not %zu", count);
  if (count > UINT32_MAX / 2) return scant_fail(error, SCANT_DATA, "a catalogue of %zu attributes is too large", count);
  for (size_t i = 0; i < count; i++) SCANT_TRY(study_check_attribute(&catalogue[i], i, target, error));
  s->dimension = count;
  s->catalogue = study_catalogue_copy(catalogue, count);
  for (size_t i = 0; s->catalogue && i < count; i++)
    if (s->catalogue[i].usual_low == 0 && s->catalogue[i].usual_high == 0) /* as in a struct that was set to zero */
      s->catalogue[i].usual_low = s->catalogue[i].usual_high = NAN;
  s->target = scant_copy_text(target, strlen(target));
  s->line_at = scant_array(count, sizeof *s->line_at);
  s->told_at = scant_array(count + 1, sizeof *s->told_at);
  if (!s->catalogue || !s->target || !s->line_at || !s->told_at) return scant_fail_memory(error);
  SCANT_TRY(sort_names(s, error));
  return make_prices(s, error);
}
