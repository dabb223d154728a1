/* A program that makes sums of two parts of the data, as two machines would, and merges them. */
#include <scant_sums.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 100, D = 3, BLOCKS = 4 };

/* The attributes of a block that were bought, column by column, and the targets. */
static void measure(unsigned block, const uint32_t *attributes, size_t count, double *values, double *y) {
  for (unsigned r = 0; r < ROWS; r++) {
    unsigned example = block * ROWS + r;
    for (size_t c = 0; c < count; c++) values[c * ROWS + r] = (double)(example * (attributes[c] + 3) % 7);
    y[r] = (double)(example % 5);
  }
}

/* What one machine does: it buys two attributes of each of its blocks, keeps sums of them, and sends these as bytes. */
static scant_status work(unsigned first, unsigned after, unsigned char **bytes, size_t *size, scant_error *error) {
  double values[2 * ROWS], y[ROWS];
  scant_sums *sums;
  scant_status status = scant_sums_new(&sums, D, error);
  if (status) return status;
  for (unsigned block = first; block < after && !status; block++) {
    uint32_t attributes[2] = {block % D, (block + 1) % D};
    measure(block, attributes, 2, values, y);
    status = scant_sums_add(sums, block, ROWS, 2, attributes, values, y, NULL, NULL, error);
  }
  if (!status) status = scant_sums_save(sums, bytes, size, error);
  scant_sums_free(sums);
  return status;
}

int main(void) {
  unsigned char *bytes[3];
  size_t size[3];
  scant_sums *all, *part;
  scant_error error = {""};
  scant_sums_facts facts;
  double low[D], high[D];
  if (work(0, 3, &bytes[0], &size[0], &error) || work(2, BLOCKS, &bytes[1], &size[1], &error) ||
      scant_sums_load(&all, bytes[0], size[0], &error) || scant_sums_load(&part, bytes[1], size[1], &error) ||
      scant_sums_merge(all, part, &error) || /* block 2 is in both, and counts once */
      scant_sums_limits(all, 3, low, high, &error) || work(0, BLOCKS, &bytes[2], &size[2], &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  scant_sums_get_facts(all, &facts);
  printf("%llu blocks, %llu examples, %llu values; attribute 0 from %.1f to %.1f\n", (unsigned long long)facts.blocks,
         (unsigned long long)facts.examples, (unsigned long long)facts.cells, low[0], high[0]);
  scant_bytes_free(bytes[1]);
  if (scant_sums_save(all, &bytes[1], &size[1], &error)) return 1;
  printf("%s\n",
         size[1] == size[2] && !memcmp(bytes[1], bytes[2], size[1]) ? "as if one machine had made them" : "different");
  for (int i = 0; i < 3; i++) scant_bytes_free(bytes[i]);
  scant_sums_free(part);
  scant_sums_free(all);
  return 0;
}
