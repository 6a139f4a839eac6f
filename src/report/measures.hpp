// What is measured of one open file on one rank.
#pragma once

#include "report/counters.hpp"
#include "report/phases.hpp"

namespace headrace::report {

struct Measures {
  Counters counters;
  PhaseClock clock;
};

}  // namespace headrace::report
