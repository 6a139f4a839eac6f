#include "workload/decomposition_map.hpp"

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <numeric>

#include "base/checked_math.hpp"

namespace headrace::workload {
namespace {

/// An open netCDF file. Remembers the first error; after it the readers give nothing.
class MapFile {
 public:
  explicit MapFile(const std::string& path) : path_(path) {
    is_open_ = keep(nc_open(path.c_str(), NC_NOWRITE, &file_), "cannot be opened");
  }
  ~MapFile() {
    if (is_open_) nc_close(file_);
  }
  MapFile(const MapFile&) = delete;
  MapFile& operator=(const MapFile&) = delete;

  const Status& status() const noexcept { return status_; }

  std::int64_t dimension(const std::string& name) {
    int id = 0;
    std::size_t length = 0;
    if (keep(nc_inq_dimid(file_, name.c_str(), &id), name))
      keep(nc_inq_dimlen(file_, id, &length), name);
    return static_cast<std::int64_t>(length);
  }

  std::vector<std::int64_t> attribute(const std::string& name) {
    std::size_t length = 0;
    if (!keep(nc_inq_attlen(file_, NC_GLOBAL, name.c_str(), &length), name)) return {};
    std::vector<long long> values(length);
    keep(nc_get_att_longlong(file_, NC_GLOBAL, name.c_str(), values.data()), name);
    return {values.begin(), values.end()};
  }

  /// A variable of one dimension.
  std::vector<std::int64_t> variable(const std::string& name) {
    int id = 0;
    int dimensions = 0;
    int dimension = 0;
    if (!keep(nc_inq_varid(file_, name.c_str(), &id), name)) return {};
    if (!keep(nc_inq_varndims(file_, id, &dimensions), name)) return {};
    if (dimensions != 1) {
      refuse(fmt::format("{} has {} dimensions, not one", name, dimensions));
      return {};
    }
    std::size_t length = 0;
    if (!keep(nc_inq_vardimid(file_, id, &dimension), name)) return {};
    if (!keep(nc_inq_dimlen(file_, dimension, &length), name)) return {};
    std::vector<long long> values(length);
    keep(nc_get_var_longlong(file_, id, values.data()), name);
    return {values.begin(), values.end()};
  }

  void refuse(const std::string& what) {
    status_.update({ErrorClass::other, fmt::format("map file {}: {}", path_, what)});
  }

 private:
  bool keep(int error, const std::string& what) {
    if (!status_.ok()) return false;
    if (error != NC_NOERR) refuse(fmt::format("{}: {}", what, nc_strerror(error)));
    return status_.ok();
  }

  const std::string& path_;
  int file_ = 0;
  bool is_open_ = false;
  Status status_;
};

std::int64_t product(const std::vector<std::int64_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, checked_multiply);
}

/// Whether requests in ascending order lie in an array of `elements` and share none of them.
bool are_apart_within(const std::vector<ElementRun>& ascending, std::int64_t elements) {
  std::int64_t end = 0;
  for (const ElementRun& run : ascending) {
    if (run.length < 1 || run.offset < end || run.length > elements - run.offset) return false;
    end = run.offset + run.length;
  }
  return true;
}

void sort_by_offset(std::vector<ElementRun>::iterator begin,
                    std::vector<ElementRun>::iterator end) {
  std::sort(begin, end,
            [](const ElementRun& a, const ElementRun& b) { return a.offset < b.offset; });
}

/// What contradicts itself in the map; empty if nothing does.
std::string contradiction(const Decomposition& map, std::size_t lengths) {
  if (map.requests.size() != lengths) return "has not as many lengths as offsets";
  if (!std::is_sorted(map.first.begin(), map.first.end()))
    return "has a process with less than no requests";
  if (map.first.back() != std::ssize(map.requests)) return "has not as many requests as nreqs says";
  std::vector<ElementRun> all = map.requests;
  sort_by_offset(all.begin(), all.end());
  if (!are_apart_within(all, map.array_elements()))
    return "has requests that overlap or lie outside its array";
  return {};
}

Decomposition read_decomposition(MapFile& file, const std::string& name, std::int64_t processes) {
  Decomposition map;
  map.shape = file.attribute(name + ".dims");
  const auto counts = file.variable(name + ".nreqs");
  const auto offsets = file.variable(name + ".offsets");
  const auto lengths = file.variable(name + ".lengths");
  if (std::ssize(counts) != processes) file.refuse(name + ".nreqs has not one entry a process");
  if (!file.status().ok()) return map;

  map.first.resize(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), map.first.begin() + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    map.requests.push_back({offsets[i], i < lengths.size() ? lengths[i] : 0});
  const std::string wrong = contradiction(map, lengths.size());
  if (!wrong.empty()) {
    file.refuse(fmt::format("{} {}", name, wrong));
    return map;
  }
  for (std::size_t p = 0; p + 1 < map.first.size(); ++p)
    sort_by_offset(map.requests.begin() + map.first[p], map.requests.begin() + map.first[p + 1]);
  return map;
}

}  // namespace

std::int64_t Decomposition::array_elements() const {
  return product(shape);
}

std::int64_t Decomposition::recorded_elements() const {
  return std::accumulate(requests.begin(), requests.end(), std::int64_t{0},
                         [](std::int64_t sum, const ElementRun& run) { return sum + run.length; });
}

Result<DecompositionMap> read_decomposition_map(const std::string& path) {
  MapFile file(path);
  DecompositionMap map;
  const std::int64_t count = file.dimension("num_decomp");
  map.processes = file.dimension("decomp_nprocs");
  if (map.processes < 1) file.refuse("it has no processes");
  for (std::int64_t k = 1; k <= count && file.status().ok(); ++k)
    map.decompositions.push_back(read_decomposition(file, fmt::format("D{}", k), map.processes));
  if (!file.status().ok()) return file.status();
  return map;
}

}  // namespace headrace::workload
