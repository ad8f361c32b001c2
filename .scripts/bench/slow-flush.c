/* Preloaded, it makes each wait for the disk so many microseconds longer as FLUSH_MICROSECONDS says: see slow-flush.ts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int waited(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = real(file);
  const char *given = getenv("FLUSH_MICROSECONDS");
  long microseconds = given ? atol(given) : 0;
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
  return result;
}

int fsync(int file) { return waited("fsync", file); }
int fdatasync(int file) { return waited("fdatasync", file); }
