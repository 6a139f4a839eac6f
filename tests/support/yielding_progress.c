/* Preloaded into MPICH programs: a rank whose progress loop finds nothing gives up the processor.
 * Without it MPICH spins, and tests with more ranks than cores take minutes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*);
  if (real == NULL) real = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = real(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}
