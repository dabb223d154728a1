/* Sums as bytes: the same on every machine, and refused when they are damaged. */
#include "base/sha256.h"
#include "blocks.h"

static scant_error error;

typedef struct {
  unsigned char *bytes;
  size_t size;
} text;

static text saved(const scant_sums *s) {
  text t = {0};
  CHECK(scant_sums_save(s, &t.bytes, &t.size, &error) == SCANT_OK);
  return t;
}

/* The digest at the end, made right again. */
static void sign(text t) {
  scant_sha256 sum;
  char digits[SCANT_SHA256_TEXT];
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, t.bytes, t.size - 32);
  scant_sha256_end(&sum, digits);
  for (size_t i = 0; i < 32; i++) {
    unsigned byte;
    sscanf(digits + 2 * i, "%2x", &byte);
    t.bytes[t.size - 32 + i] = (unsigned char)byte;
  }
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* Two attributes, one block: number 258, three rows, attribute 1 with 1, 2 and nothing; targets 4, 8, 6; clipped at 0
 * and 1.5.  So attribute 1 has 1 and 1.5, two patterns: (1, 4), (1.5, 8), and (6). */
static const char by_hand[] =
    "7363616e7473756d" /* scantsum */
    "01000000"         /* version 1 */
    "01000000"         /* values were clipped, */
    "f5b453c9c1cb26db" /* FNV-1a of the limits 0, 1.5, 0, 1.5 */
    "0200000000000000" /* two attributes */
    "0100000000000000" /* one block */
    "0201000000000000" /* number 258 */
    "0300000000000000" /* three rows */
    "01000000"         /* one attribute */
    "02000000"         /* two patterns */
    "00000000"         /* no available cases */
    "01000000"         /* the first pattern saw one */
    "00000000"         /* the second none */
    "01000000"         /* attribute 1: */
    "0200000000000000" /* two known values */
    "0100000000000000" /* one active */
    "000000000000f03f" /* lowest 1 */
    "000000000000f83f" /* highest 1.5 */
    "000000000000f03f" /* common 1: the first */
    "0300000000000000" /* the target: three known */
    "0100000000000000" /* one active */
    "0000000000001040" /* lowest 4 */
    "0000000000002040" /* highest 8 */
    "0000000000001040" /* common 4 */
    "0200000000000000" /* first pattern: two rows */
    "00000000"         /* place 0 */
    "000000000000f43f" /* means 1.25 */
    "0000000000001840" /* and 6 */
    "000000000000c03f" /* scatter 0.125 */
    "000000000000f03f" /* 1 */
    "0000000000002040" /* 8 */
    "0100000000000000" /* second pattern: one row */
    "0000000000001840" /* mean 6 */
    "0000000000000000" /* scatter 0 */;

static text text_by_hand(void) {
  text t = {.size = strlen(by_hand) / 2 + 32};
  t.bytes = malloc(t.size);
  for (size_t i = 0; i < t.size - 32; i++) {
    unsigned byte;
    sscanf(by_hand + 2 * i, "%2x", &byte);
    t.bytes[i] = (unsigned char)byte;
  }
  sign(t);
  return t;
}

TEST(the_bytes_are_those_made_by_hand) {
  static const double values[] = {1, 2, NAN}, y[] = {4, 8, 6}, low[] = {0, 0}, high[] = {1.5, 1.5};
  scant_sums *s = NULL, *loaded = NULL;
  CHECK(scant_sums_new(&s, 2, &error) == SCANT_OK);
  CHECK(scant_sums_add(s, 258, 3, 1, (const uint32_t[]){1}, values, y, low, high, &error) == SCANT_OK);
  text found = saved(s), wanted = text_by_hand();
  CHECK(found.size == wanted.size);
  for (size_t i = 0; i < wanted.size && i < found.size; i++)
    if (!CHECK(found.bytes[i] == wanted.bytes[i])) printf("#   byte %zu\n", i);
  CHECK(scant_sums_load(&loaded, wanted.bytes, wanted.size, &error) == SCANT_OK && same_bytes(loaded, s));
  /* the digest is what sha256sum says */
  CHECK(wanted.bytes[wanted.size - 32] == 0xbb && wanted.bytes[wanted.size - 1] == 0x6a);
  scant_sums_free(s);
  scant_sums_free(loaded);
  free(found.bytes);
  free(wanted.bytes);
}

/* ---- there and back ---------------------------------------------------------------------------- */

TEST(what_was_saved_is_loaded) {
  enum { BLOCKS = 20 };
  made_block blocks[BLOCKS];
  double low[BLOCKS_D], high[BLOCKS_D];
  for (size_t j = 0; j < BLOCKS_D; j++) low[j] = -1, high[j] = 100 * (double)j + 2;
  for (int clips = 0; clips < 2; clips++)
    for (size_t count = 0; count <= BLOCKS; count += 10) {
      blocks_new(blocks, BLOCKS, 4);
      scant_sums *s = sums_of(blocks, count, clips ? low : NULL, clips ? high : NULL), *loaded = NULL;
      text t = saved(s);
      CHECK(scant_sums_load(&loaded, t.bytes, t.size, &error) == SCANT_OK && same_bytes(loaded, s));
      for (size_t i = 0; i < count; i++) CHECK(scant_record_equal(s->records[i], loaded->records[i]));
      scant_sums_facts a, b;
      scant_sums_get_facts(s, &a);
      scant_sums_get_facts(loaded, &b);
      CHECK(a.blocks == b.blocks && a.examples == b.examples && a.cells == b.cells && a.missing == b.missing);
      CHECK(a.memory == b.memory && a.dimension == b.dimension && a.limited == b.limited);
      CHECK(a.blocks == count && a.limited == (clips && count));
      /* what was loaded goes on as if it had never been away */
      if (count < BLOCKS) {
        CHECK(sums_add(loaded, &blocks[count], clips ? low : NULL, clips ? high : NULL, &error) == SCANT_OK);
        CHECK(scant_sums_merge(s, loaded, &error) == SCANT_OK && s->count == count + 1);
      }
      scant_sums_free(s);
      scant_sums_free(loaded);
      free(t.bytes);
      blocks_free(blocks, BLOCKS);
    }
}

