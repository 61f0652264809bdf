// Preloaded into a program, it makes each flush to disk take as many milliseconds longer as the file $SLOW_DISK_FILE says; none without it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void wait_as_told(void) {
  const char *path = getenv("SLOW_DISK_FILE");
  FILE *file = path ? fopen(path, "re") : NULL;
  if (!file) return;
  int milliseconds = 0;
  if (fscanf(file, "%d", &milliseconds) == 1 && milliseconds > 0 && milliseconds < 60000) {
    struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    nanosleep(&time, NULL);
  }
  fclose(file);
}

int fsync(int file) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_as_told();
  return original(file);
}

int fdatasync(int file) {
  int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_as_told();
  return original(file);
}
