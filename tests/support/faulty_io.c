/* Preloaded: makes one chosen read or write of one chosen file fail, whoever's descriptor it is. */
#define _GNU_SOURCE
#include "faulty_io.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char faulty_path[PATH_MAX];
static atomic_int calls_left;
static int planned_error;

void faulty_io_arm(const char* path, int k, int error) {
  snprintf(faulty_path, sizeof faulty_path, "%s", path);
  planned_error = error;
  atomic_store(&calls_left, k);
}

int faulty_io_disarm(void) {
  return atomic_exchange(&calls_left, 0) <= 0;
}

static int names_faulty_path(int descriptor) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strcmp(path, faulty_path) == 0;
}

/* Whether it is this call's turn. */
static int is_faulty(int descriptor) {
  return atomic_load(&calls_left) > 0 && names_faulty_path(descriptor) &&
         atomic_fetch_sub(&calls_left, 1) == 1;
}

/* The size that a faulty call moves; 0: it fails, errno being set. */
static size_t faulty_size(size_t size) {
  errno = planned_error;
  return planned_error != 0 ? 0 : (size + 1) / 2;
}

#define REAL(name) ((__typeof__(name)*)dlsym(RTLD_NEXT, #name))

#define POSITIONED(name, buffer_type, offset_type)                                \
  ssize_t name(int descriptor, buffer_type buffer, size_t size, offset_type at) { \
    if (is_faulty(descriptor) && (size = faulty_size(size)) == 0) return -1;      \
    return REAL(name)(descriptor, buffer, size, at);                              \
  }
POSITIONED(pread, void*, off_t)
POSITIONED(pread64, void*, off64_t)
POSITIONED(pwrite, const void*, off_t)
POSITIONED(pwrite64, const void*, off64_t)

#define SEQUENTIAL(name, buffer_type)                                        \
  ssize_t name(int descriptor, buffer_type buffer, size_t size) {            \
    if (is_faulty(descriptor) && (size = faulty_size(size)) == 0) return -1; \
    return REAL(name)(descriptor, buffer, size);                             \
  }
SEQUENTIAL(read, void*)
SEQUENTIAL(write, const void*)

/* A short vectored call moves half of its first piece. */
#define VECTORED(name, parameter, argument)                                            \
  ssize_t name(int descriptor, const struct iovec* pieces, int count parameter) {      \
    if (!is_faulty(descriptor)) return REAL(name)(descriptor, pieces, count argument); \
    const struct iovec half = {pieces[0].iov_base, faulty_size(pieces[0].iov_len)};    \
    return half.iov_len == 0 ? -1 : REAL(name)(descriptor, &half, 1 argument);         \
  }
#define NO_OFFSET
#define OFFSET_PARAMETER , off_t at
#define OFFSET64_PARAMETER , off64_t at
#define OFFSET_ARGUMENT , at
VECTORED(readv, NO_OFFSET, NO_OFFSET)
VECTORED(writev, NO_OFFSET, NO_OFFSET)
VECTORED(preadv, OFFSET_PARAMETER, OFFSET_ARGUMENT)
VECTORED(preadv64, OFFSET64_PARAMETER, OFFSET_ARGUMENT)
VECTORED(pwritev, OFFSET_PARAMETER, OFFSET_ARGUMENT)
VECTORED(pwritev64, OFFSET64_PARAMETER, OFFSET_ARGUMENT)
