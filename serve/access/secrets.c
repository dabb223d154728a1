#include "access/secrets.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

/* In the alphabet of base64url, without the padding. */
static void encode(const unsigned char bytes[32], char text[SERVE_SECRET]) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned held = 0, bits = 0;
  size_t count = 0;
  for (size_t i = 0; i < 32; i++) {
    held = (held << 8 | bytes[i]) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text[count++] = letters[held >> (bits - 6) & 63];
  }
  text[count++] = letters[held << (6 - bits) & 63];
  text[count] = 0;
}

scant_status serve_secret_make(char text[SERVE_SECRET], scant_error *error) {
  unsigned char bytes[32];
  for (size_t have = 0; have < sizeof bytes;) {
    ssize_t more = getrandom(bytes + have, sizeof bytes - have, 0);
    if (more > 0) {
      have += (size_t)more;
    } else if (errno != EINTR) {
      return scant_fail(error, SCANT_IO, "the system has no random numbers: %s", strerror(errno));
    }
  }
  encode(bytes, text);
  return SCANT_OK;
}

void serve_secret_digest(const char *text, char digest[SCANT_SHA256_TEXT]) {
  scant_sha256 sum;
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, text, strlen(text));
  scant_sha256_end(&sum, digest);
}

int serve_secret_same(const char *a, const char *b, size_t length) {
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < length; i++) difference = (unsigned char)(difference | (a[i] ^ b[i]));
  return difference == 0;
}
