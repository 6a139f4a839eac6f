// One random case: a file opened by some ranks, several collective calls on it, each compared with
// the model, and closed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "calls.hpp"
#include "file_model.hpp"
#include "participant.hpp"
#include "settings.hpp"
#include "world.hpp"

namespace headrace::test {

/// How many ranks the case `number` needs in a world of `world_size`.
int ranks_of_case(const Settings& settings, std::int64_t number, int world_size);

/// What the program is doing, for those who have to be told when it hangs or crashes.
extern char now_running[512];

class RandomCase {
 public:
  RandomCase(const Settings& settings, const Group& group, int world_size, std::int64_t number);

  /// Returns how many mismatches this rank saw. Stops the program at the first one, unless told to
  /// keep going.
  int run();

 private:
  void prepare_file();
  void open();
  void set_view();
  void step();
  void write(const CallForm& form);
  void read(const CallForm& form);
  void finish();
  void wait_for_the_file();
  void check_file(const char* when);
  void check_read(const Bytes& before, const Bytes& after);
  void check_count(const MPI_Status& status, std::int64_t bytes);
  void check_position();
  std::int64_t bytes_before_end(const Access& access) const;
  MPI_Status call(const CallForm& form, Bytes& buffer);
  void announce(const std::string& activity);
  void mismatch(const std::string& text);

  bool is_root() const { return group_.rank == 0; }
  Participant& self() { return participants_.front(); }

  const Settings& settings_;
  const Group& group_;
  int world_size_;
  std::int64_t number_;
  Random random_;  ///< the same on all ranks
  /// Rank 0 plays every rank's part, to know what the file must hold; the others their own.
  std::vector<Participant> participants_;
  FileModel model_;
  MPI_File file_ = MPI_FILE_NULL;
  bool may_write_ = true;
  bool may_read_ = true;
  int step_ = 0;
  int mismatches_ = 0;
  std::string activity_;
};

}  // namespace headrace::test
