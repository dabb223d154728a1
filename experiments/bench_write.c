/* What was measured, as tables. */
#include <math.h>

#include "bench.h"

/* A line for each contestant, a column for each d. */
static void put_table(page *p, const bench_results *r, size_t look) {
  const bench_request *q = r->request;
  page_put(p, "K = %zu; times the limit\n%-18s", q->looks[look], "");
  for (size_t i = 0; i < q->dimension_count; i++) page_put(p, "  d = %-14zu", q->dimensions[i]);
  page_put(p, "\n");
  for (size_t c = 0; c < bench_other(q, BENCH_PEER); c++) {
    page_put(p, "%-18s", bench_name(r, c));
    for (size_t i = 0; i < q->dimension_count; i++) {
      bench_figure time = bench_time(r, i, look, c);
      bench_figure ratio = bench_ratio(r, i, look, c, bench_other(q, BENCH_LIMIT));
      if (isnan(time.median))
        page_put(p, "  %-18s", "-");
      else
        page_put(p, "  %8.2f %7.0f ns", ratio.median, time.median);
    }
    page_put(p, "\n");
  }
  page_put(p, "\n");
}

scant_status bench_write(const bench_results *r, const char *folder, page *words, scant_error *error) {
  (void)folder;
  (void)error;
  for (size_t look = 0; look < r->request->look_count; look++) put_table(words, r, look);
  return SCANT_OK;
}
