// Random nested datatypes from every constructor of MPI, the same for the same seed.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi/datatype_handle.hpp"

namespace headrace::test {

enum class Shapes {
  any,        ///< negative strides and bounds, overlap, holes, nothing at all
  filetypes,  ///< what MPI_File_set_view takes: ascending, disjoint, also from one tile to the next
};

struct RandomDatatype {
  mpi::DatatypeHandle type;
  std::string text;  ///< how it was made, for the message of a failed test
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  int size = 0;
  /// It is, or is made of, a type whose copies go backwards (a negative extent).
  bool descends = false;
};

class RandomDatatypes {
 public:
  /// `base`: what all the data of Shapes::filetypes consists of (the etype of the view, or what
  /// that is made of). Every displacement and extent is then a multiple of its extent.
  explicit RandomDatatypes(std::uint64_t seed, Shapes shapes = Shapes::any,
                           MPI_Datatype base = MPI_BYTE)
      : random_(seed), shapes_(shapes), base_(base), unit_(leaf_of(base, "").extent) {}

  /// Committed, with at most `depth` constructors on top of each other, and reaching over at most
  /// 2^14 bytes. May have no bytes, in either shape.
  RandomDatatype make(int depth) {
    descends_ = false;
    RandomDatatype made = nested(depth);
    made.descends = descends_;
    MPI_Datatype type = made.type.get();
    require(MPI_Type_commit(&type));
    return made;
  }

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

 private:
  static constexpr MPI_Aint largest_extent = 1 << 14;

  static void require(int code) {
    if (code != MPI_SUCCESS) throw std::runtime_error("a datatype constructor failed");
  }

  template <class Number>
  static std::string list(const std::vector<Number>& numbers) {
    std::string text = "[";
    for (const Number number : numbers)
      text += (text.size() > 1 ? "," : "") + std::to_string(number);
    return text + "]";
  }

  static RandomDatatype measured(mpi::DatatypeHandle handle, std::string text) {
    RandomDatatype made{std::move(handle), std::move(text)};
    require(MPI_Type_get_extent(made.type.get(), &made.lb, &made.extent));
    require(MPI_Type_get_true_extent(made.type.get(), &made.true_lb, &made.true_extent));
    require(MPI_Type_size(made.type.get(), &made.size));
    return made;
  }
  static RandomDatatype owned(MPI_Datatype type, std::string text) {
    return measured(mpi::DatatypeHandle::owned(type), std::move(text));
  }
  static RandomDatatype leaf_of(MPI_Datatype type, std::string text) {
    return measured(mpi::DatatypeHandle::borrowed(type), std::move(text));
  }

  bool for_files() const { return shapes_ == Shapes::filetypes; }

  RandomDatatype nested(int depth) {
    if (depth == 0) return leaf();
    RandomDatatype made = combined(depth);
    descends_ = descends_ || made.extent < 0;
    const bool too_large = made.true_extent > largest_extent || made.size > largest_extent ||
                           std::abs(made.extent) > largest_extent ||
                           std::abs(made.true_lb) > largest_extent;
    if (too_large) return nested(depth - 1);
    return for_files() ? tileable(std::move(made)) : std::move(made);
  }

  RandomDatatype combined(int depth) {
    const std::int64_t kind = pick(0, 13);
    if (kind == 0) return leaf();
    if (kind == 1) return structure(depth);
    const RandomDatatype child = nested(depth - 1);
    switch (kind) {
      case 2:
        return duplicate(child);
      case 3:
        return contiguous(child);
      case 4:
        return vector(child);
      case 5:
        return hvector(child);
      case 6:
        return indexed(child);
      case 7:
        return hindexed(child);
      case 8:
        return indexed_block(child);
      case 9:
        return hindexed_block(child);
      case 10:
        return subarray(child);
      case 11:
        return darray(child);
      case 12:
        return interleaved(leaf());
      default:
        return resized(child);
    }
  }

