#include <cstring>
#include <vector>

#include "bench/posix_file.hpp"
#include "bench/way.hpp"

namespace headrace::bench {
namespace {

class ContiguousPosix : public Way {
 public:
  ContiguousPosix(MPI_Comm comm, const RankLayout& layout)
      : comm_(comm), offset_(layout.file.offset), bytes_(layout.bytes()) {}

  void open(const std::string& path, bool is_write) override { file_.open(comm_, path, is_write); }
  void write(const std::byte* buffer) override {
    file_.write_at(displacement() + offset_, {buffer, static_cast<std::size_t>(bytes_)});
  }
  void read(std::byte* buffer) override {
    file_.read_at(displacement() + offset_, {buffer, static_cast<std::size_t>(bytes_)});
  }
  void close() override { file_.close(); }

 private:
  MPI_Comm comm_;
  std::int64_t offset_;
  std::int64_t bytes_;
  PosixFile file_;
};

class CopyInMemory : public Way {
 public:
  explicit CopyInMemory(const RankLayout& layout)
      : copy_(static_cast<std::size_t>(layout.bytes()), std::byte{1}) {}

  void open(const std::string& /*path*/, bool /*is_write*/) override {}
  void write(const std::byte* buffer) override { std::memcpy(copy_.data(), buffer, copy_.size()); }
  void read(std::byte* buffer) override { std::memcpy(buffer, copy_.data(), copy_.size()); }
  void close() override {}

 private:
  std::vector<std::byte> copy_;  // touched, so that no page is made while the clock runs
};

}  // namespace

std::unique_ptr<Way> contiguous_posix(MPI_Comm comm, const RankLayout& layout) {
  return std::make_unique<ContiguousPosix>(comm, layout);
}

std::unique_ptr<Way> copy_in_memory(const RankLayout& layout) {
  return std::make_unique<CopyInMemory>(layout);
}

}  // namespace headrace::bench
