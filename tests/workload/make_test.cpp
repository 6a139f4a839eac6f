// What users may set, and what they are told where it cannot be.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "checks.hpp"
#include "workload/arguments.hpp"

namespace headrace::workload {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Sizes, have_units_of_1024_and_of_1000) {
  EXPECT_EQ(parse_size("4096"), 4096);
  EXPECT_EQ(parse_size("7B"), 7);
  EXPECT_EQ(parse_size("4k"), 4096);
  EXPECT_EQ(parse_size("4K"), 4096);
  EXPECT_EQ(parse_size("4KiB"), 4096);
  EXPECT_EQ(parse_size("4KB"), 4000);
  EXPECT_EQ(parse_size("4kb"), 4000);
  EXPECT_EQ(parse_size("1M"), 1 << 20);
  EXPECT_EQ(parse_size("256MB"), 256'000'000);
  EXPECT_EQ(parse_size("2GiB"), std::int64_t{2} << 30);
  EXPECT_EQ(parse_size("1TiB"), std::int64_t{1} << 40);
  EXPECT_EQ(parse_size("0"), 0);
}

TEST(Sizes, are_the_whole_text) {
  for (const char* text : {"", "k", "4 k", "-4", "+4", "1.5M", "4kk", "4KiBB", "4x", "9999999T",
                           "99999999999999999999", "4i", "4PB"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(Make, an_unknown_workload_is_answered_with_those_there_are) {
  const std::string answer = complaint("s4d", {}, 4);
  EXPECT_THAT(answer, HasSubstr("there is no workload 's4d': there are "));
  for (const Kind& kind : kinds()) EXPECT_THAT(answer, HasSubstr(std::string(kind.name)));
}

TEST(Make, an_unknown_parameter_is_answered_with_those_of_the_kind) {
  EXPECT_EQ(complaint("s3d", {{"edges", "8"}}, 4),
            "s3d has no parameter 'edges': it has edge, grid");
}

TEST(Make, a_value_out_of_range_is_answered_with_what_is_allowed) {
  EXPECT_EQ(complaint("s3d", {{"edge", "8x8"}}, 4),
            "s3d: parameter edge cannot be '8x8': allowed is one whole number, or 3 joined by x, "
            "each 1 to 1048576");
  EXPECT_THAT(complaint("ior", {{"transfer", "huge"}}, 4),
              HasSubstr("ior: parameter transfer cannot be 'huge': allowed is a size"));
  EXPECT_THAT(complaint("ior", {{"order", "up"}}, 4), HasSubstr("one of contiguous, segmented"));
  EXPECT_THAT(complaint("ior", {{"segments", "0"}}, 4), HasSubstr("a whole number, 1 to"));
  EXPECT_THAT(complaint("s3d", {}, 0), HasSubstr("0 ranks are too few"));
}

TEST(Make, ranks_that_cannot_cut_are_answered_with_the_nearest_that_can) {
  EXPECT_EQ(complaint("s3d", {{"edge", "128"}}, 7),
            "s3d: 7 ranks cannot cut 128x128x128 evenly: the nearest number that can is 8");
  EXPECT_EQ(complaint("s3d", {{"edge", "128"}, {"grid", "2x2x2"}}, 4),
            "s3d: a grid of 2x2x2 has 8 ranks, not 4");
  EXPECT_EQ(complaint("s3d", {{"edge", "9"}, {"grid", "2x1x1"}}, 2),
            "s3d: a grid of 2x1x1 does not divide 9x9x9 evenly");
}

TEST(Make, btio_wants_a_square_number_of_ranks) {
  EXPECT_EQ(complaint("btio", {}, 12),
            "btio: 12 ranks are no square number: the nearest that is one is 9");
  EXPECT_EQ(complaint("btio", {}, 16), "");
}

TEST(Make, gcrm_wants_as_many_blocks_for_each_rank) {
  EXPECT_EQ(
      complaint("gcrm", {{"level", "5"}}, 12),
      "gcrm: 12 ranks cannot have as many blocks each, of 10 x 4^i up to level 5: the nearest "
      "number that can is 10");
}

TEST(Make, uneven_pieces_are_divided_by_a_power_of_two) {
  EXPECT_EQ(complaint("uneven", {{"scale", "3"}}, 4),
            "uneven: parameter scale cannot be '3': allowed is a power of two, 1 to 131072");
}

TEST(Make, a_map_that_cannot_be_read_is_named) {
  EXPECT_THAT(complaint("e3sm", {{"map", "/no/such.nc"}}, 4),
              HasSubstr("e3sm: map file /no/such.nc: cannot be opened: No such file"));
}

TEST(Make, a_file_beyond_64_bits_is_refused) {
  EXPECT_THAT(complaint("s3d", {{"edge", "1048576"}}, 1), HasSubstr("more than 2^63 bytes"));
}

TEST(Make, defaults_of_every_kind_can_be_made) {
  for (const Kind& kind : kinds()) EXPECT_EQ(complaint(kind.name, {}, 1), "") << kind.name;
}

TEST(Make, every_row_says_what_it_means) {
  for (const Kind& kind : kinds()) {
    EXPECT_FALSE(kind.meaning.empty()) << kind.name;
    for (const Parameter& parameter : kind.parameters)
      EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
  }
}

/// The tables of docs/workloads.md, from the one table of kinds.
std::string documented_kinds() {
  std::string text = "| workload | what |\n|---|---|\n";
  for (const Kind& kind : kinds()) text += fmt::format("| `{}` | {} |\n", kind.name, kind.meaning);
  return text;
}

std::string documented_parameters() {
  std::string text = "| workload | parameter | default | meaning |\n|---|---|---|---|\n";
  for (const Kind& kind : kinds())
    for (const Parameter& row : kind.parameters) {
      const std::string shown =
          row.default_value.empty() ? "" : fmt::format("`{}`", row.default_value);
      text += fmt::format("| `{}` | `{}` | {} | {} |\n", kind.name, row.name, shown, row.meaning);
    }
  return text;
}

TEST(Make, the_table_is_documented_as_it_is) {
  std::ifstream file(HEADRACE_SOURCE_DIR "/docs/workloads.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(documented_kinds())) << "docs/workloads.md must hold this";
  EXPECT_THAT(text.str(), HasSubstr(documented_parameters())) << "docs/workloads.md must hold this";
}

}  // namespace
}  // namespace headrace::workload