  RandomDatatype leaf() {
    if (for_files()) return leaf_of(base_, "base");
    // No long double: MPICH packs it as a value, and a value has no padding.
    static const std::pair<MPI_Datatype, const char*> named[] = {{MPI_BYTE, "BYTE"},
                                                                 {MPI_CHAR, "CHAR"},
                                                                 {MPI_SHORT, "SHORT"},
                                                                 {MPI_INT, "INT"},
                                                                 {MPI_DOUBLE, "DOUBLE"},
                                                                 {MPI_SHORT_INT, "SHORT_INT"},
                                                                 {MPI_DOUBLE_INT, "DOUBLE_INT"},
                                                                 {MPI_LONG_INT, "LONG_INT"},
                                                                 {MPI_FLOAT_INT, "FLOAT_INT"},
                                                                 {MPI_2INT, "2INT"}};
    const auto& [type, name] = named[pick(0, std::size(named) - 1)];
    return leaf_of(type, name);
  }

  /// Makes room for the data in the extent, so that tiles do not overlap.
  RandomDatatype tileable(RandomDatatype made) {
    const MPI_Aint least = (made.true_extent + unit_ - 1) / unit_ * unit_;
    if (made.extent >= least && made.extent % unit_ == 0 && made.lb >= 0) return made;
    return resized_to(made, 0, least);
  }

  RandomDatatype resized_to(const RandomDatatype& child, MPI_Aint lb, MPI_Aint extent) {
    MPI_Datatype type;
    require(MPI_Type_create_resized(child.type.get(), lb, extent, &type));
    return owned(type, "resized(" + std::to_string(lb) + "," + std::to_string(extent) + "," +
                           child.text + ")");
  }

  RandomDatatype resized(const RandomDatatype& child) {
    if (!for_files()) return resized_to(child, pick(-20, 20), pick(-30, 90));
    const MPI_Aint least = (child.true_extent + unit_ - 1) / unit_;
    return resized_to(child, pick(0, 2) * unit_, (least + pick(0, 4)) * unit_);
  }

  RandomDatatype duplicate(const RandomDatatype& child) {
    MPI_Datatype type;
    require(MPI_Type_dup(child.type.get(), &type));
    return owned(type, "dup(" + child.text + ")");
  }

  RandomDatatype contiguous(const RandomDatatype& child) {
    const int count = pick(0, 4);
    MPI_Datatype type;
    require(MPI_Type_contiguous(count, child.type.get(), &type));
    return owned(type, "contiguous(" + std::to_string(count) + "," + child.text + ")");
  }

  RandomDatatype vector(const RandomDatatype& child) {
    const int count = pick(0, 4);
    const int length = pick(0, 3);
    const int stride = for_files() ? length + pick(0, 3) : pick(-4, 6);
    if (stride * child.extent == -1) return contiguous(child);  // as stride_in_bytes()
    MPI_Datatype type;
    require(MPI_Type_vector(count, length, stride, child.type.get(), &type));
    return owned(type, "vector(" + list<int>({count, length, stride}) + "," + child.text + ")");
  }

  /// Any but -1, which Open MPI 4.1.4 takes for contiguous.
  MPI_Aint stride_in_bytes() {
    const MPI_Aint stride = pick(-40, 90);
    return stride < 0 ? stride - 1 : stride;
  }

  RandomDatatype hvector(const RandomDatatype& child) {
    const int count = pick(0, 4);
    const int length = pick(0, 3);
    const MPI_Aint stride =
        for_files() ? length * child.extent + pick(0, 3) * unit_ : stride_in_bytes();
    MPI_Datatype type;
    require(MPI_Type_create_hvector(count, length, stride, child.type.get(), &type));
    return owned(type,
                 "hvector(" + list<MPI_Aint>({count, length, stride}) + "," + child.text + ")");
  }

  struct BlockList {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<int> narrow() const { return {displacements.begin(), displacements.end()}; }
    int count() const { return static_cast<int>(lengths.size()); }
    std::string text() const { return list(lengths) + "," + list(displacements); }
  };

