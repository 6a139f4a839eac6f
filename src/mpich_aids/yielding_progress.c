/* libheadrace-mpich-yield.so, preloaded into MPICH programs that have more ranks than cores: a rank
 * whose progress loop finds nothing gives up the processor. Without it MPICH spins, and what can be
 * done in a second takes minutes. It needs nothing of Headrace's. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned progress_function(void* worker);

static progress_function* real_progress(void) {
  progress_function* real = (progress_function*)dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (real != NULL) return real;
  /* Python loads its MPI, and so UCX, where RTLD_NEXT does not look. */
  return (progress_function*)dlsym(dlopen("libucp.so.0", RTLD_LAZY), "ucp_worker_progress");
}

unsigned ucp_worker_progress(void* worker) {
  static progress_function* real;
  if (real == NULL) real = real_progress();
  const unsigned progressed = real(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}
