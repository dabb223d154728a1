/* Names and prices that the caller gives a source without them. */
#include "scant_base.h"
#include "data/sentence.h"
#include "data/source.h"
#include "price/prices.h"

#include <stdlib.h>
#include <string.h>

/* Attributes are counted as in the table, before binding picks some by name. */
static scant_status check_unbound(const scant_source *source, const char *what, scant_error *error) {
  if (!source->bound) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "the source is bound to a model by name already: say its %s before", what);
}

/* ---- names --------------------------------------------------------------- */

/* NULL: out of memory. */
static char **copy_names(const char *const *names, size_t count) {
  char **copy = scant_array(count, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++) {
    copy[i] = scant_copy_text(names[i], strlen(names[i]));
    if (copy[i]) continue;
    scant_names_free(copy, i);
    return NULL;
  }
  return copy;
}

static scant_status check_names(char *const *names, size_t count, const char *target, scant_error *error) {
  scant_named *sorted = scant_names_sort(names, count);
  if (!sorted) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  for (size_t i = 0; i < count && !status; i++) {
    const char *name = sorted[i].name;
    int shown = scant_text_clip(name, strlen(name));
    if (target && !strcmp(name, target))
      status = scant_fail(error, SCANT_DATA, "attribute %zu and the target are both called '%.*s'", sorted[i].place,
                          shown, name);
    else if (i && !strcmp(name, sorted[i - 1].name))
      status = scant_fail(error, SCANT_DATA, "attributes %zu and %zu are both called '%.*s'", sorted[i - 1].place,
                          sorted[i].place, shown, name);
  }
  free(sorted);
  return status;
}

scant_status scant_source_set_names(scant_source *source, const char *const *names, const char *target,
                                    scant_error *error) {
  size_t count = source->columns;
  if (source->title)
    return scant_fail(error, SCANT_USAGE, "names are for tables in memory and functions, and '%s' is a file",
                      source->title);
  SCANT_TRY(check_unbound(source, "names", error));
  for (size_t i = 0; names && i < count; i++)
    if (!names[i])
      return scant_fail(error, SCANT_USAGE, "the name of attribute %zu is NULL", i);
    else if (!scant_text_is_utf8(names[i], strlen(names[i])))
      return scant_fail(error, SCANT_DATA,
                        "the name of attribute %zu is not UTF-8: it could not be written into a model file", i);
  if (target && !scant_text_is_utf8(target, strlen(target)))
    return scant_fail(error, SCANT_DATA,
                      "the name of the target is not UTF-8: it could not be written into a model file");
  char **copy = names ? copy_names(names, count) : NULL;
  char *target_copy = target ? scant_copy_text(target, strlen(target)) : NULL;
  scant_status status = (names && !copy) || (target && !target_copy) ? scant_fail_memory(error) : SCANT_OK;
  if (!status && names) status = check_names(copy, count, target, error);
  if (status) {
    scant_names_free(copy, count);
    free(target_copy);
    return status;
  }
  scant_names_free(source->names, count);
  free(source->target_name);
  source->names = copy;
  source->target_name = target_copy;
  source->digested = 0;
  return SCANT_OK;
}

/* ---- prices -------------------------------------------------------------- */

scant_status scant_source_check_prices(const scant_source *source, const scant_prices *prices, scant_error *error) {
  if (prices->dimension == source->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, and the data have %zu", prices->dimension,
                    source->dimension);
}

scant_status scant_source_set_prices(scant_source *source, const scant_prices *prices, scant_error *error) {
  SCANT_TRY(check_unbound(source, "prices", error));
  scant_prices *copy = NULL;
  if (prices) {
    SCANT_TRY(scant_source_check_prices(source, prices, error));
    copy = scant_prices_copy(prices);
    if (!copy) return scant_fail_memory(error);
  }
  scant_prices_free(source->prices);
  source->prices = copy;
  return SCANT_OK;
}

/* Categories of a column are bought as one, so there are prices even if nobody named any: every column costs 1. */
static scant_status make_prices(const scant_source *source, scant_prices **prices, scant_error *error) {
  const scant_view *view = &source->view;
  size_t d = source->dimension;
  uint64_t *costs = scant_array(d, sizeof *costs);
  uint32_t *groups = scant_array(d, sizeof *groups);
  unsigned char *priced = scant_array(source->codings.count, 1);
  scant_status status = costs && groups && priced ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; !status && i < d; i++) {
    uint32_t coding = view->code && view->code[i] ? source->codings.of_column[view->column[i]] : 0;
    groups[i] = coding;
    costs[i] = coding && priced[coding - 1] ? 0 : 100; /* the first category has the price of all */
    if (coding) priced[coding - 1] = 1;
  }
  if (!status) status = scant_prices_new(prices, d, costs, groups, error);
  free(costs);
  free(groups);
  free(priced);
  return status;
}

scant_status scant_source_copy_prices(const scant_source *source, scant_prices **prices, scant_error *error) {
  scant_prices *copy = NULL;
  if (!source->prices && source->codings.count) return make_prices(source, prices, error);
  if (!source->prices) {
    *prices = NULL;
    return SCANT_OK;
  }
  if (source->bound && (source->view.code || source->hidden)) /* they were of other attributes */
    return scant_fail(error, SCANT_MISUSE, "the prices are not those of the attributes that the model needs");
  if (source->bound) {
    copy = scant_prices_pick(source->prices, source->dimension, source->view.column);
  } else {
    SCANT_TRY(scant_source_check_prices(source, source->prices, error));
    copy = scant_prices_copy(source->prices);
  }
  if (!copy) return scant_fail_memory(error);
  *prices = copy;
  return SCANT_OK;
}
