// Headrace's own small collective calls, on communicators of 1 to all ranks of the world, and what
// messages they take.
#include "mpi/collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>

#include "mpi/broadcast.hpp"
#include "mpi/handles.hpp"

static int messages_sent = 0;

// As a tool would, in front of the library.
extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int destination, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  ++messages_sent;
  return PMPI_Isend(buffer, count, type, destination, tag, comm, request);
}

namespace headrace::mpi {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  EXPECT_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  return size;
}

/// Calls `body` with communicators of the last 1, 2, 3, ... ranks of the world.
template <class Body>
void on_communicators_of_all_sizes(Body body) {
  const int world = size_of(MPI_COMM_WORLD);
  for (int size = 1; size <= world; ++size) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    const int rank = rank_in(MPI_COMM_WORLD);
    CommHandle some;
    ASSERT_EQ(
        MPI_Comm_split(MPI_COMM_WORLD, rank >= world - size ? 0 : MPI_UNDEFINED, rank, some.out()),
        MPI_SUCCESS);
    if (some) body(some.get());
  }
}

TEST(Collectives, gather_all_gives_everybodys_in_rank_order) {
  struct Odd {
    int rank;
    char filled[30'001];  // more than MPIs send before they are asked for it
  };
  on_communicators_of_all_sizes([](MPI_Comm comm) {
    Odd mine{rank_in(comm), {}};
    std::ranges::fill(mine.filled, static_cast<char>('a' + mine.rank));
    const auto all = gather_all(mine, comm);
    ASSERT_TRUE(all.ok()) << all.status().message();
    ASSERT_EQ(std::ssize(*all), size_of(comm));
    for (int rank = 0; rank < std::ssize(*all); ++rank) {
      const Odd& its = (*all)[rank];
      EXPECT_EQ(its.rank, rank);
      EXPECT_EQ(std::ranges::count(its.filled, 'a' + rank), std::ssize(its.filled));
    }
  });
}

TEST(Collectives, minima_are_those_of_each_place) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  on_communicators_of_all_sizes([](MPI_Comm comm) {
    const int last = size_of(comm) - 1;
    for (int owner = 0; owner <= last; ++owner) {
      const int rank = rank_in(comm);
      std::array<std::int64_t, 4> values{rank, -rank, rank == owner ? least : 0,
                                         rank == owner ? 7 : 8};
      ASSERT_TRUE(minima(values, comm).ok());
      EXPECT_EQ(values, (std::array<std::int64_t, 4>{0, -last, least, 7}));
    }
  });
}

TEST(Collectives, broadcast_gives_rank_0s_text_whatever_its_length) {
  on_communicators_of_all_sizes([](MPI_Comm comm) {
    for (const int length : {0, 1, 2'039, 2'040, 2'041, 300'000}) {
      const std::string text(length, 'x');
      std::string mine = rank_in(comm) == 0 ? text : "something else, not empty";
      ASSERT_TRUE(broadcast(comm, mine).ok());
      EXPECT_EQ(mine, text);
    }
  });
}

TEST(Collectives, a_minimum_is_less_if_one_says_so) {
  on_communicators_of_all_sizes([](MPI_Comm comm) {
    EXPECT_EQ(*minimum(1, comm), 1);
    for (int other = 0; other < size_of(comm); ++other)
      EXPECT_EQ(*minimum(rank_in(comm) != other ? 1 : 0, comm), 0);
  });
}

int messages_of_all(MPI_Comm comm, int own) {
  int all = 0;
  EXPECT_EQ(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  return all;
}

// MPI libraries make of one MPI_Iallgather as many messages as there are pairs of ranks.
TEST(Collectives, there_are_two_messages_a_rank_and_few_of_one_rank) {
  on_communicators_of_all_sizes([](MPI_Comm comm) {
    const int size = size_of(comm);
    messages_sent = 0;
    ASSERT_TRUE(gather_all(messages_sent, comm).ok());
    EXPECT_LE(messages_sent, 1 + std::bit_width(static_cast<unsigned>(size)));
    EXPECT_EQ(messages_of_all(comm, messages_sent), 2 * (size - 1));
  });
}

TEST(Collectives, a_failure_of_mpi_is_told) {
  ASSERT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
  EXPECT_FALSE(minimum(1, MPI_COMM_NULL).ok());
  ASSERT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
}

}  // namespace
}  // namespace headrace::mpi
