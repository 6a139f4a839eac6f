// Random collective reads and writes against an oracle. See settings.cpp for the command line.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "random_case.hpp"

namespace headrace::test {
namespace {

/// Says which case hangs or crashes, then lets the signal do what it does.
void report_signal(int signal) {
  const char* what = signal == SIGALRM ? "HANG " : "CRASH ";
  (void)!write(STDERR_FILENO, what, std::strlen(what));
  (void)!write(STDERR_FILENO, now_running, std::strlen(now_running));
  (void)!write(STDERR_FILENO, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch_signals() {
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    std::signal(signal, report_signal);
  }
}

/// Returns whether this rank is the first to see the case fail.
bool run_case(const Settings& settings, const World& world, std::int64_t number) {
  const Group& group = world.group(ranks_of_case(settings, number, world.size()));
  if (group.comm == MPI_COMM_NULL) return false;
  alarm(static_cast<unsigned>(settings.hang_seconds));
  const int mismatches = RandomCase(settings, group, world.size(), number).run();
  alarm(0);
  return mismatches > 0 && group.failed_case->exchange(number + 1) != number + 1;
}

int run_cases(const Settings& settings, const World& world) {
  const std::int64_t first = settings.only_case.value_or(0);
  const std::int64_t last = settings.only_case ? first + 1 : settings.cases;
  int failed = 0;
  for (std::int64_t number = first; number < last; ++number) {
    failed += run_case(settings, world, number) ? 1 : 0;
  }
  require(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
          "MPI_Allreduce");
  if (world.rank() == 0) {
    std::printf("%lld cases, %d failed\n", static_cast<long long>(last - first), failed);
  }
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace headrace::test

int main(int argc, char** argv) {
  using namespace headrace::test;
  require(MPI_Init(&argc, &argv), "MPI_Init");
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    require(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  const auto settings = parse_settings(argc, argv);
  if (!settings) MPI_Abort(MPI_COMM_WORLD, 2);
  watch_signals();
  World world(settings->directory);
  const int result = run_cases(*settings, world);
  world.free();
  MPI_Finalize();
  return result;
}
