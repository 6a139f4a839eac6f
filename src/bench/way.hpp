// The ways to move a workload's data to a file and back that the benchmark compares.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "plan/layout.hpp"

namespace headrace::bench {

/// One rank's layouts in every call; see workload::Workload.
struct RankLayout {
  plan::PlacedLayout file;
  plan::PlacedLayout memory;

  std::int64_t bytes() const { return file.layout ? file.layout->size() : 0; }
};

/// All functions are collective over the communicator that the way was made with, and throw
/// std::runtime_error, saying which call failed and why. open() and close() alternate.
class Way {
 public:
  virtual ~Way() = default;
  /// Creates the file to write it; it does not exist. Opens it to read it.
  virtual void open(const std::string& path, bool is_write) = 0;
  /// Where in the file the layout begins in what is written and read from now on.
  virtual void place(std::int64_t displacement) { displacement_ = displacement; }
  /// `buffer` holds the rank's memory layout.
  virtual void write(const std::byte* buffer) = 0;
  virtual void read(std::byte* buffer) = 0;
  virtual void close() = 0;

 protected:
  std::int64_t displacement() const { return displacement_; }

 private:
  std::int64_t displacement_ = 0;
};

using Hints = std::map<std::string, std::string>;

/// Collective MPI I/O, as an application uses it: a view, and one MPI_File_write_all. Whoever
/// serves these calls is what is measured.
std::unique_ptr<Way> mpi_io(MPI_Comm comm, const RankLayout& layout, const Hints& hints);

/// What a good user writes by hand instead (mpich #7935): the file range of a call is cut into
/// contiguous extents of at least 4 MiB, one a rank; one MPI_Alltoallv brings every byte to the
/// rank of its extent, which writes with POSIX calls. As the user knows that every call has the
/// same layout, who sends what to whom is found out at the first call only.
std::unique_ptr<Way> handmade(MPI_Comm comm, const RankLayout& layout);

/// Floors: each rank writes its one contiguous extent with POSIX calls, ...
std::unique_ptr<Way> contiguous_posix(MPI_Comm comm, const RankLayout& layout);
/// ... or copies it within memory, and no file is made.
std::unique_ptr<Way> copy_in_memory(const RankLayout& layout);

}  // namespace headrace::bench
