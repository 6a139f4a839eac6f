// Why a rank cannot let Headrace serve a call; the reasons are counted and reported.
#pragma once

namespace headrace::engine {

enum class Veto : int {
  none = 0,
  atomic_mode,
  data_representation,   ///< a view in external32 or a registered representation
  unsupported_datatype,  ///< a combiner that cannot be decoded
  view_not_monotone,     ///< a file view whose offsets decrease or overlap
  unsafe_file_system,
  disabled_by_hint,  ///< romio_cb_write or romio_cb_read is "disable"
  no_storage,        ///< an aggregator could not open the file
  no_memory,
  no_team,            ///< shared memory or communicators could not be had
  sequential_mode,    ///< the file was opened with MPI_MODE_SEQUENTIAL
  invalid_arguments,  ///< the host reports its own error in its own way
  count               ///< how many there are
};
const char* veto_name(Veto veto) noexcept;  ///< "atomic_mode", ...

}  // namespace headrace::engine
