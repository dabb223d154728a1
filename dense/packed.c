#include "packed.h"

#include <stdlib.h>

#include "bytes.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Byte b of the array, whatever the machine's order. */
static unsigned byte_at(const void *numbers, size_t size, size_t b) {
  return (unsigned)(scant_word(numbers, size, b / size) >> 8 * (b % size) & 255);
}

/* Three bytes are four digits; bytes past the end are 0, and there is no padding. */
void scant_packed_write(scant_json_writer *out, const char *key, const void *numbers, size_t size, size_t count) {
  size_t bytes = size * count, groups = (bytes + 2) / 3;
  char *text = groups < SIZE_MAX / 4 ? malloc(4 * groups + 1) : NULL;
  if (!text) {
    out->failed = 1;
    return;
  }
  for (size_t g = 0; g < groups; g++) {
    unsigned bits = 0;
    for (size_t b = 3 * g; b < 3 * g + 3; b++) bits = bits << 8 | (b < bytes ? byte_at(numbers, size, b) : 0);
    for (int r = 0; r < 4; r++) text[4 * g + (size_t)r] = digits[bits >> (18 - 6 * r) & 63];
  }
  text[4 * groups] = 0;
  scant_json_text(out, key, text);
  free(text);
}

static int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

/* The bytes of a number come one after another. */
static void put_byte(void *numbers, size_t size, size_t b, unsigned byte) {
  size_t shift = 8 * (b % size);
  scant_set_word(numbers, size, b / size, (shift ? scant_word(numbers, size, b / size) : 0) | (uint64_t)byte << shift);
}

scant_status scant_packed_read(const scant_json *json, size_t node, const char *key, void *numbers, size_t size,
                               size_t count, scant_error *error) {
  size_t member = scant_json_member(json, node, key), bytes = size * count, groups = (bytes + 2) / 3;
  const scant_json_node *n = member == SCANT_JSON_NONE ? NULL : &json->nodes[member];
  if (!n || n->type != SCANT_JSON_TEXT || n->length != 4 * groups)
    return scant_fail(error, SCANT_DATA, "field '%s' is not %zu numbers in base 64", key, count);
  for (size_t g = 0; g < groups; g++) {
    unsigned bits = 0;
    for (size_t r = 0; r < 4; r++) {
      int value = value_of(json->text[n->start + 4 * g + r]);
      if (value < 0) return scant_fail(error, SCANT_DATA, "field '%s' is not in base 64", key);
      bits = bits << 6 | (unsigned)value;
    }
    for (size_t r = 0; r < 3 && 3 * g + r < bytes; r++) put_byte(numbers, size, 3 * g + r, bits >> (16 - 8 * r) & 255);
  }
  return SCANT_OK;
}
