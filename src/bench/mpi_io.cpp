#include <utility>
#include <vector>

#include "bench/checked.hpp"
#include "bench/way.hpp"
#include "mpi/hints.hpp"
#include "mpi/plain_type.hpp"

namespace headrace::bench {
namespace {

/// A datatype of the layout; a rank with nothing gets one of a byte, of which it moves none.
mpi::DatatypeHandle datatype_of(const plan::PlacedLayout& placed) {
  if (!placed.layout) return mpi::DatatypeHandle::borrowed(MPI_BYTE);
  auto type = mpi::plain_data(placed);
  if (!type.ok()) throw std::runtime_error(type.status().message());
  return std::move(*type);
}

class MpiIo : public Way {
 public:
  MpiIo(MPI_Comm comm, const RankLayout& layout, const Hints& hints)
      : comm_(comm),
        file_type_(datatype_of(layout.file)),
        memory_type_(datatype_of(layout.memory)),
        count_(layout.file.layout ? 1 : 0) {
    for (const auto& [key, value] : hints) hints_.push_back({key, value});
  }

  void open(const std::string& path, bool is_write) override {
    const mpi::InfoOf info(hints_);
    if (!info.status().ok()) throw std::runtime_error(info.status().message());
    const int mode = is_write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    check(MPI_File_open(comm_, path.c_str(), mode, info.get(), &file_), "MPI_File_open");
  }

  void place(std::int64_t displacement) override {
    check(
        MPI_File_set_view(file_, displacement, MPI_BYTE, file_type_.get(), "native", MPI_INFO_NULL),
        "MPI_File_set_view");
  }

  void write(const std::byte* buffer) override {
    check(MPI_File_write_all(file_, buffer, count_, memory_type_.get(), MPI_STATUS_IGNORE),
          "MPI_File_write_all");
  }

  void read(std::byte* buffer) override {
    check(MPI_File_read_all(file_, buffer, count_, memory_type_.get(), MPI_STATUS_IGNORE),
          "MPI_File_read_all");
  }

  void close() override { check(MPI_File_close(&file_), "MPI_File_close"); }

 private:
  MPI_Comm comm_;
  std::vector<Hint> hints_;
  mpi::DatatypeHandle file_type_;
  mpi::DatatypeHandle memory_type_;
  int count_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

std::unique_ptr<Way> mpi_io(MPI_Comm comm, const RankLayout& layout, const Hints& hints) {
  return std::make_unique<MpiIo>(comm, layout, hints);
}

}  // namespace headrace::bench
