#include "mpi/plain_type.hpp"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/errors.hpp"
#include "plan/pattern.hpp"

namespace headrace::mpi {
namespace {

using plan::BlockList;
using plan::Contiguous;
using plan::Interleaved;
using plan::LayoutPtr;
using plan::Repeat;
using plan::Sequence;
using Made = Result<DatatypeHandle>;

Made owned(int code, MPI_Datatype type, const char* what) {
  if (code != MPI_SUCCESS) return status_of_mpi(code, what);
  return DatatypeHandle::owned(type);
}

bool fits(std::int64_t number) {
  return number <= std::numeric_limits<int>::max();
}

Made too_long() {
  return Status(ErrorClass::other, "more than 2^31 of something in one datatype, or part of one");
}

/// The layout's zero at `offset`, of as few datatypes in each other as there can be: who asks MPI
/// what one was made of gets copies of those in it (Open MPI makes them anew, each time).
Made type_of(const LayoutPtr& layout, MPI_Aint offset, const Unit& unit);

/// `type` moved by `offset`.
Made moved(Made type, MPI_Aint offset) {
  if (!type.ok() || offset == 0) return type;
  const int one = 1;
  MPI_Datatype result = MPI_DATATYPE_NULL;
  const int code = MPI_Type_create_hindexed(1, &one, &offset, type->get(), &result);
  return owned(code, result, "MPI_Type_create_hindexed");
}

std::vector<MPI_Aint> moved(const std::vector<std::int64_t>& offsets, MPI_Aint by) {
  std::vector<MPI_Aint> moved(offsets.begin(), offsets.end());
  for (MPI_Aint& offset : moved) offset += by;
  return moved;
}

/// How many units `bytes` bytes are; nothing where they are a broken number, or too many.
std::optional<int> units_in(std::int64_t bytes, const Unit& unit) {
  if (bytes % unit.bytes != 0 || !fits(bytes / unit.bytes)) return std::nullopt;
  return static_cast<int>(bytes / unit.bytes);
}

Made type_of_node(const Contiguous& node, MPI_Aint offset, const Unit& unit) {
  const std::optional<int> units = units_in(node.length, unit);
  if (!units) return too_long();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = MPI_Type_contiguous(*units, unit.type, &type);
  return moved(owned(code, type, "MPI_Type_contiguous"), offset);
}

Made type_of_node(const Repeat& node, MPI_Aint offset, const Unit& unit) {
  if (!fits(node.count)) return too_long();
  Made child = type_of(node.child, 0, unit);
  if (!child.ok()) return child;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code =
      MPI_Type_create_hvector(static_cast<int>(node.count), 1, node.stride, child->get(), &type);
  return moved(owned(code, type, "MPI_Type_create_hvector"), offset);
}

/// Of `count` blocks. `for_each`(visit): visit(offset, length) for each of them.
template <class ForEach>
Made listed_type(std::int64_t count, const Unit& unit, ForEach for_each) {
  if (!fits(count)) return too_long();
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  lengths.reserve(static_cast<std::size_t>(count));
  offsets.reserve(static_cast<std::size_t>(count));
  bool has_long = false;
  for_each([&](std::int64_t offset, std::int64_t length) {
    const std::optional<int> units = units_in(length, unit);
    has_long |= !units;
    lengths.push_back(units.value_or(0));
    offsets.push_back(offset);
  });
  if (has_long) return too_long();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = MPI_Type_create_hindexed(static_cast<int>(count), lengths.data(), offsets.data(),
                                            unit.type, &type);
  return owned(code, type, "MPI_Type_create_hindexed");
}

Made type_of_node(const BlockList& node, MPI_Aint offset, const Unit& unit) {
  return listed_type(node.size(), unit, [&](auto visit) {
    node.for_each([&](std::int64_t block, std::int64_t length) { visit(offset + block, length); });
  });
}

/// MPI has no constructor for it.
Made type_of_node(const Interleaved& node, MPI_Aint offset, const Unit& unit) {
  return listed_type(node.block_count(), unit, [&](auto visit) {
    plan::WholeTurns{node, offset, 0, node.count}.for_each_piece(visit);
  });
}

Made type_of_node(const Sequence& node, MPI_Aint offset, const Unit& unit) {
  if (!fits(std::ssize(node.children))) return too_long();
  std::vector<DatatypeHandle> children;
  std::vector<MPI_Datatype> types;
  for (const LayoutPtr& child : node.children) {
    Made made = type_of(child, 0, unit);
    if (!made.ok()) return made;
    types.push_back(made->get());
    children.push_back(std::move(*made));
  }
  const std::vector<int> lengths(types.size(), 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(),
                                          moved(node.offsets, offset).data(), types.data(), &type);
  return owned(code, type, "MPI_Type_create_struct");
}

Made type_of(const LayoutPtr& layout, MPI_Aint offset, const Unit& unit) {
  return std::visit([&](const auto& node) { return type_of_node(node, offset, unit); },
                    layout->node());
}

Made committed(Made type) {
  if (!type.ok()) return type;
  MPI_Datatype handle = type->get();
  if (const int code = MPI_Type_commit(&handle); code != MPI_SUCCESS)
    return status_of_mpi(code, "MPI_Type_commit");
  return type;
}

}  // namespace

Result<DatatypeHandle> plain_type(const plan::PlacedLayout& layout, Bounds bounds,
                                  const Unit& unit) {
  Made data = type_of(layout.layout, layout.offset, unit);
  if (!data.ok()) return data.status();
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = MPI_Type_create_resized(data->get(), bounds.lb, bounds.extent, &type);
  return committed(owned(code, type, "MPI_Type_create_resized"));
}

Result<DatatypeHandle> plain_data(const plan::PlacedLayout& layout) {
  return committed(type_of(layout.layout, layout.offset, Unit()));
}

Result<DatatypeHandle> plain_bytes(std::int64_t count) {
  if (count == 1) return DatatypeHandle::borrowed(MPI_BYTE);
  return committed(type_of_node(Contiguous{count}, 0, Unit()));
}

}  // namespace headrace::mpi