  /// `element`: what one copy takes, in the unit of the displacements; `gap`: what the distances
  /// between the blocks of a filetype are a multiple of. length < 0: each block its own.
  BlockList blocks(MPI_Aint element, MPI_Aint gap, int length = -1) {
    BlockList made;
    MPI_Aint next = 0;
    for (std::int64_t i = pick(0, 5); i > 0; --i) {
      made.lengths.push_back(length < 0 ? pick(0, 3) : length);
      made.displacements.push_back(for_files() ? next + pick(0, 3) * gap : pick(-8, 12) * gap);
      next = made.displacements.back() + made.lengths.back() * element;
    }
    return made;
  }

  /// Bytes between blocks: multiples of the base in a filetype, any number else.
  MPI_Aint byte_gap() { return for_files() ? unit_ : pick(1, 9); }

  RandomDatatype indexed(const RandomDatatype& child) {
    const BlockList list = blocks(1, 1);
    MPI_Datatype type;
    require(MPI_Type_indexed(list.count(), list.lengths.data(), list.narrow().data(),
                             child.type.get(), &type));
    return owned(type, "indexed(" + list.text() + "," + child.text + ")");
  }

  RandomDatatype hindexed(const RandomDatatype& child) {
    const BlockList list = blocks(child.extent, byte_gap());
    MPI_Datatype type;
    require(MPI_Type_create_hindexed(list.count(), list.lengths.data(), list.displacements.data(),
                                     child.type.get(), &type));
    return owned(type, "hindexed(" + list.text() + "," + child.text + ")");
  }

  RandomDatatype indexed_block(const RandomDatatype& child) {
    const int length = pick(0, 3);
    const BlockList list = blocks(1, 1, length);
    MPI_Datatype type;
    require(MPI_Type_create_indexed_block(list.count(), length, list.narrow().data(),
                                          child.type.get(), &type));
    return owned(type, "indexed_block(" + list.text() + "," + child.text + ")");
  }

  RandomDatatype hindexed_block(const RandomDatatype& child) {
    const int length = pick(0, 3);
    const BlockList list = blocks(child.extent, byte_gap(), length);
    MPI_Datatype type;
    require(MPI_Type_create_hindexed_block(list.count(), length, list.displacements.data(),
                                           child.type.get(), &type));
    return owned(type, "hindexed_block(" + list.text() + "," + child.text + ")");
  }

  /// Elements of arrays in turns, as many as no other kind here has: Headrace looks for them in
  /// long lists only. In filetypes they ascend: arrays of elements farther apart lie behind the
  /// others.
  RandomDatatype interleaved(const RandomDatatype& child) {
    const MPI_Aint arrays = pick(16, 40);
    const MPI_Aint turns = pick(300, 400) / arrays;
    const MPI_Aint gap = for_files() ? child.extent : pick(1, 9);
    BlockList list;
    std::vector<MPI_Aint> firsts, strides;
    const MPI_Aint farther_from = pick(0, arrays);
    for (MPI_Aint array = 0; array < arrays; ++array) {
      firsts.push_back((for_files() ? 2 * array : pick(-99, 99)) * gap);
      const MPI_Aint longer = array < farther_from ? 0 : 1;
      strides.push_back((for_files() ? 2 * arrays + turns + longer : pick(-3, 9)) * gap);
    }
    for (MPI_Aint i = 0; i < arrays * turns; ++i) {
      list.lengths.push_back(1);
      list.displacements.push_back(firsts[i % arrays] + i / arrays * strides[i % arrays]);
    }
    MPI_Datatype type;
    require(MPI_Type_create_hindexed(list.count(), list.lengths.data(), list.displacements.data(),
                                     child.type.get(), &type));
    return owned(type, "interleaved(" + RandomDatatypes::list(firsts) +
                           RandomDatatypes::list(strides) + "," + std::to_string(turns) + "," +
                           child.text + ")");
  }

  /// The least displacement at which the data of `child` begins at `end` or later.
  MPI_Aint displacement_behind(MPI_Aint end, const RandomDatatype& child) const {
    const MPI_Aint least = std::max<MPI_Aint>(0, end - child.true_lb);
    return (least + unit_ - 1) / unit_ * unit_;
  }