/* ---- damage ------------------------------------------------------------------------------------ */

/* Small sums of every kind: clipped or not, patterns, available cases. */
static text small(int which) {
  made_block b[2] = {block_new(7, 12, which == 3 ? 5 : 2,
                               which == 0  ? WHOLE
                               : which < 3 ? FEW_HOLES
                                           : MANY_HOLES,
                               3),
                     block_new(9, 3, 1, WHOLE, 4)};
  double low[BLOCKS_D], high[BLOCKS_D];
  for (size_t j = 0; j < BLOCKS_D; j++) low[j] = -1000, high[j] = 1000;
  scant_sums *s = sums_of(b, 2, which == 2 ? low : NULL, which == 2 ? high : NULL);
  CHECK((s->records[0]->together != NULL) == (which == 3));
  text t = saved(s);
  scant_sums_free(s);
  blocks_free(b, 2);
  return t;
}

TEST(every_changed_byte_is_refused) {
  for (int which = 0; which < 4; which++) {
    text t = small(which);
    for (size_t i = 0; i < t.size; i++)
      for (int bit = 0; bit < 8; bit++) {
        scant_sums *s = NULL;
        t.bytes[i] ^= (unsigned char)(1 << bit);
        CHECK(scant_sums_load(&s, t.bytes, t.size, &error) == SCANT_DATA && !s);
        t.bytes[i] ^= (unsigned char)(1 << bit);
      }
    free(t.bytes);
  }
}

TEST(every_other_length_is_refused) {
  for (int which = 0; which < 4; which++) {
    text t = small(which);
    for (size_t size = 0; size <= t.size + 40; size++) {
      scant_sums *s = NULL;
      unsigned char *copy = calloc(size ? size : 1, 1); /* a sanitizer sees what is read past the end */
      memcpy(copy, t.bytes, size < t.size ? size : t.size);
      if (size != t.size) CHECK(scant_sums_load(&s, copy, size, &error) == SCANT_DATA && !s);
      if (size != t.size && size >= 72) { /* and if somebody signs it */
        sign((text){copy, size});
        CHECK(scant_sums_load(&s, copy, size, &error) == SCANT_DATA && !s);
      }
      free(copy);
    }
    free(t.bytes);
  }
}

/* Somebody changed it and signed it anew: it is refused, or it is sums that can be worked with. */
static void check_forged(text t, uint64_t *accepted, uint64_t *refused) {
  scant_sums *s = NULL;
  sign(t);
  scant_status status = scant_sums_load(&s, t.bytes, t.size, &error);
  CHECK(status == SCANT_OK || status == SCANT_DATA || status == SCANT_MEMORY);
  ++*(status == SCANT_OK ? accepted : refused);
  if (status != SCANT_OK) return;
  text again = saved(s);
  CHECK(again.size == t.size && !memcmp(again.bytes, t.bytes, t.size));
  free(again.bytes);
  scant_sums_free(s);
}

TEST(forged_sums_are_harmless) {
  uint64_t accepted = 0, refused = 0, seed = 3;
  for (int which = 0; which < 4; which++) {
    text t = small(which);
    for (size_t i = 0; i + 32 < t.size; i++)
      for (int bit = 0; bit < 8; bit += 7) {
        t.bytes[i] ^= (unsigned char)(1 << bit);
        check_forged(t, &accepted, &refused);
        t.bytes[i] ^= (unsigned char)(1 << bit);
      }
    for (int k = 0; k < 3000; k++) { /* numbers that are large, negative, not numbers */
      static const uint64_t bad[] = {UINT64_MAX, 0,          0x7ff0000000000000, 0x7ff8000000000000,
                                     1ull << 63, 1ull << 32, 0xffffffff};
      size_t at = random_below(&seed, t.size - 40);
      unsigned char kept[8];
      uint64_t word = bad[random_below(&seed, 7)];
      memcpy(kept, t.bytes + at, 8);
      memcpy(t.bytes + at, &word, 1 + random_below(&seed, 8));
      check_forged(t, &accepted, &refused);
      memcpy(t.bytes + at, kept, 8);
    }
    free(t.bytes);
  }
  CHECK(accepted > 100 && refused > 1000);
}

TEST(the_sentence_says_what_is_wrong) {
  text t = small(0);
  scant_sums *s = NULL;
  CHECK(scant_sums_load(&s, t.bytes, 10, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "these 10 bytes are not sums");
  t.bytes[40] ^= 1;
  CHECK(scant_sums_load(&s, t.bytes, t.size, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "damaged: their SHA-256 is not what their end says");
  t.bytes[8] = 2;
  CHECK(scant_sums_load(&s, t.bytes, t.size, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "these sums have version 2, and this library reads version 1");
  free(t.bytes);
}

int main(void) {
  RUN(the_bytes_are_those_made_by_hand);
  RUN(what_was_saved_is_loaded);
  RUN(every_changed_byte_is_refused);
  RUN(every_other_length_is_refused);
  RUN(forged_sums_are_harmless);
  RUN(the_sentence_says_what_is_wrong);
  return check_done();
}
