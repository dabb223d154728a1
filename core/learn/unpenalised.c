/* Which attributes are read unpenalised (option errors-of). */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "learn/learner.h"
#include "settings/settings.h"

enum { NAME_SHOWN = 100 };

/* The attribute whose name or number the list begins with, and the length of that; `dimension`: there is none, and the
 * word goes to the next comma.  Names may have commas of their own, so the longest one counts. */
static size_t find(const char *list, size_t *length, size_t dimension, scant_attribute_name *name, const void *user) {
  uint64_t number;
  size_t found = dimension;
  *length = strcspn(list, ",");
  if (!name || !name(user, 0))
    return scant_parse_count(list, *length, &number) && number >= 1 && number <= dimension ? (size_t)number - 1
                                                                                           : dimension;
  for (size_t i = 0; i < dimension; i++) {
    const char *own = name(user, i);
    size_t n = strlen(own);
    if (strncmp(own, list, n) != 0 || (list[n] && list[n] != ',') || (found < dimension && n <= *length)) continue;
    found = i;
    *length = n;
  }
  return found;
}

static scant_status fail_unknown(const char *word, size_t length, size_t dimension, scant_attribute_name *name,
                                 const void *user, scant_error *error) {
  int shown = (int)(length < NAME_SHOWN ? length : NAME_SHOWN);
  if (!name || !name(user, 0))
    return scant_fail(error, SCANT_USAGE,
                      "errors-of names '%.*s', which is no attribute: without names they are numbered from 1 to %zu",
                      shown, word, dimension);
  const char *nearest = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < dimension; i++) {
    const char *other = name(user, i);
    if (length > SCANT_TEXT_COMPARED || strlen(other) > SCANT_TEXT_COMPARED) continue;
    size_t d = scant_text_distance(word, length, other, strlen(other));
    if (d >= least || !scant_text_is_near(d, length, strlen(other))) continue;
    nearest = other;
    least = d;
  }
  return scant_fail(error, SCANT_USAGE, "errors-of names '%.*s', which is no attribute%s%.100s%s", shown, word,
                    nearest ? "; the nearest name is '" : "", nearest ? nearest : "", nearest ? "'" : "");
}

scant_status scant_unpenalised_parse(const char *list, size_t dimension, scant_attribute_name *name, const void *user,
                                     unsigned char *marks, scant_error *error) {
  memset(marks, 0, dimension);
  size_t length;
  if (!strcmp(list, "all") && find(list, &length, dimension, name, user) == dimension) {
    memset(marks, 1, dimension);
    return SCANT_OK;
  }
  for (const char *word = list;; word += length + 1) {
    size_t i = find(word, &length, dimension, name, user);
    if (i == dimension) return fail_unknown(word, length, dimension, name, user, error);
    if (marks[i])
      return scant_fail(error, SCANT_USAGE, "errors-of names '%.*s' twice",
                        (int)(length < NAME_SHOWN ? length : NAME_SHOWN), word);
    marks[i] = 1;
    if (!word[length]) return SCANT_OK;
  }
}

scant_status scant_unpenalised_set(scant_learner *l, const unsigned char *marks, scant_error *error) {
  if (!scant_algorithm_takes(&l->parts->words, "errors-of"))
    return scant_fail(error, SCANT_USAGE, "the weights of %s can't be read unpenalised; those of gaussian can",
                      l->parts->words.name);
  if (!marks && !l->unpenalised) return SCANT_OK;
  unsigned char *copy = marks ? scant_array(l->dimension, 1) : NULL;
  if (marks && !copy) return scant_fail_memory(error);
  if (marks) memcpy(copy, marks, l->dimension);
  free(l->unpenalised);
  l->unpenalised = copy;
  l->read_as++;
  return SCANT_OK;
}

scant_status scant_learner_unpenalise(scant_learner *learner, const uint32_t *attributes, size_t count,
                                      scant_error *error) {
  if (!count) return scant_unpenalised_set(learner, NULL, error);
  unsigned char *marks = scant_array(learner->dimension, 1);
  scant_status status = marks ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    if (attributes[i] >= learner->dimension)
      status = scant_fail(error, SCANT_MISUSE, "there is no attribute %lu", (unsigned long)attributes[i]);
    else
      marks[attributes[i]] = 1;
  }
  if (status == SCANT_OK) status = scant_unpenalised_set(learner, marks, error);
  free(marks);
  return status;
}

scant_status scant_learner_unpenalise_named(scant_learner *learner, const char *list, scant_attribute_name *name_at,
                                            const void *user, scant_error *error) {
  unsigned char *marks = scant_array(learner->dimension, 1);
  if (!marks) return scant_fail_memory(error);
  scant_status status = scant_unpenalised_parse(list, learner->dimension, name_at, user, marks, error);
  if (status == SCANT_OK) status = scant_unpenalised_set(learner, marks, error);
  free(marks);
  return status;
}
