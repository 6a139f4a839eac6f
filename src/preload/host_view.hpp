// The view that the host MPI is given in place of the program's own.
//
// Hosts err with filetypes that MPI allows (ROMIO refuses a negative lower bound, divides by zero,
// loses the file pointer) and flatten every filetype each time that a view is set, which takes as
// long as Headrace's whole call where blocks are small, and all memory for one of 10^9 blocks
// (mpich #2182). So the host gets the plainest view of the same meaning, when it needs it, or
// never: until then it keeps what it has, and Headrace serves what depends on the view.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "mpi/datatype_handle.hpp"
#include "mpi/view.hpp"

namespace headrace::preload {

/// Filetypes of more blocks are not given to the host, which needs 16 bytes and more for each, and
/// time in proportion at every call.
constexpr std::int64_t most_blocks_for_host = std::int64_t{1} << 22;
/// Filetypes of more blocks are not given to the host where Headrace can make the call itself.
constexpr std::int64_t most_blocks_at_once = 64;

/// What MPI_File_set_view was called with. The datatypes are the program's.
struct ViewArguments {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_BYTE;
  MPI_Datatype filetype = MPI_BYTE;
  const char* representation = "native";
};

/// Ascending, so that the least of all ranks is what all ranks must do.
enum class HostViewForm : int {
  as_is,     ///< not for Headrace to judge: the host takes it or reports its own error
  withheld,  ///< never given
  deferred,  ///< not given until a call needs the host to have it
  plain      ///< given: the same bytes in the same order
};

/// Whether the host is not given the view, as yet.
constexpr bool lacks_view(HostViewForm form) {
  return form == HostViewForm::withheld || form == HostViewForm::deferred;
}

/// Of as_is, withheld and deferred, what suits the view. `view`: the arguments, decoded if they
/// could be. Errors of MPI stay on `comm`, which must return them.
HostViewForm wanted_form(const ViewArguments& arguments, const std::optional<mpi::View>& view,
                         MPI_Comm comm);

/// Whether this is the view that files are opened with, or does the same.
bool is_default(const mpi::View& view);

/// The view for the host; the datatypes are borrowed where they are the program's own.
struct HostView {
  MPI_Offset displacement = 0;
  mpi::DatatypeHandle etype;
  mpi::DatatypeHandle filetype;
};

/// In the form as_is or plain, as far as it needs it: a view of predefined datatypes stays as it
/// is, and so does one whose replacement MPI cannot make. `view` is not none unless the form is
/// as_is.
HostView host_view(const ViewArguments& arguments, const std::optional<mpi::View>& view,
                   HostViewForm form);

bool is_default(const HostView& view);

/// A view as the program set it, for MPI_File_get_view. Of a filetype of many blocks no duplicate
/// is kept, as it takes Open MPI 64 bytes a block: when it is asked for, one of the same type map
/// is made, which is what MPI wants (MPI 4.0, section 14.3).
class ProgramView {
 public:
  /// `view`: the arguments, decoded. The datatypes may be freed afterwards.
  ProgramView(const ViewArguments& arguments, const mpi::View& view);

  /// Becomes the view of these arguments if they differ in the displacement alone; whether they do.
  /// Precondition: the filetype is the same.
  bool move_to(const ViewArguments& arguments);

  /// As MPI_File_get_view. Returns its code.
  int get(MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
          char* representation) const;

  /// The same bytes in the same order as `view`, this one decoded, for a host that has had another.
  /// For as long as the object lives. Without a filetype if MPI cannot make one.
  HostView plain_for_host(const mpi::View& view);

  const char* representation() const { return representation_.c_str(); }

 private:
  bool is_costly(const mpi::View& view) const;
  mpi::DatatypeHandle filetype() const;
  ViewArguments arguments() const;

  MPI_Offset displacement_;
  mpi::DatatypeHandle etype_;
  mpi::DatatypeHandle filetype_;     // none of a costly view, until the host needs it
  std::optional<mpi::View> costly_;  // if it is one
  std::string representation_;
};

}  // namespace headrace::preload
