#include "bench/verify.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/unique_fd.hpp"
#include "bench/checked.hpp"
#include "bench/content.hpp"
#include "plan/pattern.hpp"

namespace headrace::bench {
namespace {

/// A whole file, mapped.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!fd || fstat(fd.get(), &status) != 0) fail(path);
    bytes_ = static_cast<std::size_t>(status.st_size);
    if (bytes_ == 0) return;
    void* mapped = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (mapped == MAP_FAILED) fail(path);
    data_ = static_cast<const std::byte*>(mapped);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), bytes_);
  }

  std::span<const std::byte> bytes() const { return {data_, bytes_}; }

 private:
  [[noreturn]] static void fail(const std::string& path) {
    throw std::runtime_error(Status::from_errno(errno, "verifying " + path).message());
  }

  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

std::int64_t end_of(const workload::Workload& workload, int rank, std::int64_t calls) {
  const plan::Pattern last = workload.pattern(rank, calls - 1);
  return last.empty() ? 0 : last.span().end;
}

/// The bytes of the file that nobody may have written, within `section`: the first that is not
/// zero. Only called where there is one somewhere, so it may take its time.
std::optional<WrongByte> written_hole(const workload::Workload& workload, std::int64_t calls,
                                      std::span<const std::byte> file, Extent section) {
  std::vector<bool> covered(static_cast<std::size_t>(section.length()));
  for (std::int64_t call = 0; call < calls; ++call) {
    for (int rank = 0; rank < workload.ranks(); ++rank) {
      const plan::Pattern pattern = workload.pattern(rank, call);
      if (pattern.empty()) continue;
      plan::RunCursor(pattern, pattern.bytes_below(section.begin), pattern.bytes_below(section.end))
          .for_each_piece([&](std::int64_t offset, std::int64_t length) {
            std::fill_n(covered.begin() + (offset - section.begin), length, true);
          });
    }
  }
  for (std::int64_t offset = section.begin; offset < section.end; ++offset)
    if (!covered[offset - section.begin] && file[offset] != std::byte{0})
      return WrongByte{offset, -1};
  return std::nullopt;
}

Extent section_of(MPI_Comm comm, std::int64_t size) {
  const std::int64_t each = size / size_of(comm) + 1;
  const std::int64_t begin = std::min(size, rank_of(comm) * each);
  return {begin, std::min(size, begin + each)};
}

/// Content is never zero: where more bytes than were written are not, somebody wrote into a hole.
std::optional<WrongByte> wrong_byte_in_holes(MPI_Comm comm, const workload::Workload& workload,
                                             std::int64_t calls, std::span<const std::byte> file) {
  const Extent section = section_of(comm, std::ssize(file));
  const auto bytes = file.subspan(section.begin, section.length());
  const std::int64_t zeros = std::count(bytes.begin(), bytes.end(), std::byte{0});
  const std::int64_t all_zeros = reduced(comm, zeros, MPI_INT64_T, MPI_SUM);
  if (std::ssize(file) - all_zeros == calls * workload.call_bytes()) return std::nullopt;
  return lowest_of_all(comm, written_hole(workload, calls, file, section));
}

}  // namespace

std::optional<WrongByte> lowest_of_all(MPI_Comm comm, const std::optional<WrongByte>& mine) {
  const std::int64_t offset = mine ? mine->offset : INT64_MAX;
  const std::int64_t lowest = reduced(comm, offset, MPI_INT64_T, MPI_MIN);
  if (lowest == INT64_MAX) return std::nullopt;
  return WrongByte{lowest, reduced(comm, offset == lowest ? mine->rank : -1, MPI_INT, MPI_MAX)};
}

std::optional<WrongByte> wrong_byte_of_file(MPI_Comm comm, const workload::Workload& workload,
                                            std::int64_t calls, const std::string& path) {
  const int rank = rank_of(comm);
  const std::int64_t must_be = reduced(comm, end_of(workload, rank, calls), MPI_INT64_T, MPI_MAX);
  const MappedFile file(path);
  if (const std::int64_t size = std::ssize(file.bytes()); size != must_be)
    throw std::runtime_error(path + ": has " + std::to_string(size) + " bytes, must have " +
                             std::to_string(must_be));
  std::optional<WrongByte> wrong;
  for (std::int64_t call = 0; call < calls && !wrong; ++call) {
    const plan::Pattern pattern = workload.pattern(rank, call);
    if (const auto offset = first_wrong_in({pattern, pattern}, file.bytes().data()))
      wrong = WrongByte{*offset, rank};
  }
  wrong = lowest_of_all(comm, wrong);
  return wrong ? wrong : wrong_byte_in_holes(comm, workload, calls, file.bytes());
}

}  // namespace headrace::bench
