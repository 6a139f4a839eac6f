// The orders in which a global aggregator may serve its windows.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace headrace {

/// plan/schedule.hpp says what each is.
enum class Schedule { offset, mdf, lw_mdf, gw_mdf, best };

/// As users name them, in the order of their cost.
constexpr std::array<std::pair<std::string_view, Schedule>, 5> schedules{{
    {"offset", Schedule::offset},
    {"mdf", Schedule::mdf},
    {"lw_mdf", Schedule::lw_mdf},
    {"gw_mdf", Schedule::gw_mdf},
    {"best", Schedule::best},
}};

}  // namespace headrace
