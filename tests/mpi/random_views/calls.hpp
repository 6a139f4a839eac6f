// The forms of a collective read or write, behind one function.
#pragma once

#include <mpi.h>

#include <string>

#include "support/random.hpp"

namespace headrace::test {

struct CallForm {
  bool write = false;
  bool explicit_offset = false;
  bool split = false;
  bool large_count = false;  ///< MPI 4's _c functions
};

CallForm random_form(Random& random, bool may_write, bool may_read);

/// "MPI_File_write_at_all_c", "MPI_File_read_all_begin/end"
std::string name_of(const CallForm& form);

/// Returns the first error code. `offset` counts where the form has an explicit offset.
int make_call(const CallForm& form, MPI_File file, MPI_Offset offset, void* buffer, int count,
              MPI_Datatype type, MPI_Status* status);

}  // namespace headrace::test
