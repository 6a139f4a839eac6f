// Where the report of a closed file goes.
#pragma once

#include "report/report.hpp"

namespace headrace::report {

/// Whether this process has HEADRACE_REPORT (a file to append a line of JSON to), HEADRACE_STATS or
/// HEADRACE_TIMERS (tables on stderr, unless they are "0" or empty). The environment is read once.
bool reports_wanted();

/// Writes what is wanted. A report that cannot be written is a warning.
void write_report(const report::FileReport& file);

}  // namespace headrace::report
