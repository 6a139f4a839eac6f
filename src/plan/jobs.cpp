#include "plan/jobs.hpp"

#include <algorithm>
#include <numeric>

namespace headrace::plan {

Jobs::Jobs(const Accesses& accesses) : accesses_(accesses), job_of_(accesses.processes(), -1) {
  const auto less = [&](int a, int b) {
    return std::ranges::lexicographical_compare(accesses.of(a), accesses.of(b));
  };
  std::vector<int> processes(accesses.processes());
  std::iota(processes.begin(), processes.end(), 0);
  std::stable_sort(processes.begin(), processes.end(), less);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const int process = processes[i];
    if (accesses.of(process).empty()) continue;
    if (members_.empty() || less(members_.back().process, process))
      members_.push_back({process, 0});
    ++members_.back().weight;
    job_of_[process] = count() - 1;
  }
}

}  // namespace headrace::plan
