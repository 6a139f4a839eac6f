// Some of the numbers that a datatype was made of, where MPI has put them: there may be millions,
// which are not copied to be read.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headrace::mpi {

/// Numbers of 32 or 64 bits, or one number again and again. Does not own them.
class NumberList {
 public:
  explicit NumberList(std::span<const int> numbers)
      : narrow_(numbers.data()), size_(numbers.size()) {}
  explicit NumberList(std::span<const std::int64_t> numbers)
      : wide_(numbers.data()), size_(numbers.size()) {}

  std::size_t size() const noexcept { return size_; }
  std::int64_t operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return narrow_ != nullptr ? narrow_[i * step_] : wide_[i * step_];
  }

  /// Numbers [first, first + into.size()).
  void copy(std::size_t first, std::span<std::int64_t> into) const noexcept {
    assert(first + into.size() <= size_);
    if (step_ == 0)
      std::ranges::fill(into, (*this)[0]);
    else if (narrow_ != nullptr)
      std::copy_n(narrow_ + first, into.size(), into.begin());
    else
      std::copy_n(wide_ + first, into.size(), into.begin());
  }

  /// The first number, `times` times. Precondition: there is one.
  NumberList repeated(std::size_t times) const noexcept {
    NumberList list = *this;
    list.size_ = times;
    list.step_ = 0;
    return list;
  }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  std::size_t size_;
  std::size_t step_ = 1;
};

}  // namespace headrace::mpi
