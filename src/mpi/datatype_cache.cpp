#include "mpi/datatype_cache.hpp"

#include <mutex>
#include <new>

#include "mpi/at_finalize.hpp"

namespace headrace::mpi {
namespace {

/// Guards the keyval, and the value of an attribute from being read until the reader has a
/// reference of its own. Held across calls of MPI; MPI never waits for it: no callback takes it,
/// but for the one of MPI_Finalize, when no other thread may be in MPI.
std::mutex mutex;
/// Of the attribute, a heap-allocated DatatypePtr. MPI_KEYVAL_INVALID before the first use and
/// after the last.
int keyval = MPI_KEYVAL_INVALID;
bool finalizing = false;

int share_with_duplicate(MPI_Datatype, int, void*, void* value, void* copy, int* copied) {
  auto* shared = new (std::nothrow) DatatypePtr(*static_cast<DatatypePtr*>(value));
  *static_cast<void**>(copy) = shared;
  *copied = shared != nullptr;
  return MPI_SUCCESS;
}

int drop(MPI_Datatype, int, void* value, void*) {
  delete static_cast<DatatypePtr*>(value);
  return MPI_SUCCESS;
}

int free_keyval(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(mutex);
  finalizing = true;
  return keyval == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Type_free_keyval(&keyval);
}

/// Precondition: the mutex is held.
bool has_keyval() {
  if (keyval != MPI_KEYVAL_INVALID) return true;
  if (finalizing) return false;
  if (MPI_Type_create_keyval(share_with_duplicate, drop, &keyval, nullptr) != MPI_SUCCESS)
    return false;
  if (call_at_finalize(free_keyval)) return true;
  MPI_Type_free_keyval(&keyval);
  return false;
}

/// Precondition: the mutex is held.
DatatypePtr look_up(MPI_Datatype type) {
  if (keyval == MPI_KEYVAL_INVALID) return nullptr;
  void* value = nullptr;
  int found = 0;
  if (MPI_Type_get_attr(type, keyval, &value, &found) != MPI_SUCCESS || !found) return nullptr;
  return *static_cast<DatatypePtr*>(value);
}

}  // namespace

DatatypePtr cached_datatype(MPI_Datatype type) {
  const std::lock_guard lock(mutex);
  return look_up(type);
}

DatatypePtr cache_datatype(MPI_Datatype type, DatatypePtr datatype) {
  const std::lock_guard lock(mutex);
  if (!has_keyval()) return datatype;
  if (DatatypePtr first = look_up(type)) return first;
  auto value = std::make_unique<DatatypePtr>(datatype);
  // MPI owns it from here on.
  if (MPI_Type_set_attr(type, keyval, value.get()) == MPI_SUCCESS)
    static_cast<void>(value.release());
  return datatype;
}

}  // namespace headrace::mpi
