// From a layout back to a datatype.
#include "mpi/plain_type.hpp"

#include <gtest/gtest.h>

#include "mpi/datatype.hpp"
#include "mpi/duplicate.hpp"
#include "mpi/view.hpp"
#include "support/packed_offsets.hpp"
#include "support/random_datatype.hpp"

namespace headrace::mpi {
namespace {

using test::walked_offsets;

TEST(PlainType, has_the_bytes_of_the_datatype_it_came_from) {
  for (unsigned seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    test::RandomDatatypes random(seed, test::Shapes::filetypes, MPI_SHORT);
    const test::RandomDatatype made = random.make(3);
    if (made.size == 0) continue;
    SCOPED_TRACE(std::to_string(seed) + ": " + made.text);
    const DatatypePtr original = *decode(made.type.get());
    Result<DatatypeHandle> plain = plain_type(original->layout, {0, original->extent});
    ASSERT_TRUE(plain.ok()) << plain.status().message();
    EXPECT_TRUE(usable_in_communication(plain->get(), MPI_COMM_SELF));
    const DatatypePtr again = *decode(plain->get());
    EXPECT_EQ(again->lb, 0);
    EXPECT_EQ(again->extent, original->extent);
    EXPECT_EQ(walked_offsets(*memory_pattern(*again, 2)),
              walked_offsets(*memory_pattern(*original, 2)));
    EXPECT_EQ(test::packed_offsets(plain->get(), 2), walked_offsets(*memory_pattern(*original, 2)));
    Result<DatatypeHandle> data = plain_data(original->layout);
    ASSERT_TRUE(data.ok()) << data.status().message();
    EXPECT_EQ(test::packed_offsets(data->get(), 1), walked_offsets(*memory_pattern(*original, 1)));
  }
}

TEST(PlainType, is_as_compact_as_the_layout) {
  const plan::PlacedLayout rows = plan::repeat(plan::contiguous(8), 1'000'000'000, 4096);
  Result<DatatypeHandle> plain = plain_type(rows, {0, 1'000'000'000LL * 4096});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ((*decode(plain->get()))->layout.layout->block_count(), 1'000'000'000);
}

TEST(PlainType, what_does_not_fit_in_an_int_is_an_error) {
  const plan::PlacedLayout long_blocks = plan::repeat(plan::contiguous(5LL << 30), 2, 6LL << 30);
  EXPECT_FALSE(plain_type(long_blocks, {0, 12LL << 30}).ok());
}

}  // namespace
}  // namespace headrace::mpi
