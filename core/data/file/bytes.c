#define _DEFAULT_SOURCE /* for madvise: posix_madvise can't let go of pages */
#include "data/file/bytes.h"

#include "scant_base.h"
#include "data/sentence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef SCANT_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

/* A window has 2^WINDOW_SHIFT bytes: a page fault maps what else of it the cache has (on Linux). */
enum { READ_AT_ONCE = 1 << 16, WINDOW_SHIFT = 16 };

/* No line of a text and no list written by hand is so long. */
enum { LINE_MOST = 1 << 28, LIST_MOST = 1 << 28 };

size_t scant_bytes_resident = (size_t)1 << 30;

/* Not strerror: its text depends on the locale. */
static scant_status fail_system(const char *path, const char *what, int code, scant_error *error) {
  const char *shown = scant_path_show(path);
  if (code == ENOENT || code == ENOTDIR) return scant_fail(error, SCANT_NO_INPUT, "there is no file '%s'", shown);
  if (code == EACCES || code == EPERM)
    return scant_fail(error, SCANT_IO, "'%s' can't be %s: permission denied", shown, what);
  if (code == EISDIR) return scant_fail(error, SCANT_IO, "'%s' is a directory", shown);
  return scant_fail(error, SCANT_IO, "'%s' can't be %s (system error %d)", shown, what, code);
}

/* Takes data from malloc, and gives back the room that it does not need. */
static void keep_exactly(scant_bytes *bytes, void *data, size_t length) {
  void *exact = realloc(data, length ? length : 1);
  if (exact) data = exact;
  *bytes = (scant_bytes){.data = data, .length = length, .stored = length, .owned = data};
}

/* ---- faults that show while reading --------------------------------------- */

static scant_status watch_nul(const char *data, size_t length, size_t fresh, size_t *mark, const char *path,
                              scant_error *error) {
  (void)mark;
  const char *nul = memchr(data + length - fresh, 0, fresh);
  if (!nul) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s, line %zu: a NUL byte, which no text holds (is it binary, or UTF-16?)",
                    scant_path_show(path), scant_line_count(data, nul));
}

/* *mark: where the last line begins. */
static scant_status watch_lines(const char *data, size_t length, size_t fresh, size_t *mark, const char *path,
                                scant_error *error) {
  SCANT_TRY(watch_nul(data, length, fresh, mark, path, error));
  for (size_t i = length; i > length - fresh; i--) {
    if (data[i - 1] != '\n') continue;
    *mark = i;
    break;
  }
  if (length - *mark <= LINE_MOST) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "'%s' has a line of more than %d MiB", scant_path_show(path), LINE_MOST >> 20);
}

const scant_bytes_kind scant_bytes_table = {.watch = watch_lines};
const scant_bytes_kind scant_bytes_list = {.watch = watch_lines, .most = LIST_MOST};
const scant_bytes_kind scant_bytes_document = {.in_place = 1, .watch = watch_nul};

typedef struct {
  const scant_bytes_kind *kind;
  const char *path;
  size_t mark;
} watcher;

static scant_status watch(watcher *w, const void *data, size_t length, size_t fresh, scant_error *error) {
  if (w->kind->most && length > w->kind->most)
    return scant_fail(error, SCANT_DATA, "'%s' holds more than %zu MiB, too much for what it should be",
                      scant_path_show(w->path), w->kind->most >> 20);
  return w->kind->watch && fresh ? w->kind->watch(data, length, fresh, &w->mark, w->path, error) : SCANT_OK;
}

