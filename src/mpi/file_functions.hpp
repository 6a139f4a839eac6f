// The MPI_File functions that Headrace takes over, one row each:
//   row(name, parameters, arguments)      for int MPI_File_<name> parameters
// The table of the host's functions and the exported entry points are both made from these rows.
#pragma once

#include <mpi.h>

// clang-format off
// Collective reads and writes, for a suffix ("" or _c) and the type that it gives to counts.
#define HEADRACE_DATA_FUNCTIONS(row, suffix, count_type) \
  row(read_all##suffix,           (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),                          (file, buffer, count, type, status))         \
  row(write_all##suffix,          (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),                    (file, buffer, count, type, status))         \
  row(read_at_all##suffix,        (MPI_File file, MPI_Offset offset, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),       (file, offset, buffer, count, type, status)) \
  row(write_at_all##suffix,       (MPI_File file, MPI_Offset offset, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status), (file, offset, buffer, count, type, status)) \
  row(read_all_begin##suffix,     (MPI_File file, void* buffer, count_type count, MPI_Datatype type),                                              (file, buffer, count, type))                 \
  row(write_all_begin##suffix,    (MPI_File file, const void* buffer, count_type count, MPI_Datatype type),                                        (file, buffer, count, type))                 \
  row(read_at_all_begin##suffix,  (MPI_File file, MPI_Offset offset, void* buffer, count_type count, MPI_Datatype type),                           (file, offset, buffer, count, type))         \
  row(write_at_all_begin##suffix, (MPI_File file, MPI_Offset offset, const void* buffer, count_type count, MPI_Datatype type),                     (file, offset, buffer, count, type))

#define HEADRACE_SPLIT_END_FUNCTIONS(row) \
  row(read_all_end,     (MPI_File file, void* buffer, MPI_Status* status),       (file, buffer, status)) \
  row(write_all_end,    (MPI_File file, const void* buffer, MPI_Status* status), (file, buffer, status)) \
  row(read_at_all_end,  (MPI_File file, void* buffer, MPI_Status* status),       (file, buffer, status)) \
  row(write_at_all_end, (MPI_File file, const void* buffer, MPI_Status* status), (file, buffer, status))

#define HEADRACE_ADMIN_FUNCTIONS(row) \
  row(open,          (MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* file),                                                    (comm, path, amode, info, file))                             \
  row(close,         (MPI_File* file),                                                                                                               (file))                                                      \
  row(set_view,      (MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype, const char* representation, MPI_Info info), (file, displacement, etype, filetype, representation, info)) \
  row(set_info,      (MPI_File file, MPI_Info info),                                                                                                 (file, info))                                                \
  row(get_info,      (MPI_File file, MPI_Info* info),                                                                                                (file, info))                                                \
  row(set_atomicity, (MPI_File file, int flag),                                                                                                      (file, flag))                                                \
  row(sync,          (MPI_File file),                                                                                                                (file))                                                      \
  row(get_group,     (MPI_File file, MPI_Group* group),                                                                                              (file, group))                                               \
  row(get_atomicity, (MPI_File file, int* flag),                                                                                                     (file, flag))                                                \
  row(get_amode,     (MPI_File file, int* amode),                                                                                                    (file, amode))

// The host's, by its own handle.
#define HEADRACE_HANDLER_FUNCTIONS(row) \
  row(set_errhandler,  (MPI_File file, MPI_Errhandler handler),  (file, handler)) \
  row(get_errhandler,  (MPI_File file, MPI_Errhandler* handler), (file, handler)) \
  row(call_errhandler, (MPI_File file, int code),                (file, code))
#if MPI_VERSION >= 4
#define HEADRACE_EXTENT_FUNCTIONS(row) \
  row(get_type_extent,   (MPI_File file, MPI_Datatype type, MPI_Aint* extent),  (file, type, extent)) \
  row(get_type_extent_c, (MPI_File file, MPI_Datatype type, MPI_Count* extent), (file, type, extent))
#else
#define HEADRACE_EXTENT_FUNCTIONS(row) \
  row(get_type_extent, (MPI_File file, MPI_Datatype type, MPI_Aint* extent), (file, type, extent))
#endif

// The host's, once no rank is in a call any more that others have come back from. Sizes are set by
// rank 0 for all.
#define HEADRACE_SIZE_FUNCTIONS(row) \
  row(set_size,    (MPI_File file, MPI_Offset size),  (file, size)) \
  row(preallocate, (MPI_File file, MPI_Offset size),  (file, size)) \
  row(get_size,    (MPI_File file, MPI_Offset* size), (file, size))

// What Headrace serves itself only where the host was not given the view: independent blocking
// calls, the individual file pointer, and questions that only the view can answer.
#define HEADRACE_INDEPENDENT_FUNCTIONS(row, suffix, count_type) \
  row(read##suffix,     (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),                          (file, buffer, count, type, status))         \
  row(write##suffix,    (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),                    (file, buffer, count, type, status))         \
  row(read_at##suffix,  (MPI_File file, MPI_Offset offset, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),       (file, offset, buffer, count, type, status)) \
  row(write_at##suffix, (MPI_File file, MPI_Offset offset, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status), (file, offset, buffer, count, type, status))
#define HEADRACE_VIEW_FUNCTIONS(row) \
  row(get_view,        (MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype, char* representation), (file, displacement, etype, filetype, representation)) \
  row(get_byte_offset, (MPI_File file, MPI_Offset offset, MPI_Offset* displacement),                                                 (file, offset, displacement))                          \
  row(seek,            (MPI_File file, MPI_Offset offset, int whence),                                                               (file, offset, whence))                                \
  row(get_position,    (MPI_File file, MPI_Offset* offset),                                                                          (file, offset))

// What Headrace serves itself only where the host was not given the view, as the above; but these
// return a request, and the collective ones wait for no other rank.
#define HEADRACE_NONBLOCKING_FUNCTIONS(row, suffix, count_type) \
  row(iread##suffix,         (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),                          (file, buffer, count, type, request))         \
  row(iwrite##suffix,        (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),                    (file, buffer, count, type, request))         \
  row(iread_at##suffix,      (MPI_File file, MPI_Offset offset, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),       (file, offset, buffer, count, type, request)) \
  row(iwrite_at##suffix,     (MPI_File file, MPI_Offset offset, const void* buffer, count_type count, MPI_Datatype type, MPI_Request* request), (file, offset, buffer, count, type, request)) \
  row(iread_all##suffix,     (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),                          (file, buffer, count, type, request))         \
  row(iwrite_all##suffix,    (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),                    (file, buffer, count, type, request))         \
  row(iread_at_all##suffix,  (MPI_File file, MPI_Offset offset, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),       (file, offset, buffer, count, type, request)) \
  row(iwrite_at_all##suffix, (MPI_File file, MPI_Offset offset, const void* buffer, count_type count, MPI_Datatype type, MPI_Request* request), (file, offset, buffer, count, type, request))

// With the shared file pointer. Collective calls:
#define HEADRACE_ORDERED_FUNCTIONS(row, suffix, count_type) \
  row(read_ordered##suffix,        (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),       (file, buffer, count, type, status)) \
  row(write_ordered##suffix,       (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status), (file, buffer, count, type, status)) \
  row(read_ordered_begin##suffix,  (MPI_File file, void* buffer, count_type count, MPI_Datatype type),                           (file, buffer, count, type))         \
  row(write_ordered_begin##suffix, (MPI_File file, const void* buffer, count_type count, MPI_Datatype type),                     (file, buffer, count, type))
#define HEADRACE_ORDERED_END_FUNCTIONS(row) \
  row(read_ordered_end,  (MPI_File file, void* buffer, MPI_Status* status),       (file, buffer, status)) \
  row(write_ordered_end, (MPI_File file, const void* buffer, MPI_Status* status), (file, buffer, status))
#define HEADRACE_SHARED_POINTER_FUNCTIONS(row) \
  row(seek_shared,         (MPI_File file, MPI_Offset offset, int whence), (file, offset, whence)) \
  row(get_position_shared, (MPI_File file, MPI_Offset* offset),            (file, offset))
// Others:
#define HEADRACE_SHARED_FUNCTIONS(row, suffix, count_type) \
  row(read_shared##suffix,   (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),         (file, buffer, count, type, status))  \
  row(write_shared##suffix,  (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Status* status),   (file, buffer, count, type, status))  \
  row(iread_shared##suffix,  (MPI_File file, void* buffer, count_type count, MPI_Datatype type, MPI_Request* request),       (file, buffer, count, type, request)) \
  row(iwrite_shared##suffix, (MPI_File file, const void* buffer, count_type count, MPI_Datatype type, MPI_Request* request), (file, buffer, count, type, request))
// clang-format on

/// A list of functions that have a form for large counts where the MPI has these, in both forms.
#if MPI_VERSION >= 4
#define HEADRACE_IN_ALL_FORMS(functions, row) functions(row, , int) functions(row, _c, MPI_Count)
#else
#define HEADRACE_IN_ALL_FORMS(functions, row) functions(row, , int)
#endif

/// Taken over: exported as MPI_File_<name> and as PMPI_File_<name>.
#define HEADRACE_INTERPOSED_FUNCTIONS(row)                   \
  HEADRACE_ADMIN_FUNCTIONS(row)                              \
  HEADRACE_HANDLER_FUNCTIONS(row)                            \
  HEADRACE_EXTENT_FUNCTIONS(row)                             \
  HEADRACE_SIZE_FUNCTIONS(row)                               \
  HEADRACE_IN_ALL_FORMS(HEADRACE_DATA_FUNCTIONS, row)        \
  HEADRACE_SPLIT_END_FUNCTIONS(row)                          \
  HEADRACE_IN_ALL_FORMS(HEADRACE_INDEPENDENT_FUNCTIONS, row) \
  HEADRACE_IN_ALL_FORMS(HEADRACE_NONBLOCKING_FUNCTIONS, row) \
  HEADRACE_VIEW_FUNCTIONS(row)                               \
  HEADRACE_IN_ALL_FORMS(HEADRACE_ORDERED_FUNCTIONS, row)     \
  HEADRACE_ORDERED_END_FUNCTIONS(row)                        \
  HEADRACE_SHARED_POINTER_FUNCTIONS(row)                     \
  HEADRACE_IN_ALL_FORMS(HEADRACE_SHARED_FUNCTIONS, row)
