// Which bytes a call touches, through a view and in memory.
#include "mpi/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/datatype_handle.hpp"
#include "mpi/large_count.hpp"
#include "support/layout_nodes.hpp"
#include "support/packed_offsets.hpp"
#include "support/random_datatype.hpp"

namespace headrace::mpi {
namespace {

using test::Offsets;
using test::walked_offsets;

Offsets range(std::int64_t begin, std::int64_t end) {
  Offsets offsets;
  for (; begin < end; ++begin) offsets.push_back(begin);
  return offsets;
}

/// One int of every three, from byte `displacement` on.
View every_third_int(std::int64_t displacement) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_create_resized(MPI_INT, 0, 12, &type), MPI_SUCCESS);
  const DatatypeHandle owner = DatatypeHandle::owned(type);
  return {displacement, 4, *decode(type)};
}

TEST(View, the_default_view_is_the_bytes_of_the_file) {
  const Result<plan::Pattern> pattern = file_pattern(default_view(), 100, 50);
  ASSERT_TRUE(pattern.ok());
  EXPECT_TRUE((*pattern).is_contiguous());
  EXPECT_EQ(walked_offsets(*pattern), range(100, 150));
}

TEST(View, tiles_follow_each_other_from_the_displacement) {
  const Result<plan::Pattern> pattern = file_pattern(every_third_int(7), 2, 6);
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(walked_offsets(*pattern), (Offsets{31, 32, 33, 34, 43, 44}));
}

TEST(View, random_views_are_parts_of_the_filetype_written_out) {
  for (unsigned seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    test::RandomDatatypes random(seed, test::Shapes::filetypes, MPI_SHORT);
    const test::RandomDatatype made = random.make(3);
    if (made.size == 0) continue;
    SCOPED_TRACE(std::to_string(seed) + ": " + made.text);
    const View view{random.pick(0, 100), 2, *decode(made.type.get())};
    const std::int64_t etype_offset = random.pick(0, 3 * made.size / 2);
    const std::int64_t bytes = random.pick(0, 2 * made.size);

    Offsets all = test::packed_offsets(made.type.get(), 6);
    for (std::int64_t& offset : all) offset += view.displacement;
    const auto begin = all.begin() + 2 * etype_offset;
    Result<plan::Pattern> pattern = file_pattern(view, etype_offset, bytes);
    ASSERT_TRUE(pattern.ok());
    EXPECT_TRUE(pattern->monotone());
    EXPECT_EQ(walked_offsets(*pattern), Offsets(begin, begin + bytes));
    for (std::int64_t offset = 0; offset < all.back(); offset += random.pick(1, 20))
      ASSERT_EQ(bytes_below(view, offset),
                std::lower_bound(all.begin(), all.end(), offset) - all.begin());
  }
}

TEST(View, a_terabyte_far_out_in_the_file_costs_two_nodes) {
  constexpr std::int64_t etypes = std::int64_t{1} << 58;
  constexpr std::int64_t bytes = std::int64_t{1} << 40;
  Result<plan::Pattern> pattern = file_pattern(every_third_int(0), etypes, bytes);
  ASSERT_TRUE(pattern.ok());
  EXPECT_EQ(pattern->size(), bytes);
  EXPECT_EQ(pattern->span().begin, etypes * 12);
  EXPECT_LE(test::node_count(pattern->layout()), 2);
}

TEST(View, offsets_beyond_64_bits_are_an_error) {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  EXPECT_TRUE(file_pattern(default_view(), far, std::int64_t{1} << 40).ok());
  EXPECT_FALSE(file_pattern(every_third_int(0), far, 4).ok());
  EXPECT_FALSE(file_pattern(every_third_int(0), far / 4, 4).ok());
  View displaced = default_view();
  displaced.displacement = far;
  EXPECT_FALSE(file_pattern(displaced, far, 1).ok());
  EXPECT_FALSE(memory_pattern(**decode(MPI_DOUBLE_INT), far).ok());
}

TEST(View, a_filetype_of_no_bytes_gives_no_bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(0, MPI_INT, &type), MPI_SUCCESS);
  const DatatypeHandle owner = DatatypeHandle::owned(type);
  const View view{0, 4, *decode(type)};
  EXPECT_TRUE((*file_pattern(view, 0, 0)).empty());
  EXPECT_FALSE(file_pattern(view, 0, 4).ok());
  EXPECT_TRUE((*memory_pattern(*view.filetype, 1000)).empty());
}

TEST(View, memory_is_copies_at_the_extent) {
  EXPECT_EQ(walked_offsets(*memory_pattern(**decode(MPI_SHORT_INT), 2)),
            (Offsets{0, 1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15}));
  EXPECT_TRUE((*memory_pattern(**decode(MPI_INT), 0)).empty());
  const auto huge = memory_pattern(**decode(MPI_DOUBLE), std::int64_t{1} << 37);
  EXPECT_TRUE((*huge).is_contiguous());
  EXPECT_EQ((*huge).size(), std::int64_t{1} << 40);
}

TEST(View, a_status_tells_bytes_beyond_int) {
  MPI_Status status{};
  ASSERT_TRUE(set_status_bytes(status, std::int64_t{1} << 40).ok());
  MPI_Count elements = 0;
  ASSERT_EQ(MPI_Get_elements_x(&status, MPI_DOUBLE, &elements), MPI_SUCCESS);
  EXPECT_EQ(elements, MPI_Count{1} << 37);
}

}  // namespace
}  // namespace headrace::mpi
