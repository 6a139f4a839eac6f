// The dependency rule of the house, read from the #include lines under src/:
//   base <- plan <- {mpi, transport, storage, workload, model} <- engine <- {capi, preload}
// report is for the engine and what is above it. The link lines of src/CMakeLists.txt say the same,
// but a header that needs no linking would slip through them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headrace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::set<std::string, std::less<>>;

const Names entry_points{"base",          "plan",          "mpi",     "transport",
                         "transport/mpi", "transport/rma", "storage", "report",
                         "engine",        "capi",          "headrace"};

/// What the files of a folder may include besides the folder itself. Subfolders that are listed
/// have a row of their own: the drivers that need more than their contract does.
const std::map<std::string, Names, std::less<>> allowed_folders{
    {"base", {}},
    {"plan", {"base"}},
    {"mpi", {"base", "plan"}},
    {"transport", {"base", "plan"}},
    {"transport/mpi", {"base", "plan", "transport", "mpi"}},
    {"transport/rma", {"base", "plan", "transport", "mpi"}},
    {"storage", {"base", "plan"}},
    {"workload", {"base", "plan"}},
    {"model", {"base", "plan", "workload"}},
    {"report", {"base"}},
    {"engine", {"base", "plan", "transport", "storage", "report"}},  // contracts, no MPI driver
    {"planner", {"base", "plan", "workload", "model"}},
    {"bench", {"base", "plan", "mpi", "workload", "engine"}},
    {"mpich_aids", {}},
    {"capi", entry_points},
    {"preload", entry_points},
};

const Names folders_with_mpi{"mpi", "transport/mpi", "transport/rma", "bench", "capi", "preload"};

/// I/O and clocks: what a pure folder must not know.
const Names impure_headers{"chrono",     "cstdio",    "ctime",   "fcntl.h",    "filesystem",
                           "fstream",    "iostream",  "stdio.h", "sys/mman.h", "sys/stat.h",
                           "sys/time.h", "sys/uio.h", "time.h",  "unistd.h"};

/// One #include line.
struct Include {
  std::string file;    ///< relative to src/
  std::string target;  ///< as written between the quotes or brackets
  bool quoted;
};

/// The row of `path`: its subfolder's if there is one, else its folder's.
std::string folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.find('/'));
  const std::string inner = path.substr(0, path.find('/', folder.size() + 1));
  return allowed_folders.contains(inner) ? inner : folder;
}

/// What is wrong with the line; nullopt if nothing is.
std::optional<std::string> violation(const Include& include) {
  const std::string from = folder_of(include.file);
  const auto row = allowed_folders.find(from);
  if (row == allowed_folders.end()) return fmt::format("{}: no rule for {}", include.file, from);
  if (include.target == "mpi.h" && !folders_with_mpi.contains(from)) {
    return fmt::format("{} includes mpi.h", include.file);
  }
  if (from == "plan" && impure_headers.contains(include.target)) {
    return fmt::format("{} includes {}: plan is pure", include.file, include.target);
  }
  if (!include.quoted) return std::nullopt;
  const std::string to = folder_of(include.target);
  if (to == from || row->second.contains(to)) return std::nullopt;
  return fmt::format("{} includes {}: {} must not know {}", include.file, include.target, from, to);
}

std::optional<Include> parse(const std::string& file, const std::string& line) {
  if (line.rfind("#include", 0) != 0) return std::nullopt;
  const std::size_t begin = line.find_first_of("\"<");
  const std::size_t end = line.find_last_of("\">");
  if (begin == std::string::npos || end <= begin) return std::nullopt;
  return Include{file, line.substr(begin + 1, end - begin - 1), line[begin] == '"'};
}

std::vector<Include> includes_below(const std::filesystem::path& source) {
  std::vector<Include> includes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    std::ifstream text(entry.path());
    for (std::string line; std::getline(text, line);) {
      auto include = parse(entry.path().lexically_relative(source), line);
      if (include) includes.push_back(*std::move(include));
    }
  }
  return includes;
}

TEST(DependencyRule, holds_for_every_source_file) {
  const auto includes = includes_below(HEADRACE_SOURCE_DIR "/src");
  ASSERT_GT(includes.size(), 50u) << "the source files were not found";
  std::vector<std::string> violations;
  for (const Include& include : includes) {
    if (auto found = violation(include)) violations.push_back(*std::move(found));
  }
  EXPECT_THAT(violations, IsEmpty());
}

TEST(DependencyRule, allows_what_is_below) {
  EXPECT_FALSE(violation({"engine/a.cpp", "storage/storage.hpp", true}));
  EXPECT_FALSE(violation({"storage/posix/a.cpp", "storage/storage.hpp", true}));
  EXPECT_FALSE(violation({"transport/mpi/a.cpp", "mpi.h", false}));
  EXPECT_FALSE(violation({"transport/mpi/a.cpp", "mpi/handles.hpp", true}));
  EXPECT_FALSE(violation({"transport/waiter.hpp", "chrono", false}));
  EXPECT_FALSE(violation({"preload/a.cpp", "transport/mpi/mpi_messenger.hpp", true}));
}

TEST(DependencyRule, refuses_what_is_above_or_beside) {
  EXPECT_TRUE(violation({"base/a.hpp", "plan/layout.hpp", true}));
  EXPECT_TRUE(violation({"plan/a.hpp", "report/counters.hpp", true}));
  EXPECT_TRUE(violation({"storage/posix/a.cpp", "transport/messenger.hpp", true}));
  EXPECT_TRUE(violation({"transport/mpi/a.cpp", "storage/storage.hpp", true}));
  EXPECT_TRUE(violation({"transport/inproc/a.cpp", "mpi/handles.hpp", true}));
  EXPECT_TRUE(violation({"mpi/a.cpp", "engine/collective_file.hpp", true}));
  EXPECT_TRUE(violation({"model/a.cpp", "engine/collective_file.hpp", true}));
  EXPECT_TRUE(violation({"engine/a.cpp", "transport/mpi/mpi_messenger.hpp", true}));
}

TEST(DependencyRule, refuses_mpi_clocks_and_files_where_they_do_not_belong) {
  EXPECT_TRUE(violation({"engine/a.cpp", "mpi.h", false}));
  EXPECT_TRUE(violation({"plan/a.cpp", "mpi.h", false}));
  EXPECT_TRUE(violation({"plan/a.cpp", "chrono", false}));
  EXPECT_TRUE(violation({"plan/a.cpp", "fstream", false}));
  EXPECT_TRUE(violation({"transport/shm/a.cpp", "mpi.h", false}));
  EXPECT_THAT(*violation({"elsewhere/a.cpp", "vector", false}), HasSubstr("no rule"));
}

}  // namespace
}  // namespace headrace
