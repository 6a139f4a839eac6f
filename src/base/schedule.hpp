// The orders in which a global aggregator may serve its windows.
#pragma once

#include <array>
#include <string_view>

namespace headrace {

/// plan/schedule.hpp says what each is.
enum class Schedule { offset, mdf, lw_mdf, gw_mdf, best };

struct NamedSchedule {
  std::string_view name;
  Schedule value;
};

/// As users name them, in the order of their cost.
constexpr std::array<NamedSchedule, 5> schedules{{
    {"offset", Schedule::offset},
    {"mdf", Schedule::mdf},
    {"lw_mdf", Schedule::lw_mdf},
    {"gw_mdf", Schedule::gw_mdf},
    {"best", Schedule::best},
}};

}  // namespace headrace
