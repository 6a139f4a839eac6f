// Objects known by small integers: the handles that a messenger gives out.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace headrace::transport {

/// A released handle is given out again. Used by one thread at a time.
template <class T>
class Slots {
 public:
  std::int64_t add(T object) {
    if (free_.empty()) {
      objects_.push_back(std::move(object));
      return static_cast<std::int64_t>(objects_.size()) - 1;
    }
    const std::int64_t handle = free_.back();
    free_.pop_back();
    objects_[handle] = std::move(object);
    return handle;
  }

  /// Valid until the next add(). Precondition of both: the handle was added and not taken.
  T& operator[](std::int64_t handle) { return objects_[handle]; }
  T take(std::int64_t handle) {
    free_.push_back(handle);
    return std::exchange(objects_[handle], T{});
  }

  /// Also those that were taken, which are as new.
  std::span<T> all() { return objects_; }

  bool empty() const { return free_.size() == objects_.size(); }

 private:
  std::vector<T> objects_;
  std::vector<std::int64_t> free_;
};

}  // namespace headrace::transport
