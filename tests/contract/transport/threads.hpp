// Runs ranks as threads.
#pragma once

#include <thread>
#include <vector>

namespace headrace::test {

/// Calls body(rank) on a thread of its own for every rank, and waits for all.
template <class Body>
void run_as_threads(int ranks, Body body) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([rank, &body] { body(rank); });
}

}  // namespace headrace::test
