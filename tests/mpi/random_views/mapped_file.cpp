#include "mapped_file.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "datatype.hpp"

namespace headrace::test {
namespace {

bool is_first_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

void barrier() {
  require(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

[[noreturn]] void stop(const std::string& path) {
  std::perror(path.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  _exit(2);
}

void* map(const std::string& path, int flags, std::size_t size) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) stop(path);
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) stop(path);
  close(file);
  return data;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::size_t size) : size_(size), data_(nullptr) {
  if (is_first_rank()) data_ = map(path, O_CREAT | O_EXCL, size);
  barrier();
  if (data_ == nullptr) data_ = map(path, 0, size);
  barrier();
  if (is_first_rank()) unlink(path.c_str());
}

MappedFile::~MappedFile() {
  munmap(data_, size_);
}

}  // namespace headrace::test
