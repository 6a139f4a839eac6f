// The texts about a closed file.
#include "report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace headrace::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

FileReport written_file(double longest) {
  FileReport file;
  file.path = "/data/out.h5";
  file.ranks = 8;
  file.nodes = 2;
  file.mpi = "openmpi";
  Timers timers;
  for (int i = 0; i < timer_count; ++i) timers.ranks[i] = {0.25, 1.5, longest};
  for (int i = 0; i < timer_count; ++i) timers.aggregators[i] = {0.5, 1, longest};
  timers.response_time = {0.125, 0.75, longest};
  file.timers[static_cast<std::size_t>(Direction::write)] = timers;
  return file;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Report, json_has_the_timers_of_directions_that_were_served) {
  const auto object = nlohmann::json::parse(json_line(written_file(2)));
  const auto& timers = object["timers"];
  EXPECT_FALSE(timers.contains("read"));
  EXPECT_EQ(timers["write"]["ranks"].size(), static_cast<std::size_t>(timer_count));
  EXPECT_EQ(timers["write"]["ranks"]["others_requests"],
            (nlohmann::json{{"min", 0.25}, {"mean", 1.5}, {"max", 2}}));
  EXPECT_EQ(timers["write"]["aggregators"]["total"]["min"], 0.5);
  EXPECT_EQ(timers["write"]["response_time"],
            (nlohmann::json{{"min", 0.125}, {"mean", 0.75}, {"max", 2}}));
}

TEST(Report, json_without_served_calls_has_no_timers) {
  EXPECT_EQ(nlohmann::json::parse(json_line(FileReport{}))["timers"], nlohmann::json::object());
}

TEST(Report, table_of_timers_has_every_phase_once_and_fits_a_terminal) {
  for (const double longest : {2.0, 98.999999, 123456.789}) {
    const auto lines = lines_of(timer_tables(written_file(longest)));
    ASSERT_EQ(lines.size(), 4U + timer_count);
    EXPECT_THAT(lines.back(), HasSubstr("response a call   0.125000"));
    for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
    for (int i = 0; i < timer_count; ++i)
      EXPECT_THAT(lines[i + 3], HasSubstr(std::string(timer_name(i)) + " "));
  }
}

TEST(Report, numbers_of_timers_stand_below_their_headings) {
  const auto lines = lines_of(timer_tables(written_file(2)));
  EXPECT_THAT(lines[0], HasSubstr("writes, /data/out.h5"));
  EXPECT_EQ(lines[2].size(), lines[3].size());
  EXPECT_EQ(lines[2].find("mean") + 4, lines[3].find("1.500000") + 8);
}

TEST(Report, names_of_counters_do_not_touch_their_numbers) {
  FileReport file = written_file(1);
  for (std::int64_t& value : file.totals.values()) value = 7;
  EXPECT_THAT(table(file), HasSubstr("requests_in_domains 7\n"));
}

TEST(Report, methods_are_those_that_served) {
  Counters totals;
  EXPECT_THAT(methods_used(totals), ElementsAre());
  totals[Counter::tam_calls] = 1;
  totals[Counter::host_calls] = 1;
  EXPECT_THAT(methods_used(totals), ElementsAre("tam", "host"));
}

}  // namespace
}  // namespace headrace::report