static int is_gzip(const void *data, size_t length) {
  return length >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

/* ---- reading ---------------------------------------------------------------- */

/* Reads up to READ_AT_ONCE bytes; *got is 0 at the end. */
static scant_status read_some(int file, char *to, size_t *got, const watcher *w, scant_error *error) {
  ssize_t n;
  do n = read(file, to, READ_AT_ONCE);
  while (n < 0 && errno == EINTR);
  *got = n > 0 ? (size_t)n : 0;
  return n < 0 ? fail_system(w->path, "read", errno, error) : SCANT_OK;
}

#ifdef SCANT_HAVE_ZLIB

/* Is there nothing behind this point?  gzip pads with zeros on tapes. */
static int is_padding(const char *data, size_t length) {
  while (length && !data[length - 1]) length--;
  return length == 0;
}

static scant_status fail_inflate(int code, const char *path, scant_error *error) {
  const char *shown = scant_path_show(path);
  if (code == Z_MEM_ERROR) return scant_fail_memory(error);
  if (code == Z_OK || code == Z_BUF_ERROR)
    return scant_fail(error, SCANT_DATA, "'%s' ends in the middle of its gzip data: is it cut short?", shown);
  return scant_fail(error, SCANT_DATA, "'%s' can't be inflated: its gzip data are damaged", shown);
}

typedef struct {
  z_stream z;
  unsigned char *out;
  size_t length, capacity;
  int code;   /* of the last call: Z_STREAM_END behind a member */
  int padded; /* nothing but zeros may come */
} inflater;

/* Behind a member: is there another one?  Sets `code` to Z_OK then. */
static void begin_member(inflater *f, const char *data, size_t length) {
  if (!length) return;
  f->padded = f->padded || !*data;
  if (!f->padded)
    f->code = inflateReset(&f->z);
  else if (!is_padding(data, length))
    f->code = Z_DATA_ERROR;
}

/* Inflates the next bytes, at most READ_AT_ONCE and one, one member behind the other. */
static scant_status inflate_more(inflater *f, const char *data, size_t length, watcher *w, scant_error *error) {
  const Bytef *in = (const Bytef *)data;
  size_t used = 0;
  for (;;) {
    if (f->code == Z_STREAM_END) {
      begin_member(f, data + used, length - used);
      if (f->code == Z_STREAM_END) return SCANT_OK;
    }
    if (f->code != Z_OK && f->code != Z_BUF_ERROR) return fail_inflate(f->code, w->path, error);
    if (!scant_grow(&f->out, &f->capacity, f->length + READ_AT_ONCE, 1)) return scant_fail_memory(error);
    f->z.next_in = in + used;
    f->z.avail_in = (uInt)(length - used);
    f->z.next_out = f->out + f->length;
    f->z.avail_out = READ_AT_ONCE; /* so that a fault is seen before much more is inflated */
    f->code = inflate(&f->z, Z_NO_FLUSH);
    used = (size_t)(f->z.next_in - in);
    size_t fresh = (size_t)(f->z.next_out - f->out) - f->length;
    f->length += fresh;
    SCANT_TRY(watch(w, f->out, f->length, fresh, error));
    int going = f->code == Z_OK || f->code == Z_BUF_ERROR;
    if (going && used == length && f->z.avail_out) return SCANT_OK; /* it wants more */
  }
}

/* Inflates a file while it is read, so that faults are seen before it fills the memory.  `data`: what was read so far,
 * with room for READ_AT_ONCE. */
static scant_status inflate_read(scant_bytes *to, int file, char *data, size_t length, watcher *w, scant_error *error) {
  inflater f = {.length = 0};
  size_t stored = 0;
  f.code = inflateInit2(&f.z, 15 + 16); /* 32 KiB windows, a gzip header */
  if (f.code != Z_OK) return fail_inflate(f.code, w->path, error);
  scant_status status = SCANT_OK;
  while (status == SCANT_OK && length) {
    stored += length;
    status = watch(w, data, stored, 0, error); /* a limit holds for what is stored, too */
    if (status == SCANT_OK) status = inflate_more(&f, data, length, w, error);
    if (status == SCANT_OK) status = read_some(file, data, &length, w, error);
  }
  inflateEnd(&f.z);
  if (status == SCANT_OK && f.code != Z_STREAM_END) status = fail_inflate(f.code, w->path, error);
  if (status != SCANT_OK) {
    free(f.out);
    return status;
  }
  keep_exactly(to, f.out, f.length);
  to->stored = stored;
  return SCANT_OK;
}

#else

static scant_status inflate_read(scant_bytes *to, int file, char *data, size_t length, watcher *w, scant_error *error) {
  (void)to, (void)file, (void)data, (void)length;
  return scant_fail(error, SCANT_DATA, "'%s' is compressed with gzip, and this library was built without zlib",
                    scant_path_show(w->path));
}

#endif

/* All there is into *data, which the caller frees; or up to where it is seen to be gzip. */
static scant_status read_plain(int file, char **data, size_t *length, watcher *w, scant_error *error) {
  size_t capacity = 0, got;
  do {
    if (!scant_grow(data, &capacity, *length + READ_AT_ONCE, 1)) return scant_fail_memory(error);
    SCANT_TRY(read_some(file, *data + *length, &got, w, error));
    *length += got;
    if (is_gzip(*data, *length)) return SCANT_OK;
    SCANT_TRY(watch(w, *data, *length, got, error));
  } while (got);
  return SCANT_OK;
}

static scant_status read_all(scant_bytes *bytes, int file, watcher *w, scant_error *error) {
  char *data = NULL;
  size_t length = 0;
  scant_status status = read_plain(file, &data, &length, w, error);
  if (status == SCANT_OK && !is_gzip(data, length)) {
    keep_exactly(bytes, data, length);
    return SCANT_OK;
  }
  if (status == SCANT_OK && w->kind->in_place)
    status = scant_fail(error, SCANT_DATA,
                        "'%s' is compressed with gzip, but this format is read in place: uncompress it first",
                        scant_path_show(w->path));
  else if (status == SCANT_OK)
    status = inflate_read(bytes, file, data, length, w, error);
  free(data);
  return status;
}

/* Can it be mapped as it is?  A file of size 0 is read: files of /proc say 0 and hold more. */
static int is_mappable(int file, const struct stat *facts) {
  char head[2];
  if (!S_ISREG(facts->st_mode) || facts->st_size <= 0 || (uintmax_t)facts->st_size > PTRDIFF_MAX) return 0;
  ssize_t got = pread(file, head, sizeof head, 0);
  return got >= 0 && !is_gzip(head, (size_t)got);
}

static scant_status map_or_read(scant_bytes *bytes, int file, watcher *w, scant_error *error) {
  struct stat facts;
  if (fstat(file, &facts) != 0) return fail_system(w->path, "read", errno, error);
  if (S_ISDIR(facts.st_mode)) return fail_system(w->path, "read", EISDIR, error);
  if (!is_mappable(file, &facts)) return read_all(bytes, file, w, error);
  size_t length = (size_t)facts.st_size;
  void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return read_all(bytes, file, w, error);
  *bytes = (scant_bytes){.data = data, .length = length, .stored = length, .owned = data, .mapped = 1};
  if (length <= scant_bytes_resident) return SCANT_OK;
  bytes->file = file;
  return scant_pages_open(&bytes->windows, length, WINDOW_SHIFT) ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_bytes_open(scant_bytes *bytes, const char *path, const scant_bytes_kind *kind, scant_error *error) {
  watcher w = {.kind = kind, .path = path};
  scant_bytes opened = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail_system(path, "opened", errno, error);
  scant_status status = map_or_read(&opened, file, &w, error);
  if (!scant_bytes_is_long(&opened)) close(file);
  if (status == SCANT_OK) status = watch(&w, opened.data, opened.length, 0, error);
  if (status == SCANT_OK)
    *bytes = opened;
  else
    scant_bytes_close(&opened);
  return status;
}

const char *scant_bytes_text(const scant_bytes *bytes) {
  return bytes->data + (bytes->length >= 3 && memcmp(bytes->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

void scant_bytes_scatter(const scant_bytes *bytes) {
  /* This is advice to the system: nothing depends on whether it is taken. */
  if (bytes->mapped) (void)posix_madvise(bytes->owned, bytes->length, POSIX_MADV_RANDOM);
#ifdef POSIX_FADV_RANDOM
  if (scant_bytes_is_long(bytes)) (void)posix_fadvise(bytes->file, 0, 0, POSIX_FADV_RANDOM);
#endif
}

void scant_bytes_touch(scant_bytes *bytes, const void *at, size_t length) {
  if (!scant_bytes_is_long(bytes)) return;
  scant_pages *windows = &bytes->windows;
  size_t from = (size_t)((const char *)at - bytes->data);
  scant_pages_note(windows, from, length);
  if (windows->count <= scant_bytes_resident >> WINDOW_SHIFT) return;
#ifdef MADV_DONTNEED
  (void)madvise(bytes->owned, bytes->length, MADV_DONTNEED);
#endif
  memset(windows->bits, 0, (scant_pages_at(windows, bytes->length) / 64 + 1) * sizeof *windows->bits);
  windows->count = 0;
  scant_pages_note(windows, from, length);
}

scant_status scant_bytes_read(const scant_bytes *bytes, size_t from, size_t length, void *to, const char *path,
                              scant_error *error) {
  char *next = to;
  while (length) {
    ssize_t got = pread(bytes->file, next, length, (off_t)from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_system(path, "read", errno, error);
    if (got == 0) return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", scant_path_show(path));
    next += got;
    from += (size_t)got;
    length -= (size_t)got;
  }
  return SCANT_OK;
}

void scant_bytes_close(scant_bytes *bytes) {
  if (scant_bytes_is_long(bytes)) close(bytes->file);
  scant_pages_close(&bytes->windows);
  if (bytes->mapped)
    munmap(bytes->owned, bytes->length);
  else
    free(bytes->owned);
  *bytes = (scant_bytes){0};
}

/* ---- pages that were looked at ------------------------------------------------ */

int scant_pages_open(scant_pages *pages, size_t length, unsigned shift) {
  long size = shift ? 0 : sysconf(_SC_PAGESIZE);
  while (size > 1 && (2L << shift) <= size) shift++;
  if (!shift) shift = 12;
  *pages = (scant_pages){.shift = shift, .length = length};
  pages->bits = scant_array((length >> shift >> 6) + 1, sizeof *pages->bits);
  return pages->bits != NULL;
}

void scant_pages_close(scant_pages *pages) {
  free(pages->bits);
  *pages = (scant_pages){0};
}

uint64_t scant_pages_bytes(const scant_pages *pages) {
  uint64_t bytes = pages->count << pages->shift;
  size_t last = scant_pages_at(pages, pages->length), rest = pages->length - (last << pages->shift);
  int seen = rest && (pages->bits[last >> 6] >> (last & 63) & 1);
  return seen ? bytes - ((uint64_t)1 << pages->shift) + rest : bytes;
}
