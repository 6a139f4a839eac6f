// The benchmark's MPI program: moves one workload in one way, once, and tells the times.
//
//   headrace-bench-<mpi> JOB.json RESULT.json
//
// The job: {"workload": name, "settings": {...}} or, for floors, {"bytes": of one call};
// "calls": n, "way": one of ways below, "hints": {...}, "path": the file, "read": whether to read
// it back, "plant": an offset whose byte to spoil before the file is verified (to see it found), or
// null. The result: {"write": {"open", "calls": [...], "responses": [{"mean", "slowest"}...],
// "close"}, "read": the same, "wrong": null or {"in": "file" or "buffer", "offset", "rank"}}.
#include <mpi.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/checked.hpp"
#include "bench/even.hpp"
#include "bench/pass.hpp"
#include "bench/posix_file.hpp"

namespace headrace::bench {
namespace {

using Json = nlohmann::json;

std::unique_ptr<workload::Workload> workload_of(const Json& job) {
  const int ranks = size_of(MPI_COMM_WORLD);
  if (job.contains("bytes")) return std::make_unique<Even>(job.at("bytes"), ranks);
  auto made = workload::make(job.at("workload").get<std::string>(),
                             job.at("settings").get<workload::Settings>(), ranks);
  if (!made.ok()) throw std::runtime_error(made.status().message());
  return std::move(*made);
}

std::unique_ptr<Way> way_of(const Json& job, const RankLayout& layout) {
  const std::string name = job.at("way");
  if (name == "mpi_io") return mpi_io(MPI_COMM_WORLD, layout, job.at("hints").get<Hints>());
  if (name == "handmade") return handmade(MPI_COMM_WORLD, layout);
  if (name == "contiguous") return contiguous_posix(MPI_COMM_WORLD, layout);
  if (name == "memcpy") return copy_in_memory(layout);
  throw std::runtime_error("no way is called " + name);
}

Json json_of(const Times& times) {
  Json responses = Json::array();
  for (const Response& response : times.responses)
    responses.push_back({{"mean", response.mean}, {"slowest", response.slowest}});
  return {{"open", times.open},
          {"calls", times.calls},
          {"responses", responses},
          {"close", times.close}};
}

Json json_of(const std::optional<WrongByte>& wrong, const char* where) {
  if (!wrong) return nullptr;
  return {{"in", where}, {"offset", wrong->offset}, {"rank", wrong->rank}};
}

void spoil(const std::string& path, std::int64_t offset) {
  PosixFile file;
  file.open(MPI_COMM_SELF, path, true);
  std::array<std::byte, 1> byte{};
  file.read_at(offset, byte);
  byte[0] ^= std::byte{0xff};
  file.write_at(offset, byte);
}

Json verified(const Json& job, const workload::Workload& workload, std::int64_t calls) {
  if (job.at("way") == "memcpy") return nullptr;
  const std::string path = job.at("path");
  if (!job.at("plant").is_null() && rank_of(MPI_COMM_WORLD) == 0) spoil(path, job.at("plant"));
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  return json_of(wrong_byte_of_file(MPI_COMM_WORLD, workload, calls, path), "file");
}

Json result_of(const Json& job) {
  const auto workload = workload_of(job);
  const std::int64_t calls = job.at("calls");
  const std::string path = job.at("path");
  Runner runner(MPI_COMM_WORLD, *workload, calls);
  const auto way = way_of(job, runner.layout());
  Json result;
  result["write"] = json_of(runner.write(*way, path).times);
  result["wrong"] = verified(job, *workload, calls);
  if (job.at("read").get<bool>() && result["wrong"].is_null()) {
    const Pass pass = runner.read(*way, path);
    result["read"] = json_of(pass.times);
    result["wrong"] = json_of(pass.wrong, "buffer");
  }
  return result;
}

void run(const char* job_path, const char* result_path) {
  const Json result = result_of(Json::parse(std::ifstream(job_path)));
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  std::ofstream file(result_path);
  file << result << '\n';
  if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + result_path);
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s JOB.json RESULT.json\n", argv[0]);
    return 2;
  }
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  try {
    headrace::bench::run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
