#include "base/siphash.h"

static uint64_t rotate(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

/* The least byte comes first. */
static uint64_t read_word(const unsigned char *bytes, size_t length) {
  uint64_t word = 0;
  for (size_t i = 0; i < length; i++) word |= (uint64_t)bytes[i] << 8 * i;
  return word;
}

static void do_rounds(uint64_t v[4], int count) {
  for (int i = 0; i < count; i++) {
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
  }
}

static void take_word(uint64_t v[4], uint64_t word) {
  v[3] ^= word;
  do_rounds(v, 2);
  v[0] ^= word;
}

uint64_t scant_siphash(const unsigned char key[SCANT_SIPHASH_KEY], const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  uint64_t first = read_word(key, 8), second = read_word(key + 8, 8);
  uint64_t v[4] = {first ^ 0x736f6d6570736575u, second ^ 0x646f72616e646f6du, first ^ 0x6c7967656e657261u,
                   second ^ 0x7465646279746573u};
  size_t rest = length % 8;
  for (const unsigned char *end = at + (length - rest); at < end; at += 8) take_word(v, read_word(at, 8));
  take_word(v, (uint64_t)length << 56 | read_word(at, rest));
  v[2] ^= 0xff;
  do_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
