// Map files made here: what is read from them, and what is refused.
#include "workload/decomposition_map.hpp"

#include <gmock/gmock.h>
#include <netcdf.h>
#include <unistd.h>

#include <filesystem>

#include "checks.hpp"

namespace headrace::workload {
namespace {

using testing::HasSubstr;

struct WrittenMap {
  std::vector<int> shape;
  std::vector<int> counts;  ///< requests of each process
  std::vector<int> offsets;
  std::vector<int> lengths;
};

void expect_done(int error) {
  EXPECT_EQ(error, NC_NOERR) << nc_strerror(error);
}

/// A map file of CDF-5, as the real ones are. Removed with the object.
class MapOnDisk {
 public:
  explicit MapOnDisk(const std::vector<WrittenMap>& maps)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("headrace-map-{}.nc", ::getpid())) {
    expect_done(nc_create(path_.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file_));
    define_dimension("num_decomp", maps.size());
    define_dimension("decomp_nprocs", maps[0].counts.size());
    for (std::size_t k = 0; k < maps.size(); ++k) define(fmt::format("D{}", k + 1), maps[k]);
    expect_done(nc_enddef(file_));
    for (const auto& [variable, values] : values_)
      expect_done(nc_put_var_int(file_, variable, values.data()));
    expect_done(nc_close(file_));
  }
  ~MapOnDisk() { std::filesystem::remove(path_); }
  MapOnDisk(const MapOnDisk&) = delete;
  MapOnDisk& operator=(const MapOnDisk&) = delete;

  std::string path() const { return path_.string(); }

 private:
  int define_dimension(const std::string& name, std::size_t length) {
    int id = 0;
    expect_done(nc_def_dim(file_, name.c_str(), length, &id));
    return id;
  }
  void define_variable(const std::string& name, const std::vector<int>& values) {
    const int dimension = define_dimension(name + ".size", values.size());
    int id = 0;
    expect_done(nc_def_var(file_, name.c_str(), NC_INT, 1, &dimension, &id));
    values_.emplace_back(id, values);
  }
  void define(const std::string& name, const WrittenMap& map) {
    expect_done(nc_put_att_int(file_, NC_GLOBAL, (name + ".dims").c_str(), NC_INT, map.shape.size(),
                               map.shape.data()));
    define_variable(name + ".nreqs", map.counts);
    define_variable(name + ".offsets", map.offsets);
    define_variable(name + ".lengths", map.lengths);
  }

  std::filesystem::path path_;
  int file_ = 0;
  std::vector<std::pair<int, std::vector<int>>> values_;
};

/// The shapes of the F case, on two processes.
std::vector<WrittenMap> small_f_case() {
  const WrittenMap columns{{6}, {1, 2}, {2, 4, 0}, {2, 2, 2}};
  const WrittenMap volume{{2, 6}, {2, 1}, {6, 0, 2}, {3, 2, 4}};
  return {columns, columns, volume};
}

/// What is said where D1 is replaced.
std::string complaint_with(const WrittenMap& first) {
  auto maps = small_f_case();
  maps[0] = first;
  const MapOnDisk map(maps);
  return complaint("e3sm", {{"map", map.path()}}, 2);
}

TEST(DecompositionMap, gives_each_process_its_requests_in_order) {
  const MapOnDisk map(small_f_case());
  auto read = read_decomposition_map(map.path());
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Decomposition& volume = read->decompositions[2];
  EXPECT_EQ(volume.shape, (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(volume.array_elements(), 12);
  EXPECT_EQ(volume.recorded_elements(), 9);
  EXPECT_EQ(volume.first, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(volume.requests[0].offset, 0);
  EXPECT_EQ(volume.requests[1].offset, 6);
  EXPECT_EQ(volume.requests[1].length, 3);
}

/// D1 once, D2 323 times, then D3, all of floats.
TEST(DecompositionMap, variables_follow_one_another) {
  const MapOnDisk map(small_f_case());
  const auto e3sm = made("e3sm", {{"map", map.path()}}, 2);
  const auto file = extents_of(e3sm->file(1));
  ASSERT_EQ(file.size(), 2U + 2 * 323 + 63);
  EXPECT_EQ(file[0], (Extent{0, 8}));
  EXPECT_EQ(file[1], (Extent{16, 24}));
  EXPECT_EQ(file[2], (Extent{24, 32}));
  EXPECT_EQ(file[2 + 2 * 323].begin, 324 * 24 + 8);
  for (const int ranks : {1, 2, 3, 5}) {
    SCOPED_TRACE(ranks);
    expect_promises_kept(*made("e3sm", {{"map", map.path()}}, ranks));
  }
}

TEST(DecompositionMap, contradictions_are_named) {
  EXPECT_EQ(complaint_with({{6}, {1, 1}, {0, 3}, {3, 3}}), "");
  EXPECT_THAT(complaint_with({{6}, {1, 1}, {0, 2}, {3, 3}}),
              HasSubstr("D1 has requests that over"));
  EXPECT_THAT(complaint_with({{6}, {1, 1}, {0, 3}, {3, 4}}), HasSubstr("outside its array"));
  EXPECT_THAT(complaint_with({{6}, {1, 1}, {0, 3}, {3, 0}}), HasSubstr("D1 has requests that"));
  EXPECT_THAT(complaint_with({{6}, {1, 2}, {0, 3}, {3, 3}}),
              HasSubstr("as many requests as nreqs"));
  EXPECT_THAT(complaint_with({{6}, {3, -1}, {0, 3}, {3, 3}}), HasSubstr("less than no requests"));
  EXPECT_THAT(complaint_with({{6}, {1, 1}, {0, 3}, {3}}), HasSubstr("as many lengths as offsets"));
}

TEST(DecompositionMap, other_shapes_are_no_case_of_e3sm) {
  EXPECT_THAT(complaint_with({{3, 2}, {1, 1}, {0, 3}, {3, 3}}),
              HasSubstr("its 3 maps are not those of the F, G or I case"));
}

TEST(DecompositionMap, another_netcdf_file_is_refused) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("headrace-no-map-{}.nc", ::getpid());
  int file = 0;
  expect_done(nc_create(path.c_str(), NC_CLOBBER, &file));
  expect_done(nc_close(file));
  EXPECT_THAT(complaint("e3sm", {{"map", path.string()}}, 2), HasSubstr("num_decomp: "));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace headrace::workload
