// Preloaded into a program, it makes the disk below the folder $BAD_DISK_FOLDER as bad as the file $BAD_DISK_FILE says: `slow 300` makes each
// flush take 300 ms longer, `failing 50` makes half of all writes and flushes, at random, fail with EIO. Without that file the disk is good.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int is_below_folder(int file) {
  const char *folder = getenv("BAD_DISK_FOLDER");
  char link[64], path[4096];
  if (!folder) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

// The number beside `word` in the file; 0 when the file is not there or says another word.
static int told(const char *word) {
  const char *path = getenv("BAD_DISK_FILE");
  if (!path || access(path, R_OK) != 0) return 0;
  int kept = errno;
  FILE *file = fopen(path, "re");
  char first[16] = "";
  int number = 0;
  if (file) {
    if (fscanf(file, "%15s %d", first, &number) != 2 || strcmp(first, word) != 0) number = 0;
    fclose(file);
  }
  errno = kept;
  return number > 0 && number < 60000 ? number : 0;
}

static int fails(int file) {
  int kept = errno;
  int percent = told("failing");
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int failed = percent && (now.tv_nsec / 100) % 100 < percent && is_below_folder(file);
  errno = failed ? EIO : kept;
  return failed;
}

static void wait_as_told(int file) {
  int milliseconds = told("slow");
  if (milliseconds && is_below_folder(file)) {
    struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    nanosleep(&time, NULL);
  }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int file) {
  wait_as_told(file);
  return fails(file) ? -1 : NEXT(fsync)(file);
}

int fdatasync(int file) {
  wait_as_told(file);
  return fails(file) ? -1 : NEXT(fdatasync)(file);
}

ssize_t write(int file, const void *bytes, size_t count) { return fails(file) ? -1 : NEXT(write)(file, bytes, count); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) { return fails(file) ? -1 : NEXT(pwrite)(file, bytes, count, place); }

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) { return fails(file) ? -1 : NEXT(pwrite64)(file, bytes, count, place); }

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t place) { return fails(file) ? -1 : NEXT(pwritev)(file, parts, count, place); }

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t place) { return fails(file) ? -1 : NEXT(pwritev64)(file, parts, count, place); }

int ftruncate(int file, off_t length) { return fails(file) ? -1 : NEXT(ftruncate)(file, length); }

int ftruncate64(int file, off64_t length) { return fails(file) ? -1 : NEXT(ftruncate64)(file, length); }
