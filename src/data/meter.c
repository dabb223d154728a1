/* The meter: the only way from a source to a learner. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "data/meter.h"
#include "data/source.h"

scant_status scant_meter_new(scant_meter **meter, scant_source *source, uint64_t k, uint64_t budget,
                             scant_error *error) {
  scant_meter *m = scant_array(1, sizeof *m);
  if (!m) return scant_fail_memory(error);
  m->source = source;
  m->k = k;
  m->budget = budget;
  m->bought = scant_array(source->rows, sizeof *m->bought);
  m->purchases = scant_array(source->dimension, sizeof *m->purchases);
  if (!m->bought || !m->purchases) {
    scant_meter_free(m);
    return scant_fail_memory(error);
  }
  *meter = m;
  return SCANT_OK;
}

void scant_meter_free(scant_meter *meter) {
  if (!meter) return;
  free(meter->bought);
  free(meter->purchases);
  free(meter);
}

scant_status scant_meter_buy(scant_meter *meter, size_t row, const scant_look *look, double *values, double *y,
                             scant_error *error) {
  scant_meter *m = meter;
  if (row >= m->source->rows) return scant_fail(error, SCANT_MISUSE, "there is no example %zu", row + 1);
  uint64_t before = m->bought[row] ? m->bought[row] - 1 : 0, after = before + look->count;
  if (m->k && after > m->k)
    return scant_fail(error, SCANT_SPENT,
                      "example %zu: %llu of its %llu attributes are bought, and %u more were asked for", row + 1,
                      (unsigned long long)before, (unsigned long long)m->k, look->count);
  if (m->budget && m->ledger.attributes_bought + look->count > m->budget)
    return scant_fail(error, SCANT_SPENT, "%llu of the budget of %llu attributes are spent, and %u more were asked for",
                      (unsigned long long)m->ledger.attributes_bought, (unsigned long long)m->budget, look->count);
  scant_status status = scant_source_read(m->source, row, look->count, look->attributes, values, error);
  if (status != SCANT_OK) return status;
  *y = scant_source_target(m->source, row);
  m->ledger.distinct_examples += m->bought[row] == 0;
  m->bought[row] = (uint32_t)after + 1;
  m->ledger.examples++;
  m->ledger.looks_drawn += look->draws;
  m->ledger.attributes_bought += look->count;
  if (after > m->ledger.max_bought_per_example) m->ledger.max_bought_per_example = after;
  for (uint32_t i = 0; i < look->count; i++) m->purchases[look->attributes[i]]++;
  return SCANT_OK;
}

const scant_ledger *scant_meter_ledger(const scant_meter *meter) {
  return &meter->ledger;
}

const uint64_t *scant_meter_purchases(const scant_meter *meter) {
  return meter->purchases;
}
