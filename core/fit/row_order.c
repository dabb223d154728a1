/* The order in which a fit takes the examples of its source. */
#include <math.h>

#include "scant_base.h"
#include "fit/fit.h"

static void shuffle(uint64_t *rows, size_t count, uint64_t seed, uint64_t stream) {
  scant_rng rng;
  scant_rng_seed(&rng, seed, stream);
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)scant_rng_below64(&rng, i);
    uint64_t row = rows[i - 1];
    rows[i - 1] = rows[j];
    rows[j] = row;
  }
}

uint64_t *scant_fit_make_row_order(const scant_settings *settings, size_t count, uint64_t row_order) {
  uint64_t *rows = scant_array(count, sizeof *rows);
  if (!rows) return NULL;
  for (size_t i = 0; i < count; i++) rows[i] = i;
  if (settings->run.shuffle) shuffle(rows, count, settings->learning.seed, row_order + 1);
  return rows;
}

void scant_fit_count_rows(scant_fit *f, const scant_settings *s) {
  size_t n = scant_source_rows(f->source);
  f->test_count = f->stream ? 0 : (size_t)floor(s->run.split * (double)n + 0.5);
  f->test_start = n - f->test_count;
  f->train_count = f->test_start;
  if (!f->stream && s->run.examples && s->run.examples < f->train_count) f->train_count = (size_t)s->run.examples;
}

scant_status scant_fit_order_rows(scant_fit *f, scant_error *error) {
  const scant_settings *s = &f->terms.settings;
  size_t n = scant_source_rows(f->source);
  f->rows = scant_fit_make_row_order(s, n, f->row_order);
  if (!f->rows) return scant_fail_memory(error);
  if (!f->stream && s->run.split > 0 && !f->test_count)
    return scant_fail(error, SCANT_DATA, "split %g of %zu examples holds out none", s->run.split, n);
  if (!f->train_count) return scant_fail(error, SCANT_DATA, "there are no examples to learn from");
  return SCANT_OK;
}

/* Every pass has a row order of its own; streams 2, 3, ... follow the first. */
void scant_fit_start_pass(scant_fit *f, uint64_t pass) {
  f->pass = pass;
  f->position = 0;
  if (pass && f->terms.settings.run.shuffle)
    shuffle(f->rows, f->train_count, f->terms.settings.learning.seed, f->row_order + pass + 1);
}
