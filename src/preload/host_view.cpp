#include "preload/host_view.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "mpi/duplicate.hpp"
#include "mpi/plain_type.hpp"
#include "mpi/type_contents.hpp"

namespace headrace::preload {
namespace {

using mpi::DatatypeHandle;
using mpi::View;

bool is_native(const char* representation) {
  return representation != nullptr && std::string_view(representation) == "native";
}

/// Whether MPI allows the view for reading and writing alike.
bool is_legal(const View& view) {
  const mpi::Datatype& tile = *view.filetype;
  return tile.size > 0 && tile.size % view.etype_size == 0 && tile.layout.layout->monotone() &&
         tile.extent >= tile.true_extent && view.displacement >= 0 &&
         view.displacement + tile.true_lb >= 0;
}

/// Views of predefined datatypes, which hosts get right and have short cuts for.
bool is_simple(const ViewArguments& arguments) {
  if (arguments.filetype == MPI_DATATYPE_NULL) return false;
  const Result<bool> etype = mpi::is_predefined(arguments.etype);
  const Result<bool> filetype = mpi::is_predefined(arguments.filetype);
  return etype.ok() && filetype.ok() && *etype && *filetype;
}

HostView borrowed(const ViewArguments& arguments) {
  return {arguments.displacement, DatatypeHandle::borrowed(arguments.etype),
          DatatypeHandle::borrowed(arguments.filetype)};
}

/// The first byte of data becomes the filetype's zero, so that neither a lower bound nor a hole
/// before the data is left to get wrong.
Result<DatatypeHandle> plain_filetype(const View& view) {
  const plan::LayoutPtr& layout = view.filetype->layout.layout;
  if (layout->is_contiguous() && layout->size() == view.filetype->extent)
    return mpi::plain_bytes(layout->size());
  return mpi::plain_type({-layout->span().begin, layout}, {0, view.filetype->extent});
}

Result<HostView> plain_view(MPI_Offset displacement, const View& view) {
  Result<DatatypeHandle> etype = mpi::plain_bytes(view.etype_size);
  if (!etype.ok()) return etype.status();
  Result<DatatypeHandle> filetype = plain_filetype(view);
  if (!filetype.ok()) return filetype.status();
  return HostView{displacement + view.filetype->true_lb, std::move(*etype), std::move(*filetype)};
}

}  // namespace

HostViewForm wanted_form(const ViewArguments& arguments, const std::optional<View>& view,
                         MPI_Comm comm) {
  if (!view || !is_native(arguments.representation) || !is_legal(*view) ||
      !mpi::usable_in_communication(arguments.etype, comm) ||
      !mpi::usable_in_communication(arguments.filetype, comm))
    return HostViewForm::as_is;
  if (view->filetype->layout.layout->block_count() > most_blocks_for_host)
    return HostViewForm::withheld;
  return HostViewForm::deferred;
}

bool is_default(const View& view) {
  const plan::PlacedLayout& data = view.filetype->layout;
  return view.displacement == 0 && view.etype_size == 1 && data.layout->is_contiguous() &&
         view.filetype->true_lb == 0 && view.filetype->size == view.filetype->extent;
}

HostView host_view(const ViewArguments& arguments, const std::optional<View>& view,
                   HostViewForm form) {
  if (form == HostViewForm::as_is || is_simple(arguments)) return borrowed(arguments);
  Result<HostView> made = plain_view(arguments.displacement, *view);
  return made.ok() ? std::move(*made) : borrowed(arguments);
}

bool is_default(const HostView& view) {
  return view.displacement == 0 && view.etype.get() == MPI_BYTE && view.filetype.get() == MPI_BYTE;
}

ProgramView::ProgramView(const ViewArguments& arguments, const View& view)
    : displacement_(arguments.displacement),
      etype_(mpi::duplicate_type(arguments.etype)),
      representation_(arguments.representation) {
  if (is_costly(view))
    costly_ = view;
  else
    filetype_ = mpi::duplicate_type(arguments.filetype);
}

bool ProgramView::move_to(const ViewArguments& arguments) {
  if (arguments.etype != etype_.get() || arguments.representation != representation_) return false;
  displacement_ = arguments.displacement;
  return true;
}

/// Of many blocks, and such that it can be made of etypes again.
bool ProgramView::is_costly(const View& view) const {
  if (view.filetype->layout.layout->block_count() <= most_blocks_at_once) return false;
  const Result<mpi::DatatypePtr> etype = mpi::decode(etype_.get());
  if (!etype.ok()) return false;
  const plan::PlacedLayout& layout = (*etype)->layout;
  return layout.offset == 0 && layout.layout->is_contiguous() && (*etype)->size == (*etype)->extent;
}

/// The program's, or one of the same type map.
DatatypeHandle ProgramView::filetype() const {
  if (!costly_) return mpi::duplicate_type(filetype_.get());
  const mpi::Datatype& tile = *costly_->filetype;
  Result<DatatypeHandle> made =
      mpi::plain_type(tile.layout, {tile.lb, tile.extent}, {etype_.get(), costly_->etype_size});
  return made.ok() ? std::move(*made) : DatatypeHandle();
}

int ProgramView::get(MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
                     char* representation) const {
  *displacement = displacement_;
  *etype = mpi::duplicate_type(etype_.get()).release();
  *filetype = this->filetype().release();
  std::memcpy(representation, representation_.c_str(), representation_.size() + 1);
  return *etype != MPI_DATATYPE_NULL && *filetype != MPI_DATATYPE_NULL ? MPI_SUCCESS
                                                                       : MPI_ERR_OTHER;
}

HostView ProgramView::plain_for_host(const View& view) {
  if (!costly_) return host_view(arguments(), view, HostViewForm::plain);
  Result<HostView> made = plain_view(displacement_, view);
  if (made.ok()) return std::move(*made);
  filetype_ = filetype();
  return borrowed(arguments());
}

ViewArguments ProgramView::arguments() const {
  return {displacement_, etype_.get(), filetype_.get(), representation_.c_str()};
}

}  // namespace headrace::preload