  RandomDatatype structure(int depth) {
    BlockList list;
    std::vector<MPI_Datatype> types;
    std::vector<RandomDatatype> children;
    std::string text = "struct(";
    MPI_Aint end = 0;
    for (std::int64_t i = pick(0, 4); i > 0; --i) {
      RandomDatatype& child = children.emplace_back(nested(depth - 1));
      // Packing a struct with a member of no bytes, MPICH 4.0.2 may divide by zero, and Open MPI
      // 4.1.4 contradicts its own extent.
      if (child.size == 0) child = leaf();
      const int length = pick(0, 2);
      const MPI_Aint displacement =
          for_files() ? displacement_behind(end, child) + pick(0, 2) * unit_ : pick(-60, 150);
      if (length > 0 && child.size > 0)
        end = displacement + (length - 1) * child.extent + child.true_lb + child.true_extent;
      list.lengths.push_back(length);
      list.displacements.push_back(displacement);
      types.push_back(child.type.get());
      text += child.text + ",";
    }
    MPI_Datatype type;
    require(MPI_Type_create_struct(list.count(), list.lengths.data(), list.displacements.data(),
                                   types.data(), &type));
    return owned(type, text + list.text() + ")");
  }

  int random_order() { return pick(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

  RandomDatatype subarray(const RandomDatatype& child) {
    std::vector<int> sizes, subsizes, starts;
    for (std::int64_t d = pick(1, 3); d > 0; --d) {
      sizes.push_back(pick(1, 5));
      subsizes.push_back(pick(1, sizes.back()));
      starts.push_back(pick(0, sizes.back() - subsizes.back()));
    }
    const int order = random_order();
    MPI_Datatype type;
    require(MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), subsizes.data(),
                                     starts.data(), order, child.type.get(), &type));
    return owned(type, "subarray(" + list(sizes) + list(subsizes) + list(starts) +
                           (order == MPI_ORDER_C ? ",C," : ",Fortran,") + child.text + ")");
  }

  RandomDatatype darray(const RandomDatatype& child) {
    // Open MPI 4.1.4 refuses a distributed array of nothing: MPI_ERR_TYPE.
    if (child.size == 0) return subarray(child);
    std::vector<int> sizes, distributions, arguments, processes;
    int all = 1;
    std::string text = "darray(";
    for (std::int64_t d = pick(1, 3); d > 0; --d) {
      const std::int64_t kind = pick(0, 2);
      sizes.push_back(pick(1, 7));
      processes.push_back(kind == 0 ? 1 : pick(1, 3));
      all *= processes.back();
      const int least = kind == 1 ? (sizes.back() + processes.back() - 1) / processes.back() : 1;
      arguments.push_back(kind == 0 || pick(0, 1) ? MPI_DISTRIBUTE_DFLT_DARG : least + pick(0, 2));
      distributions.push_back(kind == 0   ? MPI_DISTRIBUTE_NONE
                              : kind == 1 ? MPI_DISTRIBUTE_BLOCK
                                          : MPI_DISTRIBUTE_CYCLIC);
      text += kind == 0 ? "none," : kind == 1 ? "block," : "cyclic,";
    }
    const int rank = pick(0, all - 1);
    const int order = random_order();
    MPI_Datatype type;
    require(MPI_Type_create_darray(all, rank, static_cast<int>(sizes.size()), sizes.data(),
                                   distributions.data(), arguments.data(), processes.data(), order,
                                   child.type.get(), &type));
    return owned(type, text + "rank " + std::to_string(rank) + "," + list(sizes) + list(arguments) +
                           list(processes) + (order == MPI_ORDER_C ? ",C," : ",Fortran,") +
                           child.text + ")");
  }

  std::mt19937_64 random_;
  Shapes shapes_;
  MPI_Datatype base_;
  MPI_Aint unit_;
  bool descends_ = false;
};

}  // namespace headrace::test
