// What each workload's source file gives to the table of kinds (kinds.cpp).
#pragma once

#include <memory>

#include "workload/arguments.hpp"
#include "workload/workload.hpp"

namespace headrace::workload {

using Made = Result<std::unique_ptr<Workload>>;

struct Maker {
  Kind kind;
  /// ranks >= 1. May throw std::overflow_error where sizes need more than 64 bits.
  Made (*make)(Arguments& arguments, int ranks);
};

Maker e3sm_maker();
Maker btio_maker();
Maker s3d_maker();
Maker hacc_maker();
Maker gcrm_maker();
Maker lattice_maker();
Maker uneven_maker();
Maker random_maker();
Maker ior_maker();

}  // namespace headrace::workload
