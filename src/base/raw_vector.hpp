// Vectors whose elements are left uninitialized until they are given a value: for large arrays that
// somebody else fills.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace headrace {

/// As std::allocator, but for elements that nobody gives a value.
template <class T>
class RawAllocator : public std::allocator<T> {
 public:
  static_assert(std::is_trivially_default_constructible_v<T>);

  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace headrace
