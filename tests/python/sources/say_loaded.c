/* Stands in for the library where a test is about who loads it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

__attribute__((constructor)) static void say_loaded(void) {
  fprintf(stderr, "loaded into %s\n", program_invocation_short_name);
}
