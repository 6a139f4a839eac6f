/* libheadrace-mpich-finish.so, preloaded into MPICH programs on several nodes: in MPI_Finalize a
 * rank goes on to make progress until all ranks have closed their connections. MPICH itself waits
 * there for the others without any (until pmodels/mpich#6596), and a rank that needs an answer of
 * theirs to close its own waits for ever: over TCP, nearly always. It needs nothing of Headrace's.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef unsigned progress_function(void* worker);
typedef void* disconnect_function(void* endpoint);
typedef void destroy_function(void* worker);

/* UCX's workers serve one thread at a time: from the first connection that is closed on, this is
 * held by whoever calls UCX. */
static pthread_mutex_t calls_ucx = PTHREAD_MUTEX_INITIALIZER;
static pthread_t helper;
static atomic_bool is_finishing;
/* MPICH has one, unless MPIR_CVAR_CH4_NUM_VCIS asks for more. */
static void* last_worker;

static void* real_function(const char* name) {
  void* real = dlsym(RTLD_NEXT, name);
  /* Python loads its MPI, and so UCX, where RTLD_NEXT does not look. */
  return real != NULL ? real : dlsym(dlopen("libucp.so.0", RTLD_LAZY), name);
}

static unsigned locked_progress(void* worker) {
  static progress_function* real;
  if (real == NULL) real = (progress_function*)real_function("ucp_worker_progress");
  if (!atomic_load_explicit(&is_finishing, memory_order_relaxed)) return real(worker);
  pthread_mutex_lock(&calls_ucx);
  const unsigned progressed = real(worker);
  pthread_mutex_unlock(&calls_ucx);
  return progressed;
}

static void* keep_progressing(void* worker) {
  const struct timespec pause = {.tv_nsec = 1000000};
  while (atomic_load(&is_finishing)) {
    locked_progress(worker);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void begin_to_finish(void) {
  if (atomic_load(&is_finishing) || last_worker == NULL) return;
  atomic_store(&is_finishing, true);
  if (pthread_create(&helper, NULL, keep_progressing, last_worker) != 0) {
    atomic_store(&is_finishing, false);
  }
}

unsigned ucp_worker_progress(void* worker) {
  last_worker = worker;
  return locked_progress(worker);
}

void* ucp_disconnect_nb(void* endpoint) {
  disconnect_function* real = (disconnect_function*)real_function("ucp_disconnect_nb");
  begin_to_finish();
  pthread_mutex_lock(&calls_ucx);
  void* request = real(endpoint);
  pthread_mutex_unlock(&calls_ucx);
  return request;
}

void ucp_worker_destroy(void* worker) {
  destroy_function* real = (destroy_function*)real_function("ucp_worker_destroy");
  if (atomic_exchange(&is_finishing, false)) pthread_join(helper, NULL);
  real(worker);
}
