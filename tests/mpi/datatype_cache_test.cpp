// The cache on the datatype: hits, lifetimes, threads, MPI_Finalize.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "mpi/datatype.hpp"
#include "mpi/datatype_handle.hpp"
#include "mpi/errors.hpp"

namespace headrace::mpi {
namespace {

DatatypeHandle strided(int count) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_vector(count, 1, 2, MPI_INT, &type), MPI_SUCCESS);
  return DatatypeHandle::owned(type);
}

/// Within MPI_Finalize, after the cache has closed: decoding and freeing must still work.
int use_a_datatype_late(MPI_Comm, int, void* value, void*) {
  MPI_Datatype early = *static_cast<MPI_Datatype*>(value);
  const bool decodes = decode(early).ok() && (*decode(early))->size == 12;
  if (!decodes || MPI_Type_free(&early) != MPI_SUCCESS) {
    std::fprintf(stderr, "a datatype could not be used within MPI_Finalize\n");
    std::abort();
  }
  return MPI_SUCCESS;
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF last set, first deleted; this one is older
/// than the cache's own.
class LateUse : public testing::Environment {
 public:
  void SetUp() override {
    static MPI_Datatype early = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_vector(3, 1, 2, MPI_INT, &early), MPI_SUCCESS);
    int keyval = MPI_KEYVAL_INVALID;
    ASSERT_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_a_datatype_late, &keyval, nullptr),
              MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &early), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
    ASSERT_TRUE(decode(early).ok());
  }
};
[[maybe_unused]] const testing::Environment* const late_use =
    testing::AddGlobalTestEnvironment(new LateUse);

TEST(DatatypeCache, a_second_decode_gives_the_same_pointer) {
  const DatatypeHandle type = strided(3);
  EXPECT_EQ(*decode(type.get()), *decode(type.get()));
}

TEST(DatatypeCache, a_duplicate_shares_what_was_decoded) {
  DatatypeHandle type = strided(3);
  const DatatypePtr first = *decode(type.get());
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(type.get(), &copy), MPI_SUCCESS);
  const DatatypeHandle owner = DatatypeHandle::owned(copy);
  { const DatatypeHandle freed = std::move(type); }
  EXPECT_EQ(*decode(copy), first);
}

TEST(DatatypeCache, freeing_the_datatype_drops_the_reference) {
  DatatypePtr kept;
  {
    const DatatypeHandle type = strided(3);
    kept = *decode(type.get());
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(kept->size, 12);
}

TEST(DatatypeCache, inner_types_may_be_freed_before_their_outer_type_is_decoded) {
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  {
    const DatatypeHandle inner = strided(3);
    ASSERT_EQ(MPI_Type_create_hvector(2, 1, 100, inner.get(), &outer), MPI_SUCCESS);
  }
  const DatatypeHandle owner = DatatypeHandle::owned(outer);
  EXPECT_EQ((*decode(outer))->size, 24);
  EXPECT_EQ((*decode(outer))->true_extent, 120);
}

TEST(DatatypeCache, a_datatype_that_is_never_freed_survives_mpi_finalize) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(3, 1, 2, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_TRUE(decode(type).ok());
}

std::int64_t resident_bytes() {
  std::int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void decode_and_free(int times) {
  for (int i = 0; i < times; ++i) {
    const DatatypeHandle inner = strided(3);
    MPI_Datatype outer = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_create_hvector(2, 2, 100, inner.get(), &outer), MPI_SUCCESS);
    const DatatypeHandle owner = DatatypeHandle::owned(outer);
    ASSERT_TRUE(decode(outer).ok());
    ASSERT_TRUE(decode(MPI_DOUBLE_INT).ok());
  }
}

TEST(DatatypeCache, decoding_and_freeing_for_ever_needs_no_more_memory) {
  decode_and_free(10000);
  const std::int64_t before = resident_bytes();
  decode_and_free(100000);
  EXPECT_LT(resident_bytes() - before, 4 << 20);
}

TEST(DatatypeCache, threads_that_decode_at_once_get_the_same_pointer) {
  int level = MPI_THREAD_SINGLE;
  ASSERT_EQ(MPI_Query_thread(&level), MPI_SUCCESS);
  if (level != MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
  for (int round = 0; round < 200; ++round) {
    const DatatypeHandle type = strided(100 + round);
    std::vector<DatatypePtr> seen(4);
    std::vector<std::thread> threads;
    for (DatatypePtr& mine : seen) threads.emplace_back([&] { mine = *decode(type.get()); });
    for (std::thread& thread : threads) thread.join();
    for (const DatatypePtr& one : seen) ASSERT_EQ(one, *decode(type.get()));
  }
}

TEST(Errors, every_class_survives_the_way_through_mpi) {
  for (int i = 0; i <= static_cast<int>(ErrorClass::no_space); ++i) {
    const auto error_class = static_cast<ErrorClass>(i);
    EXPECT_EQ(status_of_mpi(mpi_error_class(error_class), "a call").error_class(), error_class);
  }
  EXPECT_EQ(mpi_error_class(ErrorClass::no_space), MPI_ERR_NO_SPACE);
  EXPECT_EQ(status_of_mpi(MPI_ERR_TRUNCATE, "a call").error_class(), ErrorClass::other);
  EXPECT_EQ(status_of_mpi(MPI_ERR_IO, "a call").message().rfind("a call: ", 0), 0u);
}

}  // namespace
}  // namespace headrace::mpi
