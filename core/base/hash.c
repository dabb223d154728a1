/* Hashes: FNV-1a, SHA-256 and SipHash. */
#include "scant_base.h"

#include <stdio.h>
#include <string.h>

uint64_t scant_hash(uint64_t state, const void *bytes, size_t length) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < length; i++) state = (state ^ b[i]) * UINT64_C(0x100000001b3);
  return state;
}

/* ---- SHA-256 ------------------------------------------------------------------- */

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Of the square roots of the first 8. */
static const uint32_t starts[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t rotate_right(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

/* One round.  The letters a to h of the standard are v[first], v[first + 1], ...; instead of moving each to the next,
 * the next round begins one place before. */
static inline void turn(uint32_t v[8], int first, uint32_t added) {
  uint32_t a = v[first & 7], b = v[(first + 1) & 7], c = v[(first + 2) & 7];
  uint32_t e = v[(first + 4) & 7], f = v[(first + 5) & 7], g = v[(first + 6) & 7];
  uint32_t one = v[(first + 7) & 7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                 ((e & f) ^ (~e & g)) + added;
  uint32_t two = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
  v[(first + 3) & 7] += one;
  v[(first + 7) & 7] = one + two;
}

static void take_block(scant_sha256 *sum) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) {
    const unsigned char *b = &sum->block[4 * i];
    w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t x = w[i - 15], y = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) +
           (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
  }
  memcpy(v, sum->state, sizeof v);
  for (int i = 0; i < 64; i += 8) { /* after eight rounds every letter is back in its place */
    turn(v, 8, constants[i] + w[i]);
    turn(v, 7, constants[i + 1] + w[i + 1]);
    turn(v, 6, constants[i + 2] + w[i + 2]);
    turn(v, 5, constants[i + 3] + w[i + 3]);
    turn(v, 4, constants[i + 4] + w[i + 4]);
    turn(v, 3, constants[i + 5] + w[i + 5]);
    turn(v, 2, constants[i + 6] + w[i + 6]);
    turn(v, 1, constants[i + 7] + w[i + 7]);
  }
  for (int i = 0; i < 8; i++) sum->state[i] += v[i];
}

void scant_sha256_begin(scant_sha256 *sum) {
  *sum = (scant_sha256){.length = 0};
  memcpy(sum->state, starts, sizeof sum->state);
}

void scant_sha256_add(scant_sha256 *sum, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  while (length) {
    size_t used = sum->length % sizeof sum->block, room = sizeof sum->block - used,
           part = length < room ? length : room;
    memcpy(sum->block + used, at, part);
    sum->length += part;
    at += part;
    length -= part;
    if (part == room) take_block(sum);
  }
}

/* Puts the end behind what was added: the state is the sum then. */
static void pad(scant_sha256 *sum) {
  static const unsigned char padding[64] = {0x80};
  unsigned char tail[8];
  uint64_t bits = 8 * sum->length;
  size_t used = sum->length % sizeof sum->block;
  for (int i = 0; i < 8; i++) tail[i] = (unsigned char)(bits >> (56 - 8 * i) & 0xff);
  scant_sha256_add(sum, padding, (used < 56 ? 56 : 120) - used);
  scant_sha256_add(sum, tail, sizeof tail);
}

uint64_t scant_sha256_first(scant_sha256 *sum) {
  pad(sum);
  return (uint64_t)sum->state[0] << 32 | sum->state[1];
}

void scant_sha256_end(scant_sha256 *sum, char text[SCANT_SHA256_TEXT]) {
  pad(sum);
  for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", (unsigned)sum->state[i]);
}

/* ---- SipHash ------------------------------------------------------------------- */

static uint64_t rotate_left(uint64_t x, int by) {
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
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
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
