// The messenger over MPI keeps the contract, on the ranks of MPI_COMM_WORLD.
#include "transport/mpi/mpi_messenger.hpp"

#include <mpi.h>

#include "contract/transport/messenger_contract.hpp"
#include "mpi/duplicate.hpp"

namespace headrace::test {
namespace {

/// The ranks of `comm` in nodes of `per_node`.
void run_over(MPI_Comm comm, int per_node, const std::function<void(MessengerRank)>& body) {
  int rank = 0;
  int size = 0;
  ASSERT_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  ASSERT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  const bool leads = rank % per_node == 0;
  const mpi::CommHandle own = mpi::duplicate(comm);
  ASSERT_TRUE(own);
  mpi::CommHandle leaders;
  ASSERT_EQ(MPI_Comm_split(comm, leads ? 0 : MPI_UNDEFINED, rank, leaders.out()), MPI_SUCCESS);
  auto messenger = transport::make_mpi_messenger(own.get(), std::move(leaders));
  ASSERT_TRUE(messenger.ok()) << messenger.status().message();
  body({**messenger, leads, (size + per_node - 1) / per_node});
  EXPECT_TRUE((*messenger)->failure().ok()) << (*messenger)->failure().message();
}

MessengerWorld mpi_world(int per_node) {
  return {"nodes_of_" + std::to_string(per_node),
          [=](const auto& body) { run_over(MPI_COMM_WORLD, per_node, body); }};
}

INSTANTIATE_TEST_SUITE_P(Mpi, MessengerContract, testing::Values(mpi_world(1), mpi_world(2)),
                         messenger_world_name);

TEST(MpiMessenger, a_failure_of_mpi_is_reported_and_finishes_what_follows) {
  const mpi::CommHandle comm = mpi::duplicate(MPI_COMM_WORLD);
  ASSERT_TRUE(comm);
  auto made = transport::make_mpi_messenger(comm.get(), {});
  ASSERT_TRUE(made.ok());
  transport::Messenger& messenger = **made;
  const auto nowhere = messenger.send(messenger.size(), 0, {});
  EXPECT_FALSE(messenger.failure().ok());
  EXPECT_TRUE(messenger.finished(nowhere));
  EXPECT_FALSE(messenger.probe(0));
  EXPECT_TRUE(messenger.finished(messenger.send(messenger.rank(), 0, {})));
}

// MPICH can number 2,048 communicators at a time.
TEST(MpiMessenger, opening_and_closing_leaks_no_communicator) {
  for (int i = 0; i < 1'500; ++i) run_over(MPI_COMM_SELF, 1, [](MessengerRank) {});
}

}  // namespace
}  // namespace headrace::test
