/* SipHash-2-4 and SHA-256 against the values that were published with them. */
#include "base/sha256.h"
#include "base/siphash.h"
#include "support.h"

/* Of the messages 00, 00 01, 00 01 02, ... with the key 00 01 ... 0f: the first 16 of the authors' list, the least byte
 * first.  The last one is worked out in the paper, appendix A. */
TEST(siphash_is_the_published_one) {
  static const uint64_t wanted[16] = {
      0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
      0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
      0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
      0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
  };
  unsigned char key[SCANT_SIPHASH_KEY], message[16];
  for (int i = 0; i < 16; i++) key[i] = message[i] = (unsigned char)i;
  for (size_t length = 0; length < 16; length++) CHECK(scant_siphash(key, message, length) == wanted[length]);
}

TEST(every_bit_of_key_and_message_counts) {
  unsigned char key[SCANT_SIPHASH_KEY] = {0}, message[20] = {0};
  uint64_t before = scant_siphash(key, message, sizeof message);
  int same = 0;
  for (int bit = 0; bit < 128; bit++) {
    key[bit / 8] ^= (unsigned char)(1 << bit % 8);
    same += scant_siphash(key, message, sizeof message) == before;
    key[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  for (int bit = 0; bit < 160; bit++) {
    message[bit / 8] ^= (unsigned char)(1 << bit % 8);
    same += scant_siphash(key, message, sizeof message) == before;
    message[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  CHECK(same == 0);
}

static int has_sum(const char *text, const char *wanted) {
  scant_sha256 sum;
  char found[SCANT_SHA256_TEXT];
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, text, strlen(text));
  scant_sha256_end(&sum, found);
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, text, strlen(text));
  char first[17];
  snprintf(first, sizeof first, "%016llx", (unsigned long long)scant_sha256_first(&sum));
  return !strcmp(found, wanted) && !strncmp(found, first, 16);
}

TEST(sha256_is_the_published_one) {
  CHECK(has_sum("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  CHECK(has_sum("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  CHECK(has_sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
  CHECK(
      has_sum("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
              "nopqrstu",
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"));
}

/* A million times a, in pieces of every size up to 997. */
TEST(sums_do_not_depend_on_pieces) {
  scant_sha256 sum;
  char found[SCANT_SHA256_TEXT], piece[997];
  memset(piece, 'a', sizeof piece);
  scant_sha256_begin(&sum);
  for (size_t left = 1000000, size = 0; left; size = (size + 1) % (sizeof piece + 1)) {
    size_t part = size < left ? size : left;
    scant_sha256_add(&sum, piece, part);
    left -= part;
  }
  scant_sha256_end(&sum, found);
  CHECK(!strcmp(found, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

int main(void) {
  RUN(siphash_is_the_published_one);
  RUN(every_bit_of_key_and_message_counts);
  RUN(sha256_is_the_published_one);
  RUN(sums_do_not_depend_on_pieces);
  return check_done();
}
