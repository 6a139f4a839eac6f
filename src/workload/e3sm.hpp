// E3SM: one collective call writes all of a rank's requests of all variables, which follow one
// another in the file. The variables of a map have the same decomposition, so a map's list of
// requests is kept once and repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/makers.hpp"
#include "workload/workload.hpp"

namespace headrace::workload {

/// The variables of one map.
struct MappedVariables {
  std::int64_t count;
  std::int64_t array_bytes;  ///< of one variable in the file
  std::int64_t bytes;        ///< of one variable that some rank has
};

class E3sm : public Workload {
 public:
  /// May throw std::overflow_error.
  E3sm(std::vector<MappedVariables> maps, int ranks);

  int ranks() const override { return ranks_; }
  plan::PlacedLayout file(int rank) const override;
  std::int64_t requests(int rank) const override;
  std::int64_t call_stride() const override { return call_stride_; }
  std::int64_t call_bytes() const override { return call_bytes_; }
  std::int64_t default_calls() const override { return 2; }

 private:
  /// What the rank has of a variable of map number `map`, from the variable's begin.
  virtual plan::PlacedLayout part(std::size_t map, int rank) const = 0;
  /// In how many requests the program names it.
  virtual std::int64_t part_requests(std::size_t map, int rank) const = 0;

  std::vector<MappedVariables> maps_;
  int ranks_;
  std::int64_t call_stride_ = 0;
  std::int64_t call_bytes_ = 0;
};

/// Fails where the file is no map of the F, G or I case.
Made make_recorded_e3sm(const Arguments& arguments, const std::string& map_file, int ranks);
/// The F case on the cubed sphere of `ne` elements along each edge of a face.
Made make_synthetic_e3sm(std::int64_t ne, std::int64_t levels, int ranks);

}  // namespace headrace::workload
