/*
 * A disk that fails: loaded in front of the C library, it lets the Nth call fail that writes to, syncs, cuts or opens a file
 * whose path begins with FAILING_DISK_PATH. FAILING_DISK_NTH is N, FAILING_DISK_ERRNO what it fails with, FAILING_DISK_KEEPS
 * says whether every later call fails too. It tells on standard error that it did. SQLite takes these calls from the C library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int fails(const char *path, const char *call) {
  const char *prefix = getenv("FAILING_DISK_PATH"), *nth = getenv("FAILING_DISK_NTH");
  if (!prefix || !nth || !path || strncmp(path, prefix, strlen(prefix)) != 0) return 0;
  long wanted = atol(nth), now = atomic_fetch_add(&calls, 1) + 1;
  if (now != wanted && !(now > wanted && getenv("FAILING_DISK_KEEPS"))) return 0;
  errno = atoi(getenv("FAILING_DISK_ERRNO"));
  int kept = errno;
  if (now == wanted) dprintf(2, "failed %s %s\n", call, path + strlen(prefix));
  errno = kept;
  return 1;
}

static int fails_on(int fd, const char *call) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(path, call);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) { return fails_on(fd, "write") ? -1 : REAL(write)(fd, data, size); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  return fails_on(fd, "pwrite") ? -1 : REAL(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return fails_on(fd, "pwrite") ? -1 : REAL(pwrite64)(fd, data, size, at);
}
int fsync(int fd) { return fails_on(fd, "fsync") ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails_on(fd, "fdatasync") ? -1 : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return fails_on(fd, "ftruncate") ? -1 : REAL(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fails_on(fd, "ftruncate") ? -1 : REAL(ftruncate64)(fd, size); }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails(path, "open") ? -1 : REAL(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return fails(path, "open") ? -1 : REAL(open64)(path, flags, mode);
}
