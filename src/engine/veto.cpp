#include "engine/veto.hpp"

#include <array>
#include <cstddef>

namespace headrace::engine {

const char* veto_name(Veto veto) noexcept {
  constexpr std::array<const char*, static_cast<std::size_t>(Veto::count)> names{
      "none",
      "atomic_mode",
      "data_representation",
      "unsupported_datatype",
      "view_not_monotone",
      "unsafe_file_system",
      "disabled_by_hint",
      "no_storage",
      "no_memory",
      "no_team",
      "sequential_mode",
      "invalid_arguments"};
  return names[static_cast<std::size_t>(veto)];
}

}  // namespace headrace::engine
